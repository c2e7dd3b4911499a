/** Texts in HTML over a 3D picture: moved each frame, measured only when what they say or how they stand has changed. */

interface Kept {
  said: string;
  size: readonly [number, number];
  place: string;
}
const kept = new WeakMap<HTMLElement, Kept>();

function of(element: HTMLElement): Kept {
  let found = kept.get(element);
  if (!found) {
    found = { said: "", size: [0, 0], place: "" };
    kept.set(element, found);
  }
  return found;
}

/** Width and height of a text that is shown, in pixels; `how` names what else decides them, `before` makes it ready. */
export function sizeOf(element: HTMLElement, how: string, before?: () => void): readonly [number, number] {
  const mine = of(element);
  const said = `${how} ${document.fonts.status} ${element.textContent}`;
  if (said !== mine.said) {
    before?.();
    mine.said = said;
    mine.size = [element.offsetWidth, element.offsetHeight];
  }
  return mine.size;
}

export function hide(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/** Puts a text where it belongs; nothing is written when it stands there. */
export function put(element: HTMLElement, x: number, y: number, align: "left" | "right" | "center"): void {
  const mine = of(element);
  const place = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  if (mine.place === place + align) return;
  mine.place = place + align;
  element.style.transform = place;
  element.style.textAlign = align;
}

/** Draws the lines of the flags, and rings where they end, as one path each. */
export function draw(path: SVGPathElement | null, lines: string): void {
  if (path && path.getAttribute("d") !== lines) path.setAttribute("d", lines);
}

export const line = (x0: number, y0: number, x1: number, y1: number): string => `M${x0.toFixed(1)} ${y0.toFixed(1)}L${x1.toFixed(1)} ${y1.toFixed(1)}`;
export const ring = (x: number, y: number, r = 2.6): string =>
  `M${(x - r).toFixed(1)} ${y.toFixed(1)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
