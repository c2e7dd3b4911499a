/** What stands at the things in the seven pictures. Numbers come from `word.json`. */
import { si } from "../../core/units";
import type { Fact, Word, WordStep } from "../../core/types";
import type { Label } from "./picture3d";

/** The questions of the picker in the page's order: the key of the text, the number in the data. */
export const QUESTIONS: readonly (readonly [string, number])[] = [
  ["first_word", 1], ["electricity", 2], ["numbers", 3], ["model", 4], ["sums", 5], ["memory", 6], ["pick", 7], ["loop", 8], ["scarce", 9],
];

const NUMBER_OF: Readonly<Record<number, string>> = {
  1: "chip_W", 2: "width", 3: "active_parameters", 4: "flop", 5: "read_s", 6: "scores", 7: "rate_token_s",
};

/** The number that the step is about. */
export function main(step: WordStep): Fact {
  return step.numbers[NUMBER_OF[step.number] ?? ""] ?? Object.values(step.numbers)[0]!;
}

export function labelsOf(step: number, word: Word, prompt: string, answer: string): readonly Label[] {
  const of = (n: number, key: string): Fact => word.steps[n - 1]!.numbers[key]!;
  const count = (n: number, key: string) => Math.round(of(n, key).value).toLocaleString("en-US");
  const layers = of(7, "layers").value;
  const middle = Math.floor(layers / 2);
  const plain = layers - of(3, "moe_layers").value;
  switch (step) {
    case 1:
      return [
        { at: "line", name: "Electricity in", text: "moving charge", side: "above", phone: true },
        { at: "chip", name: `${si(of(1, "chip_W").value, "W")} a chip`, text: `eight in a drawer: ${si(of(1, "server_W").value, "W")}`, side: "below", dy: 62, phone: true },
        { at: "hot", name: "Heat out", text: "all of it", side: "above", dy: -58 },
        { at: "cool", name: "Cool water back", text: "the loop", side: "below", dy: 66, dx: 30 },
        { at: "vapor", name: "Water leaves as vapor", text: `${si(of(1, "water_usage_L_kWh").value, "L/kWh", 2)}`, side: "above", dy: -6, phone: true },
      ];
    case 2:
      return [
        { at: "table", name: "A table, learned once", text: `${count(2, "vocabulary")} rows at rest`, side: "above", dx: 40, dy: -10, phone: true },
        { at: "row", name: "The row of “ is”", side: "right", dx: 40, dy: -30 },
        { at: "left", name: `One token: ${count(2, "width")} numbers`, text: "every one drawn as a bar", side: "below", dx: 60, dy: 40, phone: true },
      ];
    case 4:
      return [
        { at: "look", name: "Each token looks back", text: "thicker: it matters more", side: "above", dy: -30, phone: true },
        { at: "inn", name: "your numbers", side: "left", dx: -26, dy: 40 },
        { at: "field", name: "times the model’s numbers", text: "a field of multipliers", side: "below", dy: 34, phone: true },
        { at: "out", name: "added up", side: "right", dx: 30, dy: 20 },
      ];
    case 5:
      return [
        { at: "stack", name: "Memory, stacked", text: `at rest; ${si(of(5, "bandwidth_B_s").value, "B/s")} to the chip`, side: "above", dy: -40, phone: true },
        { at: "chip", name: "The calculators wait", text: `${si(of(5, "sums_s").value, "s")} of sums`, side: "above", dx: 66, dy: -165 },
        { at: "reader", name: "You, and others in the batch", text: "share one read", side: "below", dy: 34, phone: true },
      ];
    case 6:
      return [
        { at: "paris", name: `… ${answer}`, side: "right", dx: 6, dy: -8, spoken: true },
        { at: "field", name: `${count(6, "scores")} scores`, text: "every one drawn as a dot", side: "below", dx: 70, dy: 44, phone: true },
        { at: "other", name: "others were possible", text: "taller: more likely", side: "above", dx: -30, dy: -70, phone: true },
      ];
    case 7:
      return [
        { at: "out", name: `… ${answer}`, side: "left", dx: -10, dy: -12, spoken: true },
        { at: "in", name: `${prompt}`, side: "left", dx: -8, dy: 12, spoken: true },
        { at: "top", name: `${count(7, "layers")} layers`, text: "for each token", side: "left", dy: 60, phone: true },
        { at: "round", name: "The new token goes in", text: "and all runs again", side: "left", dx: -22, dy: 0, phone: true },
      ];
    default:
      return [
        { at: "out", name: `… ${answer}`, side: "right", dx: 8, dy: -6, spoken: true },
        { at: "in", name: prompt, side: "below", dx: 0, dy: 6, spoken: true },
        { at: "top", name: `layers ${middle + 2} to ${layers}`, side: "left", dx: -22, dy: 60 },
        { at: "expert", name: `${count(3, "picked_experts")} of ${count(3, "experts")}`, text: "experts at work", side: "right", dx: 60, dy: -70, phone: true },
        { at: "opened", name: `layer ${middle + 1}`, text: "opened", side: "left", dx: -16, dy: -30, phone: true },
        { at: "shared", name: `${count(3, "shared_experts")} shared expert`, text: "always on", side: "left", dx: -24, dy: 30 },
        { at: "plain", name: `first ${plain} layers`, text: "no experts: all used", side: "left", dx: -24, dy: 24 },
      ];
  }
}
