/** The width of an element in CSS pixels, kept up to date. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

export function useWidth<T extends Element>(first = 0): [RefObject<T | null>, number] {
  const place = useRef<T>(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const measure = () => {
      const now = Math.floor(element.getBoundingClientRect().width);
      if (now > 0) setWidth(now);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [place, width];
}

let pen: CanvasRenderingContext2D | null = null;
const known = new Map<string, number>();

/** How wide a text is, in the font of labels. */
export function measure(text: string, size = 13): number {
  const key = `${size}/${text}`;
  let found = known.get(key);
  if (found === undefined) {
    pen ??= document.createElement("canvas").getContext("2d");
    if (!pen) return text.length * size * 0.55;
    pen.font = `${size}px "Lab Sans", system-ui, sans-serif`;
    found = pen.measureText(text).width;
    if (document.fonts.status === "loaded") known.set(key, found);
  }
  return found;
}
