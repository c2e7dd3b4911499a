// Numbers for people, as `roundtrip/trace/numbers.py` writes them: three digits, SI prefixes, a no-break space.

const NBSP = "\u00a0";
const PREFIXES: [number, string][] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
  [1, ""],
  [1e-3, "m"],
  [1e-6, "µ"],
  [1e-9, "n"],
  [1e-12, "p"],
  [1e-15, "f"],
  [1e-18, "a"],
];
// Units that take a prefix, each with the largest that people use: no kiloseconds, no megameters.
const SCALED: Record<string, number> = {
  s: 1,
  m: 1e3,
  "m/s": 1e3,
  g: 1e3,
  L: 1,
  J: 1e12,
  W: 1e12,
  Hz: 1e12,
  B: 1e12,
  bit: 1e12,
  "bit/s": 1e12,
  "B/s": 1e12,
  flop: 1e12,
  "flop/s": 1e12,
  C: 1,
  V: 1e3,
  A: 1e3,
  ohm: 1e6,
  F: 1,
  N: 1e3,
};
const CENT = 0.01;
const SHOWN: Record<string, string> = { "m/s2": "m/s²", m2: "m²", "cd/m2": "cd/m²", ohm: "Ω", deg: "°", "1": "" };
const SUPERSCRIPTS: Record<string, string> = {
  "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹",
};

const grouped = (value: number): string => Math.round(value).toLocaleString("en-US");

/** A value with so many significant digits and no exponent: 4.31, 45.0, 145, 4310. */
export function digits(value: number, count = 3): string {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "?";
  const size = Math.abs(value);
  if (size >= 999.5) return size >= 9999.5 ? grouped(value) : value.toFixed(0);
  const rounded = Number(value.toExponential(count - 1));
  const places = count - 1 - Math.floor(Math.log10(Math.abs(rounded)));
  return rounded.toFixed(Math.min(Math.max(places, 0), 100));
}

/** The factor and the prefix that bring a value between 1 and 1000. */
export function scale(value: number, unit: string): [number, string] {
  const largest = SCALED[unit];
  if (largest === undefined || value === 0 || !Number.isFinite(value)) return [1, ""];
  const size = Number(Math.abs(value).toExponential(2));
  for (const [factor, prefix] of PREFIXES) if (factor <= largest && size >= factor * (1 - 1e-12)) return [factor, prefix];
  return [1e-18, "a"];
}

/** 3.1·10¹⁵ */
export function powerOfTen(value: number, count = 2): string {
  if (value === 0 || !Number.isFinite(value)) return digits(value);
  const [mantissa = "", exponent = "0"] = value.toExponential(count - 1).split("e");
  const power = `10${[...String(Number(exponent))].map((c) => SUPERSCRIPTS[c] ?? c).join("")}`;
  return mantissa === "1" || mantissa === "1.0" ? power : `${mantissa}·${power}`;
}

export interface Parts {
  number: string;
  unit: string;
}

/** A value in two parts, for numerals with a smaller unit: { number: "45.0", unit: "ms" }. */
export function parts(value: number | null | undefined, unit: string, count = 3): Parts {
  if (value === null || value === undefined) return { number: "–", unit: "" };
  if (unit === "USD") {
    if (value === 0 || Math.abs(value) >= CENT) return { number: `$${digits(value, count)}`, unit: "" };
    const cents = value / CENT;
    return { number: Math.abs(cents) >= 1e-4 ? digits(cents, count) : powerOfTen(cents), unit: "¢" };
  }
  if (SCALED[unit] === undefined) {
    const size = Math.abs(value);
    return {
      number: value === 0 || (size >= 1e-4 && size < 1e6) ? digits(value, count) : powerOfTen(value),
      unit: SHOWN[unit] ?? unit,
    };
  }
  const [factor, prefix] = scale(value, unit);
  const scaled = Math.abs(value) / factor;
  if (value !== 0 && !(scaled >= 1e-3 && scaled < 1e5)) return { number: powerOfTen(value), unit: SHOWN[unit] ?? unit };
  return { number: digits(value / factor, count), unit: prefix + (SHOWN[unit] ?? unit) };
}

/** A value with its unit and prefix: 4.31 s, 45.0 ms, 12.3 kJ; a dash where there is none. */
export function si(value: number | null | undefined, unit: string, count = 3): string {
  const made = parts(value, unit, count);
  return made.unit ? `${made.number}${NBSP}${made.unit}` : made.number;
}

function short(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (!(size >= 5e-4 && size < 99_950)) return powerOfTen(value, 1);
  return size < 100 ? digits(value, 2) : digits(value, 3);
}

/** A band in the prefix of its value: 31–310; empty where it has no width. */
export function band(low: number, high: number, value: number, unit: string): string {
  if (low === high) return "";
  const factor = unit === "USD" && Math.abs(value) < CENT ? CENT : scale(value, unit)[0];
  return `${short(low / factor)}–${short(high / factor)}`;
}

const NAMES: Record<string, [string, string]> = {
  s: ["second", "seconds"],
  J: ["joule", "joules"],
  W: ["watt", "watts"],
  m: ["meter", "meters"],
  g: ["gram", "grams"],
  L: ["liter", "liters"],
  B: ["byte", "bytes"],
  bit: ["bit", "bits"],
  token: ["token", "tokens"],
  "token/s": ["token a second", "tokens a second"],
};
const PREFIX_NAMES: Record<string, string> = {
  T: "tera", G: "giga", M: "mega", k: "kilo", "": "", m: "milli", "µ": "micro", n: "nano", p: "pico", f: "femto", a: "atto",
};

/** A value as it is spoken, for `aria-valuetext`: "50.0 milliseconds". */
export function spoken(value: number, unit: string, count = 3): string {
  const [factor, prefix] = scale(value, unit);
  const names = NAMES[unit];
  if (!names) return si(value, unit, count).replace(NBSP, " ");
  const number = digits(value / factor, count);
  return `${number} ${PREFIX_NAMES[prefix] ?? ""}${number === "1" || number === "1.00" ? names[0] : names[1]}`;
}

/** Joules of a watt-hour, the unit in which energies of a request are published. */
export const J_PER_WH = 3600;
