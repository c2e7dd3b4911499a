/**
 * The wait worked out in full: the closed form of a whole trip, with other entries of the catalog in its slots.
 * A choice that changes the way itself (another kind of keyboard, of attention) needs the closed form that was printed for
 * these words; where none was, the choice is not offered here.
 */
import { load, mapped, once } from "../../core/data";
import { loadFormula, type Formula, type Values } from "../../core/formula";
import type { CatalogEntry, FormulaInput, Lab, Preset } from "../../core/types";
import type { Asked } from "./served";

export interface Swaps {
  readonly slots: Record<string, Record<string, CatalogEntry>>;
  readonly words: Record<string, Record<string, string>>;
  /** Length of each trip's cable, one way. */
  readonly cables: Record<string, number>;
}
/** As it is stored: a figure is a row, whose places `fields` names. */
type Stored = Omit<Swaps, "slots"> & {
  fields: string[];
  slots: Record<string, Record<string, Omit<CatalogEntry, "figures"> & { figures: Record<string, unknown[]> }>>;
};
export const loadSwaps = once(async (): Promise<Swaps> => {
  const stored = await load<Stored>("swaps.json");
  const figure = (row: unknown[]) => Object.fromEntries(stored.fields.map((name, i) => [name, row[i]])) as unknown as FormulaInput;
  return { ...stored, slots: mapped(stored.slots, (entries) => mapped(entries, (entry, key) => ({ ...entry, key, figures: mapped(entry.figures, figure) }))) };
});

const DETOUR = "network.route.detour_m";
export const HANDOVER = "datacenter.site.handover_s";
const ENDS = ["latitude_deg", "longitude_deg"] as const;

/** What "more" offers, with the name of its parameter in the address. */
export const SLOTS = [
  ["model.name", "model"],
  ["model.accelerator", "chip"],
  ["network.access", "access"],
  ["keyboard.board", "keys"],
  ["display.panel", "screen"],
] as const;

export type Choices = Readonly<Record<string, string>>;

/** Things that only make sense together: a model with the way it is served, a board with its switch, a screen with its type. */
function companions(slot: string, entry: string, lab: Lab, swaps: Swaps): Record<string, string> {
  if (slot === "model.name") {
    const serving = Object.entries(swaps.slots["model.serving"] ?? {}).find(([, e]) => e.texts["of_model"] === entry);
    if (serving) return { "model.serving": serving[0], "model.accelerator": serving[1].texts["on_accelerator"] ?? "" };
  }
  if (slot === "model.accelerator") {
    return {};
  }
  const preset = lab.presets.find((each) => each.way === "full" && each.choices[slot] === entry);
  if (slot === "keyboard.board") return { "keyboard.switch": preset?.choices["keyboard.switch"] ?? "" };
  if (slot === "display.panel") return { "display.font": preset?.choices["display.font"] ?? "" };
  return {};
}

/** All choices of a trip: the preset's, and the reader's on top. */
export function choose(preset: Preset, own: Choices, lab: Lab, swaps: Swaps): Record<string, string> {
  const made: Record<string, string> = { ...preset.choices };
  for (const [slot] of SLOTS) {
    const entry = own[slot];
    if (!entry || entry === preset.choices[slot]) continue;
    made[slot] = entry;
    for (const [other, value] of Object.entries(companions(slot, entry, lab, swaps))) if (value && !own[other]) made[other] = value;
  }
  return made;
}

/** The preset whose closed form stands for these choices; the trip's own first. */
export function formulaFor(preset: Preset, choices: Choices, lab: Lab, swaps: Swaps): string | null {
  const fits = (name: string): boolean => {
    const base = lab.presets.find((each) => each.key === name);
    return Object.entries(swaps.words[name] ?? {}).every(([key, word]) => {
      const cut = key.lastIndexOf(".");
      // A slot of words has its choice itself as its word; a slot of entries has texts.
      if (key in choices) return choices[key] === word;
      const slot = key.slice(0, cut);
      const entry = swaps.slots[slot]?.[choices[slot] ?? ""];
      if (entry) return entry.texts[key.slice(cut + 1)] === word;
      return choices[slot] === base?.choices[slot];
    });
  };
  const names = [preset.key, ...lab.presets.filter((each) => each.way === "full").map((each) => each.key)];
  return names.find(fits) ?? null;
}

/** The closed form with the figures of these choices. */
export async function prepare(preset: Preset, own: Choices, lab: Lab, swaps: Swaps): Promise<Formula | null> {
  const choices = choose(preset, own, lab, swaps);
  const name = formulaFor(preset, choices, lab, swaps);
  if (name === null) return null;
  const formula = await loadFormula(name);
  if (name !== preset.key) {
    // What the trip has and the lender of the form has not: its places, its glass.
    const home = await loadFormula(preset.key);
    formula.with(home.inputs);
  }
  for (const [slot, entry] of Object.entries(choices)) {
    const figures = swaps.slots[slot]?.[entry]?.figures;
    if (!figures || (entry === preset.choices[slot] && name === preset.key)) continue;
    const own: Record<string, FormulaInput> = {};
    for (const [field, figure] of Object.entries(figures)) own[`${slot}.${field}`] = figure;
    formula.with(own);
  }
  return formula;
}

/** Whether the length of a trip's cable can be set: a way through the gateways of a sea has the cables that lie there. */
export const hasCable = (preset: Preset, swaps: Swaps): boolean => swaps.words[preset.key]?.["network.route.course"] === "direct";

/** A cable of so many meters: the reader sits beside the building, and all of the cable is what does not depend on that. */
export function cableOf(formula: Formula, length_m: number): Values {
  const places = ENDS.map((end) => [`network.place.${end}`, formula.inputs[`network.region.${end}`]?.value ?? 0] as const);
  return { ...Object.fromEntries(places), [DETOUR]: length_m };
}

/** A queue of so many seconds: what the load alone makes of it, and the rest as a later hand-over. */
export function queueOf(formula: Formula, given: Values, queue_s: number): Values {
  const usual_s = formula.inputs[HANDOVER]?.value ?? 0;
  const own_s = formula.evaluate(given)["queue_s"] ?? 0;
  return { [HANDOVER]: Math.max(0, usual_s + queue_s - own_s) };
}

/** The same trip as a question for the server. */
export function questionOf(preset: Preset, choices: Choices, swaps: Swaps, given: Values, tokens: number, queue_s: number | null): Asked {
  const set: Record<string, string | number> = {};
  for (const [slot, entry] of Object.entries(choices)) if (entry !== preset.choices[slot]) set[slot] = entry;
  for (const [key, value] of Object.entries(given)) if (key !== HANDOVER && !key.startsWith("prompt.text.")) set[key] = value;
  const bytes = swaps.slots["model.name"]?.[choices["model.name"] ?? ""]?.figures["bytes_per_token_B"]?.value ?? 1;
  const usual_s = swaps.slots["datacenter.site"]?.[choices["datacenter.site"] ?? ""]?.figures["handover_s"]?.value ?? 0;
  return { scenario: preset.key, set, prompt: "a".repeat(Math.max(1, Math.round(tokens * bytes))), queue_s, handover_s: usual_s };
}

/** A prompt of so many tokens has so many bytes, with the bytes that a token of this model stands for. */
export function promptOf(formula: Formula, tokens: number): Values {
  const each = formula.inputs["model.name.bytes_per_token_B"]?.value;
  return each === undefined ? {} : { "prompt.text.bytes_B": Math.max(1, Math.round(tokens * each)) };
}
