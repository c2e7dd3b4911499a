/** Each stage in both trips on one logarithmic axis: a pale dot before, a full one after, and the way between them. */
import { scaleLog } from "d3-scale";
import type { Carrier } from "../core/types";
import { Name } from "./deltas";
import { short, tick as tickText } from "./numbers";
import { hue } from "./paint";
import { measure, useWidth } from "./width";

export interface Dumbbell {
  readonly key: string;
  readonly name: string;
  readonly a: number;
  readonly b: number;
  readonly carrier: Carrier;
  readonly href?: string;
}

const TOP = 22;

export function Dumbbells({ rows, unit, title, none }: { rows: readonly Dumbbell[]; unit: string; title: string; none: string }) {
  const [ref, width] = useWidth<HTMLDivElement>(560);
  const names = Math.min(width * 0.44, Math.max(60, ...rows.map((row) => measure(row.name))) + 16);
  const values = rows.flatMap((row) => [row.a, row.b]).filter((v) => v > 0);
  const least = Math.min(...values);
  const most = Math.max(...values);
  const gone = rows.some((row) => row.a === 0 || row.b === 0);
  const left = names + (gone ? measure(none, 12) + 18 : 8);
  const x = scaleLog([least * 0.8, most * 1.25], [left, width - 6]);
  const at = (value: number) => (value > 0 ? x(value) : names + measure(none, 12) / 2);
  const ROW = rows.some((row) => measure(row.name) > names - 12) ? 35 : 25;
  const height = TOP + rows.length * ROW;
  const ticks = Array.from({ length: 21 }, (_, i) => 10 ** (i - 15)).filter((v) => v >= least * 0.8 && v <= most * 1.25);
  const every = Math.max(1, Math.ceil((ticks.length * 52) / (width - left)));
  return (
    <div ref={ref}>
      <svg class="chart" height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={title}>
        {gone && (
          <text class="m s" x={names + measure(none, 12) / 2} y="12" text-anchor="middle">
            {none}
          </text>
        )}
        {ticks.map((value, i) => (
          <g key={value}>
            <line class="rule" x1={x(value)} x2={x(value)} y1={TOP - 4} y2={height} />
            {i % every === 0 && (
              <text class="m s" x={x(value)} y="12" text-anchor={x(value) > width - 20 ? "end" : "middle"}>
                {tickText(value, unit)}
              </text>
            )}
          </g>
        ))}
        {rows.map((row, i) => {
          const y = TOP + i * ROW + ROW / 2;
          const [a, b] = [at(row.a), at(row.b)];
          return (
            <g key={row.key}>
              <Name text={row.name} width={names - 12} y={y} href={row.href} top={y - 12} />
              <line x1={a} x2={b} y1={y} y2={y} stroke={hue(row.carrier)} stroke-width="1.5" />
              <circle cx={a} cy={y} r="4" fill="var(--bg)" stroke={hue(row.carrier)} stroke-width="1.8">
                <title>{short(row.a, unit)}</title>
              </circle>
              <circle cx={b} cy={y} r="4.6" fill={hue(row.carrier)}>
                <title>{short(row.b, unit)}</title>
              </circle>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
