/** What a screen reader hears when a result changes: at most one sentence a second, the last one wins. */
import { signal } from "@preact/signals";

export const spoken = signal("");
let last = 0;
let waiting = 0;

export function announce(text: string): void {
  const now = Date.now();
  window.clearTimeout(waiting);
  const rest = Math.max(250, 1000 - (now - last));
  waiting = window.setTimeout(() => {
    last = Date.now();
    spoken.value = text;
  }, rest);
}
