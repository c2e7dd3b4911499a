/**
 * The question sheet: pages for children, for grown-ups, for the teacher, and answers with the reader's own sliders. What
 * stands here is what is printed; the PDF of `roundtrip sheet` is made from the same texts, drawing and style (web/strings, web/paper).
 */
import type { ComponentChildren } from "preact";
import trip from "../../../paper/trip.svg?raw";
import "../../../paper/sheet.css";
import "./sheet.css";
import { loadLab, loadSources, loadTrip } from "../../core/data";
import { loadFormula, type Values } from "../../core/formula";
import { plain, said } from "../../core/said";
import { has, keys, raw, type Fill } from "../../core/strings";
import { isLive } from "../../core/server";
import type { Source } from "../../core/types";
import { percent, rest, share as shareOf } from "../../charts/numbers";
import { useData } from "../../shell/data";
import { loadFills } from "../../shell/fills";
import { announce } from "../../shell/live";
import { Loading } from "../../shell/notices";
import { useShare } from "../../shell/share";
import { link, setParams, type Level, type ScreenProps } from "../../shell/state";
import { useText, type Say } from "../../shell/text";
import { EmptyBar, WaitBar, type Part } from "./bars";

const AUDIENCES = ["child", "adult", "teacher", "answer"] as const;
const PAPERS = ["a4", "letter"] as const;
const PARTS = ["device", "tower", "internet", "balancer", "server", "cache", "tokens", "screen", "eye"] as const;
const QUESTIONS = ["fast", "wait", "one", "notes", "small", "secret", "helpers", "likely", "power", "rare"] as const;
const SHARES = [
  ["network", "network_s"],
  ["queue", "queue_s"],
  ["prefill", "prefill_s"],
  ["decode", "decode_s"],
] as const;
/** The sliders of the screen "The wait", by their names in the address: input of the closed form, and its scale there. */
const SLIDERS = [
  ["km", "concept.lab.distance_m", 1e3, "distance"],
  ["queue", "concept.lab.queue_wait_s", 1e-3, "queue"],
  ["prompt", "concept.lab.prompt_tokens", 1, "prompt"],
  ["reply", "concept.lab.output_tokens", 1, "reply"],
] as const;
const COUNTS = new Set(["1", "token", "token/s"]);
const LINES = 3;
const LAST_LINES = 6;

interface Told {
  readonly sentence: string;
  readonly summary: Values;
  readonly guess: string;
}

export default function Sheet({ state }: ScreenProps) {
  const t = useText();
  const { params } = state;
  const audience = AUDIENCES.find((each) => each === params["for"]) ?? "all";
  const paper = PAPERS.find((each) => each === params["paper"]) ?? "a4";
  const fills = useData(loadFills);
  const sources = useData(loadSources);
  const told = useTold(params, t, state.level);
  const lab = useData(loadLab);
  const spoken = document.documentElement.lang;
  // The lab's own server prints what is seen; a static site has the sheet for children ready, a single file has none.
  const ready = state.level === "child" && spoken === "en" && document.getElementById("data/lab.json") === null;
  const asked = new URLSearchParams({ paper, level: state.level, lang: spoken, ...sliders(params), ...(params["trip"] ? { trip: params["trip"] } : {}) });
  asked.delete("guess");
  const pdf = isLive() ? `./sheet.pdf?${asked}` : ready && lab?.sheets.includes(`sheet-${paper}.pdf`) ? `./data/sheet-${paper}.pdf` : "";

  useShare(
    { name: "sheet", json: () => ({ trip: told?.sentence, summary: told?.summary, guess: told?.guess || undefined, paper }) },
    [told, paper],
  );
  if (!fills || !sources || !told) return <Loading />;
  const shown = (one: string) => audience === "all" || audience === one;
  const choose = (patch: Record<string, string>, name: string) => {
    setParams(patch);
    announce(t("sheet.now", { pages: name }));
  };
  return (
    <div class={`wrap sheet paper-${paper}`}>
      <div class="sheet-side noprint">
        <h1>{t("sheet.title")}</h1>
        <p class="prose">{t("sheet.intro")}</p>
        <div class="sheet-pick">
          <p class="label" id="sheet-for">
            {t("sheet.picker")}
          </p>
          <div class="tabs" role="group" aria-labelledby="sheet-for">
            <button aria-pressed={audience === "all"} onClick={() => choose({ for: "" }, t("sheet.all"))}>
              {t("sheet.all")}
            </button>
            {AUDIENCES.map((each) => (
              <button key={each} aria-pressed={audience === each} onClick={() => choose({ for: each }, t(`sheet.${each}.tab`))}>
                {t(`sheet.${each}.tab`)}
              </button>
            ))}
          </div>
        </div>
        <div class="sheet-pick">
          <p class="label" id="sheet-paper">
            {t("sheet.paper")}
          </p>
          <div class="tabs" role="group" aria-labelledby="sheet-paper">
            {PAPERS.map((each) => (
              <button key={each} aria-pressed={paper === each} onClick={() => choose({ paper: each === "a4" ? "" : each }, t(`sheet.paper.${each}`))}>
                {t(`sheet.paper.${each}`)}
              </button>
            ))}
          </div>
        </div>
        <p class="sheet-go">
          <button class="ghost strong" onClick={() => window.print()}>
            {t("sheet.print")}
          </button>
          {pdf && (
            <a class="ghost" href={pdf} download={isLive() ? undefined : `roundtrip-sheet-${paper}.pdf`}>
              {t("sheet.pdf")}
            </a>
          )}
          <a class="ghost" href={link("wait", "", sliders(params))}>
            {t("sheet.to_wait")}
          </a>
        </p>
        <p class="cap">{t("sheet.pdf.how", { command: `roundtrip sheet --paper ${paper} --level ${state.level}${spoken === "en" ? "" : ` --lang ${spoken}`} sheet.pdf` })}</p>
      </div>
      <div class="sheet-pages" role="region" aria-label={t("aria.sheet.preview")}>
        {shown("child") && <Child t={t} />}
        {shown("child") && <Talk t={t} />}
        {shown("adult") && <Adult t={t} />}
        {shown("teacher") && <Teacher t={t} />}
        {shown("answer") && <Answers t={t} told={told} level={state.level} fills={fills} sources={sources} />}
      </div>
    </div>
  );
}

const sliders = (params: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries([...SLIDERS.map(([key]) => key as string), "guess"].flatMap((key) => (params[key] ? [[key, params[key]]] : [])));

/** The trip that the answers speak of: a preset where the address names one, else the four sliders. */
function useTold(params: Readonly<Record<string, string>>, t: Say, level: Level): Told | undefined {
  const preset = params["trip"];
  const lab = useData(loadLab);
  const formula = useData(() => loadFormula("concept"));
  const known = lab?.presets.find((each) => each.key === preset && each.way === "full");
  const trace = useData(() => (known ? loadTrip(known.key) : Promise.resolve(null)), [known?.key]);
  if (!lab || !formula || (known && !trace)) return undefined;
  const given = Number(params["guess"]);
  const guess = Number.isFinite(given) && given > 0 ? said(t, given, "s", level) : "";
  if (known && trace) {
    const summary = Object.fromEntries(Object.entries(trace.summary).filter(([, value]) => typeof value === "number")) as Values;
    return { sentence: t("sheet.answer.trip.preset", { title: known.title, sentence: known.sentence }), summary, guess };
  }
  const values: Values = {};
  const words: Record<string, string> = {};
  for (const [key, input, scale, name] of SLIDERS) {
    const figure = formula.inputs[input];
    const typed = Number(params[key]);
    const inside = params[key] !== undefined && Number.isFinite(typed) && typed >= 0;
    const value = inside ? typed * scale : (figure?.value ?? 0);
    values[input] = value;
    const unit = key === "km" ? "m" : key === "queue" ? "s" : "";
    words[name] = unit === "s" ? said(t, value, unit, level) : unit === "m" && level === "child" ? said(t, value, unit, level)
      : plain(t, Math.round(value / scale).toLocaleString("en-US")) + (unit ? "\u00a0km" : "");
  }
  return { sentence: t("sheet.answer.trip.sliders", words), summary: formula.evaluate(values), guess };
}

function Page({ name, top, fields, t, children }: { readonly name: string; readonly top: string; readonly fields?: boolean; readonly t: Say; readonly children: ComponentChildren }) {
  return (
    <section class="qs-page" aria-labelledby={`qs-${name}`}>
      <div class="qs-top">
        <span>{top}</span>
        {fields && (
          <div class="qs-fields">
            <span>
              {t("sheet.name")} <span class="qs-blank" />
            </span>
            <span>
              {t("sheet.date")} <span class="qs-blank" />
            </span>
          </div>
        )}
      </div>
      {children}
    </section>
  );
}

const Lines = ({ count }: { readonly count: number }) => (
  <>
    {Array.from({ length: count }, (_, i) => (
      <div key={i} class="qs-line" />
    ))}
  </>
);

const N = ({ n }: { readonly n: number }) => <span class="qs-n">{n}</span>;

function Child({ t }: { readonly t: Say }) {
  return (
    <Page name="child" top={t("sheet.child.tab")} fields t={t}>
      <h2 class="qs-h" id="qs-child">{t("sheet.child.title")}</h2>
      <p class="qs-lead">{t("sheet.child.lead")}</p>
      <figure class="qs-trip" role="img" aria-label={t("sheet.child.picture")} dangerouslySetInnerHTML={{ __html: trip }} />
      <ol class="qs-parts">
        {PARTS.map((part, i) => (
          <li key={part}>
            <N n={i + 1} />
            <b>{t(`part.${part}.name`)}</b>: {t(`part.${part}.does`)}
          </li>
        ))}
      </ol>
      <p class="qs-read">{t("sheet.child.draw")}</p>
      <h3 class="qs-s">{t("sheet.child.guess.title")}</h3>
      <p class="qs-read">{t("sheet.child.guess")}</p>
      <figure class="qs-bar">
        <EmptyBar title={t("sheet.child.guess.bar")} />
      </figure>
      <p class="qs-key">
        {SHARES.map(([name]) => (
          <span key={name}>
            <span class="qs-box" />
            {t(`wait.share.${name}`)}
          </span>
        ))}
      </p>
      <h3 class="qs-s">{t("sheet.child.after.title")}</h3>
      <p class="qs-read">{t("sheet.child.after")}</p>
      <Lines count={LAST_LINES} />
    </Page>
  );
}

function Talk({ t }: { readonly t: Say }) {
  return (
    <Page name="talk" top={t("sheet.child.tab")} fields t={t}>
      <h2 class="qs-h" id="qs-talk">{t("sheet.child.talk")}</h2>
      <p class="qs-lead">{t("sheet.child.hint")}</p>
      <ol class="qs-questions">
        {QUESTIONS.map((key, i) => (
          <li key={key}>
            <p class="qs-q">
              <N n={i + 1} />
              {t(`sheet.q.${key}`)}
            </p>
            <Lines count={LINES} />
          </li>
        ))}
      </ol>
    </Page>
  );
}

function Pairs({ t, from }: { readonly t: Say; readonly from: (key: string) => string }) {
  return (
    <dl class="qs-pairs">
      {QUESTIONS.map((key, i) => (
        <div key={key}>
          <dt>
            <N n={i + 1} />
            {t(`sheet.topic.${key}`)}
          </dt>
          <dd>{from(key)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Adult({ t }: { readonly t: Say }) {
  return (
    <Page name="adult" top={t("sheet.adult.tab")} t={t}>
      <h2 class="qs-h" id="qs-adult">{t("sheet.adult.title")}</h2>
      <p class="qs-lead">{t("sheet.adult.lead")}</p>
      <h3 class="qs-s">{t("sheet.adult.how.title")}</h3>
      <ol class="qs-list">
        {keys("sheet.adult.how.").slice(1).map((key) => (
          <li key={key}>{t(key)}</li>
        ))}
      </ol>
      <h3 class="qs-s">{t("sheet.adult.listen.title")}</h3>
      <Pairs t={t} from={(key) => t(`sheet.adult.listen.${key}`)} />
      <h3 class="qs-s">{t("sheet.adult.words.title")}</h3>
      <ul class="qs-list qs-two">
        {keys("sheet.adult.word.").map((key) => (
          <li key={key}>{t(key)}</li>
        ))}
      </ul>
    </Page>
  );
}

function Teacher({ t }: { readonly t: Say }) {
  const steps = keys("sheet.teacher.plan.").flatMap((key) => key.match(/^(sheet\.teacher\.plan\.\d+)\.when$/)?.[1] ?? []);
  return (
    <Page name="teacher" top={t("sheet.teacher.tab")} t={t}>
      <h2 class="qs-h" id="qs-teacher">{t("sheet.teacher.title")}</h2>
      <p class="qs-lead">{t("sheet.teacher.lead")}</p>
      <h3 class="qs-s">{t("sheet.teacher.goals.title")}</h3>
      <ul class="qs-list">
        {keys("sheet.teacher.goal.").map((key) => (
          <li key={key}>{t(key)}</li>
        ))}
      </ul>
      <h3 class="qs-s">{t("sheet.teacher.bring.title")}</h3>
      <p>{t("sheet.teacher.bring")}</p>
      <h3 class="qs-s">{t("sheet.teacher.plan.title")}</h3>
      <table class="qs-table">
        <thead>
          <tr>
            {["when", "what", "why"].map((column) => (
              <th key={column} scope="col">
                {t(`sheet.teacher.plan.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.map((step) => (
            <tr key={step}>
              <th scope="row" class="qs-when">
                {t(`${step}.when`)}
              </th>
              <td>{t(`${step}.what`)}</td>
              <td>{t(`${step}.why`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3 class="qs-s">{t("sheet.teacher.more.title")}</h3>
      <p>{t("sheet.teacher.more")}</p>
      <h3 class="qs-s">{t("sheet.teacher.check.title")}</h3>
      <p>{t("sheet.teacher.check")}</p>
    </Page>
  );
}

interface AnswersProps {
  readonly t: Say;
  readonly told: Told;
  readonly level: Level;
  readonly fills: Readonly<Record<string, Fill>>;
  readonly sources: Readonly<Record<string, Source>>;
}

function Answers({ t, told, level, fills, sources }: AnswersProps) {
  const { summary } = told;
  const last = summary["time_to_last_token_s"] ?? 0;
  const first = summary["time_to_first_token_s"] ?? 0;
  const taken = SHARES.map(([name, key]) => ({ key: name as string, name: t(`wait.share.${name}`), value: summary[key] ?? 0 })).filter((part) => part.value > 0);
  const left = rest(last, ...taken.map((part) => part.value));
  // What is left is a sum of small stages, or rounding.
  const all = shareOf(left, last) > 1e-9 ? [...taken, { key: "rest", name: t("sheet.answer.rest"), value: left }] : taken;
  const parts: Part[] = all.map((part) => ({ key: part.key, name: part.name, share: shareOf(part.value, last) }));
  const words = t("sheet.answer.bar", { parts: all.map((part) => `${part.name} ${said(t, part.value, "s", level)}`).join("; ") });
  const own = {
    trip_write_share: level === "child" ? said(t, shareOf(summary["decode_s"] ?? 0, last), "share", level) : percent(shareOf(summary["decode_s"] ?? 0, last)),
    trip_network: said(t, summary["network_s"] ?? 0, "s", level),
    trip_read: said(t, summary["prefill_s"] ?? 0, "s", level),
  };
  const answer = (key: string) => t(`sheet.answer.${key}`, own);
  const named = usedFills(level, fills);
  const cited = [...new Set(named.flatMap((name) => fills[name]?.sources ?? []))];
  return (
    <>
      <Page name="answers" top={t("sheet.answer.tab")} t={t}>
        <h2 class="qs-h" id="qs-answers">{t("sheet.answer.title")}</h2>
        <p class="qs-read">{t("sheet.answer.lead")}</p>
        <h3 class="qs-s">{t("sheet.answer.trip")}</h3>
        <p>
          {told.sentence} {told.guess && t("sheet.answer.guess", { guess: told.guess })}
        </p>
        <div class="qs-figures">
          <div>
            {t("sheet.answer.first")}
            <b>{said(t, first, "s", level)}</b>
          </div>
          <div>
            {t("sheet.answer.whole")}
            <b>{said(t, last, "s", level)}</b>
          </div>
        </div>
        <figure class="qs-bar">
          <WaitBar parts={parts} title={words} />
        </figure>
        <p class="qs-hint">{words}</p>
        <h3 class="qs-s">{t("sheet.answer.known")}</h3>
        <Pairs t={t} from={answer} />
      </Page>
      <Page name="sources" top={t("sheet.answer.tab")} t={t}>
        <h2 class="qs-h" id="qs-sources">{t("sheet.answer.numbers")}</h2>
        <div class="qs-scroll" tabIndex={0} role="group" aria-labelledby="qs-sources">
          <table class="qs-table qs-small">
            <thead>
              <tr>
                {["name", "value", "band", "grade", "from"].map((column) => (
                  <th key={column} scope="col">
                    {t(`sheet.answer.number.${column}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {named.map((name) => {
                const fill = fills[name];
                if (!fill) return null;
                const spread = fill.low === null || fill.high === null || fill.low === fill.high ? "" : t("said.to", { low: bound(t, fill.low, fill.unit), high: bound(t, fill.high, fill.unit) });
                return (
                  <tr key={name}>
                    <th scope="row">{t(`fill.${name}`)}</th>
                    <td>{fill.text.engineer}</td>
                    <td>{spread}</td>
                    <td>{t(`grade.${fill.grade}`)}</td>
                    <td>
                      <span lang="en">{fill.from}</span> {fill.sources.length > 0 && `[${fill.sources.map((key) => cited.indexOf(key) + 1).join(", ")}]`}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
        <h3 class="qs-s">{t("sheet.answer.sources")}</h3>
        <p class="qs-small">{t("sheet.answer.sources.lead")}</p>
        <ol class="qs-sources" lang="en">
          {cited.map((key, i) => {
            const source = sources[key];
            return (
              source && (
                <li key={key}>
                  <N n={i + 1} />
                  {source.authors && `${source.authors}: `}
                  {source.title} ({source.year}). <a href={source.url}>{source.url}</a>
                </li>
              )
            );
          })}
        </ol>
      </Page>
    </>
  );
}

/** An end of a band: three digits are more than a band can hold, and a count has no unit. */
const bound = (t: Say, value: number, unit: string): string =>
  COUNTS.has(unit) && Math.abs(value) >= 100 ? plain(t, Number(value.toPrecision(3)).toLocaleString("en-US")) : said(t, value, COUNTS.has(unit) ? "1" : unit, "engineer");

/** The figures that the answers name and that stand in the table, in their order. */
function usedFills(level: Level, fills: Readonly<Record<string, Fill>>): string[] {
  const found: string[] = [];
  for (const key of QUESTIONS) {
    for (const [, name] of raw(`sheet.answer.${key}`, level).matchAll(/\{(\w+)\}/g)) {
      if (name && fills[name] && has(`fill.${name}`) && !found.includes(name)) found.push(name);
    }
  }
  return found;
}
