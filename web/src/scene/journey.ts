/**
 * The whole way as one cut arc of ground: an eye and a device on the left, glass under the sea, a hall of machines on
 * the right. Lengths along the arc are told, not measured; the fourth view (`globe.ts`) has the true proportions.
 */
import {
  AdditiveBlending, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, DirectionalLight,
  DynamicDrawUsage, HemisphereLight, InstancedMesh, BoxGeometry, Matrix4, Mesh, MeshBasicMaterial, NormalBlending,
  Points, PointsMaterial, Quaternion, Scene, SphereGeometry, Vector3,
} from "./three";
import { Kit, Track, at, mix, spot, tubes, within, type Tint, type Tube } from "./kit";
import type { Palette } from "./palette";
import type { Gaze, Model } from "./runtime";

/** The eight numbered parts. */
export type Part = "device" | "access" | "internet" | "balancer" | "server" | "cache" | "back" | "eye";
export const PARTS: readonly Part[] = ["device", "access", "internet", "balancer", "server", "cache", "back", "eye"];

export interface JourneyOptions {
  readonly palette: Palette;
  /** What the reader types on, and so what the radio reaches: a phone and its tower, or a laptop and its router. */
  readonly device: "phone" | "laptop";
  /** False when nothing leaves the device: the way is drawn and stays empty. */
  readonly leaves: boolean;
  /** One color a part instead of one a carrier. */
  readonly byPart?: Readonly<Record<Part, string>>;
}

const RADIUS = 46;
const FRONT = 1.5;
const SEA: readonly [number, number] = [-0.135, 0.1];

/** A point over the arc: angle from the middle, height over the ground, depth. */
function over(angle: number, height = 0, depth = 0): Vector3 {
  return new Vector3(Math.sin(angle) * (RADIUS + height), Math.cos(angle) * (RADIUS + height) - RADIUS, depth);
}

/** A place that stands upright on the arc. */
function stand(angle: number, height: number, depth: number, turn = 0, size = 1): Matrix4 {
  const p = over(angle, height * size, depth);
  return new Matrix4()
    .makeTranslation(p.x, p.y, p.z)
    .multiply(new Matrix4().makeRotationZ(-angle))
    .multiply(new Matrix4().makeRotationY(turn))
    .multiply(new Matrix4().makeScale(size, size, size));
}

function smooth(x: number, a: number, b: number): number {
  const t = Math.min(Math.max((x - a) / (b - a), 0), 1);
  return t * t * (3 - 2 * t);
}

const v = (x: number, y: number, z: number) => new Vector3(x, y, z);

export function journey({ palette: k, device, leaves, byPart }: JourneyOptions): Model {
  const dark = k.ground === "dark";
  const scene = new Scene();
  scene.add(new HemisphereLight("#ffffff", dark ? "#2b3547" : "#cfc9ba", k.sky));
  const sun = new DirectionalLight("#fff3df", k.sun);
  sun.position.set(-14, 22, 20);
  scene.add(sun);
  const clay = new Kit(k.edge);
  const lit = new Kit(k.edge);
  const page = new Color(k.page);
  // a way that is not taken stays where it is, and pale
  const pale = (carrier: string) => `#${mix(carrier, page, 0.72).getHexString()}`;
  const hue = (part: Part, carrier: string): string =>
    byPart?.[part] ?? (leaves || part === "device" || part === "eye" ? carrier : pale(carrier));
  const list: Tube[] = [];

  scene.add(ground(clay, k));
  town(clay, k);

  // 1 the device, 2 what its radio reaches
  const home = -0.29;
  const mast = -0.195;
  const phone = device === "phone";
  const screen = phone ? drawPhone(clay, lit, k, home, hue) : drawLaptop(clay, lit, k, home, hue);
  const high = phone ? drawTower(clay, list, k, mast) : drawRouter(clay, lit, list, k, mast, hue);
  const from = phone ? over(home + 0.012, 3.1, 0.6) : within(screen, 0.9, 1.0, 0.1).multiply(at(0, 0, 0)).elements;
  const airStart = phone ? (from as Vector3) : v((from as number[])[12]!, (from as number[])[13]!, (from as number[])[14]!);
  radio(list, high, airStart, page, phone, hue("access", k.photons));

  // 3 and 7 the glass: one fiber each way
  const up = mast + 0.024;
  const down = 0.124;
  const cut = FRONT + 0.05;
  const arc = (a: number, b: number, h: number) =>
    Array.from({ length: 41 }, (_, i) => over(a + ((b - a) * i) / 40, h, cut));
  const outward = [over(up, 0.3, 0.1), over(up, 0.02, cut), over(up + 0.003, -0.5, cut), ...arc(up + 0.012, down - 0.012, -0.82),
    over(down - 0.003, -0.5, cut), over(down, 0.02, cut), over(down, 0.4, 0.5)];
  const homeward = [over(down + 0.012, 0.4, 0.5), over(down + 0.012, 0.02, cut), over(down + 0.009, -0.8, cut),
    ...arc(down - 0.004, up, -1.22), over(up - 0.009, -0.8, cut), over(up - 0.012, 0.02, cut), over(up - 0.012, 0.3, 0.1)];
  list.push({ points: outward, radius: 0.035, tint: hue("internet", k.photons) });
  list.push({ points: homeward, radius: 0.035, tint: hue("back", k.photons) });
  for (let t = -0.13; t < 0.1; t += 0.046) {
    for (const h of [-0.82, -1.22]) {
      clay.add(new CylinderGeometry(0.1, 0.1, 0.42, 12).rotateZ(Math.PI / 2), stand(t, h, cut), k.clayMid, { foot: 0.3, edge: 0.3 });
    }
  }

  // 4, 5, 6 the hall
  const hall = drawHall(clay, lit, list, k, hue, page);
  const { server, chips } = hall;
  const into = [over(0.147, 0.5, 0.4), over(0.157, 0.14, 0.9), over(0.166, 0.14, 0.8), v(-1.5, 0.3, 0.5).applyMatrix4(server)];
  list.push({ points: into, radius: 0.034, tint: hue("balancer", k.charge) });
  list.push({ points: [v(1.9, 0.2, 0.2).applyMatrix4(server), over(0.265, 0.2, 0.6), over(0.282, 0.5, 0.35), over(0.29, 1, 0.25)],
    radius: 0.032, tint: hue("cache", k.stored) });

  // 8 the eye
  const gaze = drawEye(clay, list, scene, k, screen, phone, hue("eye", k.photons));

  scene.add(tubes(list), clay.solids(), clay.outlines(), lit.glowing());

  // ---- what moves
  const air = (a: Vector3, b: Vector3) => Array.from({ length: 12 }, (_, i) =>
    a.clone().lerp(b, i / 11).add(v(0, Math.sin((i / 11) * Math.PI) * 0.35, 0)));
  const foot = over(mast, phone ? 2 : 0.9, 0.1);
  const asked = new Track([...air(airStart, high), foot, ...outward, ...into]);
  const answered = new Track([v(-1.5, 0.3, 0.9).applyMatrix4(server), over(0.16, 0.16, 1), over(0.15, 0.5, 0.6), ...homeward, foot, ...air(high, airStart)]);
  const bursts = 5;
  const beads = 30;
  const question = new InstancedMesh(new CapsuleGeometry(0.13, 0.62, 4, 12), new MeshBasicMaterial(), bursts);
  const answer = new InstancedMesh(new SphereGeometry(0.105, 14, 10), new MeshBasicMaterial(), beads);
  const spots = bursts + beads + chips.length;
  const spotAt = new Float32Array(spots * 3);
  const spotTint = new Float32Array(spots * 3);
  const spotShape = new BufferGeometry();
  spotShape.setAttribute("position", new BufferAttribute(spotAt, 3).setUsage(DynamicDrawUsage));
  spotShape.setAttribute("color", new BufferAttribute(spotTint, 3).setUsage(DynamicDrawUsage));
  const glow = new Points(spotShape, new PointsMaterial({
    size: 1.9, map: spot(), vertexColors: true, transparent: true, depthWrite: false,
    blending: dark ? AdditiveBlending : NormalBlending, opacity: dark ? 0.85 : 0.3,
  }));
  glow.frustumCulled = question.frustumCulled = answer.frustumCulled = false;
  const cells = hall.cells;
  scene.add(question, answer, glow, cells.mesh);

  const place = new Matrix4();
  const turn = new Quaternion();
  const upright = v(0, 1, 0);
  const one = v(1, 1, 1);
  const none = v(0, 0, 0);
  const p = v(0, 0, 0);
  const d = v(0, 0, 0);
  const tint = new Color();
  const asCharge = { q: new Color(mix(k.charge, "#ffffff", dark ? 0.55 : 0)), a: new Color(k.charge), s: new Color(hue("balancer", k.charge)) };
  const asLight = { q: new Color(k.question), a: new Color(k.answer), s: new Color(k.photons) };
  const warm = new Color(hue("server", k.heat));
  const full = mix(hue("cache", k.stored), page, dark ? 0.12 : 0.1);
  const empty = new Color(dark ? k.clayLow : k.clayMid);

  const put = (i: number, at: Vector3, color: Color, strength: number) => {
    at.toArray(spotAt, i * 3);
    spotTint[i * 3] = color.r * strength;
    spotTint[i * 3 + 1] = color.g * strength;
    spotTint[i * 3 + 2] = color.b * strength;
  };

  function pose(seconds: number): void {
    for (let i = 0; i < bursts; i++) {
      const share = (seconds * 0.09 + i * 0.034) % 1;
      asked.point(share, p);
      asked.direction(share, d);
      place.compose(p, turn.setFromUnitVectors(upright, d), leaves ? one : none);
      question.setMatrixAt(i, place);
      const kind = share > 0.93 ? asCharge : asLight;
      question.setColorAt(i, kind.q);
      put(i, p, kind.s, leaves ? 0.8 : 0);
    }
    for (let i = 0; i < beads; i++) {
      const share = (seconds * 0.05 + i / beads) % 1;
      answered.point(share, p);
      place.compose(p, turn.identity(), leaves ? one : none);
      answer.setMatrixAt(i, place);
      const kind = share < 0.07 ? asCharge : asLight;
      answer.setColorAt(i, kind.a);
      put(bursts + i, p, kind.s, leaves ? 0.42 : 0);
    }
    chips.forEach((chip, i) => put(bursts + beads + i, chip, warm, (dark ? 0.75 : 0.5) * (leaves ? 1 : 0.2)));
    const filled = leaves ? 30 + Math.floor((seconds * 1.55) % 30) : 0;
    for (let i = 0; i < cells.places.length; i++) {
      const on = i < filled;
      tint.copy(on ? full : empty);
      if (on) tint.lerp(page, dark ? 0.34 - (0.34 * i) / filled : 0.3 - (0.3 * i) / filled);
      cells.mesh.setMatrixAt(i, on ? cells.places[i]! : cells.flat[i]!);
      cells.mesh.setColorAt(i, tint);
    }
    for (const mesh of [question, answer, cells.mesh]) {
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    spotShape.getAttribute("position").needsUpdate = true;
    spotShape.getAttribute("color").needsUpdate = true;
  }

  const anchors: Record<Part, Vector3> = {
    device: phone ? over(home + 0.005, 3.25, 0.6) : v(0.1, 0.88, 0).applyMatrix4(screen),
    access: phone ? over(mast, 4.6, -0.5) : over(mast, 2.62, 0),
    internet: over(-0.045, -0.16, -0.6),
    balancer: over(0.131, 1.1, 0.1),
    server: over(0.213, 1.75, -0.5),
    cache: over(0.31, 3.15, -0.2),
    back: over(-0.075, -1.22, FRONT),
    eye: gaze,
  };
  return { scene, pose, anchors };
}

/** Where each part is looked at from. */
export function gazeOf(part: Part | "overview" | "inside", device: "phone" | "laptop"): Gaze {
  const near = (angle: number, height: number, yaw: number, pitch: number, distance: number): Gaze => {
    const p = over(angle, height, 0);
    return { x: p.x, y: p.y, z: 0, yaw, pitch, distance, lens: 14.2 };
  };
  switch (part) {
    case "overview": return { x: -0.2, y: 1.2, z: 0, yaw: 0, pitch: 10.4, distance: 57.5, lens: 14.2 };
    case "inside": return near(0.235, 1.1, 8, 17, 27);
    case "device": return near(-0.285, 1.5, -6, 12, 25);
    case "access": return near(-0.2, device === "phone" ? 2.0 : 1.2, 6, 12, device === "phone" ? 29 : 22);
    case "internet": return near(-0.02, -0.5, 0, 9, 36);
    case "balancer": return near(0.14, 0.6, -12, 18, 19);
    case "server": return near(0.215, 1.0, 4, 22, 20);
    case "cache": return near(0.3, 1.5, 12, 14, 19);
    case "back": return near(-0.075, -0.7, 0, 8, 34);
    case "eye": return near(-0.345, 1.7, 4, 10, 24);
  }
}

/** Along the signal: beside the first pulse of the question, at the moment that is shown. */
export function beside(seconds: number): Gaze {
  const share = ((seconds * 0.09 + 0.07) % 1);
  const angle = -0.3 + 0.52 * smooth(share, 0.02, 0.98);
  const p = over(angle, share < 0.2 || share > 0.86 ? 1.2 : -0.4, 0);
  return { x: p.x, y: p.y, z: 0.4, yaw: -26, pitch: 11, distance: 22, lens: 14.2 };
}

type Hue = (part: Part, carrier: string) => string;

function ground(clay: Kit, k: Palette): Mesh {
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
function town(clay: Kit, k: Palette): void {
  const dark = k.ground === "dark";
  [0.55, 0.8, 1.15, 0.7, 1.5, 0.9, 0.6, 1.0, 0.5].forEach((h, i) => {
    clay.box(stand(-0.25 + i * 0.0125, h / 2, -5.2 - (i % 2) * 0.6), 0.46, h, 0.46, mix(k.clayLow, k.page, dark ? 0.12 : 0.35),
      { edge: dark ? 0.3 : 0.28, foot: 0.42 });
  });
}

function drawPhone(clay: Kit, lit: Kit, k: Palette, home: number, hue: Hue): Matrix4 {
  const dark = k.ground === "dark";
  const body = within(stand(home + 0.006, 1.28, 0.6, -0.34, 1.28), 0, 0, 0, -0.1);
  clay.slab(body, 1.24, 2.5, 0.13, 0.2, k.clay, { foot: 0.2 });
  clay.slab(within(body, 0, 0, 0.075), 1.1, 2.34, 0.01, 0.15, dark ? "#0b0e13" : "#fffefb", { foot: 0, edge: 0.35 });
  lit.slab(within(body, 0.14, 0.72, 0.09), 0.74, 0.3, 0.01, 0.1, hue("device", k.photons), { foot: 0, edge: 0 });
  for (let i = 0; i < 5; i++) {
    lit.box(within(body, -0.12 - (i === 4 ? 0.18 : (i % 2) * 0.05), 0.3 - i * 0.17, 0.09), 0.7 - (i === 4 ? 0.36 : (i % 2) * 0.1), 0.055, 0.01,
      k.screen, { foot: 0, edge: 0 });
  }
  return body;
}

function drawLaptop(clay: Kit, lit: Kit, k: Palette, home: number, hue: Hue): Matrix4 {
  const dark = k.ground === "dark";
  const base = stand(home, 0.06, 0.1, -0.3, 1.5);
  clay.box(base, 2.5, 0.1, 1.7, k.clayMid, { foot: 0.2 });
  clay.box(within(base, 0, 0.056, 0.42), 0.8, 0.004, 0.5, k.clayLow, { foot: 0, edge: 0.35 });
  for (let row = 0; row < 4; row++) {
    for (let key = 0; key < 11; key++) {
      const pressed = row === 2 && key === 10;
      (pressed ? lit : clay).box(within(base, -1.05 + key * 0.21, pressed ? 0.062 : 0.075, -0.55 + row * 0.2), 0.17, 0.05, 0.15,
        pressed ? hue("device", k.charge) : k.clay, { foot: 0.2, edge: pressed ? 0 : 0.22 });
    }
  }
  const lid = within(base, 0, 0.84, -0.98, -0.2);
  clay.slab(lid, 2.5, 1.62, 0.08, 0.09, k.clayMid, { foot: 0.25 });
  clay.box(within(lid, 0, 0, 0.05), 2.3, 1.42, 0.01, dark ? "#0b0e13" : "#fffefb", { foot: 0, edge: 0.35 });
  lit.slab(within(lid, 0.48, 0.42, 0.065), 1.0, 0.24, 0.01, 0.1, hue("device", k.photons), { foot: 0, edge: 0 });
  for (let i = 0; i < 5; i++) {
    const wide = i === 4 ? 0.7 : 1.5 - (i % 2) * 0.16;
    lit.box(within(lid, -0.98 + wide / 2, 0.12 - i * 0.15, 0.065), wide, 0.055, 0.01, k.screen, { foot: 0, edge: 0 });
  }
  return lid;
}

function drawTower(clay: Kit, list: Tube[], k: Palette, mast: number): Vector3 {
  const dark = k.ground === "dark";
  const depth = -0.5;
  const tall = 4.3;
  const feet = [[-0.55, 0.45], [0.55, 0.45], [0, -0.6]] as const;
  const base = stand(mast, 0, depth);
  const joint = (i: number, h: number) => {
    const share = 1 - (0.78 * h) / tall;
    const [x, z] = feet[i % 3]!;
    return v(x * share, h, z * share).applyMatrix4(base);
  };
  for (let i = 0; i < 3; i++) {
    list.push({ points: [joint(i, 0), joint(i, tall / 2), joint(i, tall)], radius: 0.05, tint: dark ? k.clay : "#8f9097", straight: true });
    clay.box(within(stand(mast, 3.95, depth, i * 2.09 + 0.5), 0, 0, 0.36), 0.26, 0.95, 0.12, k.clay, { foot: 0.2 });
  }
  for (let j = 0; j < 8; j++) {
    for (let i = 0; i < 3; i++) {
      clay.line(joint(i, (j * tall) / 8), joint(i + 1, ((j + 1) * tall) / 8), 0.75);
      clay.line(joint(i, ((j + 1) * tall) / 8), joint(i + 1, ((j + 1) * tall) / 8), 0.6);
    }
  }
  clay.box(stand(mast + 0.024, 0.3, -0.2), 0.6, 0.6, 0.5, k.clayMid);
  return over(mast, 4.05, depth);
}

/** A router in a house that is only a line drawing, and the copper to the box where the fiber begins. */
function drawRouter(clay: Kit, lit: Kit, list: Tube[], k: Palette, mast: number, hue: Hue): Vector3 {
  const house = stand(mast, 0, -0.3);
  const c = (x: number, y: number, z: number) => v(x, y, z).applyMatrix4(house);
  const wide = 1.35;
  const wall = 1.9;
  const deep = 1.0;
  const ridge = 3.0;
  for (const z of [-deep, deep]) {
    clay.path([c(-wide, 0, z), c(-wide, wall, z), c(0, ridge, z), c(wide, wall, z), c(wide, 0, z)], z > 0 ? 1 : 0.45);
  }
  for (const [x, y] of [[-wide, wall], [0, ridge], [wide, wall]] as const) clay.line(c(x, y, -deep), c(x, y, deep), 0.75);
  clay.box(within(house, 0, 0.5, 0), 1.5, 0.08, 0.8, k.clayLow, { foot: 0, edge: 0.5 });
  for (const x of [-0.65, 0.65]) clay.box(within(house, x, 0.24, 0), 0.07, 0.5, 0.6, k.clayLow, { foot: 0.4, edge: 0.4 });
  clay.box(within(house, 0, 0.68, 0), 1.0, 0.24, 0.6, k.clay, { foot: 0.3 });
  for (const x of [-0.4, 0, 0.4]) {
    clay.cylinder(within(house, x, 1.22, -0.22, 0, 0, -x * 0.5), 0.04, 0.05, 0.9, k.clay, { sides: 8, edge: 0.5, foot: 0.3 });
  }
  for (let i = 0; i < 4; i++) lit.box(within(house, -0.36 + i * 0.14, 0.69, 0.305), 0.06, 0.06, 0.01, i < 3 ? hue("access", k.charge) : k.clayLow, { edge: 0, foot: 0 });
  // the copper path: from the router to the box on the wall where charge turns into light
  clay.box(within(house, wide - 0.12, 0.55, 0.72), 0.34, 0.62, 0.4, k.clayMid, { foot: 0.4 });
  list.push({ points: [c(0.5, 0.66, 0.2), c(0.75, 0.5, 0.6), c(0.95, 0.42, 0.75), c(wide - 0.12, 0.52, 0.78)], radius: 0.036, tint: hue("access", k.charge) });
  return c(0, 1.6, -0.1);
}

/** Radio is light with a long wave: dashed arcs that open toward the device. */
function radio(list: Tube[], from: Vector3, to: Vector3, page: Color, far: boolean, tint: Tint): void {
  const bearing = Math.atan2(to.y - from.y, to.x - from.x);
  const rings = far ? 5 : 3;
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  for (let ring = 1; ring <= rings; ring++) {
    for (let i = 0; i < 5; i++) {
      const spread = far ? 0.36 : 0.3;
      const a = bearing - spread + (2 * spread * (i + 0.12)) / 5;
      const b = bearing - spread + (2 * spread * (i + 0.78)) / 5;
      const r = far ? 0.5 + ring * 0.66 : 0.7 + (ring * (distance - 1.1)) / rings;
      const q = (t: number) => v(from.x + Math.cos(t) * r, from.y + Math.sin(t) * r, from.z + ring * 0.2);
      list.push({ points: [q(a), q((a + b) / 2), q(b)], radius: 0.03, tint: mix(tint, page, ring * 0.1) });
    }
  }
}

interface Hall {
  readonly server: Matrix4;
  readonly chips: readonly Vector3[];
  readonly cells: { readonly mesh: InstancedMesh; readonly places: readonly Matrix4[]; readonly flat: readonly Matrix4[] };
}

function drawHall(clay: Kit, lit: Kit, list: Tube[], k: Palette, hue: Hue, page: Color): Hall {
  const dark = k.ground === "dark";
  clay.box(stand(0.247, 0, -1.1), 8.2, 0.16, 5, k.clayLow, { foot: 0, edge: 0.5 });
  clay.box(stand(0.131, 0.03, -0.3), 1.7, 0.1, 2.6, k.clayLow, { foot: 0, edge: 0.5 });
  for (let i = 0; i < 7; i++) {
    const rack = stand(0.172 + i * 0.0235, 1.15, -2.7);
    clay.box(rack, 0.84, 2.1, 0.9, mix(k.clayLow, page, 0.3), { edge: 0.28, foot: 0.5 });
    for (let j = 0; j < 8; j++) clay.box(within(rack, 0, 0.82 - j * 0.23, 0.46), 0.66, 0.1, 0.02, k.clayMid, { foot: 0, edge: 0 });
  }
  // the balancer: one door in, several ways out; and those who wait
  const balancer = stand(0.131, 0.55, 0.1, 0.3);
  clay.box(balancer, 0.95, 0.95, 0.95, k.clay, { foot: 0.4 });
  for (let i = 0; i < 4; i++) {
    (i === 1 ? lit : clay).box(within(balancer, 0.485, 0.3 - i * 0.2, 0), 0.02, 0.07, 0.6, i === 1 ? hue("balancer", k.charge) : k.clayLow, { foot: 0, edge: 0 });
    (i === 1 ? lit : clay).box(within(balancer, 0, 0.3 - i * 0.2, 0.485), 0.6, 0.07, 0.02, i === 1 ? hue("balancer", k.charge) : k.clayLow, { foot: 0, edge: 0 });
  }
  for (let i = 0; i < 3; i++) {
    clay.box(stand(0.1515 + i * 0.0075, 0.14, 1.0, 0.12), 0.27, 0.27, 0.27, mix(k.waiting, page, 0.1 + i * 0.12), { foot: 0.35, edge: 0.9 });
  }
  for (const [x, y, end] of [[0.17, 0.5, 0.19], [0.16, 0.5, 0.172], [0.18, 0.4, 0.218]] as const) {
    list.push({ points: [over(0.147, 0.6, 0), over(x, y, -1.1), over(end, 0.85, -2.2)], radius: 0.014, tint: k.clay });
  }
  // the server's tray, tilted to the reader: eight chips, each between its stacks of memory
  const server = within(stand(0.214, 0.66, 0.2, 0, 1.14), 0, 0, 0, 0.56);
  clay.box(server, 4.1, 0.16, 2.15, k.clayMid, { foot: 0 });
  const chips: Vector3[] = [];
  for (let i = 0; i < 8; i++) {
    const board = within(server, -1.5 + (i % 4), 0.16, -0.5 + Math.floor(i / 4));
    clay.box(board, 0.8, 0.14, 0.78, k.clayLow, { foot: 0, edge: 0.6 });
    lit.box(within(board, 0, 0.13, 0), 0.36, 0.13, 0.42, hue("server", k.charge), { foot: 0.3, edge: 0 });
    chips.push(v(0, 0.3, 0).applyMatrix4(board));
    for (const x of [-0.29, 0.29]) for (const z of [-0.24, 0, 0.24]) lit.box(within(board, x, 0.13, z), 0.13, 0.14, 0.17, hue("server", k.stored), { foot: 0.35, edge: 0 });
  }
  // heat: a few thin wisps
  const back = stand(0.214, 0.66, 0.2, 0, 1.14);
  for (let i = 0; i < 5; i++) {
    const wisp = (u: number) => v(-1.5 + i * 0.75 + 0.09 * Math.sin(u * 7 + i * 2), 0.75 + u, -0.75).applyMatrix4(back);
    for (let j = 0; j < 22; j++) clay.line(wisp(j / 22), wisp((j + 1) / 22), 0.95 * Math.sin((Math.PI * (j + 0.5)) / 22), hue("server", k.heat));
  }
  // the cache: a shelf of cells that fill
  const shelf = stand(0.307, 1.45, -0.1, -0.3, 1.1);
  clay.box(within(shelf, 0, 0, -0.2), 2.2, 2.75, 0.1, k.clayLow, { foot: 0.3 });
  const places: Matrix4[] = [];
  const flat: Matrix4[] = [];
  for (let r = 0; r < 9; r++) {
    for (let c = 0; c < 7; c++) {
      const cell = within(shelf, -0.87 + c * 0.29, 1.16 - r * 0.29, -0.08);
      places.push(cell.clone().multiply(new Matrix4().makeScale(0.22, 0.22, 0.18)));
      flat.push(cell.clone().multiply(new Matrix4().makeScale(0.22, 0.22, 0.05)));
    }
  }
  const mesh = new InstancedMesh(new BoxGeometry(1, 1, 1), new MeshBasicMaterial(), places.length);
  mesh.frustumCulled = false;
  void dark;
  return { server, chips, cells: { mesh, places, flat } };
}

/** An eye that looks at the screen, and the light between them. */
function drawEye(clay: Kit, list: Tube[], scene: Scene, k: Palette, screen: Matrix4, phone: boolean, tint: Tint): Vector3 {
  const dark = k.ground === "dark";
  const center = over(-0.394, 1.75, 2.0);
  const target = v(0, phone ? 0.1 : 0, 0.1).applyMatrix4(screen);
  const look = target.clone().sub(center).normalize();
  // the ball is turned so that the reader sees the iris: the rest of the turn is the reader's imagination
  const facing = look.clone().add(v(0, 0.1, 1.5)).normalize();
  const turn = new Matrix4().makeRotationFromQuaternion(new Quaternion().setFromUnitVectors(v(0, 0, 1), facing));
  const ball = new Matrix4().makeTranslation(center.x, center.y, center.z).multiply(turn);
  const r = 0.98;
  clay.ball(ball, r, dark ? "#c3cad4" : "#fffdf8", { foot: dark ? 0.5 : 0.22 });
  const cap = (radius: number, wide: number, color: Tint) => {
    clay.add(new SphereGeometry(radius, 40, 10, 0, Math.PI * 2, 0, wide).rotateX(Math.PI / 2), ball, color, { foot: 0.2, edge: 0 });
  };
  const onBall = (a: number, wide: number, radius: number) =>
    v(Math.cos(a) * Math.sin(wide) * radius, Math.sin(a) * Math.sin(wide) * radius, Math.cos(wide) * radius).applyMatrix4(ball);
  cap(r * 1.012, 0.66, dark ? "#66728a" : "#a9a497");
  cap(r * 1.024, 0.29, dark ? "#06080b" : "#1f2228");
  for (let i = 0; i < 36; i++) {
    const a = (i / 36) * Math.PI * 2;
    clay.line(onBall(a, 0.32, r * 1.026), onBall(a, 0.6, r * 1.018), 0.5);
    clay.line(onBall(a, 0.66, r * 1.018), onBall(a + Math.PI / 18, 0.66, r * 1.018), 0.9);
  }
  const hull = new Mesh(new SphereGeometry(r * 1.022, 28, 20), new MeshBasicMaterial({ color: k.edge, side: 1 }));
  hull.position.copy(center);
  scene.add(hull);
  // the nerve leaves at the back
  const behind = facing.clone().multiplyScalar(-1);
  const nerve = (s: number, drop: number) => center.clone().addScaledVector(behind, s).add(v(-0.25 * drop, -drop, 0));
  list.push({ points: [nerve(r * 0.9, 0), nerve(r * 1.25, 0.1), nerve(r * 1.6, 0.45), nerve(r * 1.8, 0.95)], radius: 0.12, tint: dark ? k.clay : "#cfc9ba" });
  const pupil = v(0, 0, r * 1.02).applyMatrix4(ball);
  const size = phone ? [0.42, 0.95] : [0.95, 0.55];
  for (const [x, y, faint] of [[-1, 1, 0.45], [-1, -1, 0.45], [-0.55, 0.05, 0]] as const) {
    const start = v(x * size[0]!, y * size[1]!, 0.12).applyMatrix4(screen);
    list.push({ points: [start, start.clone().lerp(pupil, 0.5), pupil], radius: faint ? 0.013 : 0.026, tint: mix(tint, k.page, faint), straight: true });
  }
  return center.clone().add(v(0.1, r * 1.0, 0));
}
