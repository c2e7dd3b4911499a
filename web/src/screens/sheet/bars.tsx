/** The wait as a bar whose parts differ by pattern and not by hue: black, hatched, gray, ticks. It prints on any printer. */

export interface Part {
  readonly key: string;
  readonly name: string;
  /** Of the whole, 0 to 1. */
  readonly share: number;
}

const WIDTH = 1000;
const HEIGHT = 46;
const EMPTY = 84;
const LEAST_LABEL = 60;
const STEP: Readonly<Record<string, number>> = { queue: 7, decode: 5 };

export function EmptyBar({ title }: { readonly title: string }) {
  return (
    <svg viewBox={`-1 -1 ${WIDTH + 2} ${EMPTY + 10}`} role="img" aria-label={title} class="qs-drawn">
      <rect width={WIDTH} height={EMPTY} />
      {Array.from({ length: 9 }, (_, i) => (
        <path key={i} d={`M${((i + 1) * WIDTH) / 10} ${EMPTY}v8`} stroke-width="1" />
      ))}
    </svg>
  );
}

export function WaitBar({ parts, title }: { readonly parts: readonly Part[]; readonly title: string }) {
  let at = 0;
  return (
    <svg viewBox={`-1 -1 ${WIDTH + 2} ${HEIGHT + 30}`} role="img" aria-label={title} class="qs-drawn">
      {parts.map((part) => {
        const x = at;
        const wide = WIDTH * part.share;
        at += wide;
        return (
          <g key={part.key}>
            <rect x={x} width={wide} height={HEIGHT} class={`qs-fill-${part.key}`} />
            <path d={marks(part.key, x, wide)} stroke-width="0.7" />
            {wide > LEAST_LABEL && (
              <text x={x + 4} y={HEIGHT + 22} class="qs-name">
                {part.name}
              </text>
            )}
          </g>
        );
      })}
      <rect width={WIDTH} height={HEIGHT} />
    </svg>
  );
}

function marks(key: string, from: number, wide: number): string {
  const step = STEP[key];
  if (step === undefined) return "";
  const lean = key === "queue" ? HEIGHT / 2 : 0;
  const made: string[] = [];
  for (let x = from + step; x < from + wide - 0.5; x += step) {
    const top = Math.min(x + lean, from + wide);
    const low = lean ? HEIGHT - (top - x) * 2 : 0;
    made.push(`M${x.toFixed(1)} ${HEIGHT}L${top.toFixed(1)} ${low.toFixed(1)}`);
  }
  return made.join("");
}
