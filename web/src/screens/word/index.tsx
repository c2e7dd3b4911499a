/** How a chatbot writes one word: seven pictures, nine questions. The question is the title; the machine answers it. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { loadSources, loadWord } from "../../core/data";
import { band, digits, si } from "../../core/units";
import type { Fact, Source, Word } from "../../core/types";
import { clamp, UNTURNED, type Turned } from "../../scene/hand";
import { useGround, usePaper, webgl } from "../../scene/page";
import { useSpin } from "../../scene/spin";
import { Turns } from "../../scene/turns";
import { announce } from "../../shell/live";
import { useKeys } from "../../shell/keys";
import { Failure, Loading } from "../../shell/notices";
import { useShare } from "../../shell/share";
import { setParams, type ScreenProps } from "../../shell/state";
import { useText, type Say } from "../../shell/text";
import { Drop, Everyday } from "./everyday";
import { Flat } from "./flat";
import { OwnWord } from "./own/index";
import WordPicture from "./picture3d";
import { Sources, Table, tableOf, why } from "./table";
import { labelsOf, main, QUESTIONS } from "./steps";
import "./word.css";

export default function WordScreen({ state }: ScreenProps) {
  const say = useText();
  const { params, level } = state;
  const [word, setWord] = useState<Word | null>(null);
  const [sources, setSources] = useState<Readonly<Record<string, Source>>>({});
  const [error, fail] = useState<unknown>(null);
  const [able, setAble] = useState(webgl);
  const [ready, setReady] = useState(false);
  const [turned, setTurned] = useState<Turned>(UNTURNED);
  const [signal, setSignal] = useState(true);
  const [labels, setLabels] = useState(true);
  const [active, setActive] = useState(false);
  const [spin, setSpin] = useState(false);
  const [playing, setPlaying] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const ground = useGround(state.theme);
  const paper = usePaper();

  useEffect(() => {
    loadWord().then(setWord, fail);
    loadSources().then(setSources, () => undefined);
  }, []);

  const given = clamp(Math.round(Number(params["step"])) || 0, 0, 7);
  const own = word?.questions.find((each) => each.step === given && each.number > 1 && each.number < 9)?.number ?? 2;
  const asked = clamp(Math.round(Number(params["q"])) || own, 1, 9);
  const fromQuestion = word?.questions.find((each) => each.number === asked)?.step ?? 1;
  const n = given || fromQuestion;
  const flat = paper || params["flat"] === "1" || (params["flat"] !== "0" && !state.motion) || !able;
  const key = QUESTIONS.find(([, number]) => number === asked)?.[0] ?? "model";

  const goStep = (next: number) => {
    const step = clamp(next, 1, 7);
    setTurned(UNTURNED);
    setSignal(true);
    // the question follows the step when it has one of its own
    const own = word?.questions.find((each) => each.step === step && each.number > 1 && each.number < 9)?.number ?? asked;
    setParams({ step: String(step), q: String(asked === 1 ? 1 : own) });
    announce(`${say("word.step", { n: step, count: 7 })}. ${say(`step.${step}.name`)}. ${say(`step.${step}.number`)}`);
  };
  const ask = (number: number) => {
    const step = word?.questions.find((each) => each.number === number)?.step ?? 1;
    setTurned(UNTURNED);
    setSignal(true);
    setPlaying(false);
    setParams({ q: String(number), step: String(step) });
    const name = QUESTIONS.find(([, each]) => each === number)?.[0];
    announce(say(`question.${name}.answer`));
  };

  // the first question is answered by all seven steps in turn
  useEffect(() => {
    if (!playing) return;
    if (n >= 7) {
      setPlaying(false);
      return;
    }
    const handle = window.setTimeout(() => {
      setTurned(UNTURNED);
      setSignal(true);
      setParams({ step: String(n + 1), q: "1" });
      announce(`${say(`step.${n + 1}.name`)}. ${say(`step.${n + 1}.text`)}`);
    }, 9000);
    return () => window.clearTimeout(handle);
  }, [playing, n]);

  useSpin(spin, () => setSpin(false), state.motion, turned, setTurned, (s) => 24 * s, 15);

  const rotate = (yaw: number, pitch: number) => setTurned((now) => ({ ...now, yaw: now.yaw + yaw, pitch: clamp(now.pitch + pitch, -25, 55) }));
  const zoom = (factor: number) => setTurned((now) => ({ ...now, zoom: clamp(now.zoom * factor, 0.6, 4) }));
  const reset = () => {
    setTurned(UNTURNED);
    setSpin(false);
  };
  const inStage = () => stage.current;
  useKeys(
    [
      { key: "ArrowLeft", shown: say("key.name.arrows"), does: say("key.arrows"), within: inStage, run: () => rotate(-7.5, 0) },
      { key: "ArrowRight", does: "", hidden: true, within: inStage, run: () => rotate(7.5, 0) },
      { key: "ArrowUp", does: "", hidden: true, within: inStage, run: () => rotate(0, 5) },
      { key: "ArrowDown", does: "", hidden: true, within: inStage, run: () => rotate(0, -5) },
      { key: "+", shown: "+ −", does: say("key.zoom"), run: () => zoom(1.2) },
      { key: "=", does: "", hidden: true, run: () => zoom(1.2) },
      { key: "-", does: "", hidden: true, run: () => zoom(1 / 1.2) },
      { key: "0", does: say("key.zero"), run: reset },
      ...[1, 2, 3, 4, 5, 6, 7].map((each) => ({ key: String(each), shown: "1 – 7", does: say("word.step", { n: "1 – 7", count: 7 }), hidden: each > 1, run: () => goStep(each) })),
      { key: "s", shown: "S", does: say("control.signal"), run: () => setSignal((on) => !on) },
      { key: "l", shown: "L", does: say("key.labels"), run: () => setLabels((on) => !on) },
      { key: "t", shown: "T", does: say("key.tour"), run: () => (playing ? setPlaying(false) : play()) },
      { key: " ", shown: say("key.name.space"), does: say("key.space"), within: inStage, run: () => setSpin((on) => !on) },
      { key: "[", shown: "[ ]", does: say("key.stages"), run: () => goStep(n - 1) },
      { key: "]", does: "", hidden: true, run: () => goStep(n + 1) },
      { key: "Home", does: "", hidden: true, within: inStage, run: () => goStep(1) },
      { key: "End", does: "", hidden: true, within: inStage, run: () => goStep(7) },
    ],
    [n, word, playing, level, asked, turned],
  );
  const play = () => {
    setParams({ q: "1", step: "1" });
    setSignal(true);
    setPlaying(true);
  };
  const step = word?.steps.find((each) => each.number === n);
  // texts may arrive after the numbers: the labels are new when what they say is
  const said = (word ? labelsOf(n, word, say, level === "child") : []);
  const labelled = useMemo(() => said, [JSON.stringify(said)]);
  useShare(
    { name: `word-step-${n}`, json: () => word, rows: () => (word ? tableOf(word) : []), picture: () => root.current?.querySelector<SVGSVGElement>(".w-flat") ?? null },
    [word, n],
  );
  if (error !== null) return <Failure error={error} />;
  if (!word || !step) return <Loading />;

  const number = main(step);
  const papers = step.papers;
  const counts = {
    layers: word.steps[6]!.numbers["layers"]!.value,
    plainLayers: word.steps[6]!.numbers["layers"]!.value - word.steps[2]!.numbers["moe_layers"]!.value,
    experts: word.steps[2]!.numbers["experts"]!.value,
    picked: word.steps[2]!.numbers["picked_experts"]!.value,
    width: word.steps[1]!.numbers["width"]!.value,
    scores: word.steps[5]!.numbers["scores"]!.value,
  };
  const headline = say(`step.${n}.number`);
  const description = say("aria.word.picture", { n, name: say(`step.${n}.name`), number: headline });
  const energy = word.word["site_J"]!;
  const water = word.word["site_water_L"]!;
  const drops = word.word["site_drops"]!;

  return (
    <div class="word" ref={root}>
      <h1 class="unseen">{say("word.title")}</h1>
      <div class="w-picker">
        <label>
          <span class="unseen">{say("word.picker")}</span>
          <select value={asked} onChange={(event) => ask(Number(event.currentTarget.value))}>
            {QUESTIONS.map(([name, each]) => <option key={name} value={each}>{say(`question.${name}.ask`)}</option>)}
          </select>
        </label>
        <p class="cap">{say("word.picker")}</p>
      </div>
      <nav class="w-rail" aria-label={say("word.step", { n, count: 7 })}>
        <ol>
          {word.steps.map((each) => (
            <li key={each.number}>
              <button class="ghost" aria-current={each.number === n ? "step" : undefined} onClick={() => { setPlaying(false); goStep(each.number); }}>
                <i>{each.number}</i> <span>{say(`step.${each.number}.name`)}</span>
              </button>
            </li>
          ))}
        </ol>
        <div class="w-tools">
          {!flat && (
            <>
              <span class="w-turns">
                <Turns rotate={rotate} zoom={zoom} reset={reset} />
              </span>
              <span class="w-modes">
                <button class="ghost" aria-pressed={signal} onClick={() => setSignal(!signal)}>{say("control.signal")} <kbd>S</kbd></button>
                <button class="ghost" aria-pressed={labels} onClick={() => setLabels(!labels)}>{say("control.labels")} <kbd>L</kbd></button>
                <button class="ghost" aria-pressed={spin} onClick={() => setSpin(!spin)}>{say("control.spin")}</button>
                <button class="ghost w-touch" aria-pressed={active} onClick={() => setActive(!active)}>{say(active ? "control.deactivate" : "control.activate")}</button>
              </span>
            </>
          )}
          <button class="ghost w-go" onClick={() => (playing ? setPlaying(false) : play())}>
            <svg width="10" height="12" aria-hidden="true"><path d={playing ? "M1 1h3v10H1zM6 1h3v10H6z" : "M1 1l8 5-8 5z"} fill="currentColor" /></svg> {say("control.tour")} <kbd>T</kbd>
          </button>
          {able && <button class="ghost" onClick={() => { setReady(false); setParams({ flat: flat ? (state.motion ? "" : "0") : "1" }); }}>{say(flat ? "action.show_3d" : "action.show_flat")}</button>}
          <a class="ghost" href="#w-table" onClick={(event) => { event.preventDefault(); document.getElementById("w-table")?.scrollIntoView(); document.getElementById("w-table")?.focus(); }}>{say("action.table")}</a>
        </div>
      </nav>
      <div class="w-stage" ref={stage} tabIndex={-1}>
        {(flat || !ready) && <Flat step={n} counts={counts} description={description} labels={labelled} prompt={say("word.prompt")} answer={say("word.answer")} />}
        {!flat && (
          <WordPicture step={n} counts={counts} ground={ground} labels={labelled} showLabels={labels} turned={turned} turn={setTurned} signal={signal}
            rest={() => setSignal(false)} motion={state.motion} active={active} description={description} ready={() => setReady(true)} failed={() => setAble(false)} />
        )}
      </div>
      <article class="w-text" aria-labelledby="w-head">
        <h2 class="label" id="w-head">{say("word.step", { n, count: 7 })}: {say(`step.${n}.name`)}</h2>
        <Headline text={headline} />
        <Everyday step={step} />
        <p class="small w-everyday">{say(`step.${n}.everyday`)}</p>
        {key === "first_word" || (key === "scarce" && n === fromQuestion) ? <p class="prose">{say(`question.${key}.answer`)}</p> : null}
        {key === "scarce" && n === fromQuestion ? null : <p class="prose">{say(`step.${n}.text`)}</p>}
        {n === 5 && <BatchBar single={step.numbers["fetch_share"]} say={say}
          note={level === "child" ? say("word.batch.text") : level === "student" ? "" : `${(step.numbers["fetching"]?.note ?? "").split(". ").slice(0, 2).join(". ")}.`} />}
        <div class="w-paper">
          <p><b>{say(`basis.${number.basis}`)}</b> <Sources keys={number.sources} all={sources} />{bandText(number, say)}</p>
          {papers.slice(0, 1).map((paper) => (
            <p key={paper.key}><a href={paper.url}><b>{paper.title}, {paper.year}.</b></a> {why(paper, say)}</p>
          ))}
        </div>
        {level === "child" ? <p class="w-word w-told small">{say("word.energy.text")} {say("word.water.text")}</p> : (
          <div class="w-word">
            <div><span class="cap">{say("word.energy")}</span><span class="num">{si(energy.value, "J")}</span><span class="cap">{say("word.energy.where", { band: band(energy.low, energy.high, energy.value, "J") })}</span></div>
            <div><Drop fact={drops} /><span><span class="cap">{say("word.water")}</span><span class="num">{si(water.value, "L")}</span><span class="cap">{say("word.water.where", { drops: digits(drops.value, 2) })}</span></span></div>
          </div>
        )}
        <div class="w-next">
          {n > 1 ? <button class="ghost" onClick={() => goStep(n - 1)}>{n - 1}{"\u2002"}{say(`step.${n - 1}.name`)}</button> : <span />}
          {n < 7 ? <button class="ghost w-go" onClick={() => goStep(n + 1)}>{n + 1}{"\u2002"}{say(`step.${n + 1}.name`)} <Arrow /></button>
            : <button class="ghost w-go" onClick={() => root.current?.querySelector("select")?.focus()}>{say("word.another")}</button>}
        </div>
      </article>
      <OwnWord word={word} state={state} />
      <section class="w-table" id="w-table" tabIndex={-1}>
        <h2>{say("action.table")}</h2>
        <p class="prose">{say("word.intro")} {say("word.inference")}</p>
        <Table word={word} say={say} sources={sources} />
      </section>
    </div>
  );
}

/** The numerals of a headline large, its words smaller. */
function Headline({ text }: { readonly text: string }) {
  const found = /^(.*?)([\d][\d.,]*)(.*)$/.exec(text);
  if (!found) return <div class="w-big">{text}</div>;
  return <div class="w-big">{found[1]}<span>{found[2]}</span>{found[3]}</div>;
}

function Swatch({ tint }: { readonly tint: string }) {
  return <svg width="10" height="10" aria-hidden="true"><rect width="10" height="10" fill={tint} opacity={tint.includes("stored") ? 0.55 : 1} /></svg>;
}

/** Where the energy goes: fetching and computing, for one reader, and where they are equal. */
function BatchBar({ single, note, say }: { readonly single: Fact | undefined; readonly note: string; readonly say: Say }) {
  if (!single) return null;
  const row = (y: number, share: number, name: string) => (
    <g transform={`translate(0 ${y})`}>
      <text x="0" y="11" class="w-axis">{name}</text>
      <rect x="128" y="0" width={256 * share} height="14" fill="var(--stored-charge)" opacity=".55" /><rect x={128 + 256 * share} y="0" width={256 * (1 - share)} height="14" fill="var(--moving-charge)" />
    </g>
  );
  return (
    <figure class="w-batch">
      <svg viewBox="0 0 384 42" width="100%" aria-hidden="true">
        {row(2, single.value, say("word.batch.alone"))}
        {row(22, 0.5, say("word.batch.equal"))}
      </svg>
      <figcaption class="small"><Swatch tint="var(--stored-charge)" />{say("word.batch.fetch")}, <Swatch tint="var(--moving-charge)" />{say("word.batch.count")}. {note}</figcaption>
    </figure>
  );
}

function bandText(fact: Fact, say: Say): string {
  const shownBand = `${band(fact.low, fact.high, fact.value, fact.unit)} ${fact.unit === "1" ? "" : fact.unit}`.trim();
  return fact.low === fact.high ? "" : ` ${say("word.likely", { band: shownBand })}`;
}

function Arrow() {
  return <svg width="14" height="10" aria-hidden="true"><path d="M0 5h12M8 1l4 4-4 4" fill="none" stroke="currentColor" stroke-width="1.4" /></svg>;
}
