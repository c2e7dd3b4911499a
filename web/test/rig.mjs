// Starts the system's Chromium for the tests: nothing of its own goes out, every request and error is noted.
import { chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const GL = ["--use-angle=gl-egl", "--ignore-gpu-blocklist"];

export const SCREENS = ["", "wait", "word", "energy", "compare", "facts", "sheet", "stage/optics.fiber", "live", "fleet"];
export const address = (base, screen, query = "") => `${base}#/${screen}${query ? `?${query}` : ""}`;

/** Runs `work(browser)` in a fresh browser; `gl: false` is a machine without WebGL. A script that is ended takes its browser along. */
export async function withBrowser(work, { gl = true } = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.ROUNDTRIP_CHROMIUM || "/usr/bin/chromium",
    args: [...FLAGS, ...(gl ? GL : ["--disable-3d-apis"])],
    handleSIGTERM: true,
    handleSIGINT: true,
    handleSIGHUP: true,
  });
  try {
    return await work(browser);
  } finally {
    await Promise.race([browser.close(), new Promise((done) => setTimeout(done, 10_000))]);
  }
}

/** Does the same for each item, a few at a time: pages wait most of the time. Says on the way where it is. */
export async function forEach(items, work, { name = String, atOnce = 3 } = {}) {
  const queue = [...items];
  const told = new Map();
  const run = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      const begin = Date.now();
      console.error(`${name(item)}: begun`);
      told.set(item, await work(item));
      console.error(`${name(item)}: ${((Date.now() - begin) / 1000).toFixed(1)} s`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, run));
  return Object.fromEntries(items.map((item) => [name(item), told.get(item)]));
}

/** Opens a page that notes what it asks for and what goes wrong. */
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000); // a build machine may be busy
  const noted = { requests: [], errors: [] };
  // Chromium reports WebGL's own advice about speed as warnings: only errors count.
  page.on("console", (message) => message.type() === "error" && noted.errors.push(message.text()));
  page.on("pageerror", (error) => noted.errors.push(String(error.stack || error)));
  page.on("request", (request) => noted.requests.push(request.url()));
  page.on("websocket", (socket) => noted.requests.push(socket.url()));
  return { page, context, noted };
}

/** Waits until the screen is there: a heading, no loading notice, fonts ready. */
export async function ready(page) {
  await page.waitForSelector("main h1, main h2", { state: "attached" });
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"));
  await page.evaluate(() => document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 300))));
}

/** Waits until the 3D picture has drawn and rests: no frame for more than a second. */
export async function rests(page) {
  await page.waitForFunction(() => window.lab3d?.frames > 0);
  // what was seen at an earlier rest says nothing of this one
  await page.evaluate("delete window.lab3dSeen");
  await page.waitForFunction(() => {
    const now = performance.now();
    if (window.lab3d.frames !== window.lab3dSeen?.[0]) window.lab3dSeen = [window.lab3d.frames, now];
    return now - window.lab3dSeen[1] > 1200;
  }, null, { polling: 200 });
  return page.evaluate(() => window.lab3d.frames);
}
