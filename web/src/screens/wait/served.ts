/** Trips that no printed equation stands for: the local server works them out, a moment after the last move. */
import { useEffect, useState } from "preact/hooks";
import type { Spread, Values } from "../../core/formula";
import { askTrip, Overtaken } from "../../core/server";
import type { Trace } from "../../core/types";
import { HANDOVER } from "./full";

export interface Asked {
  readonly scenario: string;
  readonly set: Readonly<Record<string, string | number>>;
  readonly prompt: string;
  /** The queue that is wanted, and the hand-over that the trip has by itself. */
  readonly queue_s: number | null;
  readonly handover_s: number;
}
export interface Served {
  readonly key: string;
  readonly made: Values;
  readonly band: Record<string, Spread>;
}

const valuesOf = (trace: Trace): Values =>
  Object.fromEntries(Object.entries(trace.summary).filter((entry): entry is [string, number] => typeof entry[1] === "number"));

async function work({ scenario, set, prompt, queue_s, handover_s }: Asked): Promise<Omit<Served, "key">> {
  let trace = await askTrip(scenario, set, queue_s === null ? 1000 : 0, prompt);
  if (queue_s !== null) {
    const own_s = valuesOf(trace)["queue_s"] ?? 0;
    trace = await askTrip(scenario, { ...set, [HANDOVER]: Math.max(0, handover_s + queue_s - own_s) }, 1000, prompt);
  }
  const bands = Object.entries(trace.summary_bands).map(([name, { low, median, high }]) => [name, { low, median: median ?? low, high }] as const);
  return { made: valuesOf(trace), band: Object.fromEntries(bands) };
}

/** The answer to the newest question; the one before stays until it is there. `error` says in a line what cannot be. */
export function useServed(asked: Asked | null): { served: Served | null; error: string | null; late: boolean } {
  const key = asked ? JSON.stringify(asked) : "";
  const [served, setServed] = useState<Served | null>(null);
  const [failed, setFailed] = useState<{ key: string; error: string } | null>(null);
  useEffect(() => {
    if (!asked) return;
    let here = true;
    const later = window.setTimeout(() => {
      work(asked).then(
        (found) => here && setServed({ key, ...found }),
        (reason: unknown) => here && !(reason instanceof Overtaken) && setFailed({ key, error: reason instanceof Error ? reason.message : String(reason) }),
      );
    }, 120);
    return () => {
      here = false;
      window.clearTimeout(later);
    };
  }, [key]);
  return { served: asked ? served : null, error: asked && failed?.key === key ? failed.error : null, late: asked !== null && served?.key !== key };
}
