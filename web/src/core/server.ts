// Asks the local server for trips of the reader's own. A static site has none: `isLive()` says so.

import type { Account, Trace } from "./types";

export interface Question {
  op: "trip" | "compare" | "energy";
  scenario?: string;
  set?: Record<string, string | number>;
  samples?: number;
  [more: string]: unknown;
}

type Answer = { id: number } & Record<string, unknown>;

interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (reason: Error) => void;
}

/** Thrown for a question that a newer one of its kind has overtaken. */
export class Overtaken extends Error {}

let socket: Promise<WebSocket> | null = null;
let count = 0;
const waiting = new Map<number, Waiting>();
/** Who hears many answers to one question. */
const streams = new Map<number, { hear: (body: Record<string, unknown>) => void; fail: (reason: Error) => void }>();

/** Says whether the page comes from `roundtrip lab`. */
export const isLive = (): boolean => document.querySelector('meta[name="roundtrip-live"]') !== null;

function connect(): Promise<WebSocket> {
  socket ??= new Promise((resolve, reject) => {
    const made = new WebSocket(new URL("./ws", location.href).href.replace(/^http/, "ws").replace(/#.*$/, ""));
    made.onopen = () => resolve(made);
    made.onmessage = (event: MessageEvent<string>) => {
      const answer = JSON.parse(event.data) as Answer;
      const listener = streams.get(answer.id);
      if (listener && answer["error"]) listener.fail(new Error(String(answer["error"])));
      else listener?.hear(answer);
      const asker = waiting.get(answer.id);
      if (!asker) return;
      waiting.delete(answer.id);
      if (answer["dropped"]) asker.reject(new Overtaken("a newer question was asked"));
      else if (answer["error"]) asker.reject(new Error(String(answer["error"])));
      else asker.resolve(answer);
    };
    made.onclose = () => {
      socket = null;
      const gone = new Error("the server is gone; start it again with: roundtrip lab");
      reject(gone);
      for (const asker of waiting.values()) asker.reject(gone);
      waiting.clear();
      for (const listener of streams.values()) listener.fail(gone);
      streams.clear();
    };
  });
  return socket;
}

async function ask(question: Question): Promise<Answer> {
  if (!isLive()) throw new Error("this page has no server; start one with: roundtrip lab");
  const open = await connect();
  const id = ++count;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    open.send(JSON.stringify({ ...question, id }));
  });
}

/** A trip with choices and values of the reader's own. */
export const askTrip = async (scenario: string, set: Record<string, string | number> = {}, samples = 2500, prompt?: string): Promise<Trace> =>
  (await ask({ op: "trip", scenario, set, samples, ...(prompt === undefined ? {} : { prompt }) }))["trace"] as Trace;

/** An account inside a boundary, by the reader's own rules. */
export const askAccount = async (question: Omit<Question, "op">): Promise<Account> =>
  (await ask({ op: "energy", ...question }))["account"] as Account;

/** Ask a question with many answers. `seen` tells the server how far the page is, `stop` that nobody listens any more. */
export function stream(question: { op: string; [more: string]: unknown }, hear: (body: Record<string, unknown>) => void, fail: (reason: Error) => void) {
  const id = ++count;
  const say = (body: Record<string, unknown>) => void connect().then((open) => open.send(JSON.stringify({ op: question.op, ...body })), (reason: Error) => streams.delete(id) && fail(reason));
  streams.set(id, { hear, fail });
  say({ ...question, id });
  return {
    seen: (number: number) => say({ id, seen: number }),
    stop: () => void (streams.delete(id) && say({ stop: true })),
  };
}
