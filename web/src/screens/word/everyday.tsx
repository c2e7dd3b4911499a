/** Everyday things, drawn in the number that Python worked out. */
import type { Comparison, Fact, WordStep } from "../../core/types";
import { useText } from "../../shell/text";

const W = 384;

function Oven({ x, w, share }: { readonly x: number; readonly w: number; readonly share: number }) {
  const h = w * 0.62;
  return (
    <g transform={`translate(${x} ${40 - h})`}>
      <rect width={w} height={h} rx="3" class="w-line" />
      <rect x={w * 0.08} y={h * 0.14} width={w * 0.6} height={h * 0.72} class="w-off" />
      <rect x={w * 0.08} y={h * 0.14} width={w * 0.6 * share} height={h * 0.72} fill="var(--moving-charge)" />
      {[0.3, 0.5, 0.7].map((y) => <circle key={y} cx={w * 0.84} cy={h * y} r={w * 0.03} class="w-dot" />)}
    </g>
  );
}

/** One oven for a chip; a row of them for the eight chips of a server. */
function Ovens({ chip, server }: { readonly chip: number; readonly server: number }) {
  const say = useText();
  return (
    <svg class="w-day" viewBox={`0 0 ${W} 60`} aria-hidden="true">
      <Oven x={0} w={60} share={Math.min(chip, 1)} />
      <text x="0" y="56" class="w-axis">{say("word.everyday.chip")}</text>
      {Array.from({ length: Math.ceil(server) }, (_, i) => <Oven key={i} x={96 + i * 48} w={43} share={Math.min(Math.max(server - i, 0), 1)} />)}
      <text x="96" y="56" class="w-axis">{say("word.everyday.server")}</text>
    </svg>
  );
}

/** Hours on a dial: each full turn is twelve. */
function Dial({ hours }: { readonly hours: number }) {
  const angle = (hours / 12) * Math.PI * 2;
  const x = 23 + 17 * Math.sin(angle);
  const y = 23 - 17 * Math.cos(angle);
  return (
    <svg class="w-day" viewBox={`0 0 ${W} 46`} aria-hidden="true">
      <circle cx="23" cy="23" r="20" class="w-line" />
      <path d={`M23 23V6A17 17 0 ${angle > Math.PI ? 1 : 0} 1 ${x.toFixed(1)} ${y.toFixed(1)}Z`} fill="var(--moving-charge)" opacity=".85" />
      {Array.from({ length: 12 }, (_, i) => <line key={i} x1={23 + 18 * Math.sin((i * Math.PI) / 6)} y1={23 - 18 * Math.cos((i * Math.PI) / 6)} x2={23 + 20 * Math.sin((i * Math.PI) / 6)} y2={23 - 20 * Math.cos((i * Math.PI) / 6)} class="w-tick" />)}
      {Array.from({ length: 64 }, (_, i) => <rect key={i} x={60 + i * 5} y={i % 2 ? 16 : 20} width="2.4" height={8 + ((i * 7) % 13)} fill="var(--moving-charge)" opacity={0.3 + ((i * 5) % 7) / 10} />)}
    </svg>
  );
}

/** A part of a whole, to scale. */
function Share({ part }: { readonly part: number }) {
  return (
    <svg class="w-day" viewBox={`0 0 ${W} 26`} aria-hidden="true">
      <rect x="0" y="5" width={W} height="16" fill="var(--stored-charge)" opacity=".3" />
      <rect x="0" y="2" width={W * part} height="22" fill="var(--moving-charge)" />
    </svg>
  );
}

/** Everybody on Earth as eight figures, a mark for each sum. */
function People({ sums, days }: { readonly sums: number; readonly days: number }) {
  return (
    <svg class="w-day" viewBox={`0 0 ${W} 58`} aria-hidden="true">
      {Array.from({ length: 8 }, (_, i) => (
        <g key={i} transform={`translate(${10 + i * 23} 2)`}>
          <circle cx="0" cy="6" r="4.4" class="w-line" /><path d="M-7 26Q-7 13 0 13T7 26Z" class="w-line" />
          {Array.from({ length: Math.ceil(sums) }, (_, j) => (
            <rect key={j} x={-8 + (j % 5) * 3.4} y={32 + Math.floor(j / 5) * 7} width={2.2 * Math.min(1, sums - j)} height="5" fill="var(--moving-charge)" />
          ))}
        </g>
      ))}
      <Days days={days} x={216} y={6} />
    </svg>
  );
}

/** Leaves of a calendar, the last one filled in part. */
function Days({ days, x, y }: { readonly days: number; readonly x: number; readonly y: number }) {
  return (
    <>
      {Array.from({ length: Math.ceil(days) }, (_, i) => (
        <g key={i} transform={`translate(${x + i * 54} ${y})`}>
          <rect width="46" height="34" class="w-line" /><rect width="46" height="8" class="w-off" />
          <rect y="8" width={46 * Math.min(1, days - i)} height="26" fill="var(--moving-charge)" opacity=".8" />
        </g>
      ))}
    </>
  );
}

/** Two times to one scale. */
function Times({ long, short }: { readonly long: number; readonly short: number }) {
  return (
    <svg class="w-day" viewBox={`0 0 ${W} 44`} aria-hidden="true">
      <rect x="0" y="2" width={W} height="14" fill="var(--stored-charge)" opacity=".55" />
      <rect x="0" y="24" width={Math.max(W * (short / long), 0.8)} height="14" fill="var(--moving-charge)" />
      <line x1={W * (short / long) + 3} x2="30" y1="31" y2="31" class="w-tick" />
    </svg>
  );
}

/** One of many: a field of marks, and the one that is taken. */
function Field({ days }: { readonly days: number }) {
  return (
    <svg class="w-day" viewBox={`0 0 ${W} 46`} aria-hidden="true">
      {Array.from({ length: 60 * 8 }, (_, i) => <rect key={i} x={(i % 60) * 4.2} y={2 + Math.floor(i / 60) * 5} width="2.6" height="3.2" fill={i === 193 ? "var(--moving-charge)" : "var(--stored-charge)"} opacity={i === 193 ? 1 : 0.28 + ((i * 29) % 11) / 40} />)}
      <Days days={days} x={272} y={4} />
    </svg>
  );
}

/** A reader and a writer on one track. */
function Race({ times, lamp }: { readonly times: number; readonly lamp: number }) {
  return (
    <svg class="w-day" viewBox={`0 0 ${W} 46`} aria-hidden="true">
      {Array.from({ length: 22 }, (_, i) => <rect key={i} x={i * 11} y="3" width="8" height="11" fill="var(--moving-charge)" opacity={0.45 + i / 40} />)}
      {Array.from({ length: Math.round(22 / times) }, (_, i) => <rect key={i} x={i * 11} y="26" width="8" height="11" class="w-line" />)}
      <g transform="translate(300 3)">
        <path d="M0 12a11 11 0 1 1 22 0c0 6-5 7-5 13h-12c0-6-5-7-5-13z" fill="var(--moving-charge)" opacity=".75" /><path d="M5 28h12M6 32h10M8 36h6" class="w-tick" />
        {Array.from({ length: Math.round(lamp) }, (_, i) => <line key={i} x1={34 + (i % 11) * 4.6} x2={34 + (i % 11) * 4.6} y1={8 + Math.floor(i / 11) * 14} y2={17 + Math.floor(i / 11) * 14} class="w-tick" />)}
      </g>
    </svg>
  );
}

export function Everyday({ step }: { readonly step: WordStep }) {
  const number = (key: string) => step.comparisons.find((each: Comparison) => each.key === key)?.value ?? step.numbers[key]?.value ?? 0;
  switch (step.number) {
    case 1: return <Ovens chip={number("microwaves")} server={number("microwaves_server")} />;
    case 2: return <Dial hours={number("aloud_h")} />;
    case 3: return <Share part={number("used_share") / 100} />;
    case 4: return <People sums={number("people_sums")} days={number("people_days")} />;
    case 5: return <Times long={number("read_s")} short={number("sums_s")} />;
    case 6: return <Field days={number("scores_days")} />;
    default: return <Race times={number("faster_than_reading")} lamp={number("lamp_s")} />;
  }
}

/** Drops of water: the part of one drop that a word takes, filled from below. */
export function Drop({ fact }: { readonly fact: Fact }) {
  const share = Math.min(fact.value, 1);
  return (
    <svg class="w-drop" viewBox="0 0 22 30" width="22" height="30" aria-hidden="true">
      <clipPath id="w-drop"><path d="M11 1C11 1 20 12 20 19A9 9 0 0 1 2 19C2 12 11 1 11 1Z" /></clipPath>
      <rect x="0" y={28 - 27 * share} width="22" height={27 * share} clip-path="url(#w-drop)" class="w-water" />
      <path d="M11 1C11 1 20 12 20 19A9 9 0 0 1 2 19C2 12 11 1 11 1Z" class="w-line" />
    </svg>
  );
}
