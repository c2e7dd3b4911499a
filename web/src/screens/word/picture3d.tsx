/** One of the seven pictures in 3D, with its labels in HTML. three.js is loaded here and nowhere earlier. */
import { useEffect, useRef } from "preact/hooks";
import { clamp, useHand, type Turned } from "../../scene/hand";
import { draw, hide, line, put, sizeOf } from "../../scene/hang";
import type { Runtime, WordCounts } from "../../scene/index";

export interface Label {
  readonly at: string;
  readonly name: string;
  readonly text?: string;
  /** Where the text stands, from its point. */
  readonly side: "left" | "right" | "above" | "below";
  readonly dx?: number;
  readonly dy?: number;
  /** Set large, in the serif: what goes in and what comes out. */
  readonly spoken?: boolean;
  readonly phone?: boolean;
}

export interface WordPictureProps {
  readonly step: number;
  readonly counts: WordCounts;
  readonly ground: "dark" | "light";
  readonly labels: readonly Label[];
  readonly showLabels: boolean;
  readonly turned: Turned;
  readonly turn: (turned: Turned) => void;
  readonly signal: boolean;
  readonly rest: () => void;
  readonly motion: boolean;
  readonly active: boolean;
  readonly description: string;
  readonly ready: () => void;
  readonly failed: () => void;
}

const STILL_S = 5;
/** What a text keeps from the edge of the picture. */
const EDGE_PX = 10;

export default function WordPicture(props: WordPictureProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const notes = useRef<HTMLDivElement>(null);
  const lines = useRef<SVGSVGElement>(null);
  const live = useRef<{ runtime: Runtime; scene: typeof import("../../scene/index") } | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const gaze = useRef<import("../../scene/index").Gaze | null>(null);

  const look = (move: boolean) => {
    const at = live.current;
    const from = gaze.current;
    if (!at || !from) return;
    const { turned } = latest.current;
    const [width, height] = at.runtime.size;
    const narrow = Math.max(1, 0.9 / (width / height));
    at.runtime.look([{ top: 0, height: 1, gaze: {
      ...from, yaw: from.yaw + turned.yaw, pitch: clamp(from.pitch + turned.pitch, 2, 85), distance: (from.distance * narrow) / turned.zoom,
    } }], move && latest.current.motion);
  };
  const build = (): Promise<void> | undefined => {
    const at = live.current;
    if (!at) return undefined;
    const p = latest.current;
    const palette = at.scene.PALETTES[p.ground];
    const model = at.scene.word(p.step, palette, p.counts);
    gaze.current = model.gaze;
    const shown = at.runtime.show(model, palette);
    look(false);
    if (p.signal && p.motion) at.runtime.run(STILL_S, 0);
    else at.runtime.stop(STILL_S);
    return shown;
  };

  useEffect(() => {
    let gone = false;
    import("../../scene/index")
      .then((scene) => {
        if (gone || !canvas.current || !box.current) return;
        const runtime = new scene.Runtime(canvas.current, box.current, STILL_S);
        live.current = { runtime, scene };
        runtime.onLost = () => latest.current.failed();
        runtime.onRest = () => latest.current.rest();
        runtime.onFrame = (place) => {
          if (notes.current && lines.current) hang(notes.current, lines.current, latest.current, place, runtime.size);
        };
        (window as unknown as { lab3d?: unknown }).lab3d = runtime.stats;
        build()?.then(() => !gone && latest.current.ready(), () => !gone && latest.current.failed());
      })
      .catch(() => !gone && latest.current.failed());
    return () => {
      gone = true;
      live.current?.runtime.end();
      live.current = null;
    };
  }, []);
  useEffect(() => void build(), [props.step, props.ground]);
  useEffect(() => look(true), [props.turned]);
  // what the page says anew may need another place
  useEffect(() => live.current?.runtime.ask());
  useEffect(() => {
    const at = live.current;
    if (!at) return;
    if (props.signal && props.motion) at.runtime.run(STILL_S, 0);
    else if (at.runtime.running) at.runtime.stop(at.runtime.seconds);
  }, [props.signal]);

  useHand(canvas, () => latest.current, { yaw: 0.3, pitch: 0.2, low: -25, high: 55, near: 0.6 });

  return (
    <div class="w-3d" ref={box} data-active={props.active ? "" : undefined}>
      <canvas ref={canvas} role="img" aria-label={props.description} />
      <svg class="w-leads" ref={lines} aria-hidden="true"><path /></svg>
      <div class="w-notes" ref={notes}>
        {props.labels.map((label) => (
          <div key={label.at + label.name} class={label.spoken ? "w-note w-spoken" : "w-note"}>
            <b>{label.name}</b>
            {label.text && <span>{label.text}</span>}
          </div>
        ))}
      </div>
    </div>
  );
}

function hang(notes: HTMLElement, lines: SVGSVGElement, p: WordPictureProps, place: (name: string) => { x: number; y: number; shown: boolean }, [width, height]: readonly [number, number]): void {
  let drawn = "";
  const narrow = width < 420;
  const taken: [number, number, number, number][] = [];
  [...(notes.children as unknown as Iterable<HTMLElement>)].forEach((element, i) => {
    const label = p.labels[i];
    if (!label) return;
    const at = place(label.at);
    const hidden = !at.shown || (!p.showLabels && !label.spoken) || (narrow && !label.spoken && label.phone !== true);
    hide(element, hidden);
    if (hidden) return;
    const [w, h] = sizeOf(element, String(width));
    const reach = narrow ? 0.5 : 1;
    const dx = (label.dx ?? (label.side === "left" ? -26 : label.side === "right" ? 26 : 0)) * reach;
    const dy = (label.dy ?? (label.side === "above" ? -34 : label.side === "below" ? 30 : 18)) * reach;
    const tx = at.x + dx;
    const ty = at.y + dy;
    let x = label.side === "left" ? tx - w - 4 : label.side === "right" ? tx + 4 : tx - w / 2;
    let y = label.side === "above" ? ty - h : label.side === "below" ? ty : ty - h / 2;
    x = clamp(x, EDGE_PX, width - w - EDGE_PX);
    y = clamp(y, 0, height - h);
    if (taken.some(([a, b, c, d]) => x < a + c && x + w > a && y < b + d && y + h > b)) y = clamp(y + h, 0, height - h);
    taken.push([x, y, w, h]);
    put(element, x, y, label.side === "left" ? "right" : label.side === "right" ? "left" : "center");
    if (!label.spoken && !(label.dx === 0 && label.dy === 0)) drawn += line(at.x, at.y, tx, ty);
  });
  draw(lines.firstElementChild as SVGPathElement | null, drawn);
}
