// Every text of the lab, by key and reading level. One JSON file a language: web/strings/<lang>.json.
//
//   t("wait.title", level)                       the text
//   t("aria.slider", level, { name, value })     placeholders filled by the caller
//   setFills(await fills())                      figures that Python worked out (data/fills.json) fill the rest
//
// A value is one text for all levels, or { child, student, engineer }.
import english from "../../strings/en.json";

export type Level = "child" | "student" | "engineer";
export const LEVELS: readonly Level[] = ["child", "student", "engineer"];

type Entry = string | Record<Level, string>;
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
let strings: Strings = english as Strings;
let fills: Record<string, Fill> = {};
const listeners = new Set<() => void>();

/** Languages that there are files for, English first. */
export function languages(): string[] {
  return ["en", ...Object.keys(files).map((path) => path.replace(/^.*\/|\.json$/g, ""))];
}

/** Load a language; where a key is missing, English stands. */
export async function setLanguage(lang: string): Promise<void> {
  const load = files[`../../strings/${lang}.json`];
  strings = load ? { ...(english as Strings), ...(await load()).default } : (english as Strings);
  document.documentElement.lang = load ? lang : "en";
  listeners.forEach((call) => call());
}

/** Give the figures that fill placeholders for which a caller gives no value. */
export function setFills(given: Record<string, Fill>): void {
  fills = given;
  listeners.forEach((call) => call());
}

/** Be called when language or figures change; returns the way to leave. */
export function onStrings(call: () => void): () => void {
  listeners.add(call);
  return () => listeners.delete(call);
}

export function has(key: string): boolean {
  return key in strings;
}

/** The text of a key at a level. A key without text shows itself in brackets, so that it is seen and mended. */
export function t(key: string, level: Level = "student", values: Values = {}): string {
  const entry = strings[key];
  if (entry === undefined) return `[${key}]`;
  const text = typeof entry === "string" ? entry : entry[level];
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const given = values[name];
    if (given !== undefined) return String(given);
    return fills[name]?.text[level] ?? "…";
  });
}

/** All keys that begin so, in the order of the file: keys("question.") and the like. */
export function keys(prefix: string): string[] {
  return Object.keys(strings).filter((key) => key.startsWith(prefix));
}
