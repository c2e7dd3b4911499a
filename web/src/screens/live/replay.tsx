/** The answer once more, as it came: a moment that can be moved, and the text that was on the screen then. */
import { signal, useSignal, type Signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { short } from "../../charts/numbers";
import type { Say } from "../../shell/text";
import type { Trip } from "./types";
import type { Window } from "./window";

/** The moment of the replay, in seconds after the key press; null while nothing is replayed. */
export const moment = (): Signal<number | null> => signal<number | null>(null);

const SPEEDS = { real: 1, slow: 0.25, slower: 0.05 } as const;
type Speed = keyof typeof SPEEDS;
const STEPS = 1000;

/** What was on the screen at a moment. */
export const textAt = (trip: Trip, at: number): string =>
  trip.tokens.filter((token) => token.painted_s !== null && token.painted_s <= at).map((token) => token.text).join("");

export function Playhead({ at, x, left, right, height }: { at: Signal<number | null>; x: (seconds: number) => number; left: number; right: number; height: number }) {
  const now = at.value;
  if (now === null) return null;
  const place = x(now);
  return place < left || place > right ? null : <div class="playhead" style={{ left: `${place}px`, height: `${height}px` }} aria-hidden="true" />;
}

export interface ReplayProps {
  readonly trip: Trip;
  readonly whole: Window;
  readonly at: Signal<number | null>;
  /** False where motion is unwanted: from picture to picture instead of moving. */
  readonly motion: boolean;
  readonly t: Say;
}

export function Replay({ trip, whole, at, motion, t }: ReplayProps) {
  const [speed, setSpeed] = useState<Speed>("slow");
  const playing = useSignal(false);
  const end = trip.measured_s;
  const run = useRef(0);
  const stop = () => {
    playing.value = false;
    cancelAnimationFrame(run.current);
  };
  useEffect(() => stop, [trip]);
  const play = () => {
    if (playing.value) return stop();
    const begin = at.value === null || at.value >= end ? Math.min(0, whole.from) : at.value;
    const stops = [...new Set(trip.tokens.flatMap((token) => (token.painted_s === null ? [] : [token.painted_s])))];
    playing.value = true;
    let last = performance.now();
    let now = begin;
    at.value = begin;
    const next = (time: number) => {
      now += ((time - last) / 1e3) * SPEEDS[speed];
      last = time;
      const shown = motion ? now : Math.max(begin, ...stops.filter((each) => each <= now));
      at.value = Math.min(shown, end);
      if (now >= end) {
        at.value = end;
        return stop();
      }
      run.current = requestAnimationFrame(next);
    };
    run.current = requestAnimationFrame(next);
  };
  const now = at.value ?? end;
  const part = Math.round(((now - whole.from) / (whole.to - whole.from)) * STEPS);
  return (
    <div class="replay noprint">
      <button class="ghost" aria-pressed={playing.value} onClick={play}>
        {playing.value ? t("action.pause") : t("live.replay")}
      </button>
      <input
        class="scrub" type="range" min="0" max={STEPS} step="1" value={part} aria-label={t("live.replay.at")}
        aria-valuetext={t(now < 0 ? "live.start.before" : "live.start.value", { value: short(Math.abs(now), "s") })}
        style={{ "--v": `${part / 10}%` }}
        onInput={(event) => {
          stop();
          at.value = whole.from + (Number(event.currentTarget.value) / STEPS) * (whole.to - whole.from);
        }}
      />
      <output class="small num">{now < 0 ? `−${short(-now, "s")}` : short(now, "s")}</output>
      <label class="small">
        <span class="unseen">{t("live.replay.speed")}</span>
        <select class="pick" value={speed} onChange={(event) => { stop(); setSpeed(event.currentTarget.value as Speed); }}>
          {(Object.keys(SPEEDS) as Speed[]).map((each) => (
            <option key={each} value={each}>
              {t(`live.replay.${each}`)}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
