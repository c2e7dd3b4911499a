/** The talk: questions, answers as they come, what each took, and where the next question is written. */
import type { Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { digits } from "../../core/units";
import { said } from "../../core/said";
import { short } from "../../charts/numbers";
import type { Level } from "../../core/strings";
import type { Say } from "../../shell/text";
import { textAt } from "./replay";
import type { Press, Raw, Trip } from "./types";

export interface Turn {
  readonly key: number;
  readonly question: string;
  readonly answer: string;
  readonly trip: Trip | null;
  readonly raw: Raw | null;
  readonly problem: string;
}

/** A text that grows by itself: pieces are put in by whoever reads the stream, at the moment they come. */
export function Growing({ text, into }: { readonly text: string; readonly into: RefObject<Text | null> }) {
  const place = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => {
    const node = document.createTextNode(text);
    place.current?.replaceChildren(node);
    into.current = node;
    return () => {
      into.current = null;
    };
  }, []);
  return <p class="said" ref={place} />;
}

function Replayed({ turn, at }: { readonly turn: Turn; readonly at: Signal<number | null> }) {
  const now = at.value;
  const whole = turn.trip === null || now === null || now >= turn.trip.measured_s;
  return <p class="said">{whole ? turn.answer : textAt(turn.trip!, now)}</p>;
}

export interface TalkProps {
  readonly turns: readonly Turn[];
  readonly running: { readonly key: number; readonly question: string } | null;
  readonly into: RefObject<Text | null>;
  readonly shown: number;
  readonly onShow: (key: number) => void;
  readonly at: Signal<number | null>;
  readonly level: Level;
  readonly t: Say;
}

export function Talk({ turns, running, into, shown, onShow, at, level, t }: TalkProps) {
  const end = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = end.current?.parentElement;
    if (box) box.scrollTop = box.scrollHeight;
  }, [turns.length, running?.key]);
  const time = (value: number) => said(t, value, "s", level);
  return (
    <div class="talk" tabIndex={turns.length || running ? 0 : undefined} role="region" aria-label={t("nav.live")}>
      {turns.map((turn) => (
        <div class="turn" key={turn.key}>
          <p class="asked">
            <span class="cap">{t("live.you")}</span> {turn.question}
          </p>
          <span class="cap">{t("live.it")}</span>
          {turn.key === shown ? <Replayed turn={turn} at={at} /> : <p class="said">{turn.answer}</p>}
          {turn.problem && (
            <p class="small" role="alert">
              {turn.problem}
            </p>
          )}
          {turn.trip && (
            <p class="small line">
              {turn.trip.line.first_s !== null && turn.trip.line.rate_token_s !== null
                ? t("live.figures", {
                    first: time(turn.trip.line.first_s), rate: digits(turn.trip.line.rate_token_s, 2), out: turn.trip.line.output_tokens ?? "–",
                    prompt: turn.trip.line.prompt_tokens ?? "–", cached: turn.trip.line.cached_tokens,
                  })
                : t("live.figures.plain", { whole: time(turn.trip.measured_s) })}{" "}
              {turn.trip.finish === "length" && t("live.cut")}
              {turn.trip.finish === "stopped" && t("live.stopped")}
              {turns.length > 1 && (
                <button class="ghost" aria-pressed={turn.key === shown} onClick={() => onShow(turn.key)}>
                  {t("live.show")}
                </button>
              )}
            </p>
          )}
        </div>
      ))}
      {running && (
        <div class="turn" key={running.key}>
          <p class="asked">
            <span class="cap">{t("live.you")}</span> {running.question}
          </p>
          <span class="cap">{t("live.it")}</span>
          <Growing text="" into={into} />
        </div>
      )}
      <div ref={end} />
    </div>
  );
}

export interface ComposerProps {
  readonly busy: boolean;
  readonly ready: boolean;
  readonly onAsk: (text: string, press: Press) => void;
  readonly onStop: () => void;
  readonly onNew: (() => void) | null;
  readonly t: Say;
}

const LONGEST = 4000;

export function Composer({ busy, ready, onAsk, onStop, onNew, t }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const send = (event: Event, handle_ms: number, by: Press["by"]) => {
    const text = field.current?.value.trim() ?? "";
    if (text === "" || busy || !ready || !field.current) return;
    field.current.value = "";
    onAsk(text, { key_ms: event.timeStamp, handle_ms, by });
  };
  return (
    <form
      class="composer noprint"
      onSubmit={(event) => event.preventDefault()}
    >
      <label class="label" for="ask">
        {t("live.ask.label")}
      </label>
      <textarea
        id="ask" ref={field} rows={2} maxLength={LONGEST} placeholder={t("live.ask.hint")} autocomplete="off"
        onKeyDown={(event) => {
          const handle_ms = performance.now();
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send(event, handle_ms, "key");
        }}
      />
      <div class="do">
        {busy ? (
          <button type="button" class="ghost go" onClick={onStop}>
            {t("live.stop")} <kbd class="after">{t("key.name.escape")}</kbd>
          </button>
        ) : (
          <button
            type="button" class="ghost go" aria-disabled={!ready}
            onClick={(event) => {
              const handle_ms = performance.now();
              // A click by the keyboard is a key press, too.
              send(event, handle_ms, event.detail === 0 ? "key" : "pointer");
            }}
          >
            {t("live.send")} <kbd class="after">⏎</kbd>
          </button>
        )}
        {onNew && (
          <button type="button" class="ghost" onClick={onNew}>
            {t("live.new")}
          </button>
        )}
      </div>
    </form>
  );
}

/** Who wrote it, and how far to believe it. */
export function Trust({ model, t }: { readonly model: { name?: string; model?: string; parameters: number; license: string }; readonly t: Say }) {
  const size = `${Math.round(model.parameters / 1e6)}\u00a0${t("number.million")}`;
  return <p class="small trust">{t("live.trust", { model: model.name ?? model.model ?? "", size, license: model.license })}</p>;
}

export const lineOf = (trip: Trip): string => short(trip.measured_s, "s");
