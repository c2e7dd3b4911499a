/** Trips one under the other on one axis of time, linear or logarithmic. */
import { scaleLinear, scaleLog } from "d3-scale";
import type { Carrier } from "../core/types";
import { short, tick as tickText } from "./numbers";
import { fill, fresh, Hatch } from "./paint";
import { measure, useWidth } from "./width";

export interface Lane {
  readonly key: string;
  readonly title: string;
  readonly parts: readonly { readonly key: string; readonly name: string; readonly carrier: Carrier; readonly start: number; readonly value: number }[];
  readonly first: number;
  readonly end: number;
}

const hatch = fresh("lane");
const ROW = 66;

export function Lanes({ lanes, scale, title, firstName }: { lanes: readonly Lane[]; scale: "linear" | "log"; title: string; firstName: string }) {
  const [ref, width] = useWidth<HTMLDivElement>(1200);
  const most = Math.max(...lanes.map((lane) => lane.end));
  const least = Math.min(...lanes.flatMap((lane) => lane.parts.map((part) => part.start + part.value))) / 2;
  const right = width - 64;
  const axis = scale === "log" ? scaleLog([least, most], [0, right]).clamp(true) : scaleLinear([0, most], [0, right]);
  const x = (value: number) => (scale === "log" ? axis(Math.max(value, least)) : axis(value));
  const height = lanes.length * ROW + 24;
  const ticks = scale === "log" ? [1e-3, 1e-2, 0.1, 1, 10, 100].filter((v) => v >= least && v <= most) : axis.ticks(width < 600 ? 4 : 8);
  return (
    <div ref={ref}>
      <svg class="chart lanes" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
        <defs>
          <Hatch id={hatch} />
        </defs>
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="rule" x1={x(tick)} x2={x(tick)} y1="18" y2={height - 18} />
            <text class="m s" x={x(tick)} y={height - 3} text-anchor={tick === 0 ? "start" : "middle"}>
              {tickText(tick, "s")}
            </text>
          </g>
        ))}
        {lanes.map((lane, i) => {
          const y = i * ROW;
          const firstLabel = `${firstName} ${short(lane.first, "s")}`;
          const at = x(lane.first);
          let named = 0;
          return (
            <g key={lane.key}>
              <text class="halo" x="0" y={y + 13}>
                {lane.title}
              </text>
              {lane.parts.map((part) => {
                const from = x(part.start);
                const wide = Math.max(0.6, x(part.start + part.value) - from);
                const text = `${part.name} ${short(part.value, "s")}`;
                const fits = wide > 22 && from >= named && from + measure(text, 12) < width && (wide > measure(text, 12) * 0.55 || part.key === "decode");
                if (fits) named = from + measure(text, 12) + 12;
                return (
                  <g key={part.key}>
                    <rect x={from} y={y + 22} width={Math.max(0.6, wide - (wide > 3 ? 1 : 0))} height="24" fill={fill(part.carrier, hatch)}>
                      <title>{text}</title>
                    </rect>
                    {fits && (
                      <text class="m s halo" x={from} y={y + 60}>
                        {text}
                      </text>
                    )}
                  </g>
                );
              })}
              <line class="mark" x1={at} x2={at} y1={y + 17} y2={y + 50} stroke-width="1.5" style={{ stroke: "var(--fg)" }} />
              <text class="halo" {...label(at, measure(firstLabel), measure(lane.title), width, y)}>
                <tspan class="m">{firstName}</tspan> {short(lane.first, "s")}
              </text>
              <text x={x(lane.end) + 8} y={y + 38.5}>
                {short(lane.end, "s")}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** Beside its line where it fits there, else behind the title, else at the right under the bar. */
function label(at: number, wide: number, title: number, width: number, y: number) {
  const start = Math.max(at + 5, title + 20);
  if (start + wide <= width) return { x: start, y: y + 13, "text-anchor": "start" as const };
  return { x: width, y: y + 60, "text-anchor": "end" as const };
}
