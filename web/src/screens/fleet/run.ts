/** The day that is shown: run live by the server, window by window, or the nearest of those that were run beforehand. */
import { useEffect, useRef, useState } from "preact/hooks";
import { isLive, stream } from "../../core/server";
import { nearest } from "./grid";
import type { Control, Curve, Day, Grid, Row, Spec } from "./types";

export interface Shown {
  readonly day: Day | null;
  readonly state: "starting" | "cold" | "slow" | "running" | "done";
  readonly error: string;
  /** In what the shown day is not the one that was asked for. */
  readonly others: readonly Control[];
}

const PAUSE_MS = 120; // a slider moves faster than days are run

interface Sent {
  readonly state?: string;
  readonly cold?: boolean;
  readonly slow?: boolean;
  readonly head?: Omit<Day, "rows" | "total" | "ofDay">;
  readonly row?: Omit<Row, "slow_token_s"> & { readonly token_s: readonly [number, number] | null };
  readonly number?: number;
  readonly summary?: NonNullable<Day["total"]> & Readonly<Record<"ttft_s" | "tpot_s", Readonly<Record<string, number>>>>;
}

const two = (of: Readonly<Record<string, number>>): [number, number] => [of["p50"] ?? 0, of["p99"] ?? 0];

/** `at` is the window that is looked at: an earlier day gives way when the new one has come so far. */
export function useDay(grid: Grid | undefined, spec: Spec, at: number): Shown {
  const [shown, show] = useState<Shown>({ day: null, state: "starting", error: "", others: [] });
  const looked = useRef(at);
  looked.current = at;
  const key = JSON.stringify(spec);
  useEffect(() => {
    if (!grid) return;
    if (!isLive()) {
      show({ ...nearest(grid, spec), state: "done", error: "" });
      return;
    }
    let stop = () => {};
    let frame = 0;
    const begin = window.setTimeout(() => {
      let head: Sent["head"];
      let rows: Row[] = [];
      let total: Day["total"] = null;
      const draw = () => {
        frame = 0;
        if (!head || (!total && rows.length <= looked.current)) return;
        show({ day: { ...head, curve: head.curve as Curve, rows, total, ofDay: false }, state: total ? "done" : "running", error: "", others: [] });
      };
      const asked = stream(
        { op: "fleet", set: spec },
        (body: Sent) => {
          if (body.state) show((before) => ({ ...before, state: body.cold ? "cold" : body.slow ? "slow" : "starting", error: "" }));
          if (body.head) head = body.head;
          if (body.row && body.number !== undefined) {
            const { token_s, ...row } = body.row;
            rows = [...rows, { ...row, slow_token_s: token_s?.[1] ?? null }];
            asked.seen(body.number);
          }
          if (body.summary) total = { ...body.summary, first_s: two(body.summary.ttft_s), token_s: two(body.summary.tpot_s) };
          if (!frame) frame = requestAnimationFrame(draw);
        },
        // A day that was not asked for says nothing of the one that cannot be.
        (reason) => show({ day: null, state: "done", error: reason.message, others: [] }),
      );
      stop = asked.stop;
    }, PAUSE_MS);
    return () => {
      window.clearTimeout(begin);
      cancelAnimationFrame(frame);
      stop();
    };
  }, [grid, key]);
  return shown;
}
