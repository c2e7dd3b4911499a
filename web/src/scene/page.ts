/** What a 3D picture must know of its page before three.js is loaded. */
import { useEffect, useState } from "preact/hooks";
import type { Ground } from "./palette";

/** The ground that the page has now: by the reader's choice, else by the machine's. */
export function useGround(theme: "auto" | Ground): Ground {
  const [system, set] = useState<Ground>(() => (matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark"));
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: light)");
    const read = () => set(query.matches ? "light" : "dark");
    query.addEventListener("change", read);
    return () => query.removeEventListener("change", read);
  }, []);
  return theme === "auto" ? system : theme;
}

/** Whether this browser draws 3D, and may: forced colors and paper ask for the flat drawing. */
export function webgl(): boolean {
  if (matchMedia("(forced-colors: active)").matches || matchMedia("print").matches) return false;
  try {
    return document.createElement("canvas").getContext("webgl2") !== null;
  } catch {
    return false;
  }
}

/** Whether the page is being printed: paper gets the flat drawing. */
export function usePaper(): boolean {
  const [paper, set] = useState(false);
  useEffect(() => {
    const query = matchMedia("print");
    const read = () => set(query.matches);
    query.addEventListener("change", read);
    return () => query.removeEventListener("change", read);
  }, []);
  return paper;
}
