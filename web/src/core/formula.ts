// Evaluates the generated closed forms: with values of the reader's own, and with samples for a band.
// The equations stand in `src/generated` and were printed from the Python functions; none is typed here.

import type { FormulaInput } from "./types";

export type Values = Record<string, number>;

export interface Module {
  name: string;
  inputs: Record<string, FormulaInput>;
  outputs: readonly string[];
  evaluate(values: Values): Values;
}

export interface Spread {
  low: number;
  median: number;
  high: number;
}

type Quantile = (figure: FormulaInput, uniform: number, normal: number) => number;

interface Levels {
  uniform: readonly number[];
  normal: readonly number[];
  quantile: Quantile;
}

/** A number from a text: the FNV-1a hash. */
function hash(text: string): number {
  let state = 2166136261;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16777619);
  return state >>> 0;
}

/** An order of 0 to count - 1 that depends on a name alone (Fisher and Yates, with the mulberry generator). */
function order(name: string, count: number): Uint16Array {
  const made = Uint16Array.from({ length: count }, (_, i) => i);
  let state = hash(name);
  for (let i = count - 1; i > 0; i--) {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    const j = ((z ^ (z >>> 14)) >>> 0) % (i + 1);
    const kept = made[i]!;
    made[i] = made[j]!;
    made[j] = kept;
  }
  return made;
}

export class Formula {
  readonly name: string;
  readonly outputs: readonly string[];
  readonly inputs: Record<string, FormulaInput>;
  private readonly run: (values: Values) => Values;
  private readonly levels: Levels;
  private readonly samples = new Map<string, { of: FormulaInput; values: Float64Array }>();

  constructor(module: Module, levels: Levels) {
    this.name = module.name;
    this.inputs = { ...module.inputs };
    this.outputs = module.outputs;
    this.run = module.evaluate;
    this.levels = levels;
  }

  /** Replaces figures of inputs, as another entry of the catalog in one slot does. */
  with(figures: Record<string, FormulaInput>): this {
    for (const [key, figure] of Object.entries(figures)) if (key in this.inputs) this.inputs[key] = figure;
    return this;
  }

  /** All outputs, with the values given here instead of the catalog's. */
  evaluate(overrides: Values = {}): Values {
    const values: Values = {};
    for (const key in this.inputs) values[key] = this.inputs[key]!.value;
    return this.run(Object.assign(values, overrides));
  }

  /** p5, median and p95 of every output; what is overridden does not spread. */
  band(overrides: Values = {}): Record<string, Spread> {
    const count = this.levels.uniform.length;
    const values: Values = {};
    const moving: [string, Float64Array][] = [];
    for (const key in this.inputs) {
      const figure = this.inputs[key]!;
      values[key] = figure.value;
      if (!(key in overrides) && figure.low < figure.high) moving.push([key, this.draw(key, figure)]);
    }
    Object.assign(values, overrides);
    const drawn = new Map(this.outputs.map((name) => [name, new Float64Array(count)]));
    for (let i = 0; i < count; i++) {
      for (const [key, samples] of moving) values[key] = samples[i]!;
      const made = this.run(values);
      for (const [name, into] of drawn) into[i] = made[name]!;
    }
    const at = (sorted: Float64Array, level: number): number => sorted[Math.min(Math.floor(level * count), count - 1)]!;
    const bands: Record<string, Spread> = {};
    for (const [name, samples] of drawn) {
      samples.sort();
      bands[name] = { low: at(samples, 0.05), median: at(samples, 0.5), high: at(samples, 0.95) };
    }
    return bands;
  }

  private draw(key: string, figure: FormulaInput): Float64Array {
    const kept = this.samples.get(key);
    if (kept?.of === figure) return kept.values;
    const { uniform, normal, quantile } = this.levels;
    const places = order(`${figure.spread}/${figure.cause || key}`, uniform.length);
    const values = Float64Array.from(places, (place) => quantile(figure, uniform[place]!, normal[place]!));
    this.samples.set(key, { of: figure, values });
    return values;
  }
}

/** Loads a formula by its name: `concept`, or a preset. */
export async function loadFormula(name: string): Promise<Formula> {
  const [{ formulas }, levels] = await Promise.all([import("../generated/index.js"), import("../generated/levels.js")]);
  const found = formulas[name];
  if (!found) throw new Error(`no formula ${name}`);
  return new Formula((await found()) as Module, levels as Levels);
}
