// Every text of the lab, by key and reading level. One JSON file a language: web/strings/<lang>.json.
//
//   t("wait.title", level)                       the text
//   t("aria.slider", level, { name, value })     placeholders filled by the caller
//
// Figures that Python worked out (data/fills.json) fill the other places; they are loaded at the first text that has one,
// and components that called t() are drawn again when they are there.
// A value is one text for all levels, or { child, student, engineer }. A language says under "lang.levels" which levels it
// speaks; at the others the page is English, and says so to screen readers.
import { signal } from "@preact/signals";
import first from "virtual:strings/first";
import { load } from "./data";

export type Level = "child" | "student" | "engineer";
export const LEVELS: readonly Level[] = ["child", "student", "engineer"];

type Entry = string | Partial<Record<Level, string>>;
type Strings = Record<string, Entry>;
export type Values = Record<string, string | number>;
/** A figure of the texts, with its wording for each level; made by roundtrip/lab/fills.py. */
export interface Fill {
  value: number;
  low: number | null;
  high: number | null;
  unit: string;
  grade: string;
  sources: string[];
  from: string;
  text: Record<Level, string>;
}

const files = import.meta.glob<{ default: Strings }>(["../../strings/*.json", "!../../strings/en.json"]);
let english: Strings = first;
let own: Strings = {};
let levels: readonly Level[] = LEVELS;
let worded: Record<string, Partial<Record<Level, string>>> = {};
let fills: Record<string, Fill> = {};
let asked = false;
/** Counts up when language or figures change; every t() reads it, so that what shows a text is drawn again. */
const turn = signal(0);

/** Languages that there are files for, English first. */
export function languages(): string[] {
  return ["en", ...Object.keys(files).map((path) => path.replace(/^.*\/|\.json$/g, ""))];
}

async function texts(lang: string): Promise<Strings> {
  const load = files[`../../strings/${lang}.json`];
  return load ? (await load()).default : {};
}

const spoken = (from: Strings): readonly Level[] => {
  const named = from["lang.levels"];
  return typeof named === "string" ? LEVELS.filter((level) => named.split(" ").includes(level)) : LEVELS;
};

/** The levels that a language speaks. */
export async function levelsOf(lang: string): Promise<readonly Level[]> {
  return spoken(await texts(lang));
}

/** Load a language, and its wording of the figures; where a text is missing, English stands. */
export async function setLanguage(lang: string, level: Level): Promise<void> {
  own = await texts(lang);
  levels = spoken(own);
  worded = Object.keys(own).length ? await load<typeof worded>(`fills.${lang}.json`).catch(() => ({})) : {};
  document.documentElement.lang = Object.keys(own).length && levels.includes(level) ? lang : "en";
  put();
}

const put = (): void => void turn.value++;

/** The text of a key at a level: the language's own where it speaks the level, else English. */
function find(key: string, level: Level): string | undefined {
  for (const from of levels.includes(level) ? [own, english] : [english]) {
    const entry = from[key];
    const text = typeof entry === "object" ? entry[level] : entry;
    if (text !== undefined) return text;
  }
  return undefined;
}

let later: Promise<void> | undefined;
/** Load what the other screens say; asked for by the first text that is not there yet, and soon after the start. */
export function loadLater(): Promise<void> {
  later ??= import("virtual:strings/later").then((rest) => {
    english = { ...first, ...rest.default };
    complete = true;
    put();
  });
  return later;
}
let complete = false;
if (typeof window !== "undefined") window.setTimeout(loadLater, 400);

/** Give the figures that fill places for which a caller gives no value. */
export function setFills(given: Record<string, Fill>): void {
  asked = true;
  fills = given;
  turn.value++;
}

/** Load the figures of the texts; called by the first text that names one. */
export async function loadFills(): Promise<Record<string, Fill>> {
  asked = true;
  setFills(await load<Record<string, Fill>>("fills.json"));
  return fills;
}

/** Be called when language or figures change; returns the way to leave. */
export function onStrings(call: () => void): () => void {
  return turn.subscribe(call);
}

export function has(key: string): boolean {
  void turn.value;
  if (!complete) void loadLater();
  return key in english;
}

/** A text with its braces. */
export function raw(key: string, level: Level): string {
  return find(key, level) ?? "";
}

/** The text of a key at a level. A key without text shows itself in brackets, so that it is seen and mended. */
export function t(key: string, level: Level = "student", values: Values = {}): string {
  void turn.value;
  const text = find(key, level);
  if (text === undefined) {
    if (complete) return `[${key}]`;
    void loadLater();
    return "";
  }
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const given = values[name];
    if (given !== undefined) return String(given);
    if (!asked) loadFills().catch(() => undefined);
    return (levels.includes(level) && worded[name]?.[level]) || (fills[name]?.text[level] ?? "…");
  });
}

/** All keys that begin so, in the order of the file: keys("question.") and the like. */
export function keys(prefix: string): string[] {
  void turn.value;
  return Object.keys(english).filter((key) => key.startsWith(prefix));
}
