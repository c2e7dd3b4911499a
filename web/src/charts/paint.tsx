/** How a carrier looks in a chart: one hue each, and hatching for waiting, so that the picture reads without hue. */
import type { ComponentChildren } from "preact";
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

/** A bar of less strength: pale inside, its edge in the full color, so that it stands out from every ground. */
export function Pale({ x, y, width, height, paint, edge, strength, children }: { x: number; y: number; width: number; height: number; paint: string; edge: string; strength: number; children?: ComponentChildren }) {
  if (strength === 1 || width < 2) return <rect x={x} y={y} width={width} height={height} fill={width < 2 ? edge : paint}>{children}</rect>;
  return (
    <rect x={x + 0.5} y={y + 0.5} width={width - 1} height={height - 1} fill={paint} fill-opacity={strength} stroke={edge} stroke-width="1">
      {children}
    </rect>
  );
}

/** The line of a band: dotted for waiting; a thin core in the full color. */
export function BandLine({ x1, x2, y, carrier }: { x1: number; x2: number; y: number; carrier: Carrier }) {
  const end = Math.max(x2, x1 + 0.1);
  if (carrier === "waiting") return <line x1={x1} x2={end} y1={y} y2={y} stroke={hue(carrier)} stroke-width="3" stroke-linecap="round" stroke-dasharray="0.1 5.2" />;
  return (
    <g stroke={hue(carrier)} stroke-linecap="round">
      <line x1={x1} x2={end} y1={y} y2={y} stroke-opacity="0.42" stroke-width="3" />
      <line x1={x1} x2={end} y1={y} y2={y} stroke-width="1" />
    </g>
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
