/** The buttons under the picture of the journey, the bar of the tour, the legend. */
import { Turns } from "../../scene/turns";
import { useText } from "../../shell/text";
import { clock } from "./about";
import { Arrow, Dot, Pause, Play } from "./glyphs";
import { decade, PARTS, SHOWN, youth, type Part, type Teller } from "./parts";
import type { ColorBy } from "./strip";
import { COUNT, WHOLE_S } from "./tour";
import type { Clock } from "./tour-clock";

export const VIEWS = ["overview", "signal", "inside", "scale"] as const;

export interface ControlsProps {
  readonly compact: boolean;
  readonly flat: boolean;
  /** Whether this browser can draw in 3D. */
  readonly able: boolean;
  readonly view: number;
  readonly part: Part | null;
  readonly chosen: Part | null;
  readonly told: Teller;
  readonly labels: "all" | "focus" | "none";
  readonly signal: boolean;
  readonly spin: boolean;
  readonly active: boolean;
  readonly step: (by: number) => void;
  readonly setView: (view: number) => void;
  readonly rotate: (yaw: number, pitch: number) => void;
  readonly zoom: (factor: number) => void;
  readonly reset: () => void;
  readonly setSpin: (on: boolean) => void;
  readonly setSignal: (on: boolean) => void;
  readonly setActive: (on: boolean) => void;
  readonly nextLabels: () => void;
  readonly flatten: () => void;
  readonly start: () => void;
}

export function Controls(p: ControlsProps) {
  const say = useText();
  const { compact, flat, part, told } = p;
  return (
    <div class="j-controls">
      {compact ? (
        <div class="j-step">
          <button class="ghost" onClick={() => p.step(-1)} aria-label={say("tour.previous")}><Arrow back /></button>
          <div>{part ? <><b><i>{PARTS.indexOf(part) + 1}</i> {told.name(part)}</b><span>{told.does(part)}</span></> : <b>{say(`view.${VIEWS[p.view - 1]}`)}</b>}</div>
          <button class="ghost" onClick={() => p.step(1)} aria-label={say("tour.next")}><Arrow /></button>
        </div>
      ) : null}
      <div class="j-views" role="group" aria-label={say("view.label")}>
        {VIEWS.map((key, i) => (
          <button key={key} class="ghost" aria-pressed={p.view === i + 1 && !p.chosen} onClick={() => p.setView(i + 1)}>
            {say(`view.${key}`)} {!compact && <kbd>{i + 1}</kbd>}
          </button>
        ))}
      </div>
      <div class="j-tools">
        {!flat && (
          <span class="j-turns">
            <Turns rotate={p.rotate} zoom={p.zoom} reset={p.reset} />
            <button class="ghost" aria-pressed={p.spin} onClick={() => p.setSpin(!p.spin)}>{say("control.spin")}</button>
          </span>
        )}
        {!flat && <button class="ghost" aria-pressed={p.signal} onClick={() => p.setSignal(!p.signal)}>{say("control.signal")} {!compact && <kbd>S</kbd>}</button>}
        <button class="ghost" onClick={p.nextLabels} aria-label={`${say("control.labels")}${compact ? "" : " L"}: ${say(`control.labels.${p.labels}`)}`}>{say("control.labels")} {!compact && <kbd>L</kbd>}</button>
        {compact && !flat && <button class="ghost" aria-pressed={p.active} onClick={() => p.setActive(!p.active)}>{say(p.active ? "control.deactivate" : "control.activate")}</button>}
        {p.able && <button class="ghost" onClick={p.flatten}>{say(flat ? "action.show_3d" : "action.show_flat")}</button>}
        <button class="ghost j-go" onClick={p.start}><Play /> {say("control.tour")} {!compact && <kbd>T</kbd>}</button>
      </div>
    </div>
  );
}

export interface TouringProps {
  readonly tour: Clock;
  readonly stop: number;
  readonly title: string;
  readonly caption: string;
  readonly compact: boolean;
  readonly step: (by: number) => void;
  readonly start: () => void;
  readonly leave: () => void;
}

export function Touring({ tour, stop, title, caption, compact, step, start, leave }: TouringProps) {
  const say = useText();
  const { moment, playing } = tour;
  return (
    <div class="j-tour" role="region" aria-label={say("tour.label")}>
      <div class="j-caption"><b>{title}</b> {caption}</div>
      <div class="j-scrub">
        <button class="ghost" onClick={() => step(-1)} aria-label={say("tour.previous")}><Arrow back /></button>
        <button class="ghost j-go" onClick={() => (moment >= WHOLE_S ? start() : tour.play(!playing))} aria-label={say(playing ? "action.pause" : "action.play")}>
          {playing ? <Pause /> : <Play />}
        </button>
        <button class="ghost" onClick={() => step(1)} aria-label={say("tour.next")}><Arrow /></button>
        <input type="range" min={0} max={WHOLE_S} step={0.1} value={moment} aria-label={say("tour.position")}
          aria-valuetext={`${stop} / ${COUNT}: ${title}`}
          onInput={(event) => {
            tour.play(false);
            tour.scrub(Number(event.currentTarget.value));
          }} />
        <span class="num small">{say("tour.time", { time: clock(moment), whole: clock(WHOLE_S) })}</span>
        <button class="ghost" onClick={leave}>{say("tour.leave")} {!compact && <kbd>Esc</kbd>}</button>
      </div>
    </div>
  );
}

export function Legend({ by, setBy }: { readonly by: ColorBy; readonly setBy: (by: ColorBy) => void }) {
  const say = useText();
  return (
    <div class="j-legend">
      <span class="j-keyline">
        {by === "carrier"
          ? SHOWN.map((each) => <span key={each}><Dot carrier={each} />{say(`carrier.${each}`)}</span>)
          : [1870, 1920, 1970, 2020].map((year) => <span key={year}><Age year={year} />{decade(year)}s</span>)}
        <button class="ghost" aria-pressed={by === "decade"} onClick={() => setBy(by === "decade" ? "carrier" : "decade")}>
          {by === "decade" ? say("carrier.button") : say("decade.button")}
        </button>
      </span>
      <span class="j-keyline">
        <span><svg width="34" height="10" aria-hidden="true"><rect x="0" y="2" width="15" height="6" rx="3" class="j-burst" /><rect x="18" y="2" width="15" height="6" rx="3" class="j-burst" /></svg>{say("journey.pulse.question")}</span>
        <span><svg width="40" height="10" aria-hidden="true">{[4, 14, 24, 34].map((x) => <circle key={x} cx={x} cy="5" r="3.4" class="j-bead" />)}</svg>{say("journey.pulse.answer")}</span>
      </span>
    </div>
  );
}

function Age({ year }: { readonly year: number }) {
  return <svg width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="4.4" fill={`color-mix(in oklab, var(--fg) ${Math.round(22 + 78 * youth(year))}%, var(--bg))`} /></svg>;
}
