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
  readonly causes: readonly string[];
  readonly command: string;
  readonly window_refused?: readonly number[];
  readonly good: Numbers;
  readonly steps: Readonly<Record<"arrivals_per_s" | "token_per_s_accelerator" | "token_per_s_user" | "first_s" | "half_first_s" | "token_s", readonly number[]>> & {
    readonly waits_s: readonly (readonly number[])[];
  };
  readonly replicas: Partial<Record<keyof Replicas, readonly (readonly number[])[]>>;
  readonly shown: readonly (readonly number[])[];
  readonly ttft_s: readonly [number, number];
  readonly tpot_s: readonly [number, number];
  readonly [figure: string]: unknown;
}
export interface Stored {
  readonly controls: readonly Control[];
  readonly curves: readonly Curve[];
  readonly least: number;
  readonly step: number;
  readonly runs: readonly Packed[];
}

/** Numbers from their steps, each the difference to the one before; 0 where there is none. */
function walked(steps: readonly number[], { least, step }: Stored): number[] {
  let at = 0;
  return steps.map((more) => ((at += more) === 0 ? 0 : least * step ** at));
}

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
  const of = (name: Exclude<keyof Packed["steps"], "waits_s">) => walked(run.steps[name], stored);
  const [arrivals, all, user, half, slow, token] = [of("arrivals_per_s"), of("token_per_s_accelerator"), of("token_per_s_user"), of("half_first_s"), of("first_s"), of("token_s")];
  const waits = run.steps.waits_s.map((line) => walked(line, stored));
  const windows = arrivals.length;
  const rows = arrivals.map((arrivals_per_s, n): Row => ({
    hour: ((n + 1) * 24) / windows,
    arrivals_per_s,
    refused: run.window_refused?.[n] ?? 0,
    waits_s: waits.map((line) => line[n] ?? 0),
    first_s: half[n] && slow[n] ? [half[n], slow[n]] : null,
    slow_token_s: token[n] || null,
    good: run.good[n] ?? null,
    token_per_s_accelerator: all[n] ?? 0,
    token_per_s_user: user[n] || null,
    replicas: { writing: at("writing", n), waiting: at("waiting", n), used: share("used", n), kept: share("kept", n) },
    requests: run.shown,
  }));
  return {
    spec, rows, windows, kind: run.kind, accelerators: run.accelerators, cache_token: run.cache_token, causes: run.causes, command: run.command,
    curve: stored.curves[run.curve] as Curve, ofDay: true,
    total: { ...(run as unknown as NonNullable<Day["total"]>), first_s: run.ttft_s, token_s: run.tpot_s },
  };
}

/** The grid from its stored form. */
export const unpacked = (stored: Stored): Grid => ({
  controls: stored.controls, days: stored.runs.map((run) => ({ set: run.set, day: unpack(run, stored) })),
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
