/** What the journey says of a trip beside its picture: places to scale, the rows to save, the years of the parts. */
import { si } from "../../core/units";
import type { Span, Term, Trace } from "../../core/types";
import type { Say } from "../../shell/text";
import { partOf, PARTS, stays, type Part } from "./parts";

export function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

function numberOf(span: Span | undefined, key: string): number {
  const value = span?.attributes[key];
  return typeof value === "number" ? value : 0;
}

export type Note = readonly [anchor: string, name: string, text: string];

/** The way over the ground as a share of a full turn around the Earth, whose radius the glossary knows. */
export function aroundOf(trip: Trace, glossary: Readonly<Record<string, Term>>): number {
  const radius = glossary["earth_radius_m"];
  const length_m = numberOf(trip.spans.find((span) => span.name === "network.route"), "great_circle_m");
  const turn = radius && length_m > 0 ? length_m / radius.high : 0;
  return Math.max(turn / (2 * Math.PI), LEAST);
}

/** The shortest way that can still be seen on the globe. */
const LEAST = 0.0005;

/** What stands beside the ends and the middle of the way, to scale. */
export function notesOf(trip: Trace, say: Say): readonly Note[] {
  const route = trip.spans.find((span) => span.name === "network.route");
  const circle = numberOf(route, "great_circle_m");
  if (stays(trip) || circle === 0) return [["middle", say("journey.scale.none"), say("journey.scale.none.text")]];
  const cable = numberOf(route, "cable_m");
  const flight = trip.spans.find((span) => span.name === "optics.fiber")?.duration_s ?? 0;
  const [from = "here", to = "there"] = [trip.scenario.choices["network.place"], trip.scenario.choices["network.region"]].map((key) => (key ?? "").replace(/-/g, " "));
  return [
    ["from", place(from), say("journey.scale.from")],
    ["middle", say("journey.scale.line", { distance: si(circle, "m") }), say("journey.scale.line.text", { cable: si(cable, "m"), time: si(flight, "s") })],
    ["to", place(to), say("journey.scale.to")],
  ];
}

function place(key: string): string {
  return key.replace(/\b[a-z]/g, (c) => c.toUpperCase()).replace(/^Us /, "US ");
}

export function tableRows(trip: Trace): (string | number | null)[][] {
  return [
    ["id", "part", "title", "start_s", "duration_s", "low_s", "high_s", "energy_J", "carrier", "grade"],
    ...trip.spans.map((span) => [span.id, partOf(span) ?? "always on", span.title, span.start_s, span.duration_s, span.bands["duration_s"]?.low ?? null,
      span.bands["duration_s"]?.high ?? null, span.energy_J, span.carrier, span.grade]),
  ];
}

export function yearsOf(trip: Trace): Record<Part, number> {
  const found = {} as Record<Part, number>;
  for (const part of PARTS) {
    const years = trip.spans.filter((span) => partOf(span) === part && span.since).map((span) => span.since!.year).sort((a, b) => a - b);
    found[part] = years[Math.floor(years.length / 2)] ?? 1990;
  }
  return found;
}
