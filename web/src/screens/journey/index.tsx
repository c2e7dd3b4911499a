/** The journey: the whole way as a picture, and under it the time of every stage. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { loadGlossary, loadLab, loadTrip } from "../../core/data";
import type { Values } from "../../core/strings";
import type { Lab, Term, Trace } from "../../core/types";
import { said } from "../../core/said";
import { clamp, UNTURNED, type Turned } from "../../scene/hand";
import { useGround, usePaper, webgl } from "../../scene/page";
import { useSpin } from "../../scene/spin";
import { announce } from "../../shell/live";
import { useKeys } from "../../shell/keys";
import { Failure, Loading } from "../../shell/notices";
import { useShare } from "../../shell/share";
import { setParams, type ScreenProps } from "../../shell/state";
import { useText } from "../../shell/text";
import { aroundOf, notesOf, tableRows, yearsOf } from "./about";
import { Controls, Legend, Touring, VIEWS } from "./controls";
import { Map2d } from "./map2d";
import { Figure, PartPanel } from "./panel";
import { PARTS, stays, tell, valuesOf, type Part } from "./parts";
import Picture3d, { type View } from "./picture3d";
import { Read } from "./read";
import { Hatch, Rows, Strip, type ColorBy, type TimeScale } from "./strip";
import { COUNT, tourAt } from "./tour";
import { useTour } from "./tour-clock";
import "./journey.css";

/** The height of the strip: a head, and a lane for each part. */
const STRIP_PX = 30 + 24.5 * PARTS.length;

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
  const [glossary, setGlossary] = useState<Readonly<Record<string, Term>> | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const stage = useRef<HTMLDivElement>(null);

  const values = useMemo(() => (trip ? valuesOf(trip, level) : {}), [trip, level]);
  const told = useMemo(() => tell(trip, level), [trip, level]);
  const say = (key: string, more: Values = {}) => text(key, { ...values, ...more });
  const compact = width <= 700;
  const asked = clamp(Math.round(Number(params["view"])) || 1, 1, 4) as View;
  // to scale needs the size of the Earth: until it is read, the overview
  const view: View = asked === 4 && !glossary ? 1 : asked;
  const part = PARTS.includes(params["part"] as Part) ? (params["part"] as Part) : compact && view === 1 ? "device" : null;
  const chosen = PARTS.includes(params["part"] as Part) ? (params["part"] as Part) : null;
  const paper = usePaper();
  const flat = paper || params["flat"] === "1" || (params["flat"] !== "0" && !state.motion) || !able;
  const labels = params["labels"] === "none" ? "none" : params["labels"] === "focus" ? "focus" : "all";
  const by: ColorBy = params["color"] === "decade" ? "decade" : "carrier";
  const scale: TimeScale = params["time"] === "linear" ? "linear" : params["time"] === "first" ? "first" : "log";
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
    if (asked === 4) loadGlossary().then(setGlossary, fail);
  }, [asked]);
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
  const stopOf = (stop: number) => {
    const { part } = tourAt((stop - 1) * 7);
    if (trip && stays(trip) && stop === 2) return { title: say("tour.2.title"), caption: say("tour.2.here") };
    if (trip && stays(trip) && stop > 2 && stop < COUNT) return { title: told.name(part), caption: `${told.does(part)} ${told.more(part)}` };
    return { title: say(`tour.${stop}.title`), caption: say(`tour.${stop}.caption`) };
  };
  const tour = useTour(params["tour"], state.motion, (moment) => go(moment ? { tour: moment, part: "", view: "" } : { tour: "" }), (stop) => {
    const { title, caption } = stopOf(stop);
    announce(`${title}. ${caption}`);
  });
  const { touring, moment } = tour;
  const choose = (next: Part | null) => {
    setTurned(UNTURNED);
    tour.play(false);
    go({ part: next ?? "", tour: "" });
    if (next) announce(`${PARTS.indexOf(next) + 1}: ${told.name(next)}. ${told.does(next)}`);
  };
  const step = (by: number) => {
    if (touring) return tour.jump(clamp(tourAt(moment).stop + by, 1, COUNT));
    const now = part ? PARTS.indexOf(part) : by > 0 ? -1 : PARTS.length;
    choose(PARTS[clamp(now + by, 0, PARTS.length - 1)]!);
  };
  const setView = (next: number) => {
    setTurned(UNTURNED);
    tour.play(false);
    go({ view: next === 1 ? "" : String(next), part: "", tour: "" });
    announce(say(`view.${VIEWS[next - 1]}`));
    if (next === 2) setSignal(true);
    // what had the focus may be gone with the view
    const within = stage.current?.contains(document.activeElement);
    if (within) window.setTimeout(() => document.activeElement === document.body && stage.current?.querySelector<HTMLElement>(".j-views [aria-pressed=true]")?.focus(), 60);
  };
  const rotate = (yaw: number, pitch: number) =>
    setTurned((now) => ({ ...now, yaw: clamp(now.yaw + yaw, -75, 75), pitch: clamp(now.pitch + pitch, -9, 60) }));
  const zoom = (factor: number) => setTurned((now) => ({ ...now, zoom: clamp(now.zoom * factor, 0.5, 4) }));
  const reset = () => {
    setTurned(UNTURNED);
    setSpin(false);
  };
  const nextLabels = () => {
    const next = labels === "all" ? "focus" : labels === "focus" ? "none" : "all";
    go({ labels: next === "all" ? "" : next });
    announce(say(`control.labels.${next}`));
  };
  const switchSignal = (on: boolean) => {
    setSignal(on);
    announce(say(on ? "control.signal.on" : "control.signal.off"));
  };
  const startTour = () => {
    reset();
    tour.start();
  };
  const leaveTour = () => {
    setTurned(UNTURNED);
    tour.leave();
  };
  const flatten = () => {
    setReady(false);
    go({ flat: flat ? (state.motion ? "" : "0") : "1" });
  };
  // one slow swing to each side
  useSpin(spin, () => setSpin(false), state.motion, turned, setTurned, (s) => 32 * Math.sin((2 * Math.PI * s) / 14), 14);

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
      ...VIEWS.map((_, i) => ({ key: String(i + 1), shown: "1 – 4", does: say("key.views"), hidden: i > 0, run: () => setView(i + 1) })),
      { key: "s", shown: "S", does: say("key.signal"), run: () => switchSignal(!signal) },
      { key: "t", shown: "T", does: say("key.tour"), run: () => (touring ? leaveTour() : startTour()) },
      { key: "l", shown: "L", does: say("key.labels"), run: nextLabels },
      { key: " ", shown: say("key.name.space"), does: say("key.space"), within: inStage, run: () => (touring ? tour.play(!tour.playing) : setSpin((on) => !on)) },
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
    [touring, tour.playing, chosen, labels, moment, level, turned, part, told, signal],
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
  const focus = touring ? tourAt(moment).part : chosen;
  const firstKey = trip && "time_to_first_word_s" in trip.summary ? "time_to_first_word_s" : "time_to_first_token_s";
  const first = (trip?.summary[firstKey] ?? 0) as number;
  const whole = (trip?.summary["time_to_last_token_s"] ?? 0) as number;
  // what does not move is not drawn again while the picture turns or the tour plays
  const below = useMemo(() => trip && (
    <>
      <Legend by={by} setBy={(next) => go({ color: next === "decade" ? "decade" : "" })} />
      {compact && chosen && <div class="j-about"><p class="prose">{told.more(chosen)}</p></div>}
      <div class="j-below">
        <h2 class="unseen">{say("journey.strip.title")}</h2>
        {compact ? <Rows trip={trip} by={by} level={level} told={told} /> : (
          <>
            <button class="ghost j-skip" onClick={() => {
              const words = root.current?.querySelector<HTMLElement>(".j-read");
              words?.scrollIntoView();
              words?.focus({ preventScroll: true });
            }}>{say("journey.skip")}</button>
            <div class="j-scale" role="group" aria-label={say("journey.strip.title")}>
              {(["log", "linear", "first"] as const).map((each) => (
                <button key={each} class="ghost" aria-pressed={scale === each} onClick={() => go({ time: each === "log" ? "" : each })}>
                  {each === "first" ? `${say("journey.strip.linear")}: ${say("journey.first_read")}` : say(`journey.strip.${each}`)}
                </button>
              ))}
            </div>
            <Strip trip={trip} width={Math.min(width, 1280) - 80} height={STRIP_PX} scale={scale} by={by} level={level} told={told} part={focus} choose={choose} />
          </>
        )}
      </div>
    </>
  ), [trip, told, by, scale, level, width, compact, chosen, focus]);
  const read = useMemo(() => trip && (
    <Read trip={trip} level={level} say={say} told={told} summary={say("journey.summary", { first_word: said(text, first, "s", level), whole_answer: said(text, whole, "s", level) })}
      choose={(each) => {
        choose(each);
        stage.current?.scrollIntoView({ block: "start" });
      }} />
  ), [trip, told, level]);
  if (error !== null) return <Failure error={error} />;
  if (!trip || !lab) return <Loading />;

  const choices = trip.scenario.choices ?? {};
  const device = /phone|touch/.test(`${choices["keyboard.board"] ?? ""} ${choices["computer.host"] ?? ""}`) ? "phone" : "laptop";
  const leaves = !stays(trip);
  const around = aroundOf(trip, glossary ?? {});
  const notes = notesOf(trip, text);
  const now = touring ? tourAt(moment) : null;
  const near = compact && !paper && (touring || view === 1 || chosen) ? (now?.part ?? part ?? "device") : null;
  const description = say("aria.journey.picture", { parts: PARTS.map((each, i) => `${i + 1} ${told.name(each)}`).join(", ") });
  const map = { told, choose, labels, device, leaves, compact, title: description, around, notes } as const;

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
            <Figure name={say("journey.first_read")} value={first} of={trip} key_={firstKey} level={level} />
            <Figure name={say("journey.whole_answer")} value={whole} of={trip} key_="time_to_last_token_s" level={level} />
          </dl>
        </div>
        <div class="j-picture" data-panel={!compact && chosen && !touring ? "" : undefined} data-flat={flat ? "" : undefined} data-whole={view === 1 && !chosen && !touring ? "" : undefined}>
          {(flat || !ready) && (
            <div class="j-flat" data-near={near ? "" : undefined}>
              <Map2d {...map} part={focus} view={touring ? 1 : view} />
              {near && <Map2d {...map} part={null} view={1} near={near} />}
            </div>
          )}
          {!flat && (
            <Picture3d told={told} ground={ground} device={device} leaves={leaves} view={view} part={part} turned={turned} turn={setTurned} labels={labels}
              signal={signal} rest={() => setSignal(false)} motion={state.motion} tour={touring ? moment : null} compact={compact} years={years}
              around={around} scaleNotes={notes} active={active}
              choose={choose} ready={() => setReady(true)} failed={() => setAble(false)} description={description} />
          )}
          {!compact && chosen && !touring && (
            <PartPanel part={chosen} trip={trip} told={told} level={level} close={() => choose(null)} step={step} />
          )}
          {!compact && !chosen && !touring && view === 1 && (
            <div class="j-lines" data-view={view}>
              {leaves && <p><b>{say("journey.big.title")}</b> {say("journey.big.text")}</p>}
              {leaves ? <p><b>{say("journey.real.title")}</b> {say("journey.real.text").replace(/^(.{60,}?[.!?])\s.*$/s, "$1")}</p> : <p>{say("journey.lens")}</p>}
            </div>
          )}
        </div>
        {now ? (
          <Touring tour={tour} stop={now.stop} {...stopOf(now.stop)} compact={compact} step={step} start={startTour} leave={leaveTour} />
        ) : (
          <Controls compact={compact} flat={flat} able={able} view={view} part={part} chosen={chosen} told={told} labels={labels} signal={signal} spin={spin} active={active}
            step={step} setView={setView} rotate={rotate} zoom={zoom} reset={reset} setSpin={setSpin} setSignal={switchSignal} setActive={setActive}
            nextLabels={nextLabels} flatten={flatten} start={startTour} />
        )}
      </div>
      {compact ? <>{read}{below}</> : <>{below}{read}</>}
    </div>
  );
}
