// Reads what Python made. In the single file each set stands in the page itself; elsewhere it is fetched once.

import type { AuditRow, Energy, EnergyOfTrip, Lab, Range, Source, Span, Stage, StageFunction, Term, Trace, TruthRow, Whose, Word } from "./types";

const kept = new Map<string, Promise<unknown>>();

function read<T>(path: string): Promise<T> {
  const element = document.getElementById(`data/${path}`);
  if (element?.textContent) return Promise.resolve(JSON.parse(element.textContent) as T);
  return fetch(`./data/${path}`).then((answer) => {
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
    return answer.json() as Promise<T>;
  });
}

/** Returns a data set, read once; a set that could not be read is tried again the next time. */
export function load<T>(path: string): Promise<T> {
  let found = kept.get(path) as Promise<T> | undefined;
  if (!found) {
    found = read<T>(path);
    kept.set(path, found);
    found.catch(() => kept.delete(path));
  }
  return found;
}

/** What is made of data sets when it is first asked for; what failed is tried again the next time. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    made.catch(() => (made = null));
    return made;
  };
}

/** The same keys, with something made of each value. */
export const mapped = <A, B>(all: Record<string, A>, one: (value: A, key: string) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(all).map(([key, value]) => [key, one(value, key)]));

export const loadLab = (): Promise<Lab> => load("lab.json");
type Columns = Record<string, unknown[]>;
/** Rows from a column for each field. */
function rows<T>(columns: Columns): T[] {
  const fields = Object.entries(columns);
  return (fields[0]?.[1] ?? []).map((_, n) => Object.fromEntries(fields.map(([field, values]) => [field, values[n]])) as T);
}

/** A trip as it is stored: where a span has what the same span of the trip `base` has, there stands SAME. */
type Stored = Omit<Trace, "spans"> & { base?: string; spans: Columns };
const SAME = "=";
const BAND = ["low", "median", "high", "median_low", "median_high", "slow"] as const;
const ENDS = ["low", "high"] as const;

/** A band is stored as its numbers: the ends alone, or all six. */
function bandOf(numbers: readonly number[]): Range {
  const names = numbers.length === ENDS.length ? ENDS : BAND;
  return Object.fromEntries(names.map((name, n) => [name, numbers[n]])) as unknown as Range;
}

function spanOf(own: Record<string, unknown>, base: Span | undefined): Span {
  const kept = Object.entries(own).filter(([, value]) => value !== SAME);
  const made = { ...base, ...Object.fromEntries(kept) } as Span;
  if (own["bands"] !== SAME) made.bands = mapped(own["bands"] as Record<string, number[]>, bandOf);
  return made;
}

const trips = new Map<string, Promise<Trace>>();

async function readTrip(preset: string): Promise<Trace> {
  const [stored, sources] = await Promise.all([load<Stored>(`trips/${preset}.json`), loadSources()]);
  const base = stored.base ? await loadTrip(stored.base) : null;
  const known = new Map(base?.spans.map((span) => [span.id, span]));
  const spans = rows<Record<string, unknown>>(stored.spans).map((own) => spanOf(own, known.get(own["id"] as string)));
  const keys = new Set(spans.flatMap((span) => span.sources));
  const cited = [...keys].sort().flatMap((key) => {
    const source = sources[key];
    return source ? [[key, { title: source.title, year: source.year, url: source.url }] as const] : [];
  });
  return { ...stored, spans, sources: Object.fromEntries(cited) };
}

/** The trip of a preset. */
export function loadTrip(preset: string): Promise<Trace> {
  let found = trips.get(preset);
  if (!found) {
    found = readTrip(preset);
    trips.set(preset, found);
    found.catch(() => trips.delete(preset));
  }
  return found;
}
/** The stages as they are stored: a stage says how many functions and rows of truth are its own. */
type StageStored = Omit<Stage, "functions" | "truth"> & { functions: number; truth: number };
type FunctionStored = Omit<StageFunction, "parameters"> & { parameters: string[] };
/** The stages; the meaning of each parameter comes from the glossary. */
export const loadStages = once(async (): Promise<Record<string, Stage>> => {
  const [stored, glossary] = await Promise.all([load<Record<"stages" | "functions" | "truth", Columns>>("stages.json"), loadGlossary()]);
  const truth = rows<TruthRow>(stored.truth);
  const functions = rows<FunctionStored>(stored.functions).map((made) => ({
    ...made,
    parameters: made.parameters.map((name) => {
      const term = glossary[name];
      return { name, symbol: term?.plain ?? "", unit: term?.unit ?? "", meaning: term?.meaning ?? "" };
    }),
  }));
  const own = rows<StageStored>(stored.stages).map((stage) => ({
    ...stage,
    functions: functions.splice(0, stage.functions),
    truth: truth.splice(0, stage.truth),
  }));
  return Object.fromEntries(own.map((stage) => [stage.name, stage]));
});
export const loadAudit = (): Promise<AuditRow[]> => load("audit.json");
/** The sources that the lab names. */
export const loadSources = once(async (): Promise<Record<string, Source>> => {
  const rows = await load<Record<string, [title: string, authors: string, year: number, url: string]>>("sources.json");
  return mapped(rows, ([title, authors, year, url], key) => ({ key, title, authors, year, url }));
});
/** What the parameters of the stages, the knobs and the lengths are called. */
export const loadGlossary = once(async (): Promise<Record<string, Term>> => {
  const rows = await load<Record<string, [plain: string, unit: string, meaning: string, high: number]>>("glossary.json");
  return mapped(rows, ([plain, unit, meaning, high], name) => ({ name, plain, unit, meaning, high }));
});
export const loadWord = (): Promise<Word> => load("word.json");
/** The accounts as they are stored: carbon and water of each grid stand in rows of their own, in the order of `grids`. */
type EnergyStored = Omit<Energy, "presets"> & {
  grids: { key: string; title: string }[];
  presets: Record<string, Omit<EnergyOfTrip, "grids"> & { grids: Record<Whose, [carbon: number[], water: number[]]> }>;
};
export const loadEnergy = once(async (): Promise<Energy> => {
  const stored = await load<EnergyStored>("energy.json");
  const presets = mapped(stored.presets, (own) => {
    const of = (whose: Whose, n: number): [number, number] => [own.grids[whose][0][n] ?? 0, own.grids[whose][1][n] ?? 0];
    return { ...own, grids: stored.grids.map((grid, n) => ({ ...grid, site: of("site", n), person: of("person", n), both: of("both", n) })) };
  });
  return { ...stored, presets };
});
