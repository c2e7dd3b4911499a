/** One stage of the trip: how long, by which law, known from where, what a reader can turn, what comes before and after. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { loadGlossary, loadLab, loadSources, loadStages, loadTrip } from "../../core/data";
import { loadFormula, type Formula } from "../../core/formula";
import type { Lab, Span, Stage, StageFunction, Trace } from "../../core/types";
import { band, si, spoken } from "../../core/units";
import { apart, Raised, short } from "../../charts/numbers";
import { Figure, words } from "../../charts/said";
import { Lengths, type Length } from "../../charts/lengths";
import { Place } from "../../charts/place";
import { Table } from "../../charts/twin";
import { Zoom } from "../../charts/zoom";
import { useData } from "../../shell/data";
import { useKeys } from "../../shell/keys";
import { announce } from "../../shell/live";
import { Folded, Loading } from "../../shell/notices";
import { inline, Markdown } from "../../shell/markdown";
import { MathML } from "../../shell/mathml";
import { useShare } from "../../shell/share";
import { Slider } from "../../shell/slider";
import { link, setLab, type ScreenProps } from "../../shell/state";
import { has } from "../../core/strings";
import { useText, type Say } from "../../shell/text";
import "./stage.css";

/** The stages as the trip meets them; what the usual trip leaves out stands behind its room. */
async function orderOf(lab: Lab): Promise<string[]> {
  const trip = await loadTrip("cloud");
  const met = [...new Set(trip.spans.filter((span) => !/^(back|on|stream)\./.test(span.id)).map((span) => span.name))].filter((each) => lab.stages.includes(each));
  const room = (each: string) => each.slice(0, each.indexOf("."));
  for (const each of lab.stages) {
    if (met.includes(each)) continue;
    const last = met.map(room).lastIndexOf(room(each));
    met.splice(last < 0 ? met.length : last + 1, 0, each);
  }
  return met;
}

/** The first preset on whose way the stage lies, and its spans there. */
async function find(name: string, lab: Lab): Promise<{ trip: Trace; spans: Span[] } | null> {
  for (const preset of ["cloud", "phone", "speculative", "edge", "gaming", "device", "intercontinental", "satellite"]) {
    if (!lab.presets.some((each) => each.key === preset)) continue;
    const trip = await loadTrip(preset);
    const spans = trip.spans.filter((span) => span.name === name);
    if (spans.length > 0) return { trip, spans: spans.sort((a, b) => Number(a.parent !== null) - Number(b.parent !== null)) };
  }
  return null;
}

const likely = (t: Say, of: { low: number; high: number } | undefined, unit: string): string =>
  of && of.low < of.high ? t("stage.band", { low: words(t, of.low, unit), high: words(t, of.high, unit) }) : "";

export default function StageScreen({ state }: ScreenProps) {
  const t = useText();
  const lab = useData(loadLab);
  const stages = useData(loadStages);
  const sources = useData(loadSources);
  const name = state.path || "keyboard.press";
  const found = useData(async () => (lab ? await find(name, lab) : undefined), [lab, name]);
  const page = useRef<HTMLDivElement>(null);
  const order = useData(async () => (lab ? await orderOf(lab) : []), [lab]) ?? [];
  const at = order.indexOf(name);
  const go = (to: number) => {
    const next = order[Math.min(order.length - 1, Math.max(0, to))];
    if (next) setLab({ screen: "stage", path: next, params: {} });
  };
  useKeys(
    [
      { key: "[", shown: "[ ]", does: t("key.stages"), run: () => go(at - 1) },
      { key: "]", does: t("key.stages"), hidden: true, run: () => go(at + 1) },
      // Only beside the picker: elsewhere these keys scroll the page.
      { key: "Home", shown: "Home End", does: t("key.ends"), run: () => go(0), within: () => page.current?.querySelector(".where") },
      { key: "End", does: t("key.ends"), hidden: true, run: () => go(order.length - 1), within: () => page.current?.querySelector(".where") },
    ],
    [name, lab, state.level],
  );
  const stage = stages?.[name];
  const heard = useRef(name);
  useEffect(() => {
    if (heard.current !== name && stage) announce(titled(name, t));
    heard.current = name;
  }, [name, stage]);
  useShare(
    {
      name: `stage-${name}`,
      json: () => ({ stage, spans: found?.spans }),
      rows: () => [["span", "start_s", "duration_s", "low_s", "high_s", "energy_J"], ...(found?.spans ?? []).map((s) => [s.id, s.start_s, s.duration_s, s.bands["duration_s"]?.low ?? null, s.bands["duration_s"]?.high ?? null, s.energy_J])],
      picture: () => page.current?.querySelector<SVGSVGElement>("svg.zoom") ?? null,
    },
    [stage, found],
  );
  if (!lab || !stages) return <Loading />;
  if (!stage) {
    return (
      <div class="wrap stage">
        <h1>{t("stage.title")}</h1>
        <p class="prose">{t("error.link", { what: name })}</p>
        <Picker lab={lab} name={name} t={t} />
      </div>
    );
  }
  const span = found?.spans[0];
  const child = state.level === "child";
  const since = t("stage.since", { year: stage.since.year, what: stage.since.what });
  const right = (
    <>
      {stage.knobs.length > 0 && <Knobs key={name} stage={stage} t={t} sources={sources ?? {}} />}
      {span && span.sources.length > 0 && (
        <section>
          <h2>{t("stage.sources")}</h2>
          <ul class="sources small">
            {span.sources.map((key) => {
              const source = sources?.[key];
              return (
                <li key={key}>
                  {source ? (
                    <a href={source.url} rel="noreferrer" target="_blank">
                      {source.title}
                    </a>
                  ) : (
                    key
                  )}
                  {source && ` (${source.authors ? `${source.authors}, ` : ""}${source.year})`}
                </li>
              );
            })}
          </ul>
        </section>
      )}
    </>
  );
  const previous = order[at - 1];
  const next = order[at + 1];
  return (
    <div class="wrap stage" ref={page}>
      <div class="where">
        <Picker lab={lab} name={name} t={t} />
        <nav aria-label={t("stage.neighbors")} class="neighbors">
          {previous && (
            <a class="ghost" href={link("stage", previous)}>
              <kbd>[</kbd>&nbsp;{titled(previous, t)}
            </a>
          )}
          {next && (
            <a class="ghost" href={link("stage", next)}>
              {titled(next, t)}&nbsp;<kbd>]</kbd>
            </a>
          )}
        </nav>
      </div>
      <h1>{titled(name, t)}</h1>
      {has(`stages.${name}.says`) && <p class="prose lead">{t(`stages.${name}.says`)}</p>}
      {!child && <p class="small since">{since}</p>}
      <div class="grid">
        <div>
          {span && found ? (
            <Figures span={span} trip={found.trip} t={t} />
          ) : found === null ? (
            <p class="prose">{t("stage.not_on_trip")}</p>
          ) : (
            <Loading />
          )}
          <Folded closed={child} title={t("stage.grownups")}>
          {child && <p class="small since">{since}</p>}
          <h2>{t("stage.equation")}</h2>
          <Equations stage={stage} t={t} />
          <h2>{t("stage.what")}</h2>
          <Markdown text={whole(stage)} />
          <p class="small">
            <code>{name}</code> · {t("stage.file")}: <code>{stage.file}</code>
          </p>
          {stage.truth.length > 0 && (
            <section>
              <h2>{t("stage.truth")}</h2>
              <div class="scroll">
                <Table
                  caption="" right={[1, 2]} head={["", t("facts.ours"), t("energy.published")]}
                  rows={stage.truth.map((row) => [
                    {
                      text: (
                        <>
                          {row.quantity}
                          <span class="cap from">
                            {sources?.[row.source] ? (
                              <a href={sources[row.source]?.url} rel="noreferrer" target="_blank">
                                {sources[row.source]?.title}
                              </a>
                            ) : (
                              row.source
                            )}
                            {row.where && `, ${row.where}`}
                          </span>
                        </>
                      ),
                    },
                    si(row.ours, row.unit),
                    si(row.published, row.unit),
                  ])}
                />
              </div>
            </section>
          )}
          {child && right}
          </Folded>
        </div>
        <div>
          {span && found && <Pictures span={span} trip={found.trip} t={t} />}
          {span && <Sizes stage={stage} span={span} t={t} />}
          {!child && right}
        </div>
      </div>
    </div>
  );
}

/** What a stage is called at the reader's level. */
const titled = (name: string, t: Say): string => (has(`stages.${name}.title`) ? t(`stages.${name}.title`) : name);

function Picker({ lab, name, t }: { readonly lab: Lab; readonly name: string; readonly t: Say }) {
  return (
    <label>
      <span class="unseen">{t("nav.stage")}</span>
      <select class="pick" value={name} onChange={(event) => setLab({ screen: "stage", path: event.currentTarget.value, params: {} })}>
        {lab.rooms.map((room) => (
          <optgroup key={room.key} label={t(`room.${room.key}`)}>
            {lab.stages
              .filter((each) => each.startsWith(`${room.key}.`))
              .map((each) => (
                <option key={each} value={each}>
                  {titled(each, t)}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

function Figures({ span, trip, t }: { readonly span: Span; readonly trip: Trace; readonly t: Say }) {
  const others: [string, number, string, string][] = [];
  if (span.energy_J) others.push([t("stage.energy"), span.energy_J, "J", "energy_J"]);
  if (span.electrons) others.push([t("stage.electrons"), span.electrons, "1", "electrons"]);
  if (span.photons) others.push([t("stage.photons"), span.photons, "1", "photons"]);
  if (span.bytes_out ?? span.bytes_in) others.push([t("stage.bytes"), (span.bytes_out ?? span.bytes_in) as number, "B", "bytes_out"]);
  return (
    <>
      <div class="numbers">
        <div>
          <div class="label">{t("stage.time")}</div>
          <Figure value={span.duration_s} unit="s" />
          <div class="cap">
            {likely(t, span.bands["duration_s"], "s")}
            {likely(t, span.bands["duration_s"], "s") && " · "}
            {t(`grade.${span.grade}`)}
          </div>
        </div>
        {others.map(([name, value, unit, key]) => (
          <div key={name}>
            <div class="label">{name}</div>
            <Figure value={value} unit={unit} class="mid" />
            <div class="cap">
              <Raised text={likely(t, span.bands[key], unit)} />
            </div>
          </div>
        ))}
      </div>
      <p class="small">
        {span.title} · {t(`carrier.${span.carrier}`)} · {trip.scenario.title}
      </p>
    </>
  );
}

function Pictures({ span, trip, t }: { readonly span: Span; readonly trip: Trace; readonly t: Say }) {
  const value = (name: string): number => {
    const found = trip.summary[name];
    return typeof found === "number" ? found : 0;
  };
  const end = span.start_s + span.duration_s;
  const first = value("time_to_first_word_s");
  // The shortest of the reader's waits that the stage is a part of.
  const last = value("time_to_last_token_s");
  const [whole, name] =
    end <= first * 1.0001 ? [first, t("stage.until_word")] : end <= last * 1.0001 ? [last, t("journey.whole_answer")] : [Math.max(value("time_to_last_word_s"), end), t("stage.until_end")];
  const items = useMemo(
    () => trip.spans.filter((s) => s.parent === null && !s.id.startsWith("on.")).map((s) => ({ key: s.id, value: s.duration_s, carrier: s.carrier })),
    [trip],
  );
  const spread = span.bands["duration_s"];
  return (
    <section class="pictures">
      <h2>{t("stage.proportion")}</h2>
      <Zoom
        start={span.start_s} value={span.duration_s} whole={whole} carrier={span.carrier} name={span.title}
        wholeName={name}
        title={`${span.title}: ${short(span.duration_s, "s")}, ${name} ${short(whole, "s")}`}
        larger={(many) => t("stage.enlarged", { times: many })}
      />
      <p class="small">{t("stage.among")}</p>
      <Place
        items={items} focus={{ key: span.id, value: span.duration_s, carrier: span.carrier }}
        low={spread?.low ?? span.duration_s} high={spread?.high ?? span.duration_s}
        title={`${t("stage.among")}: ${short(span.duration_s, "s")}`}
      />
    </section>
  );
}

/** A symbol with its index set low: n_g. */
function Symbol({ text }: { readonly text: string }) {
  const [head, ...low] = text.split("_");
  return (
    <>
      {head}
      {low.length > 0 && <sub>{low.join(", ")}</sub>}
    </>
  );
}

/** Title and description as one text: a first sentence may run over the title's line. */
const whole = (stage: Stage): string => `${stage.title}${/^[a-z]/.test(stage.doc) ? " " : ".\n\n"}${stage.doc}`;

/** The lengths that the stage deals with, in true proportion. */
function Sizes({ stage, span, t }: { readonly stage: Stage; readonly span: Span; readonly t: Say }) {
  const found = useData(async () => ({ glossary: await loadGlossary(), formula: await loadFormula("cloud") }), []);
  const items = useMemo((): Length[] => {
    if (!found) return [];
    const called = (key: string) => found.glossary[key.slice(key.lastIndexOf(".") + 1)]?.meaning ?? key;
    const read = stage.knobs.flatMap((key) => {
      const input = found.formula.inputs[key];
      return input && input.unit === "m" && input.value > 0 ? [{ key, name: called(key), value: input.value }] : [];
    });
    const made = Object.entries(span.attributes).flatMap(([key, value]) =>
      /(^|_)m$/.test(key) && !/_m_/.test(key) && typeof value === "number" && value > 0 ? [{ key, name: called(key), value }] : [],
    );
    return [...read, ...made];
  }, [found, stage, span]);
  return items.length < 2 ? null : (
    <section>
      <h2>{t("stage.sizes")}</h2>
      <Lengths items={items} title={t("stage.sizes")} larger={(many) => t("stage.enlarged", { times: many })} />
    </section>
  );
}

/** The law of the time first, then the others. */
function Equations({ stage, t }: { readonly stage: Stage; readonly t: Say }) {
  const ordered = useMemo(() => {
    const own = stage.name.slice(stage.name.indexOf(".") + 1);
    const rank = (each: StageFunction): number => {
      const seconds = each.name.endsWith("_s") && !/_(1|B|bit|token|m|flop)_s$/.test(each.name);
      const main = new RegExp(`^(${own}|step|flight|travel|service|mean_wait|wait|read)`).test(each.name);
      return (seconds ? 2 : 0) + (seconds && /time_s$/.test(each.name) ? 1 : 0) + (main ? 2 : 0);
    };
    return [...stage.functions].sort((a, b) => rank(b) - rank(a));
  }, [stage]);
  const one = (each: StageFunction) => (
    <div class="function" key={each.name}>
      <p class="small">{inline(each.summary.replace(/^Return /, "").replace(/^(.)/, (c) => c.toUpperCase()).replace(/\s*\[\d+\]_?/g, ""))}</p>
      <MathML source={each.mathml} label={`${each.name} = ${each.text}`} name={each.name} />
      <dl class="cap">
        {each.parameters.map((term) => (
          <div key={term.name}>
            <dt>
              <Symbol text={term.symbol || term.name} />
            </dt>
            <dd>
              {term.meaning}
              {term.unit !== "1" && ` (${term.unit})`}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
  const [first, ...others] = ordered;
  return (
    <div class="equations">
      {first && one(first)}
      {others.length > 0 && (
        <details class="twin">
          <summary>{t("stage.more_equations", { count: others.length })}</summary>
          {others.map(one)}
        </details>
      )}
    </div>
  );
}

const ENDS = ["time_to_first_word_s", "time_to_last_token_s"] as const;

/** What a reader can turn: each figure that the stage reads, and what it does to the whole trip. */
function Knobs({ stage, t, sources }: { readonly stage: Stage; readonly t: Say; readonly sources: Readonly<Record<string, { title: string; url: string }>> }) {
  const [formula, setFormula] = useState<Formula | null>(null);
  const [turned, turn] = useState<Record<string, number>>({});
  const glossary = useData(loadGlossary);
  useEffect(() => {
    let here = true;
    void loadFormula("cloud").then((found) => here && setFormula(found), () => undefined);
    return () => {
      here = false;
    };
  }, []);
  const after = useMemo(() => formula?.evaluate(turned), [formula, turned]);
  useEffect(() => {
    if (after && Object.keys(turned).length > 0)
      announce(ENDS.map((each, i) => `${t(i === 0 ? "stage.knobs.first" : "journey.whole_answer")} ${spoken(after[each] ?? 0, "s", 3)}`).join(", "));
  }, [after]);
  if (!formula || !after) return null;
  const knobs = stage.knobs.filter((key) => formula.inputs[key]);
  if (knobs.length === 0) return null;
  const before = formula.evaluate();
  return (
    <section class="knobs">
      <h2>{t("stage.knobs")}</h2>
      <p class="small num">
        {ENDS.map((name, i) => (
          <span key={name}>
            {i > 0 && " · "}
            {t(i === 0 ? "stage.knobs.first" : "journey.whole_answer")} <span class="strong">{si(after[name], "s")}</span>
            {after[name] !== before[name] && ` (${t("stage.knobs.before")} ${si(before[name], "s")})`}
          </span>
        ))}
        {Object.keys(turned).length > 0 && (
          <>
            {" "}
            <button class="ghost" onClick={() => turn({})}>
              {t("action.reset")}
            </button>
          </>
        )}
      </p>
      {knobs.slice(0, 8).map((key) => {
        const input = formula.inputs[key]!;
        const log = input.value > 0 && input.low > 0;
        const low = Math.max(input.least, log ? Math.min(input.low, input.value / 4) : Math.min(input.low, 0));
        const high = Math.min(input.most, Math.max(input.high, input.value > 0 ? input.value * 4 : 1));
        const place = (value: number) => (log ? Math.log(value / Math.max(low, 1e-300)) / Math.log(high / Math.max(low, 1e-300)) : (value - low) / (high - low));
        const value = (at: number) => (log && low > 0 ? low * (high / low) ** at : low + (high - low) * at);
        const now = turned[key] ?? input.value;
        // As many digits as one step of the slider needs to be seen.
        const shown = Math.min(6, Math.max(3, 1 - Math.floor(Math.log10(apart(value(Math.min(1, place(now) + 0.005)), now) / Math.max(Math.abs(now), 1e-300) || 1))));
        const term = glossary?.[key.slice(key.lastIndexOf(".") + 1)];
        const spread = band(input.low, input.high, input.value, input.unit);
        return (
          <Slider
            key={key} id={`knob-${key}`} label={term?.meaning ?? key} min={0} max={1} step={0.005} value={place(now)}
            text={si(now, input.unit, shown)} less={t("wait.minus")} more={t("wait.plus")}
            hint={`${key}${spread ? ` · ${spread}` : ""} · ${t(`grade.${input.grade}`)} · ${sources[input.source]?.title ?? input.source}`}
            onInput={(at) => turn({ ...turned, [key]: Number(value(at).toPrecision(Math.max(4, shown))) })}
          />
        );
      })}
    </section>
  );
}

