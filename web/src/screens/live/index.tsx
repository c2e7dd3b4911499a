/**
 * Live trace: talk to the small model on this computer, and see each answer's real trip from the key press to the paint.
 * Without a server, or without a model, a recorded answer is replayed on the same screen.
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isLive } from "../../core/server";
import { said } from "../../core/said";
import { announce } from "../../shell/live";
import type { ScreenProps } from "../../shell/state";
import { useText } from "../../shell/text";
import { Composer, Talk, Trust, type Turn } from "./chat";
import { joined, loadModel, loadRecorded, type Ready } from "./load";
import { moment } from "./replay";
import { ask, Refusal } from "./talk";
import { TripView } from "./trip";
import type { Message, Press, Trip } from "./types";
import "./live.css";

type Model = { readonly state: "waking" | "ready" | "static" | "without"; readonly ready?: Ready; readonly problem?: string };

const worded = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export default function Live({ state }: ScreenProps) {
  const t = useText();
  const { level } = state;
  const [model, setModel] = useState<Model>({ state: isLive() ? "waking" : "static" });
  const [recorded, setRecorded] = useState<Trip | null>(null);
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [running, run] = useState<{ key: number; question: string } | null>(null);
  const [phase, setPhase] = useState<"" | "asking" | "joining">("");
  const [shown, show] = useState(0);
  const at = useMemo(moment, []);
  const into = useRef<Text | null>(null);
  const stop = useRef<AbortController | null>(null);
  const count = useRef(0);
  const talk = useRef<readonly Turn[]>(turns);
  talk.current = turns;

  useEffect(() => {
    let here = true;
    loadRecorded().then((trip) => here && setRecorded(trip), () => undefined);
    if (isLive())
      loadModel().then(
        (ready) => here && setModel({ state: ready.chat ? "ready" : "without", ready }),
        (error: unknown) => here && setModel({ state: "without", problem: worded(error) }),
      );
    return () => {
      here = false;
      stop.current?.abort();
    };
  }, []);

  // Esc stops an answer.
  useEffect(() => {
    if (!running) return;
    const escape = (event: KeyboardEvent) => event.key === "Escape" && stop.current?.abort();
    document.addEventListener("keydown", escape);
    return () => document.removeEventListener("keydown", escape);
  }, [running]);

  const onAsk = (text: string, press: Press) => {
    const key = (count.current += 1);
    const before = talk.current.filter((turn) => turn.answer !== "");
    const messages: Message[] = [...before.flatMap((turn): Message[] => [{ role: "user", content: turn.question }, { role: "assistant", content: turn.answer }]), { role: "user", content: text }];
    const control = new AbortController();
    stop.current = control;
    let early = "";
    // The request goes out first: drawing the question must not stand between the key and the server.
    const asked = ask(
      { name: model.ready?.model ?? "", context_token: model.ready?.context_token ?? 0 }, messages, press,
      (piece) => {
        if (into.current) into.current.appendData(early + piece);
        early = into.current ? "" : early + piece;
      },
      control.signal,
    );
    run({ key, question: text });
    setPhase("asking");
    at.value = null;
    const finish = (turn: Partial<Turn>) => {
      setTurns([...talk.current, { key, question: text, answer: "", trip: null, raw: null, problem: "", ...turn }]);
      run(null);
      setPhase("");
      stop.current = null;
      show(key);
    };
    asked.then(
      async ({ raw }) => {
        setPhase("joining");
        try {
          const trip = await joined(raw);
          finish({ answer: raw.answer, trip, raw });
          announce(`${raw.answer} ${t("live.done", { whole: said(t, trip.measured_s, "s", level), first: said(t, trip.line.first_s ?? trip.measured_s, "s", level) })}`);
        } catch (error) {
          finish({ answer: raw.answer, problem: worded(error) });
        }
      },
      (error: unknown) => {
        const problem = worded(error);
        finish({ problem });
        if (error instanceof Refusal && error.code.startsWith("model_")) setModel({ state: "without", problem });
        announce(problem);
      },
    );
  };

  const turn = turns.find((each) => each.key === shown) ?? turns[turns.length - 1];
  const own = turn?.trip ? turn : undefined;
  const kept: Turn | undefined = recorded ? { key: 0, question: recorded.trace.prompt, answer: recorded.trace.answer ?? "", trip: recorded, raw: null, problem: "" } : undefined;
  // Until there is an answer of one's own the recorded one shows what will be seen.
  const showing = own ?? (turns.length === 0 && !running ? kept : undefined);
  const here = model.state === "ready" || model.state === "waking";
  const info = recorded?.recorded;
  return (
    <div class="wrap live">
      <div class="title">
        <h1>{t("live.title")}</h1>
        <p class="small">{t("live.lead")}</p>
      </div>
      <div class="grid">
        <div class="chat">
          <Talk
            turns={turns.length > 0 || running ? turns : kept ? [kept] : []} running={running} into={into} shown={showing?.key ?? -1} onShow={show} at={at} level={level} t={t}
          />
          <p class="small status noprint" role="status">
            {model.state === "waking" ? t("live.waking") : phase ? t(`live.${phase}`) : ""}
          </p>
          {here && (
            <Composer
              busy={running !== null} ready={model.state === "ready"} onAsk={onAsk} onStop={() => stop.current?.abort()}
              onNew={turns.length > 0 && !running ? () => { setTurns([]); show(0); at.value = null; } : null} t={t}
            />
          )}
          {model.problem && <p class="small problem">{model.problem}</p>}
          {!here && <p class="small">{t(model.state === "static" ? "live.static" : "live.off")}</p>}
          {showing === kept && info && (
            <p class="small">
              {t("live.recorded", { date: info.date.slice(0, 10), processor: info.processor, cores: info.cores, system: info.system, browser: info.browser })}
            </p>
          )}
          {(model.ready ?? showing?.trip?.model) && <Trust model={(model.ready ?? showing?.trip?.model)!} t={t} />}
          {here && <p class="small">{t("live.private")}</p>}
        </div>
        <div class="view" aria-busy={phase === "joining"}>
          {showing?.trip && <TripView trip={showing.trip} raw={showing.raw} state={state} at={at} />}
          {!showing?.trip && <p class="small empty">{phase ? t(`live.${phase}`) : model.state === "waking" ? t("live.waking") : ""}</p>}
        </div>
      </div>
    </div>
  );
}
