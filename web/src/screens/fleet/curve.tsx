/**
 * What an accelerator gives to all against what one reader gets: the line of batches if nothing is done but writing, and
 * where the cluster was, hour by hour, up to now.
 */
import { scaleLinear } from "d3-scale";
import { short, tick as tickText } from "../../charts/numbers";
import { useWidth } from "../../charts/width";
import type { Say } from "../../shell/text";
import type { Curve, Row } from "./types";

export function Operating({ curve, rows, at, title, t }: { readonly curve: Curve; readonly rows: readonly Row[]; readonly at: number; readonly title: string; readonly t: Say }) {
  const [ref, width] = useWidth<HTMLDivElement>(400);
  const height = 214;
  const points = rows.map((row) => (row.token_per_s_user === null ? null : ([row.token_per_s_user, row.token_per_s_accelerator] as const)));
  const seen = points.filter((point) => point !== null);
  const x = scaleLinear([0, Math.max(...curve.token_per_s_user, ...seen.map(([user]) => user))], [52, width - 10]).nice(4);
  const y = scaleLinear([0, Math.max(...curve.token_per_s_accelerator, ...seen.map(([, all]) => all))], [height - 38, 26]).nice(3);
  const batches = curve.batch.map((batch, i) => ({ batch, x: x(curve.token_per_s_user[i] ?? 0), y: y(curve.token_per_s_accelerator[i] ?? 0) }));
  const trail = points.slice(0, at + 1).flatMap((point) => (point ? [`${x(point[0]).toFixed(1)} ${y(point[1]).toFixed(1)}`] : []));
  const now = points[Math.min(at, points.length - 1)];
  const goal = x(curve.goal_token_per_s_user);
  return (
    <div ref={ref}>
      <svg class="chart curve" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
        {y.ticks(3).map((value) => (
          <g key={value}>
            <line class="rule" x1="52" x2={width} y1={y(value)} y2={y(value)} />
            <text class="m s" x="44" y={y(value) + 4} text-anchor="end">
              {value.toLocaleString("en-US")}
            </text>
          </g>
        ))}
        {x.ticks(width < 420 ? 4 : 6).map((value) => (
          <text key={value} class="m s" x={x(value)} y={height - 21} text-anchor={value === 0 ? "start" : "middle"}>
            {tickText(value, "1")}
          </text>
        ))}
        <text class="m s" x={width} y={height - 4} text-anchor="end">
          {t("fleet.curve.x")}
        </text>
        <text class="m s" x="0" y="11">
          {t("fleet.curve.y")}
        </text>
        <line x1={goal} x2={goal} y1="20" y2={height - 36} class="mark" stroke-dasharray="3 3" />
        <text class="m s halo" x={goal + 5} y={height - 44}>
          {t("fleet.goal")}
        </text>
        <path d={`M${batches.map((b) => `${b.x.toFixed(1)} ${b.y.toFixed(1)}`).join("L")}`} fill="none" stroke="var(--mut)" stroke-width="1.2" />
        {batches.map((b, i) => (
          <g key={b.batch}>
            <circle cx={b.x} cy={b.y} r="2.4" fill="var(--mut)" />
            {(i === 0 || i === batches.length - 1 || (i % 2 === 1 && b.y < height - 60)) && (
              <text class="m s halo" x={b.x + 6} y={b.y - 5} text-anchor={b.x > width - 60 ? "end" : "start"}>
                {i === batches.length - 1 ? t("fleet.curve.batch", { count: b.batch.toLocaleString("en-US") }) : b.batch}
              </text>
            )}
          </g>
        ))}
        {trail.length > 1 && <path d={`M${trail.join("L")}`} fill="none" stroke="var(--fg)" stroke-width="1" stroke-opacity="0.5" stroke-linejoin="round" />}
        {now && (
          <>
            <circle cx={x(now[0])} cy={y(now[1])} r="5.4" fill="var(--bg)" stroke="var(--fg)" stroke-width="2" />
            <text class="halo" x={x(now[0]) + 11} y={y(now[1]) + 16}>
              {short(now[1], "1")}
            </text>
          </>
        )}
      </svg>
    </div>
  );
}
