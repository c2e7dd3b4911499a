/** Which row a span stands in, what it is called, and in which order the spans are walked. */
import type { Span } from "../../core/types";
import type { Say } from "../../shell/text";
import type { Trip } from "./types";

/** From the person down to the model: the trip goes down these rows and comes up again. */
export const ROWS = ["you", "screen", "page", "wire", "server", "model"] as const;
export type RowName = (typeof ROWS)[number];

/** Spans that hold others: they stand in the table and in the details, not as bars. */
const WHOLES = new Set(["trip", "trip.measured", "fetch", "server.request", "model.prefill", "model.decode"]);
const ROW_OF: Readonly<Record<string, RowName>> = { screen: "screen", page: "page", wire: "wire", fetch: "wire", server: "server", model: "model" };

export const isModeled = (span: Span): boolean => span.reading !== "record";

export function rowOf(span: Span): RowName {
  if (isModeled(span)) return "you";
  if (span.name !== "gap") return ROW_OF[span.name.split(".")[0] ?? ""] ?? "page";
  const parent = span.parent ?? "";
  return parent.startsWith("model") ? "model" : parent.startsWith("server") ? "server" : parent === "fetch" ? "wire" : "page";
}

export interface Bar {
  readonly span: Span;
  readonly row: RowName;
  /** Seconds after the key press. */
  readonly from: number;
  readonly to: number;
  readonly decides: boolean;
}

/** The bars of a trip, in the order of their starts. */
export function barsOf(trip: Trip): Bar[] {
  const path = new Set(trip.path);
  return trip.trace.spans
    .filter((span) => !WHOLES.has(span.name))
    .map((span) => {
      const from = span.start_s - trip.lead_s;
      return { span, row: rowOf(span), from, to: from + span.duration_s, decides: path.has(span.id) };
    })
    .sort((a, b) => a.from - b.from || b.to - a.to);
}

/** The stage of the long trip that a modeled span is. */
export const stageOf = (span: Span): string => span.name.replace(/^(display\.vsync)\..*/, "$1");

export function nameOf(t: Say, span: Span): string {
  return isModeled(span) ? t(`stages.${stageOf(span)}.title`) : t(`live.span.${span.name}`);
}

export function whatOf(t: Say, span: Span): string {
  return isModeled(span) ? t(`stages.${stageOf(span)}.says`) : t(`live.what.${span.name}`);
}

/** A token as it is shown: blanks and ends of lines can be seen. */
export const tokenText = (t: Say, text: string): string => text.replace(/\n/g, "⏎").replace(/\t/g, "→").replace(/ /g, "·") || t("live.end");

/** A token beside others: its blank is seen by the gap. The end of an answer has no text. */
export const plainToken = (t: Say, text: string): string => text.trim().replace(/\n/g, "⏎") || (text === "" ? t("live.end") : "⏎");

/** The token that a pass made, where it did. */
export function tokenOf(trip: Trip, span: Span) {
  return trip.tokens.find((token) => token.step === span.id);
}
