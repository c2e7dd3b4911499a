// What roundtrip/lab/own.py says of a prompt.
export interface OwnToken {
  id: number;
  text: string;
  /** Hexadecimal. */
  bytes: string;
  merges: [string, string][];
  norm: number;
  first: number[];
  cache_B: number;
  near: [string, number][];
}

export interface Glance {
  layer: number;
  weights: number[];
  sink: number;
  head: number;
  at: number;
  weight: number;
}

export interface Guess {
  layer: number;
  text: string;
  best: number;
  rank: number;
  probability: number;
}

export interface Own {
  prompt: string;
  form: "text" | "chat";
  model: { name: string; file: string; parameters: number; layers: number; width: number; heads: number; vocabulary: number; context: number; file_B: number; license: string };
  tokens: OwnToken[];
  glances: Glance[];
  guesses: Guess[];
  top: { text: string; probability: number }[];
  picked: string;
  entropy_nat: number;
  settled_layer: number;
  cache_token_B: number;
  wall_s: number;
  recorded?: { date: string; processor: string; cores: number; system: string };
}
