/** Small signs of the journey's buttons and legend. */
import { ink, type SHOWN } from "./parts";

export function Dot({ carrier }: { readonly carrier: (typeof SHOWN)[number] }) {
  const hollow = carrier === "waiting";
  return <svg width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r={hollow ? 3.4 : 4.4} fill={hollow ? "none" : ink(carrier)} stroke={ink(carrier)} stroke-width={hollow ? 2 : 0} /></svg>;
}
export function Play() {
  return <svg width="10" height="12" aria-hidden="true"><path d="M1 1l8 5-8 5z" fill="currentColor" /></svg>;
}
export function Pause() {
  return <svg width="10" height="12" aria-hidden="true"><path d="M1 1h3v10H1zM6 1h3v10H6z" fill="currentColor" /></svg>;
}
export function Arrow({ back }: { readonly back?: boolean }) {
  return <svg width="12" height="18" aria-hidden="true"><path d={back ? "M9 3L3 9l6 6" : "M3 3l6 6-6 6"} fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round" /></svg>;
}
