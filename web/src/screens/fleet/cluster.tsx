/** The cluster at one moment: each replica with those that wait, those it answers, and how full its cache is. */
import { percent } from "../../charts/numbers";
import { measure, useWidth } from "../../charts/width";
import type { Say } from "../../shell/text";
import type { Replicas } from "./types";

const ACROSS = 16;
const GAP = 18;

/** How many requests a square stands for: so that all that a replica may answer at once make eight lines at most. */
export const squareOf = (batch: number): number => Math.max(1, Math.ceil(batch / (ACROSS * 8)));

/** Squares number `from` to `to` of a replica, left to right and top to bottom, as one path. */
function squares(from: number, to: number, x: number, y: number, side: number): string {
  let path = "";
  for (let i = from; i < to; i++) {
    const size = side * 0.78;
    path += `M${(x + (i % ACROSS) * side).toFixed(1)} ${(y + Math.floor(i / ACROSS) * side).toFixed(1)}h${size.toFixed(1)}v${size.toFixed(1)}h-${size.toFixed(1)}Z`;
  }
  return path;
}

export function Cluster({ now, batch, title, t }: { readonly now: Replicas; readonly batch: number; readonly title: string; readonly t: Say }) {
  const [ref, width] = useWidth<HTMLDivElement>(860);
  const count = now.writing.length;
  const fit = Math.max(1, Math.floor((width + GAP) / (width < 500 ? 88 : 100)));
  // Lines of equal length: twelve are six and six, not eight and four.
  const lines = Math.ceil(count / fit);
  const columns = Math.min(Math.ceil(count / lines), 8);
  const wide = Math.min((width - GAP * (columns - 1)) / columns, 184);
  const side = wide / ACROSS;
  const per = squareOf(batch);
  const all = Math.ceil(batch / per);
  const deep = Math.ceil(all / ACROSS) * side;
  const tall = 34 + deep + 30;
  const height = Math.ceil(count / columns) * (tall + 12) - 8;
  return (
    <div ref={ref}>
      <svg class="chart cluster" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
        {now.writing.map((writing, k) => {
          const x = (k % columns) * (wide + GAP);
          const y = Math.floor(k / columns) * (tall + 12);
          const waiting = now.waiting[k] ?? 0;
          const number = waiting.toLocaleString("en-US");
          const said = t("fleet.waits", { count: number });
          const reading = now.reading?.[k] ?? 0;
          const [used, kept] = [now.used[k] ?? 0, now.kept?.[k] ?? 0];
          const [full, begun] = [Math.min(all, Math.ceil(writing / per)), Math.min(all, Math.ceil((writing + reading) / per))];
          const rings = Math.ceil(waiting / per);
          const dots = rings > ACROSS ? ACROSS - 2 : rings;
          const top = y + 34;
          const bar = top + deep + 6;
          return (
            <g key={k}>
              {waiting > 0 && (
                <text class="s" x={x} y={y + 11}>
                  {measure(said, 12) <= wide + GAP / 2 ? said : number}
                </text>
              )}
              {Array.from({ length: dots }, (_, i) => (
                <circle key={i} cx={x + (i + 0.4) * side} cy={y + 23} r={Math.min(2.6, side * 0.34)} fill="none" stroke="var(--waiting)" stroke-width="1.3" />
              ))}
              {rings > ACROSS && (
                <text class="s" x={x + (ACROSS - 1.9) * side} y={y + 24}>
                  …
                </text>
              )}
              <path d={squares(begun, all, x, top, side)} fill="none" stroke="var(--line2)" stroke-width="0.8" />
              <path d={squares(full, begun, x, top, side)} fill="var(--moving-charge)" />
              <path d={squares(0, full, x, top, side)} fill="var(--stored-charge)" />
              <rect x={x + 0.5} y={bar + 0.5} width={wide - 1} height="8" fill="none" stroke="var(--control)" />
              <rect x={x + 1} y={bar + 1} width={Math.max(0, (wide - 2) * used)} height="7" fill="var(--stored-charge)" />
              {kept > 0.004 && <rect x={x + 1 + (wide - 2) * used} y={bar + 1} width={Math.max(0, (wide - 2) * Math.min(kept, 1 - used))} height="7" fill="var(--stored-charge)" fill-opacity="0.35" />}
              <text class="m s" x={x} y={bar + 23}>
                {wide > 96 ? t("fleet.cache.full", { share: percent(used) }) : percent(used)}
              </text>
              <text class="m s" x={x + wide} y={bar + 23} text-anchor="end">
                {wide > 148 ? t("fleet.curve.batch", { count: writing }) : writing}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
