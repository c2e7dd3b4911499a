/** The chosen span in words: what it is, when, how long, what it is a part of, and what else is known of it. */
import { percent, share } from "../../charts/numbers";
import { said } from "../../core/said";
import type { Level } from "../../core/strings";
import type { Span } from "../../core/types";
import { link } from "../../shell/state";
import type { Say } from "../../shell/text";
import { isModeled, nameOf, stageOf, plainToken, tokenOf, whatOf, type Bar } from "./rows";
import type { Trip } from "./types";

export interface DetailsProps {
  readonly trip: Trip;
  readonly bar: Bar;
  readonly level: Level;
  readonly t: Say;
  readonly onStep: (by: number) => void;
  readonly onZoom: () => void;
}

const COUNTS: Readonly<Record<string, string>> = { tokens_token: "live.tokens", bytes_B: "live.bytes", requests: "live.requests" };

export function Details({ trip, bar, level, t, onStep, onZoom }: DetailsProps) {
  const { span } = bar;
  const time = (value: number) => said(t, value, "s", level);
  const token = tokenOf(trip, span);
  const parents: Span[] = [];
  for (let at = span.parent; at; at = parents[parents.length - 1]?.parent ?? null) {
    const found = trip.trace.spans.find((each) => each.id === at);
    if (!found) break;
    parents.push(found);
  }
  const rows: [string, string][] = [
    [t("live.takes"), `${time(span.duration_s)}${isModeled(span) ? "" : `, ${percent(share(span.duration_s, trip.measured_s))} ${t("live.of")}`}`],
    [t("live.start"), t(bar.from < 0 ? "live.start.before" : "live.start.value", { value: time(Math.abs(bar.from)) })],
  ];
  if (token) {
    rows.push([t("live.token"), `“${plainToken(t, token.text)}”`]);
    if (token.probability !== null) rows.push([t("live.chance"), percent(token.probability)]);
    const others = token.top.filter((each) => each.text !== token.text).slice(0, 2);
    if (others.length) rows.push([t("live.others"), others.map((each) => `“${plainToken(t, each.text)}” ${percent(each.probability)}`).join(", ")]);
  }
  if (level === "engineer")
    for (const [name, key] of Object.entries(COUNTS)) {
      const value = span.attributes[name];
      if (typeof value === "number") rows.push([t(key), String(value)]);
    }
  if (level !== "child" && parents.length) rows.push([t("live.parent"), parents.map((each) => t(`live.span.${each.name}`)).join(" ‹ ")]);
  return (
    <section class="details" aria-labelledby="span-name">
      <div class="head2">
        <h2 id="span-name">{nameOf(t, span)}</h2>
        <span class="steps noprint">
          <button class="ghost" aria-label={t("live.previous")} title={t("live.previous")} onClick={() => onStep(-1)}>
            ‹ <kbd class="after">[</kbd>
          </button>
          <button class="ghost" aria-label={t("live.next")} title={t("live.next")} onClick={() => onStep(1)}>
            › <kbd class="after">]</kbd>
          </button>
          <button class="ghost" onClick={onZoom}>
            {t("live.zoom.this")}
          </button>
        </span>
      </div>
      <p class="what">{whatOf(t, span)}</p>
      <dl>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p class="small">
        {isModeled(span) ? t("live.forecast.only") : bar.decides ? t("live.on.path") : t("live.off.path")}{" "}
        {isModeled(span) && <a href={link("stage", stageOf(span))}>{t("live.stage")}</a>}
      </p>
    </section>
  );
}
