/**
 * What a reader can take away from a screen: the link, the numbers as JSON, its chart as SVG or PNG, its table as CSV.
 * A screen says what it has with `useShare`; the menu in the head offers it.
 */
import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";

export interface Share {
  /** Name of the files, without ending. */
  readonly name: string;
  /** The numbers on the screen, with units in their names. */
  readonly json?: () => unknown;
  /** Rows of the table, the first one the head. */
  readonly rows?: () => readonly (readonly (string | number | null)[])[];
  /** The drawing: an SVG that stands in the page, or a canvas. */
  readonly picture?: () => SVGSVGElement | HTMLCanvasElement | null;
}

export const share = signal<Share | null>(null);

export function useShare(offer: Share, deps: readonly unknown[]): void {
  useEffect(() => {
    share.value = offer;
    return () => {
      if (share.peek() === offer) share.value = null;
    };
  }, deps as unknown[]);
}

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without a secure context there is no clipboard: select the text of a field and copy that.
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "unseen";
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

export function save(name: string, content: Blob | string, type = "text/plain"): void {
  const blob = typeof content === "string" ? new Blob([content], { type: `${type};charset=utf-8` }) : content;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function csv(rows: readonly (readonly (string | number | null)[])[]): string {
  const cell = (value: string | number | null) => {
    const text = value === null ? "" : String(value);
    return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  };
  return rows.map((row) => row.map(cell).join(",")).join("\r\n") + "\r\n";
}

const KEPT = [
  "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray", "stroke-linecap",
  "stroke-linejoin", "paint-order", "opacity", "font-family", "font-size", "font-weight", "font-style", "text-anchor",
  "font-variant-numeric", "dominant-baseline",
] as const;

/** The drawing as a file of its own: what the style sheet says is written into the elements. */
export function standalone(svg: SVGSVGElement): string {
  const copied = svg.cloneNode(true) as SVGSVGElement;
  const from = [svg, ...svg.querySelectorAll<SVGElement>("*")];
  const to = [copied, ...copied.querySelectorAll<SVGElement>("*")];
  from.forEach((element, i) => {
    const style = getComputedStyle(element);
    const target = to[i];
    if (!target || element.closest("defs, title, desc")) return;
    for (const name of KEPT) {
      const value = style.getPropertyValue(name);
      if (value) target.setAttribute(name, value);
    }
    target.removeAttribute("class");
    target.removeAttribute("style");
  });
  // Colors inside patterns and gradients are variables of the page: write them out.
  const root = getComputedStyle(document.documentElement);
  const resolve = (text: string) =>
    text.replace(/var\((--[\w-]+)\)/g, (_, name: string) => root.getPropertyValue(name).trim() || "currentColor");
  const box = svg.getBoundingClientRect();
  copied.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copied.setAttribute("width", String(Math.ceil(box.width)));
  copied.setAttribute("height", String(Math.ceil(box.height)));
  if (!copied.getAttribute("viewBox")) copied.setAttribute("viewBox", `0 0 ${Math.ceil(box.width)} ${Math.ceil(box.height)}`);
  const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  ground.setAttribute("x", "-20");
  ground.setAttribute("y", "-20");
  ground.setAttribute("width", String(Math.ceil(box.width) + 40));
  ground.setAttribute("height", String(Math.ceil(box.height) + 40));
  ground.setAttribute("fill", root.getPropertyValue("--bg").trim() || "#fff");
  copied.insertBefore(ground, copied.firstChild);
  copied.setAttribute("viewBox", `-20 -20 ${Math.ceil(box.width) + 40} ${Math.ceil(box.height) + 40}`);
  copied.setAttribute("width", String(Math.ceil(box.width) + 40));
  copied.setAttribute("height", String(Math.ceil(box.height) + 40));
  return resolve(new XMLSerializer().serializeToString(copied));
}

/** The drawing as a picture, two pixels for one. */
export async function png(picture: SVGSVGElement | HTMLCanvasElement): Promise<Blob> {
  const canvas = document.createElement("canvas");
  if (picture instanceof HTMLCanvasElement) {
    canvas.width = picture.width;
    canvas.height = picture.height;
    canvas.getContext("2d")?.drawImage(picture, 0, 0);
  } else {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(picture))}`;
    await image.decode();
    canvas.width = image.naturalWidth * 2;
    canvas.height = image.naturalHeight * 2;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  }
  return new Promise((done, fail) =>
    canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("The picture could not be made."))), "image/png"),
  );
}
