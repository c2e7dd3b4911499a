/** One answer's trip: its figures, where the time went, the waterfall, the chosen span, the replay, the tables, the files. */
import type { Signal } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Numeral, percent, share, short, times } from "../../charts/numbers";
import { Legend } from "../../charts/paint";
import { digits } from "../../core/units";
import { said } from "../../core/said";
import type { Level } from "../../core/strings";
import { useKeys } from "../../shell/keys";
import { announce } from "../../shell/live";
import { useShare } from "../../shell/share";
import type { LabState } from "../../shell/state";
import { useText } from "../../shell/text";
import { Details } from "./details";
import { FORMS, saveTrip, type Form } from "./load";
import { Parts } from "./parts";
import { Replay } from "./replay";
import { barsOf, nameOf } from "./rows";
import { Tables } from "./tables";
import type { Raw, Trip } from "./types";
import { Waterfall } from "./waterfall";
import { around, held, moved, nearer, type Window } from "./window";

export interface TripProps {
  readonly trip: Trip;
  /** What it was made of; null for the recorded one. */
  readonly raw: Raw | null;
  readonly state: LabState;
  readonly at: Signal<number | null>;
}

export function TripView({ trip, raw, state, at }: TripProps) {
  const t = useText();
  const { level } = state;
  const bars = useMemo(() => barsOf(trip), [trip]);
  const whole: Window = useMemo(() => {
    const last = bars.reduce((end, bar) => Math.max(end, bar.to), trip.measured_s);
    return { from: -trip.lead_s, to: last };
  }, [bars]);
  const [shown, show] = useState<Window>(whole);
  const setWindow = (next: Window) => show(held(next, whole));
  const [deciding, decide] = useState(true);
  const longest = bars.filter((bar) => bar.decides && bar.span.reading === "record").sort((a, b) => b.span.duration_s - a.span.duration_s)[0];
  const [chosen, choose] = useState(longest?.span.id ?? "");
  useEffect(() => {
    show(whole);
    choose(longest?.span.id ?? "");
  }, [trip]);
  const bar = bars.find((each) => each.span.id === chosen) ?? longest ?? bars[0];

  const tell = (next: Window) => {
    const now = held(next, whole);
    setWindow(next);
    announce(t("live.seen", { from: short(now.from, "s"), to: short(now.to, "s") }));
  };
  const pick = (id: string) => {
    choose(id);
    const found = bars.find((each) => each.span.id === id);
    if (!found) return;
    announce(`${nameOf(t, found.span)}, ${said(t, found.span.duration_s, "s", level)}`);
    if (found.to < shown.from || found.from > shown.to) setWindow(moved({ ...shown }, (found.from - (shown.from + shown.to) / 2) / (shown.to - shown.from)));
  };
  const step = (by: number) => {
    const walk = deciding ? bars.filter((each) => each.decides) : bars;
    const now = walk.findIndex((each) => each.span.id === bar?.span.id);
    const next = walk[Math.min(walk.length - 1, Math.max(0, (now < 0 ? 0 : now) + by))];
    if (next) pick(next.span.id);
  };
  const first = trip.line.first_s ?? trip.measured_s;
  const lastStart = trip.tokens.filter((token) => token.painted_s !== null).pop()?.made_s ?? 0;
  const zooms = {
    fit: () => tell(whole),
    first: () => tell(around(0, first, 0.08)),
    last: () => tell(around(lastStart, trip.measured_s, 1.2)),
    in: () => tell(nearer(shown, 1.6, bar && bar.to > shown.from && bar.from < shown.to ? (Math.max(bar.from, shown.from) + Math.min(bar.to, shown.to)) / 2 : undefined)),
    out: () => tell(nearer(shown, 1 / 1.6)),
    this: () => bar && tell(around(bar.from, bar.to)),
  };
  const place = useRef<HTMLDivElement>(null);
  const within = () => place.current;
  useKeys(
    [
      { key: "[", shown: "[ ]", does: t("live.key.spans"), run: () => step(-1), within },
      { key: "]", does: t("live.key.spans"), run: () => step(1), within, hidden: true },
      { key: "+", shown: "+ −", does: t("live.key.zoom"), run: zooms.in, within },
      { key: "=", does: t("live.key.zoom"), run: zooms.in, within, hidden: true },
      { key: "-", does: t("live.key.zoom"), run: zooms.out, within, hidden: true },
      { key: "0", does: t("live.key.fit"), run: zooms.fit, within },
      { key: "ArrowLeft", shown: t("key.name.arrows"), does: t("live.key.pan"), run: () => tell(moved(shown, -0.25)), within },
      { key: "ArrowRight", does: t("live.key.pan"), run: () => tell(moved(shown, 0.25)), within, hidden: true },
      { key: "c", does: t("live.key.path"), run: () => decide(!deciding), within },
    ],
    [state.lang, level],
  );
  useShare(
    {
      name: "trip",
      json: () => trip.trace,
      rows: () => [["span", "row", "start_s", "duration_s", "decides", "reading"], ...bars.map((each) => [each.span.id, each.row, each.from, each.span.duration_s, each.decides ? 1 : 0, each.span.reading])],
      picture: () => place.current?.querySelector<SVGSVGElement>(".plot svg") ?? null,
    },
    [trip],
  );
  const time = (value: number) => said(t, value, "s", level);
  const parts = trip.parts.filter((part) => part.recorded_s > 0);
  const most = [...parts].sort((a, b) => b.recorded_s - a.recorded_s)[0];
  const { ratio } = trip;
  const order = [...new Set(bars.filter((each) => each.decides).map((each) => each.span.name))].map((name) => bars.find((each) => each.span.name === name)!);
  const summary = t("live.picture.said", {
    count: bars.length, whole: time(trip.measured_s),
    path: order.filter((each) => each.span.reading === "record").map((each) => nameOf(t, each.span)).join(", "),
  });
  const { clock } = trip;
  const carriers = [...new Set(bars.map((each) => each.span.carrier))];
  return (
    <div class="trip">
      <div class="figs">
        {trip.line.first_s !== null && (
          <div>
            <div class="label">{t("live.first")}</div>
            <Figure value={trip.line.first_s} level={level} said={time} />
          </div>
        )}
        <div>
          <div class="label">{t("live.whole")}</div>
          <Figure value={trip.measured_s} level={level} said={time} />
        </div>
        {trip.line.rate_token_s !== null && (
          <div>
            <div class="label">{t("live.rate")}</div>
            <span class="mid">{digits(trip.line.rate_token_s, 2)}</span>
          </div>
        )}
        <p class="small idea2">
          {most && t("live.bars.longest", { part: upper(t(`live.part.${most.part}`)), value: time(most.recorded_s), share: percent(share(most.recorded_s, trip.measured_s)) })}{" "}
          {ratio !== null && t(ratio > 1.1 ? "live.bars.more" : "live.bars.less", { times: times(ratio) })}
        </p>
      </div>
      <Parts trip={trip} t={t} title={`${t("live.bars")}: ${parts.map((part) => t("aria.bar", { name: t(`live.part.${part.part}`), value: time(part.recorded_s), share: percent(share(part.recorded_s, trip.measured_s)) })).join("; ")}`} />
      <div class="tools noprint" role="group" aria-label={t("live.picture")}>
        <button class="ghost" aria-pressed={deciding} onClick={() => decide(!deciding)}>
          {t("live.path")} <kbd class="after">C</kbd>
        </button>
        <span class="zooms">
          <button class="round" aria-label={t("live.zoom.out")} title={t("live.zoom.out")} onClick={zooms.out}>
            −
          </button>
          <button class="round" aria-label={t("live.zoom.in")} title={t("live.zoom.in")} onClick={zooms.in}>
            +
          </button>
          <button class="round" aria-label={t("live.pan.left")} title={t("live.pan.left")} onClick={() => tell(moved(shown, -0.25))}>
            ‹
          </button>
          <button class="round" aria-label={t("live.pan.right")} title={t("live.pan.right")} onClick={() => tell(moved(shown, 0.25))}>
            ›
          </button>
        </span>
        <button class="ghost" onClick={zooms.fit}>
          {t("live.zoom.fit")} <kbd class="after">0</kbd>
        </button>
        <button class="ghost" onClick={zooms.first}>
          {t("live.zoom.first")}
        </button>
        <button class="ghost" onClick={zooms.last}>
          {t("live.zoom.last")}
        </button>
      </div>
      <div class="stage" ref={place} tabIndex={0} role="group" aria-label={t("live.picture")}>
        <Waterfall
          trip={trip} bars={bars} window={shown} setWindow={setWindow} whole={whole} chosen={bar?.span.id ?? ""} onChoose={pick}
          deciding={deciding} at={at} label={summary} t={t}
        />
      </div>
      <Legend items={carriers.map((carrier) => ({ carrier, name: t(`carrier.${carrier}`) }))} />
      <Replay trip={trip} whole={whole} at={at} motion={state.motion} t={t} />
      <div class="under">
        {bar && <Details trip={trip} bar={bar} level={level} t={t} onStep={step} onZoom={zooms.this} />}
        <div class="facts2">
          <p class="small">
            {t("live.sum", { path: time(trip.path_s), measured: time(trip.measured_s), gap: time(trip.unattributed_s), share: `${digits(trip.unattributed_share * 100, 1)}%` })}
          </p>
          {clock && (
            <p class="small">
              {t(clock.agrees ? "live.clock" : "live.clock.broken", {
                ahead: short(clock.ahead_s, "s"), error: time(clock.error_s), rounds: clock.rounds, bounds: clock.bounds,
                fastest: clock.fastest_s === null ? "–" : short(clock.fastest_s, "s"),
              })}
            </p>
          )}
          <p class="files noprint">
            <span class="small">{t("live.save")}</span>
            {(Object.keys(FORMS) as Form[]).filter((form) => raw !== null || form !== "otlp").map((form) => (
              <button key={form} class="ghost" onClick={() => saveTrip(form, raw, trip).then(() => announce(t("action.saved")), (error: unknown) => announce(String(error)))}>
                {t(`live.save.${form}`)}
              </button>
            ))}
          </p>
        </div>
      </div>
      <Tables trip={trip} bars={bars} level={level} t={t} />
    </div>
  );
}

/** A time in large type; a child reads it in words. */
const Figure = ({ value, level, said: words }: { value: number; level: Level; said: (value: number) => string }) =>
  level === "child" ? <span class="mid">{words(value)}</span> : <Numeral class="mid" value={value} unit="s" />;

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
