/**
 * Stages on one axis of time (or of energy): a dot for the value, a line for the band, the name beside it.
 * On a logarithmic axis each step to the right is ten times as much; a linear axis shows how long the long ones are.
 */
import { scaleLinear, scaleLog } from "d3-scale";
import { useMemo } from "preact/hooks";
import type { Carrier } from "../core/types";
import { short, tick as tickText } from "./numbers";
import { BandLine, Dot } from "./paint";
import { measure, useWidth } from "./width";

export interface StripItem {
  readonly key: string;
  readonly label: string;
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
  readonly carrier: Carrier;
  /** Where a click on the name leads. */
  readonly href?: string;
}
export interface StripRow {
  readonly key: string;
  readonly title: string;
  readonly number?: string;
  readonly items: readonly StripItem[];
}
export interface StripMark {
  readonly value: number;
  readonly label: string;
}
export interface StripProps {
  readonly rows: readonly StripRow[];
  readonly scale: "log" | "linear";
  readonly unit?: string;
  /** What the picture shows, for whoever does not see it. */
  readonly title: string;
  /** In the corner over the row titles. */
  readonly caption?: string;
  readonly marks?: readonly StripMark[];
  readonly domain?: readonly [number, number];
  readonly rowHeight?: number;
  readonly titleWidth?: number;
}

interface Placed {
  readonly item: StripItem;
  readonly x: number;
  readonly x1: number;
  readonly x2: number;
  readonly lane: number;
  readonly text: { x: number; anchor: "start" | "end" | "middle"; dy: number } | null;
}

const TOP = 22;
const DECADES: readonly (readonly [number, string])[] = [
  [1e-9, "1 ns"], [1e-6, "1 µs"], [1e-3, "1 ms"], [1, "1 s"], [1e3, "1,000 s"],
];

/** Give each item a place for its name where it covers neither a mark nor another name; a second line where needed. */
function place(items: readonly StripItem[], x: (value: number) => number, left: number, right: number): Placed[] {
  const made: Placed[] = [];
  const taken: { a: number; b: number; lane: number }[] = [];
  const free = (a: number, b: number, lane: number) =>
    a >= left && b <= right && taken.every((t) => t.lane !== lane || b < t.a || a > t.b);
  const ordered = [...items].sort((a, b) => a.value - b.value);
  const marks = ordered.map((item) => {
    const at = x(item.value);
    const x1 = Math.max(left, x(item.low ?? item.value));
    const x2 = Math.min(right, x(item.high ?? item.value));
    return { item, x: at, x1: Math.min(x1, at), x2: Math.max(x2, at) };
  });
  for (const mark of marks) {
    const width = measure(mark.item.label);
    let lane = 0;
    for (; lane < 8; lane++) {
      if (!free(mark.x1 - 6, mark.x2 + 6, lane)) continue;
      if (free(mark.x1 - 6, mark.x2 + 12 + width, lane)) {
        taken.push({ a: mark.x1 - 6, b: mark.x2 + 12 + width, lane });
        made.push({ ...mark, lane, text: { x: mark.x2 + 8, anchor: "start", dy: 4.5 } });
        break;
      }
      if (free(mark.x1 - 12 - width, mark.x2 + 6, lane)) {
        taken.push({ a: mark.x1 - 12 - width, b: mark.x2 + 6, lane });
        made.push({ ...mark, lane, text: { x: mark.x1 - 8, anchor: "end", dy: 4.5 } });
        break;
      }
    }
    if (lane === 8) made.push({ ...mark, lane: 0, text: null });
  }
  return made;
}

export function Strip({ rows, scale, unit = "s", title, caption, marks = [], domain, rowHeight = 30, titleWidth = 150 }: StripProps) {
  const [ref, width] = useWidth<HTMLDivElement>(1200);
  const narrow = width < 640;
  const left = narrow ? 0 : titleWidth;
  const drawn = useMemo(() => {
    const all = rows.flatMap((row) => row.items.flatMap((item) => [item.low ?? item.value, item.value, item.high ?? item.value]));
    const positive = all.filter((v) => v > 0);
    const most = Math.max(...positive, ...marks.map((m) => m.value), 1e-9);
    const least = Math.min(...positive, most);
    const [from, to] = domain ?? (scale === "log" ? [Math.max(least, most * 1e-12) * 0.8, most * 1.3] : [0, most * 1.02]);
    const axis =
      scale === "log" ? scaleLog([from, to], [left + 8, width - 4]).clamp(true) : scaleLinear([from, to], [left + 8, width - 4]).clamp(true);
    const x = (value: number) => axis(scale === "log" ? Math.max(value, from) : value);
    const ticks =
      scale === "log"
        ? DECADES.filter(([v]) => v >= from && v <= to).map(([v, text]) => ({ x: x(v), text: unit === "s" ? text : short(v, unit) }))
        : axis.ticks(narrow ? 4 : 8).map((v) => ({ x: x(v), text: tickText(v, unit) }));
    const minor =
      scale === "log"
        ? Array.from({ length: 19 }, (_, i) => 10 ** (i - 12)).filter((v) => v >= from && v <= to).map(x)
        : ticks.map((t) => t.x);
    let y = TOP;
    const placed = rows.map((row) => {
      const items = place(row.items, x, left + 4, width);
      const lanes = Math.max(1, ...items.map((p) => p.lane + 1));
      const height = (narrow ? 20 : 0) + rowHeight + (lanes - 1) * 19;
      const at = { row, items, y, height };
      y += height;
      return at;
    });
    return { x, ticks, minor, placed, height: y };
  }, [rows, scale, unit, width, left, rowHeight, domain, marks]);
  return (
    <div ref={ref}>
      <svg class="chart strip" height={drawn.height + 2} viewBox={`0 0 ${width} ${drawn.height + 2}`} role="group" aria-label={title}>
        {drawn.minor.map((x) => (
          <line key={x} class="rule" x1={x} x2={x} y1={TOP} y2={drawn.height} />
        ))}
        {caption && !narrow && (
          <text class="m s" x="0" y="12">
            {caption}
          </text>
        )}
        {drawn.ticks.map((tick) => (
          <text key={tick.x} class="m s" x={tick.x} y="12" text-anchor={tick.x > width - 24 ? "end" : "middle"}>
            {tick.text}
          </text>
        ))}
        {drawn.placed.map(({ row, items, y, height }) => {
          const first = y + (narrow ? 20 : 0) + rowHeight / 2;
          return (
            <g key={row.key}>
              <line class="rule" x1="0" x2={width} y1={y + height} y2={y + height} />
              <text class="halo" x="0" y={narrow ? y + 16 : first + 4.5}>
                {row.number && <tspan class="m">{row.number}&nbsp;&nbsp;</tspan>}
                {row.title}
              </text>
              {items.map(({ item, x, x1, x2, lane, text }) => {
                const at = first + lane * 19;
                const said = `${item.label}: ${short(item.value, unit)}`;
                const body = (
                  <>
                    <title>{item.low !== undefined && item.high !== undefined && item.low < item.high ? `${said} (${short(item.low, unit)} – ${short(item.high, unit)})` : said}</title>
                    <rect x={Math.min(x1, x) - 8} y={at - 12} width={Math.max(24, x2 - x1 + 16)} height="24" fill="transparent" />
                    {x2 - x1 > 1 && <BandLine x1={x1} x2={x2} y={at} carrier={item.carrier} />}
                    <Dot x={x} y={at} carrier={item.carrier} />
                    {text && (
                      <text class="halo m lab" x={text.x} y={at + text.dy} text-anchor={text.anchor}>
                        {item.label}
                      </text>
                    )}
                  </>
                );
                return item.href ? (
                  <a key={item.key} href={item.href} aria-label={said}>
                    {body}
                  </a>
                ) : (
                  <g key={item.key}>{body}</g>
                );
              })}
            </g>
          );
        })}
        {marks.map((mark) => {
          const x = drawn.x(mark.value);
          return (
            <g key={mark.label}>
              <line class="mark" x1={x} x2={x} y1={TOP - 4} y2={drawn.height} />
              <text class="s halo" x={x - 5} y="12" text-anchor="end">
                {mark.label}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
