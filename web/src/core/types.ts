// The data that Python makes (`python -m roundtrip.lab.data`): one type for each file.

export type Carrier = "moving charge" | "photons" | "stored charge" | "waiting" | "heat" | "motion" | "chemistry";
export type Grade = "measured" | "derived" | "datasheet" | "estimate";
export type Head = "marginal" | "allocated" | "always_on";

/** p5 to p95 of everything; the median's band (ignorance alone); p99 of trips in the median world. */
export interface Band {
  low: number;
  median: number;
  high: number;
  median_low: number;
  median_high: number;
  slow: number;
}

/** p5 and p95; the rest stands for durations, energies and the summary only. */
export type Range = Pick<Band, "low" | "high"> & Partial<Band>;

/** A number made for a screen: what it is, how sure, from where. */
export interface Fact {
  value: number;
  low: number;
  high: number;
  unit: string;
  grade: Grade;
  basis: "computed" | "looked-up" | "tested" | "none";
  sources: string[];
  title: string;
  note: string;
}

export interface Since {
  year: number;
  what: string;
}

export interface Span {
  id: string;
  parent: string | null;
  after: string[];
  lag_s: number;
  name: string;
  title: string;
  start_s: number;
  duration_s: number;
  energy_J: number | null;
  energy_heads_J: Partial<Record<Head, number>>;
  carrier: Carrier;
  electrons: number | null;
  photons: number | null;
  bytes_in: number | null;
  bytes_out: number | null;
  reading: string;
  grade: Grade;
  sources: string[];
  since: Since | null;
  attributes: Record<string, number | string>;
  bands: Record<string, Range>;
}

export interface ScenarioWords {
  name: string;
  title: string;
  sentence: string;
  way: "full" | "concept";
  choices: Record<string, string>;
  values: Record<string, string>;
}

export interface Trace {
  schema: string;
  reading: string;
  prompt: string;
  answer: string | null;
  scenario: ScenarioWords;
  samples: number;
  summary: Record<string, number | Record<Head, number>>;
  summary_bands: Record<string, Band>;
  algebra: Record<string, Record<string, unknown>>;
  spans: Span[];
  sources: Record<string, { title: string; year: number; url: string }>;
}

export interface Preset {
  key: string;
  title: string;
  sentence: string;
  way: "full" | "concept";
  choices: Record<string, string>;
  values: Record<string, string>;
  /** Slots that differ from the preset `cloud`. */
  changed: Record<string, string>;
  capability: { score: number; benchmark: string; model: string } | null;
}

export interface Slot {
  key: string;
  meaning: string;
  kind: string | null;
  words: string[];
  entries: { key: string; title: string }[];
}

export interface Lab {
  version: string;
  /** Changes with any number of the site. */
  hash: string;
  prompt: string;
  presets: Preset[];
  slots: Slot[];
  carriers: Record<Carrier, { dark: string; light: string; title: string }>;
  rooms: { key: string; title: string }[];
  /** Stage names in the order of the trip. */
  stages: string[];
  grades: Record<Grade, string>;
  heads: Record<Head, string>;
  /** Question sheets that are ready as PDF. */
  sheets: string[];
  /** What each figure of a summary is called, and its unit. */
  labels: Record<string, { title: string; unit: string }>;
}

export interface StageFunction {
  name: string;
  summary: string;
  /** MathML, made from the expression itself. */
  mathml: string;
  text: string;
  parameters: { name: string; symbol: string; unit: string; meaning: string }[];
}

export interface TruthRow {
  quantity: string;
  ours: number;
  published: number;
  unit: string;
  tolerance: number;
  absolute: number;
  kind: string;
  source: string;
  where: string;
}

export interface Stage {
  name: string;
  room: string;
  title: string;
  /** Markdown. */
  doc: string;
  since: Since;
  functions: StageFunction[];
  truth: TruthRow[];
  file: string;
  /** Ids of its spans in the preset `cloud`. */
  spans: string[];
  /** Inputs of the preset `cloud` that it reads: what a reader can turn. */
  knobs: string[];
}

export interface AuditRow {
  id: string;
  document: "finger-to-photon" | "round-trip" | "one-word";
  system: string;
  quantity: string;
  stated: { low: number | null; high: number | null; unit: string };
  computed: { value: number | boolean | null; low: number | null; high: number | null };
  verdict: "holds" | "off" | "ill-defined" | "none";
  basis: "computed" | "looked-up" | "tested" | "none";
  factor: number | null;
  latitude: string;
  inputs: string[];
  note: string;
}

export interface Source {
  key: string;
  title: string;
  authors: string;
  year: number;
  url: string;
}

export interface Term {
  name: string;
  unit: string;
  /** The symbol in Unicode. */
  plain: string;
  meaning: string;
  /** The most that it may be. */
  high: number;
}

/** An entry that can stand in a slot, with the figures that closed forms read. */
export interface CatalogEntry {
  key: string;
  title: string;
  texts: Record<string, string>;
  figures: Record<string, FormulaInput>;
}

export interface Paper {
  key: string;
  year: number;
  title: string;
  authors: string;
  url: string;
  why: string;
}

export interface Comparison {
  key: string;
  value: number;
  low: number;
  high: number;
  unit: string;
  grade: Grade;
  basis: string;
  sources: string[];
  /** The same as a sentence, with the number in it. */
  sentence: string;
  note: string;
}

export interface WordStep {
  number: number;
  key: string;
  title: string;
  /** Questions of the picker that this step answers. */
  questions: number[];
  numbers: Record<string, Fact & { claim: string }>;
  comparisons: Comparison[];
  papers: Paper[];
}

export interface Word {
  model: string;
  prompt: string;
  questions: { number: number; text: string; step: number }[];
  steps: WordStep[];
  word: Record<string, Fact>;
}

export interface AccountPart {
  part: string;
  place: "site" | "person";
  energy_J: number;
  energy_heads_J: Partial<Record<Head, number>>;
  water_on_site_L?: number;
  water_off_site_L?: number;
  carbon_g?: number;
  electricity_usd?: number;
  rent_usd?: number;
}

export interface Account {
  boundary: string[];
  rules: { hour_h: number | null; method: string; reservoirs: boolean; cached_share: number };
  parts: AccountPart[];
  total: Record<string, number>;
  bands: Record<string, [number, number]>;
}

export interface Reconciled {
  key: string;
  title: string;
  said: string;
  request: Record<string, unknown>;
  published_J: number;
  ours_J: number;
  low_J: number;
  high_J: number;
  formula_J: number | null;
  formula: string;
  steps: Record<"tokens" | "batch" | "machine" | "boundary", number>;
  tokens_needed: number | null;
  batch_needed: number | null;
  why: string;
  source: string;
  gap: number;
}

/** Whose electricity a grid gives. */
export type Whose = "site" | "person" | "both";

export interface EnergyOfTrip {
  /** Everything inside, by place, over the year. */
  whole: Account;
  /** For each of `totals` what it is inside every boundary: at place bits - 1, where part n of `parts` is bit n. */
  boundaries: number[][];
  /** The same joules accounted otherwise. */
  others: { account: string; carbon_g: number; water_L: number }[];
  /** Carbon by method and hour of the day, everything inside. */
  hours: Record<string, number[]>;
  /** The same trip with another grid under the site, under the person's things, or both: carbon and water. */
  grids: ({ key: string; title: string } & Record<Whose, [number, number]>)[];
}

export interface Energy {
  parts: { key: string; title: string; meaning: string }[];
  /** What each row of `boundaries` is. */
  totals: string[];
  methods: { key: string; title: string }[];
  presets: Record<string, EnergyOfTrip>;
  reconcile: { reference_J: number; cases: Reconciled[] };
}

export interface FormulaInput {
  value: number;
  low: number;
  high: number;
  unit: string;
  grade: Grade;
  source: string;
  shape: string;
  spread: string;
  cause: string;
  /** What a reader may set. */
  least: number;
  most: number;
}
