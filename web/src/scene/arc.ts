/** The cut arc of ground that the journey stands on: places over it, and the parts that stand there. */
import { Matrix4, Vector3 } from "./three";
import type { Palette } from "./palette";

/** The eight numbered parts. */
export type Part = "device" | "access" | "internet" | "balancer" | "server" | "cache" | "back" | "eye";
export const PARTS: readonly Part[] = ["device", "access", "internet", "balancer", "server", "cache", "back", "eye"];

export interface JourneyOptions {
  readonly palette: Palette;
  /** What the reader types on, and so what the radio reaches: a phone and its tower, or a laptop and its router. */
  readonly device: "phone" | "laptop";
  /** False when nothing leaves the device: the way is drawn and stays empty. */
  readonly leaves: boolean;
  /** One color a part instead of one a carrier. */
  readonly byPart?: Readonly<Record<Part, string>>;
}

export type Hue = (part: Part, carrier: string) => string;

const RADIUS = 46;
export const FRONT = 1.5;
export const SEA: readonly [number, number] = [-0.135, 0.1];

export const v = (x: number, y: number, z: number) => new Vector3(x, y, z);

/** A point over the arc: angle from the middle, height over the ground, depth. */
export function over(angle: number, height = 0, depth = 0): Vector3 {
  return new Vector3(Math.sin(angle) * (RADIUS + height), Math.cos(angle) * (RADIUS + height) - RADIUS, depth);
}

/** A place that stands upright on the arc. */
export function stand(angle: number, height: number, depth: number, turn = 0, size = 1): Matrix4 {
  const p = over(angle, height * size, depth);
  return new Matrix4()
    .makeTranslation(p.x, p.y, p.z)
    .multiply(new Matrix4().makeRotationZ(-angle))
    .multiply(new Matrix4().makeRotationY(turn))
    .multiply(new Matrix4().makeScale(size, size, size));
}

export function smooth(x: number, a: number, b: number): number {
  const t = Math.min(Math.max((x - a) / (b - a), 0), 1);
  return t * t * (3 - 2 * t);
}
