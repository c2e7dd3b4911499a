/** Which part of the picture a span of the trip belongs to. */
import { has, t, type Values } from "../../core/strings";
import { said } from "../../core/said";
import type { Level } from "../../shell/state";
import type { Carrier, Span, Trace } from "../../core/types";

export type Part = "device" | "access" | "internet" | "balancer" | "server" | "cache" | "back" | "eye";
export const PARTS: readonly Part[] = ["device", "access", "internet", "balancer", "server", "cache", "back", "eye"];

const KEYS: Readonly<Record<Part, string>> = {
  device: "device", access: "tower", internet: "internet", balancer: "balancer", server: "server", cache: "cache", back: "tokens", eye: "eye",
};

/** What is said of the parts, for one trip and one reader: a trip that stays on the device has other things to say. */
export interface Teller {
  readonly name: (part: Part) => string;
  readonly does: (part: Part) => string;
  readonly more: (part: Part) => string;
}

export function tell(trip: Trace | null, level: Level): Teller {
  const values = trip ? valuesOf(trip, level) : {};
  const here = trip !== null && stays(trip);
  const key = (part: Part, what: string) => {
    const own = `part.${KEYS[part]}.here.${what}`;
    return here && has(own) ? own : `part.${KEYS[part]}.${what}`;
  };
  return {
    name: (part) => part === "eye" ? `${t("part.screen.name", level)}, ${lower(t("part.eye.name", level))}` : t(key(part, "name"), level),
    does: (part) => t(key(part, "does"), level, values),
    more: (part) => {
      const more = t(key(part, "more"), level, values);
      return part === "eye" ? `${t("part.screen.more", level, values)} ${more}` : more;
    },
  };
}

/** Whether nothing of a trip leaves the device. */
export function stays(trip: Trace): boolean {
  return trip.scenario.choices?.["model.where"] === "device";
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

export function partOf(span: Span): Part | null {
  const { id, name } = span;
  if (id.startsWith("on.")) return null;
  if (/^(display|eye)\./.test(name) || id === "stream.display") return "eye";
  if (id.startsWith("back.") || id.startsWith("stream.")) return "back";
  if (/kv_cache|attention/.test(id)) return "cache";
  if (name.startsWith("model.") || name === "datacenter.power") return "server";
  if (name.startsWith("datacenter.")) return "balancer";
  if (/^network\.(access|copper|wifi|radio|satellite)/.test(name)) return "access";
  if (name.startsWith("optics.") || /^network\.(route|loss|fiber|flight|distance)/.test(name)) return "internet";
  if (name.startsWith("network.") && !/\.(http|tls|tcp|ip|ethernet|kernel|dma|serdes)$/.test(name)) return "internet";
  return "device";
}

/** The color of a carrier, as the style sheet names it. Body and muscle have no hue here: the five carriers of the signal have. */
export function ink(carrier: Carrier): string {
  return carrier === "motion" || carrier === "chemistry" ? "var(--mut)" : `var(--${carrier.replace(" ", "-")})`;
}

export const SHOWN: readonly Carrier[] = ["moving charge", "photons", "stored charge", "waiting", "heat"];

export interface Lane {
  readonly part: Part;
  readonly spans: readonly Span[];
}

export function lanes(spans: readonly Span[]): Lane[] {
  return PARTS.map((part) => ({ part, spans: spans.filter((span) => partOf(span) === part) }));
}

/** The decade in which something came into use; "earlier" before the telegraph. */
export function decade(year: number): number {
  return Math.floor(year / 10) * 10;
}

/** A scale of age without hue: the older, the fainter. From 0 (1870 and before) to 1 (this decade). */
export function youth(year: number): number {
  return Math.min(Math.max((year - 1870) / (2025 - 1870), 0), 1);
}

/** What the texts say of this trip: without it they would tell of the usual one. */
export function valuesOf(trip: Trace, level: Level): Values {
  const say = (value: number, unit: string) => said((key, values = {}) => t(key, level, values), value, unit, level);
  const found: Record<string, string> = {};
  if (trip.scenario.name === "cloud") return found;
  const lasts = (name: string, id: string) => {
    const span = trip.spans.find((each) => each.id === id);
    if (span) found[name] = say(span.duration_s, "s");
  };
  lasts("press_time", "keyboard.press");
  lasts("access_time", "network.access");
  lasts("fiber_time", "optics.fiber");
  lasts("queue_time", "datacenter.queue");
  lasts("read_time_cloud", "model.prefill");
  lasts("eye_time", "eye.cortex");
  const cable = trip.spans.find((each) => each.name === "network.route")?.attributes["cable_m"];
  if (typeof cable === "number") found["cable_length"] = say(cable, "m");
  const token = trip.summary["time_per_output_token_s"];
  if (typeof token === "number") found["token_time"] = found["token_interval"] = say(token, "s");
  return found;
}
