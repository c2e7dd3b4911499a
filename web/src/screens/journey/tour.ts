/**
 * The tour is a function of time. From a moment follow the stop, how far it is gone, and the moment of the signal: so it
 * can be scrubbed both ways, linked at any second, and tested.
 */
import type { Part } from "./parts";

export interface Stop {
  readonly part: Part;
  /** The moment of the signal at which the stop begins: the pulse is then near the part. */
  readonly signal: number;
}

export const STOP_S = 7;
const STOPS: readonly Stop[] = [
  { part: "device", signal: 0 },
  { part: "device", signal: 0.2 },
  { part: "access", signal: 0.9 },
  { part: "internet", signal: 2.9 },
  { part: "balancer", signal: 8.4 },
  { part: "server", signal: 9.6 },
  { part: "cache", signal: 10.6 },
  { part: "back", signal: 12 },
  { part: "eye", signal: 19 },
];
export const COUNT = STOPS.length;
export const WHOLE_S = COUNT * STOP_S;

export interface Moment {
  /** 1 to 9. */
  readonly stop: number;
  readonly part: Part;
  readonly before: Part | null;
  /** Share of the camera's way from the part before, eased: 0 to 1. */
  readonly arrived: number;
  /** The moment of the signal, in seconds. */
  readonly signal: number;
}

const MOVE_S = 0.9;

export function tourAt(seconds: number): Moment {
  const t = Math.min(Math.max(seconds, 0), WHOLE_S - 1e-6);
  const i = Math.floor(t / STOP_S);
  const into = t - i * STOP_S;
  const stop = STOPS[i]!;
  const next = STOPS[i + 1]?.signal ?? stop.signal + STOP_S;
  const share = Math.min(into / MOVE_S, 1);
  return {
    stop: i + 1,
    part: stop.part,
    before: STOPS[i - 1]?.part ?? null,
    arrived: i === 0 ? 1 : 1 - (1 - share) ** 3,
    signal: stop.signal + ((next - stop.signal) * into) / STOP_S,
  };
}

export function startOf(stop: number): number {
  return (Math.min(Math.max(stop, 1), COUNT) - 1) * STOP_S;
}
