/**
 * The state of the lab: one object, kept in the address.
 *
 * `#/wait?km=4500&level=child` is a screen, its parameters and the reader's level. Whatever a screen wants to keep
 * (sliders, a step, a moment of the tour) it writes into `params`; so every state can be linked, copied and reloaded.
 * Shortcuts and motion belong to the person, not to the link: they stay on the machine (local storage where allowed).
 */
import { signal, type Signal } from "@preact/signals";

export type Theme = "auto" | "dark" | "light";
export type Level = "child" | "student" | "engineer";

export interface LabState {
  /** The first part of the address: journey, wait, word, energy, compare, facts, sheet, stage, live, fleet, carry. */
  readonly screen: string;
  /** What follows the screen in the address: the stage's name in `#/stage/optics.fiber`. Empty otherwise. */
  readonly path: string;
  /** The screen's own parameters, as text. */
  readonly params: Readonly<Record<string, string>>;
  readonly theme: Theme;
  readonly level: Level;
  readonly lang: string;
  /** Single keys work as shortcuts. */
  readonly shortcuts: boolean;
  /** False when motion is unwanted: cut instead of moving. */
  readonly motion: boolean;
  /** Without header and footer, for a frame in another page (`embed=1`). */
  readonly embed: boolean;
}

export type Patch = Partial<LabState>;
export type SetLab = (patch: Patch) => void;
export interface ScreenProps {
  readonly state: LabState;
  readonly set: SetLab;
}

export const SCREENS = ["journey", "wait", "word", "energy", "compare", "facts", "sheet", "stage", "live", "fleet", "carry"] as const;
export const LEVELS: readonly Level[] = ["child", "student", "engineer"];
const THEMES: readonly Theme[] = ["auto", "dark", "light"];
const SHARED = ["theme", "level", "lang", "embed"] as const;

function stored(key: string): string | null {
  try {
    return localStorage.getItem(`roundtrip.${key}`);
  } catch {
    return null;
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(`roundtrip.${key}`, value);
  } catch {
    // A page without storage (a file, a strict browser) forgets; nothing else depends on it.
  }
}

function one<T extends string>(value: string | null | undefined, allowed: readonly T[], otherwise: T): T {
  return allowed.includes(value as T) ? (value as T) : otherwise;
}

/** Read an address; what it does not say comes from `before`. */
export function parse(hash: string, before: LabState): LabState {
  const [where = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [first = "", ...rest] = where.split("/");
  const known = (SCREENS as readonly string[]).includes(first);
  const params: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(query)) params[key] = value;
  const state: LabState = {
    ...before,
    screen: first === "" ? "journey" : known ? first : "missing",
    path: rest.map(decode).join("/"),
    theme: one(params["theme"], THEMES, before.theme),
    level: one(params["level"], LEVELS, before.level),
    lang: /^[a-z]{2}(-[A-Za-z]+)?$/.test(params["lang"] ?? "") ? (params["lang"] as string) : before.lang,
    embed: "embed" in params ? params["embed"] === "1" : before.embed,
    params: {},
  };
  for (const key of SHARED) delete params[key];
  return { ...state, params };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a state: the shared settings only where they differ from the usual ones. */
export function address(state: LabState): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(state.params)) if (value !== "") query.set(key, value);
  if (state.theme !== "auto") query.set("theme", state.theme);
  if (state.level !== "student") query.set("level", state.level);
  if (state.lang !== "en") query.set("lang", state.lang);
  if (state.embed) query.set("embed", "1");
  const path = state.path === "" ? "" : "/" + state.path.split("/").map(encodeURIComponent).join("/");
  const text = query.toString().replace(/%2C/g, ",").replace(/%3A/g, ":");
  return `#/${state.screen === "journey" && path === "" ? "" : state.screen}${path}${text === "" ? "" : `?${text}`}`;
}

function wantsLessMotion(): boolean {
  return typeof matchMedia === "function" && matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function first(): LabState {
  const usual: LabState = {
    screen: "journey",
    path: "",
    params: {},
    theme: one(stored("theme"), THEMES, "auto"),
    level: one(stored("level"), LEVELS, "student"),
    lang: stored("lang") ?? "en",
    shortcuts: stored("shortcuts") !== "off",
    motion: stored("motion") === null ? !wantsLessMotion() : stored("motion") === "on",
    embed: false,
  };
  return parse(typeof location === "undefined" ? "" : location.hash, usual);
}

export const lab: Signal<LabState> = signal(first());

let written = "";
let pending = 0;

function write(push: boolean): void {
  const next = address(lab.peek());
  if (next === written) return;
  written = next;
  window.clearTimeout(pending);
  if (push) {
    commit(next, true);
  } else {
    // A slider moves faster than a browser lets an address change: the last value wins.
    pending = window.setTimeout(() => commit(next, false), 160);
  }
}

function commit(next: string, push: boolean): void {
  try {
    history[push ? "pushState" : "replaceState"](null, "", next);
  } catch {
    location.hash = next;
  }
}

/** Change the state. A change of screen makes a step in the browser's history; a change of parameters does not. */
export const setLab: SetLab = (patch) => {
  const before = lab.peek();
  const moved =
    (patch.screen !== undefined && patch.screen !== before.screen) ||
    (patch.path !== undefined && patch.path !== before.path);
  const next: LabState = {
    ...before,
    ...(patch.screen !== undefined && patch.screen !== before.screen ? { path: "", params: {} } : {}),
    ...patch,
  };
  lab.value = next;
  if (patch.theme !== undefined) store("theme", next.theme);
  if (patch.level !== undefined) store("level", next.level);
  if (patch.lang !== undefined) store("lang", next.lang);
  if (patch.shortcuts !== undefined) store("shortcuts", next.shortcuts ? "on" : "off");
  if (patch.motion !== undefined) store("motion", next.motion ? "on" : "off");
  write(moved);
};

/** Merge parameters into the present ones; an empty text removes one. */
export function setParams(patch: Readonly<Record<string, string>>): void {
  const params = { ...lab.peek().params, ...patch };
  for (const [key, value] of Object.entries(params)) if (value === "") delete params[key];
  setLab({ params });
}

/** The address of another screen that keeps the reader's theme, level and language. */
export function link(screen: string, path = "", params: Readonly<Record<string, string>> = {}): string {
  return address({ ...lab.peek(), screen, path, params });
}

/** The whole address of this very state, for copying. */
export function fullLink(): string {
  return location.href.replace(/#.*$/, "") + address(lab.peek());
}

export function useLab(): [LabState, SetLab] {
  return [lab.value, setLab];
}

if (typeof window !== "undefined") {
  const read = () => {
    if (location.hash === written) return;
    written = location.hash;
    lab.value = parse(location.hash, { ...lab.peek(), embed: false });
  };
  window.addEventListener("hashchange", read);
  window.addEventListener("popstate", read);
}
