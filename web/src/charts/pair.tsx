/** Two trips as two stacked bars on one axis: before, pale; after, full. */
import { scaleLinear } from "d3-scale";
import type { Carrier } from "../core/types";
import { short } from "./numbers";
import { fill, fresh, Hatch, hue, Pale } from "./paint";
import { useWidth } from "./width";

export interface Part {
  readonly key: string;
  readonly carrier: Carrier;
  readonly start: number;
  readonly value: number;
}
export interface PairProps {
  readonly title: string;
  readonly a: { readonly parts: readonly Part[]; readonly end: number; readonly label: string };
  readonly b: { readonly parts: readonly Part[]; readonly end: number; readonly label?: string };
  /** End of the axis. */
  readonly most: number;
}

const hatch = fresh("pair");

export function Pair({ title, a, b, most }: PairProps) {
  const [ref, width] = useWidth<HTMLDivElement>(370);
  const x = scaleLinear([0, most], [0, Math.max(40, width - 92)]);
  const bars = (parts: readonly Part[], y: number, h: number, strength = 1) =>
    parts.map((part) => {
      const wide = x(part.start + part.value) - x(part.start);
      return <Pale key={part.key} x={x(part.start)} y={y} width={Math.max(0.5, wide - (wide > 4 ? 0.6 : 0))} height={h} paint={fill(part.carrier, hatch)} edge={hue(part.carrier)} strength={strength} />;
    });
  return (
    <div ref={ref}>
      <svg class="chart" height="38" viewBox={`0 0 ${width} 38`} role="img" aria-label={title}>
        <defs>
          <Hatch id={hatch} />
        </defs>
        {bars(a.parts, 1, 11, 0.4)}
        <text class="m" x={x(a.end) + 8} y="11">
          {short(a.end, "s")} {a.label}
        </text>
        {bars(b.parts, 20, 15)}
        <text x={x(b.end) + 8} y="32">
          {short(b.end, "s")} {b.label && <tspan class="m">{b.label}</tspan>}
        </text>
      </svg>
    </div>
  );
}
