/** The day: what a request waits for, hour by hour, as layers; above it how many come; a line where the reader looks. */
import { scaleLinear } from "d3-scale";
import { useMemo } from "preact/hooks";
import { short, tick as tickText } from "../../charts/numbers";
import { fresh, Hatch } from "../../charts/paint";
import { useWidth } from "../../charts/width";
import type { Say } from "../../shell/text";
import { clock, paint } from "./look";
import type { Row } from "./types";

const hatch = fresh("fl");
const TOP = 46;
const LEFT = 52;

export function Over({ rows, windows, causes, at, title, t, onAt }: {
  readonly rows: readonly Row[]; readonly windows: number; readonly causes: readonly string[]; readonly at: number; readonly title: string; readonly t: Say; readonly onAt: (at: number) => void;
}) {
  const [ref, width] = useWidth<HTMLDivElement>(860);
  const height = 196;
  const x = scaleLinear([0, windows], [LEFT, width - 1]);
  const total = (row: Row) => row.waits_s.reduce((sum, part) => sum + part, 0);
  const most = Math.max(...rows.map(total), 1e-3);
  const y = scaleLinear([0, most], [height - 22, TOP + 14]).nice(3);
  const arrivals = Math.max(...rows.map((row) => row.arrivals_per_s), 1e-9);
  const up = scaleLinear([0, arrivals], [TOP, 16]);
  // Each window is a step as wide as it lasts. While the day is played only the line moves.
  const { coming, layers } = useMemo(() => {
    const step = (values: readonly number[]) => values.map((v, n) => `${n === 0 ? "M" : "L"}${x(n).toFixed(1)} ${v.toFixed(1)}H${x(n + 1).toFixed(1)}`).join("");
    let floor = rows.map(() => 0);
    const made = causes.map((cause, c) => {
      const roof = rows.map((row, n) => (floor[n] ?? 0) + (row.waits_s[c] ?? 0));
      const back = [...floor].reverse().map((v, i) => `L${x(rows.length - i).toFixed(1)} ${y(v).toFixed(1)}H${x(rows.length - 1 - i).toFixed(1)}`).join("");
      const path = `${step(roof.map((v) => y(v)))}${back}Z`;
      floor = roof;
      return { cause, path, any: rows.some((row) => (row.waits_s[c] ?? 0) > 0) };
    });
    return { coming: step(rows.map((each) => up(each.arrivals_per_s))), layers: made };
  }, [rows, windows, causes, width]);
  const pick = (event: PointerEvent) => {
    const box = (event.currentTarget as SVGSVGElement).getBoundingClientRect();
    onAt(Math.min(windows, Math.max(1, Math.round(x.invert(((event.clientX - box.left) / box.width) * width)))) - 1);
  };
  const cursor = x(at + 1); // a window is looked at from its end
  const row = rows[Math.min(at, rows.length - 1)];
  const end = cursor > width * 0.66;
  return (
    <div ref={ref}>
      <svg
        class="chart over" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          pick(event);
        }}
        onPointerMove={(event) => event.buttons === 1 && pick(event)}
      >
        <defs>
          <Hatch id={hatch} />
        </defs>
        <rect x="0" y="0" width={width} height={height} fill="transparent" />
        {y.ticks(3).map((value) => (
          <g key={value}>
            <line class="rule" x1={LEFT} x2={width} y1={y(value)} y2={y(value)} />
            <text class="m s" x={LEFT - 8} y={y(value) + 4} text-anchor="end">
              {tickText(value, "s")}
            </text>
          </g>
        ))}
        {(width < 420 ? [0, 12, 24] : [0, 6, 12, 18, 24]).map((hour) => (
          <text key={hour} class="m s" x={x((hour / 24) * windows)} y={height - 4} text-anchor={hour === 0 ? "start" : hour === 24 ? "end" : "middle"}>
            {clock(hour)}
          </text>
        ))}
        <path d={coming} fill="none" stroke="var(--fg)" stroke-width="1.5" />
        <line class="rule" x1={LEFT} x2={width} y1={TOP} y2={TOP} />
        {layers.map((layer) => layer.any && <path key={layer.cause} d={layer.path} {...paint(layer.cause, hatch)} />)}
        <line x1={cursor} x2={cursor} y1="2" y2={height - 20} stroke="var(--bg)" stroke-width="4" />
        <line x1={cursor} x2={cursor} y1="2" y2={height - 20} stroke="var(--fg)" stroke-width="1.5" />
        {row && (
          <text class="halo s" x={cursor + (end ? -7 : 7)} y="11" text-anchor={end ? "end" : "start"}>
            {t("fleet.coming", { count: short(row.arrivals_per_s, "1") })}
          </text>
        )}
      </svg>
    </div>
  );
}
