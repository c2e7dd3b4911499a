/**
 * Numbers as they are shown. What is physical was worked out by Python; here two numbers are at most set in relation,
 * for a sentence or for the length of a bar.
 */
import { parts, si, digits } from "../core/units";

/** How many times as large. */
export const ratio = (a: number, b: number): number => (b === 0 ? Infinity : a / b);
/** Which share of the whole, 0 to 1. */
export const share = (part: number, whole: number): number => (whole === 0 ? 0 : Math.min(1, Math.max(0, part / whole)));
/** By how much two numbers differ. */
export const apart = (a: number, b: number): number => Math.abs(a - b);
/** What the parts leave of the whole. */
export const rest = (whole: number, ...taken: readonly number[]): number => Math.max(0, taken.reduce((left, each) => left - each, whole));
/** The whole of parts. */
export const whole = (...taken: readonly number[]): number => taken.reduce((sum, each) => sum + each, 0);

/** A share as people say it: 97%, near the ends with one digit more: 99.6%, 0.4%. */
export const percent = (value: number): string => {
  const hundred = value * 100;
  if (hundred > 99 && hundred < 99.95) return `${hundred.toFixed(1)}%`;
  if (hundred >= 0.05 && hundred < 1) return `${hundred.toFixed(1)}%`;
  return `${Math.round(hundred)}%`;
};
/** "3.6", "12", "1,200": with two digits, for "times". */
export const times = (value: number): string => (value >= 9.95 ? digits(Number(value.toPrecision(2)), 4).replace(/\.0+$/, "") : digits(value, 2));

/** Two significant digits, three from a hundred on: "145 ms", "4.3 s", "50 ms". For headlines and labels. */
export function brief(value: number, unit: string): { number: string; unit: string } {
  const made = parts(value, unit, 2);
  const three = parts(value, unit, 3);
  if (made.unit !== three.unit) return three;
  const size = Number(three.number.replace(/,/g, ""));
  return size >= 100 ? { number: three.number.replace(/\.\d+$/, ""), unit: three.unit } : made;
}

/** A value at a tick of an axis, which is round: "1 s", "0.5 s". */
export function tick(value: number, unit: string): string {
  if (value === 0) return "0";
  const made = parts(value, unit, 3);
  const number = made.number.includes(".") ? made.number.replace(/0+$/, "").replace(/\.$/, "") : made.number;
  return made.unit ? `${number}${NBSP}${made.unit}` : number;
}

const NBSP = "\u00a0";
export function short(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return si(value, unit);
  if (value === 0) return unit === "1" ? "0" : `0${NBSP}${unit}`;
  const made = brief(value, unit);
  return made.unit ? `${made.number}${NBSP}${made.unit}` : made.number;
}

const RAISED: Record<string, string> = {
  "⁻": "−", "⁰": "0", "¹": "1", "²": "2", "³": "3", "⁴": "4", "⁵": "5", "⁶": "6", "⁷": "7", "⁸": "8", "⁹": "9",
};

/** A text whose raised digits are set as raised text: the fonts have only some of them. */
export function Raised({ text }: { readonly text: string }) {
  const pieces = text.split(/([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/);
  if (pieces.length === 1) return <>{text}</>;
  return (
    <>
      {pieces.map((piece, i) => (i % 2 === 1 ? <sup key={i}>{[...piece].map((c) => RAISED[c] ?? c).join("")}</sup> : piece))}
    </>
  );
}

/** The same inside a drawing. */
export function RaisedSpan({ text }: { readonly text: string }) {
  const pieces = text.split(/([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/);
  if (pieces.length === 1) return <>{text}</>;
  return (
    <>
      {pieces.map((piece, i) =>
        i % 2 === 1 ? (
          <tspan key={i} dy="-0.38em" font-size="72%">
            {[...piece].map((c) => RAISED[c] ?? c).join("")}
          </tspan>
        ) : piece === "" ? null : (
          <tspan key={i} dy={i > 0 ? "0.274em" : undefined}>
            {piece}
          </tspan>
        ),
      )}
    </>
  );
}

/** A number with its unit in smaller type: for the one big number of a screen. */
export function Numeral({ value, unit, class: name = "big", count }: { value: number; unit: string; class?: string; count?: number }) {
  const made = count ? parts(value, unit, count) : brief(value, unit);
  return (
    <span class={name}>
      <Raised text={made.number} />
      {made.unit && <small>{NBSP}{made.unit}</small>}
    </span>
  );
}
