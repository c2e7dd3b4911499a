/**
 * To scale: the Earth, and on it the way of the glass with its true angle. Devices and halls are far smaller than a dot
 * at this scale, which is what the view is for.
 */
import {
  BufferAttribute, BufferGeometry, Color, DirectionalLight, HemisphereLight, LineBasicMaterial, LineSegments, Mesh,
  MeshLambertMaterial, Scene, SphereGeometry, Vector3, InstancedMesh, MeshBasicMaterial, Matrix4, CapsuleGeometry, Quaternion,
} from "./three";
import { Track, tubes, type Tube } from "./kit";
import type { Palette } from "./palette";
import type { Gaze, Model } from "./runtime";

const R = 20;

export interface GlobeOptions {
  readonly palette: Palette;
  /** The angle of the way as seen from the middle of the Earth, as a share of a full turn. */
  readonly turn: number;
  readonly leaves: boolean;
}

export function globe({ palette: k, turn, leaves }: GlobeOptions): Model & { readonly gaze: Gaze } {
  const scene = new Scene();
  const dark = k.ground === "dark";
  scene.add(new HemisphereLight("#ffffff", dark ? "#1a2230" : "#cfc9ba", k.sky * 0.8));
  const sun = new DirectionalLight("#fff3df", k.sun * 0.9);
  sun.position.set(-14, 22, 20);
  scene.add(sun);
  scene.add(new Mesh(new SphereGeometry(R, 96, 64), new MeshLambertMaterial({ color: k.land, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 2 })));
  // a tenth of a quarter turn between the lines
  const positions: number[] = [];
  const colors: number[] = [];
  const ink = new Color(k.edge);
  const on = (lat: number, lon: number, r = R * 1.001) =>
    new Vector3(r * Math.cos(lat) * Math.sin(lon), r * Math.sin(lat), r * Math.cos(lat) * Math.cos(lon));
  const line = (a: Vector3, b: Vector3, s: number) => {
    for (const p of [a, b]) {
      positions.push(p.x, p.y, p.z);
      colors.push(ink.r, ink.g, ink.b, s);
    }
  };
  const step = Math.PI / 18;
  for (let i = -9; i <= 9; i++) {
    for (let j = -18; j < 18; j++) {
      const lat = i * step;
      const lon = j * step;
      for (let s = 0; s < 4; s++) {
        line(on(lat, lon + (s * step) / 4), on(lat, lon + ((s + 1) * step) / 4), 0.28);
        if (i < 9) line(on(lat + (s * step) / 4, lon), on(lat + ((s + 1) * step) / 4, lon), 0.28);
      }
    }
  }
  const grid = new BufferGeometry();
  grid.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  grid.setAttribute("color", new BufferAttribute(new Float32Array(colors), 4));
  scene.add(new LineSegments(grid, new LineBasicMaterial({ vertexColors: true, transparent: true })));
  const half = Math.PI * turn;
  const tilt = 0.62;
  const way = (u: number, r = R * 1.004) => on(tilt + 0.006 * Math.sin(u * 25) * Math.min(1, half * 3), half * (2 * u - 1) / Math.cos(tilt), r);
  const points = Array.from({ length: 80 }, (_, i) => way(i / 79));
  const list: Tube[] = [{ points, radius: 0.05, tint: k.photons }];
  scene.add(tubes(list));
  const ends = [way(0), way(1)];
  const dot = new InstancedMesh(new SphereGeometry(0.13, 16, 12), new MeshBasicMaterial({ color: dark ? "#e8e6e1" : "#1b1e24" }), 2);
  const m = new Matrix4();
  ends.forEach((p, i) => dot.setMatrixAt(i, m.makeTranslation(p.x, p.y, p.z)));
  const track = new Track(points);
  const pulse = new InstancedMesh(new CapsuleGeometry(0.1, 0.3, 4, 10), new MeshBasicMaterial({ color: k.question }), 3);
  pulse.frustumCulled = dot.frustumCulled = false;
  scene.add(dot, pulse);
  const p = new Vector3();
  const d = new Vector3();
  const q = new Quaternion();
  const up = new Vector3(0, 1, 0);
  const one = new Vector3(1, 1, 1);
  const none = new Vector3(0, 0, 0);
  const pose = (seconds: number) => {
    for (let i = 0; i < 3; i++) {
      const share = (seconds * 0.12 + i * 0.045) % 1;
      track.point(share, p);
      track.direction(share, d);
      pulse.setMatrixAt(i, m.compose(p, q.setFromUnitVectors(up, d), leaves ? one : none));
    }
    pulse.instanceMatrix.needsUpdate = true;
  };
  const middle = way(0.5);
  const wide = Math.max(ends[0]!.distanceTo(ends[1]!), 2.2);
  return {
    scene,
    pose,
    anchors: { from: ends[0]!, to: ends[1]!, middle },
    gaze: { x: middle.x, y: middle.y + 1.2, z: middle.z, yaw: 0, pitch: 16, distance: Math.min(Math.max(wide * 8.5, 34), 110), lens: 14.2 },
  };
}
