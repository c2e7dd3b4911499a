/**
 * The whole way as one cut arc of ground: an eye and a device on the left, glass under the sea, a hall of machines on
 * the right. Lengths along the arc are told, not measured; the fourth view (`globe.ts`) has the true proportions.
 */
import {
  AdditiveBlending, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, CylinderGeometry, DirectionalLight, DynamicDrawUsage,
  HemisphereLight, InstancedMesh, Matrix4, MeshBasicMaterial, NormalBlending, Points, PointsMaterial, Quaternion, Scene, SphereGeometry, Vector3,
} from "./three";
import { FRONT, over, smooth, stand, v, type JourneyOptions, type Part } from "./arc";
import { drawEye, drawLaptop, drawPhone, drawRouter, drawTower, radio } from "./ends";
import { drawBoard, drawHall } from "./hall";
import { Kit, Track, at, mix, spot, tubes, within, type Tube } from "./kit";
import { ground, town } from "./land";
import type { Gaze, Model } from "./runtime";

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
    byPart?.[part] ?? (leaves || (part !== "access" && part !== "internet" && part !== "back") ? carrier : pale(carrier));
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
  const hall = leaves ? drawHall(clay, lit, list, k, hue, page) : drawBoard(clay, lit, k, hue, phone ? [home + 0.02, 0.4, 2.7] : [home + 0.03, 0.3, 2.4]);
  const { server, chips } = hall;
  const into = [over(0.147, 0.5, 0.4), over(0.157, 0.14, 0.9), over(0.166, 0.14, 0.8), v(-1.5, 0.3, 0.5).applyMatrix4(server)];
  if (leaves) list.push({ points: into, radius: 0.034, tint: hue("balancer", k.charge) });
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
    chips.forEach((chip, i) => put(bursts + beads + i, chip, warm, dark ? 0.75 : 0.5));
    const filled = 30 + Math.floor((seconds * 1.55) % 30);
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
    balancer: leaves ? over(0.131, 1.1, 0.1) : over(0.163, 0.36, 0.9),
    server: over(0.213, 1.75, -0.5),
    cache: over(0.31, 3.15, -0.2),
    back: leaves ? over(-0.075, -1.22, FRONT) : v(0.1, phone ? -0.9 : -0.55, 0.1).applyMatrix4(screen),
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
    case "inside": return near(0.235, 1.9, 8, 17, 33);
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
  const p = over(angle, share < 0.2 || share > 0.86 ? 1.6 : 0.5, 0);
  return { x: p.x, y: p.y, z: 0.4, yaw: -22, pitch: 12, distance: 27, lens: 14.2 };
}
