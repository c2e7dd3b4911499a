/**
 * The days that were run beforehand: rows put together from the columns of `roundtrip/lab/fleet_grid.py`, and the nearest
 * day to what a reader sets. Nothing between two days is made up: one of them is shown as it was.
 */
import { load, once } from "../../core/data";
import type { Control, Curve, Day, Grid, Replicas, Row, Spec } from "./types";

type Numbers = readonly (number | null)[];
interface Packed {
  readonly set: Spec;
  readonly kind: string;
  readonly accelerators: number;
  readonly cache_token: number;
  readonly curve: number;
  readonly command: string;
  readonly arrivals_per_s: readonly number[];
  readonly window_refused?: readonly number[];
  readonly good: Numbers;
  readonly token_per_s_accelerator: readonly number[];
  readonly token_per_s_user: Numbers;
  readonly slow_token_s: Numbers;
  readonly first_s: readonly Numbers[];
  readonly waits_s: readonly (readonly number[])[];
  readonly replicas: Partial<Record<keyof Replicas, readonly (readonly number[])[]>>;
  readonly shown: readonly (readonly number[])[];
  readonly ttft_s: readonly [number, number];
  readonly tpot_s: readonly [number, number];
  readonly [figure: string]: unknown;
}
export interface Stored {
  readonly controls: readonly Control[];
  readonly causes: readonly string[];
  readonly curves: readonly Curve[];
  readonly runs: readonly Packed[];
}

const fromMs = (value: number): number => value / 1000;
const orNull = (value: number | null | undefined): number | null => (value === null || value === undefined ? null : fromMs(value));

/** The settings as they are where nothing is said. */
export const usual = (controls: readonly Control[]): Record<string, number | string> => Object.fromEntries(controls.map((each) => [each.name, each.usual]));

function unpack(run: Packed, stored: Stored): Day {
  const spec = { ...usual(stored.controls), ...run.set };
  const count = Number(spec["replicas"]);
  const zero = new Array<number>(count).fill(0);
  /** What the replicas are at: all but the first are stored as differences to it. */
  const at = (name: keyof Replicas, n: number): number[] => {
    const lines = run.replicas[name];
    if (!lines) return zero;
    const first = lines[0]?.[n] ?? 0;
    return lines.map((line, k) => (k === 0 ? first : first + (line[n] ?? 0)));
  };
  const share = (name: "used" | "kept", n: number) => at(name, n).map((percent) => percent / 100);
  const shown = run.shown.map((parts) => parts.map(fromMs));
  const windows = run.arrivals_per_s.length;
  const rows = run.arrivals_per_s.map((arrivals_per_s, n): Row => {
    const [half, slow] = [orNull(run.first_s[0]?.[n]), orNull(run.first_s[1]?.[n])];
    return {
      hour: ((n + 1) * 24) / windows,
      arrivals_per_s,
      refused: run.window_refused?.[n] ?? 0,
      waits_s: run.waits_s.map((line) => fromMs(line[n] ?? 0)),
      first_s: half === null || slow === null ? null : [half, slow],
      slow_token_s: orNull(run.slow_token_s[n]),
      good: run.good[n] ?? null,
      token_per_s_accelerator: run.token_per_s_accelerator[n] ?? 0,
      token_per_s_user: run.token_per_s_user[n] ?? null,
      replicas: { writing: at("writing", n), waiting: at("waiting", n), used: share("used", n), kept: share("kept", n) },
      requests: shown,
    };
  });
  return {
    spec, rows, windows, kind: run.kind, accelerators: run.accelerators, cache_token: run.cache_token, command: run.command,
    curve: stored.curves[run.curve] as Curve, ofDay: true,
    total: { ...(run as unknown as NonNullable<Day["total"]>), first_s: run.ttft_s, token_s: run.tpot_s },
  };
}

/** The grid from its stored form. */
export const unpacked = (stored: Stored): Grid => ({
  controls: stored.controls, causes: stored.causes, days: stored.runs.map((run) => ({ set: run.set, day: unpack(run, stored) })),
});

export const loadGrid = once(async (): Promise<Grid> => unpacked(await load<Stored>("fleet.json")));

/** How far two settings of a control lie apart: 0 where they are equal, about 1 for the whole range, 1 for other words. */
export function apart(control: Control, a: number | string, b: number | string): number {
  if (a === b) return 0;
  if (typeof a !== "number" || typeof b !== "number") return 1;
  const { choices, least = 0, most = 1 } = control;
  if (!choices) return Math.abs(a - b) / (most - least);
  return Math.abs(choices.indexOf(a) - choices.indexOf(b)) / choices.length;
}

// Another model or chip is another day altogether; a goal does not change the run.
const WEIGHT: Readonly<Record<string, number>> = { model: 8, accelerator: 6, router: 0.4, prefix: 2, first: 0.1, token: 0.1, hour: 0.1 };
const DIFFERS = 0.25;

/** The day that is nearest to the settings, and the controls in which it is another. */
export function nearest(grid: Grid, spec: Spec): { day: Day; others: readonly Control[] } {
  let best = grid.days[0]!.day;
  let least = Infinity;
  for (const { day } of grid.days) {
    let far = 0;
    for (const control of grid.controls) {
      const step = apart(control, spec[control.name] ?? control.usual, day.spec[control.name] ?? control.usual);
      far += step === 0 ? 0 : (WEIGHT[control.name] ?? 1) * (DIFFERS + step);
    }
    if (far < least) [best, least] = [day, far];
  }
  return { day: best, others: grid.controls.filter((each) => spec[each.name] !== best.spec[each.name]) };
}
