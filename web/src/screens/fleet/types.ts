/** What the fleet screen gets from Python: controls, a day in windows, its figures. */

/** One thing that a reader may set: one of `choices`, or a number from `least` to `most` in steps. */
export interface Control {
  readonly name: string;
  readonly group: "traffic" | "cluster" | "scheduler" | "goal";
  readonly usual: number | string;
  readonly unit: string;
  readonly choices?: readonly (number | string)[];
  readonly titles?: readonly string[];
  readonly least?: number;
  readonly most?: number;
  readonly step?: number;
}
export type Spec = Readonly<Record<string, number | string>>;

/** What each replica is at when a window ends; shares are 0 to 1. */
export interface Replicas {
  readonly writing: readonly number[];
  readonly waiting: readonly number[];
  readonly used: readonly number[];
  /** Prompts that are being read; not known of days from the grid. */
  readonly reading?: readonly number[];
  /** Pages that nobody uses but that still hold a prefix. */
  readonly kept?: readonly number[];
}

/** A part of the day: what came, and what the requests that ended in it waited for. */
export interface Row {
  /** When it ends. */
  readonly hour: number;
  readonly arrivals_per_s: number;
  readonly refused: number;
  /** Mean parts, in the order of the causes. */
  readonly waits_s: readonly number[];
  /** Half of them sooner, and all but one of a hundred. */
  readonly first_s: readonly [number, number] | null;
  readonly slow_token_s: number | null;
  readonly good: number | null;
  readonly token_per_s_accelerator: number;
  readonly token_per_s_user: number | null;
  readonly replicas: Replicas;
  /** Parts of some requests, from the shortest to the longest. */
  readonly requests: readonly (readonly number[])[];
}

export interface Curve {
  readonly batch: readonly number[];
  readonly token_per_s_user: readonly number[];
  readonly token_per_s_accelerator: readonly number[];
  readonly context_token: number;
  readonly goal_token_per_s_user: number;
  readonly room: number;
}

/** What a request took, the building included; p5 to p95 for the energy. */
export interface Paid {
  readonly energy_J: number;
  readonly energy_band_J: readonly [number, number];
  readonly output_token_J: number | null;
  readonly water_L: number;
  readonly carbon_g: number;
  readonly rent_usd: number;
  /** Of the whole cluster. */
  readonly mean_power_W: number;
}

export interface Total {
  readonly requests: number;
  readonly done: number;
  readonly refused: number;
  readonly preemptions: number;
  readonly left_at_midnight: number;
  readonly mean_batch: number;
  readonly cached_share: number;
  readonly good_share: number;
  readonly goodput_per_s: number | null;
  readonly output_tokens_per_s_per_accelerator: number | null;
  /** Half of all sooner, and all but one of a hundred. */
  readonly first_s: readonly [number, number];
  readonly token_s: readonly [number, number];
  /** Null where nobody knows what the accelerator draws. */
  readonly paid: Paid | null;
}

export interface Day {
  readonly spec: Spec;
  readonly kind: string;
  /** Of one replica. */
  readonly accelerators: number;
  readonly cache_token: number;
  readonly windows: number;
  /** Parts of a wait, in the order of `waits_s`. */
  readonly causes: readonly string[];
  readonly command: string;
  readonly curve: Curve;
  readonly rows: readonly Row[];
  readonly total: Total | null;
  /** The requests shown are of the whole day, not of each window. */
  readonly ofDay: boolean;
}

export interface Grid {
  readonly controls: readonly Control[];
  readonly days: readonly { readonly set: Spec; readonly day: Day }[];
}
