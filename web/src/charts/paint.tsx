/** How a carrier looks in a chart: one hue each, and hatching for waiting, so that the picture reads without hue. */
import type { Carrier } from "../core/types";

export const hue = (carrier: Carrier): string => `var(--${carrier.replace(" ", "-")})`;

let made = 0;
/** A fresh name for a pattern or a gradient in the page. */
export const fresh = (prefix: string): string => `${prefix}${(made += 1)}`;

export function Hatch({ id }: { readonly id: string }) {
  return (
    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width="6" height="6" fill="var(--waiting)" opacity="0.28" />
      <rect width="1.6" height="6" fill="var(--waiting)" />
    </pattern>
  );
}

/** Fill of a bar. */
export const fill = (carrier: Carrier, hatch: string): string => (carrier === "waiting" ? `url(#${hatch})` : hue(carrier));

/** The dot of a value: full, and hollow for waiting. */
export function Dot({ x, y, carrier, r = 4.2 }: { x: number; y: number; carrier: Carrier; r?: number }) {
  return carrier === "waiting" ? (
    <circle cx={x} cy={y} r={r} fill="var(--bg)" stroke={hue(carrier)} stroke-width="1.8" />
  ) : (
    <circle cx={x} cy={y} r={r} fill={hue(carrier)} />
  );
}

/** The line of a band: dotted for waiting. */
export function BandLine({ x1, x2, y, carrier }: { x1: number; x2: number; y: number; carrier: Carrier }) {
  return (
    <line
      x1={x1}
      x2={Math.max(x2, x1 + 0.1)}
      y1={y}
      y2={y}
      stroke={hue(carrier)}
      stroke-opacity={carrier === "waiting" ? 0.7 : 0.42}
      stroke-width="3"
      stroke-linecap="round"
      stroke-dasharray={carrier === "waiting" ? "0.1 5.2" : undefined}
    />
  );
}

/** Names of the carriers, with the mark that they wear. */
export function Legend({ items }: { readonly items: readonly { carrier: Carrier; name: string }[] }) {
  return (
    <div class="legend">
      {items.map(({ carrier, name }) => (
        <span key={carrier}>
          <svg width="10" height="10" aria-hidden="true">
            <Dot x={5} y={5} carrier={carrier} r={carrier === "waiting" ? 3.6 : 4.2} />
          </svg>
          {name}
        </span>
      ))}
    </div>
  );
}
