/** The seven pictures without 3D: flat, with the same things in them and the same numbers beside them. */
import type { WordCounts } from "../../scene/index";
import type { Label } from "./picture3d";

const W = 600;
const H = 560;

function thrown(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}

interface FlatProps {
  readonly step: number;
  readonly counts: WordCounts;
  readonly description: string;
  readonly labels: readonly Label[];
  readonly prompt: string;
  readonly answer: string;
}

export function Flat({ step, counts, description, labels, prompt, answer }: FlatProps) {
  const draw = [Power, Vectors, Layers, Sums, Memory, Scores, Loop][step - 1] ?? Layers;
  const said = Object.fromEntries(labels.map((label) => [label.at, label]));
  const tag = (key: string, x: number, y: number, anchor: "start" | "middle" | "end" = "start") => {
    const label = said[key];
    return label ? (
      <g class="w-tag" key={key}>
        <text x={x} y={y} text-anchor={anchor} class="w-tag-name">{label.name}</text>
        {label.text && <text x={x} y={y + 16} text-anchor={anchor} class="w-tag-text">{label.text}</text>}
      </g>
    ) : null;
  };
  return (
    <svg class="w-flat" viewBox={`0 0 ${W} ${H}`} role="img" aria-label={description} preserveAspectRatio="xMidYMid meet">
      {draw({ counts, tag, prompt, answer })}
    </svg>
  );
}

interface Parts {
  readonly counts: WordCounts;
  readonly tag: (key: string, x: number, y: number, anchor?: "start" | "middle" | "end") => preact.ComponentChild;
  readonly prompt: string;
  readonly answer: string;
}

function Power({ tag }: Parts) {
  return (
    <>
      <path d="M20 470H580" class="w-ground" />
      <path d="M70 470L92 190H108L130 470M78 380L118 300M122 380L82 300M84 300L112 220M116 300L88 220M60 230H140M66 262H134" class="w-line" />
      <path d="M0 170Q40 250 66 232M134 262Q170 420 200 420H236" fill="none" stroke="var(--moving-charge)" stroke-width="3" />
      <rect x="160" y="400" width="42" height="70" class="w-solid" />
      <rect x="236" y="150" width="150" height="320" class="w-solid" />
      {Array.from({ length: 4 }, (_, i) => <rect key={i} x="248" y={168 + i * 26} width="126" height="16" class="w-off" />)}
      {Array.from({ length: 8 }, (_, i) => {
        const x = 250 + (i % 4) * 32;
        const y = 330 + Math.floor(i / 4) * 60;
        return <g key={i}><rect x={x} y={y} width="27" height="48" class="w-off" /><rect x={x + 8} y={y + 15} width="11" height="18" fill="var(--moving-charge)" />
          {[0, 1, 2].map((j) => <g key={j}><rect x={x + 2} y={y + 10 + j * 10} width="4" height="8" fill="var(--stored-charge)" /><rect x={x + 21} y={y + 10 + j * 10} width="4" height="8" fill="var(--stored-charge)" /></g>)}</g>;
      })}
      <path d="M386 260H430V300H470" fill="none" stroke="var(--heat)" stroke-width="7" />
      <path d="M470 420H430V440H386" fill="none" stroke="var(--line2)" stroke-width="7" />
      <path d="M462 470C480 380 488 330 480 210H560C552 330 560 380 578 470Z" class="w-solid" />
      {[0, 1, 2, 3].map((i) => <path key={i} d={`M${492 + i * 18} 200q8 -18 0 -36t0 -36`} class="w-line" opacity={1 - i * 0.15} />)}
      {tag("line", 6, 140)}{tag("rack", 311, 128, "middle")}{tag("chip", 311, 500, "middle")}{tag("hot", 430, 244, "middle")}{tag("cool", 428, 400, "middle")}{tag("vapor", 520, 100, "middle")}
    </>
  );
}

function Vectors({ counts, tag, prompt }: Parts) {
  const words = prompt.split(" ");
  const rnd = thrown(7);
  const columns = 128;
  const rows = Math.ceil(counts.width / columns);
  const bars: string[] = [];
  for (let i = 0; i < counts.width; i++) {
    bars.push(`M${(60 + (i % columns) * 3.75).toFixed(1)} ${(278 + Math.floor(i / columns) * 4.3).toFixed(1)}h${(0.5 + 2.5 * rnd() ** 1.6).toFixed(1)}`);
  }
  return (
    <>
      {words.map((each, i) => (
        <g key={i}>
          <text x={60 + i * 112} y="60" class="w-word">{each}</text>
          <rect x={60 + i * 112} y="84" width="88" height="10" fill="var(--moving-charge)" opacity={i === words.length - 1 ? 1 : 0.45} />
          <path d={`M${104 + i * 112} 96C${104 + i * 112} 190 ${i === words.length - 1 ? 300 : 104 + i * 112} 180 ${i === words.length - 1 ? 300 : 104 + i * 112} ${i === words.length - 1 ? 262 : 214}`} fill="none" stroke="var(--moving-charge)" stroke-width={i === words.length - 1 ? 2.4 : 1.2} opacity={i === words.length - 1 ? 1 : 0.45} />
        </g>
      ))}
      <path d={bars.join("")} stroke="var(--moving-charge)" stroke-width="3" />
      <rect x="54" y="268" width="492" height={rows * 4.3 + 18} class="w-line" />
      {tag("left", 60, 290 + rows * 4.3 + 24)}{tag("table", 300, 140, "middle")}
    </>
  );
}

function Layers({ counts, tag, prompt, answer }: Parts) {
  const side = Math.round(Math.sqrt(counts.experts));
  const rnd = thrown(11);
  const lit = new Set<number>();
  while (lit.size < counts.picked) lit.add(Math.floor(rnd() * counts.experts));
  const dots: preact.ComponentChild[] = [];
  const slab = (i: number) => (i < 30 ? 500 - i * 4 : 152 - (i - 31) * 4);
  for (let i = 0; i < counts.layers; i++) {
    if (i === 30) continue;
    for (let e = 0; e < (i < counts.plainLayers ? 18 : counts.picked); e++) dots.push(<rect key={`${i}-${e}`} x={i < counts.plainLayers ? 206 + e * 10.6 : 204 + rnd() * 186} y={slab(i) - 1} width="5" height="2.2" fill="var(--moving-charge)" opacity=".85" />);
  }
  return (
    <>
      {Array.from({ length: counts.layers }, (_, i) => i !== 30 && <rect key={i} x="200" y={slab(i) - 1.5} width="200" height="3" class="w-slab" />)}
      {dots}
      <rect x="140" y="182" width="320" height="176" class="w-solid" />
      {Array.from({ length: counts.experts }, (_, i) => (
        <rect key={i} x={146 + (i % side) * 19.4} y={188 + Math.floor(i / side) * 9.6} width="16" height="7" fill={lit.has(i) ? "var(--moving-charge)" : "var(--stored-charge)"} opacity={lit.has(i) ? 1 : 0.3} />
      ))}
      <rect x="186" y="343" width="228" height="9" fill="var(--moving-charge)" />
      <path d="M300 540V500M300 380V360M300 180V160M300 34V12" stroke="var(--moving-charge)" stroke-width="3" />
      <text x="312" y="24" class="w-word">… {answer}</text><text x="300" y="556" class="w-word" text-anchor="middle">{prompt}</text>
      {tag("expert", 470, 240)}{tag("shared", 132, 340, "end")}{tag("opened", 132, 210, "end")}{tag("plain", 192, 490, "end")}{tag("top", 192, 90, "end")}{tag("bottom", 192, 430, "end")}
    </>
  );
}

function Sums({ tag, prompt }: Parts) {
  const words = prompt.split(" ");
  const strength = [0.25, 0.6, 0.2, 1];
  const rnd = thrown(5);
  return (
    <>
      {words.map((each, i) => <text key={i} x={90 + i * 108} y="128" class="w-word" text-anchor="middle">{each}</text>)}
      {strength.map((s, i) => <path key={i} d={`M522 108Q${(522 + 90 + i * 108) / 2} ${20 + i * 22} ${90 + i * 108} 108`} fill="none" stroke="var(--moving-charge)" stroke-width={1 + 3.4 * s} opacity={0.35 + 0.65 * s} />)}
      <rect x="130" y="206" width="300" height="300" class="w-line" />
      {Array.from({ length: 18 * 18 }, (_, i) => {
        const x = i % 18;
        const near = Math.max(0, 1 - Math.abs(x - 8) / 2);
        return <rect key={i} x={135 + x * 16.3} y={211 + Math.floor(i / 18) * 16.3} width="13" height="13" fill={near > 0 ? "var(--moving-charge)" : "var(--stored-charge)"} opacity={near > 0 ? 0.3 + 0.7 * near : 0.14 + 0.3 * rnd()} />;
      })}
      {Array.from({ length: 18 }, (_, i) => <g key={i}><rect x={112 - 22 * (0.4 + rnd() * 0.6)} y={211 + i * 16.3} width={22 * (0.4 + rnd() * 0.6)} height="12" fill="var(--moving-charge)" /><rect x="448" y={211 + i * 16.3} width={10 + 40 * rnd()} height="12" fill="var(--moving-charge)" opacity=".8" /></g>)}
      {tag("look", 300, 30, "middle")}{tag("inn", 100, 532, "middle")}{tag("field", 280, 532, "middle")}{tag("out", 470, 532, "middle")}
    </>
  );
}

function Memory({ tag }: Parts) {
  return (
    <>
      <rect x="40" y="120" width="520" height="300" class="w-line" />
      {[60, 430].map((x) => [0, 1, 2].map((j) => !(x === 430 && j === 2) && (
        <g key={`${x}${j}`}>{Array.from({ length: 8 }, (_, l) => <rect key={l} x={x} y={140 + j * 92 + l * 9} width="110" height="6" fill="var(--stored-charge)" opacity={0.35 + l * 0.07} />)}
          {[0, 1, 2, 3].map((l) => <path key={l} d={x === 60 ? `M172 ${150 + j * 92 + l * 15}H236` : `M428 ${150 + j * 92 + l * 15}H364`} stroke="var(--moving-charge)" stroke-width="2" stroke-dasharray="3 5" />)}</g>
      )))}
      <rect x="238" y="180" width="124" height="180" class="w-solid" />
      {Array.from({ length: 12 * 12 }, (_, i) => <rect key={i} x={244 + (i % 12) * 9.6} y={187 + Math.floor(i / 12) * 14.2} width="7" height="9" fill="var(--moving-charge)" opacity={(i * 37) % 29 === 0 ? 0.95 : 0.16} />)}
      {Array.from({ length: 10 }, (_, i) => <rect key={i} x={120 + i * 37} y="458" width="22" height="16" class={i === 4 ? undefined : "w-line"} fill={i === 4 ? "var(--moving-charge)" : undefined} />)}
      <path d="M131 454L280 366M302 454L300 366M464 454L324 366" class="w-ground" />
      {tag("stack", 60, 96)}{tag("chip", 300, 148, "middle")}{tag("reader", 300, 500, "middle")}
    </>
  );
}

function Scores({ counts, tag, answer }: Parts) {
  const columns = 404;
  const rows = Math.ceil(counts.scores / columns);
  const bars = [[330, 250], [180, 90], [440, 62], [250, 48], [120, 34], [500, 28], [380, 42]] as const;
  return (
    <>
      <rect x="60" y="380" width="480" height="130" fill="url(#w-field)" /><rect x="60" y="380" width="480" height="130" class="w-line" />
      <defs><pattern id="w-field" width={480 / columns} height={130 / rows} patternUnits="userSpaceOnUse"><rect width="0.7" height="0.3" fill="var(--stored-charge)" opacity=".7" /></pattern></defs>
      {bars.map(([x, h], i) => <rect key={x} x={x} y={440 - h} width="12" height={h} fill="var(--moving-charge)" opacity={i ? 0.45 : 1} />)}
      <path d="M336 186V150" stroke="var(--moving-charge)" stroke-width="3" />
      <text x="350" y="160" class="w-word">{answer}</text>
      {tag("field", 60, 536)}{tag("other", 176, 340, "middle")}
    </>
  );
}

function Loop({ counts, tag, prompt, answer }: Parts) {
  const rnd = thrown(11);
  return (
    <>
      {Array.from({ length: counts.layers }, (_, i) => (
        <g key={i}><rect x="180" y={480 - i * 6.4} width="200" height="4" class="w-slab" />
          {Array.from({ length: counts.picked }, (_, e) => <rect key={e} x={184 + rnd() * 188} y={480.6 - i * 6.4} width="5" height="2.6" fill="var(--moving-charge)" opacity=".85" />)}</g>
      ))}
      <path d="M280 530V70C280 30 470 30 470 120V470C470 545 280 545 280 520" fill="none" stroke="var(--moving-charge)" stroke-width="3" />
      <text x="292" y="64" class="w-word">… {answer}</text><text x="250" y="550" class="w-word" text-anchor="end">{prompt}</text>
      {tag("top", 170, 290, "end")}{tag("round", 596, 52, "end")}
    </>
  );
}
