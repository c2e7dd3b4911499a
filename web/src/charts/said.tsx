/** Figures at the reader's level: in units, or for a child in words. */
import { said } from "../core/said";
import { lab } from "../shell/state";
import { useText, type Say } from "../shell/text";
import { Numeral, short } from "./numbers";

/** "11 ms", or to a child "11 thousandths of a second". */
export const words = (t: Say, value: number | null | undefined, unit: string): string =>
  value === null || value === undefined || !Number.isFinite(value) ? short(value, unit) : said(t, value, unit, lab.value.level);

/** A big number of a screen, with its unit, or its words, in smaller type. */
export function Figure({ value, unit, class: name = "big" }: { readonly value: number; readonly unit: string; readonly class?: string }) {
  const t = useText();
  if (lab.value.level !== "child" || !Number.isFinite(value)) return <Numeral value={value} unit={unit} class={name} />;
  const [, number = "", rest = ""] = /^(\S+?)[\u00a0 ](.*)$/.exec(said(t, value, unit, "child")) ?? ["", said(t, value, unit, "child")];
  // Words need room: they stand in the middle size.
  return (
    <span class={rest ? "mid" : name}>
      {number}
      {rest && <small>{`\u00a0${rest}`}</small>}
    </span>
  );
}
