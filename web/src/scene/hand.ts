/**
 * A hand on a 3D picture: one finger or a mouse turns it, two fingers zoom. On a touch screen only after the picture
 * was switched to be turned, so that a page can always be scrolled past it. No three.js here: screens load this at once.
 */
import { useEffect } from "preact/hooks";

/** What the reader adds to a view: turns in degrees, a zoom. */
export interface Turned {
  readonly yaw: number;
  readonly pitch: number;
  readonly zoom: number;
}
export const UNTURNED: Turned = { yaw: 0, pitch: 0, zoom: 1 };

export interface Reach {
  /** Degrees a pixel, sideways and up. */
  readonly yaw: number;
  readonly pitch: number;
  /** Turns more than this are not taken; no limit when a picture may be turned all the way. */
  readonly most?: number;
  readonly low: number;
  readonly high: number;
  readonly near: number;
}

export function clamp(x: number, low: number, high: number): number {
  return Math.min(Math.max(x, low), high);
}

export interface Grip {
  readonly turned: Turned;
  readonly turn: (turned: Turned) => void;
  /** Whether fingers turn the picture; a mouse always does. */
  readonly active: boolean;
}

export function useHand(canvas: { current: HTMLCanvasElement | null }, grip: () => Grip, reach: Reach): void {
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const points = new Map<number, { x: number; y: number }>();
    let spread = 0;
    const down = (event: PointerEvent) => {
      if (event.pointerType === "touch" && !grip().active) return;
      points.set(event.pointerId, { x: event.clientX, y: event.clientY });
      element.setPointerCapture(event.pointerId);
      spread = 0;
    };
    const move = (event: PointerEvent) => {
      const before = points.get(event.pointerId);
      if (!before) return;
      const { turned, turn } = grip();
      points.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (points.size === 1) {
        const yaw = turned.yaw - (event.clientX - before.x) * reach.yaw;
        const pitch = turned.pitch + (event.clientY - before.y) * reach.pitch;
        turn({ ...turned, yaw: reach.most ? clamp(yaw, -reach.most, reach.most) : yaw, pitch: clamp(pitch, reach.low, reach.high) });
      } else if (points.size === 2) {
        const [a, b] = [...points.values()];
        const now = Math.hypot(a!.x - b!.x, a!.y - b!.y);
        if (spread > 0) turn({ ...turned, zoom: clamp((turned.zoom * now) / spread, reach.near, 4) });
        spread = now;
      }
    };
    const up = (event: PointerEvent) => {
      points.delete(event.pointerId);
      spread = 0;
    };
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    return () => {
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", up);
    };
  }, []);
}
