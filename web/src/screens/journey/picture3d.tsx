/** The 3D picture: a canvas, and flags in HTML that hang beside the parts. three.js is loaded here and nowhere earlier. */
import { useEffect, useRef } from "preact/hooks";
import type { Note } from "./about";
import { PARTS, youth, type Part, type Teller } from "./parts";
import { tourAt, type Moment } from "./tour";
import { short } from "./map2d";
import { useHand, type Turned } from "../../scene/hand";
import type { Gaze, Pane, Runtime } from "../../scene/index";
import { hang } from "./flags";

export type View = 1 | 2 | 3 | 4;
export interface PictureProps {
  readonly told: Teller;
  readonly ground: "dark" | "light";
  readonly device: "phone" | "laptop";
  readonly leaves: boolean;
  readonly view: View;
  readonly part: Part | null;
  readonly turned: Turned;
  readonly turn: (turned: Turned) => void;
  readonly labels: "all" | "focus" | "none";
  readonly signal: boolean;
  readonly rest: () => void;
  readonly motion: boolean;
  readonly tour: number | null;
  readonly compact: boolean;
  /** Years of the parts when colors mean decades. */
  readonly years: Readonly<Record<Part, number>> | null;
  /** Share of the way round the Earth between device and hall. */
  readonly around: number;
  readonly scaleNotes: readonly Note[];
  readonly choose: (part: Part | null) => void;
  readonly ready: () => void;
  readonly failed: () => void;
  /** Whether fingers turn the picture. */
  readonly active: boolean;
  readonly description: string;
}

/** The moment that is shown at rest: the burst is in the middle of the fiber, beads are on the way back. */
export const STILL_S = 5.2;
const RUN_S = 5;
/** On a phone: the share of the picture that shows the whole way, over the part in focus. */
const UPPER = 0.33;

export default function Picture3d(props: PictureProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const flags = useRef<HTMLDivElement>(null);
  const leads = useRef<SVGSVGElement>(null);
  const live = useRef<{ runtime: Runtime; scene: typeof import("../../scene/index") } | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const shown = useRef("");

  const look = (move: boolean) => {
    const at = live.current;
    if (!at) return;
    const p = latest.current;
    const [width, height] = at.runtime.size;
    const panes = panesOf(p, at.scene, p.compact ? width / (height * (1 - UPPER)) : width / height, width / (height * UPPER));
    at.runtime.follow = p.view === 2 && p.tour === null && !p.part ? (s) => turned(at.scene.beside(s), p.turned, 0) : null;
    at.runtime.look(panes, move && p.motion);
  };

  // one runtime for the life of the picture
  useEffect(() => {
    let gone = false;
    import("../../scene/index")
      .then((scene) => {
        if (gone || !canvas.current || !box.current) return;
        const runtime = new scene.Runtime(canvas.current, box.current, STILL_S);
        live.current = { runtime, scene };
        runtime.onLost = () => latest.current.failed();
        runtime.onRest = () => latest.current.rest();
        runtime.onFrame = (place, settled) => {
          if (flags.current && leads.current) hang(flags.current, leads.current, latest.current, place, runtime.size, settled);
        };
        (window as unknown as { lab3d?: unknown }).lab3d = runtime.stats;
        build()?.then(() => !gone && latest.current.ready(), () => !gone && latest.current.failed());
        look(false);
        if (latest.current.tour !== null) runtime.stop(tourAt(latest.current.tour).signal);
        else if (latest.current.signal && latest.current.motion) send(runtime, latest.current.view);
      })
      .catch(() => !gone && latest.current.failed());
    return () => {
      gone = true;
      live.current?.runtime.end();
      live.current = null;
    };
  }, []);

  const build = (): Promise<void> | undefined => {
    const at = live.current;
    if (!at) return undefined;
    const p = latest.current;
    const palette = at.scene.PALETTES[p.ground];
    const key = [p.ground, p.device, p.leaves, p.view === 4 && p.tour === null && !p.part, p.years !== null, p.around].join();
    if (key === shown.current) return undefined;
    shown.current = key;
    if (p.view === 4 && p.tour === null && !p.part) return at.runtime.show(at.scene.globe({ palette, turn: p.around, leaves: p.leaves }), palette);
    const ages = p.years;
    const byPart = ages
      ? (Object.fromEntries(PARTS.map((part) => [part, blend(palette.edge, p.ground === "dark" ? "#ffffff" : "#000000", palette.clayLow, youth(ages[part]))])) as Record<Part, string>)
      : undefined;
    return at.runtime.show(at.scene.journey({ palette, device: p.device, leaves: p.leaves, ...(byPart ? { byPart } : {}) }), palette);
  };

  useEffect(() => {
    build();
    look(true);
  }, [props.ground, props.device, props.leaves, props.view, props.part, props.turned, props.years, props.compact, props.tour === null]);

  // what the page says anew may need another place
  useEffect(() => {
    live.current?.runtime.ask();
  });

  useEffect(() => {
    const at = live.current;
    if (!at || props.tour !== null) return;
    if (props.signal && props.motion) send(at.runtime, props.view);
    else if (!at.runtime.running) at.runtime.ask();
    else at.runtime.stop(at.runtime.seconds);
  }, [props.signal, props.view === 2]);

  useEffect(() => {
    const at = live.current;
    if (!at || props.tour === null) return;
    at.runtime.stop(tourAt(props.tour).signal);
    look(false);
  }, [props.tour]);

  useHand(canvas, () => latest.current, { yaw: 0.22, pitch: 0.14, most: 75, low: -9, high: 60, near: 0.5 });

  return (
    <div class="j-3d" ref={box}>
      <canvas ref={canvas} role="img" aria-label={props.description} />
      <svg class="j-leads" ref={leads} aria-hidden="true"><path class="j-lead" /><path class="j-ring" /></svg>
      <div class="j-flags" ref={flags}>
        {props.view === 4 && !props.part && props.tour === null
          ? props.scaleNotes.map(([anchor, name, text]) => (
              <div key={anchor} class="j-note" data-anchor={anchor}><b>{name}</b><span>{text}</span></div>
            ))
          : PARTS.map((part, i) => (
              <button key={part} class="j-flag3" data-anchor={part} aria-pressed={props.part === part}
                onClick={() => props.choose(props.part === part ? null : part)}>
                <i>{i + 1}</i> <em>{props.told.name(part)}</em>
                <span>{short(props.told.does(part))}</span>
              </button>
            ))}
      </div>
    </div>
  );
}

/** A question is sent and comes to rest in the middle of the glass; along the signal it goes all the way. */
function send(runtime: Runtime, view: View): void {
  if (view === 2) runtime.run(10.4, 0);
  else runtime.run(RUN_S, STILL_S - RUN_S);
}

function blend(old: string, young: string, ground: string, share: number): string {
  const hex = (c: string) => [1, 3, 5].map((i) => parseInt(c.slice(i, i + 2), 16));
  const a = hex(ground);
  const b = hex(old);
  const c = hex(young);
  return `#${a.map((x, i) => Math.round(share < 0.5 ? x + (b[i]! - x) * share * 2 : b[i]! + (c[i]! - b[i]!) * (share - 0.5) * 2).toString(16).padStart(2, "0")).join("")}`;
}

function turned(gaze: Gaze, by: Turned, shift: number): Gaze {
  const distance = gaze.distance / by.zoom;
  return {
    ...gaze, x: gaze.x - shift * distance, yaw: gaze.yaw + by.yaw, distance,
    pitch: Math.min(Math.max(gaze.pitch + by.pitch, 2), 80),
  };
}

/** A view that was made for a wide picture keeps its width in a narrow one. */
function fit(gaze: Gaze, aspect: number, wide = 2.98): Gaze {
  return aspect >= wide ? gaze : { ...gaze, distance: (gaze.distance * wide) / aspect };
}

function panesOf(p: PictureProps, scene: typeof import("../../scene/index"), aspect: number, top: number): Pane[] {
  const overview = fit(scene.gazeOf("overview", p.device), p.compact ? top : aspect);
  if (p.compact) {
    const moment = p.tour === null ? null : tourAt(p.tour);
    if (p.view === 4 && !p.part && !moment) {
      const globe = turned(scene.globe({ palette: scene.PALETTES[p.ground], turn: p.around, leaves: p.leaves }).gaze, p.turned, 0);
      return [{ top: 0, height: 1, gaze: fit(globe, aspect, 1.3) }];
    }
    const focus = moment ? tourGaze(moment, scene, p.device, p.leaves) : p.view === 3 && !p.part ? scene.gazeOf("inside", p.device) : scene.gazeOf(seenAt(p.part ?? "device", p.leaves), p.device);
    return [
      { top: 0, height: UPPER, gaze: overview },
      { top: UPPER, height: 1 - UPPER, gaze: turned(fit(focus, aspect, p.view === 3 && !p.part ? 2.4 : 2.15), p.turned, 0) },
    ];
  }
  if (p.tour !== null) {
    const moment = tourAt(p.tour);
    return [{ top: 0, height: 1, gaze: turned(tourGaze(moment, scene, p.device, p.leaves), p.turned, 0) }];
  }
  if (p.part) return [{ top: 0, height: 1, gaze: turned(scene.gazeOf(seenAt(p.part, p.leaves), p.device), p.turned, 0.045) }];
  if (p.view === 4) return [{ top: 0, height: 1, gaze: turned(scene.globe({ palette: scene.PALETTES[p.ground], turn: p.around, leaves: p.leaves }).gaze, p.turned, 0) }];
  const gaze = p.view === 3 ? scene.gazeOf("inside", p.device) : p.view === 2 ? scene.beside(STILL_S) : overview;
  return [{ top: 0, height: 1, gaze: turned(gaze, p.turned, 0) }];
}

/** Where a part is looked at: on a device that needs no one, the answer comes back on the device itself. */
function seenAt(part: Part, leaves: boolean): Part {
  return part === "back" && !leaves ? "device" : part;
}

function tourGaze(moment: Moment, scene: typeof import("../../scene/index"), device: "phone" | "laptop", leaves: boolean): Gaze {
  const to = scene.gazeOf(seenAt(moment.part, leaves), device);
  if (!moment.before || moment.arrived >= 1) return to;
  const from = scene.gazeOf(seenAt(moment.before, leaves), device);
  const f = (a: number, b: number) => a + (b - a) * moment.arrived;
  return { x: f(from.x, to.x), y: f(from.y, to.y), z: f(from.z, to.z), yaw: f(from.yaw, to.yaw), pitch: f(from.pitch, to.pitch), distance: f(from.distance, to.distance), lens: f(from.lens, to.lens) };
}
