/** The near end of the way: phone or laptop, what its radio reaches, and the eye that reads. */
import { Color, Matrix4, Mesh, MeshBasicMaterial, Quaternion, Scene, SphereGeometry, Vector3 } from "./three";
import { over, stand, v, type Hue } from "./arc";
import { Kit, mix, within, type Tint, type Tube } from "./kit";
import type { Palette } from "./palette";

export function drawPhone(clay: Kit, lit: Kit, k: Palette, home: number, hue: Hue): Matrix4 {
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

export function drawLaptop(clay: Kit, lit: Kit, k: Palette, home: number, hue: Hue): Matrix4 {
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

export function drawTower(clay: Kit, list: Tube[], k: Palette, mast: number): Vector3 {
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
export function drawRouter(clay: Kit, lit: Kit, list: Tube[], k: Palette, mast: number, hue: Hue): Vector3 {
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
export function radio(list: Tube[], from: Vector3, to: Vector3, page: Color, far: boolean, tint: Tint): void {
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

/** An eye that looks at the screen, and the light between them. */
export function drawEye(clay: Kit, list: Tube[], scene: Scene, k: Palette, screen: Matrix4, phone: boolean, tint: Tint): Vector3 {
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
