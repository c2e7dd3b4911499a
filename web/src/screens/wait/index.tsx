/**
 * "Where does the wait come from?" The reader guesses first; then four sliders move two bars.
 * The page opens with round numbers that a class can follow with a pencil; "more" works the same wait out in full.
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { loadLab } from "../../core/data";
import { loadFormula, type Formula, type Spread, type Values } from "../../core/formula";
import { isLive } from "../../core/server";
import { digits, si, spoken } from "../../core/units";
import { percent, ratio, rest, share as shareOf, short, times, Raised } from "../../charts/numbers";
import { Figure, words } from "../../charts/said";
import { Timeline, type Piece } from "../../charts/timeline";
import { Twin } from "../../charts/twin";
import { useData } from "../../shell/data";
import { announce } from "../../shell/live";
import { Failure, Loading } from "../../shell/notices";
import { useShare } from "../../shell/share";
import { Slider } from "../../shell/slider";
import { link, setParams, type ScreenProps } from "../../shell/state";
import { useText } from "../../shell/text";
import { cableOf, choose, hasCable, loadSwaps, prepare, promptOf, questionOf, queueOf, SLOTS, type Choices } from "./full";
import { More } from "./more";
import { useServed } from "./served";
import { SwapSection, WAYS } from "./swaps";
import "./wait.css";

const NBSP = "\u00a0";
const number = (text: string | undefined, otherwise: number, least: number, most: number): number => {
  const value = Number(text);
  return text === undefined || text === "" || !Number.isFinite(value) ? otherwise : Math.min(most, Math.max(least, value));
};

/** Each slider: its parameter, its input of the closed form, and how many of the form's units one of its own is. */
const DISTANCE = { key: "km", input: "concept.lab.distance_m", unit: "km", scale: 1e3, min: 0, max: 20_000, step: 100 };
const QUEUE = { key: "queue", input: "concept.lab.queue_wait_s", unit: "ms", scale: 1e-3, min: 0, max: 2_000, step: 10 };
const PROMPT = { key: "prompt", input: "concept.lab.prompt_tokens", unit: "token", scale: 1, min: 8, max: 4_000, step: 8 };
const REPLY = { key: "reply", input: "concept.lab.output_tokens", unit: "token", scale: 1, min: 1, max: 1_000, step: 1 };

export default function Wait({ state }: ScreenProps) {
  const t = useText();
  const concept = useData(() => loadFormula("concept"));
  const lab = useData(loadLab);
  const [others, setOthers] = useState<Record<string, Formula>>({});
  const { params } = state;
  const full = params["rates"] === "full";
  const presetKey = params["trip"] ?? "cloud";

  // The four sliders of the round numbers.
  const start = (spec: typeof DISTANCE) => (concept?.inputs[spec.input]?.value ?? 0) / spec.scale;
  const at = (spec: typeof DISTANCE) => number(params[spec.key], Number(start(spec).toPrecision(12)), spec.min, spec.max);
  const km = at(DISTANCE);
  const queue = at(QUEUE);
  const prompt = at(PROMPT);
  const reply = at(REPLY);
  const reasoning = number(params["thoughts"], 0, 0, 20_000);
  const guess = params["guess"] === undefined || params["guess"] === "none" ? null : number(params["guess"], 1, 0.01, 600);
  const asked = params["guess"] !== undefined;

  // The closed forms of whole trips come after the first picture.
  useEffect(() => {
    let here = true;
    void Promise.all(["cloud", ...WAYS].map(async (name) => [name, await loadFormula(name)] as const)).then(
      (found) => here && setOthers(Object.fromEntries(found)),
      () => undefined,
    );
    return () => {
      here = false;
    };
  }, []);

  // More: other things in the slots.
  const swaps = useData(() => (full ? loadSwaps() : Promise.resolve(undefined)), [full]);
  const own: Choices = Object.fromEntries(SLOTS.flatMap(([slot, key]) => (params[key] ? [[slot, params[key]]] : [])));
  const ownKey = JSON.stringify([presetKey, own]);
  const preset = lab?.presets.find((each) => each.key === presetKey && each.way === "full") ?? lab?.presets.find((each) => each.key === "cloud");
  const [ready, setReady] = useState<{ key: string; formula: Formula | null } | null>(null);
  useEffect(() => {
    if (!full || !lab || !swaps || !preset) return;
    let here = true;
    void prepare(preset, own, lab, swaps).then((formula) => here && setReady({ key: ownKey, formula }));
    return () => {
      here = false;
    };
  }, [full, lab, swaps, ownKey]);
  const formula = full ? (ready?.formula ?? others["cloud"]) : undefined;
  // Without a printed equation the server works the trip out; what was printed last stands until then.
  const missing = full && ready?.key === ownKey && ready.formula === null;
  const usualLoad = (formula?.inputs["model.serving.utilization"]?.value ?? 0.5) * 100;
  const load = number(params["load"], usualLoad, 1, 98);
  const usualCable = Math.round((swaps?.cables[preset?.key ?? ""] ?? 0) / DISTANCE.scale);
  const cable = number(params["cable"], usualCable, DISTANCE.min, DISTANCE.max);
  const wanted_s = full && params["line"] ? number(params["line"], 0, QUEUE.min, QUEUE.max) * QUEUE.scale : null;

  const chosen: Values | null = !concept
    ? null
    : full
      ? formula
        ? {
            ...promptOf(formula, prompt),
            "prompt.reply.output_tokens": reply,
            "prompt.reply.reasoning_tokens": reasoning,
            ...(params["load"] ? { "model.serving.utilization": load / 100 } : {}),
            ...(params["cable"] && swaps && preset && hasCable(preset, swaps) ? cableOf(formula, cable * DISTANCE.scale) : {}),
          }
        : null
      : {
          [DISTANCE.input]: km * DISTANCE.scale,
          [QUEUE.input]: queue * QUEUE.scale,
          [PROMPT.input]: prompt,
          [REPLY.input]: reply,
        };
  const given = chosen && full && formula && wanted_s !== null ? { ...chosen, ...queueOf(formula, chosen, wanted_s) } : chosen;
  const { served, error, late } = useServed(
    missing && isLive() && preset && lab && swaps && chosen ? questionOf(preset, choose(preset, own, lab, swaps), swaps, chosen, prompt, wanted_s) : null,
  );
  const made = missing ? (served?.made ?? null) : given && (full ? formula : concept) ? (full ? formula! : concept!).evaluate(given) : null;
  const line = (made?.["queue_s"] ?? 0) / QUEUE.scale;

  // The band follows a moment after the last move.
  const bandOf = full ? formula : others["cloud"];
  const [drawn, setBand] = useState<Record<string, Spread> | null>(null);
  const band = missing ? (served?.band ?? null) : drawn;
  const [settled, settle] = useState({ prompt, reply, reasoning: full ? reasoning : 0 });
  const bandGiven = useMemo(() => {
    if (full) return given;
    return bandOf ? { ...promptOf(bandOf, prompt), "prompt.reply.output_tokens": reply, "prompt.reply.reasoning_tokens": 0 } : null;
  }, [full, bandOf, JSON.stringify(given)]);
  useEffect(() => {
    if (!bandOf || !bandGiven) return;
    const later = window.setTimeout(() => {
      setBand(bandOf.band(bandGiven));
      settle({ prompt, reply, reasoning: full ? reasoning : 0 });
    }, 20);
    return () => window.clearTimeout(later);
  }, [bandOf, bandGiven]);

  const firstName = full ? "time_to_first_photon_s" : "time_to_first_token_s";
  const first = made?.[firstName] ?? made?.["time_to_first_token_s"] ?? 0;
  const last = made?.["time_to_last_token_s"] ?? 0;
  const pieces = made ? piecesOf(made, full, first, t) : [];
  const writing: Piece = {
    key: "decode_s",
    name: t("wait.share.decode.long"),
    carrier: "moving charge",
    start: first,
    value: rest(last, first),
  };
  const figures = [...pieces, { ...writing, name: t("wait.share.decode") }];
  // Thinking is writing too.
  const longest = [...pieces.filter((p) => p.key !== "think"), { ...writing, name: t("wait.share.decode"), value: made?.["decode_s"] ?? 0 }].sort((a, b) => b.value - a.value)[0];

  const spokenResult = made ? t("aria.result", { first_word: spoken(first, "s", 3), whole_answer: spoken(last, "s", 3) }) : "";
  useEffect(() => {
    if (asked && spokenResult) announce(spokenResult);
  }, [spokenResult, asked]);

  const page = useRef<HTMLDivElement>(null);
  // Whoever has guessed goes on at the result; whoever comes by a link starts at the top.
  const before = useRef(asked);
  useEffect(() => {
    if (asked && !before.current) page.current?.querySelector<HTMLElement>(".guessed .field")?.focus();
    before.current = asked;
  }, [asked]);
  useShare(
    {
      name: "wait",
      json: () => ({
        rates: full ? "full" : "round",
        inputs: given,
        outputs: made,
        bands: full ? band : null,
        guess_s: guess,
      }),
      rows: () => [["part", "start_s", "duration_s"], ...figures.map((p) => [p.name, p.start, p.value])],
      picture: () => page.current?.querySelector<SVGSVGElement>("svg.timeline") ?? null,
    },
    [given, made, band, guess],
  );

  // The other ways follow with the band, a moment after the last move.
  const swapSection = useMemo(
    () =>
      lab && others["cloud"] ? (
        <SwapSection lab={lab} formulas={others} promptTokens={settled.prompt} replyTokens={settled.reply} reasoningTokens={settled.reasoning} />
      ) : null,
    [lab, others, settled, state.level, state.lang],
  );

  if (!concept || !lab) return <Loading />;
  const mode = (rates: string, opened = params["more"] ?? "") => {
    setParams({ rates, more: opened });
    announce(t(rates === "full" ? "wait.mode.full.said" : "wait.mode.round.said"));
  };
  const less = t("wait.minus");
  const more = t("wait.plus");
  const give = (key: string, usual: number) => (value: number) =>
    setParams({ [key]: Math.abs(value - usual) < 1e-9 ? "" : String(value) });
  const tokens = (count: number) => `${grouped(count)}${NBSP}${t("unit.tokens")}`;

  const promptSlider = (
    <Slider
      id="prompt" label={t("wait.slider.prompt")} {...range(PROMPT)} value={prompt} text={tokens(prompt)}
      spoken={`${prompt} ${t("unit.tokens")}`} carrier="moving charge" less={less} more={more}
      hint={full || !asked ? undefined : t("wait.hint.prompt", { value: made ? words(t, made["prefill_s"], "s") : "" })}
      onInput={give(PROMPT.key, start(PROMPT))}
    />
  );
  const replySlider = (
    <Slider
      id="reply" label={t("wait.slider.reply")} {...range(REPLY)} value={reply} text={tokens(reply)}
      spoken={`${reply} ${t("unit.tokens")}`} carrier="moving charge" less={less} more={more}
      hint={full || !asked ? undefined : t("wait.hint.reply", { value: made ? words(t, made["decode_s"], "s") : "" })}
      onInput={give(REPLY.key, start(REPLY))}
    />
  );

  return (
    <div class="wrap wait" ref={page}>
      <div class="title">
        <h1>{t("wait.title")}</h1>
        <div class="tabs" role="group" aria-label={t("wait.mode.label")}>
          <button aria-pressed={!full} onClick={() => mode("")}>
            {t("wait.mode.round")}
          </button>
          <button aria-pressed={full} onClick={() => mode("full")}>
            {t("wait.mode.full")}
          </button>
        </div>
      </div>
      <div class="grid">
        <div class="controls">
          {full && preset && swaps && formula ? (
            <>
              {hasCable(preset, swaps) ? (
                <Slider
                  id="cable" label={t("wait.slider.distance")} {...range(DISTANCE)} min={usualCable % DISTANCE.step} value={cable} text={`${grouped(cable)}${NBSP}km`}
                  spoken={`${cable} kilometers`} carrier="photons" less={less} more={more} onInput={give("cable", usualCable)}
                />
              ) : (
                <p class="small fixed">{swaps.cables[preset.key] === undefined ? t("wait.cable.none") : t("wait.cable.fixed", { length: words(t, swaps.cables[preset.key] ?? 0, "m") })}</p>
              )}
              <Slider
                id="line" label={t("wait.slider.queue")} {...range(QUEUE)} value={Math.round(line)} text={short((made?.["queue_s"] ?? 0), "s")}
                spoken={spoken(made?.["queue_s"] ?? 0, "s", 2)} carrier="waiting" less={less} more={more} onInput={give("line", -1)}
              />
            </>
          ) : (
            !full && (
              <>
                <Slider
                  id="km" label={t("wait.slider.distance")} {...range(DISTANCE)} value={km} text={`${grouped(km)}${NBSP}km`}
                  spoken={`${km} kilometers`} carrier="photons" less={less} more={more}
                  hint={!asked ? undefined : t("wait.hint.distance", { value: made ? words(t, made["network_s"], "s") : "" })}
                  onInput={give(DISTANCE.key, start(DISTANCE))}
                />
                <Slider
                  id="queue" label={t("wait.slider.queue")} {...range(QUEUE)} value={queue} text={`${grouped(queue)}${NBSP}ms`}
                  spoken={`${queue} milliseconds`} carrier="waiting" less={less} more={more}
                  hint={asked ? t("wait.hint.queue") : undefined}
                  onInput={give(QUEUE.key, start(QUEUE))}
                />
              </>
            )
          )}
          {promptSlider}
          {replySlider}
          {full && preset && swaps && (
            <More
              lab={lab} swaps={swaps} preset={preset} own={own} open={params["more"] === "1" || Object.keys(own).length > 0}
              load={load} thoughts={reasoning} give={give} usualLoad={usualLoad}
            />
          )}
          <p class="small mode">{t(full ? "wait.mode.full.said" : "wait.mode.round.said")}</p>
          {!full && (
            <button class="ghost" onClick={() => mode("full", "1")}>
              {t("wait.more")}…
            </button>
          )}
        </div>
        <div class="result">
          {missing && !served && (error || !isLive()) && <Failure error={error ?? t("wait.unavailable")} />}
          {missing && isLive() && !error && <p class="small served" role="status">{t(late ? "wait.served.asking" : "wait.served")}</p>}
          {missing && served && error && <p class="small served">{error}</p>}
          {!asked ? (
            <Ask onGuess={(value) => setParams({ guess: value })} />
          ) : made ? (
            <>
              <div class="pair">
                <div>
                  <div class="label">{t(full ? "wait.first.full" : "wait.first")}</div>
                  <Figure value={first} unit="s" />
                  <Likely band={band?.[firstName]} full={full} />
                </div>
                <div>
                  <div class="label">{t("wait.whole")}</div>
                  <Figure value={last} unit="s" />
                  <Likely band={band?.["time_to_last_token_s"]} full={full} />
                </div>
                <Guessed guess={guess} last={last} />
              </div>
              <Timeline
                title={`${spokenResult} ${figures.map((p) => t("aria.bar", { name: p.name, value: words(t, p.value, "s"), share: percent(shareOf(p.value, last)) })).join("; ")}`}
                pieces={pieces} first={first} writing={writing} end={last} tokens={Math.round(reply)}
                guess={guess} guessName={t("wait.guess.label").toLowerCase()} onGuess={(value) => setParams({ guess: String(value) })}
                magnified={(many) => t("wait.magnified", { times: many })}
              />
              <div class="ideas">
                <div>
                  <div class="cap">{t("wait.idea.label")}</div>
                  <p class="idea">
                    {longest?.key === "decode_s"
                      ? t("wait.idea", { write_share: percent(shareOf(longest.value, last)), network_time: words(t, made["network_s"], "s") })
                      : t("wait.idea.other", { longest: longest?.name ?? "", longest_share: percent(shareOf(longest?.value ?? 0, last)) })}
                  </p>
                </div>
                <div class="small rates">
                  {full ? (
                    <p>
                      <Raised text={t("wait.full.rates", {
                        model: own["model.name"] && swaps ? (swaps.slots["model.name"]?.[own["model.name"]]?.title ?? "") : (preset?.capability?.model ?? ""),
                        token_time: words(t, made["time_per_output_token_s"], "s"),
                      })} />
                    </p>
                  ) : (
                    <p>
                      {t("wait.rates.title")}:{" "}
                      {t("wait.rates", {
                        read_rate: grouped(concept.inputs["concept.lab.prefill_rate_token_s"]?.value ?? 0),
                        write_rate: grouped(concept.inputs["concept.lab.decode_rate_token_s"]?.value ?? 0),
                        light_speed: t("said.speed", { n: digits((concept.inputs["concept.lab.signal_speed_m_s"]?.value ?? 0) / 1e6, 3) }),
                      })}
                    </p>
                  )}
                  <div class="take">
                  <Twin
                    title={t("action.table")} caption={t("wait.title")} right={[1, 2]}
                    head={[t("wait.table.part"), t("stage.time"), t("wait.table.share")]}
                    rows={[
                      ...figures.map((p) => [p.name, si(p.value, "s"), percent(shareOf(p.value, last))]),
                      [t(full ? "wait.first.full" : "wait.first"), si(first, "s"), ""],
                      [t("wait.whole"), si(last, "s"), ""],
                    ]}
                  />
                  <a class="ghost" href={link("sheet", "", { for: "answer", ...printed(params, full) })}>
                    {t("wait.to_sheet")}
                  </a>
                  </div>
                </div>
              </div>
            </>
          ) : (
            !(missing && (error || !isLive())) && <Loading />
          )}
        </div>
      </div>
      {asked && swapSection}
    </div>
  );
}

/** What the question sheet takes over: the sliders and the guess, or the trip. */
const printed = (params: Readonly<Record<string, string>>, full: boolean): Record<string, string> =>
  Object.fromEntries((full ? ["trip", "guess"] : ["km", "queue", "prompt", "reply", "guess"]).flatMap((key) => (params[key] ? [[key, params[key]]] : full && key === "trip" ? [[key, "cloud"]] : [])));

const grouped = (count: number): string => Math.round(count).toLocaleString("en-US");
const range = ({ min, max, step }: typeof DISTANCE) => ({ min, max, step });

/** The parts up to the first word, one after the other. */
function piecesOf(made: Values, full: boolean, first: number, t: (key: string) => string): Piece[] {
  const token = made["time_to_first_token_s"] ?? 0;
  const names: [string, string, Piece["carrier"]][] = full
    ? [
        ["network_s", "network", "photons"],
        ["datacenter_s", "datacenter", "moving charge"],
        ["queue_s", "queue", "waiting"],
        ["prefill_s", "prefill", "moving charge"],
      ]
    : [
        ["network_s", "network", "photons"],
        ["queue_s", "queue", "waiting"],
        ["prefill_s", "prefill", "moving charge"],
      ];
  const made_: Piece[] = [];
  let at = 0;
  const push = (key: string, name: string, carrier: Piece["carrier"], value: number) => {
    made_.push({ key, name: t(`wait.share.${name}`), brief: t(`wait.share.${name}.brief`), carrier, start: at, value });
    at += value;
  };
  if (full) push("client", "client", "motion", rest(token, ...names.map(([key]) => made[key] ?? 0)));
  for (const [key, name, carrier] of names) push(key, name, carrier, made[key] ?? 0);
  if (full) {
    const answer = made["time_to_first_answer_s"] ?? token;
    if (answer > token) push("think", "think", "moving charge", rest(answer, token));
    push("screen", "screen", "moving charge", rest(first, answer));
  }
  return made_;
}

function Likely({ band, full }: { readonly band: Spread | undefined; readonly full: boolean }) {
  const t = useText();
  return (
    <div class="cap likely">
      {band ? t(full ? "wait.likely" : "wait.band.real", { low: words(t, band.low, "s"), high: words(t, band.high, "s") }) : NBSP}
    </div>
  );
}

function Guessed({ guess, last }: { readonly guess: number | null; readonly last: number }) {
  const t = useText();
  const many = guess === null ? 1 : ratio(last, guess);
  const said =
    guess === null
      ? ""
      : Math.abs(Math.log(many)) < 0.1
        ? t("wait.guess.close", { guess: words(t, guess, "s") })
        : many > 1
          ? t("wait.guess.over", { guess: words(t, guess, "s"), times: times(many) })
          : t("wait.guess.under", { guess: words(t, guess, "s"), times: times(ratio(1, many)) });
  return (
    <div class="guessed">
      <label class="small">
        {t("wait.guess.label")}{" "}
        <input
          class="field" type="number" min="0.01" max="600" step="0.1" value={guess ?? ""} placeholder="?"
          onChange={(event) => setParams({ guess: event.currentTarget.value || "none" })}
        />
        {NBSP}s
      </label>
      <p class="small">{said}</p>
    </div>
  );
}

/** Guess first: a mark on an empty axis, or a number. */
function Ask({ onGuess }: { readonly onGuess: (value: string) => void }) {
  const t = useText();
  const [value, set] = useState(1);
  return (
    <form
      class="ask"
      onSubmit={(event) => {
        event.preventDefault();
        onGuess(String(value));
      }}
    >
      <p class="label">{t("wait.guess.label")}</p>
      <p class="idea">{t("wait.guess.ask")}</p>
      <Slider
        id="guess" label={t("wait.whole")} min={0.1} max={20} step={0.1} value={value} text={`${digits(value, 2)}${NBSP}s`}
        spoken={spoken(value, "s", 2)} less={t("wait.minus")} more={t("wait.plus")} onInput={set}
      />
      <p class="ask-go">
        <button class="ghost go" type="submit">
          {t("wait.guess.set")}
        </button>
        <button class="ghost" type="button" onClick={() => onGuess("none")}>
          {t("wait.guess.skip")}
        </button>
      </p>
    </form>
  );
}
