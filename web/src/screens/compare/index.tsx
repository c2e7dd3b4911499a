/** Any two trips on the same axes, what differs stage by stage, and a sentence that says so. */
import { useEffect, useRef } from "preact/hooks";
import { loadLab, loadTrip } from "../../core/data";
import type { Carrier, Head, Lab, Preset, Span, Trace } from "../../core/types";
import { si } from "../../core/units";
import { Deltas, type Delta } from "../../charts/deltas";
import { Dumbbells } from "../../charts/dumbbells";
import { Lanes, type Lane } from "../../charts/lanes";
import { percent, ratio, short, times, Raised } from "../../charts/numbers";
import { Figure, words } from "../../charts/said";
import { Twin } from "../../charts/twin";
import { useData } from "../../shell/data";
import { announce } from "../../shell/live";
import { Loading } from "../../shell/notices";
import { useShare } from "../../shell/share";
import { link, setParams, type ScreenProps } from "../../shell/state";
import { useText, type Say } from "../../shell/text";
import { moved } from "../wait/swaps";
import "./compare.css";

interface Change {
  readonly id: string;
  readonly name: string;
  readonly stage: string;
  readonly carrier: Carrier;
  readonly a_s: number;
  readonly b_s: number;
  readonly a_J: number;
  readonly b_J: number;
}

/** Spans of both trips side by side; 0 where a trip does not have one. Parts of a whole and what is on anyway stay out. */
function changesOf(a: Trace, b: Trace, t: Say, level: string): Change[] {
  const own = (trace: Trace) => new Map(trace.spans.filter((s) => s.parent === null && !/^(on|stream)\./.test(s.id) && s.name !== "datacenter.power").map((s) => [s.id, s]));
  const [left, right] = [own(a), own(b)];
  const joules = (span: Span | undefined) =>
    span ? Object.entries(span.energy_heads_J).filter(([head]) => head !== "always_on").reduce((sum, [, value]) => sum + (value ?? 0), 0) : 0;
  return [...new Set([...left.keys(), ...right.keys()])].map((id) => {
    const [one, two] = [left.get(id), right.get(id)];
    const span = (two ?? one) as Span;
    // Sentences of the model for who wants them; a pupil gets the names that the stages have elsewhere.
    const name = level === "child" ? t(`stages.${span.name}.title`) : span.title;
    return {
      id,
      name: id.startsWith("back.") ? `${name} ${t("compare.back")}` : name,
      stage: span.name,
      carrier: span.carrier,
      a_s: one?.duration_s ?? 0,
      b_s: two?.duration_s ?? 0,
      a_J: joules(one),
      b_J: joules(two),
    };
  });
}

const figure = (trace: Trace, name: string): number => {
  const value = trace.summary[name];
  return typeof value === "number" ? value : 0;
};
const head = (trace: Trace, ...heads: Head[]): number => {
  const value = trace.summary["energy_J"];
  return typeof value === "object" ? heads.reduce((sum, each) => sum + (value[each] ?? 0), 0) : 0;
};

/** The wait of a trip as parts of one bar. */
export function lane(trace: Trace, title: string, t: Say): Lane {
  const names: [string, Carrier][] = [
    ["network_s", "photons"],
    ["datacenter_s", "moving charge"],
    ["queue_s", "waiting"],
    ["prefill_s", "moving charge"],
  ];
  const first = figure(trace, "time_to_first_token_s");
  const known = names.map(([name]) => figure(trace, name));
  const before = Math.max(0, known.reduce((left, each) => left - each, first));
  const parts: { key: string; name: string; carrier: Carrier; start: number; value: number }[] = [];
  let at = 0;
  const push = (key: string, name: string, carrier: Carrier, value: number) => {
    if (value > 0) parts.push({ key, name, carrier, start: at, value });
    at += value;
  };
  push("client", t("wait.share.client"), "motion", before);
  names.forEach(([name, carrier], i) => push(name, t(`wait.share.${name.replace("_s", "")}`), carrier, known[i] ?? 0));
  const last = figure(trace, "time_to_last_token_s");
  parts.push({ key: "decode", name: t("wait.share.decode"), carrier: "moving charge", start: first, value: Math.max(0, last - first) });
  return { key: trace.scenario.name, title, parts, first, end: last };
}

function entryTitle(lab: Lab, slot: string, key: string): string {
  return lab.slots.find((each) => each.key === slot)?.entries.find((each) => each.key === key)?.title ?? key;
}

export default function Compare({ state }: ScreenProps) {
  const t = useText();
  const lab = useData(loadLab);
  const full = (lab?.presets ?? []).filter((each) => each.way === "full");
  const known = (key: string | undefined, other: string) => (full.some((each) => each.key === key) ? (key as string) : other);
  const keyA = known(state.params["a"], "cloud");
  const keyB = known(state.params["b"], keyA === "device" ? "cloud" : "device");
  const pair = useData(async () => [await loadTrip(keyA), await loadTrip(keyB)] as const, [keyA, keyB]);
  const page = useRef<HTMLDivElement>(null);
  const scale = state.params["time"] === "log" ? "log" : "linear";
  const fits = pair && pair[0].scenario.name === keyA && pair[1].scenario.name === keyB;
  const [a, b] = fits ? pair : [undefined, undefined];
  const changes = a && b ? changesOf(a, b, t, state.level) : [];
  const byTime = [...changes].filter((c) => c.b_s !== c.a_s).sort((x, y) => Math.abs(y.b_s - y.a_s) - Math.abs(x.b_s - x.a_s));
  const said = a && b ? sentence(a, b, byTime, t) : "";
  const heard = useRef(`${keyA} ${keyB}`);
  useEffect(() => {
    if (said && heard.current !== `${keyA} ${keyB}`) announce(said);
    if (said) heard.current = `${keyA} ${keyB}`;
  }, [said, keyA, keyB]);
  const byEnergy = [...changes].filter((c) => c.b_J !== c.a_J).sort((x, y) => Math.abs(y.b_J - y.a_J) - Math.abs(x.b_J - x.a_J));
  useShare(
    {
      name: `compare-${keyA}-${keyB}`,
      json: () => ({ a: keyA, b: keyB, summary: { a: a?.summary, b: b?.summary }, changes: byTime }),
      rows: () => [["stage", "a_s", "b_s", "a_J", "b_J"], ...changes.map((c) => [c.id, c.a_s, c.b_s, c.a_J, c.b_J])],
      picture: () => page.current?.querySelector<SVGSVGElement>("svg.lanes") ?? null,
    },
    [a, b, state.level],
  );
  if (!lab) return <Loading />;
  const word = (slot: string, key: string) => (lab.slots.find((each) => each.key === slot)?.kind ? entryTitle(lab, slot, key) : t(`compare.word.${key}`));
  const preset = (key: string) => full.find((each) => each.key === key) as Preset;
  const [pa, pb] = [preset(keyA), preset(keyB)];
  const changed = Object.keys(pa.choices).filter((slot) => pa.choices[slot] !== pb.choices[slot] && slot !== "training.run");
  return (
    <div class="wrap compare" ref={page}>
      <div class="title">
        <h1>{t("compare.title")}</h1>
        <div class="tabs" role="group" aria-label={t("journey.strip.title")}>
          {(["linear", "log"] as const).map((each) => (
            <button key={each} aria-pressed={scale === each} onClick={() => setParams({ time: each === "log" ? "log" : "" })}>
              {t(`journey.strip.${each}`)}
            </button>
          ))}
        </div>
      </div>
      <div class="picks">
        <Pick name="a" value={keyA} other={keyB} all={full} />
        <button class="ghost" onClick={() => setParams({ a: keyB, b: keyA })}>
          {t("compare.swap")}
        </button>
        <Pick name="b" value={keyB} other={keyA} all={full} />
      </div>
      {!a || !b ? (
        <Loading />
      ) : (
        <>
          <Lanes
            scale={scale}
            title={`${t("compare.title")}: ${pa.title} ${short(figure(a, "time_to_last_token_s"), "s")}; ${pb.title} ${short(figure(b, "time_to_last_token_s"), "s")}`}
            lanes={[lane(a, pa.title, t), lane(b, pb.title, t)]}
            firstName={t("journey.first_word")}
          />
          <div class="grid">
            <div>
              <p class="idea said">
                <Sentence a={a} b={b} byTime={byTime} byEnergy={byEnergy} t={t} pa={pa} pb={pb} />
              </p>
              <div class="figures">
                <Both name={t("wait.first")} a={figure(a, "time_to_first_token_s")} b={figure(b, "time_to_first_token_s")} unit="s" />
                <Both name={t("wait.whole")} a={figure(a, "time_to_last_token_s")} b={figure(b, "time_to_last_token_s")} unit="s" />
                <Both name={t("compare.energy")} a={head(a, "marginal", "allocated")} b={head(b, "marginal", "allocated")} unit="J" />
                <Both name={t("compare.carbon")} a={figure(a, "carbon_g")} b={figure(b, "carbon_g")} unit="g" />
              </div>
              <details class="what" open={state.level !== "child"}>
              <summary>{t("compare.what_changed")}</summary>
              <dl class="changed">
                {changed.map((slot) => (
                  <>
                    <dt>{lab.slots.find((each) => each.key === slot)?.meaning ?? slot}</dt>
                    <dd>
                      <span class="m">{word(slot, pa.choices[slot] ?? "")}</span>
                      <span>{word(slot, pb.choices[slot] ?? "")}</span>
                    </dd>
                  </>
                ))}
              </dl>
              </details>
            </div>
            <div>
              <h2>{t("compare.delta.time")}</h2>
              {scale === "log" ? (
                <Dumbbells unit="s" title={t("compare.delta.time")} none={t("compare.none")} rows={byTime.slice(0, 12).map((c) => delta(c, c.a_s, c.b_s))} />
              ) : (
                <Deltas
                  unit="s" title={t("compare.delta.time")} less={t("compare.sooner")} more={t("compare.later")}
                  rows={byTime.slice(0, 5).map((c) => delta(c, c.a_s, c.b_s))}
                />
              )}
              <h2>{t("compare.delta.energy")}</h2>
              {scale === "log" ? (
                <Dumbbells unit="J" title={t("compare.delta.energy")} none={t("compare.none")} rows={byEnergy.slice(0, 8).map((c) => delta(c, c.a_J, c.b_J))} />
              ) : (
                <Deltas
                  unit="J" title={t("compare.delta.energy")} less={t("compare.saved")} more={t("compare.spent")}
                  rows={byEnergy.slice(0, 3).map((c) => delta(c, c.a_J, c.b_J))}
                />
              )}
              <Twin
                title={t("action.table")} caption={t("compare.title")} right={[1, 2, 3, 4]}
                head={[t("nav.stage"), `A: ${t("stage.time")}`, `B: ${t("stage.time")}`, `A: ${t("stage.energy")}`, `B: ${t("stage.energy")}`]}
                rows={byTime.map((c) => [c.name, si(c.a_s, "s"), si(c.b_s, "s"), si(c.a_J, "J"), si(c.b_J, "J")])}
              />
            </div>
          </div>
        </>
      )}
    </div>
  );
}

function Pick({ name, value, other, all }: { name: "a" | "b"; value: string; other: string; all: readonly Preset[] }) {
  const t = useText();
  return (
    <label>
      <span class="cap">{t(`compare.${name}`)}</span>
      <select class="pick serif" value={value} onChange={(event) => setParams({ [name]: event.currentTarget.value })}>
        {all.map((each) => (
          <option key={each.key} value={each.key} disabled={each.key === other}>
            {each.title}
          </option>
        ))}
      </select>
    </label>
  );
}

const delta = (c: Change, a: number, b: number): Delta => ({
  key: c.id, name: c.name, a, b, change: b - a, carrier: c.carrier, href: link("stage", c.stage),
});

function Both({ name, a, b, unit }: { name: string; a: number; b: number; unit: string }) {
  const t = useText();
  const r = ratio(b, a);
  const said = Math.abs(r - 1) < 0.005 ? t("compare.equal") : r >= 1 ? (r < 1.095 ? `+${percent(r - 1)}` : t("compare.times.more", { times: times(r) })) : r > 0.91 ? `−${percent(1 - r)}` : r > 0 ? t("compare.times.less", { times: times(ratio(1, r)) }) : "";
  return (
    <div>
      <div class="cap">{name}</div>
      <div class="small num">
        <Raised text={words(t, a, unit)} />
      </div>
      <Figure value={b} unit={unit} class="mid" />
      <div class="cap num">{said}</div>
    </div>
  );
}

/** What a screen reader hears when another trip is chosen. */
function sentence(a: Trace, b: Trace, byTime: readonly Change[], t: Say): string {
  const first = moved(t, t("journey.first_word"), figure(a, "time_to_first_token_s"), figure(b, "time_to_first_token_s"));
  const last = moved(t, t("journey.whole_answer"), figure(a, "time_to_last_token_s"), figure(b, "time_to_last_token_s"));
  return `${a.scenario.title}, ${b.scenario.title}: ${first}, ${last}. ${byTime[0]?.name ?? ""}`;
}

function Sentence({ a, b, byTime, byEnergy, t, pa, pb }: { a: Trace; b: Trace; byTime: Change[]; byEnergy: Change[]; t: Say; pa: Preset; pb: Preset }) {
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
  const first = moved(t, t("journey.first_word"), figure(a, "time_to_first_token_s"), figure(b, "time_to_first_token_s"));
  const last = moved(t, t("journey.whole_answer"), figure(a, "time_to_last_token_s"), figure(b, "time_to_last_token_s"));
  const most = byTime[0];
  const joule = byEnergy[0];
  const sign = (value: number, unit: string) => `${value < 0 ? "−" : "+"}${short(Math.abs(value), unit)}`;
  const said = [`${capital(first)}, ${last}.`];
  if (most) said.push(t("compare.most", { what: most.name, change: sign(most.b_s - most.a_s, "s") }));
  if (joule) said.push(t("compare.most.energy", { what: joule.name, change: sign(joule.b_J - joule.a_J, "J") }));
  if (pa.capability && pb.capability && pa.capability.score !== pb.capability.score)
    said.push(t("compare.capability", { a: String(pa.capability.score), b: String(pb.capability.score), benchmark: pb.capability.benchmark }));
  return <>{said.join(" ")}</>;
}
