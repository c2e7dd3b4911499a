/** All stages as dots on one logarithmic axis of time, and one of them in focus with its band. */
import { scaleLog } from "d3-scale";
import type { Carrier } from "../core/types";
import { short } from "./numbers";
import { BandLine, Dot, hue } from "./paint";
import { useWidth } from "./width";

export interface PlaceItem {
  readonly key: string;
  readonly value: number;
  readonly carrier: Carrier;
}

const DECADES = [1e-12, 1e-9, 1e-6, 1e-3, 1, 1e3];

export function Place({ items, focus, low, high, title }: { items: readonly PlaceItem[]; focus: PlaceItem; low: number; high: number; title: string }) {
  const [ref, width] = useWidth<HTMLDivElement>(600);
  const values = items.map((item) => item.value).filter((v) => v > 0);
  const x = scaleLog([Math.min(...values, low > 0 ? low : 1) * 0.7, Math.max(...values, high) * 1.3], [0, width]).clamp(true);
  const y = 26;
  return (
    <div ref={ref}>
      <svg class="chart" height="62" viewBox={`0 0 ${width} 62`} role="img" aria-label={title}>
        {DECADES.map((decade) => {
          const at = x(decade);
          return at > 4 && at < width - 4 ? (
            <g key={decade}>
              <line class="rule" x1={at} x2={at} y1="10" y2="44" />
              <text class="m s" x={at} y="58" text-anchor={at > width - 20 ? "end" : at < 20 ? "start" : "middle"}>
                {short(decade, "s").replace(/\.0+/, "").replace("1.00", "1")}
              </text>
            </g>
          ) : null;
        })}
        {items.map((item) => item.value > 0 && <line key={item.key} x1={x(item.value)} x2={x(item.value)} y1={y - 6} y2={y + 6} stroke={hue(item.carrier)} />)}
        {focus.value > 0 && (
          <>
            <BandLine x1={x(Math.max(low, 1e-15))} x2={x(high)} y={y} carrier={focus.carrier} />
            <Dot x={x(focus.value)} y={y} carrier={focus.carrier} r={6} />
          </>
        )}
      </svg>
    </div>
  );
}
