/** Other ways to do the same job, each beside the service in the cloud: worked out in full, for the reader's own lengths. */
import { Pair, type Part } from "../../charts/pair";
import { apart, rest } from "../../charts/numbers";
import { words } from "../../charts/said";
import type { Formula, Values } from "../../core/formula";
import type { Lab, Preset } from "../../core/types";
import { link } from "../../shell/state";
import { useText, type Say } from "../../shell/text";
import { promptOf } from "./full";

export const WAYS = ["device", "edge", "speculative"] as const;
const LEAVES: Record<string, string> = { device: "nothing", edge: "city", speculative: "far" };

export interface SwapsProps {
  readonly lab: Lab;
  readonly formulas: Readonly<Record<string, Formula>>;
  readonly promptTokens: number;
  readonly replyTokens: number;
  readonly reasoningTokens: number;
}

/** The parts of a wait, one after the other. */
export function partsOf(made: Values): Part[] {
  const first = made["time_to_first_token_s"] ?? 0;
  const names = [
    ["network_s", "photons"],
    ["queue_s", "waiting"],
    ["prefill_s", "moving charge"],
  ] as const;
  const known = names.map(([name]) => made[name] ?? 0);
  const others = rest(first, ...known);
  let at = 0;
  const parts: Part[] = [];
  const push = (key: string, carrier: Part["carrier"], value: number) => {
    parts.push({ key, carrier, start: at, value });
    at += value;
  };
  push("others", "moving charge", others);
  names.forEach(([name, carrier], i) => push(name, carrier, known[i] ?? 0));
  parts.push({ key: "decode_s", carrier: "moving charge", start: first, value: rest(made["time_to_last_token_s"] ?? 0, first) });
  return parts;
}

export function moved(t: Say, what: string, before: number, after: number): string {
  const far = apart(before, after);
  if (far < Math.max(before, after) * 0.015) return t("wait.delta.same", { what });
  return t(after < before ? "wait.delta.sooner" : "wait.delta.later", { what, time: words(t, far, "s") });
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function SwapSection(props: SwapsProps) {
  const t = useText();
  const { lab, formulas } = props;
  const cloud = formulas["cloud"];
  if (!cloud) return null;
  const preset = (key: string): Preset | undefined => lab.presets.find((each) => each.key === key);
  const run = (formula: Formula) =>
    formula.evaluate({
      ...promptOf(formula, props.promptTokens),
      "prompt.reply.output_tokens": props.replyTokens,
      "prompt.reply.reasoning_tokens": props.reasoningTokens,
    });
  const now = run(cloud);
  const others = WAYS.flatMap((way) => {
    const formula = formulas[way];
    return formula ? [{ way, made: run(formula) }] : [];
  });
  const end = (made: Values) => made["time_to_last_token_s"] ?? 0;
  const most = Math.max(end(now), ...others.map(({ made }) => end(made)));
  const joules = (made: Values) => made["serving_J"] ?? (made["energy_J.marginal"] ?? 0) + (made["energy_J.allocated"] ?? 0);
  const base = preset("cloud")?.capability;
  return (
    <section class="swaps" aria-labelledby="swaps-title">
      <div class="swaps-head">
        <h2 id="swaps-title">{t("wait.swap.title")}</h2>
        <p class="small">{t("wait.swap.basis", { model: base?.model.split(",")[0] ?? "" })}</p>
      </div>
      <div class="three">
        {others.map(({ way, made }) => {
          const own = preset(way)?.capability;
          const first = moved(t, t("journey.first_word"), now["time_to_first_token_s"] ?? 0, made["time_to_first_token_s"] ?? 0);
          const last = moved(t, t("journey.whole_answer"), end(now), end(made));
          const said = `${capital(first)}, ${last}.`;
          return (
            <article key={way}>
              <div class="way">
                <h3>{t(`wait.swap.${way}`)}</h3>
                <a class="ghost" href={link("compare", "", { a: "cloud", b: way })}>
                  {t("wait.swap.more")}
                </a>
              </div>
              <Pair
                title={`${t("wait.swap.now")}: ${words(t, end(now), "s")}; ${t(`wait.swap.${way}`)}: ${words(t, end(made), "s")}`}
                a={{ parts: partsOf(now), end: end(now), label: t("wait.swap.now") }}
                b={{ parts: partsOf(made), end: end(made) }}
                most={most}
              />
              <p class="said">{said}</p>
              <p class="small about">{t(`wait.swap.${way}.text`)}</p>
              <dl>
                <dt>{t("wait.swap.gives_up")}</dt>
                <dd>
                  {!own || !base || own.score === base.score ? (
                    t("wait.swap.same_answer")
                  ) : (
                    <>
                      {t("wait.swap.scores", { score: own.score, benchmark: own.benchmark })}{" "}
                      <span class="m">{t("wait.swap.against", { value: String(base.score) })}</span>
                    </>
                  )}
                </dd>
                <dt>{t("wait.swap.energy")}</dt>
                <dd>
                  {words(t, joules(made), "J")} <span class="m">{t("wait.swap.against", { value: words(t, joules(now), "J") })}</span>
                </dd>
                <dt>{t("wait.swap.leaves")}</dt>
                <dd>{t(`wait.swap.leaves.${LEAVES[way]}`)}</dd>
              </dl>
            </article>
          );
        })}
      </div>
    </section>
  );
}
