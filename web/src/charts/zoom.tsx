/**
 * How long a stage is beside the whole wait, in true proportion: a bar of the wait with the stage in it, and, where that is too
 * thin to see, a bar that enlarges its surroundings, as often as it takes.
 */
import { scaleLinear } from "d3-scale";
import type { Carrier } from "../core/types";
import { short, times } from "./numbers";
import { fill, fresh, Hatch } from "./paint";
import { measure, useWidth } from "./width";

export interface ZoomProps {
  readonly start: number;
  readonly value: number;
  readonly whole: number;
  readonly carrier: Carrier;
  readonly name: string;
  readonly wholeName: string;
  readonly title: string;
  readonly larger: (times: string) => string;
}

const ids = { hatch: fresh("zh"), shade: fresh("zs") };
const STEP = 76;
const BAR = 22;

export function Zoom({ start, value, whole, carrier, name, wholeName, title, larger }: ZoomProps) {
  const [ref, width] = useWidth<HTMLDivElement>(600);
  const levels: { from: number; to: number; factor: number }[] = [{ from: 0, to: whole, factor: 1 }];
  // Each level enlarges so far that the stage takes a good part of the bar, at most a thousand times at once.
  for (let i = 0; i < 6; i++) {
    const last = levels[levels.length - 1]!;
    const span = last.to - last.from;
    if (value / span > 0.02 || value <= 0) break;
    const next = Math.max(span / 1000, value * 2.5);
    const from = Math.max(0, Math.min(start + value / 2 - next / 2, whole - next));
    levels.push({ from, to: from + next, factor: whole / next });
  }
  const height = levels.length * STEP + 6;
  return (
    <div ref={ref}>
      <svg class="chart zoom" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
        <defs>
          <Hatch id={ids.hatch} />
          <linearGradient id={ids.shade} x1="0" x2="0" y1="0" y2="1">
            <stop offset="0" stop-color="var(--fg)" stop-opacity="0.13" />
            <stop offset="1" stop-color="var(--fg)" stop-opacity="0.03" />
          </linearGradient>
        </defs>
        {levels.map((level, i) => {
          const y = 18 + i * STEP;
          const x = scaleLinear([level.from, level.to], [0, width]);
          const a = Math.max(0, x(start));
          const wide = Math.max(1, Math.min(width, x(start + value)) - a);
          const next = levels[i + 1];
          const last = !next;
          const text = `${name} ${short(value, "s")}`;
          const end = a + measure(text) > width;
          return (
            <g key={i}>
              <text class="m s" x="0" y={y - 6}>
                {i === 0 ? `${wholeName} ${short(whole, "s")}` : larger(times(level.factor))}
              </text>
              <rect x="0.5" y={y + 0.5} width={width - 1} height={BAR - 1} fill="var(--raise)" stroke="var(--control)" />
              {next && (
                <path d={`M${x(next.from)} ${y + BAR}H${Math.max(x(next.to), x(next.from) + 0.6)}L${width} ${y + STEP - 1}H0Z`} fill={`url(#${ids.shade})`} />
              )}
              <rect x={a} y={y} width={wide} height={BAR} fill={fill(carrier, ids.hatch)} />
              {last && (
                <text class="halo" x={end ? Math.min(width, a + wide) : a} y={y + BAR + 17} text-anchor={end ? "end" : "start"}>
                  {text}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}
