// What roundtrip/lab/live.py makes of a measured answer, and what the page measures.
import type { Carrier, Trace } from "../../core/types";

export const PARTS = ["ask", "way", "line", "read", "write", "back", "show", "gap"] as const;
export type PartName = (typeof PARTS)[number];

/** A part of the way that decides, recorded and forecast. */
export interface Part {
  part: PartName;
  carrier: Carrier;
  start_s: number;
  recorded_s: number;
  share: number;
  forecast_start_s: number;
  forecast_s: number | null;
  ratio: number | null;
}

export interface Clock {
  ahead_s: number;
  error_s: number;
  rounds: number;
  fastest_s: number | null;
  bounds: number;
  agrees: boolean;
}

/** A token of the answer; its times are seconds after the key press. */
export interface Token {
  text: string;
  logprob: number | null;
  probability: number | null;
  top: { text: string; probability: number }[];
  made_s: number | null;
  read_s: number | null;
  painted_s: number | null;
  step: string | null;
}

export interface Line {
  first_s: number | null;
  whole_s: number;
  rate_token_s: number | null;
  prompt_tokens: number | null;
  output_tokens: number | null;
  cached_tokens: number;
  told: boolean;
  finish: string;
}

export interface ModelCard {
  name: string;
  parameters: number;
  license: string;
}

export interface Trip {
  trace: Trace;
  /** Ids of the spans that decide, first to last. */
  path: string[];
  measured_s: number;
  path_s: number;
  unattributed_s: number;
  unattributed_share: number;
  /** Between the finger and the key press: a forecast. */
  lead_s: number;
  parts: Part[];
  forecast_s: number | null;
  /** Measured over forecast. */
  ratio: number | null;
  clock: Clock | null;
  tokens: Token[];
  line: Line;
  model: ModelCard;
  recorded: { date: string; processor: string; cores: number; system: string; browser: string } | null;
  finish: string;
}

export interface Message {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** When somebody pressed the key or the button, and when the page heard of it. */
export interface Press {
  readonly key_ms: number;
  readonly handle_ms: number;
  readonly by: "key" | "pointer";
}

/** The page's own measurement; the server joins its own to it. Times are milliseconds of `performance.now()`. */
export interface Raw extends Press {
  schema: "roundtrip.live/1";
  trace_id: string;
  span_id: string;
  unix_ms: number;
  prompt: string;
  answer: string;
  call_ms: number;
  resource: Record<string, number>;
  reads: [number, number][];
  commits: [number, number, number][];
  frames: [number, number, number][];
  clock: [number, number, number, number][];
  tokens: [string, number, [string, number][], number][];
  spans: unknown[];
  usage: unknown;
  finish: string;
  browser: string;
}
