/**
 * Shortcuts. A screen lists its keys; the shell adds its own, runs them, and shows them all under `?`.
 * Single keys can be switched off, never fire while someone types or works a control that uses the key itself,
 * and each has a visible button somewhere.
 */
import { useEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals";
import { lab } from "./state";

export interface Shortcut {
  /** `KeyboardEvent.key`: "s", "?", "ArrowLeft", "[", " ". */
  readonly key: string;
  /** How the help shows it, where the key's own name is not plain. */
  readonly shown?: string;
  /** What it does, in a few words. */
  readonly does: string;
  /** Return false to let the browser have the key. */
  readonly run: (event: KeyboardEvent) => void | false;
  /** Only while this element (or one inside it) has focus: arrows that rotate, Space that spins. */
  readonly within?: () => Element | null | undefined;
  /** Not shown in the help (a second name of the same key). */
  readonly hidden?: boolean;
}

export const shortcuts = signal<readonly Shortcut[]>([]);

/** Offers keys while the component is there. What a key does is always taken from the latest drawing. */
export function useKeys(list: readonly Shortcut[], deps: readonly unknown[] = []): void {
  const latest = useRef(list);
  latest.current = list;
  useEffect(() => {
    const offered = list.map((each, i): Shortcut => ({
      ...each,
      run: (event) => latest.current[i]?.run(event),
      ...(each.within ? { within: () => latest.current[i]?.within?.() } : {}),
    }));
    shortcuts.value = [...shortcuts.peek(), ...offered];
    return () => {
      shortcuts.value = shortcuts.peek().filter((each) => !offered.includes(each));
    };
  }, deps as unknown[]);
}

function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  return target instanceof HTMLInputElement && !["range", "checkbox", "radio", "button"].includes(target.type);
}

/** Keys that a focused control needs for itself. */
function taken(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const moves = key.startsWith("Arrow") || key === "Home" || key === "End" || key === "PageUp" || key === "PageDown";
  if (target instanceof HTMLInputElement && (target.type === "range" || target.type === "radio")) return moves || key === " ";
  if (target.closest("[role=slider],[role=tablist],[role=radiogroup],[role=listbox]")) return moves || key === " ";
  return key === " " && target.closest("a,button,summary,input") !== null;
}

export function onKey(event: KeyboardEvent): void {
  if (!lab.peek().shortcuts || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]") || typing(event.target) || taken(event.target, event.key)) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  for (const each of [...shortcuts.peek()].reverse()) {
    if (each.key !== key) continue;
    if (each.within) {
      const place = each.within();
      if (!place || !(event.target instanceof Node) || !place.contains(event.target)) continue;
    }
    if (each.run(event) !== false) event.preventDefault();
    return;
  }
}
