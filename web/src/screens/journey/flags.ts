/** Flags in HTML over the 3D picture of the journey: text stands beside the top of a line and never covers the thing. */
import { UNTURNED } from "../../scene/hand";
import { draw, hide, line, put, ring, sizeOf } from "../../scene/hang";
import type { PictureProps } from "./picture3d";
import type { Part } from "./parts";
import { tourAt } from "./tour";

/** Flags of the overview: how far from the top (of 428), and on which side of its line the text stands. */
const FLAGS: Readonly<Record<Part, readonly [number, "left" | "right"]>> = {
  eye: [196, "right"], device: [140, "left"], access: [92, "right"], internet: [170, "right"],
  balancer: [122, "left"], server: [76, "left"], cache: [126, "right"], back: [26, "right"],
};

function form(element: HTMLElement, as: "flag" | "number"): void {
  if (element.dataset["form"] !== as) element.dataset["form"] = as;
}

type Place = (name: string, pane?: number) => { x: number; y: number; shown: boolean };

/** Put each flag where its part is now. Text stands beside the top of a line: it never covers the thing. */
export function hang(flags: HTMLElement, leads: SVGSVGElement, p: PictureProps, place: Place, [width, height]: readonly [number, number], settled: boolean): void {
  let lines = "";
  let circles = "";
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
    const hidden = p.labels === "none" || (p.labels === "focus" && !isFocus) || !at.shown || (!settled && !overview) || (!overview && (at.y < ceiling + 24 || at.y > height - 56));
    hide(element, hidden);
    if (hidden) continue;
    const flag = FLAGS[name as Part];
    const below = name === "back" || (name === "middle" && !p.compact);
    if (p.compact && flag) {
      const top = below ? at.y + 10 : at.y - 36;
      form(element, "number");
      put(element, at.x - 12, top, "left");
      lines += line(at.x, below ? top + 2 : top + 22, at.x, at.y);
      circles += ring(at.x, at.y);
      continue;
    }
    // along the signal the picture is near: a text only where there is room over the thing
    let full = overview || isFocus || (!focus && (p.view !== 2 || below || at.y > ceiling + 96));
    const left = (name === "from" || (overview && flag ? flag[1] === "left" : at.x > width * 0.74 || (p.view === 3 && name === "balancer"))) && full;
    let [w, h] = full ? sizeOf(element, String(width), () => form(element, "flag")) : [24, 24];
    let top: number;
    let x = left ? at.x - 4 - w : at.x + 4;
    if (overview && flag) top = below ? at.y + flag[0] : (flag[0] / 428) * height;
    else {
      // inside the hall things stand high: their texts hang from one line over them
      top = below ? at.y + 20 : p.view === 3 && !focus ? ceiling + 4 : Math.max(at.y - (isFocus ? 66 : 54), ceiling);
      for (let tries = 0; full && !below && tries < 4 && meets(x, top, w, h); tries++) top -= 44;
      if (full && !isFocus && (meets(x, top, w, h) || top < ceiling || (below && top + h > height - 34))) {
        full = false;
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
    form(element, full ? "flag" : "number");
    put(element, x, top, left ? "right" : "left");
    const y0 = below ? (full ? top + 36 : top + 2) : full ? top + 3 : top + 22;
    lines += line(at.x, y0, at.x, at.y);
    circles += ring(at.x, at.y);
  }
  const [lead, rings] = leads.children as unknown as [SVGPathElement, SVGPathElement];
  draw(lead, lines);
  draw(rings, circles);
}
