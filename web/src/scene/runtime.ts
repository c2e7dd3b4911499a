/**
 * The camera and the clock of a 3D picture. A frame is drawn only when something asks for it: a camera that moves, a
 * signal that runs, a new size. When nothing moves, nothing is drawn and nothing is scheduled.
 */
import { Color, Mesh, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from "./three";
import type { Palette } from "./palette";

/** Where one looks from: a point, a bearing, a height in degrees, a distance; `lens` is the field of view in degrees. */
export interface Gaze {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly yaw: number;
  readonly pitch: number;
  readonly distance: number;
  readonly lens: number;
}

export interface Model {
  readonly scene: Scene;
  /** Everything that moves, as a pure function of seconds. */
  readonly pose: (seconds: number) => void;
  readonly anchors: Readonly<Record<string, Vector3>>;
}

/** A part of the canvas, in shares of it from the top left, with a camera of its own. */
export interface Pane {
  readonly top: number;
  readonly height: number;
  readonly gaze: Gaze;
}

export interface Spot {
  readonly x: number;
  readonly y: number;
  readonly shown: boolean;
}

const MOVE_MS = 320;

function between(a: Gaze, b: Gaze, share: number): Gaze {
  const f = (p: number, q: number) => p + (q - p) * share;
  return {
    x: f(a.x, b.x), y: f(a.y, b.y), z: f(a.z, b.z), yaw: f(a.yaw, b.yaw), pitch: f(a.pitch, b.pitch),
    distance: f(a.distance, b.distance), lens: f(a.lens, b.lens),
  };
}

export interface Stats {
  frames: number;
  calls: number;
  triangles: number;
  scripts: number[];
  /** Where the last pane was looked at from. */
  yaw: number;
  distance: number;
}

export class Runtime {
  readonly stats: Stats = { frames: 0, calls: 0, triangles: 0, scripts: [], yaw: 0, distance: 0 };
  /** The moment that is shown, in seconds. */
  seconds: number;
  private readonly renderer: WebGLRenderer;
  private model: Model | null = null;
  private panes: Pane[] = [];
  private from: Gaze[] = [];
  private moveStart = 0;
  private runFrom = 0;
  private runSeconds = 0;
  private runBase = 0;
  private handle = 0;
  private width = 1;
  private height = 1;
  private readonly cameras: PerspectiveCamera[] = [];
  private readonly watcher: ResizeObserver;
  private scale = 1;
  private readonly probe = new Vector3();
  /** Pictures whose shaders are still being made: nothing is drawn before they are there. */
  private pending = 0;
  private made: Promise<void> = Promise.resolve();
  private ended = false;
  /** Called after each frame, with a function that tells where an anchor stands on the page. */
  onFrame: (place: (name: string, pane?: number) => Spot, settled: boolean) => void = () => {};
  onLost: () => void = () => {};
  onRest: () => void = () => {};
  /** Lets a running signal move the camera: gaze as a function of time. */
  follow: ((seconds: number) => Gaze) | null = null;

  constructor(private readonly canvas: HTMLCanvasElement, private readonly box: HTMLElement, private readonly still: number) {
    this.seconds = still;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: "low-power", preserveDrawingBuffer: false });
    this.renderer.info.autoReset = false;
    // asking for a shader's log waits for the graphics process; the materials are three's own
    this.renderer.debug.checkShaderErrors = false;
    canvas.addEventListener("webglcontextlost", this.lost);
    this.watcher = new ResizeObserver(() => this.measure());
    this.watcher.observe(box);
    this.measure();
  }

  private readonly lost = (event: Event): void => {
    event.preventDefault();
    this.onLost();
  };

  /** Shows another picture, once its shaders are made; what was shown before stays until then. */
  show(model: Model, palette: Palette): Promise<void> {
    const before = this.model;
    this.model = model;
    this.pending++;
    model.scene.background = new Color(palette.page);
    model.pose(this.seconds);
    const camera = new PerspectiveCamera(14, 1, 1, 400);
    this.made = this.made
      .then(() => this.ended ? undefined : this.renderer.compileAsync(model.scene, camera))
      .then(() => {
        this.pending--;
        if (before) drop(before);
        if (this.ended || this.model !== model) return;
        // the clock of a signal starts when it can be seen
        this.runFrom = performance.now();
        this.draw();
      });
    return this.made;
  }

  /** Look through these panes; `move` makes the way there visible in 320 ms. */
  look(panes: Pane[], move: boolean): void {
    const now = this.current();
    this.from = panes.map((pane, i) => now[i]?.gaze ?? pane.gaze);
    this.panes = panes;
    this.moveStart = move && now.length === panes.length ? performance.now() : 0;
    if (!this.moveStart) this.from = panes.map((pane) => pane.gaze);
    this.ask();
  }

  /** Let time run for some seconds from a moment, then rest. */
  run(seconds: number, from = this.seconds): void {
    this.runFrom = performance.now();
    this.runBase = from;
    this.runSeconds = seconds;
    if (this.low < 1) this.sharpen(this.low);
    this.ask();
  }

  stop(at = this.still): void {
    this.runSeconds = 0;
    this.seconds = at;
    this.ask();
  }

  get running(): boolean {
    return this.runSeconds > 0;
  }

  ask(): void {
    if (!this.handle) this.handle = requestAnimationFrame(this.frame);
  }

  private current(): Pane[] {
    if (!this.moveStart) return this.panes;
    const share = Math.min((performance.now() - this.moveStart) / MOVE_MS, 1);
    const eased = 1 - (1 - share) ** 3;
    return this.panes.map((pane, i) => ({ ...pane, gaze: between(this.from[i] ?? pane.gaze, pane.gaze, eased) }));
  }

  private readonly frame = (): void => {
    this.handle = 0;
    const begin = performance.now();
    if (!this.model || this.pending > 0) return;
    if (this.runSeconds > 0) {
      const passed = (begin - this.runFrom) / 1000;
      this.seconds = this.runBase + Math.min(passed, this.runSeconds);
      if (passed >= this.runSeconds) {
        this.runSeconds = 0;
        this.onRest();
      }
    }
    this.model.pose(this.seconds);
    let panes = this.current();
    if (this.moveStart && begin - this.moveStart >= MOVE_MS) this.moveStart = 0;
    if (this.follow) panes = panes.map((pane, i) => (i === panes.length - 1 ? { ...pane, gaze: this.follow!(this.seconds) } : pane));
    const renderer = this.renderer;
    renderer.info.reset();
    renderer.setScissorTest(panes.length > 1);
    panes.forEach((pane, i) => {
      const camera = this.camera(i, pane);
      const y = (1 - pane.top - pane.height) * this.height;
      renderer.setViewport(0, y, this.width, pane.height * this.height);
      renderer.setScissor(0, y, this.width, pane.height * this.height);
      renderer.render(this.model!.scene, camera);
    });
    const settled = !this.moveStart;
    this.onFrame((name, pane = 0) => this.place(name, pane, panes), settled);
    this.stats.frames++;
    this.stats.calls = renderer.info.render.calls;
    this.stats.triangles = renderer.info.render.triangles;
    const last = panes[panes.length - 1];
    if (last) {
      this.stats.yaw = last.gaze.yaw;
      this.stats.distance = last.gaze.distance;
    }
    const spent = performance.now() - begin;
    this.stats.scripts.push(spent);
    if (this.stats.scripts.length > 240) this.stats.scripts.shift();
    this.thin();
    if (this.moveStart || this.runSeconds > 0) this.ask();
    else if (this.low < 1 && this.scale < 1) this.sharpen(1);
  };

  /** What rests is drawn with all pixels, whatever the movement had to do with. */
  private low = 1;
  private sharpen(scale: number): void {
    this.scale = scale;
    this.measure();
  }

  /** A machine that cannot keep up gets fewer pixels, in two steps. */
  private slow = 0;
  private before = 0;
  private thin(): void {
    const now = performance.now();
    const gap = now - this.before;
    this.before = now;
    if (this.runSeconds <= 0 || gap > 400) return;
    this.slow = gap > 40 ? this.slow + 1 : Math.max(0, this.slow - 2);
    if (this.slow > 30 && this.low > 0.5) {
      this.low = this.low === 1 ? 0.75 : 0.5;
      this.slow = 0;
      this.sharpen(this.low);
    }
  }

  private camera(i: number, pane: Pane): PerspectiveCamera {
    const camera = (this.cameras[i] ??= new PerspectiveCamera(14, 1, 1, 400));
    const { x, y, z, yaw, pitch, distance, lens } = pane.gaze;
    const a = (yaw * Math.PI) / 180;
    const b = (pitch * Math.PI) / 180;
    camera.fov = lens;
    camera.aspect = this.width / Math.max(1, pane.height * this.height);
    camera.position.set(x + distance * Math.cos(b) * Math.sin(a), y + distance * Math.sin(b), z + distance * Math.cos(b) * Math.cos(a));
    camera.lookAt(x, y, z);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
    return camera;
  }

  private place(name: string, index: number, panes: readonly Pane[]): Spot {
    const anchor = this.model?.anchors[name];
    const camera = this.cameras[index];
    const pane = panes[index];
    if (!anchor || !camera || !pane) return { x: 0, y: 0, shown: false };
    const p = this.probe.copy(anchor).project(camera);
    const x = ((p.x + 1) / 2) * this.width;
    const y = (pane.top + ((1 - p.y) / 2) * pane.height) * this.height;
    return { x, y, shown: p.z < 1 && Math.abs(p.x) < 1.02 && Math.abs(p.y) < 1.05 };
  }

  private measure(): void {
    this.width = Math.max(1, this.box.clientWidth);
    this.height = Math.max(1, this.box.clientHeight);
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 1.5) * this.scale);
    this.renderer.setSize(this.width, this.height, false);
    // A canvas that changes its size is empty until it is drawn: draw before the page is painted.
    if (this.panes.length) this.draw();
  }

  /** Draws now, not at the next frame of the page. */
  private draw(): void {
    cancelAnimationFrame(this.handle);
    this.handle = 0;
    this.frame();
  }

  get size(): readonly [number, number] {
    return [this.width, this.height];
  }

  end(): void {
    cancelAnimationFrame(this.handle);
    this.ended = true;
    this.watcher.disconnect();
    this.canvas.removeEventListener("webglcontextlost", this.lost);
    void this.made.then(() => {
      if (this.model) drop(this.model);
      this.model = null;
      this.renderer.dispose();
    });
  }
}

function drop(model: Model): void {
  model.scene.traverse((each) => {
    const mesh = each as Mesh;
    if (mesh.geometry) mesh.geometry.dispose();
    const material = mesh.material as { dispose?: () => void; map?: { dispose(): void } | null } | undefined;
    material?.map?.dispose();
    material?.dispose?.();
  });
}
