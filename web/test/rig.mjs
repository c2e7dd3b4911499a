// Starts the system's Chromium for the tests: nothing of its own goes out, every request and error is noted.
import { chromium } from "playwright-core";

const FLAGS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const GL = ["--use-angle=gl-egl", "--ignore-gpu-blocklist"];

export const SCREENS = ["", "wait", "word", "energy", "compare", "facts", "sheet", "stage/optics.fiber"];
export const address = (base, screen, query = "") => `${base}#/${screen}${query ? `?${query}` : ""}`;

/** Runs `work(browser)` in a fresh browser; `gl: false` is a machine without WebGL. */
export async function withBrowser(work, { gl = true } = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.ROUNDTRIP_CHROMIUM || "/usr/bin/chromium",
    args: [...FLAGS, ...(gl ? GL : ["--disable-3d-apis"])],
  });
  try {
    return await work(browser);
  } finally {
    await browser.close();
  }
}

/** Opens a page that notes what it asks for and what goes wrong. */
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000); // a build machine may be busy
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
  await page.waitForSelector("main h1, main h2", { state: "attached", timeout: 120_000 });
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true]"), null, { timeout: 120_000 });
  await page.evaluate(() => document.fonts.ready.then(() => new Promise((done) => setTimeout(done, 300))));
}
