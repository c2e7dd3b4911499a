/** What changes from A to B, one bar a line: to the left what is saved, to the right what is added. */
import { scaleLinear } from "d3-scale";
import type { Carrier } from "../core/types";
import { short } from "./numbers";
import { fill, fresh, Hatch, hue, Pale } from "./paint";
import { measure, useWidth } from "./width";

export interface Delta {
  readonly key: string;
  readonly name: string;
  readonly a: number;
  readonly b: number;
  /** b less a, signed. */
  readonly change: number;
  readonly carrier: Carrier;
  readonly href?: string;
}

const hatch = fresh("delta");

export function Deltas({ rows, unit, title, less, more }: { rows: readonly Delta[]; unit: string; title: string; less: string; more: string }) {
  const [ref, width] = useWidth<HTMLDivElement>(560);
  const names = Math.min(width * 0.42, Math.max(60, ...rows.map((row) => measure(row.name))) + 16);
  const most = Math.max(...rows.map((row) => Math.abs(row.change)), Number.MIN_VALUE);
  const minus = rows.some((row) => row.change < 0);
  const plus = rows.some((row) => row.change > 0);
  const room = 74;
  const left = names + (minus ? room : 6);
  const right = width - (plus ? room : 6);
  const x = scaleLinear([minus ? -most : 0, plus ? most : 0], [left, Math.max(left + 20, right)]);
  const zero = x(0);
  const ROW = rows.some((row) => measure(row.name) > names - 12) ? 35 : 27;
  const height = rows.length * ROW + 26;
  return (
    <div ref={ref}>
      <svg class="chart" height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={title}>
        <defs>
          <Hatch id={hatch} />
        </defs>
        {minus && (
          <text class="m s" x={zero - 8} y="12" text-anchor="end">
            {less}
          </text>
        )}
        {plus && (
          <text class="m s" x={zero + 8} y="12">
            {more}
          </text>
        )}
        {rows.map((row, i) => {
          const y = 22 + i * ROW + (ROW - 27) / 2;
          const at = x(row.change);
          const text = `${row.change < 0 ? "−" : "+"}${short(Math.abs(row.change), unit)}`;
          return (
            <g key={row.key}>
              <Name text={row.name} width={names - 12} y={y + 8.5} href={row.href} top={y - 3} />
              <Pale x={Math.min(zero, at)} y={y + 2} width={Math.max(1, Math.abs(at - zero))} height={13} paint={fill(row.carrier, hatch)} edge={hue(row.carrier)} strength={row.change < 0 ? 0.55 : 1} />
              <text class="m" x={row.change < 0 ? at - 7 : at + 7} y={y + 13} text-anchor={row.change < 0 ? "end" : "start"}>
                {text}
              </text>
            </g>
          );
        })}
        <line class="mark" x1={zero} x2={zero} y1="18" y2={height - 2} />
      </svg>
    </div>
  );
}

/** A name on one line, or on two where it is too long for one. */
export function lines(text: string, width: number): string[] {
  if (measure(text) <= width) return [text];
  const words = text.split(" ");
  let n = words.length - 1;
  while (n > 1 && measure(words.slice(0, n).join(" ")) > width) n--;
  return [cut(words.slice(0, n).join(" "), width), cut(words.slice(n).join(" "), width)];
}

interface NameProps {
  readonly text: string;
  readonly width: number;
  readonly y: number;
  /** Where it leads, and the upper edge of what can be touched. */
  readonly href?: string | undefined;
  readonly top: number;
}

/** The name of a row, its middle at a height; a link where it leads somewhere. */
export function Name({ text, width, y, href, top }: NameProps) {
  const made = lines(text, width);
  const name = (
    <text class="lab">
      {made.map((each, i) => (
        <tspan key={i} x="0" y={y + 4.5 + (made.length === 1 ? 0 : i * 15 - 7.5)}>
          {each}
        </tspan>
      ))}
    </text>
  );
  if (!href) return name;
  return (
    <a href={href}>
      <rect x="0" y={top} width={width + 4} height="24" fill="transparent" />
      {name}
    </a>
  );
}

/** A text that fits, with an ellipsis where it was cut. */
export function cut(text: string, width: number): string {
  if (measure(text) <= width) return text;
  let n = text.length - 1;
  while (n > 1 && measure(`${text.slice(0, n).trimEnd()}…`) > width) n--;
  return `${text.slice(0, n).trimEnd()}…`;
}
