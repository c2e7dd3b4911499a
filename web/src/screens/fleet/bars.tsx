/** Requests one by one, from the shortest to the longest: each a bar of its parts. */
import { scaleLinear } from "d3-scale";
import { short } from "../../charts/numbers";
import { fresh, Hatch } from "../../charts/paint";
import { useWidth } from "../../charts/width";
import { paint } from "./look";

const hatch = fresh("fb");
const ROW = 15;

export function Bars({ requests, causes, title }: { readonly requests: readonly (readonly number[])[]; readonly causes: readonly string[]; readonly title: string }) {
  const [ref, width] = useWidth<HTMLDivElement>(400);
  const totals = requests.map((parts) => parts.reduce((sum, part) => sum + part, 0));
  const x = scaleLinear([0, Math.max(...totals, 1e-3)], [0, width - 62]);
  const height = requests.length * ROW + 2;
  return (
    <div ref={ref}>
      <svg class="chart bars" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={title}>
        <defs>
          <Hatch id={hatch} />
        </defs>
        {requests.map((parts, n) => {
          let from = 0;
          return (
            <g key={n}>
              {parts.map((part, c) => {
                const start = x(from);
                from += part;
                const wide = x(from) - start;
                return wide < 0.2 ? null : <rect key={causes[c]} x={start} y={n * ROW + 1.5} width={wide} height={ROW - 4} {...paint(causes[c] ?? "", hatch)} />;
              })}
              <text class="m s" x={x(from) + 7} y={n * ROW + ROW - 3}>
                {short(totals[n], "s")}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
