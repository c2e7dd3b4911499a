// Reads what Python made. In the single file each set stands in the page itself; elsewhere it is fetched once.

import type { AuditRow, Energy, Lab, Models, Source, Span, Stage, Term, Trace, Word } from "./types";

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

export const loadLab = (): Promise<Lab> => load("lab.json");
/** A trip as it is stored: of spans that are those of the trip `base`, only what differs. */
type Stored = Omit<Trace, "spans"> & { base?: string; spans: (string | (Partial<Span> & { id: string }))[] };

const trips = new Map<string, Promise<Trace>>();

async function readTrip(preset: string): Promise<Trace> {
  const [stored, sources] = await Promise.all([load<Stored>(`trips/${preset}.json`), loadSources()]);
  const base = stored.base ? await loadTrip(stored.base) : null;
  const known = new Map(base?.spans.map((span) => [span.id, span]));
  const spans = stored.spans.map((own) => {
    const { id } = typeof own === "string" ? { id: own } : own;
    return { ...known.get(id), ...(typeof own === "string" ? {} : own) } as Span;
  });
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
let stages: Promise<Record<string, Stage>> | null = null;
/** The stages; the meaning of each parameter comes from the glossary. */
export const loadStages = (): Promise<Record<string, Stage>> => {
  stages ??= Promise.all([load<Record<string, Stage>>("stages.json"), loadGlossary()]).then(([found, glossary]) => {
    for (const stage of Object.values(found))
      for (const made of stage.functions)
        made.parameters = (made.parameters as unknown as string[]).map((name) => {
          const term = glossary[name];
          return { name, symbol: term?.plain ?? "", unit: term?.unit ?? "", meaning: term?.meaning ?? "" };
        });
    return found;
  });
  stages.catch(() => (stages = null));
  return stages;
};
export const loadAudit = (): Promise<AuditRow[]> => load("audit.json");
export const loadSources = (): Promise<Record<string, Source>> => load("sources.json");
export const loadGlossary = (): Promise<Record<string, Term>> => load("glossary.json");
export const loadModels = (): Promise<Models> => load("models.json");
export const loadWord = (): Promise<Word> => load("word.json");
export const loadEnergy = (): Promise<Energy> => load("energy.json");
