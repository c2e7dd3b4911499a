/**
 * A prompt carried bit by bit: at each layer the bytes with their fields, tables and pictures, and what became of the
 * message where something is broken. The program on this machine carries the reader's own; a page without it, one that
 * was carried beforehand. The prompt never stands in the address: addresses are kept by browsers.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { Table } from "../../charts/twin";
import { load } from "../../core/data";
import { isLive, stream } from "../../core/server";
import { useData } from "../../shell/data";
import { announce } from "../../shell/live";
import { Loading } from "../../shell/notices";
import { setParams, type ScreenProps } from "../../shell/state";
import { useText, type Say } from "../../shell/text";
import { Bytes } from "./bytes";
import type { Artifact, Carried, Note, Recorded } from "./types";
import "./carry.css";

const FATES = { fine: "·", saved: "+", died: "×" } as const;
const loadRecorded = () => load<Recorded>("carry.json");

interface Run {
  readonly found: Carried | null;
  readonly state: string;
  readonly error: string;
}

export default function Carry({ state }: ScreenProps) {
  const t = useText();
  const recorded = useData(loadRecorded);
  const [prompt, write] = useState("");
  const [run, show] = useState<Run>({ found: null, state: "", error: "" });
  const stop = useRef(() => {});
  useEffect(() => () => stop.current(), []);
  if (!recorded) return <Loading />;

  const live = isLive();
  const found = run.found ?? recorded.carried;
  const layers = found.layers.map((layer) => layer.key);
  const at = layers.includes(state.params["at"] ?? "") ? (state.params["at"] as string) : (layers[0] as string);
  const broken = (state.params["break"] ?? "").split(",").filter((name) => recorded.breaks.some((each) => each.name === name));
  const toggle = (name: string) => setParams({ break: (broken.includes(name) ? broken.filter((each) => each !== name) : [...broken, name]).join(",") });
  const carry = (event: Event) => {
    event.preventDefault();
    stop.current();
    show({ found: run.found, state: "keys", error: "" });
    stop.current = stream(
      { op: "carry", prompt: prompt || recorded.carried.prompt, breaks: broken },
      (body: { state?: string; carried?: Carried }) => {
        if (body.state) show((before) => ({ ...before, state: body.state as string }));
        if (body.carried) {
          show({ found: body.carried, state: "", error: "" });
          announce(outcome(body.carried, t));
        }
      },
      (reason) => show((before) => ({ ...before, state: "", error: reason.message })),
    ).stop;
  };
  const cancel = () => {
    stop.current();
    stop.current = () => {};
    show({ ...run, state: "" });
  };
  const notes = (key: string) => found.notes.filter((note) => note.layer === key);
  const here = found.layers.find((layer) => layer.key === at);
  return (
    <div class="wrap carry">
      <h1>{t("carry.title")}</h1>
      <p class="small lead">{t("carry.lead")}</p>
      {live ? (
        <form class="ask noprint" onSubmit={carry}>
          <label for="carry-prompt">{t("carry.prompt")}</label>
          <input id="carry-prompt" class="field" value={prompt} maxLength={recorded.longest} placeholder={recorded.carried.prompt} autocomplete="off" onInput={(event) => write(event.currentTarget.value)} />
          {run.state ? (
            <button key="stop" class="ghost strong" type="button" onClick={cancel}>
              {t("carry.stop")}
            </button>
          ) : (
            <button key="go" class="ghost strong">{t("carry.go")}</button>
          )}
        </form>
      ) : (
        <p class="small">{t("carry.static")}</p>
      )}
      {live && (
        <details class="twin noprint" open={broken.length > 0}>
          <summary>{t("carry.breaks")}</summary>
          <fieldset class="breaks">
            <legend class="unseen">{t("carry.breaks")}</legend>
            {recorded.breaks.map((each) => (
              <label key={each.name}>
                <input type="checkbox" checked={broken.includes(each.name)} onChange={() => toggle(each.name)} />
                <span lang="en">{each.text}</span>
              </label>
            ))}
          </fieldset>
        </details>
      )}
      <p class="outcome" role="status">
        {run.error || (run.state ? t(`carry.state.${run.state}`) : outcome(found, t))}
      </p>
      <nav class="layers" aria-label={t("carry.layers")}>
        {layers.map((key) => {
          const worst = notes(key).reduce<Note["fate"]>((fate, note) => (note.fate === "died" || fate === "died" ? "died" : note.fate === "saved" ? "saved" : fate), "fine");
          return (
            <button key={key} class="ghost" aria-current={key === at ? "step" : undefined} onClick={() => setParams({ at: key })}>
              <span aria-hidden="true">{FATES[worst]}</span> {t(`carry.layer.${key}`)}
              {worst !== "fine" && <span class="unseen"> {t(`carry.fate.${worst}`)}</span>}
            </button>
          );
        })}
      </nav>
      <section aria-label={t(`carry.layer.${at}`)}>
        <p class="prose">{t(`carry.about.${at}`)}</p>
        {notes(at).map((note, n) => (
          <p key={n} class={`note ${note.fate}`}>
            <span aria-hidden="true">{FATES[note.fate]}</span> <span class="strong">{t(`carry.fate.${note.fate}`)}</span> <span lang="en">{note.text}</span>
            {note.added_s !== 0 && ` ${t("carry.added", { time: said(note.added_s) })}`}
          </p>
        ))}
        {here?.artifacts.map((one) => <Shown key={`${one.stage}.${one.name}`} one={one} t={t} />)}
        {!here?.artifacts.length && <p>{t("carry.nothing")}</p>}
      </section>
    </div>
  );
}

const said = (time_s: number) => `${(time_s * 1e3).toFixed(1)} ms`;

function outcome(found: Carried, t: Say): string {
  if (found.is_whole) return t("carry.whole", { prompt: found.prompt, read: found.read });
  const died = found.notes.find((note) => note.fate === "died");
  return died ? t("carry.died", { layer: t(`carry.layer.${died.layer}`), read: found.read || "–" }) : t("carry.changed", { prompt: found.prompt, read: found.read || "–" });
}

function Shown({ one, t }: { readonly one: Artifact; readonly t: Say }) {
  return (
    <article lang="en">
      <h2>{one.title}</h2>
      <p class="cap">{one.stage}</p>
      {one.kind === "bytes" && <Bytes one={one} t={t} />}
      {one.kind === "text" && <pre class="text">{one.text}</pre>}
      {one.kind === "table" && (
        <div class="scroll" tabIndex={0} role="region" aria-label={one.title}>
          <Table caption="" head={one.columns} rows={one.rows} />
        </div>
      )}
      {one.kind === "image" &&
        one.images.map((image, n) => (
          <figure key={n} class="scroll" tabIndex={0} role="region" aria-label={one.title}>
            <img src={`data:image/png;base64,${image.png}`} width={image.width} height={image.height} alt={one.title} />
            {one.parts.length > 0 && <figcaption class="cap">{one.parts.join(" · ")}</figcaption>}
          </figure>
        ))}
    </article>
  );
}
