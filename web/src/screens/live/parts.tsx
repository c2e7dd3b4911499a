/** Where the time went: the way that decides as one bar, recorded above, forecast below, in the same proportion. */
import { scaleLinear } from "d3-scale";
import { short } from "../../charts/numbers";
import { fill, fresh, Hatch, hue } from "../../charts/paint";
import { measure, useWidth } from "../../charts/width";
import type { Say } from "../../shell/text";
import type { Part, Trip } from "./types";

const hatch = fresh("lp");
const BAR = 20;
const STEP = 40;

interface Piece {
  readonly part: Part;
  readonly from: number;
  readonly value: number;
}

export function Parts({ trip, t, title }: { readonly trip: Trip; readonly t: Say; readonly title: string }) {
  const [ref, width] = useWidth<HTMLDivElement>(800);
  const rows: { key: "recorded" | "forecast"; whole: number; pieces: Piece[] }[] = [
    { key: "recorded", whole: trip.measured_s, pieces: trip.parts.map((part) => ({ part, from: part.start_s, value: part.recorded_s })) },
  ];
  if (trip.forecast_s !== null)
    rows.push({ key: "forecast", whole: trip.forecast_s, pieces: trip.parts.map((part) => ({ part, from: part.forecast_start_s, value: part.forecast_s ?? 0 })) });
  const most = Math.max(...rows.map((row) => row.whole));
  const tail = Math.max(...rows.map((row) => measure(`${t(`live.bars.${row.key}`)} ${short(row.whole, "s")}`))) + 14;
  const x = scaleLinear([0, most], [0, Math.max(120, width - tail)]);
  const height = rows.length * STEP;
  return (
    <div ref={ref}>
      <svg class="chart parts" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
        <defs>
          <Hatch id={hatch} />
        </defs>
        {rows.map((row, i) => {
          const y = i * STEP + 16;
          let edge = 0;
          return (
            <g key={row.key}>
              {row.pieces.map(({ part, from, value }) => {
                const a = x(from);
                const wide = x(from + value) - a;
                if (value <= 0) return null;
                const texts = [`${t(`live.part.${part.part}`)} ${short(value, "s")}`, t(`live.part.${part.part}`)];
                const text = a >= edge && wide > 4 ? texts.find((each) => measure(each, 12) <= Math.max(wide, wide > 12 ? 60 : 0)) : undefined;
                if (text) edge = a + measure(text, 12) + 10;
                return (
                  <g key={part.part}>
                    {part.part === "gap" ? (
                      <rect class="gap" x={a} y={y + 0.5} width={Math.max(wide, 0.8)} height={BAR - 1} />
                    ) : row.key === "recorded" ? (
                      <rect x={a} y={y} width={Math.max(wide > 3 ? wide - 1 : wide, 0.8)} height={BAR} fill={fill(part.carrier, hatch)} />
                    ) : (
                      <rect x={a + 0.5} y={y + 0.5} width={Math.max(wide - 1.5, 0.6)} height={BAR - 1} fill={fill(part.carrier, hatch)} fill-opacity="0.3" stroke={hue(part.carrier)} />
                    )}
                    {text && (
                      <text class="s" x={a} y={y - 4}>
                        {text}
                      </text>
                    )}
                  </g>
                );
              })}
              <text x={x(row.whole) + 8} y={y + BAR / 2 + 4.5}>
                <tspan class="m">{t(`live.bars.${row.key}`)}</tspan> {short(row.whole, "s")}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
