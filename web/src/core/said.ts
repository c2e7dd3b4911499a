/**
 * A figure in the words of the reader's level: "11 ms", or to a child "11 thousandths of a second". The words stand in
 * web/strings (keys `said` and `number`); roundtrip/lab/worded.py says the same in the figures of the texts.
 */
import { short } from "../charts/numbers";
import { digits, si } from "./units";
import type { Level } from "./strings";

type Say = (key: string, values?: Record<string, string>) => string;

const NBSP = "\u00a0";
const SPANS: readonly (readonly [number, string])[] = [
  [31_557_600, "year"],
  [86_400, "day"],
  [60 * 60, "hour"],
  [60, "minute"],
  [1, "second"],
];
const SMALL: readonly (readonly [number, string])[] = [
  [1e-3, "thousandths"],
  [1e-6, "millionths"],
  [1e-9, "billionths"],
];
const LARGE: readonly (readonly [number, string])[] = [
  [1e12, "trillion"],
  [1e9, "billion"],
  [1e6, "million"],
];
const UNITS = new Set(["m", "J", "W", "L", "B", "B/s"]);

const trim = (number: string): string => (number.includes(".") ? number.replace(/\.?0+$/, "") : number);
const grouped = (value: number, size: number): string => Number(value.toPrecision(size)).toLocaleString("en-US", { maximumFractionDigits: 0 });

/** A number with the language's decimal mark and separator of thousands. */
export function plain(t: Say, number: string): string {
  const [point, comma] = [t("number.decimal"), t("number.group")];
  return point === "." ? number : number.replace(/[.,]/g, (sign) => (sign === "." ? point : comma));
}

/** The words of a key, with the number kept on their line. */
const words = (t: Say, key: string, number: string): string => t(key, { n: `${number}\0` }).replace("\0 ", NBSP).replace("\0", "");

function count(t: Say, value: number): string {
  for (const [factor, name] of LARGE)
    if (Math.abs(value) >= factor * 0.9995) return `${plain(t, trim(digits(value / factor, 2)))}${NBSP}${t(`number.${name}`)}`;
  return plain(t, Math.abs(value) < 100 ? trim(digits(value, 2)) : grouped(value, 2));
}

const named = (t: Say, number: string, name: string): string => words(t, `said.${name}${number === "1" ? "" : "s"}`, plain(t, number));

function small(t: Say, value: number, unit: string): string {
  for (const [factor, part] of SMALL) if (value >= factor) return words(t, `said.${unit}.${part}`, plain(t, trim(digits(value / factor, 2))));
  return plain(t, si(value, unit, 2));
}

function time(t: Say, value: number): string {
  if (value === 0 || (value >= 0.1 && value < 60)) return named(t, trim(digits(value, 2)), "second");
  for (const [factor, name] of SPANS) {
    const part = value / factor;
    if (part >= 1) return named(t, part >= 100 ? grouped(part, 3) : trim(digits(part, 2)), name);
  }
  return small(t, value, "s");
}

/** A figure for a child in words, for all others in units: `said(t, 0.011, "s", "child")`. */
export function said(t: Say, value: number, unit: string, level: Level): string {
  if (level !== "child") return plain(t, short(value, unit));
  if (unit === "share") return words(t, "said.share", String(Math.round(value * 100)));
  if (unit === "1" || unit === "token") return count(t, value);
  if (unit === "s") return time(t, value);
  if (unit === "m" && value >= 1e4) return words(t, "said.km", plain(t, grouped(value / 1e3, 2)));
  if (!UNITS.has(unit)) return plain(t, short(value, unit));
  if (value < 0.1 && unit.startsWith("B")) return plain(t, si(value, unit, 2));
  return value < 0.1 ? small(t, value, unit) : words(t, `said.${unit}`, count(t, value));
}
