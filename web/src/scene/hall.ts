/** The far end of the way: the balancer and those who wait, the server, the shelf of the cache; or a device's own board. */
import { BoxGeometry, Color, InstancedMesh, Matrix4, MeshBasicMaterial, Vector3 } from "./three";
import { over, stand, v, type Hue } from "./arc";
import { Kit, mix, within, type Tube } from "./kit";
import type { Palette } from "./palette";

interface Hall {
  readonly server: Matrix4;
  readonly chips: readonly Vector3[];
  readonly cells: { readonly mesh: InstancedMesh; readonly places: readonly Matrix4[]; readonly flat: readonly Matrix4[] };
}

export function drawHall(clay: Kit, lit: Kit, list: Tube[], k: Palette, hue: Hue, page: Color): Hall {
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
  return { server, chips, cells: shelf(clay, k) };
}

/** What is inside a device that needs no hall: one chip between its memory, drawn larger than life, and light lines to it. */
export function drawBoard(clay: Kit, lit: Kit, k: Palette, hue: Hue, from: readonly [number, number, number]): Hall {
  const server = within(stand(0.214, 0.62, 0.3, 0, 1.14), 0, 0, 0, 0.56);
  clay.slab(within(server, 0, 0, 0, -Math.PI / 2), 3.9, 2.3, 0.16, 0.3, k.clayMid, { foot: 0 });
  const chip = within(server, -0.35, 0.16, 0);
  clay.box(chip, 1.15, 0.12, 1.15, k.clayLow, { foot: 0, edge: 0.7 });
  lit.box(within(chip, 0, 0.14, 0), 0.78, 0.16, 0.78, hue("server", k.charge), { foot: 0.3, edge: 0 });
  for (const z of [-0.6, 0, 0.6]) lit.box(within(server, 0.72, 0.19, z), 0.42, 0.16, 0.46, hue("cache", k.stored), { foot: 0.35, edge: 0 });
  for (const [x, z] of [[-1.35, -0.65], [-1.35, 0.1], [-1.4, 0.7], [1.4, -0.6], [1.4, 0.5]] as const) clay.box(within(server, x, 0.14, z), 0.34, 0.12, 0.26, k.clay, { foot: 0.3, edge: 0.6 });
  // who waits: the next piece of work, and no one else
  clay.box(stand(0.163, 0.16, 0.9, 0.12), 0.3, 0.3, 0.3, k.waiting, { foot: 0.35, edge: 0.9 });
  // the lines of a magnifier, from the device to its board
  const [angle, low, high] = from;
  for (const [a, b] of [[low, 0.1], [high, 1.5]] as const) {
    for (let i = 0; i < 60; i += 2) {
      const p = (j: number) => over(angle + ((0.167 - angle) * j) / 60, a + ((b - a) * j) / 60 + 0.5 * Math.sin((Math.PI * j) / 60), 0.7);
      clay.line(p(i), p(i + 1), 0.55);
    }
  }
  return { server, chips: [v(0, 0.3, 0).applyMatrix4(chip)], cells: shelf(clay, k) };
}

/** The cache: a shelf of cells that fill. */
function shelf(clay: Kit, k: Palette): Hall["cells"] {
  const back = stand(0.307, 1.45, -0.1, -0.3, 1.1);
  clay.box(within(back, 0, 0, -0.2), 2.2, 2.75, 0.1, k.clayLow, { foot: 0.3 });
  const places: Matrix4[] = [];
  const flat: Matrix4[] = [];
  for (let r = 0; r < 9; r++) {
    for (let c = 0; c < 7; c++) {
      const cell = within(back, -0.87 + c * 0.29, 1.16 - r * 0.29, -0.08);
      places.push(cell.clone().multiply(new Matrix4().makeScale(0.22, 0.22, 0.18)));
      flat.push(cell.clone().multiply(new Matrix4().makeScale(0.22, 0.22, 0.05)));
    }
  }
  const mesh = new InstancedMesh(new BoxGeometry(1, 1, 1), new MeshBasicMaterial(), places.length);
  mesh.frustumCulled = false;
  return { mesh, places, flat };
}
