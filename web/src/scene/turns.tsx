/** The visible buttons for what fingers and keys do to a 3D picture. */
import { useText } from "../shell/text";

export interface TurnsProps {
  readonly rotate: (yaw: number, pitch: number) => void;
  readonly zoom: (factor: number) => void;
  readonly reset: () => void;
}

export function Turns({ rotate, zoom, reset }: TurnsProps) {
  const say = useText();
  const one = (key: string, run: () => void, face: preact.ComponentChildren) => (
    <button class="ghost" aria-label={`${say(`control.${key}`)}${key === "reset" ? " 0" : ""}`} title={say(`control.${key}`)} onClick={run}>{face}</button>
  );
  return (
    <>
      {one("rotate_left", () => rotate(-7.5, 0), <Chevron turn={180} />)}
      {one("rotate_up", () => rotate(0, 5), <Chevron turn={-90} />)}
      {one("rotate_down", () => rotate(0, -5), <Chevron turn={90} />)}
      {one("rotate_right", () => rotate(7.5, 0), <Chevron turn={0} />)}
      {one("zoom_out", () => zoom(1 / 1.2), <Sign />)}
      {one("zoom_in", () => zoom(1.2), <Sign plus />)}
      {one("reset", reset, <kbd>0</kbd>)}
    </>
  );
}

function Sign({ plus }: { readonly plus?: boolean }) {
  return <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true"><path d={plus ? "M-5 0H5M0 -5V5" : "M-5 0H5"} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" /></svg>;
}

function Chevron({ turn }: { readonly turn: number }) {
  return <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true"><path d="M-2 -4L2 0L-2 4" transform={`rotate(${turn})`} fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" /></svg>;
}
