// node fleet.mjs COMMAND ...: the screen of the cluster: what it makes of the stored days, and how a reader works it.
import { build } from "vite";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { address, newPage, ready, withBrowser } from "./rig.mjs";

const [command, where, ...more] = process.argv.slice(2);

const shown = (page) =>
  page.evaluate(() => ({
    whole: Object.fromEntries([...document.querySelectorAll(".fleet .whole dl > div")].map((row) => [row.querySelector("dt").textContent, row.querySelector("dd").textContent.replaceAll("\u00a0", " ")])),
    state: document.querySelector(".fleet [role=status]")?.textContent ?? "",
    command: document.querySelector(".fleet pre")?.textContent ?? "",
    clock: document.querySelector(".fleet .player .mid")?.textContent ?? "",
    replicas: document.querySelectorAll(".fleet svg.cluster > g").length,
    hash: location.hash,
  }));
const settled = (page) => page.waitForFunction(() => document.querySelector(".fleet .whole dl"));

/** A page of the screen, with what was said over the socket. */
async function open(browser, query = "", options = {}) {
  const made = await newPage(browser, { reducedMotion: "reduce", ...options });
  const [sent, heard] = [[], []];
  made.page.on("websocket", (socket) => {
    socket.on("framesent", ({ payload }) => sent.push(JSON.parse(payload)));
    socket.on("framereceived", ({ payload }) => heard.push(JSON.parse(payload)));
  });
  await made.page.goto(address(where, "fleet", query));
  await ready(made.page);
  return { ...made, sent, heard };
}
const until = async (work, patience = 15_000) => {
  for (const end = Date.now() + patience; Date.now() < end; await new Promise((done) => setTimeout(done, 50))) if (await work()) return true;
  return false;
};
const focus = async (page, selector) => {
  await page.evaluate("document.activeElement?.blur?.()");
  for (let i = 0; i < 120; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return true;
  }
  return false;
};

const commands = {
  /** The stored days as rows again, and the nearest day to each of the settings in a file. */
  async grid() {
    const out = await mkdtemp(join(tmpdir(), "roundtrip-fleet-"));
    try {
      const lib = { entry: resolve("src/screens/fleet/grid.ts"), formats: ["es"], fileName: "grid" };
      await build({ configFile: false, logLevel: "error", publicDir: false, build: { outDir: out, lib, minify: false } });
      const { unpacked, nearest, usual } = await import(pathToFileURL(join(out, "grid.js")).href);
      const grid = unpacked(JSON.parse(await readFile(where, "utf8")));
      const asked = JSON.parse(await readFile(more[0], "utf8"));
      return {
        days: grid.days.map(({ day }) => day),
        nearest: asked.map((set) => {
          const found = nearest(grid, { ...usual(grid.controls), ...set });
          return { at: grid.days.findIndex(({ day }) => day === found.day), others: found.others.map((each) => each.name) };
        }),
      };
    } finally {
      await rm(out, { recursive: true, force: true });
    }
  },

  /** A day live: its figures, another setting by keys, many at once, the play of a day, a wish that cannot be. */
  async live() {
    return withBrowser(async (browser) => {
      const { page, noted, sent, heard } = await open(browser, "rate=8&replicas=2");
      const summary = () => heard.filter((body) => body.summary).at(-1);
      await settled(page);
      const told = { first: await shown(page), summary: summary().summary };
      const before = heard.length;
      told.reached = await focus(page, "#fleet-replicas");
      await page.keyboard.press("ArrowRight");
      told.moved = await until(async () => (await shown(page)).replicas === 3 && heard.slice(before).some((body) => body.summary));
      told.address = (await shown(page)).hash;
      // Faster than days are run: the last one counts.
      for (let i = 0; i < 12; i++) {
        await page.keyboard.press(i % 3 === 2 ? "ArrowLeft" : "ArrowRight");
        await page.waitForTimeout(i % 4 === 3 ? 170 : 20);
      }
      told.last = await until(async () => {
        const asked = sent.filter((body) => body.set).at(-1);
        return asked.id === summary().id && asked.set.replicas === (await shown(page)).replicas && (await shown(page)).replicas === 7;
      });
      told.acknowledged = sent.filter((body) => "seen" in body).length;
      const clock = (await shown(page)).clock;
      await page.evaluate("document.activeElement.blur()");
      await page.keyboard.press("p");
      told.plays = await until(async () => (await shown(page)).clock > clock);
      await page.keyboard.press("p");
      const paused = (await shown(page)).clock;
      await page.waitForTimeout(700);
      told.rests = (await shown(page)).clock === paused;
      told.link = (await shown(page)).hash;
      await page.keyboard.press(",");
      told.earlier = await until(async () => (await shown(page)).clock < paused);
      await page.evaluate("location.hash = '#/fleet?model=deepseek-v3&accelerator=l4&memory=0.3'");
      told.problem = await until(async () => /leave no page/.test((await shown(page)).state));
      await page.evaluate("location.hash = '#/facts'");
      told.stopped = await until(() => sent.at(-1)?.stop === true || summary() !== undefined);
      told.errors = noted.errors;
      return told;
    }, { gl: false });
  },

  /** The same screen without the program. */
  async still() {
    return withBrowser(async (browser) => {
      const told = {};
      const middle = await open(browser);
      await settled(middle.page);
      told.middle = await shown(middle.page);
      told.figures = await middle.page.locator(".fleet .now").innerText();
      told.reached = await focus(middle.page, "#fleet-replicas");
      await middle.page.keyboard.press("ArrowRight");
      told.near = await until(async () => (await shown(middle.page)).state !== told.middle.state && shown(middle.page));
      told.after = await shown(middle.page);
      told.requests = [...middle.noted.requests];
      told.errors = middle.noted.errors;
      return told;
    }, { gl: false });
  },
};

console.log(JSON.stringify(await commands[command]()));
