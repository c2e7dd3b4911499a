/** What the screen asks for: which model is here, a measured answer joined, a file of it; and the recorded one. */
import { load } from "../../core/data";
import { save } from "../../shell/share";
import { refusal } from "./talk";
import type { Raw, Trip } from "./types";

export interface Ready {
  model: string;
  parameters: number;
  license: string;
  context_token: number;
  chat: boolean;
  processor: string;
  calibrated: string;
}

/** The model of the local server; the first question loads it. */
export async function loadModel(): Promise<Ready> {
  const answer = await fetch("./live/model", { cache: "no-store" });
  if (!answer.ok) throw await refusal(answer);
  const told = (await answer.json()) as Ready | { missing: string };
  if ("missing" in told) throw new Error(told.missing);
  return told;
}

const post = async (path: string, raw: Raw): Promise<Response> => {
  const answer = await fetch(path, { method: "POST", body: JSON.stringify(raw), headers: { "content-type": "application/json" } });
  if (!answer.ok) throw await refusal(answer);
  return answer;
};

/** The page's marks and the server's as one tree. */
export const joined = async (raw: Raw): Promise<Trip> => (await (await post("./live/trip", raw)).json()) as Trip;

export const FORMS = { json: "roundtrip.json", chrome: "chrome.json", otlp: "otlp.jsonl" } as const;
export type Form = keyof typeof FORMS;

/** A trip as a file; Python writes all three. */
export async function saveTrip(form: Form, raw: Raw | null, trip: Trip): Promise<void> {
  const name = `trip.${FORMS[form]}`;
  if (raw) save(name, await (await post(`./live/export/${form}`, raw)).blob());
  else if (form === "json") save(name, JSON.stringify(trip.trace, null, 2), "application/json");
  else save(name, JSON.stringify(await load(`live-${form}.json`)), "application/json");
}

/** The answer that was recorded for pages without a server. */
export const loadRecorded = (): Promise<Trip> => load("live.json");
