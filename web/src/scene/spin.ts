/** One slow turn that comes back to where it began, and then rests. */
import { useEffect } from "preact/hooks";
import type { Turned } from "./hand";

export function useSpin(spin: boolean, stop: () => void, motion: boolean, turned: Turned, turn: (turned: Turned) => void, yaw: (seconds: number) => number, whole_s: number): void {
  useEffect(() => {
    if (!spin) return;
    if (!motion) {
      stop();
      return;
    }
    let handle = 0;
    const begin = performance.now();
    const tick = (now: number) => {
      const s = (now - begin) / 1000;
      if (s < whole_s) {
        turn({ ...turned, yaw: turned.yaw + yaw(s) });
        handle = requestAnimationFrame(tick);
      } else {
        turn(turned);
        stop();
      }
    };
    handle = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(handle);
  }, [spin]);
}
