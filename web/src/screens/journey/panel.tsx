/** Figures at the head of the journey, and the panel of a part. */
import { said } from "../../core/said";
import { parts as split, band } from "../../core/units";
import type { Span, Trace } from "../../core/types";
import { link, type Level } from "../../shell/state";
import { useText } from "../../shell/text";
import { ink, partOf, PARTS, type Part, type Teller } from "./parts";
import { label } from "./strip";

export interface FigureProps {
  readonly name: string;
  readonly value: number;
  readonly of: Trace;
  readonly key_: string;
  readonly level: Level;
}

export function Figure({ name, value, of, key_, level }: FigureProps) {
  const say = useText();
  const made = split(value, "s");
  const b = of.summary_bands[key_];
  if (level === "child") return <div><dt class="cap">{name}</dt><dd class="mid j-words">{said(say, value, "s", level)}</dd></div>;
  return (
    <div>
      <dt class="cap">{name}</dt>
      <dd class="mid">{made.number}<small>{"\u00a0"}{made.unit}</small></dd>
      {b && <dd class="cap">{band(b.low, b.high, value, "s")}{"\u00a0"}{made.unit}</dd>}
    </div>
  );
}


export interface PanelProps {
  readonly part: Part;
  readonly trip: Trace;
  readonly told: Teller;
  readonly level: Level;
  readonly close: () => void;
  readonly step: (by: number) => void;
}

/** One part beside the picture: what it does, and its longest stages. */
export function PartPanel({ part, trip, told, level, close, step }: PanelProps) {
  const say = useText();
  const spans = trip.spans.filter((span) => partOf(span) === part && span.duration_s > 0).sort((a, b) => (a.parent ? 1 : 0) - (b.parent ? 1 : 0) || b.duration_s - a.duration_s);
  const longest: Span[] = [];
  for (const span of spans) if (longest.length < 4 && !longest.some((other) => label(other, level) === label(span, level))) longest.push(span);
  return (
    <aside class="j-panel" aria-label={told.name(part)}>
      <div class="j-nav">
        <h2><i>{PARTS.indexOf(part) + 1}</i> {told.name(part)}</h2>
        <button class="ghost" onClick={() => step(-1)} aria-label={`${say("journey.part.previous")} [`}><kbd>[</kbd></button>
        <button class="ghost" onClick={() => step(1)} aria-label={`${say("journey.part.next")} ]`}><kbd>]</kbd></button>
        <button class="ghost" onClick={close} aria-label={`${say("journey.part.close")} Esc`}><kbd>Esc</kbd></button>
      </div>
      <p class="j-does">{told.does(part)}</p>
      <p class="j-more">{told.more(part)}</p>
      <dl>
        {longest.map((span) => (
          <div key={span.id}>
            <dt><svg width="8" height="8" aria-hidden="true"><circle cx="4" cy="4" r="3.4" fill={span.carrier === "waiting" ? "none" : ink(span.carrier)} stroke={ink(span.carrier)} stroke-width="1.4" /></svg><a href={link("stage", span.name)}>{label(span, level)}</a></dt>
            <dd>{said(say, span.duration_s, "s", level)}</dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}
