/**
 * One word, in seven pictures: power and heat, the table of vectors, the slabs of the model, the sums, the memory beside
 * the chip, the field of scores, the loop. What is counted is drawn in its true number: 7,168 bars, 256 experts, 61
 * layers, 129,280 scores.
 */
import {
  AdditiveBlending, BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, DirectionalLight, HemisphereLight, InstancedMesh,
  Matrix4, MeshBasicMaterial, MeshLambertMaterial, NormalBlending, Points, PointsMaterial, Scene, SphereGeometry, Vector3,
} from "./three";
import { Kit, Track, at, mix, spot, thrown, tubes, within, type Tint, type Tube } from "./kit";
import type { Palette } from "./palette";
import type { Gaze, Model } from "./runtime";

export interface WordCounts {
  readonly layers: number;
  readonly plainLayers: number;
  readonly experts: number;
  readonly picked: number;
  readonly width: number;
  readonly scores: number;
}

export interface WordModel extends Model {
  readonly gaze: Gaze;
}

const v = (x: number, y: number, z: number) => new Vector3(x, y, z);
const TURN = -0.62;

class Bench {
  readonly scene = new Scene();
  readonly clay: Kit;
  readonly lit: Kit;
  readonly list: Tube[] = [];
  readonly movers: ((seconds: number) => void)[] = [];
  readonly page: Color;
  readonly dark: boolean;

  constructor(readonly k: Palette) {
    this.dark = k.ground === "dark";
    this.page = new Color(k.page);
    this.clay = new Kit(k.edge);
    this.lit = new Kit(k.edge);
    this.scene.add(new HemisphereLight("#ffffff", this.dark ? "#2b3547" : "#cfc9ba", k.sky * 1.05));
    const sun = new DirectionalLight("#fff3df", k.sun);
    sun.position.set(-9, 16, 12);
    this.scene.add(sun);
  }

  instances(count: number, tint: Tint | null, opacity = 1, matte = false): InstancedMesh {
    const options = { ...(tint === null ? {} : { color: new Color(tint) }), ...(opacity < 1 ? { transparent: true, opacity, depthWrite: false } : {}) };
    const mesh = new InstancedMesh(new BoxGeometry(1, 1, 1), matte ? new MeshLambertMaterial(options) : new MeshBasicMaterial(options), count);
    mesh.frustumCulled = false;
    this.scene.add(mesh);
    return mesh;
  }

  /** Beads that run along a track: evenly spaced, so that a still picture shows the flow as well. */
  beads(track: Track, count: number, tint: Tint, speed: number, size = 0.12): void {
    const mesh = new InstancedMesh(new SphereGeometry(size, 12, 9), new MeshBasicMaterial({ color: new Color(tint) }), count);
    mesh.frustumCulled = false;
    this.scene.add(mesh);
    const m = new Matrix4();
    const p = v(0, 0, 0);
    this.movers.push((seconds) => {
      for (let i = 0; i < count; i++) {
        track.point((seconds * speed + i / count) % 1, p);
        mesh.setMatrixAt(i, m.makeTranslation(p.x, p.y, p.z));
      }
      mesh.instanceMatrix.needsUpdate = true;
    });
  }

  glow(points: readonly Vector3[], tint: Tint, size = 2, strength = 1): void {
    const shape = new BufferGeometry().setFromPoints([...points]);
    this.scene.add(new Points(shape, new PointsMaterial({
      size, map: spot(), color: new Color(tint), transparent: true, depthWrite: false,
      blending: this.dark ? AdditiveBlending : NormalBlending, opacity: (this.dark ? 0.75 : 0.35) * strength,
    })));
  }

  finish(anchors: Record<string, Vector3>, gaze: Partial<Gaze>): WordModel {
    if (this.list.length) this.scene.add(tubes(this.list));
    if (!this.clay.empty) this.scene.add(this.clay.solids());
    this.scene.add(this.clay.outlines());
    if (!this.lit.empty) this.scene.add(this.lit.glowing());
    return {
      scene: this.scene,
      pose: (seconds) => this.movers.forEach((move) => move(seconds)),
      anchors,
      gaze: { x: 0, y: 0.5, z: 0, yaw: (-TURN * 180) / Math.PI, pitch: 27, distance: 73, lens: 13.5, ...gaze },
    };
  }
}

export function word(step: number, palette: Palette, counts: WordCounts): WordModel {
  const bench = new Bench(palette);
  switch (step) {
    case 1: return power(bench);
    case 2: return vectors(bench, counts);
    case 4: return sums(bench);
    case 5: return memory(bench);
    case 6: return scores(bench, counts);
    case 7: return slabs(bench, counts, true);
    default: return slabs(bench, counts, false);
  }
}

/** 1: the line comes in, the chips work, the heat goes out and water with it. */
function power(b: Bench): WordModel {
  const { clay, lit, list, k, dark } = b;
  clay.box(at(0, -2.1, 0), 15.5, 0.16, 8.4, k.clayLow, { foot: 0, edge: 0.5 });
  // pylon and transformer
  const foot = (s: number, x: number, z: number, h: number) => v(-6.4 + x * s, -2 + h, 0.6 + z * s);
  for (const [x, z] of [[-0.6, -0.6], [0.6, -0.6], [0.6, 0.6], [-0.6, 0.6]] as const) {
    list.push({ points: [foot(1, x, z, 0), foot(0.45, x, z, 3.4), foot(0.1, x, z, 6)], radius: 0.045, tint: dark ? k.clay : "#8f9097", straight: true });
  }
  for (let i = 0; i < 6; i++) {
    const s = 1 - i * 0.15;
    const t = 1 - (i + 1) * 0.15;
    const ring = [[-0.6, -0.6], [0.6, -0.6], [0.6, 0.6], [-0.6, 0.6]] as const;
    ring.forEach(([x, z], j) => {
      const [x2, z2] = ring[(j + 1) % 4]!;
      clay.line(foot(s, x, z, i), foot(t, x2, z2, i + 1), 0.6);
      clay.line(foot(t, x, z, i + 1), foot(t, x2, z2, i + 1), 0.5);
    });
  }
  for (const h of [4.2, 5.2]) clay.box(at(-6.4, -2 + h, 0.6), 0.1, 0.1, 3.4, k.clay, { foot: 0, edge: 0.6 });
  const wires: Vector3[][] = [-1.5, 1.5].map((z) => [v(-10.5, 4.6, 0.6 + z), v(-8.4, 2.9, 0.6 + z), v(-6.4, 2.9, 0.6 + z)]);
  for (const wire of wires) list.push({ points: wire, radius: 0.04, tint: k.charge });
  clay.box(at(-3.6, -1.4, 0.6), 1.3, 1.2, 1.6, k.clayMid, { foot: 0.4 });
  for (const z of [0.2, 1.0]) clay.cylinder(at(-3.6, -0.55, z), 0.12, 0.12, 0.55, k.clay, { sides: 10, edge: 0.4 });
  const supply = [v(-6.4, 2.9, 2.1), v(-5.4, 1.0, 1.6), v(-3.6, -0.3, 1.0), v(-2.7, -1.5, 0.9), v(-1.7, -1.55, 0.7), v(-1.2, -0.9, 0.5)];
  list.push({ points: supply, radius: 0.05, tint: k.charge });
  // a rack with one tray drawn out: eight chips
  clay.box(at(0.3, 0.7, -1.6), 3.4, 5.4, 1.9, mix(k.clayLow, b.page, 0.1), { foot: 0.5, edge: 0.8 });
  for (let i = 0; i < 8; i++) clay.box(at(0.3, 3.0 - i * 0.62, -0.63), 3.0, 0.42, 0.04, k.clayMid, { foot: 0.2, edge: 0.3 });
  const tray = at(0.3, -0.55, 1.15, 0.12);
  clay.box(tray, 3.7, 0.14, 2.9, k.clayMid, { foot: 0 });
  const chips: Vector3[] = [];
  for (let i = 0; i < 8; i++) {
    const board = within(tray, -1.35 + (i % 4) * 0.9, 0.14, -0.65 + Math.floor(i / 4) * 1.3);
    clay.box(board, 0.76, 0.1, 1.0, k.clayLow, { foot: 0, edge: 0.6 });
    lit.box(within(board, 0, 0.12, 0), 0.34, 0.14, 0.44, k.charge, { foot: 0.3, edge: 0 });
    chips.push(v(0, 0.3, 0).applyMatrix4(board));
    for (const x of [-0.28, 0.28]) for (const z of [-0.28, 0, 0.28]) lit.box(within(board, x, 0.12, z), 0.12, 0.14, 0.2, k.stored, { foot: 0.35, edge: 0 });
  }
  b.glow(chips, k.heat, 2.3, 1);
  // the loop: hot out in red, cool back in clay; the tower where water leaves as vapor
  const hot = [v(1.9, -0.6, -0.9), v(2.8, -0.6, -0.9), v(3.1, 0.2, -0.9), v(3.9, 0.8, -0.9), v(5.0, 0.9, -0.9)];
  const cool = [v(5.0, -1.5, 0.2), v(4.0, -1.7, 0.6), v(2.9, -1.7, 0.9), v(2.4, -0.9, 0.8), v(2.0, -0.6, 0.8)];
  list.push({ points: hot, radius: 0.13, tint: k.heat });
  list.push({ points: cool, radius: 0.13, tint: dark ? k.clay : "#b7b1a2" });
  const profile: readonly (readonly [number, number])[] = [[1.55, -2], [1.2, -0.7], [0.98, 0.6], [0.95, 1.5], [1.12, 2.4]];
  for (let i = 0; i + 1 < profile.length; i++) {
    const [r0, y0] = profile[i]!;
    const [r1, y1] = profile[i + 1]!;
    clay.add(new CylinderGeometry(r1, r0, y1 - y0, 28, 1, true), at(6.1, (y0 + y1) / 2, -0.4), k.clayMid, { foot: i === 0 ? 0.45 : 0.08, edge: 0 });
    for (let a = 0; a < 28; a++) {
      const c = (r: number, y: number, q: number) => v(6.1 + r * Math.cos(q), y, -0.4 + r * Math.sin(q));
      if (i === 0 || i === profile.length - 2) clay.line(c(i === 0 ? r0 : r1, i === 0 ? y0 : y1, (a * Math.PI) / 14), c(i === 0 ? r0 : r1, i === 0 ? y0 : y1, ((a + 1) * Math.PI) / 14), 0.8);
      if (a % 4 === 0) clay.line(c(r0, y0, (a * Math.PI) / 14), c(r1, y1, (a * Math.PI) / 14), 0.25);
    }
  }
  for (let i = 0; i < 5; i++) {
    const wisp = (u: number) => v(5.5 + i * 0.3 + 0.22 * Math.sin(u * 6 + i * 1.7), 2.5 + u * 2.3, -0.4 + 0.1 * i);
    for (let j = 0; j < 26; j++) clay.line(wisp(j / 26), wisp((j + 1) / 26), 0.75 * Math.sin((Math.PI * (j + 0.5)) / 26));
  }
  b.beads(new Track([...wires[1]!, ...supply.slice(1)]), 16, mix(k.charge, "#ffffff", dark ? 0.45 : 0), 0.05, 0.11);
  b.beads(new Track(hot), 7, mix(k.heat, "#ffffff", dark ? 0.25 : 0), 0.07, 0.17);
  b.beads(new Track(cool), 7, dark ? "#9aa6b8" : "#857f71", 0.07, 0.17);
  return b.finish(
    { line: wires[1]![1]!.clone(), chip: chips[5]!, hot: hot[3]!, cool: cool[1]!, tower: v(6.1, 2.3, -0.4), vapor: v(6.3, 4.3, -0.4), rack: v(0.3, 3.3, -0.8) },
    { yaw: 16, pitch: 17, y: 0.7, x: -0.5, distance: 74 },
  );
}

/** 2: five tokens; the last one's list in full, one bar a number. */
function vectors(b: Bench, counts: WordCounts): WordModel {
  const { clay, lit, list, k, dark } = b;
  const columns = 64;
  const rows = Math.ceil(counts.width / columns);
  const cell = 0.088;
  const w = columns * cell;
  const d = rows * cell;
  clay.box(at(0, -1.1, 1.2), w + 0.4, 0.1, d + 0.4, k.clayLow, { foot: 0, edge: 0.7 });
  const bars = b.instances(counts.width, null, 1, true);
  const m = new Matrix4();
  const rnd = thrown(7);
  const c = new Color();
  for (let i = 0; i < counts.width; i++) {
    const g = rnd() + rnd() + rnd() - 1.5;
    const h = 0.05 + 0.5 * Math.abs(g);
    m.makeScale(cell * 0.7, h, cell * 0.7);
    m.setPosition(-w / 2 + ((i % columns) + 0.5) * cell, -1.05 + h / 2, 1.2 - d / 2 + (Math.floor(i / columns) + 0.5) * cell);
    bars.setMatrixAt(i, m);
    bars.setColorAt(i, c.set(k.charge).lerp(b.page, g > 0 ? 0.05 : 0.55));
  }
  // the table that is looked up: at rest, row upon row
  const back = -7.2;
  clay.box(at(0, 1.4, back), 9.4, 5.2, 0.3, mix(k.clayLow, b.page, 0.1), { foot: 0.35, edge: 0.8 });
  const shelf = b.instances(26 * 22, null);
  for (let i = 0; i < 26 * 22; i++) {
    const x = i % 26;
    const y = Math.floor(i / 26);
    m.makeScale(0.3, 0.14, 0.04);
    m.setPosition(-4.4 + x * 0.352, 3.7 - y * 0.222, back + 0.18);
    shelf.setMatrixAt(i, m);
    shelf.setColorAt(i, c.set(k.stored).lerp(b.page, dark ? 0.5 + 0.35 * rnd() : 0.35 + 0.4 * rnd()));
  }
  const rowY = [3.0, 1.9, 0.6, 2.4, 1.2];
  const strips: Vector3[] = [];
  for (let i = 0; i < 5; i++) {
    const x = -3.6 + i * 1.8;
    const y = rowY[i]!;
    lit.box(at(x * 1.1, y, back + 0.22), 1.25, 0.14, 0.06, k.charge, { foot: 0, edge: 0 });
    const start = v(x * 1.1, y, back + 0.26);
    const end = v(x * 0.72, -0.95, 1.2 - d / 2 - 0.4);
    const last = i === 4;
    list.push({ points: [start, start.clone().add(v(0, 0.4, 1.1)), end.clone().add(v(0, 1.6, -0.6)), end], radius: last ? 0.045 : 0.026, tint: last ? k.charge : mix(k.charge, b.page, 0.4) });
    strips.push(end);
    if (!last) lit.box(at(x * 0.72, -0.98, 1.2 - d / 2 - 0.33), 0.9, 0.05, 0.08, mix(k.charge, b.page, 0.4), { foot: 0, edge: 0 });
    if (last) b.beads(new Track([start, start.clone().add(v(0, 0.4, 1.1)), end.clone().add(v(0, 1.6, -0.6)), end]), 4, mix(k.charge, "#ffffff", dark ? 0.5 : 0), 0.12, 0.1);
  }
  return b.finish({ table: v(-4.6, 3.9, back), row: v(3.96, 1.2, back + 0.3), field: v(w / 2, -0.9, 1.2 + d / 2), left: v(-w / 2, -0.9, 1.2 + d / 2) },
    { y: 0.5, z: -1.7, pitch: 31, yaw: 28, distance: 77 });
}

/** 3 and 7: all layers as slabs; one opened for reading, or closed with the way round. */
function slabs(b: Bench, counts: WordCounts, loop: boolean): WordModel {
  const { clay, list, k, dark } = b;
  const S = 5;
  const B = 7.3;
  const gap = loop ? 0.13 : 0.104;
  const end = loop ? 1.3 : 2.15;
  const middle = Math.floor(counts.layers / 2);
  const y0 = loop ? -(counts.layers / 2) * gap : -1.9 - middle * gap;
  const rnd = thrown(11);
  const pick = () => {
    const set = new Set<number>();
    while (set.size < counts.picked) set.add(Math.floor(rnd() * counts.experts));
    return set;
  };
  const side = Math.round(Math.sqrt(counts.experts));
  const heights = Array.from({ length: counts.layers }, (_, i) => (loop || i < middle ? y0 + i * gap : i === middle ? 0 : 2.95 + (i - middle - 1) * gap));
  const opened = loop ? -1 : middle;
  const plates = b.instances(counts.layers, dark ? "#9fb4d0" : "#6f7d92", dark ? 0.02 : 0.022);
  const m = new Matrix4();
  const cells: Vector3[] = [];
  let n = 0;
  for (let i = 0; i < counts.layers; i++) {
    if (i === opened) continue;
    const y = heights[i]!;
    m.makeScale(S, 0.045, S);
    m.setPosition(0, y, 0);
    plates.setMatrixAt(n++, m);
    const top = i === counts.layers - 1 || i === opened - 1;
    const strength = top ? 0.75 : i % 10 === 0 ? 0.42 : 0.17;
    const h = S / 2;
    const corner = [v(-h, y, -h), v(h, y, -h), v(h, y, h), v(-h, y, h)];
    for (let j = 0; j < 4; j++) clay.line(corner[j]!, corner[(j + 1) % 4]!, strength * (j === 0 || j === 3 ? 0.45 : 1));
    if (i >= counts.plainLayers) for (const e of pick()) cells.push(v(-h + ((e % side) + 0.5) * (S / side), y + 0.02, -h + (Math.floor(e / side) + 0.5) * (S / side)));
    else for (let q = 0; q < 26; q++) cells.push(v(-h + (q + 0.5) * (S / 26), y + 0.02, h - 0.1));
  }
  plates.count = n;
  const dots = b.instances(cells.length, k.charge, dark ? 0.8 : 0.9);
  cells.forEach((c, i) => {
    m.makeScale(0.155, 0.05, 0.155);
    m.setPosition(c);
    dots.setMatrixAt(i, m);
  });
  const h = S / 2;
  const low = v(0, heights[0]! - end - 0.35, 0);
  const high = v(0, heights[counts.layers - 1]! + end, 0);
  const anchors: Record<string, Vector3> = {
    out: high, in: low, plain: v(-h, heights[1]!, h), top: v(-h, heights[counts.layers - 1]!, h), bottom: v(-h, heights[0]!, h),
  };
  if (loop) {
    list.push({ points: [low, v(0, 0, 0), high], radius: 0.055, tint: k.charge, straight: true });
    const round = [high, v(1.2, high.y + 0.55, -1.2), v(4.6, high.y - 0.3, -4.2), v(5.9, 0, -5.3), v(4.6, low.y + 0.3, -4.2), v(1.2, low.y - 0.55, -1.2), low];
    list.push({ points: round, radius: 0.055, tint: k.charge });
    const whole = new Track([low, v(0, low.y + 1, 0), v(0, 0, 0), v(0, high.y - 1, 0), ...round]);
    b.beads(whole, 3, dark ? "#fff6de" : k.charge, 0.09, 0.16);
    b.glow([high, low], k.charge, 2.2);
    anchors["round"] = v(5.9, 0, -5.3);
    return b.finish(anchors, { y: 0, distance: 76, x: 1.1, z: -1.1 });
  }
  // the opened layer
  clay.box(at(0, -0.09, 0), B + 0.3, 0.12, B + 0.3, k.clayLow, { foot: 0, edge: 0.85 });
  const lit = pick();
  const litAt: Vector3[] = [];
  const experts = b.instances(counts.experts, null, 1, true);
  const tint = new Color();
  const w = B / side;
  for (let i = 0; i < counts.experts; i++) {
    const x = -B / 2 + ((i % side) + 0.5) * w;
    const z = -B / 2 + (Math.floor(i / side) + 0.5) * w;
    const on = lit.has(i);
    m.makeScale(w * 0.72, on ? 0.5 : 0.13, w * 0.72);
    m.setPosition(x, on ? 0.22 : 0.035, z);
    experts.setMatrixAt(i, m);
    tint.set(on ? k.charge : k.stored);
    if (!on) tint.lerp(b.page, dark ? 0.74 + rnd() * 0.08 : 0.5 + rnd() * 0.12);
    experts.setColorAt(i, tint);
    if (on) litAt.push(v(x, 0.47, z));
  }
  clay.box(at(0, 0.06, B / 2 + 0.62), B * 0.62, 0.3, 0.34, k.charge, { foot: 0.25, edge: 0.2, edgeColor: k.page });
  clay.box(at(0, -0.09, B / 2 + 0.62), B * 0.68, 0.12, 0.62, k.clayLow, { foot: 0, edge: 0.7 });
  const lo = heights[opened - 1]!;
  const hi = heights[opened + 1]!;
  list.push({ points: [low, v(0, y0, 0), v(0, lo, 0)], radius: 0.05, tint: k.charge, straight: true });
  list.push({ points: [v(0, hi, 0), v(0, heights[counts.layers - 1]!, 0), high], radius: 0.05, tint: k.charge, straight: true });
  const faint = mix(k.charge, b.page, 0.45);
  for (const p of [...litAt, v(0, 0.25, B / 2 + 0.62)]) {
    list.push({ points: [v(0, lo, 0), v(p.x * 0.12, lo * 0.65, p.z * 0.12), v(p.x * 0.8, -0.35, p.z * 0.8), v(p.x, 0, p.z)], radius: 0.016, tint: faint });
    list.push({ points: [p, v(p.x * 0.82, p.y + 0.75, p.z * 0.82), v(p.x * 0.15, hi - 0.7, p.z * 0.15), v(0, hi, 0)], radius: 0.026, tint: k.charge });
  }
  b.glow([...litAt.map((p) => v(p.x, 0.4, p.z)), high, low], k.charge, 2.1);
  b.beads(new Track([low, v(0, lo, 0)]), 1, dark ? "#fff6de" : k.charge, 0.22, 0.13);
  b.beads(new Track([v(0, hi, 0), high]), 1, dark ? "#fff6de" : k.charge, 0.22, 0.13);
  anchors["lower"] = v(-h, lo, h);
  anchors["upper"] = v(-h, hi, h);
  anchors["opened"] = v(-B / 2, 0, B / 2);
  anchors["expert"] = [...litAt].sort((a, c) => c.x - c.z - (a.x - a.z))[0] ?? v(0, 0, 0);
  anchors["shared"] = v(-B * 0.3, -0.1, B / 2 + 0.8);
  return b.finish(anchors, { distance: 71 });
}

/** 4: each token looks back; then a field of multipliers, the token's numbers from the left, weights at rest above it. */
function sums(b: Bench): WordModel {
  const { clay, lit, list, k, dark } = b;
  const N = 18;
  const cell = 0.42;
  const w = N * cell;
  clay.box(at(0, -1.6, 1.4), w + 0.5, 0.14, w + 0.5, k.clayLow, { foot: 0, edge: 0.8 });
  const grid = b.instances(N * N, null, 1, true);
  const rnd = thrown(5);
  const weights = Array.from({ length: N * N }, () => 0.25 + 0.75 * rnd());
  const m = new Matrix4();
  const c = new Color();
  const rest = new Color(k.stored).lerp(b.page, dark ? 0.66 : 0.5);
  const work = new Color(k.charge);
  const out = b.instances(N, null, 1, true);
  const inn = b.instances(N, k.charge, 1, true);
  for (let i = 0; i < N; i++) {
    const h = 0.3 + 0.8 * rnd();
    m.makeScale(cell * 0.7, h, cell * 0.7);
    m.setPosition(-w / 2 - 0.75, -1.5 + h / 2, 1.4 - w / 2 + (i + 0.5) * cell);
    inn.setMatrixAt(i, m);
  }
  // the wave: a column of multipliers works, what it made is added on its way to the right
  b.movers.push((seconds) => {
    const front = ((seconds * 0.16) % 1) * (N + 6) - 3;
    for (let i = 0; i < N * N; i++) {
      const x = i % N;
      const z = Math.floor(i / N);
      const near = Math.max(0, 1 - Math.abs(x - front + (z - N / 2) * 0.12) / 2.2);
      const h = 0.12 + 0.26 * weights[i]! + 0.55 * near;
      m.makeScale(cell * 0.76, h, cell * 0.76);
      m.setPosition(-w / 2 + (x + 0.5) * cell, -1.53 + h / 2, 1.4 - w / 2 + (z + 0.5) * cell);
      grid.setMatrixAt(i, m);
      grid.setColorAt(i, c.copy(rest).lerp(work, near));
    }
    const done = Math.min(Math.max(front / N, 0), 1);
    for (let z = 0; z < N; z++) {
      const h = 0.08 + 1.25 * weights[z * 7 % (N * N)]! * done;
      m.makeScale(cell * 0.7, h, cell * 0.7);
      m.setPosition(w / 2 + 0.75, -1.5 + h / 2, 1.4 - w / 2 + (z + 0.5) * cell);
      out.setMatrixAt(z, m);
      out.setColorAt(z, c.copy(work).lerp(b.page, 0.15));
    }
    for (const mesh of [grid, out]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  });
  // looking back: the last token reaches all earlier ones, some more than others
  const z = -5.4;
  const xs = [-4, -2, 0, 2, 4];
  const share = [0.25, 0.6, 0.2, 1, 0.4];
  xs.forEach((x, i) => {
    clay.box(at(x, 0.1, z), 1.3, 0.5, 0.5, i === 4 ? k.clay : k.clayMid, { foot: 0.35, edge: 0.8 });
    lit.box(at(x, 0.37, z), 0.9, 0.05, 0.3, i === 4 ? k.charge : mix(k.stored, b.page, 0.1), { foot: 0, edge: 0 });
    if (i < 4) {
      const p = (u: number) => v(4 + (x - 4) * u, 0.45 + Math.sin(Math.PI * u) * (0.7 + (4 - x) * 0.24), z);
      list.push({ points: [0, 0.25, 0.5, 0.75, 1].map(p), radius: 0.016 + 0.06 * share[i]!, tint: mix(k.charge, b.page, 0.55 - 0.5 * share[i]!) });
    }
  });
  const down = [v(4, 0, z + 0.3), v(3.2, -0.6, z + 1.2), v(-3, -1, z + 1.4), v(-w / 2 - 0.75, -1.0, 1.4 - w / 2 - 0.4)];
  list.push({ points: down, radius: 0.035, tint: k.charge });
  b.beads(new Track(down), 5, mix(k.charge, "#ffffff", dark ? 0.45 : 0), 0.1, 0.1);
  return b.finish({ look: v(0, 2.2, z), last: v(4, 0.4, z), field: v(w / 2, -1.4, 1.4 + w / 2), inn: v(-w / 2 - 0.75, -0.7, 1.4 + w / 2 - 0.4), out: v(w / 2 + 0.75, -0.4, 1.4 - w / 2 + 1.5) },
    { y: -0.2, z: -0.8, pitch: 29, yaw: 30, distance: 77 });
}

/** 5: a small chip between tall stacks; most of the time it waits for what comes over the edge. */
function memory(b: Bench): WordModel {
  const { clay, lit, list, k, dark } = b;
  clay.box(at(0, -1.75, 0), 11.6, 0.16, 8.2, k.clayLow, { foot: 0, edge: 0.8 });
  clay.box(at(0, -1.55, 0), 10.2, 0.22, 6.8, mix(k.clayMid, b.page, 0.12), { foot: 0.1, edge: 0.5 });
  // the chip: a grid of calculators
  clay.box(at(0, -1.3, 0), 3.3, 0.26, 3.9, k.clayMid, { foot: 0.3, edge: 0.9 });
  const N = 12;
  const cells = b.instances(N * N, null);
  const m = new Matrix4();
  const c = new Color();
  for (let i = 0; i < N * N; i++) {
    m.makeScale(0.19, 0.08, 0.23);
    m.setPosition(-1.43 + (i % N) * 0.26, -1.13, -1.7 + Math.floor(i / N) * 0.309);
    cells.setMatrixAt(i, m);
  }
  const cold = mix(k.charge, b.page, dark ? 0.78 : 0.72);
  const hot = new Color(k.charge);
  b.movers.push((seconds) => {
    // a short flash of work, a long wait: the true ratio is far longer and stands in the text
    const phase = (seconds * 0.5) % 1;
    const busy = phase < 0.14 ? 1 : 0;
    for (let i = 0; i < N * N; i++) cells.setColorAt(i, c.copy(cold).lerp(hot, busy ? 1 : (i * 37) % 29 === 0 ? 0.55 : 0));
    cells.instanceColor!.needsUpdate = true;
  });
  const layers = 12;
  const tops: Vector3[] = [];
  for (const side of [-1, 1]) {
    for (let j = 0; j < 3; j++) {
      const x = side * 3.6;
      const z = -2.15 + j * 2.15;
      if (side === 1 && j === 2) {
        clay.box(at(x, -1.35, z), 1.5, 0.2, 1.6, k.clayLow, { foot: 0.2, edge: 0.5 });
        continue;
      }
      for (let l = 0; l < layers; l++) {
        const y = -1.28 + l * 0.24;
        lit.box(at(x, y, z), 1.5, 0.17, 1.6, mix(k.stored, b.page, (dark ? 0.3 : 0.22) + 0.3 * (1 - l / layers)), { foot: 0.35, edge: 0 });
        clay.box(at(x, y + 0.11, z), 1.42, 0.05, 1.52, k.clayLow, { foot: 0, edge: 0 });
      }
      const edge = at(x, -1.28 + (layers - 1) * 0.12, z);
      clay.edges(edge, 1.54, layers * 0.24, 1.64, 0.7);
      tops.push(v(x, -1.28 + layers * 0.24, z));
      for (let lane = 0; lane < 4; lane++) {
        const zz = z - 0.5 + lane * 0.33;
        const way = [v(x - side * 0.75, -1.15, zz), v(x - side * 1.2, -1.22, zz * 0.92), v(side * 1.75, -1.2, zz * 0.72)];
        list.push({ points: way, radius: 0.022, tint: mix(k.charge, b.page, 0.3) });
      }
      const bus = [v(x - side * 0.2, 1.1, z), v(x - side * 0.78, 0.6, z), v(x - side * 0.85, -0.9, z), v(side * 2.2, -1.12, z * 0.86), v(side * 1.4, -1.05, z * 0.62)];
      b.beads(new Track(bus), 8, mix(k.charge, "#ffffff", dark ? 0.35 : 0), 0.09, 0.085);
    }
  }
  b.glow([v(0, -1.0, 0)], k.charge, 6, 0.5);
  // those who share one read
  for (let i = 0; i < 10; i++) clay.box(at(-4.05 + i * 0.9, -1.5, 3.95), 0.5, 0.34, 0.34, i === 4 ? k.charge : k.clay, { foot: 0.35, edge: 0.7 });
  return b.finish({ stack: tops[0]!, chip: v(0, -1.1, 0), lanes: v(2.5, -1.15, -1.6), readers: v(-4.05, -1.3, 4.1), reader: v(-0.45, -1.3, 4.1), stack2: tops[3] ?? tops[0]! },
    { y: -0.6, pitch: 30, yaw: 28, distance: 72 });
}

/** 6: one score a token that the model knows, each a dot; one is picked. */
function scores(b: Bench, counts: WordCounts): WordModel {
  const { clay, lit, list, k, dark } = b;
  const columns = 404;
  const rows = Math.ceil(counts.scores / columns);
  const w = 11.6;
  const d = (w * rows) / columns;
  clay.box(at(0, -1.62, 0), w + 0.3, 0.08, d + 0.3, k.clayLow, { foot: 0, edge: 0.7 });
  const positions = new Float32Array(counts.scores * 3);
  const colors = new Float32Array(counts.scores * 3);
  const rnd = thrown(23);
  const c = new Color();
  const rest = new Color(k.stored).lerp(b.page, dark ? 0.62 : 0.45);
  for (let i = 0; i < counts.scores; i++) {
    const x = ((i % columns) / columns - 0.5) * w;
    const z = (Math.floor(i / columns) / rows - 0.5) * d;
    const low = rnd() ** 6;
    positions.set([x, -1.55 + 0.16 * low + 0.1 * (Math.sin(x * 1.7) * Math.sin(z * 2.3) + 1) * rnd(), z], i * 3);
    c.copy(rest).lerp(new Color(k.charge), low > 0.92 ? 0.6 : 0);
    colors.set([c.r, c.g, c.b], i * 3);
  }
  const shape = new BufferGeometry();
  shape.setAttribute("position", new BufferAttribute(positions, 3));
  shape.setAttribute("color", new BufferAttribute(colors, 3));
  b.scene.add(new Points(shape, new PointsMaterial({ size: 0.034, vertexColors: true, sizeAttenuation: true })));
  const tall: readonly (readonly [number, number, number])[] = [[1.5, -0.6, 4.2], [-3.2, 1.7, 1.5], [3.9, 2.3, 1.0], [-1.1, -2.9, 0.8], [-4.6, -1.9, 0.55], [4.7, -2.4, 0.45], [0.4, 3.1, 0.7], [-2.2, 3.4, 0.35]];
  tall.forEach(([x, z, h], i) => {
    lit.box(at(x, -1.55 + h / 2, z), 0.24, h, 0.24, i === 0 ? k.charge : mix(k.charge, b.page, 0.42), { foot: 0.4, edge: 0 });
  });
  const top = v(1.5, 2.7, -0.6);
  list.push({ points: [top, v(1.5, 3.3, -0.6), v(1.5, 4.1, -0.6)], radius: 0.05, tint: k.charge, straight: true });
  b.glow([top], k.charge, 2.6);
  b.beads(new Track([v(1.5, 2.7, -0.6), v(1.5, 4.1, -0.6)]), 1, dark ? "#fff6de" : k.charge, 0.3, 0.12);
  return b.finish({ paris: v(1.5, 4.1, -0.6), other: v(-3.2, -0.05, 1.7), third: v(3.9, -0.5, 2.3), field: v(-w / 2, -1.5, d / 2), right: v(w / 2, -1.5, d / 2) },
    { y: -0.1, pitch: 30, yaw: 24, distance: 76 });
}
