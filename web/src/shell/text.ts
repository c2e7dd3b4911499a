/** The texts at the reader's level: `const t = useText(); t("wait.title")`. Draws again when the language changes. */
import { computed, signal } from "@preact/signals";
import { loadFills } from "./fills";
import { onStrings, setFills, setLanguage, t as at, type Values } from "../core/strings";
import { lab, type Level } from "./state";

const version = signal(0);
// Only a change of level draws texts again, not each step of a slider.
const level = computed(() => lab.value.level);
onStrings(() => {
  version.value = version.peek() + 1;
});

export type Say = (key: string, values?: Values) => string;

export function useText(): Say {
  void version.value;
  const now = level.value;
  return (key, values = {}) => at(key, now, values);
}

let spoken = "en child";

/** Load the language of the address, and its figures in the texts. */
export function followLanguage(lang: string, at: Level): void {
  const asked = `${lang} ${at}`;
  if (asked === spoken || (lang === "en" && spoken.startsWith("en "))) return;
  spoken = asked;
  void setLanguage(lang, at);
}

export function loadTexts(): void {
  loadFills().then(setFills, () => undefined);
}
