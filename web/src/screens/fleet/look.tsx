/** How the parts of a wait look: queue, the prompt, what is lost and done anew, the prompts of others, writing. */
import type { Carrier } from "../../core/types";
import { fill, hue } from "../../charts/paint";

interface Look {
  readonly carrier: Carrier;
  /** Pale where the same carrier works for somebody else. */
  readonly strength: number;
}

// Memory is read for each token that is written; what is computed anew was heat.
const LOOKS: Readonly<Record<string, Look>> = {
  queue: { carrier: "waiting", strength: 1 },
  prefill: { carrier: "moving charge", strength: 1 },
  preemption: { carrier: "heat", strength: 1 },
  others_prefill: { carrier: "moving charge", strength: 0.4 },
  decode: { carrier: "stored charge", strength: 1 },
  swap: { carrier: "stored charge", strength: 0.4 },
  failure: { carrier: "heat", strength: 0.4 },
  transfer: { carrier: "photons", strength: 1 },
  network: { carrier: "photons", strength: 0.4 },
};

export const look = (cause: string): Look => LOOKS[cause] ?? { carrier: "motion", strength: 1 };

/** Attributes of a shape that stands for a part. */
export function paint(cause: string, hatch: string) {
  const { carrier, strength } = look(cause);
  return { fill: fill(carrier, hatch), "fill-opacity": strength, ...(strength < 1 ? { stroke: hue(carrier), "stroke-width": 1 } : {}) };
}

/** The mark of a part in a legend. */
export function Swatch({ cause, hatch }: { readonly cause: string; readonly hatch: string }) {
  return (
    <svg width="14" height="10" aria-hidden="true">
      <rect x="0.5" y="0.5" width="13" height="9" {...paint(cause, hatch)} />
    </svg>
  );
}

/** 12.25 as 12:15. */
export function clock(hour: number): string {
  const minutes = Math.round(hour * 60);
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}
