/** The pictures of the machine at work on one prompt: pieces, numbers, looks, guesses, scores, the shelf. */
import { scaleLinear } from "d3-scale";
import { percent } from "../../../charts/numbers";
import { measure, useWidth } from "../../../charts/width";
import { digits, si } from "../../../core/units";
import type { Say } from "../../../shell/text";
import type { Own, OwnToken } from "./types";

/** Blanks and ends of lines can be seen; what cannot be seen otherwise has its number. */
export const visible = (text: string): string =>
  text.replace(/\n/g, "⏎").replace(/\t/g, "→").replace(/ /g, "·").replace(/[\p{C}\p{Z}]/gu, (c) => `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`);
/** A probability with two digits; far below a thousandth it is none. */
export const chance = (value: number): string => (value < 0.0005 ? "0%" : `${digits(value * 100, 2)}%`);
const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/** The pieces of the prompt; arrows walk them. */
export function Pieces({ own, chosen, choose, say }: { own: Own; chosen: number; choose: (n: number) => void; say: Say }) {
  return (
    <div class="o-pieces" role="radiogroup" aria-label={say("live.own.pieces")}>
      {own.tokens.map((token, n) => (
        <label key={n} class={n === chosen ? "on" : undefined}>
          <input class="unseen" type="radio" name="piece" value={n} checked={n === chosen} onChange={() => choose(n)} />
          <span>{visible(token.text)}</span>
          <small class="num">{token.id}</small>
        </label>
      ))}
    </div>
  );
}

/** How one piece was joined from smaller ones, and its bytes. */
export function Merges({ token, say }: { token: OwnToken; say: Say }) {
  return (
    <dl class="o-facts">
      <div>
        <dt>{say("live.own.bytes")}</dt>
        <dd class="num">{token.bytes}</dd>
      </div>
      <div>
        <dt>{say("live.own.merges")}</dt>
        <dd>{token.merges.length ? token.merges.map(([a, b], n) => <span key={n} class="o-merge">{visible(a)}<i aria-hidden="true">+</i>{visible(b)}</span>) : say("live.own.whole")}</dd>
      </div>
    </dl>
  );
}

/** The first numbers of a piece's vector, and who points the same way. */
export function Vector({ token, width: wide, say }: { token: OwnToken; width: number; say: Say }) {
  const [ref, width] = useWidth<HTMLDivElement>(300);
  const most = Math.max(...token.first.map(Math.abs), 1e-9);
  const step = width / token.first.length;
  const y = scaleLinear([-most, most], [50, 4]);
  return (
    <div ref={ref}>
      <svg class="chart" height="74" viewBox={`0 0 ${width} 74`} role="img" aria-label={say("live.own.vector.said", { numbers: token.first.map((v) => digits(v, 2)).join(", "), width: wide })}>
        <line class="rule2" x1="0" x2={width} y1={y(0)} y2={y(0)} />
        {token.first.map((value, n) => (
          <g key={n}>
            <rect x={n * step + 2} width={step - 8} y={Math.min(y(0), y(value))} height={Math.max(1, Math.abs(y(value) - y(0)))} fill="var(--moving-charge)" />
            <text class="m s" x={n * step + 2} y="70">{value < 0 ? "−" : ""}{digits(Math.abs(value), 2)}</text>
          </g>
        ))}
      </svg>
      <p class="small">{say("live.own.near")}: {token.near.map(([text, cosine]) => `${visible(text)} ${digits(cosine, 2)}`).join(", ")}</p>
    </div>
  );
}

/** Where the last piece looks in each layer: a row a layer, a column a piece. */
export function Looks({ own, chosen, choose, say }: { own: Own; chosen: number; choose: (n: number) => void; say: Say }) {
  const [ref, width] = useWidth<HTMLDivElement>(300);
  const left = 22;
  const column = (width - left) / own.tokens.length;
  const row = Math.max(4, Math.min(8, 260 / own.glances.length));
  const height = own.glances.length * row;
  const names = own.tokens.map((token) => visible(token.text));
  const upright = Math.max(...names.map((name) => measure(cut(name, 9), 12))) < column - 2;
  const foot = upright ? 18 : 58;
  const hardest = [...own.glances].sort((a, b) => b.weight - a.weight)[0];
  return (
    <div ref={ref}>
      <svg
        class="chart o-looks" height={height + foot} viewBox={`0 0 ${width} ${height + foot}`} role="img"
        aria-label={hardest ? say("live.own.looks.said", { layer: hardest.layer, token: names[hardest.at] ?? "", share: percent(hardest.weight), sink: percent(own.glances[own.glances.length - 1]?.sink ?? 0) }) : ""}
      >
        {own.glances.map((glance, i) => (
          <g key={glance.layer}>
            {(glance.layer === 1 || glance.layer % 10 === 0) && <text class="m s" x="0" y={Math.max(10, i * row + row)}>{glance.layer}</text>}
            {glance.weights.map((weight, n) => (
              <rect key={n} x={left + n * column} y={i * row} width={Math.max(column - 1, 0.5)} height={row - 0.75} fill="var(--moving-charge)" fill-opacity={0.05 + 0.95 * Math.sqrt(Math.max(0, Math.min(1, weight)))} onClick={() => choose(n)} />
            ))}
          </g>
        ))}
        {names.map((name, n) => (
          <text key={n} class={n === chosen ? "s" : "m s"} {...(upright ? { x: left + n * column, y: height + 13 } : { transform: `translate(${left + (n + 0.5) * column + 4} ${height + 6}) rotate(90)` })}>
            {cut(name, 9)}
          </text>
        ))}
      </svg>
    </div>
  );
}

const MOST_ROWS = 18;

interface Run {
  from: number;
  to: number;
  text: string;
  probability: number;
}

/** Layers that would say the same, as one row. */
export function runsOf(own: Own): Run[] {
  const runs: Run[] = [];
  for (const guess of own.guesses) {
    const last = runs[runs.length - 1];
    if (last && last.text === guess.text) [last.to, last.probability] = [guess.layer, guess.probability];
    else runs.push({ from: guess.layer, to: guess.layer, text: guess.text, probability: guess.probability });
  }
  return runs;
}

/** How the answer forms: what each layer would say, and how likely the final word is there. */
export function Forms({ own, say }: { own: Own; say: Say }) {
  const runs = runsOf(own);
  return (
    <table class="o-forms">
      <caption class="unseen">{say("live.own.forms")}</caption>
      <thead>
        <tr>
          <th scope="col">{say("live.own.layer")}</th>
          <th scope="col">{say("live.own.says")}</th>
          <th scope="col">{say("live.own.final", { word: visible(own.picked) })}</th>
        </tr>
      </thead>
      <tbody>
        {runs.slice(-MOST_ROWS).map((run) => (
          <tr key={run.from}>
            <th scope="row" class="num">{run.from === run.to ? run.from : `${run.from}–${run.to}`}</th>
            <td>{cut(visible(run.text), 14)}</td>
            <td>
              <svg width="100%" height="12" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 12">
                <rect x="0" y="5.5" width="100" height="1" fill="var(--line2)" />
                <rect x="0" y="1" width={Math.max(0.4, 100 * run.probability)} height="10" fill="var(--moving-charge)" />
              </svg>
              <span class="num">{chance(run.probability)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The best scores as shares, and the one that was picked. */
export function Scores({ own, say }: { own: Own; say: Say }) {
  return (
    <table class="o-forms">
      <caption class="unseen">{say("live.own.scores")}</caption>
      <tbody>
        {own.top.slice(0, 8).map((each, n) => (
          <tr key={n} class={n === 0 ? "picked" : undefined}>
            <th scope="row">{cut(visible(each.text), 14)}</th>
            <td>
              <svg width="100%" height="12" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 100 12">
                <rect x="0" y="1" width={Math.max(0.4, 100 * each.probability)} height="10" fill="var(--moving-charge)" opacity={n === 0 ? 1 : 0.45} />
              </svg>
              <span class="num">{chance(each.probability)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The shelf grows by the same amount with each piece. */
export function Shelf({ own, chosen, say }: { own: Own; chosen: number; say: Say }) {
  const [ref, width] = useWidth<HTMLDivElement>(300);
  const column = width / own.tokens.length;
  const most = own.tokens[own.tokens.length - 1]?.cache_B ?? 1;
  const y = scaleLinear([0, most], [76, 16]);
  const at = own.tokens[chosen];
  return (
    <div ref={ref}>
      <svg class="chart" height="80" viewBox={`0 0 ${width} 80`} role="img" aria-label={say("live.own.shelf.said", { each: si(own.cache_token_B, "B", 2), all: si(most, "B", 2) })}>
        {own.tokens.map((token, n) => (
          <rect key={n} x={n * column} width={Math.max(column - 1.5, 0.5)} y={y(token.cache_B)} height={76 - y(token.cache_B)} fill="var(--stored-charge)" opacity={n === chosen ? 1 : 0.5} />
        ))}
        {at && (
          <text x={Math.min(chosen * column, width - 60)} y={y(at.cache_B) - 4}>
            {si(at.cache_B, "B", 2)}
          </text>
        )}
      </svg>
    </div>
  );
}
