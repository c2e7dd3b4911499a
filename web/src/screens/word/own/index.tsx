/**
 * The one-word machine on a sentence of the reader's own, beside the steps of DeepSeek-V3: what the small model on this
 * computer does with it, step by step. Without a server the recorded example stands here, and says so.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { load } from "../../../core/data";
import { isLive } from "../../../core/server";
import { digits, si } from "../../../core/units";
import type { Word } from "../../../core/types";
import { percent } from "../../../charts/numbers";
import { Twin } from "../../../charts/twin";
import { announce } from "../../../shell/live";
import type { LabState } from "../../../shell/state";
import { useText } from "../../../shell/text";
import { Forms, Looks, Merges, Pieces, Scores, Shelf, Vector, visible } from "./panels";
import type { Own } from "./types";
import "./own.css";

async function lookInside(prompt: string): Promise<Own> {
  const answer = await fetch("./inside", { method: "POST", body: JSON.stringify({ prompt }), headers: { "content-type": "application/json" }, cache: "no-store" });
  const body = (await answer.json()) as Own & { error?: { message: string } };
  if (!answer.ok) throw new Error(body.error?.message ?? answer.statusText);
  return body;
}

const grouped = (value: number): string => value.toLocaleString("en-US");

export function OwnWord({ word, state }: { readonly word: Word; readonly state: LabState }) {
  const say = useText();
  const [own, setOwn] = useState<Own | null>(null);
  const [chosen, choose] = useState(0);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const show = (found: Own) => {
    setOwn(found);
    choose(found.tokens.length - 1);
  };
  useEffect(() => {
    let here = true;
    load<Own>("own.json").then((found) => here && show(found), () => undefined);
    return () => {
      here = false;
    };
  }, []);
  if (!own) return null;

  const ask = () => {
    const prompt = field.current?.value.trim() ?? "";
    if (prompt === "" || busy) return;
    setBusy(true);
    setProblem("");
    lookInside(prompt)
      .then(
        (found) => {
          show(found);
          announce(say("live.own.done", { word: visible(found.picked), share: percent(found.top[0]?.probability ?? 0) }));
        },
        (error: unknown) => {
          const text = error instanceof Error ? error.message : String(error);
          setProblem(text);
          announce(text);
        },
      )
      .finally(() => setBusy(false));
  };
  const token = own.tokens[chosen] ?? own.tokens[0]!;
  const there = (step: number, name: string) => word.steps.find((each) => each.number === step)?.numbers[name]?.value ?? 0;
  const child = state.level === "child";
  const panel = (step: number, title: string, beside: string, body: preact.ComponentChildren) => (
    <section class="o-panel">
      <h3>
        <i aria-hidden="true">{step}</i> {title}
      </h3>
      {body}
      {!child && <p class="cap">{beside}</p>}
    </section>
  );
  const info = own.recorded;
  return (
    <section class="w-own" aria-labelledby="own-title" aria-busy={busy}>
      <h2 id="own-title">{say("live.own.title")}</h2>
      <p class="prose">{say("live.own.text", { layers: own.model.layers, weights: `${Math.round(own.model.parameters / 1e6)}\u00a0${say("number.million")}` })}</p>
      {isLive() && (
        <form
          class="o-ask noprint"
          onSubmit={(event) => {
            event.preventDefault();
            ask();
          }}
        >
          <label for="own-prompt">{say("live.own.ask")}</label>
          <input id="own-prompt" ref={field} class="field" type="text" maxLength={200} defaultValue={own.prompt} autocomplete="off" />
          <button class="ghost w-go" type="submit">
            {say("live.own.go")} <kbd class="after">⏎</kbd>
          </button>
        </form>
      )}
      <p class="small" role="status">
        {busy ? say("live.own.busy") : problem}
      </p>
      <p class="o-sentence">
        {own.form === "text" ? own.prompt : own.prompt} <b>{own.form === "text" ? own.picked : `→ ${own.picked}`}</b>
      </p>
      {info && <p class="small">{say("live.own.recorded", { date: info.date, processor: info.processor, cores: info.cores, system: info.system })}</p>}
      <div class="o-grid">
        <div>
          {panel(2, say("live.own.pieces"), say("live.own.pieces.beside", { here: grouped(own.model.vocabulary), there: grouped(there(2, "vocabulary")) }), (
            <>
              <Pieces own={own} chosen={chosen} choose={choose} say={say} />
              <Merges token={token} say={say} />
            </>
          ))}
          {panel(2, say("live.own.vector", { token: visible(token.text) }), say("live.own.vector.beside", { here: grouped(own.model.width), there: grouped(there(2, "width")) }), (
            <Vector token={token} width={own.model.width} say={say} />
          ))}
          {panel(5, say("live.own.shelf"), say("live.own.shelf.beside", { here: si(own.cache_token_B, "B", 2), there: si(there(5, "kv_token_B"), "B", 2) }), <Shelf own={own} chosen={chosen} say={say} />)}
        </div>
        <div>
          {panel(4, say("live.own.looks"), say("live.own.looks.beside", { here: own.model.layers, heads: own.model.heads, there: digits(there(7, "layers"), 2), others: digits(there(4, "heads"), 3) }), (
            <Looks own={own} chosen={chosen} choose={choose} say={say} />
          ))}
          {panel(6, say("live.own.scores"), say("live.own.scores.beside", { here: grouped(own.model.vocabulary), there: grouped(there(6, "scores")), entropy: digits(own.entropy_nat, 2) }), <Scores own={own} say={say} />)}
        </div>
        <div>
          {panel(7, say("live.own.forms"), say("live.own.forms.beside", { settled: own.settled_layer, layers: own.model.layers }), <Forms own={own} say={say} />)}
        </div>
      </div>
      <Twin
        title={say("live.own.table")} caption={say("live.own.pieces")} right={[0, 5]}
        head={["", say("live.own.token"), say("live.own.bytes"), say("live.own.merges"), say("live.own.near"), say("live.own.shelf")]}
        rows={own.tokens.map((each, n) => [
          String(n + 1), visible(each.text), each.bytes, each.merges.map(([a, b]) => `${visible(a)}+${visible(b)}`).join(", ") || "–",
          each.near.map(([text]) => visible(text)).join(", "), si(each.cache_B, "B", 2),
        ])}
      />
      <Twin
        title={say("live.own.table.layers")} caption={say("live.own.forms")} right={[0, 2, 4]}
        head={[say("live.own.layer"), say("live.own.says"), say("live.own.final", { word: visible(own.picked) }), say("live.own.hardest"), say("live.own.share")]}
        rows={own.guesses.map((guess) => {
          const glance = own.glances.find((each) => each.layer === guess.layer);
          return [
            String(guess.layer), visible(guess.text), percent(guess.probability),
            glance ? visible(own.tokens[glance.at]?.text ?? "") : "–", glance ? percent(glance.weight) : "–",
          ];
        })}
      />
    </section>
  );
}
