/**
 * Published figures and ours on one logarithmic axis. From one common request, four factors lead to ours: their lengths add
 * up because the axis is logarithmic. What is left to the published mark is the gap.
 */
import { scaleLog } from "d3-scale";
import type { Reconciled } from "../core/types";
import { J_PER_WH } from "../core/units";
import { short, times } from "./numbers";
import { BandLine, Pale } from "./paint";
import { measure, useWidth } from "./width";

const STEPS = ["tokens", "batch", "machine", "boundary"] as const;
const SHADE: Record<string, number> = { tokens: 1, batch: 0.74, machine: 0.52, boundary: 0.32 };
/** Joules as the watt-hours that people publish. */
export const wattHours = (joules: number): number => joules / J_PER_WH;

export interface ReconcileProps {
  readonly reference: number;
  readonly cases: readonly Reconciled[];
  readonly title: string;
  readonly names: Readonly<Record<(typeof STEPS)[number] | "published" | "ours" | "gap" | "start", string>>;
  readonly chosen: string | null;
  readonly onChoose: (key: string) => void;
}

const ROW = 44;
const TOP = 26;

export function Reconcile({ reference, cases, title, names, chosen, onChoose }: ReconcileProps) {
  const [ref, width] = useWidth<HTMLDivElement>(1200);
  const narrow = width < 700;
  const left = narrow ? 4 : 236;
  const right = width - (narrow ? 56 : 96);
  const all = cases.flatMap((c) => [c.low_J, c.high_J, c.published_J, c.ours_J, reference]);
  const x = scaleLog([Math.min(...all) * 0.8, Math.max(...all) * 1.2], [left, right]);
  const row = narrow ? ROW + 18 : ROW;
  const height = TOP + cases.length * row + 4;
  const ticks = [0.001, 0.01, 0.1, 1, 10, 100, 1000].map((wh) => ({ wh, at: x(wh * J_PER_WH) })).filter(({ at }, i) => at >= left && at <= right - (narrow ? 20 : 0) && (!narrow || i % 2 === 1));
  return (
    <div ref={ref}>
      <svg class="chart reconcile" height={height} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={title}>
        {ticks.map(({ wh, at }) => (
          <g key={wh}>
            <line class="rule" x1={at} x2={at} y1={TOP - 6} y2={height} />
            <text class="m s" x={at} y="12" text-anchor={at < 24 ? "start" : "middle"}>
              {wh}&nbsp;Wh
            </text>
          </g>
        ))}
        <line x1={x(reference)} x2={x(reference)} y1={TOP - 6} y2={height} stroke="var(--control)" stroke-dasharray="2 3" />
        <text class="m s" x={right + 8} y="12">
          {names.gap}
        </text>
        {cases.map((c, i) => {
          const y = TOP + i * row + (narrow ? 18 : 0);
          const mid = y + row / 2 - (narrow ? 9 : 0);
          let from = reference;
          const path = STEPS.map((step) => {
            const to = from * c.steps[step];
            const made = { step, a: x(from), b: x(to), factor: c.steps[step], back: to < from };
            from = to;
            return made;
          });
          const ours = x(c.ours_J);
          const published = x(c.published_J);
          const open = chosen === c.key;
          return (
            <g key={c.key} class={open ? "case open" : "case"}>
              <line class="rule" x1="0" x2={width} y1={y + (narrow ? row - 18 : row)} y2={y + (narrow ? row - 18 : row)} />
              <a
                href="#"
                role="button"
                aria-pressed={open}
                aria-label={`${c.title}: ${names.published} ${short(wattHours(c.published_J), "Wh")}, ${names.ours} ${short(wattHours(c.ours_J), "Wh")}`}
                onClick={(event: MouseEvent) => {
                  event.preventDefault();
                  onChoose(c.key);
                }}
              >
                <rect x="0" y={narrow ? y - 18 : y + 4} width={narrow ? width : left - 10} height={narrow ? 24 : row - 8} fill="transparent" />
                <text class="lab" x="0" y={narrow ? y - 3 : mid + 4.5} font-weight={open ? 600 : 400}>
                  {c.title}
                </text>
              </a>
              <BandLine x1={x(c.low_J)} x2={x(c.high_J)} y={mid + 9} carrier="moving charge" />
              {path.map(({ step, a, b, factor }, n) => {
                const wide = Math.abs(b - a);
                if (wide < 0.5) return null;
                return (
                  <g key={step}>
                    <Pale x={Math.min(a, b)} y={mid - 8 + n * 2.6} width={wide} height={5} paint="var(--moving-charge)" edge="var(--moving-charge)" strength={SHADE[step] ?? 1}>
                      <title>{`${names[step]} ×${times(factor)}`}</title>
                    </Pale>
                    {open && wide > measure(names[step], 12) + 8 && (
                      <text class="m s halo" x={(a + b) / 2} y={mid - 12} text-anchor="middle">
                        {names[step]} ×{times(factor)}
                      </text>
                    )}
                  </g>
                );
              })}
              <line x1={ours} x2={published} y1={mid + 9} y2={mid + 9} stroke="var(--mut)" stroke-width="1" stroke-dasharray="2 3" />
              <circle cx={ours} cy={mid + 9} r="4.2" fill="var(--moving-charge)" />
              <path d={`M${published} ${mid + 2}v14`} stroke="var(--fg)" stroke-width="2" />
              <text class="num" x={right + 8} y={mid + 4.5}>
                ×{times(c.gap)}
              </text>
            </g>
          );
        })}
      </svg>
      <div class="legend">
        <span>
          <svg width="12" height="14" aria-hidden="true">
            <path d="M6 1v12" stroke="var(--fg)" stroke-width="2" />
          </svg>
          {names.published}
        </span>
        <span>
          <svg width="26" height="10" aria-hidden="true">
            <BandLine x1={2} x2={24} y={5} carrier="moving charge" />
            <circle cx="13" cy="5" r="4.2" fill="var(--moving-charge)" />
          </svg>
          {names.ours}
        </span>
        <span>
          <svg width="10" height="12" aria-hidden="true">
            <path d="M5 0v12" stroke="var(--control)" stroke-dasharray="2 3" />
          </svg>
          {names.start}
        </span>
        {STEPS.map((step) => (
          <span key={step}>
            <svg width="14" height="6" aria-hidden="true">
              <Pale x={0} y={0} width={14} height={5} paint="var(--moving-charge)" edge="var(--moving-charge)" strength={SHADE[step] ?? 1} />
            </svg>
            {names[step]}
          </span>
        ))}
      </div>
    </div>
  );
}
