/**
 * The trip in rows, from the person down to the model and up again: a picture of the whole above, the chosen window below,
 * the way that decides drawn through it, the forecast of the same parts under it.
 *
 * Nothing needs a drag or a wheel: each move has a button and a key. The page's own scrolling is left alone.
 */
import { scaleLinear } from "d3-scale";
import type { Signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Say } from "../../shell/text";
import { short, tick as tickText } from "../../charts/numbers";
import { si } from "../../core/units";
import { fill, fresh, Hatch, hue } from "../../charts/paint";
import { measure, useWidth } from "../../charts/width";
import { isModeled, nameOf, ROWS, plainToken, tokenOf, type Bar } from "./rows";
import { Playhead } from "./replay";
import type { Trip } from "./types";
import type { Window } from "./window";

const ids = { hatch: fresh("lh"), map: fresh("lm") };
const ROW = 34;
const BAR = 13;
const TOP = 15;
const MAP = 5;
const NEAR = 14;

export interface WaterfallProps {
  readonly trip: Trip;
  readonly bars: readonly Bar[];
  readonly window: Window;
  readonly setWindow: (next: Window) => void;
  readonly whole: Window;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
  readonly deciding: boolean;
  readonly at: Signal<number | null>;
  readonly label: string;
  readonly t: Say;
}

interface Placed {
  readonly bar: Bar;
  readonly x: number;
  readonly wide: number;
}

export function Waterfall(props: WaterfallProps) {
  const { trip, bars, window: shown, chosen, deciding, t } = props;
  const [ref, width] = useWidth<HTMLDivElement>(800);
  const narrow = width < 560;
  const left = narrow ? 0 : Math.max(64, ...ROWS.map((row) => measure(t(`live.row.${row}`)) + 16), measure(t("live.row.forecast")) + 16);
  const rowHeight = narrow ? ROW + 14 : ROW;
  const top = narrow ? TOP + 14 : TOP;
  const right = width - 4;
  const x = useMemo(() => scaleLinear([shown.from, shown.to], [left, right]), [shown.from, shown.to, left, right]);
  const [hovered, hover] = useState<Bar | null>(null);
  const height = (ROWS.length + 1) * rowHeight + 22;
  const y = (row: number) => row * rowHeight + top;

  const placed = useMemo(() => {
    const found: Placed[] = [];
    for (const bar of bars) {
      if (bar.to < shown.from || bar.from > shown.to) continue;
      const a = Math.max(left, x(bar.from));
      const b = Math.min(right, x(bar.to));
      found.push({ bar, x: a, wide: Math.max(b - a, 0) });
    }
    return found;
  }, [bars, x, left, right]);

  /** The bar that is meant by a point: the one under it, else the nearest in its row. */
  const meant = (event: MouseEvent): Bar | null => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const px = event.clientX - box.left;
    const row = ROWS[Math.floor((event.clientY - box.top) / rowHeight)];
    if (row === undefined || px < left) return null;
    let best: Placed | null = null;
    let distance = NEAR;
    for (const each of placed) {
      if (each.bar.row !== row) continue;
      const away = Math.max(each.x - px, px - (each.x + each.wide), 0);
      if (away < distance || (away === distance && best && each.wide < best.wide)) [best, distance] = [each, away];
    }
    return best?.bar ?? null;
  };

  const drag = useDrag(props, (pixels) => x.invert(left + pixels) - x.invert(left));
  const wheel = useWheel(props, x, left);
  const labels = useMemo(() => labelsOf(trip, placed, t, right), [trip, placed, t, right]);
  const line = deciding ? wayOf(placed, y) : "";
  const ticks = x.ticks(narrow ? 4 : 8);
  // Far in, neighbors differ in late digits only.
  const fine = Math.ceil(Math.log10(Math.max(...ticks.map(Math.abs), 1e-9) / Math.max((ticks[1] ?? 1) - (ticks[0] ?? 0), 1e-9))) + 1;
  const mark = (value: number) => (fine > 3 ? si(value, "s", Math.min(fine, 9)) : tickText(value, "s"));
  const forecasts = trip.parts.filter((part) => part.forecast_s !== null && part.forecast_s > 0);
  const said = hovered ?? bars.find((bar) => bar.span.id === chosen) ?? null;
  return (
    <div class="waterfall" ref={ref}>
      <Minimap {...props} width={width} />
      <p class="small reading" aria-hidden="true">
        {said ? (
          <>
            <b>{said.span.name === "model.step" && tokenOf(trip, said.span) ? `${nameOf(t, said.span)} “${plainToken(t, tokenOf(trip, said.span)!.text)}”` : nameOf(t, said.span)}</b>{" "}
            {short(said.span.duration_s, "s")}, {t(said.from < 0 ? "live.from.before" : "live.from", { value: short(Math.abs(said.from), "s") })}
          </>
        ) : (
          t("live.hover")
        )}
      </p>
      <div class="plot" ref={wheel}>
        <svg
          class="chart" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={props.label}
          onPointerMove={(event) => (drag.moving() ? hover(null) : hover(meant(event)))}
          onPointerLeave={() => hover(null)}
          onPointerDown={drag.start}
          onClick={(event) => {
            const found = drag.moved() ? null : meant(event);
            if (found) props.onChoose(found.span.id);
          }}
        >
          <defs>
            <Hatch id={ids.hatch} />
          </defs>
          {ticks.map((tick) => (
            <g key={tick}>
              <line class="rule" x1={x(tick)} x2={x(tick)} y1="0" y2={height - 20} />
              <text class="m s" x={x(tick)} y={height - 5} text-anchor={x(tick) > right - 24 ? "end" : x(tick) < left + 10 ? "start" : "middle"}>
                {tick < 0 ? `−${mark(-tick)}` : mark(tick)}
              </text>
            </g>
          ))}
          {shown.from < 0 && x(0) > left && <line class="rule2" x1={x(0)} x2={x(0)} y1="0" y2={height - 20} />}
          {ROWS.map((row, i) => (
            <g key={row}>
              <text class="m" x="0" y={narrow ? i * rowHeight + 11 : y(i) + BAR - 2}>
                {t(`live.row.${row}`)}
              </text>
              <line class="rule" x1={left} x2={right} y1={y(i) + BAR + 0.5} y2={y(i) + BAR + 0.5} />
            </g>
          ))}
          {line && <path class="way" d={line} />}
          {labels.map(({ key, text, at, row, quiet }) => (
            <text key={key} class={quiet ? "m s halo" : "s halo"} x={at} y={y(row) - 3}>
              {text}
            </text>
          ))}
          {placed.map(({ bar, x: at, wide }) => (
            <Drawn key={bar.span.id} bar={bar} x={at} wide={wide} y={y(ROWS.indexOf(bar.row))} strength={deciding && !bar.decides ? 0.38 : 1} />
          ))}
          {placed
            .filter(({ bar }) => bar.span.id === chosen)
            .map(({ bar, x: at, wide }) => (
              <rect key="chosen" class="chosen" x={at - 2} y={y(ROWS.indexOf(bar.row)) - 2} width={Math.max(wide, 2) + 4} height={BAR + 4} />
            ))}
          {hovered && hovered.span.id !== chosen && (
            <rect class="hovered" x={Math.max(left, x(hovered.from)) - 2} y={y(ROWS.indexOf(hovered.row)) - 2} width={Math.max(Math.min(right, x(hovered.to)) - Math.max(left, x(hovered.from)), 2) + 4} height={BAR + 4} />
          )}
          <text class="m" x="0" y={narrow ? ROWS.length * rowHeight + 11 : y(ROWS.length) + BAR - 2}>
            {forecasts.length > 0 && t("live.row.forecast")}
          </text>
          {forecasts.map((part) => {
            const from = part.forecast_start_s;
            const a = Math.max(left, x(from));
            const b = Math.min(right, x(from + (part.forecast_s ?? 0)));
            const name = t(`live.part.${part.part}`);
            return b < left || a > right ? null : (
              <g key={part.part} class="expected">
                <rect x={a} y={y(ROWS.length) + 0.5} width={Math.max(b - a, 0.8)} height={BAR - 1} fill={fill(part.carrier, ids.hatch)} stroke={hue(part.carrier)} />
                {b - a > measure(name, 12) + 8 && (
                  <text class="m s" x={a + 4} y={y(ROWS.length) - 3}>
                    {name}
                  </text>
                )}
              </g>
            );
          })}
        </svg>
        <Playhead at={props.at} x={x} left={left} right={right} height={height - 20} />
      </div>
    </div>
  );
}

function Drawn({ bar, x, wide, y, strength }: { bar: Bar; x: number; wide: number; y: number; strength: number }) {
  const { carrier } = bar.span;
  if (bar.span.name === "gap") return <rect class="gap" x={x} y={y + 0.5} width={Math.max(wide, 1)} height={BAR - 1} />;
  if (isModeled(bar.span))
    return <rect class="modeled" x={x + 0.5} y={y + 0.5} width={Math.max(wide - 1, 0.6)} height={BAR - 1} fill={fill(carrier, ids.hatch)} fill-opacity="0.25" stroke={hue(carrier)} />;
  // A hair between neighbors, where there is room for one.
  return <rect x={x} y={y} width={Math.max(wide > 4 ? wide - 1 : wide, 0.9)} height={BAR} fill={fill(carrier, ids.hatch)} opacity={strength} />;
}

/** The way that decides: along each bar, and down or up to the next. */
function wayOf(placed: readonly Placed[], y: (row: number) => number): string {
  let path = "";
  let last: Placed | null = null;
  for (const each of placed) {
    if (!each.bar.decides) continue;
    const level = y(ROWS.indexOf(each.bar.row)) + BAR + 2;
    path += `${last ? "L" : "M"}${each.x.toFixed(1)} ${last ? (y(ROWS.indexOf(last.bar.row)) + BAR + 2).toFixed(1) : level.toFixed(1)}`;
    path += `L${each.x.toFixed(1)} ${level.toFixed(1)}L${(each.x + each.wide).toFixed(1)} ${level.toFixed(1)}`;
    last = each;
  }
  return path;
}

interface Label {
  readonly key: string;
  readonly text: string;
  readonly at: number;
  readonly row: number;
  readonly quiet: boolean;
}

/** Words over bars: tokens over the passes that made them, names over what is wide enough, none over another. */
function labelsOf(trip: Trip, placed: readonly Placed[], t: Say, right: number): Label[] {
  const made: Label[] = [];
  const taken = new Map<number, [number, number][]>();
  const put = (row: number, from: number, to: number): boolean => {
    const all = taken.get(row) ?? [];
    if (to > right + 2 || all.some(([a, b]) => from < b && to > a)) return false;
    taken.set(row, [...all, [from, to]]);
    return true;
  };
  const steps = new Map(trip.tokens.flatMap((token) => (token.step ? [[token.step, token.text] as const] : [])));
  // The widest first: they have the best claim to their place.
  for (const { bar, x, wide } of [...placed].sort((a, b) => b.wide - a.wide)) {
    const row = ROWS.indexOf(bar.row);
    const token = steps.get(bar.span.id);
    const name = nameOf(t, bar.span);
    const long = short(bar.span.duration_s, "s");
    const reads = bar.span.parent === "model.prefill";
    const word = token === undefined || reads ? "" : plainToken(t, token);
    const title = reads ? t("live.part.read") : name;
    const texts = word === "" ? [`${title} ${long}`, title] : [`“${word}” ${long}`, word];
    for (const text of texts) {
      const size = measure(text, 12) + 6;
      const fits = word !== "" ? size <= wide + 8 : size <= Math.max(wide, bar.decides ? 90 : 40) + 40 && wide > 2;
      if (!fits || !put(row, x, x + size)) continue;
      made.push({ key: bar.span.id, text, at: x, row, quiet: !bar.decides });
      break;
    }
  }
  return made;
}

/** Dragging sideways moves the window; the page scrolls as ever. */
function useDrag({ window: shown, setWindow }: WaterfallProps, seconds: (pixels: number) => number) {
  const held = useRef<{ x: number; from: Window; scale: (pixels: number) => number } | null>(null);
  const far = useRef(false);
  const start = (event: PointerEvent) => {
    if (event.button !== 0) return;
    held.current = { x: event.clientX, from: shown, scale: seconds };
    far.current = false;
    const move = (next: PointerEvent) => {
      const now = held.current;
      if (!now) return;
      const pixels = now.x - next.clientX;
      if (Math.abs(pixels) > 4) far.current = true;
      if (far.current) setWindow({ from: now.from.from + now.scale(pixels), to: now.from.to + now.scale(pixels) });
    };
    const end = () => {
      held.current = null;
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  };
  return { start, moving: () => held.current !== null && far.current, moved: () => far.current };
}

/** Ctrl and the wheel (or two fingers) zoom where the pointer is; sideways moves; all else belongs to the page. */
function useWheel(props: WaterfallProps, x: { invert: (pixels: number) => number }, left: number) {
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef({ props, x, left });
  latest.current = { props, x, left };
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const turned = (event: WheelEvent) => {
      const { props: now, x: scale } = latest.current;
      const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
      if (!event.ctrlKey && !event.metaKey && !sideways) return;
      event.preventDefault();
      const { from, to } = now.window;
      if (sideways && !event.ctrlKey && !event.metaKey) {
        const shift = scale.invert(event.deltaX || event.deltaY) - scale.invert(0);
        now.setWindow({ from: from + shift, to: to + shift });
        return;
      }
      const center = scale.invert(event.clientX - element.getBoundingClientRect().left);
      const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 150);
      now.setWindow({ from: center - (center - from) * factor, to: center + (to - center) * factor });
    };
    element.addEventListener("wheel", turned, { passive: false });
    return () => element.removeEventListener("wheel", turned);
  }, []);
  return place;
}

/** The whole trip, small, with the window that is shown: drag it, its edges, or draw a new one. */
function Minimap({ bars, whole, window: shown, setWindow, width, deciding }: WaterfallProps & { readonly width: number }) {
  const x = scaleLinear([whole.from, whole.to], [0, width]);
  const height = ROWS.length * MAP + 8;
  const [a, b] = [x(shown.from), x(shown.to)];
  const down = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.preventDefault();
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const begin = event.clientX - box.left;
    const edge = Math.abs(begin - a) < 8 ? "from" : Math.abs(begin - b) < 8 ? "to" : begin > a && begin < b && b - a < width - 2 ? "move" : "new";
    const move = (next: PointerEvent) => {
      const now = Math.max(0, Math.min(width, next.clientX - box.left));
      const shift = x.invert(now) - x.invert(begin);
      if (edge === "from") setWindow({ from: Math.min(x.invert(now), shown.to), to: shown.to });
      else if (edge === "to") setWindow({ from: shown.from, to: Math.max(x.invert(now), shown.from) });
      else if (edge === "move") setWindow({ from: shown.from + shift, to: shown.to + shift });
      else if (Math.abs(now - begin) > 5) setWindow({ from: x.invert(Math.min(now, begin)), to: x.invert(Math.max(now, begin)) });
    };
    const end = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  };
  const drawn = useMemo(
    () =>
      bars.map((bar) => (
        <rect
          key={bar.span.id} x={x(bar.from)} y={ROWS.indexOf(bar.row) * MAP + 4} width={Math.max(0.7, x(bar.to) - x(bar.from))} height={MAP - 1.5}
          fill={bar.span.carrier === "waiting" ? "var(--waiting)" : hue(bar.span.carrier)} opacity={isModeled(bar.span) ? 0.45 : deciding && !bar.decides ? 0.4 : 1}
        />
      )),
    [bars, width, whole.from, whole.to, deciding],
  );
  return (
    <svg class="chart minimap" height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true" onPointerDown={down}>
      <rect class="ground" x="0" y="0" width={width} height={height} />
      {drawn}
      <rect class="shade" x="0" y="0" width={Math.max(0, a)} height={height} />
      <rect class="shade" x={b} y="0" width={Math.max(0, width - b)} height={height} />
      <rect class="frame" x={Math.max(0.5, a)} y="0.5" width={Math.max(2, Math.min(width - 0.5, b) - Math.max(0.5, a))} height={height - 1} />
      <rect class="grip" x={Math.max(0, a - 1.5)} y={height / 2 - 7} width="3" height="14" />
      <rect class="grip" x={Math.min(width - 3, b - 1.5)} y={height / 2 - 7} width="3" height="14" />
    </svg>
  );
}
