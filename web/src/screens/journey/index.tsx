/** The journey: the whole way as a picture, and under it the time of every stage. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { loadLab, loadTrip } from "../../core/data";
import { parts as split, band, si } from "../../core/units";
import type { Lab, Span, Trace } from "../../core/types";
import { announce } from "../../shell/live";
import { useKeys } from "../../shell/keys";
import { Failure, Loading } from "../../shell/notices";
import { useShare } from "../../shell/share";
import { link, setParams, type ScreenProps } from "../../shell/state";
import { useText, type Say } from "../../shell/text";
import { Map2d } from "./map2d";
import Picture3d, { clamp, UNTURNED, type Turned, type View } from "./picture3d";
import type { Values } from "../../core/strings";
import { valuesOf } from "./parts";
import { decade, doesOf, ink, moreOf, nameOf, partOf, PARTS, SHOWN, youth, type Part } from "./parts";
import { Hatch, label, Rows, Strip, Table, type ColorBy, type TimeScale } from "./strip";
import { COUNT, startOf, STOP_S, tourAt, WHOLE_S } from "./tour";
import "./journey.css";

/** Around the Earth over the poles: what a meter was first made from. Only the drawing to scale needs it. */
const AROUND_M = 40_007_863;
const VIEW_KEYS = ["overview", "signal", "inside", "scale"] as const;

export default function Journey({ state }: ScreenProps) {
  const text = useText();
  const { params, level } = state;
  const preset = params["trip"] ?? "cloud";
  const [lab, setLabData] = useState<Lab | null>(null);
  const [trip, setTrip] = useState<Trace | null>(null);
  const [error, fail] = useState<unknown>(null);
  const [width, setWidth] = useState(() => document.documentElement.clientWidth);
  const [able, setAble] = useState(() => webgl());
  const [ready, setReady] = useState(false);
  const [turned, setTurned] = useState<Turned>(UNTURNED);
  const [signal, setSignal] = useState(true);
  const [spin, setSpin] = useState(false);
  const [active, setActive] = useState(false);
  const [playing, setPlaying] = useState(false);
  const [moment, setMoment] = useState(() => Number(params["tour"]) || 0);
  const root = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement | null>(null);

  const values = useMemo(() => (trip && trip.scenario.name !== "cloud" ? valuesOf(trip) : {}), [trip]);
  const say = (key: string, more: Values = {}) => text(key, { ...values, ...more });
  const compact = width <= 700;
  const view = (clamp(Math.round(Number(params["view"])) || 1, 1, 4)) as View;
  const part = PARTS.includes(params["part"] as Part) ? (params["part"] as Part) : compact && view !== 4 && view !== 3 ? "device" : null;
  const chosen = PARTS.includes(params["part"] as Part) ? (params["part"] as Part) : null;
  const flat = params["flat"] === "1" || (params["flat"] !== "0" && !state.motion) || !able;
  const labels = params["labels"] === "none" ? "none" : params["labels"] === "focus" ? "focus" : "all";
  const by: ColorBy = params["color"] === "decade" ? "decade" : "carrier";
  const scale: TimeScale = params["time"] === "linear" ? "linear" : params["time"] === "first" ? "first" : "log";
  const touring = params["tour"] !== undefined;
  const ground = useGround(state.theme);

  useEffect(() => {
    const read = () => setWidth(document.documentElement.clientWidth);
    const watcher = new ResizeObserver(read);
    watcher.observe(document.documentElement);
    return () => watcher.disconnect();
  }, []);
  useEffect(() => {
    loadLab().then(setLabData, fail);
  }, []);
  useEffect(() => {
    let here = true;
    loadTrip(preset).then((found) => here && setTrip(found), (reason: unknown) => {
      if (preset !== "cloud") setParams({ trip: "" });
      else if (here) fail(reason);
    });
    return () => {
      here = false;
    };
  }, [preset]);

  const go = (patch: Record<string, string>) => setParams(patch);
  const choose = (next: Part | null) => {
    setTurned(UNTURNED);
    go({ part: next ?? "", tour: "" });
    setPlaying(false);
    if (next) announce(`${PARTS.indexOf(next) + 1}: ${nameOf(next, level)}. ${doesOf(next, level)}`);
  };
  const step = (by: number) => {
    if (touring) return jump(clamp(tourAt(moment).stop + by, 1, COUNT));
    const now = part ? PARTS.indexOf(part) : by > 0 ? -1 : PARTS.length;
    choose(PARTS[clamp(now + by, 0, PARTS.length - 1)]!);
  };
  const setView = (next: number) => {
    setTurned(UNTURNED);
    go({ view: next === 1 ? "" : String(next), part: "", tour: "" });
    setPlaying(false);
    if (next === 2) setSignal(true);
  };
  const turn = (patch: Partial<Turned>) => setTurned((now) => ({ ...now, ...patch }));
  const rotate = (yaw: number, pitch: number) =>
    setTurned((now) => ({ ...now, yaw: clamp(now.yaw + yaw, -75, 75), pitch: clamp(now.pitch + pitch, -9, 60) }));
  const zoom = (factor: number) => setTurned((now) => ({ ...now, zoom: clamp(now.zoom * factor, 0.5, 4) }));
  const reset = () => {
    setTurned(UNTURNED);
    setSpin(false);
  };
  const nextLabels = () => go({ labels: labels === "all" ? "focus" : labels === "focus" ? "none" : "" });

  // ---- the tour: the moment is the state, playing only moves it
  const write = (seconds: number) => go({ tour: seconds.toFixed(1), part: "", view: "" });
  const startTour = () => {
    setTurned(UNTURNED);
    setSpin(false);
    setMoment(0);
    write(0);
    setPlaying(true);
  };
  const leaveTour = () => {
    setPlaying(false);
    go({ tour: "" });
    setTurned(UNTURNED);
  };
  const scrub = (seconds: number) => {
    const next = clamp(seconds, 0, WHOLE_S);
    setMoment(next);
    write(next);
  };
  const jump = (stop: number) => {
    scrub(startOf(stop) + 0.95);
    announce(`${say(`tour.${stop}.title`)}. ${say(`tour.${stop}.caption`)}`);
  };
  useEffect(() => {
    if (touring && !playing) setMoment(clamp(Number(params["tour"]) || 0, 0, WHOLE_S));
  }, [params["tour"]]);
  useEffect(() => {
    if (!playing || !touring) return;
    let handle = 0;
    let last = performance.now();
    let at = moment;
    let spoken = 0;
    let written = last;
    const tick = (now: number) => {
      at = Math.min(at + (now - last) / 1000, WHOLE_S);
      last = now;
      const stop = tourAt(at).stop;
      if (state.motion) setMoment(at);
      else if (stop !== spoken) setMoment(startOf(stop) + 0.95);
      if (stop !== spoken) {
        spoken = stop;
        announce(`${say(`tour.${stop}.title`)}. ${say(`tour.${stop}.caption`)}`);
      }
      if (now - written > 500) {
        written = now;
        write(at);
      }
      if (at < WHOLE_S) handle = requestAnimationFrame(tick);
      else setPlaying(false);
    };
    handle = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(handle);
  }, [playing, touring]);

  // ---- spin: one slow swing to each side, then rest
  useEffect(() => {
    if (!spin) return;
    if (!state.motion) {
      setSpin(false);
      return;
    }
    let handle = 0;
    const begin = performance.now();
    const base = turned;
    const tick = (now: number) => {
      const s = (now - begin) / 1000;
      setTurned({ ...base, yaw: base.yaw + 32 * Math.sin((2 * Math.PI * s) / 14) });
      if (s < 14) handle = requestAnimationFrame(tick);
      else {
        setTurned(base);
        setSpin(false);
      }
    };
    handle = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(handle);
  }, [spin]);

  const inStage = () => stage.current;
  useKeys(
    [
      { key: "ArrowLeft", shown: say("key.name.arrows"), does: say("key.arrows"), within: inStage, run: () => (touring ? step(-1) : rotate(-7.5, 0)) },
      { key: "ArrowRight", does: say("key.arrows"), hidden: true, within: inStage, run: () => (touring ? step(1) : rotate(7.5, 0)) },
      { key: "ArrowUp", does: say("key.arrows"), hidden: true, within: inStage, run: () => rotate(0, 5) },
      { key: "ArrowDown", does: say("key.arrows"), hidden: true, within: inStage, run: () => rotate(0, -5) },
      { key: "+", shown: "+ −", does: say("key.zoom"), run: () => zoom(1.2) },
      { key: "=", does: say("key.zoom"), hidden: true, run: () => zoom(1.2) },
      { key: "-", does: say("key.zoom"), hidden: true, run: () => zoom(1 / 1.2) },
      { key: "0", does: say("key.zero"), run: reset },
      ...VIEW_KEYS.map((_, i) => ({ key: String(i + 1), shown: "1 – 4", does: say("key.views"), hidden: i > 0, run: () => setView(i + 1) })),
      { key: "s", shown: "S", does: say("key.signal"), run: () => setSignal((on) => !on) },
      { key: "t", shown: "T", does: say("key.tour"), run: () => (touring ? leaveTour() : startTour()) },
      { key: "l", shown: "L", does: say("key.labels"), run: nextLabels },
      { key: " ", shown: say("key.name.space"), does: say("key.space"), within: inStage, run: () => (touring ? setPlaying((on) => !on) : setSpin((on) => !on)) },
      { key: "[", shown: "[ ]", does: say("key.stages"), run: () => step(-1) },
      { key: "]", does: say("key.stages"), hidden: true, run: () => step(1) },
      { key: "Home", shown: say("key.name.home_end"), does: say("key.ends"), within: inStage, run: () => choose(PARTS[0]!) },
      { key: "End", does: say("key.ends"), hidden: true, within: inStage, run: () => choose(PARTS[PARTS.length - 1]!) },
      { key: "Escape", shown: say("key.name.escape"), does: say("key.escape"), run: () => {
        if (touring) leaveTour();
        else if (chosen) choose(null);
        else return false;
        return undefined;
      } },
    ],
    [touring, chosen, labels, moment, level, turned, part],
  );

  useShare(
    {
      name: `journey-${preset}`,
      json: () => trip,
      rows: () => (trip ? tableRows(trip) : []),
      picture: () => root.current?.querySelector<SVGSVGElement>(".j-strip") ?? root.current?.querySelector<SVGSVGElement>(".j-map") ?? null,
    },
    [trip, preset],
  );

  const years = useMemo(() => (trip && by === "decade" ? yearsOf(trip) : null), [trip, by]);
  if (error !== null) return <Failure error={error} />;
  if (!trip || !lab) return <Loading />;

  const wide = Math.min(width, 1280);
  const edge = compact ? 20 : 40;
  const firstKey = "time_to_first_word_s" in trip.summary ? "time_to_first_word_s" : "time_to_first_token_s";
  const first = trip.summary[firstKey] as number;
  const whole = trip.summary["time_to_last_token_s"] as number;
  const choices = trip.scenario.choices ?? {};
  const device = /phone|touch/.test(`${choices["keyboard.board"] ?? ""} ${choices["computer.host"] ?? ""}`) ? "phone" : "laptop";
  const leaves = choices["model.where"] !== "device";
  const route = trip.spans.find((span) => span.name === "network.route");
  const circle = numberOf(route, "great_circle_m");
  const cable = numberOf(route, "cable_m");
  const fiber = trip.spans.find((span) => span.name === "optics.fiber");
  const around = Math.max(circle, 2e4) / AROUND_M;
  const told = notes(trip, circle, cable, fiber?.duration_s ?? 0, leaves, text);
  const now = touring ? tourAt(moment) : null;
  const focus = now?.part ?? chosen;
  const summary = say("journey.summary", { first_word: si(first, "s"), whole_answer: si(whole, "s") });
  const description = say("aria.journey.picture", { parts: PARTS.map((each, i) => `${i + 1} ${nameOf(each, level)}`).join(", ") });
  const stripHeight = 26 + PARTS.length * 24.5 + 4;

  return (
    <div class="journey" ref={root} data-compact={compact ? "" : undefined}>
      <Hatch />
      <div class="j-stage" ref={stage} tabIndex={-1} data-active={active ? "" : undefined} data-view={view}>
        <div class="j-head">
          <div>
            <h1>{say("journey.title")}</h1>
            <label class="j-trip">
              <span class="unseen">{say("journey.scenario")}</span>
              <select class="pick" value={preset} onChange={(event) => go({ trip: event.currentTarget.value === "cloud" ? "" : event.currentTarget.value })}>
                {lab.presets.map((each) => <option key={each.key} value={each.key}>{each.title}</option>)}
              </select>
            </label>
          </div>
          <dl class="j-figures">
            <Figure name={say("journey.first_word")} value={first} of={trip} key_={firstKey} />
            <Figure name={say("journey.whole_answer")} value={whole} of={trip} key_="time_to_last_token_s" />
          </dl>
        </div>
        <div class="j-picture" data-panel={!compact && chosen && !touring ? "" : undefined} data-flat={flat ? "" : undefined} data-whole={view === 1 && !chosen && !touring ? "" : undefined}>
          {(flat || !ready) && (
            <div class="j-flat">
              <Map2d level={level} part={focus} choose={choose} labels={labels} device={device} leaves={leaves} compact={compact} title={description}
                view={touring ? 1 : view} around={around} notes={told} />
            </div>
          )}
          {!flat && (
            <Picture3d level={level} ground={ground} device={device} leaves={leaves} view={view} part={part} turned={turned} turn={turn} labels={labels}
              signal={signal} rest={() => setSignal(false)} motion={state.motion} tour={touring ? moment : null} compact={compact} years={years}
              around={around} scaleNotes={told}
              choose={choose} ready={() => setReady(true)} failed={() => setAble(false)} canvas={(found) => (canvas.current = found)} description={description} />
          )}
          {!compact && chosen && !touring && (
            <PartPanel part={chosen} trip={trip} level={level} close={() => choose(null)} step={step} />
          )}
          {!compact && !chosen && !touring && view === 1 && (
            <div class="j-lines" data-view={view}>
              <p><b>{say("journey.big.title")}</b> {leaves ? say("journey.big.text") : say("journey.big.nothing")}</p>
              <p><b>{say("journey.real.title")}</b> {say("journey.real.text").replace(/^(.{60,}?[.!?])\s.*$/s, "$1")}</p>
            </div>
          )}
        </div>
        {touring && now ? (
          <div class="j-tour" role="region" aria-label={say("tour.label")}>
            <div class="j-caption">
              <b>{say(`tour.${now.stop}.title`)}</b> {say(`tour.${now.stop}.caption`)}
            </div>
            <div class="j-scrub">
              <button class="ghost" onClick={() => step(-1)} aria-label={say("tour.previous")}><Arrow back /></button>
              <button class="ghost j-go" onClick={() => (moment >= WHOLE_S ? startTour() : setPlaying(!playing))} aria-label={playing ? "Pause" : "Play"}>
                {playing ? <Pause /> : <Play />}
              </button>
              <button class="ghost" onClick={() => step(1)} aria-label={say("tour.next")}><Arrow /></button>
              <input type="range" min={0} max={WHOLE_S} step={0.1} value={moment} aria-label={say("tour.position")}
                aria-valuetext={`${now.stop} / ${COUNT}: ${say(`tour.${now.stop}.title`)}`}
                onInput={(event) => { setPlaying(false); scrub(Number(event.currentTarget.value)); }} />
              <span class="num small">{say("tour.time", { time: clock(moment), whole: clock(WHOLE_S) })}</span>
              <button class="ghost" onClick={leaveTour}>{say("tour.leave")} {!compact && <kbd>Esc</kbd>}</button>
            </div>
          </div>
        ) : (
          <div class="j-controls">
            {compact ? (
              <div class="j-step">
                <button class="ghost" onClick={() => step(-1)} aria-label={say("tour.previous")}><Arrow back /></button>
                <div>{part ? <><b><i>{PARTS.indexOf(part) + 1}</i> {nameOf(part, level)}</b><span>{doesOf(part, level)}</span></> : <b>{say(`view.${VIEW_KEYS[view - 1]}`)}</b>}</div>
                <button class="ghost" onClick={() => step(1)} aria-label={say("tour.next")}><Arrow /></button>
              </div>
            ) : null}
            <div class="j-views" role="group" aria-label={say("view.label")}>
              {VIEW_KEYS.map((key, i) => (
                <button key={key} class="ghost" aria-pressed={view === i + 1 && !chosen} onClick={() => setView(i + 1)}>
                  {say(`view.${key}`)} {!compact && <kbd>{i + 1}</kbd>}
                </button>
              ))}
            </div>
            <div class="j-tools">
              {!flat && (
                <span class="j-turns">
                  <button class="ghost" aria-label={say("control.rotate_left")} title={say("control.rotate_left")} onClick={() => rotate(-7.5, 0)}><Chevron turn={180} /></button>
                  <button class="ghost" aria-label={say("control.rotate_up")} title={say("control.rotate_up")} onClick={() => rotate(0, 5)}><Chevron turn={-90} /></button>
                  <button class="ghost" aria-label={say("control.rotate_down")} title={say("control.rotate_down")} onClick={() => rotate(0, -5)}><Chevron turn={90} /></button>
                  <button class="ghost" aria-label={say("control.rotate_right")} title={say("control.rotate_right")} onClick={() => rotate(7.5, 0)}><Chevron turn={0} /></button>
                  <button class="ghost j-glyph" aria-label={say("control.zoom_out")} title={say("control.zoom_out")} onClick={() => zoom(1 / 1.2)}>−</button>
                  <button class="ghost j-glyph" aria-label={say("control.zoom_in")} title={say("control.zoom_in")} onClick={() => zoom(1.2)}>+</button>
                  <button class="ghost" aria-label={say("control.reset")} onClick={reset}>{compact ? "0" : <kbd>0</kbd>}</button>
                  <button class="ghost" aria-pressed={spin} onClick={() => setSpin(!spin)}>{say("control.spin")}</button>
                </span>
              )}
              {!flat && <button class="ghost" aria-pressed={signal} onClick={() => setSignal(!signal)}>{say("control.signal")} {!compact && <kbd>S</kbd>}</button>}
              <button class="ghost" onClick={nextLabels} aria-label={`${say("control.labels")}${compact ? "" : " L"}: ${say(`control.labels.${labels}`)}`}>{say("control.labels")} {!compact && <kbd>L</kbd>}</button>
              {compact && !flat && <button class="ghost" aria-pressed={active} onClick={() => setActive(!active)}>{say(active ? "control.deactivate" : "control.activate")}</button>}
              <button class="ghost j-go" onClick={startTour}><Play /> {say("control.tour")} {!compact && <kbd>T</kbd>}</button>
            </div>
          </div>
        )}
      </div>
      <div class="j-legend">
        <span class="j-keyline">
          {by === "carrier"
            ? SHOWN.map((each) => <span key={each}><Dot carrier={each} />{say(`carrier.${each}`)}</span>)
            : [1870, 1920, 1970, 2020].map((year) => <span key={year}><svg width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="4.4" fill={`color-mix(in oklab, var(--fg) ${Math.round(22 + 78 * youth(year))}%, var(--bg))`} /></svg>{decade(year)}s</span>)}
          <button class="ghost" aria-pressed={by === "decade"} onClick={() => go({ color: by === "decade" ? "" : "decade" })}>
            {by === "decade" ? say("carrier.button") : say("decade.button")}
          </button>
        </span>
        <span class="j-keyline">
          <span><svg width="34" height="10" aria-hidden="true"><rect x="0" y="2" width="15" height="6" rx="3" class="j-burst" /><rect x="18" y="2" width="15" height="6" rx="3" class="j-burst" /></svg>{say("journey.pulse.question")}</span>
          <span><svg width="40" height="10" aria-hidden="true">{[4, 14, 24, 34].map((x) => <circle key={x} cx={x} cy="5" r="3.4" class="j-bead" />)}</svg>{say("journey.pulse.answer")}</span>
        </span>
      </div>
      {compact && chosen && <div class="j-about"><p class="prose">{moreOf(chosen, level, values)}</p></div>}
      <div class="j-below">
        <h2 class="unseen">{say("journey.strip.title")}</h2>
        {compact ? (
          <Rows trip={trip} by={by} level={level} />
        ) : (
          <>
            <div class="j-scale" role="group" aria-label={say("journey.strip.title")}>
              {(["log", "linear", "first"] as const).map((each) => (
                <button key={each} class="ghost" aria-pressed={scale === each} onClick={() => go({ time: each === "log" ? "" : each })}>
                  {each === "first" ? `${say("journey.strip.linear")}: ${say("journey.first_word")}` : say(`journey.strip.${each}`)}
                </button>
              ))}
            </div>
            <Strip trip={trip} width={wide - 2 * edge} height={stripHeight} scale={scale} by={by} level={level} part={focus} choose={choose} />
          </>
        )}
      </div>
      <div class="j-read">
        <section>
          <h2>{say("journey.what.title")}</h2>
          <p class="prose">{say("journey.intro")} {say("journey.what.text")}</p>
          <p class="prose">{summary}</p>
        </section>
        <section>
          <h2>{say("journey.why.title")}</h2>
          <p class="prose">{say("journey.why.text")}</p>
          <WhyOnce once={say("journey.why.training")} always={say("journey.why.inference")} />
        </section>
        <section>
          <h2>{say("journey.big.title")}</h2>
          <p class="prose">{leaves ? say("journey.big.text") : say("journey.big.nothing")}</p>
        </section>
        <section>
          <h2>{say("journey.real.title")}</h2>
          <p class="prose">{say("journey.real.text")}</p>
        </section>
        <section class="j-parts">
          <h2>{say("part.label")}</h2>
          <ol>
            {PARTS.map((each) => (
              <li key={each}>
                <button class="ghost" onClick={() => { choose(each); stage.current?.scrollIntoView({ block: "start" }); }}><b>{nameOf(each, level)}</b></button>
                <p>{doesOf(each, level, values)} {moreOf(each, level, values)}</p>
              </li>
            ))}
          </ol>
          <p class="j-copper"><b>{say("part.copper.name")}</b> {say("part.copper.does")} {say("part.copper.more")}</p>
        </section>
        <section class="j-all">
          <h2>{say("action.table")}</h2>
          <p class="small">{say("journey.strip.help")} {say("carrier.help")}</p>
          <Table trip={trip} level={level} />
          {able && (
            <button class="ghost" onClick={() => { setReady(false); go({ flat: flat ? (state.motion ? "" : "0") : "1" }); }}>{say(flat ? "action.show_3d" : "action.show_flat")}</button>
          )}
        </section>
      </div>
    </div>
  );
}

function Figure({ name, value, of, key_ }: { readonly name: string; readonly value: number; readonly of: Trace; readonly key_: string }) {
  const made = split(value, "s");
  const b = of.summary_bands[key_];
  return (
    <div>
      <dt class="cap">{name}</dt>
      <dd class="mid">{made.number}<small>{"\u00a0"}{made.unit}</small></dd>
      {b && <dd class="cap">{band(b.low, b.high, value, "s")}{"\u00a0"}{made.unit}</dd>}
    </div>
  );
}

function PartPanel({ part, trip, level, close, step }: { readonly part: Part; readonly trip: Trace; readonly level: ScreenProps["state"]["level"]; readonly close: () => void; readonly step: (by: number) => void }) {
  const say = useText();
  const spans = trip.spans.filter((span) => partOf(span) === part && span.duration_s > 0).sort((a, b) => (a.parent ? 1 : 0) - (b.parent ? 1 : 0) || b.duration_s - a.duration_s);
  const longest: Span[] = [];
  for (const span of spans) if (longest.length < 4 && !longest.some((other) => label(other) === label(span))) longest.push(span);
  return (
    <aside class="j-panel" aria-label={nameOf(part, level)}>
      <div class="j-nav">
        <h2><i>{PARTS.indexOf(part) + 1}</i> {nameOf(part, level)}</h2>
        <button class="ghost" onClick={() => step(-1)} aria-label={say("journey.part.previous")}><kbd>[</kbd></button>
        <button class="ghost" onClick={() => step(1)} aria-label={say("journey.part.next")}><kbd>]</kbd></button>
        <button class="ghost" onClick={close} aria-label={say("journey.part.close")}><kbd>Esc</kbd></button>
      </div>
      <p class="j-does">{doesOf(part, level)}</p>
      <p class="j-more">{moreOf(part, level, trip.scenario.name === "cloud" ? {} : valuesOf(trip))}</p>
      <dl>
        {longest.map((span) => (
          <div key={span.id}>
            <dt><svg width="8" height="8" aria-hidden="true"><circle cx="4" cy="4" r="3.4" fill={span.carrier === "waiting" ? "none" : ink(span.carrier)} stroke={ink(span.carrier)} stroke-width="1.4" /></svg><a href={link("stage", span.name)}>{label(span)}</a></dt>
            <dd>{si(span.duration_s, "s")}</dd>
          </div>
        ))}
      </dl>
    </aside>
  );
}

/** Training once, inference always: one block, and a row without end. */
function WhyOnce({ once, always }: { readonly once: string; readonly always: string }) {
  return (
    <svg class="j-once" viewBox="0 0 420 64" role="img" aria-label={`${once}. ${always}.`}>
      <rect x="0" y="6" width="54" height="22" fill="var(--stored-charge)" opacity=".55" />
      {Array.from({ length: 52 }, (_, i) => <rect key={i} x={62 + i * 6.8} y="6" width="3" height="22" fill="var(--moving-charge)" opacity={1 - Math.max(0, i - 38) / 14} />)}
      <text x="0" y="48" class="j-tick">{once}</text>
      <text x="132" y="48" class="j-tick">{always}</text>
    </svg>
  );
}

function Dot({ carrier }: { readonly carrier: (typeof SHOWN)[number] }) {
  const hollow = carrier === "waiting";
  return <svg width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r={hollow ? 3.4 : 4.4} fill={hollow ? "none" : ink(carrier)} stroke={ink(carrier)} stroke-width={hollow ? 2 : 0} /></svg>;
}
function Play() {
  return <svg width="10" height="12" aria-hidden="true"><path d="M1 1l8 5-8 5z" fill="currentColor" /></svg>;
}
function Pause() {
  return <svg width="10" height="12" aria-hidden="true"><path d="M1 1h3v10H1zM6 1h3v10H6z" fill="currentColor" /></svg>;
}
function Arrow({ back }: { readonly back?: boolean }) {
  return <svg width="12" height="18" aria-hidden="true"><path d={back ? "M9 3L3 9l6 6" : "M3 3l6 6-6 6"} fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" /></svg>;
}
function Chevron({ turn }: { readonly turn: number }) {
  return <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true"><path d="M-2 -4L2 0L-2 4" transform={`rotate(${turn})`} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" /></svg>;
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

function numberOf(span: Span | undefined, key: string): number {
  const value = span?.attributes[key];
  return typeof value === "number" ? value : 0;
}

function notes(trip: Trace, circle: number, cable: number, flight: number, leaves: boolean, say: Say): readonly (readonly [string, string, string])[] {
  if (!leaves || circle === 0) return [["middle", say("journey.scale.none"), say("journey.scale.none.text")]];
  const [from = "here", to = "there"] = [trip.scenario.choices["network.place"], trip.scenario.choices["network.region"]].map((key) => (key ?? "").replace(/-/g, " "));
  return [
    ["from", place(from), say("journey.scale.from")],
    ["middle", say("journey.scale.line", { distance: si(circle, "m") }), say("journey.scale.line.text", { cable: si(cable, "m"), time: si(flight, "s") })],
    ["to", place(to), say("journey.scale.to")],
  ];
}

function place(key: string): string {
  return key.replace(/\b[a-z]/g, (c) => c.toUpperCase()).replace(/^Us /, "US ");
}

function tableRows(trip: Trace): (string | number | null)[][] {
  return [
    ["id", "part", "title", "start_s", "duration_s", "low_s", "high_s", "energy_J", "carrier", "grade"],
    ...trip.spans.map((span) => [span.id, partOf(span) ?? "always on", span.title, span.start_s, span.duration_s, span.bands["duration_s"]?.low ?? null,
      span.bands["duration_s"]?.high ?? null, span.energy_J, span.carrier, span.grade]),
  ];
}

function yearsOf(trip: Trace): Record<Part, number> {
  const found = {} as Record<Part, number>;
  for (const part of PARTS) {
    const years = trip.spans.filter((span) => partOf(span) === part && span.since).map((span) => span.since!.year).sort((a, b) => a - b);
    found[part] = years[Math.floor(years.length / 2)] ?? 1990;
  }
  return found;
}

/** The ground that the page has now: by the reader's choice, else by the machine's. */
function useGround(theme: "auto" | "dark" | "light"): "dark" | "light" {
  const [system, set] = useState(() => (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark"));
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: light)");
    const read = () => set(query.matches ? "light" : "dark");
    query.addEventListener("change", read);
    return () => query.removeEventListener("change", read);
  }, []);
  return theme === "auto" ? (system as "dark" | "light") : theme;
}

/** Whether this browser draws 3D, and may: forced colors ask for the flat drawing. */
export function webgl(): boolean {
  if (matchMedia("(forced-colors: active)").matches || matchMedia("print").matches) return false;
  try {
    return document.createElement("canvas").getContext("webgl2") !== null;
  } catch {
    return false;
  }
}
void STOP_S;
