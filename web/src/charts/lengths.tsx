/**
 * Lengths of a stage in true proportion, the longest first. What is too short to be seen beside it stands on a larger scale
 * below, joined by a shaded magnifier that says how many times.
 */
import { scaleLinear } from "d3-scale";
import { ratio, short, times } from "./numbers";
import { fresh } from "./paint";
import { measure, useWidth } from "./width";
import { cut } from "./deltas";

export interface Length {
  readonly key: string;
  readonly name: string;
  readonly value: number;
}

const shade = fresh("ls");
const ROW = 30;
const JOIN = 40;

export function Lengths({ items, title, larger }: { items: readonly Length[]; title: string; larger: (times: string) => string }) {
  const [ref, width] = useWidth<HTMLDivElement>(600);
  const sorted = [...items].filter((item) => item.value > 0).sort((a, b) => b.value - a.value);
  const room = Math.min(230, width * 0.5);
  const long = width - room;
  let y = 4;
  let scale = scaleLinear([0, sorted[0]?.value ?? 1], [0, long]);
  const drawn = sorted.map((item, i) => {
    const before = scale;
    let joined: { top: number; from: number; factor: number } | null = null;
    if (i > 0 && scale(item.value) < 5) {
      scale = scaleLinear([0, item.value], [0, long * 0.8]);
      joined = { top: y - 8, from: Math.max(before(item.value), 0.5), factor: ratio(scale(item.value), before(item.value)) };
      y += JOIN;
    }
    const made = { item, y, wide: scale(item.value), joined };
    y += ROW;
    return made;
  });
  return (
    <div ref={ref}>
      <svg class="chart lengths" height={y} viewBox={`0 0 ${width} ${y}`} role="img" aria-label={`${title}: ${sorted.map((s) => `${s.name} ${short(s.value, "m")}`).join("; ")}`}>
        <defs>
          <linearGradient id={shade} x1="0" x2="0" y1="0" y2="1">
            <stop offset="0" stop-color="var(--fg)" stop-opacity="0.13" />
            <stop offset="1" stop-color="var(--fg)" stop-opacity="0.03" />
          </linearGradient>
        </defs>
        {drawn.map(({ item, y: top, wide, joined }) => {
          const value = short(item.value, "m");
          const name = cut(item.name, width - wide - measure(value) - 22);
          return (
            <g key={item.key}>
              {joined && (
                <>
                  <path d={`M0 ${joined.top}H${joined.from}L${wide} ${top + 2}H0Z`} fill={`url(#${shade})`} />
                  <text class="m s halo" x={wide * 0.5 + 8} y={joined.top + 20}>
                    {larger(times(joined.factor))}
                  </text>
                </>
              )}
              <path d={`M0.5 ${top + 2}v14M0.5 ${top + 9}H${Math.max(1, wide)}M${Math.max(1, wide)} ${top + 2}v14`} stroke="var(--fg)" stroke-width="1.5" fill="none" />
              <text x={wide + 10} y={top + 13.5}>
                {value}
                <tspan class="m"> {name}</tspan>
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
