/** All numbers of the seven steps as tables, with their bands and sources. */
import { has } from "../../core/strings";
import type { Fact, Source, Word } from "../../core/types";
import { band, digits, powerOfTen, si } from "../../core/units";
import type { Say } from "../../shell/text";

type All = Readonly<Record<string, Source>>;

export function Table({ word, say, sources }: { readonly word: Word; readonly say: Say; readonly sources: All }) {
  const row = (cells: readonly (readonly [string, preact.ComponentChildren])[], name: string) => (
    <tr key={name}>
      <th scope="row">{cells[0]![1]}</th>
      {cells.slice(1).map(([head, cell]) => <td key={head} data-head={say(`word.table.${head}`)}>{cell}</td>)}
    </tr>
  );
  const heads = (names: readonly string[]) => <thead><tr>{names.map((name) => <th key={name} scope="col">{say(`word.table.${name}`)}</th>)}</tr></thead>;
  const likely = (fact: Fact) => (fact.low === fact.high ? "–" : band(fact.low, fact.high, fact.value, fact.unit));
  return (
    <>
      {word.steps.map((each) => (
        <div key={each.number} class="w-block">
          <h3>{each.number}{"\u2002"}{say(`step.${each.number}.name`)}</h3>
          <p class="w-said">{say(`step.${each.number}.text`)} {say(`step.${each.number}.everyday`)}</p>
          <div class="w-scroll" tabIndex={0} role="region" aria-label={say(`step.${each.number}.name`)}>
            <table>
              {heads(["number", "value", "likely", "how", "grade", "source"])}
              <tbody>
                {Object.entries(each.numbers).map(([name, fact]) => row([
                  ["number", fact.title], ["value", shown(fact, say)], ["likely", likely(fact)], ["how", say(`basis.${fact.basis}`)], ["grade", say(`grade.${fact.grade}`)],
                  ["source", <Sources keys={fact.sources} all={sources} />],
                ], name))}
                {each.papers.map((paper) => <tr key={paper.key}><th scope="row" colSpan={6}><a href={paper.url}>{paper.authors}: {paper.title}, {paper.year}</a>. {why(paper, say)}</th></tr>)}
                {each.comparisons.map((c) => <tr key={c.key}><th scope="row" colSpan={6}>{c.sentence}</th></tr>)}
              </tbody>
            </table>
          </div>
        </div>
      ))}
      <div class="w-block">
        <h3>{say("word.energy")}, {say("word.water")}</h3>
        <p class="w-said">{say("word.energy.text")} {say("word.water.text")}</p>
        <div class="w-scroll" tabIndex={0} role="region" aria-label={say("word.energy")}>
          <table>
            {heads(["number", "value", "likely", "counted"])}
            <tbody>{Object.entries(word.word).map(([name, fact]) => row([["number", fact.title], ["value", shown(fact, say)], ["likely", likely(fact)], ["counted", fact.note]], name))}</tbody>
          </table>
        </div>
      </div>
    </>
  );
}

export function Sources({ keys, all }: { readonly keys: readonly string[]; readonly all: Readonly<Record<string, Source>> }) {
  const found = keys.flatMap((key) => all[key] ?? []).slice(0, 3);
  return <>{found.map((source, i) => <span key={source.key}>{i ? "; " : ""}<a href={source.url}>{source.title}</a>{source.year ? `, ${source.year}` : ""}</span>)}{found.length ? "." : ""}</>;
}

/** Why a paper matters, at the reader's level. */
export function why(paper: { readonly key: string; readonly why: string }, say: Say): string {
  return has(`paper.${paper.key}.why`) ? say(`paper.${paper.key}.why`) : paper.why;
}

/** A count is said as a count, with its thousands or in words; what is measured has its unit. */
function shown(fact: Fact, say: Say): string {
  const { value, unit } = fact;
  if (unit === "bool") return say(value ? "word.yes" : "word.no");
  if (unit !== "1" || value < 1000) return Number.isInteger(value) && unit === "1" ? String(value) : si(value, unit);
  for (const [name, size] of [["trillion", 1e12], ["billion", 1e9], ["million", 1e6]] as const) {
    if (value >= size && value < 1e15) return say(`word.count.${name}`, { count: digits(value / size).replace(/\.0+$/, "") });
  }
  return value < 1e6 ? Math.round(value).toLocaleString("en-US") : powerOfTen(value);
}

export function tableOf(word: Word): (string | number | null)[][] {
  return [
    ["step", "number", "value", "low", "high", "unit", "grade", "basis"],
    ...word.steps.flatMap((step) => Object.values(step.numbers).map((fact) => [step.number, fact.title, fact.value, fact.low, fact.high, fact.unit, fact.grade, fact.basis])),
    ...Object.values(word.word).map((fact) => ["word", fact.title, fact.value, fact.low, fact.high, fact.unit, fact.grade, fact.basis]),
  ];
}
