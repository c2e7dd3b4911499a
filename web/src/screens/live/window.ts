/** The part of a trip that is shown, in seconds after the key press. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

const CLOSEST = 50e-6;

/** A window inside the whole: as long as asked for, moved in where it hangs out. */
export function held(next: Window, whole: Window): Window {
  const all = whole.to - whole.from;
  const long = Math.min(Math.max(next.to - next.from, CLOSEST), all);
  const from = Math.min(Math.max(next.from, whole.from), whole.to - long);
  return { from, to: from + long };
}

/** Nearer by a factor, around a moment. */
export const nearer = ({ from, to }: Window, factor: number, around = (from + to) / 2): Window => ({
  from: around - (around - from) / factor,
  to: around + (to - around) / factor,
});

/** Earlier or later by a share of what is shown. */
export const moved = ({ from, to }: Window, share: number): Window => {
  const by = (to - from) * share;
  return { from: from + by, to: to + by };
};

/** A stretch with some air around it. */
export const around = (from: number, to: number, air = 0.6): Window => {
  const by = Math.max(to - from, CLOSEST) * air;
  return { from: from - by, to: to + by };
};
