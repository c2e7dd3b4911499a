/**
 * The wait as two bars joined by a shaded magnifier: above, the first word enlarged; below, the whole wait in true
 * proportion with one tick a token. It undoes what logarithmic time hides. The reader's guess is a mark that can be dragged.
 */
import { scaleLinear } from "d3-scale";
import { useRef } from "preact/hooks";
import type { Carrier } from "../core/types";
import { short, times, ratio, tick as tickText } from "./numbers";
import { fill, fresh, Hatch } from "./paint";
import { measure, useWidth } from "./width";

export interface Piece {
  readonly key: string;
  readonly name: string;
  /** For a narrow place. */
  readonly brief?: string;
  readonly carrier: Carrier;
  readonly start: number;
  readonly value: number;
}
export interface TimelineProps {
  readonly title: string;
  /** Up to the first word. */
  readonly pieces: readonly Piece[];
  readonly first: number;
  /** From the first word to the end. */
  readonly writing: Piece;
  readonly end: number;
  readonly tokens: number;
  readonly guess: number | null;
  readonly guessName: string;
  readonly onGuess: (value: number) => void;
  /** "the first word, {times} times enlarged" */
  readonly magnified: (times: string) => string;
}

const ids = { hatch: fresh("hatch"), shade: fresh("shade") };

export function Timeline(props: TimelineProps) {
  const { pieces, first, writing, end, guess } = props;
  const [ref, width] = useWidth<HTMLDivElement>(812);
  const svg = useRef<SVGSVGElement>(null);
  const phone = width < 560;
  const large = phone ? width : width * 0.64;
  const z = scaleLinear([0, first || 1], [0, large]);
  const { labels, upper } = fit(pieces, z, width);
  const top = { y: upper.length > 0 ? 40 : 22, h: 30 };
  const low = { y: top.y + top.h + (phone ? 44 : 46), h: 40 };
  const height = low.y + low.h + 28;
  const shown = Math.max(end, guess ?? 0);
  const x = scaleLinear([0, shown * 1.02], [0, width]);
  const bar = (piece: Piece, y: number, h: number, on: (v: number) => number) => {
    const from = on(piece.start);
    const wide = on(piece.start + piece.value) - from;
    return <rect key={piece.key} x={from} y={y} width={Math.max(0.6, wide - (wide > 3 ? 1 : 0))} height={h} fill={fill(piece.carrier, ids.hatch)} />;
  };
  const span = x(end) - x(first);
  const step = span / Math.max(1, props.tokens);
  const every = Math.max(1, Math.ceil(2.2 / Math.max(step, 1e-9)));
  let ticks = "";
  for (let i = every; i < props.tokens; i += every) ticks += `M${(x(first) + i * step).toFixed(2)} ${low.y}v${low.h}`;
  const writes = `${writing.name} ${short(writing.value, "s")}`;
  const drag = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect();
    if (!box) return;
    const at = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * width;
    props.onGuess(Math.max(0.01, Number(x.invert(at).toPrecision(2))));
  };
  const hold = (event: PointerEvent) => {
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    event.preventDefault();
    drag(event);
  };
  const g = guess === null ? 0 : x(guess);
  const right = g > width - measure(props.guessName) - 20;
  const many = ratio(z(first) - z(0), x(first) - x(0));
  const magnified = many > 1.4 ? props.magnified(times(many)) : "";
  return (
    <div ref={ref}>
      <svg ref={svg} class="chart timeline" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={props.title}>
        <defs>
          <Hatch id={ids.hatch} />
          <linearGradient id={ids.shade} x1="0" x2="0" y1="0" y2="1">
            <stop offset="0" stop-color="var(--fg)" stop-opacity="0.03" />
            <stop offset="1" stop-color="var(--fg)" stop-opacity="0.14" />
          </linearGradient>
        </defs>
        <path d={`M0 ${top.y + top.h + 2}H${large}L${Math.max(x(first), 1)} ${low.y - 2}H0Z`} fill={`url(#${ids.shade})`} />
        {upper.map(({ piece, text, at }) => (
          <g key={piece.key}>
            <rect x={at} y="4" width="9" height="9" fill={fill(piece.carrier, ids.hatch)} />
            <text x={at + 14} y="13" class="m">
              {text} <tspan fill="var(--fg)">{short(piece.value, "s")}</tspan>
            </text>
          </g>
        ))}
        {labels.map(({ piece, text, at, anchor }) => (
          <text key={piece.key} x={at} y={top.y - 8} text-anchor={anchor} class="m halo">
            {text} <tspan fill="var(--fg)">{short(piece.value, "s")}</tspan>
          </text>
        ))}
        {pieces.map((piece) => bar(piece, top.y, top.h, z))}
        {pieces.map((piece) => bar(piece, low.y, low.h, x))}
        {bar(writing, low.y, low.h, x)}
        <path d={ticks} stroke="var(--bg)" stroke-width={Math.min(1, step * every * 0.3)} opacity="0.6" />
        {!phone && (
          <text class="m" x={large + 12} y={top.y + top.h / 2 + 4.5}>
            {magnified}
          </text>
        )}
        {phone && (
          <text class="m s" x={width} y={top.y + top.h + 16} text-anchor="end">
            {magnified}
          </text>
        )}
        {x(end) > measure(writes) && (
          <text class="m halo" x={x(end)} y={low.y - 8} text-anchor="end">
            {writing.name} <tspan fill="var(--fg)">{short(writing.value, "s")}</tspan>
          </text>
        )}
        {x.ticks(phone ? 4 : 6).map((tick) => {
          const at = x(tick);
          const covered = guess !== null && Math.abs(at - g) < 12 + (right ? 0 : 4);
          const under = guess !== null && !right && at > g && at < g + measure(props.guessName) + 34;
          const under2 = guess !== null && right && at < g && at > g - measure(props.guessName) - 34;
          return (
            <g key={tick}>
              <line class="rule2" x1={at} x2={at} y1={low.y + low.h + 2} y2={low.y + low.h + 8} />
              {!covered && !under && !under2 && at < width - 16 && (
                <text class="m s" x={at} y={low.y + low.h + 22} text-anchor={tick === 0 ? "start" : "middle"}>
                  {tickText(tick, "s")}
                </text>
              )}
            </g>
          );
        })}
        {guess !== null && (
          <g
            class="guess"
            transform={`translate(${g.toFixed(1)} 0)`}
            onPointerDown={hold}
            onPointerMove={(event) => event.buttons === 1 && drag(event)}
            aria-hidden="true"
          >
            <rect x="-14" y={low.y - 12} width="28" height={low.h + 38} fill="transparent" />
            <line y1={low.y - 7} y2={low.y + low.h + 9} stroke="var(--bg)" stroke-width="5" />
            <line y1={low.y - 7} y2={low.y + low.h + 9} stroke="var(--fg)" stroke-width="1.5" />
            <path d={`M0 ${low.y + low.h + 8}l6.5 11h-13Z`} fill="var(--fg)" />
            <text x={right ? -12 : 12} y={low.y + low.h + 22} text-anchor={right ? "end" : "start"}>
              {props.guessName}
            </text>
          </g>
        )}
      </svg>
    </div>
  );
}

/**
 * Names over their parts. A part that is narrower than its name is named at its start, the longest first; a wide part's
 * name then slides along it to a free place. A short name before none; what has no place at all stands in a row above, with its mark.
 */
function fit(pieces: readonly Piece[], z: (value: number) => number, width: number) {
  const made: { piece: Piece; text: string; at: number; anchor: "start" | "end" }[] = [];
  const taken: [number, number][] = [];
  const free = (a: number, b: number) => a >= 0 && b <= width && taken.every(([p, q]) => a >= q + 10 || b <= p - 10);
  const sized = pieces
    .filter((piece) => piece.value > 0)
    .map((piece) => ({
      piece,
      from: z(piece.start),
      to: z(piece.start + piece.value),
      texts: [piece.name, piece.brief ?? piece.name].map((text) => ({ text, wide: measure(`${text} ${short(piece.value, "s")}`) + 3 })),
    }))
    .sort((a, b) => b.piece.value - a.piece.value);
  const put = (piece: Piece, text: string, a: number, b: number) => {
    taken.push([a, b]);
    made.push({ piece, text, at: a, anchor: "start" });
  };
  const wide = sized.filter(({ from, to, texts }) => texts.some((t) => t.wide <= to - from));
  for (const { piece, from, to, texts } of sized) {
    if (wide.some((each) => each.piece === piece)) continue;
    for (const { text, wide: w } of [...texts].reverse()) {
      // It may reach over its neighbors, as long as these keep room for a name of their own.
      const blocks = wide.some((each) => from < each.to && from + w > each.from && each.to - (from + w) < Math.min(...each.texts.map((t) => t.wide)) + 10);
      if (to - from > 5 && !blocks && free(from, from + w)) {
        put(piece, text, from, from + w);
        break;
      }
      if (to - from > 5 && !blocks && free(to - w, to)) {
        put(piece, text, to - w, to);
        break;
      }
    }
  }
  for (const { piece, from, to, texts } of wide) {
    search: for (const { text, wide: w } of texts) {
      const starts = [from, ...taken.map(([, q]) => q + 10).filter((q) => q > from && q + w <= to)].sort((a, b) => a - b);
      for (const a of starts) {
        if (a + w > to + 1 || !free(a, a + w)) continue;
        put(piece, text, a, a + w);
        break search;
      }
    }
  }
  const upper: { piece: Piece; text: string; at: number }[] = [];
  let edge = 0;
  for (const { piece, from, to, texts } of [...sized].sort((a, b) => a.from - b.from)) {
    const small = texts[texts.length - 1];
    if (!small || made.some((each) => each.piece === piece) || to - from < 1.5) continue;
    const at = Math.max(edge, from);
    if (at + small.wide + 14 > width) continue;
    upper.push({ piece, text: small.text, at });
    edge = at + small.wide + 30;
  }
  return { labels: made, upper };
}
