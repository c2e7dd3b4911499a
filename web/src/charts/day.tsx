/** One quantity over the hours of a day: a line, with the hour that was picked. */
import { scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import { short, tick } from "./numbers";
import { useWidth } from "./width";

export function Day({ values, unit, hour, title, onHour }: { values: readonly number[]; unit: string; hour: number | null; title: string; onHour: (hour: number) => void }) {
  const [ref, width] = useWidth<HTMLDivElement>(420);
  const height = 116;
  const least = Math.min(...values);
  const most = Math.max(...values);
  const left = 52;
  const x = scaleLinear([0, 24], [left, width - 2]);
  const y = scaleLinear(least === most ? [0, most * 1.3] : [least, most], [height - 24, 12]).nice(3);
  const closed = [...values, values[0] ?? 0];
  const path = line<number>((_, i) => x(i), (v) => y(v))(closed) ?? "";
  const at = hour === null ? null : (values[hour % 24] ?? 0);
  return (
    <div ref={ref}>
      <svg
        class="chart day" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}
        onClick={(event: MouseEvent) => {
          const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
          onHour(Math.min(23, Math.max(0, Math.round(x.invert(((event.clientX - box.left) / box.width) * width)))));
        }}
      >
        {y.ticks(3).map((value) => (
          <g key={value}>
            <line class="rule" x1={x(0)} x2={x(24)} y1={y(value)} y2={y(value)} />
            <text class="m s" x={left - 8} y={y(value) + 4} text-anchor="end">
              {tick(value, unit)}
            </text>
          </g>
        ))}
        {[0, 6, 12, 18, 24].map((h) => (
          <text key={h} class="m s" x={x(h)} y={height - 6} text-anchor={h === 0 ? "start" : h === 24 ? "end" : "middle"}>
            {h}&nbsp;h
          </text>
        ))}
        <path d={path} fill="none" stroke="var(--fg)" stroke-width="1.5" />
        {hour !== null && (
          <>
            <line class="mark" x1={x(hour)} x2={x(hour)} y1={height - 22} y2={y(at ?? 0)} />
            <circle cx={x(hour)} cy={y(at ?? 0)} r="4.2" fill="var(--fg)" />
            <text x={x(hour) + (hour > 17 ? -8 : 8)} y={y(at ?? 0) + (y(at ?? 0) > 50 ? -8 : 18)} text-anchor={hour > 17 ? "end" : "start"} class="halo">
              {short(at ?? 0, unit)}
            </text>
          </>
        )}
      </svg>
    </div>
  );
}
