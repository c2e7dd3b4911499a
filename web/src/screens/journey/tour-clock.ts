/** Plays the tour: the moment is the state and stands in the address; playing only moves it. */
import { useEffect, useState } from "preact/hooks";
import { clamp } from "../../scene/hand";
import { startOf, tourAt, WHOLE_S } from "./tour";

export interface Clock {
  readonly touring: boolean;
  readonly moment: number;
  readonly playing: boolean;
  readonly play: (on: boolean) => void;
  readonly start: () => void;
  readonly leave: () => void;
  readonly scrub: (seconds: number) => void;
  readonly jump: (stop: number) => void;
}

/** Where a stop is looked at when one jumps to it: the camera has arrived. */
const ARRIVED_S = 0.95;

export function useTour(given: string | undefined, motion: boolean, write: (moment: string) => void, tellStop: (stop: number) => void): Clock {
  const [playing, play] = useState(false);
  const [moment, setMoment] = useState(() => Number(given) || 0);
  const touring = given !== undefined;
  const at = (seconds: number) => write(seconds.toFixed(1));
  useEffect(() => {
    if (touring && !playing) setMoment(clamp(Number(given) || 0, 0, WHOLE_S));
    if (!touring && playing) play(false);
  }, [given]);
  useEffect(() => {
    if (!playing || !touring) return;
    let handle = 0;
    let last = performance.now();
    let now_s = moment;
    let told = 0;
    let written = last;
    const tick = (now: number) => {
      now_s = Math.min(now_s + (now - last) / 1000, WHOLE_S);
      last = now;
      const { stop } = tourAt(now_s);
      if (motion) setMoment(now_s);
      else if (stop !== told) setMoment(startOf(stop) + ARRIVED_S);
      if (stop !== told) {
        told = stop;
        tellStop(stop);
      }
      if (now - written > 500) {
        written = now;
        at(now_s);
      }
      if (now_s < WHOLE_S) handle = requestAnimationFrame(tick);
      else play(false);
    };
    handle = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(handle);
  }, [playing, touring]);
  const scrub = (seconds: number) => {
    const next = clamp(seconds, 0, WHOLE_S);
    setMoment(next);
    at(next);
  };
  return {
    touring, moment, playing, play, scrub,
    start: () => {
      setMoment(0);
      at(0);
      play(true);
    },
    leave: () => {
      play(false);
      write("");
    },
    jump: (stop) => {
      scrub(startOf(stop) + ARRIVED_S);
      tellStop(stop);
    },
  };
}
