/** Many places on one axis, a dot each; the one in focus has its name. */
import { scaleLinear, scaleLog } from "d3-scale";
import { short, tick as tickText } from "./numbers";
import { measure, useWidth } from "./width";

export interface DotItem {
  readonly key: string;
  readonly title: string;
  readonly value: number;
}

export function Dots({ items, unit, chosen, title, onChoose }: { items: readonly DotItem[]; unit: string; chosen: string | null; title: string; onChoose: (key: string) => void }) {
  const [ref, width] = useWidth<HTMLDivElement>(560);
  const height = 104;
  const values = items.map((item) => item.value);
  const least = Math.min(...values);
  const most = Math.max(...values);
  const wide = least > 0 && most / least > 8;
  // A dot is a place, not a length: the axis need not begin at nothing.
  const x = (wide ? scaleLog([least, most], [8, width - 8]) : scaleLinear([least, most], [8, width - 8]).nice(5)) as unknown as ((v: number) => number) & { ticks: (n: number) => number[] };
  // Dots pile up where they would cover each other.
  const columns = new Map<number, number>();
  const placed = [...items]
    .sort((a, b) => a.value - b.value)
    .map((item) => {
      const column = Math.round(x(item.value) / 8);
      const level = columns.get(column) ?? 0;
      columns.set(column, level + 1);
      return { item, x: column * 8, y: height - 34 - Math.min(level, 5) * 8.4 };
    });
  const picked = placed.find((p) => p.item.key === chosen);
  const text = picked ? `${picked.item.title}: ${short(picked.item.value, unit)}` : "";
  const flip = picked && picked.x + measure(text) + 12 > width;
  return (
    <div ref={ref}>
      <svg class="chart dots" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}. ${text}`}>
        <line class="rule2" x1="0" x2={width} y1={height - 24} y2={height - 24} />
        {(wide ? [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5].filter((v) => v >= least && v <= most) : x.ticks(width < 460 ? 3 : 5)).map((tick) => (
          <g key={tick}>
            <line class="rule2" x1={x(tick)} x2={x(tick)} y1={height - 24} y2={height - 19} />
            <text class="m s" x={x(tick)} y={height - 5} text-anchor={x(tick) < 20 ? "start" : x(tick) > width - 20 ? "end" : "middle"}>
              {tickText(tick, unit)}
            </text>
          </g>
        ))}
        {placed.map(({ item, x: cx, y }) => (
          <circle
            key={item.key} cx={cx} cy={y} r={item.key === chosen ? 4.6 : 3.2}
            fill={item.key === chosen ? "var(--fg)" : "var(--mut)"} fill-opacity={item.key === chosen ? 1 : 0.8}
            onClick={() => onChoose(item.key)} style={{ cursor: "pointer" }}
          >
            <title>{`${item.title}: ${short(item.value, unit)}`}</title>
          </circle>
        ))}
        {picked && (
          <>
            <path d={`M${picked.x} ${picked.y - 6}V18`} class="mark" />
            <text class="halo" x={picked.x + (flip ? -6 : 6)} y="22" text-anchor={flip ? "end" : "start"}>
              {text}
            </text>
          </>
        )}
      </svg>
    </div>
  );
}
