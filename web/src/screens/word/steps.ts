/** What stands at the things in the seven pictures. Numbers come from `word.json`. */
import { si } from "../../core/units";
import type { Fact, Word, WordStep } from "../../core/types";
import type { Say } from "../../shell/text";
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

/** Texts of a step's picture; a child reads them without figures that need a unit. */
export function labelsOf(step: number, word: Word, say: Say, child = false): readonly Label[] {
  const prompt = say("word.prompt");
  const answer = say("word.answer");
  const of = (n: number, key: string): Fact => word.steps[n - 1]!.numbers[key]!;
  const count = (n: number, key: string) => Math.round(of(n, key).value).toLocaleString("en-US");
  const layers = of(7, "layers").value;
  const middle = Math.floor(layers / 2);
  const plain = layers - of(3, "moe_layers").value;
  switch (step) {
    case 1:
      return [
        { at: "line", name: say("word.label.1.line"), text: say("carrier.moving charge"), side: "above", phone: true },
        { at: "chip", name: say("word.label.1.chip", { power: si(of(1, "chip_W").value, "W") }), text: say("word.label.1.chip.text", { server: si(of(1, "server_W").value, "W") }), side: "below", dy: 62, phone: true },
        { at: "hot", name: say("word.label.1.hot"), text: say("word.label.1.hot.text"), side: "above", dx: -14, dy: -148 },
        { at: "cool", name: say("word.label.1.cool"), text: say("word.label.1.cool.text"), side: "below", dy: 74, dx: -6 },
        { at: "vapor", name: say("word.label.1.vapor"), ...(child ? {} : { text: si(of(1, "water_usage_L_kWh").value, "L/kWh", 2) }), side: "above", dy: -6, phone: true },
      ];
    case 2:
      return [
        { at: "table", name: say("word.label.2.table"), text: say("word.label.2.table.text", { rows: count(2, "vocabulary") }), side: "above", dx: 40, dy: -10, phone: true },
        { at: "row", name: say("word.label.2.row"), side: "right", dx: 40, dy: -30 },
        { at: "left", name: say("word.label.2.left", { width: count(2, "width") }), text: say("word.label.2.left.text"), side: "below", dx: 60, dy: 40, phone: true },
      ];
    case 4:
      return [
        { at: "look", name: say("word.label.4.look"), text: say("word.label.4.look.text"), side: "above", dy: -30, phone: true },
        { at: "inn", name: say("word.label.4.inn"), side: "left", dx: -26, dy: 40 },
        { at: "field", name: say("word.label.4.field"), text: say("word.label.4.field.text"), side: "below", dy: 34, phone: true },
        { at: "out", name: say("word.label.4.out"), side: "right", dx: 30, dy: 20 },
      ];
    case 5:
      return [
        { at: "stack", name: say("word.label.5.stack"), text: say("word.label.5.stack.text", { rate: si(of(5, "bandwidth_B_s").value, "B/s") }), side: "above", dy: -40, phone: true },
        { at: "chip", name: say("word.label.5.chip"), text: say("word.label.5.chip.text", { time: si(of(5, "sums_s").value, "s") }), side: "above", dx: 66, dy: -165 },
        { at: "reader", name: say("word.label.5.reader"), text: say("word.label.5.reader.text"), side: "below", dy: 34, phone: true },
      ];
    case 6:
      return [
        { at: "paris", name: `… ${answer}`, side: "right", dx: 6, dy: -8, spoken: true },
        { at: "field", name: say("word.label.6.field", { scores: count(6, "scores") }), text: say("word.label.6.field.text"), side: "below", dx: 70, dy: 44, phone: true },
        { at: "other", name: say("word.label.6.other"), text: say("word.label.6.other.text"), side: "above", dx: -30, dy: -70, phone: true },
      ];
    case 7:
      return [
        { at: "out", name: `… ${answer}`, side: "left", dx: -10, dy: -12, spoken: true },
        { at: "in", name: `${prompt}`, side: "left", dx: -8, dy: 12, spoken: true },
        { at: "top", name: say("word.label.7.top", { layers: count(7, "layers") }), text: say("word.label.7.top.text"), side: "left", dy: 60, phone: true },
        { at: "round", name: say("word.label.7.round"), text: say("word.label.7.round.text"), side: "left", dx: -22, dy: 0, phone: true },
      ];
    default:
      return [
        { at: "out", name: `… ${answer}`, side: "right", dx: 8, dy: -6, spoken: true },
        { at: "in", name: prompt, side: "below", dx: 0, dy: 6, spoken: true },
        { at: "top", name: say("word.label.3.top", { first: middle + 2, last: layers }), side: "left", dx: -22, dy: 60 },
        { at: "expert", name: say("word.label.3.expert", { picked: count(3, "picked_experts"), experts: count(3, "experts") }), text: say("word.label.3.expert.text"), side: "right", dx: 60, dy: -70, phone: true },
        { at: "opened", name: say("word.label.3.opened", { number: middle + 1 }), text: say("word.label.3.opened.text"), side: "left", dx: -16, dy: -30, phone: true },
        { at: "shared", name: say("word.label.3.shared", { count: count(3, "shared_experts") }), text: say("word.label.3.shared.text"), side: "left", dx: -24, dy: 30 },
        { at: "plain", name: say("word.label.3.plain", { count: plain }), text: say("word.label.3.plain.text"), side: "left", dx: -24, dy: 24 },
      ];
  }
}
