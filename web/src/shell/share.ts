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

/** What was done last, for two seconds: who sees the page gets the word beside the button. */
export const done = signal("");
let forgotten = 0;
export function tell(text: string): void {
  done.value = text;
  window.clearTimeout(forgotten);
  forgotten = window.setTimeout(() => (done.value = ""), 2000);
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
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
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
    // Six digits: what is beyond them is the dust of binary numbers.
    const text = value === null ? "" : typeof value === "number" ? String(Number(value.toPrecision(6))) : value;
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

/** The page's fonts as rules that carry them, for a drawing that leaves the page; none where they cannot be read. */
async function fonts(): Promise<string> {
  const made: string[] = [];
  for (const sheet of document.styleSheets) {
    try {
      for (const rule of sheet.cssRules) {
        const address = rule instanceof CSSFontFaceRule ? /url\("?([^")]+)/.exec(rule.style.getPropertyValue("src"))?.[1] : undefined;
        if (!(rule instanceof CSSFontFaceRule) || !address) continue;
        const bytes = new Uint8Array(await (await fetch(new URL(address, sheet.href ?? location.href))).arrayBuffer());
        const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
        made.push(`@font-face{font-family:${rule.style.getPropertyValue("font-family")};font-weight:400 600;src:url(data:font/woff2;base64,${text}) format("woff2")}`);
      }
    } catch {
      // A sheet of an extension, or a font that is not there: the system's fonts stand in.
    }
  }
  return made.join("");
}

/** The drawing as a file with its fonts inside. */
export async function drawing(svg: SVGSVGElement): Promise<string> {
  const text = standalone(svg);
  const style = await fonts();
  return style ? text.replace(/>/, `><style>${style}</style>`) : text;
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
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(await drawing(picture))}`;
    await image.decode();
    canvas.width = image.naturalWidth * 2;
    canvas.height = image.naturalHeight * 2;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  }
  return new Promise((give, fail) =>
    canvas.toBlob((blob) => (blob ? give(blob) : fail(new Error("The picture could not be made."))), "image/png"),
  );
}
