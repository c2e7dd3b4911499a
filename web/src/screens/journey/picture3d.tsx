/** The 3D picture: a canvas, and flags in HTML that hang beside the parts. three.js is loaded here and nowhere earlier. */
import { useEffect, useRef } from "preact/hooks";
import type { Level } from "../../shell/state";
import { doesOf, nameOf, PARTS, youth, type Part } from "./parts";
import { tourAt, type Moment } from "./tour";
import { short } from "./map2d";
import type { Gaze, Pane, Runtime } from "../../scene/index";

export type View = 1 | 2 | 3 | 4;
/** What the reader adds to a view: turns in degrees, a zoom. */
export interface Turned {
  readonly yaw: number;
  readonly pitch: number;
  readonly zoom: number;
}
export const UNTURNED: Turned = { yaw: 0, pitch: 0, zoom: 1 };

export interface PictureProps {
  readonly level: Level;
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
  readonly scaleNotes: readonly (readonly [string, string, string])[];
  readonly choose: (part: Part | null) => void;
  readonly ready: () => void;
  readonly failed: () => void;
  readonly canvas: (canvas: HTMLCanvasElement | null) => void;
  readonly description: string;
}

/** The moment that is shown at rest: the burst is in the middle of the fiber, beads are on the way back. */
export const STILL_S = 5.2;
const RUN_S = 5;

/** Flags of the overview: how far from the top (of 428), and on which side of its line the text stands. */
const FLAGS: Readonly<Record<Part, readonly [number, "left" | "right"]>> = {
  eye: [196, "right"], device: [140, "right"], access: [92, "right"], internet: [170, "right"],
  balancer: [122, "left"], server: [76, "right"], cache: [126, "right"], back: [26, "right"],
};

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
    const panes = panesOf(p, at.scene, p.compact ? width / (height * 0.62) : width / height, width / (height * 0.38));
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
        build();
        look(false);
        if (latest.current.tour !== null) runtime.stop(tourAt(latest.current.tour).signal);
        else if (latest.current.signal && latest.current.motion) send(runtime, latest.current.view);
        latest.current.canvas(canvas.current);
        latest.current.ready();
      })
      .catch(() => !gone && latest.current.failed());
    return () => {
      gone = true;
      live.current?.runtime.end();
      live.current = null;
      latest.current.canvas(null);
    };
  }, []);

  const build = () => {
    const at = live.current;
    if (!at) return;
    const p = latest.current;
    const palette = at.scene.PALETTES[p.ground];
    const key = [p.ground, p.device, p.leaves, p.view === 4 && p.tour === null && !p.part, p.years !== null, p.around].join();
    if (key === shown.current) return;
    shown.current = key;
    if (p.view === 4 && p.tour === null && !p.part) {
      at.runtime.show(at.scene.globe({ palette, turn: p.around, leaves: p.leaves }), palette);
      return;
    }
    const ages = p.years;
    const byPart = ages
      ? (Object.fromEntries(PARTS.map((part) => [part, blend(palette.edge, p.ground === "dark" ? "#ffffff" : "#000000", palette.clayLow, youth(ages[part]))])) as Record<Part, string>)
      : undefined;
    at.runtime.show(at.scene.journey({ palette, device: p.device, leaves: p.leaves, ...(byPart ? { byPart } : {}) }), palette);
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

  useTouch(box, () => latest.current);

  return (
    <div class="j-3d" ref={box}>
      <canvas ref={canvas} role="img" aria-label={props.description} />
      <svg class="j-leads" ref={leads} aria-hidden="true" />
      <div class="j-flags" ref={flags}>
        {props.view === 4 && !props.part && props.tour === null
          ? props.scaleNotes.map(([anchor, name, text]) => (
              <div key={anchor} class="j-note" data-anchor={anchor}><b>{name}</b><span>{text}</span></div>
            ))
          : PARTS.map((part, i) => (
              <button key={part} class="j-flag3" data-anchor={part} aria-pressed={props.part === part}
                onClick={() => props.choose(props.part === part ? null : part)}>
                <i>{i + 1}</i> <em>{nameOf(part, props.level)}</em>
                <span>{short(doesOf(part, props.level))}</span>
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
    const focus = moment ? tourGaze(moment, scene, p.device) : p.view === 3 && !p.part ? scene.gazeOf("inside", p.device) : scene.gazeOf(p.part ?? "device", p.device);
    return [
      { top: 0, height: 0.38, gaze: overview },
      { top: 0.38, height: 0.62, gaze: turned(fit(focus, aspect, p.view === 3 && !p.part ? 2.4 : 1.9), p.turned, 0) },
    ];
  }
  if (p.tour !== null) {
    const moment = tourAt(p.tour);
    return [{ top: 0, height: 1, gaze: turned(tourGaze(moment, scene, p.device), p.turned, 0) }];
  }
  if (p.part) return [{ top: 0, height: 1, gaze: turned(scene.gazeOf(p.part, p.device), p.turned, 0.045) }];
  if (p.view === 4) return [{ top: 0, height: 1, gaze: turned(scene.globe({ palette: scene.PALETTES[p.ground], turn: p.around, leaves: p.leaves }).gaze, p.turned, 0) }];
  const gaze = p.view === 3 ? scene.gazeOf("inside", p.device) : p.view === 2 ? scene.beside(STILL_S) : overview;
  return [{ top: 0, height: 1, gaze: turned(gaze, p.turned, 0) }];
}

function tourGaze(moment: Moment, scene: typeof import("../../scene/index"), device: "phone" | "laptop"): Gaze {
  const to = scene.gazeOf(moment.part, device);
  if (!moment.before || moment.arrived >= 1) return to;
  const from = scene.gazeOf(moment.before, device);
  const f = (a: number, b: number) => a + (b - a) * moment.arrived;
  return { x: f(from.x, to.x), y: f(from.y, to.y), z: f(from.z, to.z), yaw: f(from.yaw, to.yaw), pitch: f(from.pitch, to.pitch), distance: f(from.distance, to.distance), lens: f(from.lens, to.lens) };
}

type Place = (name: string, pane?: number) => { x: number; y: number; shown: boolean };

/** Put each flag where its part is now. Text stands beside the top of a line: it never covers the thing. */
function hang(flags: HTMLElement, leads: SVGSVGElement, p: PictureProps, place: Place, [width, height]: readonly [number, number], settled: boolean): void {
  let lines = "";
  const overview = p.view === 1 && !p.part && p.tour === null && p.turned === UNTURNED && !p.compact;
  const focus = p.part ?? (p.tour === null ? null : tourAt(p.tour).part);
  const taken: (readonly [number, number, number, number])[] = [];
  const meets = (x: number, y: number, w: number, h: number) => taken.some(([a, b, c, d]) => x < a + c && x + w > a && y < b + d && y + h > b);
  const elements = [...(flags.children as unknown as Iterable<HTMLElement>)].sort((a, b) => Number(b.dataset["anchor"] === focus) - Number(a.dataset["anchor"] === focus));
  // the head of the page stands over the picture: no flag reaches into it
  const ceiling = p.compact ? 0 : 96;
  for (const element of elements) {
    const name = element.dataset["anchor"]!;
    const at = place(name, 0);
    const isFocus = name === focus;
    const hidden = p.labels === "none" || (p.labels === "focus" && !isFocus) || !at.shown || (!settled && !overview) || (!overview && at.y < ceiling + 24);
    element.hidden = hidden;
    if (hidden) continue;
    const flag = FLAGS[name as Part];
    const below = name === "back" || (name === "middle" && !p.compact);
    if (p.compact && flag) {
      const top = below ? at.y + 10 : at.y - 36;
      element.dataset["form"] = "number";
      element.style.transform = `translate(${(at.x - 12).toFixed(1)}px, ${top.toFixed(1)}px)`;
      lines += `<line x1="${at.x}" x2="${at.x}" y1="${below ? top + 2 : top + 22}" y2="${at.y}"/><circle cx="${at.x}" cy="${at.y}" r="2.6"/>`;
      continue;
    }
    let full = overview || isFocus || !focus;
    element.dataset["form"] = full ? "flag" : "number";
    const left = (name === "from" || (overview && flag ? flag[1] === "left" : at.x > width * 0.74)) && full;
    let w = element.offsetWidth || 160;
    let h = element.offsetHeight || 36;
    let top: number;
    let x = left ? at.x - 4 - w : at.x + 4;
    if (overview && flag) top = below ? at.y + flag[0] : (flag[0] / 428) * height;
    else {
      top = below ? at.y + 20 : Math.max(at.y - (isFocus ? 66 : 54), ceiling);
      for (let tries = 0; full && tries < 4 && (meets(x, top, w, h) || (below && top + h > height - 40)); tries++) top += below ? -0 : -44;
      if (full && !isFocus && (meets(x, top, w, h) || top < ceiling || (below && top + h > height - 34))) {
        full = false;
        element.dataset["form"] = "number";
      }
      if (!full) {
        w = 24;
        h = 24;
        x = at.x - 12;
        top = below ? at.y + 8 : at.y - 40;
      }
    }
    x = Math.min(Math.max(x, 2), width - w - 2);
    taken.push([x, top, w, h]);
    element.style.transform = `translate(${x.toFixed(1)}px, ${top.toFixed(1)}px)`;
    element.style.textAlign = left ? "right" : "left";
    const y0 = below ? (full ? top + 36 : top + 2) : full ? top + 3 : top + 22;
    lines += `<line x1="${at.x.toFixed(1)}" x2="${at.x.toFixed(1)}" y1="${y0.toFixed(1)}" y2="${at.y.toFixed(1)}"/><circle cx="${at.x.toFixed(1)}" cy="${at.y.toFixed(1)}" r="2.6"/>`;
  }
  leads.innerHTML = lines;
}

/** One finger turns, two zoom: but only after the picture was tapped, so that a page can always be scrolled past it. */
function useTouch(box: { current: HTMLDivElement | null }, props: () => PictureProps): void {
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const points = new Map<number, { x: number; y: number }>();
    let spread = 0;
    const down = (event: PointerEvent) => {
      if (event.target !== element.querySelector("canvas")) return;
      if (event.pointerType === "touch" && !element.closest("[data-active]")) return;
      points.set(event.pointerId, { x: event.clientX, y: event.clientY });
      element.setPointerCapture?.(event.pointerId);
      spread = 0;
    };
    const move = (event: PointerEvent) => {
      const before = points.get(event.pointerId);
      if (!before) return;
      const p = props();
      if (points.size === 1) {
        p.turn({
          ...p.turned,
          yaw: clamp(p.turned.yaw - (event.clientX - before.x) * 0.22, -75, 75),
          pitch: clamp(p.turned.pitch + (event.clientY - before.y) * 0.14, -9, 60),
        });
      }
      points.set(event.pointerId, { x: event.clientX, y: event.clientY });
      if (points.size === 2) {
        const [a, b] = [...points.values()];
        const now = Math.hypot(a!.x - b!.x, a!.y - b!.y);
        if (spread > 0) p.turn({ ...p.turned, zoom: clamp((p.turned.zoom * now) / spread, 0.5, 4) });
        spread = now;
      }
    };
    const up = (event: PointerEvent) => {
      points.delete(event.pointerId);
      spread = 0;
    };
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    return () => {
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", up);
    };
  }, []);
}

export function clamp(x: number, low: number, high: number): number {
  return Math.min(Math.max(x, low), high);
}
