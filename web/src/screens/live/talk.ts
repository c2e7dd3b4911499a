/**
 * One question to the model, measured: the key press by its own time stamp, the request, every read, every change of the
 * page, every picture. Nothing is worked out here; the marks go to the server, which joins its own to them.
 */
import type { Message, Press, Raw } from "./types";

/** Of an answer; a small context leaves less. */
const MOST_TOKENS = 160;
const OF_CONTEXT = 0.25;
const OTHERS = 3;
const PROBES = 8;
const PAINT_PATIENCE_MS = 400;
const ENTRY_PATIENCE_MS = 250;
const ENDPOINT = "./v1/chat/completions";

/** What the server says when it does not answer. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

const hex = (bytes: number): string => [...crypto.getRandomValues(new Uint8Array(bytes))].map((b) => b.toString(16).padStart(2, "0")).join("");
const now = (): number => performance.now();
const pause = (ms: number): Promise<void> => new Promise((done) => window.setTimeout(done, ms));
const url = (path: string): string => new URL(path, location.href.replace(/#.*$/, "")).href;

/** The browser's own marks of a request that was sent after a moment; it writes them down a little after the end. */
async function entryOf(path: string, after_ms: number, patience = ENTRY_PATIENCE_MS): Promise<PerformanceResourceTiming | null> {
  const end = now() + patience;
  for (;;) {
    const found = performance.getEntriesByName(url(path), "resource").filter((each) => each.startTime >= after_ms - 1);
    const last = found[found.length - 1];
    if (last) return last as PerformanceResourceTiming;
    if (now() > end) return null;
    await pause(10);
  }
}

const MARKS = ["fetchStart", "domainLookupStart", "domainLookupEnd", "connectStart", "connectEnd", "requestStart", "responseStart", "responseEnd"] as const;
const marks = (entry: PerformanceResourceTiming | null): Record<string, number> =>
  entry ? Object.fromEntries(MARKS.map((name) => [name, entry[name]])) : {};

export async function refusal(answer: Response): Promise<Refusal> {
  const body = (await answer.json().catch(() => null)) as { error?: { message?: string; code?: string } } | null;
  return new Refusal(body?.error?.message ?? `${answer.status} ${answer.statusText}`, body?.error?.code ?? String(answer.status));
}

/** Round trips to the server's clock. */
async function probe(): Promise<Raw["clock"]> {
  const found: Raw["clock"] = [];
  for (let i = 0; i < PROBES; i++) {
    const sent = now();
    const answer = await fetch("./clock", { cache: "no-store" });
    const back = now();
    if (!answer.ok) break;
    const shown = (await answer.json()) as { received_ns: number; answered_ns: number };
    const entry = await entryOf("./clock", sent, 40);
    // The browser's own marks lie nearer to the wire than the page's.
    const inner = entry && entry.requestStart >= sent && entry.responseStart > 0 && entry.responseStart <= back;
    found.push([inner ? entry.requestStart : sent, shown.received_ns, shown.answered_ns, inner ? entry.responseStart : back]);
  }
  return found;
}

interface Chunk {
  choices?: { delta?: { content?: string }; finish_reason?: string | null; logprobs?: { content?: Entry[] } | null }[];
  usage?: unknown;
  spans?: unknown[];
  error?: { message?: string; code?: string };
}
interface Entry {
  token: string;
  logprob: number;
  top_logprobs?: { token: string; logprob: number }[];
}

/** Takes whole events out of the bytes, each with the number of bytes up to its end. */
class Events {
  private kept = new Uint8Array(0);
  private done = 0;
  private readonly text = new TextDecoder();

  *feed(data: Uint8Array): Generator<{ data: string; end: number }> {
    const all = new Uint8Array(this.kept.length + data.length);
    all.set(this.kept);
    all.set(data, this.kept.length);
    let from = 0;
    for (let i = 1; i < all.length; i++) {
      if (all[i] !== 10 || all[i - 1] !== 10) continue;
      const line = this.text.decode(all.subarray(from, i - 1));
      this.done += i + 1 - from;
      from = i + 1;
      if (line.startsWith("data: ")) yield { data: line.slice(6), end: this.done };
    }
    this.kept = all.slice(from);
  }
}

/** Calls as the first task after the present one, before whatever else waits. */
const soon = (call: () => void): void => {
  if ("scheduler" in window && "postTask" in window.scheduler) {
    void window.scheduler.postTask(call, { priority: "user-blocking" });
    return;
  }
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    call();
  };
  port2.postMessage(0);
};

/** Notes when pictures were drawn: the frame's own call, and the first task after it. */
class Frames {
  readonly seen: Raw["frames"] = [];
  private asked = false;
  private waiting: (() => void)[] = [];

  constructor(private readonly commits: Raw["commits"]) {}

  ask(): void {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      const start = now();
      const last = this.commits.length - 1;
      this.asked = false;
      soon(() => {
        this.seen.push([start, now(), last]);
        for (const done of this.waiting.splice(0)) done();
      });
    });
  }

  /** Wait until the last change is on the screen; a page that is not looked at is never painted. */
  async settle(): Promise<void> {
    const end = now() + PAINT_PATIENCE_MS;
    while ((this.seen[this.seen.length - 1]?.[2] ?? -1) < this.commits.length - 1 && now() < end)
      await Promise.race([new Promise<void>((done) => this.waiting.push(done)), pause(50)]);
  }
}

export interface Asked {
  readonly raw: Raw;
  readonly stopped: boolean;
}

export interface Asking {
  readonly name: string;
  readonly context_token: number;
}

/** Ask; `into` is called with each piece of text and puts it into the page at once. */
export async function ask(model: Asking, messages: readonly Message[], press: Press, into: (text: string) => void, signal: AbortSignal): Promise<Asked> {
  const raw: Raw = {
    ...press, schema: "roundtrip.live/1", trace_id: hex(16), span_id: hex(8), unix_ms: performance.timeOrigin + press.key_ms,
    prompt: messages[messages.length - 1]?.content ?? "", answer: "", call_ms: 0, resource: {}, reads: [], commits: [], frames: [], clock: [],
    tokens: [], spans: [], usage: null, finish: "", browser: navigator.userAgent,
  };
  const frames = new Frames(raw.commits);
  raw.frames = frames.seen;
  performance.clearResourceTimings();
  const body = JSON.stringify({
    model: model.name, messages, stream: true, stream_options: { include_usage: true }, temperature: 0,
    max_tokens: Math.min(MOST_TOKENS, Math.floor(model.context_token * OF_CONTEXT)),
    spans: true, logprobs: true, top_logprobs: OTHERS,
  });
  const headers = { "content-type": "application/json", traceparent: `00-${raw.trace_id}-${raw.span_id}-01` };
  raw.call_ms = now();
  let stopped = false;
  try {
    const answer = await fetch(ENDPOINT, { method: "POST", body, headers, signal, cache: "no-store" });
    if (!answer.ok || !answer.body) throw await refusal(answer);
    const reader = answer.body.getReader();
    const events = new Events();
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      const read = raw.reads.push([now(), size]) - 1;
      let text = "";
      for (const event of events.feed(value)) text += take(raw, event);
      if (text === "") continue;
      const start = now();
      into(text);
      raw.commits.push([start, now(), read]);
      raw.answer += text;
      frames.ask();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    stopped = true;
    raw.finish = "stopped";
  }
  await frames.settle();
  raw.resource = marks(await entryOf(ENDPOINT, raw.call_ms));
  raw.clock = await probe();
  return { raw, stopped };
}

function take(raw: Raw, event: { data: string; end: number }): string {
  if (event.data === "[DONE]") return "";
  const chunk = JSON.parse(event.data) as Chunk;
  if (chunk.error) throw new Refusal(chunk.error.message ?? "", chunk.error.code ?? "");
  if (chunk.usage) raw.usage = chunk.usage;
  if (chunk.spans) raw.spans = chunk.spans;
  const choice = chunk.choices?.[0];
  if (choice?.finish_reason) raw.finish = choice.finish_reason;
  for (const each of choice?.logprobs?.content ?? [])
    raw.tokens.push([each.token, each.logprob, (each.top_logprobs ?? []).map((other) => [other.token, other.logprob]), event.end]);
  return choice?.delta?.content ?? "";
}
