/** All stages of the trip on one time line, one lane a part: how long each takes (logarithmic), or when it happens (linear). */
import { useMemo, useState } from "preact/hooks";
import { scaleLinear, scaleLog } from "d3-scale";
import { has, t } from "../../core/strings";
import { said } from "../../core/said";
import { band, si } from "../../core/units";
import type { Span, Trace } from "../../core/types";
import { link, type Level } from "../../shell/state";
import { ink, lanes, youth, type Lane, type Part, type Teller } from "./parts";

export type TimeScale = "log" | "linear" | "first";
export type ColorBy = "carrier" | "decade";

const LEFT = 184;
const TOP = 26;

export function color(span: Span, by: ColorBy): string {
  if (by === "carrier") return ink(span.carrier);
  return `color-mix(in oklab, var(--fg) ${Math.round(22 + 78 * youth(span.since?.year ?? 2000))}%, var(--bg))`;
}

export function label(span: Span, level: Level): string {
  if (level !== "child" && span.parent && span.name === span.parent) return span.title;
  const stage = [span.name, span.name.split(".").slice(0, 2).join(".")].find((name) => has(`short.${name}`));
  return stage ? t(`short.${stage}`, level) : span.title;
}

interface Mark {
  readonly span: Span;
  readonly low: number;
  readonly mid: number;
  readonly high: number;
  /** Where the text stands; none for a mark that only shows itself when pointed at. */
  readonly text: { readonly x: number; readonly anchor: "start" | "middle" | "end" } | null;
  /** 1: the band lies lower and the text over it. */
  readonly row: 0 | 1;
}

const wide = (text: string) => text.length * 5.9 + 4;
type Gap = readonly [number, number];
const clear = (taken: readonly Gap[], a: number, b: number) => taken.every(([c, d]) => b < c || a > d);

/** What a lane is about is placed first, wherever longer things stand. */
const FIRST = ["model.prefill", "model.decode", "datacenter.queue", "optics.fiber", "keyboard.press", "eye.cortex", "display.panel", "datacenter.balancer"];

/** Place the most telling stages first, each with its text where there is room; the others stay dots. */
function place(lane: Lane, level: Level, x: (s: number) => number, right: number): Mark[] {
  const texts: Gap[] = [];
  const bands: readonly [Gap[], Gap[]] = [[], []];
  const marks: Mark[] = [];
  const rank = (span: Span) => (FIRST.includes(span.name) && !span.parent ? 0 : span.parent ? 2 : 1);
  const order = lane.spans.filter((span) => span.duration_s > 0).sort((a, b) => rank(a) - rank(b) || (rank(a) === 0 ? FIRST.indexOf(a.name) - FIRST.indexOf(b.name) : 0) || b.duration_s - a.duration_s);
  const seen = new Set<string>();
  const dots = order.map((span) => x(span.duration_s));
  for (const span of order) {
    const spread = span.bands["duration_s"];
    const mid = x(span.duration_s);
    const low = x(Math.max(spread?.low ?? span.duration_s, 1e-10));
    const high = x(spread?.high ?? span.duration_s);
    const text = label(span, level);
    const w = wide(text);
    let stand: Mark["text"] = null;
    let row: 0 | 1 = 0;
    const inside = (a: number, b: number) => a >= LEFT - 2 && b <= right + 24;
    // no text lies on the dot of another stage
    const dotless = (a: number, b: number) => dots.every((dot) => dot === mid || dot < a - 3 || dot > b + 3);
    const fits = (a: number, b: number) => inside(a, b) && (rank(span) === 0 || dotless(a, b)) && clear(texts, a, b) && clear(bands[0], a, b) && clear(bands[1], a, b);
    // a child reads plain names; what has none stays a dot
    if (!seen.has(text) && (level !== "child" || text !== span.title)) {
      const free = clear(texts, low - 8, high + 8) && clear(bands[0], low - 8, high + 8) && clear(bands[1], low - 8, high + 8);
      const below = clear(texts, low - 8, high + 8) && clear(bands[1], low - 8, high + 8);
      const before = free && fits(low - 9 - w, low - 4);
      if (free && fits(high + 4, high + 9 + w) && !(before && span.name === "model.prefill")) stand = { x: high + 7, anchor: "start" };
      else if (before) stand = { x: low - 7, anchor: "end" };
      else if (below && inside(mid - w / 2, mid + w / 2) && (rank(span) === 0 || dotless(mid - w / 2, mid + w / 2)) && clear(texts, mid - w / 2 - 4, mid + w / 2 + 4) && clear(bands[0], mid - w / 2 + 8, mid + w / 2 - 8)) {
        stand = { x: mid, anchor: "middle" };
        row = 1;
      }
    }
    if (stand) {
      bands[row].push([low - 5, high + 5]);
      texts.push(stand.anchor === "start" ? [high + 4, high + 9 + w] : stand.anchor === "end" ? [low - 9 - w, low - 4] : [mid - w / 2, mid + w / 2]);
      seen.add(text);
    }
    marks.push({ span, low, mid, high, text: stand, row });
  }
  // a dot under a text would only blur it; its stage stands in the table
  return marks.filter((mark) => mark.text || clear(texts, mark.mid - 2, mark.mid + 2));
}

const TICKS: readonly (readonly [number, string])[] = [
  [1e-9, "1 ns"], [1e-8, ""], [1e-7, ""], [1e-6, "1 µs"], [1e-5, ""], [1e-4, ""], [1e-3, "1 ms"], [1e-2, ""], [1e-1, ""], [1, "1 s"], [10, "10 s"],
];

export interface StripProps {
  readonly trip: Trace;
  readonly width: number;
  readonly height: number;
  readonly scale: TimeScale;
  readonly by: ColorBy;
  readonly level: Level;
  readonly told: Teller;
  readonly part: Part | null;
  readonly choose: (part: Part | null) => void;
}

export function Strip({ trip, width, height, scale, by, level, told, part, choose }: StripProps) {
  const [pointed, point] = useState<Span | null>(null);
  const all = useMemo(() => lanes(trip.spans), [trip]);
  const right = width - 14;
  const row = (height - TOP - 4) / all.length;
  const first = (trip.summary["time_to_first_word_s"] ?? trip.summary["time_to_first_token_s"]) as number;
  const whole = trip.summary["time_to_last_token_s"] as number;
  const logX = useMemo(() => scaleLog().domain([3e-10, 45]).range([LEFT, right]).clamp(true), [right]);
  const end = scale === "first" ? first * 1.06 : whole * 1.02;
  const x = useMemo(() => scaleLinear().domain([0, end]).range([LEFT, right]).clamp(true), [right, end]);
  const marks = useMemo(() => all.map((lane) => place(lane, level, logX, right)), [all, level, logX, right]);
  const shown = pointed;
  const read = shown ? `${shown.title}: ${si(shown.duration_s, "s")}${spread(shown)}` : "";
  const onMark = (span: Span) => ({
    onPointerEnter: () => point(span),
    onPointerLeave: () => point(null),
    onFocus: () => point(span),
    onBlur: () => point(null),
  });
  const dim = (lane: Lane) => (part && lane.part !== part ? 0.38 : 1);
  const summary = t("journey.summary", level, { first_word: si(first, "s"), whole_answer: si(whole, "s") });
  return (
    <svg class="j-strip" viewBox={`0 0 ${width} ${height}`} width={width} height={height} role="group"
      aria-label={t("aria.strip", level, { count: trip.spans.length, summary })}>
      {scale === "log"
        ? TICKS.map(([s, text]) => (
            <g key={s}>
              <line x1={logX(s)} x2={logX(s)} y1={TOP - 4} y2={height} class="j-grid" />
              {text && !near(s, [first, whole]) && !(shown && logX(s) < read.length * 6.2) && <text x={logX(s)} y={12} text-anchor="middle" class="j-tick">{text}</text>}
            </g>
          ))
        : x.ticks(width < 800 ? 5 : 10).map((s) => (
            <g key={s}>
              <line x1={x(s)} x2={x(s)} y1={TOP - 4} y2={height} class="j-grid" />
              <text x={x(s)} y={12} text-anchor="middle" class="j-tick">{si(s, "s", 2).replace(/\.0(?=\D)/, "")}</text>
            </g>
          ))}
      {(scale === "log"
        ? ([[first, "first word"], [whole, "whole answer"]] as const).map(([s, word]) => (
            <g key={word}>
              <line x1={logX(s)} x2={logX(s)} y1={TOP - 8} y2={height} class="j-rule" />
              <text x={logX(s) + (word === "first word" ? -4 : 0)} y={12} text-anchor={word === "first word" ? "end" : "middle"} class="j-on">
                {t(word === "first word" ? "journey.first_read" : "journey.whole_answer", level)}
              </text>
            </g>
          ))
        : [<line key="f" x1={x(first)} x2={x(first)} y1={TOP - 8} y2={height} class="j-rule" />])}
      {all.map((lane, i) => {
        const y = TOP + i * row + row / 2;
        return (
          <g key={lane.part} opacity={dim(lane)}>
            <line x1={0} x2={width} y1={y + row / 2} y2={y + row / 2} class="j-grid" />
            <g class="j-lane" role="button" tabindex={0} aria-pressed={part === lane.part}
              onClick={() => choose(part === lane.part ? null : lane.part)}
              onKeyDown={(event) => {
                if (event.key === "Enter" || event.key === " ") {
                  event.preventDefault();
                  choose(part === lane.part ? null : lane.part);
                }
              }}>
              <rect x={0} y={y - row / 2} width={LEFT - 14} height={row} fill="transparent" />
              <text x={0} y={y + 4.5} class="j-no">{i + 1}</text>
              <text x={18} y={y + 4.5} class="j-name">{told.name(lane.part)}</text>
            </g>
            {scale === "log"
              ? marks[i]!.filter((mark) => !mark.text).map((mark) => (
                  <a key={mark.span.id} href={link("stage", mark.span.name)} tabindex={-1} {...onMark(mark.span)} aria-hidden="true">
                    <circle cx={mark.mid} cy={y} r={7} fill="transparent" />
                    <circle cx={mark.mid} cy={y} r={2.4} fill={color(mark.span, by)} opacity={0.75} />
                  </a>
                ))
              : null}
            {scale === "log"
              ? marks[i]!.filter((mark) => mark.text).map((mark) => {
                  const waits = mark.span.carrier === "waiting" && by === "carrier";
                  const tint = color(mark.span, by);
                  const drop = mark.row ? 6 : 0;
                  return (
                    <a key={mark.span.id} href={link("stage", mark.span.name)} {...onMark(mark.span)}
                      aria-label={`${label(mark.span, level)}: ${mark.span.title}: ${si(mark.span.duration_s, "s")}${spread(mark.span)}`}>
                      <rect x={mark.low - 4} y={y - row / 2} width={Math.max(mark.high - mark.low + 8, 12)} height={row} fill="transparent" />
                      <line x1={mark.low} x2={mark.high} y1={y + drop} y2={y + drop} stroke={tint} class="j-band" stroke-dasharray={waits ? "1 5" : undefined} />
                      <circle cx={mark.mid} cy={y + drop} r={4.2} fill={waits ? "var(--bg)" : tint} stroke={tint} stroke-width={waits ? 2 : 0} />
                      <text x={mark.text!.x} y={mark.row ? y - 1 : y + 4} text-anchor={mark.text!.anchor} class={mark.span === pointed || mark.span.duration_s > 0.1 * first ? "j-on" : "j-off"}>
                        {label(mark.span, level)}
                      </text>
                    </a>
                  );
                })
              : bars(lane, level, x, y, row, right, by, onMark)}
          </g>
        );
      })}
      <text x={0} y={12} class={shown ? "j-on" : "j-tick"}>{read}</text>
    </svg>
  );
}

function spread(span: Span): string {
  const b = span.bands["duration_s"];
  const text = b ? band(b.low, b.high, span.duration_s, "s") : "";
  return text ? ` (${text})` : "";
}

function near(s: number, others: readonly number[]): boolean {
  return others.some((other) => Math.abs(Math.log10(s) - Math.log10(other)) < 0.45);
}

function bars(lane: Lane, level: Level, x: (s: number) => number, y: number, row: number, right: number, by: ColorBy, on: (span: Span) => object) {
  const taken: [number, number][] = [];
  // what runs beside the others would cover them
  const spans = lane.spans
    .filter((span) => (!span.parent || lane.part === "cache") && !BESIDE.includes(span.id) && span.duration_s > 0 && x(span.start_s) < right)
    .sort((a, b) => b.duration_s - a.duration_s);
  const edges = spans.map((span) => [x(span.start_s), Math.min(x(span.start_s + span.duration_s), right)] as const);
  return spans.map((span, i) => {
    const [a, b] = edges[i]!;
    const text = label(span, level);
    const w = wide(text);
    const inside = b - a > w + 40;
    // inside a long bar the text stands behind the short ones that lie on it
    const after = edges.reduce((most, [c, d], j) => (j !== i && d - c < (b - a) / 2 && c >= a - 1 && c < a + w + 20 ? Math.max(most, d) : most), a);
    const at = inside ? after + 6 : b + 6;
    const fits = (inside || at + w < right + 10) && taken.every(([c, d]) => at + w < c || at > d) && (inside || edges.every(([c, d], j) => j === i || at + w < c || at > d || d - c > w + 40));
    if (fits) taken.push([at, at + w]);
    const tint = color(span, by);
    const waits = span.carrier === "waiting" && by === "carrier";
    return (
      <a key={span.id} href={link("stage", span.name)} {...on(span)} tabindex={fits ? 0 : -1} aria-hidden={fits ? undefined : "true"}
        aria-label={`${text}: ${span.title}: ${si(span.duration_s, "s")}`}>
        <rect x={a} y={y - (inside ? row * 0.4 : 4)} width={Math.max(b - a, 1.5)} height={inside ? row * 0.8 : 8} fill={waits ? "url(#j-hatch)" : tint} opacity={inside ? 0.32 : 0.85} />
        <rect x={a - 3} y={y - row / 2} width={Math.max(b - a + 6, 8)} height={row} fill="transparent" />
        {fits && <text x={at} y={y + 4} class="j-on">{text}</text>}
      </a>
    );
  });
}

const BESIDE = ["datacenter.power", "stream.display"];

/** On a phone: one row a stage under its part, the same axis for all. */
export function Rows({ trip, by, level, told }: { readonly trip: Trace; readonly by: ColorBy; readonly level: Level; readonly told: Teller }) {
  const all = useMemo(() => lanes(trip.spans), [trip]);
  const x = scaleLog().domain([7e-10, 45]).range([0, 100]).clamp(true);
  const marks = [1e-9, 1e-6, 1e-3, 1];
  return (
    <div class="j-rows">
      <div class="j-row">
        <span class="cap">{t("journey.strip.log", level)}</span>
        <svg width="100%" height="16" aria-hidden="true">
          {marks.map((s) => <text key={s} x={`${x(s)}%`} y="12" text-anchor="middle" class="j-tick">{si(s, "s", 1)}</text>)}
        </svg>
      </div>
      {all.map((lane, i) => {
        const spans = lane.spans.filter((span) => span.duration_s > 0 && !(level === "child" && span.parent));
        const most = spans.reduce<Span | null>((long, span) => (!span.parent && (!long || span.duration_s > long.duration_s) ? span : long), null);
        return (
          <details key={lane.part} id={`rows-${lane.part}`}>
            <summary>
              <span class="j-count">{i + 1}</span>
              <span class="j-lane-name">{told.name(lane.part)}<small>{most ? `${label(most, level)}, ${si(most.duration_s, "s")}` : "–"}</small></span>
              <span class="j-more-rows">{spans.length}</span>
            </summary>
            {spans.map((span) => <Row key={span.id} span={span} by={by} level={level} x={x} marks={marks} />)}
          </details>
        );
      })}
    </div>
  );
}

interface RowProps {
  readonly span: Span;
  readonly by: ColorBy;
  readonly level: Level;
  readonly x: (seconds: number) => number;
  readonly marks: readonly number[];
}

function Row({ span, by, level, x, marks }: RowProps) {
  const b = span.bands["duration_s"];
  const waits = span.carrier === "waiting" && by === "carrier";
  const tint = color(span, by);
  return (
    <a class="j-row" href={link("stage", span.name)}>
      <span class="j-what">{label(span, level)}</span>
      <svg width="100%" height="14" aria-hidden="true">
        <line x1="0" x2="100%" y1="7" y2="7" class="j-grid" />
        {marks.map((s) => <line key={s} x1={`${x(s)}%`} x2={`${x(s)}%`} y1="4" y2="10" class="j-notch" />)}
        {b && <line x1={`${x(Math.max(b.low, 1e-10))}%`} x2={`${x(b.high)}%`} y1="7" y2="7" stroke={tint} class="j-band" stroke-dasharray={waits ? "1 5" : undefined} />}
        <circle cx={`${x(span.duration_s)}%`} cy="7" r="4.2" fill={waits ? "var(--bg)" : tint} stroke={tint} stroke-width={waits ? 2 : 0} />
      </svg>
      <span class="j-value">{si(span.duration_s, "s")}</span>
    </a>
  );
}

export function Hatch() {
  return (
    <svg width="0" height="0" class="j-defs" aria-hidden="true">
      <defs>
        <pattern id="j-hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="5" stroke="var(--waiting)" stroke-width="2.4" />
        </pattern>
      </defs>
    </svg>
  );
}

/** The same numbers as a table: every stage of every part. */
export function Table({ trip, level, told }: { readonly trip: Trace; readonly level: Level; readonly told: Teller }) {
  const groups = [...lanes(trip.spans).map((lane) => ({ name: told.name(lane.part), spans: lane.spans })),
    { name: t("journey.table.always_on", level), spans: trip.spans.filter((span) => span.id.startsWith("on.")) }];
  if (level === "child") return <ChildTable groups={groups} level={level} />;
  return (
    <div class="j-scroll" role="region" aria-label={t("journey.strip.title", level)} tabIndex={0}>
      <table class="j-table">
        <caption class="unseen">{t("journey.strip.title", level)}</caption>
        <thead>
          <tr>{["stage", "start", "takes", "likely", "energy", "carrier", "since"].map((name) => <th key={name} scope="col">{t(`journey.table.${name}`, level)}</th>)}</tr>
        </thead>
        {groups.map((group, i) => group.spans.length > 0 && (
          <tbody key={group.name}>
            <tr><th scope="rowgroup" colSpan={7}>{i < groups.length - 1 ? `${i + 1}  ` : ""}{group.name}</th></tr>
            {group.spans.map((span) => {
              const b = span.bands["duration_s"];
              return (
                <tr key={span.id}>
                  <th scope="row"><a href={link("stage", span.name)}>{span.title}</a></th>
                  <td>{si(span.start_s, "s")}</td>
                  <td>{si(span.duration_s, "s")}</td>
                  <td>{b ? band(b.low, b.high, span.duration_s, "s") || "exact" : "–"}</td>
                  <td>{si(span.energy_J, "J")}</td>
                  <td>{t(`carrier.${span.carrier}`, level)}</td>
                  <td>{span.since?.year ?? "–"}</td>
                </tr>
              );
            })}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** For a child: the steps that are no part of another, by their plain names, how long, and what carries them. */
function ChildTable({ groups, level }: { readonly groups: readonly { readonly name: string; readonly spans: readonly Span[] }[]; readonly level: Level }) {
  const name = (span: Span) => (has(`stages.${span.name}.title`) ? t(`stages.${span.name}.title`, level) : span.title);
  return (
    <div class="j-scroll" role="region" aria-label={t("journey.strip.title", level)} tabIndex={0}>
      <table class="j-table">
        <caption class="unseen">{t("journey.strip.title", level)}</caption>
        <thead><tr>{["stage", "takes", "carrier"].map((head) => <th key={head} scope="col">{t(`journey.table.${head}`, level)}</th>)}</tr></thead>
        {groups.map((group) => {
          const spans = group.spans.filter((span) => !span.parent);
          return spans.length > 0 && (
            <tbody key={group.name}>
              <tr><th scope="rowgroup" colSpan={3}>{group.name}</th></tr>
              {spans.map((span) => (
                <tr key={span.id}>
                  <th scope="row"><a href={link("stage", span.name)}>{name(span)}</a></th>
                  <td>{said((key, values = {}) => t(key, level, values), span.duration_s, "s", level)}</td>
                  <td>{t(`carrier.${span.carrier}`, level)}</td>
                </tr>
              ))}
            </tbody>
          );
        })}
      </table>
    </div>
  );
}
