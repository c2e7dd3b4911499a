/**
 * The whole way as a flat drawing: the same parts in the same places as in 3D. It is the first picture while 3D loads,
 * and the only one without WebGL, without motion, in print.
 */
import type { Note } from "./about";
import { PARTS, type Part, type Teller } from "./parts";

const W = 1200;
const H = 372;
const RADIUS = 1700;
const TOP = 232;
/** Height of the ground at a place. */
const ground = (x: number) => TOP + RADIUS - Math.sqrt(RADIUS * RADIUS - (x - W / 2) ** 2);
const lean = (x: number) => (Math.asin((x - W / 2) / RADIUS) * 180) / Math.PI;
const along = (from: number, to: number, depth: number, step = 20) => {
  const points: string[] = [];
  for (let x = from; from < to ? x <= to : x >= to; x += from < to ? step : -step) points.push(`${x} ${(ground(x) + depth).toFixed(1)}`);
  return points;
};

const PLACES: Readonly<Record<Part, { readonly x: number; readonly top: number; readonly flag: number; readonly side: "left" | "right"; readonly below?: true }>> = {
  eye: { x: 64, top: 274, flag: 166, side: "right" },
  device: { x: 206, top: 203, flag: 84, side: "left" },
  access: { x: 330, top: 152, flag: 40, side: "right" },
  internet: { x: 560, top: 238, flag: 142, side: "right" },
  balancer: { x: 815, top: 204, flag: 86, side: "left" },
  server: { x: 930, top: 178, flag: 40, side: "left" },
  cache: { x: 1066, top: 186, flag: 92, side: "right" },
  back: { x: 520, top: 290, flag: 322, side: "right", below: true },
};
/** How many letters of what a part does stand in a line, where there is little room. */
const LINE: Partial<Readonly<Record<Part, number>>> = { eye: 20, device: 26, cache: 24 };
const LONGEST = 40;

/** A text in lines of so many letters at most. */
function wrapped(text: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Where some of them stand when nothing leaves the device. */
const HERE: Partial<Readonly<Record<Part, { readonly x: number; readonly top: number; readonly flag: number }>>> = {
  balancer: { x: 841, top: 234, flag: 96 }, back: { x: 200, top: 268, flag: 352 },
};
const NO: Readonly<Record<Part, number>> = Object.fromEntries(PARTS.map((part, i) => [part, i + 1])) as Record<Part, number>;

export interface MapProps {
  readonly told: Teller;
  readonly part: Part | null;
  readonly choose: (part: Part | null) => void;
  readonly labels: "all" | "focus" | "none";
  readonly device: "phone" | "laptop";
  readonly leaves: boolean;
  readonly compact: boolean;
  readonly title: string;
  readonly view: 1 | 2 | 3 | 4;
  /** Share of the way round the Earth, and what is said about it, for the view to scale. */
  readonly around: number;
  readonly notes: readonly Note[];
  /** One part from near, to look at only: on a phone it stands under the whole way, whose buttons are the parts. */
  readonly near?: Part;
}

/** To scale: a piece of the Earth's circle and on it the way with its true angle. */
function Earth({ around, notes, title }: Pick<MapProps, "around" | "notes" | "title">) {
  const r = 900;
  const half = Math.PI * around;
  const at = (a: number, out = 0): readonly [number, number] => [600 + (r + out) * Math.sin(a), 1090 - (r + out) * Math.cos(a)];
  const arc = (a: number, b: number, out = 0) => `M${at(a, out).join(" ")}A${r + out} ${r + out} 0 0 1 ${at(b, out).join(" ")}`;
  const ends = [["from", -half], ["middle", 0], ["to", half]] as const;
  return (
    <svg class="j-map" data-clip="earth" viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`${title} ${notes.map((note) => note.slice(1).join(". ")).join(" ")}`} preserveAspectRatio="xMidYMid meet">
      <path d={`${arc(-0.75, 0.75)}L600 1090Z`} class="j-clay2" />
      {[-0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6].map((a) => <path key={a} d={`M${at(a).join(" ")}L${at(a, -130).join(" ")}`} class="j-soil" />)}
      {notes.length > 1 && <path d={arc(-half, half, 3)} class="j-fiber" />}
      {ends.map(([key, a], i) => {
        const note = notes.find((each) => each[0] === key);
        if (!note) return null;
        const [x, y] = at(a, 3);
        const top = i === 1 ? 96 : 132;
        const text = i === 0 ? "end" : "start";
        return (
          <g key={key} class="j-flag">
            <line x1={x} x2={x} y1={top - 10} y2={y} /><circle cx={x} cy={y} r="3" />
            <text x={x + (text === "end" ? -6 : 6)} y={top} text-anchor={text} class="j-flag-name">{note[1]}</text>
            <text x={x + (text === "end" ? -6 : 6)} y={top + 17} text-anchor={text} class="j-flag-does">{note[2]}</text>
          </g>
        );
      })}
    </svg>
  );
}

const WINDOWS = { 1: `0 0 ${W} ${H}`, 2: "300 96 560 250", 3: "750 26 440 292" } as const;

/** A piece of the picture around a part. */
function nearby(part: Part, leaves: boolean): string {
  const { x } = leaves ? PLACES[part] : { ...PLACES[part], ...HERE[part] };
  const middle = Math.min(Math.max(x, 190), W - 210);
  return `${middle - 190} ${(ground(middle) - 160).toFixed(1)} 380 236`;
}

export function Map2d({ told, part, choose, labels, device, leaves, compact, title, view: chosen, around, notes, near }: MapProps) {
  if (chosen === 4) return <Earth around={around} notes={notes} title={title} />;
  const seen = (each: Part) => (part && each !== part ? 0.42 : 1);
  const at = (x: number) => `translate(${x} ${ground(x).toFixed(1)}) rotate(${lean(x).toFixed(2)})`;
  const press = (each: Part) => near ? {} : ({
    role: "button" as const,
    tabindex: 0,
    "aria-pressed": part === each,
    "aria-label": `${NO[each]} ${told.name(each)}. ${told.does(each)}`,
    onClick: () => choose(part === each ? null : each),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      choose(part === each ? null : each);
    },
  });
  const view = near ? nearby(near, leaves) : compact && chosen === 1 ? "30 120 1140 250" : WINDOWS[chosen];
  // a part of the picture has the flags that stand in it
  const [x0, y0, wide, high] = view.split(" ").map(Number) as [number, number, number, number];
  const within = (each: Part) => chosen === 1 || (PLACES[each].x > x0 + 8 && PLACES[each].x < x0 + wide - 8 && PLACES[each].flag > y0 + 8 && PLACES[each].flag < y0 + high - 8);
  return (
    <svg class="j-map" data-clip={near || chosen !== 1 ? "" : undefined} viewBox={view} {...(near ? { "aria-hidden": "true" as const } : { role: "group" as const, "aria-label": title })} preserveAspectRatio="xMidYMid meet">
      <defs>
        <linearGradient id={`j-fade${near ?? ""}`} x1="0" x2="1"><stop offset="0" stop-color="var(--line2)" stop-opacity="0" /><stop offset=".12" stop-color="var(--line2)" /><stop offset=".88" stop-color="var(--line2)" /><stop offset="1" stop-color="var(--line2)" stop-opacity="0" /></linearGradient>
      </defs>
      <path d={`M${along(0, W, 0).join("L")}`} fill="none" stroke={`url(#j-fade${near ?? ""})`} stroke-width="1.5" />
      {[16, 30, 46].map((depth, i) => <path key={depth} d={`M${along(90, W - 90, depth + 40).join("L")}`} class="j-soil" opacity={0.5 - i * 0.14} />)}
      {/* the sea */}
      <g opacity={seen("internet")} class="j-sea">
        {[7, 12, 18].map((depth) => (
          <path key={depth} d={`M${Array.from({ length: 33 }, (_, i) => { const x = 452 + i * 8; return `${x} ${(ground(x) + depth - 14 + 1.6 * Math.sin(i * 1.3 + depth)).toFixed(1)}`; }).join("L")}`} class="j-soil" />
        ))}
      </g>
      {/* 3 and 7: one fiber each way */}
      <g opacity={leaves ? Math.max(seen("internet"), seen("access")) : 0.3}>
        <path d={`M372 ${ground(372) - 8}L372 ${ground(372) + 12}Q372 ${ground(372) + 30} 392 ${ground(392) + 32}L${along(392, 772, 32).join("L")}Q790 ${ground(790) + 30} 792 ${ground(792) + 10}L792 ${ground(792) - 14}`} class="j-fiber" />
        {leaves && [470, 510, 550, 590, 630].map((x) => <rect key={x} x={x} y={ground(x) + 27.5} width="26" height="9" rx="4.5" class="j-burst" />)}
      </g>
      {/* 1 the device */}
      <g opacity={seen("device")} {...press("device")} class="j-part" transform={at(196)}>
        {device === "phone" ? (
          <>
            <rect x="-21" y="-88" width="42" height="84" rx="8" class="j-clay" /><rect x="-17" y="-82" width="34" height="72" rx="4" class="j-black" />
            <rect x="-8" y="-74" width="22" height="10" rx="4" fill="var(--photons)" />
            {[0, 1, 2, 3].map((i) => <rect key={i} x="-13" y={-56 + i * 9} width={24 - (i % 2) * 5} height="3" class="j-paper" />)}
          </>
        ) : (
          <>
            <path d="M-44 -72h76v50h-76z" class="j-clay" /><path d="M-39 -67h66v40h-66z" class="j-black" />
            <path d="M-44 -22h76l10 16h-96z" class="j-clay2" />
            <rect x="-6" y="-62" width="28" height="8" rx="4" fill="var(--photons)" />
            {[0, 1, 2].map((i) => <rect key={i} x="-34" y={-49 + i * 7} width={46 - (i % 2) * 7} height="2.6" class="j-paper" />)}
            {Array.from({ length: 9 }, (_, i) => <rect key={i} x={-40 + i * 8} y="-18" width="6" height="4" fill={i === 7 ? "var(--moving-charge)" : "var(--line2)"} />)}
          </>
        )}
      </g>
      {/* 2 what its radio reaches */}
      <g opacity={seen("access")} {...press("access")} class="j-part">
        {leaves && [0, 1, 2, 3].map((i) => {
          const r = 26 + i * 19;
          const [cx, cy] = device === "phone" ? [330, ground(330) - 98] : [330, ground(330) - 46];
          const a = Math.PI - (device === "phone" ? -0.32 : 0.05);
          const p = (t: number) => `${(cx + r * Math.cos(t)).toFixed(1)} ${(cy - r * Math.sin(t)).toFixed(1)}`;
          return <path key={i} d={`M${p(a - 0.42)}A${r} ${r} 0 0 0 ${p(a + 0.42)}`} class="j-radio" opacity={1 - i * 0.17} />;
        })}
        {device === "phone" ? (
          <g transform={at(330)}>
            <path d="M-15 0L-4 -96M15 0L4 -96M-13 -18L11 -36M13 -18L-11 -36M-11 -36L9 -54M11 -36L-9 -54M-9 -54L7 -72M9 -54L-7 -72M-7 -72L5 -90M7 -72L-5 -90" class="j-ink" />
            {[-12, -2, 8].map((x) => <rect key={x} x={x} y="-112" width="6" height="24" class="j-clay" />)}
          </g>
        ) : (
          <g transform={at(330)}>
            <path d="M-40 0V-46L0 -74L40 -46V0" class="j-ink" />
            <rect x="-20" y="-24" width="40" height="12" rx="2" class="j-clay" /><path d="M-14 -24L-18 -46M0 -24V-48M14 -24L18 -46" class="j-ink" />
            <path d="M-22 -12h44M-18 -12V0M18 -12V0" class="j-ink" />
            {[-14, -8, -2].map((x) => <circle key={x} cx={x} cy="-18" r="1.6" fill="var(--moving-charge)" />)}
            <path d="M20 -18Q30 -18 32 -8" fill="none" stroke="var(--moving-charge)" stroke-width="2.4" /><rect x="27" y="-12" width="11" height="12" class="j-clay2" />
          </g>
        )}
      </g>
      <g opacity={seen("internet")} {...press("internet")} class="j-part"><path d={`M400 ${ground(400) + 32}L${along(400, 772, 32).join("L")}`} class="j-hit" /></g>
      {leaves ? (
        <>
      {/* 4 the balancer, those who wait, the copper path */}
      <g opacity={seen("balancer")} {...press("balancer")} class="j-part">
        <g transform={at(815)}><rect x="-20" y="-40" width="40" height="40" rx="2" class="j-clay" />
          {[0, 1, 2, 3].map((i) => <rect key={i} x="-14" y={-34 + i * 8} width="28" height="3.4" fill={i === 1 ? "var(--moving-charge)" : "var(--line2)"} />)}</g>
        <path d={`M835 ${ground(835) - 22}Q850 ${ground(850) - 6} 872 ${ground(872) - 14}`} fill="none" stroke="var(--moving-charge)" stroke-width="2.6" />
        {[844, 854, 864].map((x) => <rect key={x} x={x - 4} y={ground(x) - 8} width="8" height="8" class="j-wait" />)}
      </g>
      {/* 5 the server */}
      <g opacity={seen("server")} {...press("server")} class="j-part" transform={at(930)}>
        {[0, 1, 2, 3, 4].map((i) => <path key={i} d={`M${-44 + i * 24} -58q5 -7 0 -14t0 -14`} fill="none" stroke="var(--heat)" stroke-width="1.6" opacity=".85" />)}
        <path d="M-60 0L-52 -54H60L70 0Z" class="j-clay" />
        {Array.from({ length: 8 }, (_, i) => {
          const x = -46 + (i % 4) * 28;
          const y = i < 4 ? -48 : -24;
          return <g key={i}><rect x={x} y={y} width="22" height="18" class="j-clay2" /><rect x={x + 7} y={y + 4} width="8" height="10" fill="var(--moving-charge)" />
            {[0, 1, 2].map((j) => <g key={j}><rect x={x + 2} y={y + 2.5 + j * 4.8} width="3.4" height="3.6" fill="var(--stored-charge)" /><rect x={x + 16.6} y={y + 2.5 + j * 4.8} width="3.4" height="3.6" fill="var(--stored-charge)" /></g>)}</g>;
        })}
      </g>
        </>
      ) : (
        <>
          {/* the inside of the device, enlarged: one that waits, one chip, its memory */}
          <path d={`M216 ${ground(216) - 82}Q560 ${ground(560) - 120} 872 ${ground(872) - 58}M216 ${ground(216) - 8}Q560 ${ground(560) - 34} 866 ${ground(866) - 2}`} class="j-lens" />
          <g opacity={seen("balancer")} {...press("balancer")} class="j-part"><rect x="836" y={ground(840) - 14} width="11" height="11" class="j-wait" /></g>
          <g opacity={seen("server")} {...press("server")} class="j-part" transform={at(930)}>
            <path d="M-60 0L-52 -54H60L70 0Z" class="j-clay" />
            <rect x="-34" y="-46" width="40" height="36" class="j-clay2" /><rect x="-26" y="-40" width="24" height="24" fill="var(--moving-charge)" />
            {[0, 1, 2].map((i) => <rect key={i} x="18" y={-46 + i * 13} width="18" height="10" fill="var(--stored-charge)" />)}
          </g>
        </>
      )}
      {/* 6 the cache */}
      <g opacity={seen("cache")} {...press("cache")} class="j-part">
        <path d={`M1000 ${ground(1000) - 20}Q1016 ${ground(1016) - 2} 1032 ${ground(1032) - 20}`} fill="none" stroke="var(--stored-charge)" stroke-width="2.4" />
        <g transform={at(1066)}><rect x="-34" y="-78" width="68" height="78" rx="2" class="j-clay" />
          {Array.from({ length: 42 }, (_, i) => <rect key={i} x={-29 + (i % 7) * 8.5} y={-73 + Math.floor(i / 7) * 12} width="7" height="9.5" fill={i < 26 ? "var(--stored-charge)" : "var(--line2)"} opacity={i < 26 ? 0.6 + i / 65 : 0.8} />)}</g>
      </g>
      <g opacity={leaves ? seen("back") : 0.3} {...press("back")} class="j-part">
        <path d={`M806 ${ground(806) - 14}L806 ${ground(806) + 26}Q804 ${ground(804) + 52} 780 ${ground(780) + 54}L${along(780, 380, 54).join("L")}Q362 ${ground(362) + 52} 360 ${ground(360) + 30}L360 ${ground(360) - 8}`} class="j-fiber" />
        {leaves && Array.from({ length: 17 }, (_, i) => 400 + i * 23).map((x) => <circle key={x} cx={x} cy={ground(x) + 54} r="4" class="j-bead" />)}
        <path d={`M400 ${ground(400) + 54}L${along(400, 780, 54).join("L")}`} class="j-hit" />
      </g>
      {/* 8 the eye, and light from the screen */}
      <g opacity={seen("eye")} {...press("eye")} class="j-part">
        {[-26, 0, 26].map((dy) => <path key={dy} d={`M168 ${ground(196) - 42 + dy}L112 ${ground(84) - 30}`} class="j-ray" opacity={dy === 0 ? 1 : 0.6} />)}
        <g transform={`translate(84 ${ground(84) - 30})`}>
          <path d="M-28 0Q0 -30 30 0Q0 30 -28 0Z" class="j-clay" />
          <circle r="14" class="j-clay2" /><circle r="6" class="j-black" />
          <path d="M-28 0Q-40 6 -44 20" class="j-ink" />
        </g>
      </g>
      {labels !== "none" && !near && PARTS.filter((each) => (labels === "all" || each === part) && within(each)).map((each) => {
        const place = leaves ? PLACES[each] : { ...PLACES[each], ...HERE[each] };
        if (compact) {
          const y = place.below ? place.top + 34 : place.top - 30;
          return <g key={each} class="j-flag" aria-hidden="true"><line x1={place.x} x2={place.x} y1={place.below ? y - 18 : y + 4} y2={place.top} /><circle cx={place.x} cy={place.top} r={wide / 240} /><text x={place.x} y={y} text-anchor="middle" font-size={wide / 31}>{NO[each]}</text></g>;
        }
        if (part && part !== each) {
          return <g key={each} class="j-flag" aria-hidden="true" opacity="0.7"><line x1={place.x} x2={place.x} y1={place.below ? place.top + 14 : place.top - 16} y2={place.top} /><circle cx={place.x} cy={place.top} r="2.6" /><text x={place.x} y={place.below ? place.top + 28 : place.top - 20} text-anchor="middle" class="j-flag-name">{NO[each]}</text></g>;
        }
        const right = place.side === "right";
        const tx = place.x + (right ? 6 : -6);
        return (
          <g key={each} class="j-flag" opacity={seen(each)} aria-hidden="true">
            <line x1={place.x} x2={place.x} y1={place.below ? place.flag + 24 : place.flag - 11} y2={place.top} />
            <circle cx={place.x} cy={place.top} r="2.6" />
            <text x={tx} y={place.flag} text-anchor={right ? "start" : "end"} class="j-flag-name"><tspan class="j-no">{NO[each]}</tspan>{`\u2002${told.name(each)}`}</text>
            <text y={place.flag + 17} text-anchor={right ? "start" : "end"} class="j-flag-does">
              {wrapped(short(told.does(each)), LINE[each] ?? LONGEST).map((said, i) => <tspan key={i} x={tx} dy={i ? 14.5 : 0}>{said}</tspan>)}
            </text>
          </g>
        );
      })}
    </svg>
  );
}

/** The first sentence, up to its colon, when it would run into its neighbor. */
export function short(text: string): string {
  if (text.length <= 38) return text;
  const cut = text.search(/[:,;]/);
  return cut > 10 && cut <= 40 ? `${text.slice(0, cut)}.` : text;
}
