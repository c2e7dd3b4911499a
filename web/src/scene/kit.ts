/**
 * A clay kit. Every static solid of a scene becomes part of ONE mesh and every outline part of ONE line object, so a
 * scene of a thousand boxes is drawn in a handful of calls. Solids are darkened toward their foot: ambient occlusion
 * for the price of a vertex color.
 */
import {
  BoxGeometry, BufferAttribute, BufferGeometry, CanvasTexture, CatmullRomCurve3, Color, CylinderGeometry,
  EdgesGeometry, Euler, ExtrudeGeometry, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial,
  MeshLambertMaterial, Quaternion, Shape, SphereGeometry, TubeGeometry, Vector3,
} from "./three";

export type Tint = string | Color;
export interface Look {
  /** Strength of the outline; 0 for none. */
  readonly edge?: number;
  readonly edgeColor?: Tint;
  /** How much darker the foot is than the head, 0 to 1. */
  readonly foot?: number;
}

const unit = new Vector3(1, 1, 1);

/** A place and a turn. */
export function at(x: number, y: number, z: number, rx = 0, ry = 0, rz = 0): Matrix4 {
  return new Matrix4().compose(new Vector3(x, y, z), new Quaternion().setFromEuler(new Euler(rx, ry, rz)), unit);
}

/** A place within a place. */
export function within(outer: Matrix4, x: number, y: number, z: number, rx = 0, ry = 0, rz = 0): Matrix4 {
  return outer.clone().multiply(at(x, y, z, rx, ry, rz));
}

export function mix(a: Tint, b: Tint, share: number): Color {
  return new Color(a).lerp(new Color(b), share);
}

export class Kit {
  private readonly positions: number[] = [];
  private readonly normals: number[] = [];
  private readonly colors: number[] = [];
  private readonly lines: number[] = [];
  private readonly lineColors: number[] = [];
  private readonly ink: Color;

  constructor(ink: Tint) {
    this.ink = new Color(ink);
  }

  add(geometry: BufferGeometry, place: Matrix4, tint: Tint, look: Look = {}): this {
    const { edge = 1, foot = 0.5, edgeColor } = look;
    const flat = geometry.index ? geometry.toNonIndexed() : geometry;
    flat.computeBoundingBox();
    const box = flat.boundingBox!;
    const height = box.max.y - box.min.y || 1;
    const color = new Color(tint);
    const position = flat.getAttribute("position");
    const normal = flat.getAttribute("normal");
    const p = new Vector3();
    const n = new Vector3();
    for (let i = 0; i < position.count; i++) {
      p.fromBufferAttribute(position, i);
      const shade = 1 - foot * (1 - (p.y - box.min.y) / height);
      this.colors.push(color.r * shade, color.g * shade, color.b * shade);
      p.applyMatrix4(place);
      n.fromBufferAttribute(normal, i).transformDirection(place);
      this.positions.push(p.x, p.y, p.z);
      this.normals.push(n.x, n.y, n.z);
    }
    if (edge > 0) {
      const outline = new EdgesGeometry(geometry, 28).getAttribute("position");
      const ink = edgeColor === undefined ? this.ink : new Color(edgeColor);
      for (let i = 0; i < outline.count; i++) {
        p.fromBufferAttribute(outline, i).applyMatrix4(place);
        this.lines.push(p.x, p.y, p.z);
        this.lineColors.push(ink.r, ink.g, ink.b, edge);
      }
    }
    return this;
  }

  box(place: Matrix4, w: number, h: number, d: number, tint: Tint, look?: Look): this {
    return this.add(new BoxGeometry(w, h, d), place, tint, look);
  }

  cylinder(place: Matrix4, top: number, bottom: number, h: number, tint: Tint, look?: Look & { readonly sides?: number }): this {
    return this.add(new CylinderGeometry(top, bottom, h, look?.sides ?? 20), place, tint, look);
  }

  ball(place: Matrix4, r: number, tint: Tint, look?: Look): this {
    return this.add(new SphereGeometry(r, 28, 20), place, tint, { edge: 0, ...look });
  }

  slab(place: Matrix4, w: number, h: number, d: number, r: number, tint: Tint, look?: Look): this {
    return this.add(rounded(w, h, d, r), place, tint, look);
  }

  line(a: Vector3, b: Vector3, strength = 1, tint?: Tint): this {
    const ink = tint === undefined ? this.ink : new Color(tint);
    for (const p of [a, b]) {
      this.lines.push(p.x, p.y, p.z);
      this.lineColors.push(ink.r, ink.g, ink.b, strength);
    }
    return this;
  }

  /** The outline of a box without its faces. */
  edges(place: Matrix4, w: number, h: number, d: number, strength = 1): this {
    const outline = new EdgesGeometry(new BoxGeometry(w, h, d)).getAttribute("position");
    const p = new Vector3();
    for (let i = 0; i < outline.count; i++) {
      p.fromBufferAttribute(outline, i).applyMatrix4(place);
      this.lines.push(p.x, p.y, p.z);
      this.lineColors.push(this.ink.r, this.ink.g, this.ink.b, strength);
    }
    return this;
  }

  path(points: readonly Vector3[], strength = 1, tint?: Tint): this {
    for (let i = 1; i < points.length; i++) this.line(points[i - 1]!, points[i]!, strength, tint);
    return this;
  }

  get empty(): boolean {
    return this.positions.length === 0;
  }

  /** Matt solids that take the light. */
  solids(): Mesh {
    return new Mesh(this.geometry(), new MeshLambertMaterial({
      vertexColors: true, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
    }));
  }

  /** Solids that keep their color: what carries charge or light. */
  glowing(): Mesh {
    return new Mesh(this.geometry(), new MeshBasicMaterial({ vertexColors: true }));
  }

  outlines(): LineSegments {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(this.lines), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(this.lineColors), 4));
    return new LineSegments(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true }));
  }

  private geometry(): BufferGeometry {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(this.positions), 3));
    geometry.setAttribute("normal", new BufferAttribute(new Float32Array(this.normals), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(this.colors), 3));
    return geometry;
  }
}

/** A plate with round corners, facing forward. */
export function rounded(w: number, h: number, d: number, r: number): BufferGeometry {
  const shape = new Shape();
  const x = -w / 2;
  const y = -h / 2;
  shape.moveTo(x + r, y);
  shape.lineTo(x + w - r, y);
  shape.quadraticCurveTo(x + w, y, x + w, y + r);
  shape.lineTo(x + w, y + h - r);
  shape.quadraticCurveTo(x + w, y + h, x + w - r, y + h);
  shape.lineTo(x + r, y + h);
  shape.quadraticCurveTo(x, y + h, x, y + h - r);
  shape.lineTo(x, y + r);
  shape.quadraticCurveTo(x, y, x + r, y);
  const geometry = new ExtrudeGeometry(shape, { depth: d, bevelEnabled: false, curveSegments: 6 });
  geometry.translate(0, 0, -d / 2);
  return geometry;
}

export interface Tube {
  readonly points: readonly Vector3[];
  readonly radius: number;
  readonly tint: Tint;
  readonly straight?: boolean;
}

/** Many tubes, one draw call. */
export function tubes(list: readonly Tube[]): Mesh {
  const positions: number[] = [];
  const colors: number[] = [];
  const color = new Color();
  for (const { points, radius, tint, straight } of list) {
    color.set(tint);
    const curve = new CatmullRomCurve3([...points], false, "catmullrom", straight ? 0.02 : 0.5);
    const tube = new TubeGeometry(curve, Math.max(20, points.length * 6), radius, 6).toNonIndexed();
    const array = tube.getAttribute("position").array;
    for (let i = 0; i < array.length; i += 3) {
      positions.push(array[i]!, array[i + 1]!, array[i + 2]!);
      colors.push(color.r, color.g, color.b);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute("color", new BufferAttribute(new Float32Array(colors), 3));
  return new Mesh(geometry, new MeshBasicMaterial({ vertexColors: true }));
}

/** A path cut into equal lengths once, so that a pulse on it costs a look-up and not a search. */
export class Track {
  private readonly points: readonly Vector3[];
  constructor(points: readonly Vector3[], private readonly pieces = 900) {
    const curve = new CatmullRomCurve3([...points]);
    curve.arcLengthDivisions = pieces;
    this.points = curve.getSpacedPoints(pieces);
  }
  /** The point at a share of the way, 0 to 1. */
  point(share: number, out: Vector3): Vector3 {
    const x = Math.min(Math.max(share, 0), 1) * this.pieces;
    const i = Math.min(Math.floor(x), this.pieces - 1);
    return out.lerpVectors(this.points[i]!, this.points[i + 1]!, x - i);
  }
  direction(share: number, out: Vector3): Vector3 {
    const i = Math.min(Math.max(Math.floor(share * this.pieces), 0), this.pieces - 1);
    return out.subVectors(this.points[i + 1]!, this.points[i]!).normalize();
  }
}

/** A soft round spot, drawn once. */
export function spot(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const context = canvas.getContext("2d")!;
  const gradient = context.createRadialGradient(32, 32, 0, 32, 32, 32);
  gradient.addColorStop(0, "rgba(255,255,255,.9)");
  gradient.addColorStop(0.25, "rgba(255,255,255,.32)");
  gradient.addColorStop(0.6, "rgba(255,255,255,.07)");
  gradient.addColorStop(1, "rgba(255,255,255,0)");
  context.fillStyle = gradient;
  context.fillRect(0, 0, 64, 64);
  return new CanvasTexture(canvas);
}

/** Numbers that look thrown but never change. */
export function thrown(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16807) % 2147483647) / 2147483647;
}
