/** The ground of the journey, with its sea and a far row of houses. */
import { BufferAttribute, BufferGeometry, Color, Mesh, MeshBasicMaterial, Vector3 } from "./three";
import { FRONT, SEA, over, smooth, stand } from "./arc";
import { Kit, mix } from "./kit";
import type { Palette } from "./palette";

export function ground(clay: Kit, k: Palette): Mesh {
  const pieces = 160;
  const reach = 0.5;
  const positions: number[] = [];
  const colors: number[] = [];
  const page = new Color(k.page);
  const land = new Color(k.land);
  const sea = new Color(k.sea);
  const face = new Color(k.face);
  const c = new Color();
  const wet = (a: number) => smooth(a, SEA[0], SEA[0] + 0.03) * (1 - smooth(a, SEA[1] - 0.03, SEA[1]));
  const height = (a: number) => -0.42 * wet(a);
  const fade = (a: number) => 1 - smooth(Math.abs(a), 0.38, 0.47);
  const put = (p: Vector3, color: Color, strength: number) => {
    positions.push(p.x, p.y, p.z);
    c.copy(color).lerp(page, 1 - strength);
    colors.push(c.r, c.g, c.b);
  };
  type Corner = [Vector3, Color, number];
  const quad = (a: Corner, b: Corner, d: Corner, e: Corner) => {
    for (const q of [a, b, d, b, e, d]) put(...q);
  };
  const depths = [FRONT, -3, -9, -15];
  const depthFade = [1, 0.9, 0.42, 0];
  const foots = [0, -1.5, -3.4];
  const footFade = [1, 0.55, 0];
  for (let i = 0; i < pieces; i++) {
    const a = -reach + (2 * reach * i) / pieces;
    const b = -reach + (2 * reach * (i + 1)) / pieces;
    const top = (t: number) => land.clone().lerp(sea, wet(t));
    for (let j = 0; j < 3; j++) {
      quad([over(a, height(a), depths[j]!), top(a), fade(a) * depthFade[j]!], [over(b, height(b), depths[j]!), top(b), fade(b) * depthFade[j]!],
        [over(a, height(a), depths[j + 1]!), top(a), fade(a) * depthFade[j + 1]!], [over(b, height(b), depths[j + 1]!), top(b), fade(b) * depthFade[j + 1]!]);
    }
    for (let j = 0; j < 2; j++) {
      const y = (t: number, q: number) => (q ? foots[q]! : height(t));
      quad([over(a, y(a, j + 1), FRONT), face, fade(a) * footFade[j + 1]!], [over(b, y(b, j + 1), FRONT), face, fade(b) * footFade[j + 1]!],
        [over(a, y(a, j), FRONT), face, fade(a) * footFade[j]!], [over(b, y(b, j), FRONT), face, fade(b) * footFade[j]!]);
    }
    clay.line(over(a, height(a), FRONT), over(b, height(b), FRONT), 0.9 * fade((a + b) / 2));
    for (const [h, s] of [[-1.75, 0.16], [-2.25, 0.1], [-2.75, 0.05]] as const) {
      clay.line(over(a, h + 0.05 * Math.sin(a * 60 + h * 9), FRONT), over(b, h + 0.05 * Math.sin(b * 60 + h * 9), FRONT), s * fade(a));
    }
    if (wet((a + b) / 2) > 0.5) {
      for (const [z, s] of [[FRONT, 0.5], [0.2, 0.16], [-1.4, 0.12], [-3.4, 0.09], [-6, 0.05]] as const) {
        clay.line(over(a, -0.16 + 0.03 * Math.sin(a * 170 + z * 3), z), over(b, -0.16 + 0.03 * Math.sin(b * 170 + z * 3), z), s);
      }
    }
  }
  const shape = new BufferGeometry();
  shape.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  shape.setAttribute("color", new BufferAttribute(new Float32Array(colors), 3));
  return new Mesh(shape, new MeshBasicMaterial({ vertexColors: true, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 }));
}

/** One tidy row of houses far back: scale and life, nothing more. */
export function town(clay: Kit, k: Palette): void {
  const dark = k.ground === "dark";
  [0.55, 0.8, 1.15, 0.7, 1.5, 0.9, 0.6, 1.0, 0.5].forEach((h, i) => {
    clay.box(stand(-0.25 + i * 0.0125, h / 2, -5.2 - (i % 2) * 0.6), 0.46, h, 0.46, mix(k.clayLow, k.page, dark ? 0.12 : 0.35),
      { edge: dark ? 0.3 : 0.28, foot: 0.42 });
  });
}
