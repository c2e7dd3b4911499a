// node live.mjs COMMAND URL [...]: the live trace in the real Chromium; prints one line of JSON.
import { address, newPage, ready, withBrowser } from "./rig.mjs";

const [command, base, ...more] = process.argv.slice(2);
const ANSWER = 150_000;

/** Opens the screen and waits until the model is awake. */
async function open(browser, options = {}, query = "") {
  const { page, context, noted } = await newPage(browser, { reducedMotion: "reduce", ...options });
  await page.goto(address(base, "live", query));
  await ready(page);
  await page.waitForFunction(() => document.querySelector(".go")?.getAttribute("aria-disabled") === "false", null, { timeout: ANSWER });
  return { page, context, noted };
}

/** Asks by keyboard; what the page sent to be joined, and what came back. */
async function asked(page, question) {
  const before = await page.locator(".turn .line").count();
  const joined = page.waitForResponse((answer) => answer.url().endsWith("/live/trip"), { timeout: ANSWER });
  await page.fill("#ask", question);
  await page.press("#ask", "Enter");
  const answer = await joined;
  const told = { raw: JSON.parse(answer.request().postData()), trip: await answer.json() };
  await page.waitForFunction((n) => document.querySelectorAll(".turn .line").length > n || n === 1, before, { timeout: ANSWER });
  return told;
}

/** A watch of its own beside the page's: the key, the last change of the answer, the picture after it. */
function watch() {
  const seen = (window.seen = { key: 0, change: 0, paint: 0 });
  addEventListener("keydown", (event) => event.key === "Enter" && (seen.key = event.timeStamp), { capture: true });
  let fresh = false;
  const changed = () => {
    if (!document.querySelector(".go kbd")?.textContent.includes("Esc")) return;
    seen.change = performance.now();
    fresh = true;
  };
  // Asked for in the picture before, so it is called before the page's own; and the very first task after the picture:
  // what the page does then must not delay the watch.
  const picture = () => {
    requestAnimationFrame(picture);
    if (!fresh) return;
    fresh = false;
    const at = seen.change;
    scheduler.postTask(() => at === seen.change && (seen.paint = performance.now()), { priority: "user-blocking" });
  };
  requestAnimationFrame(picture);
  // Of the answer alone: its text node is the only one that grows.
  new MutationObserver((all) => all.some((each) => each.type === "characterData") && changed()).observe(document.querySelector(".talk"), { characterData: true, subtree: true });
}

const commands = {
  /** Several answers: what the page and the server measured, beside a watch that knows nothing of them. */
  async measure() {
    return withBrowser(async (browser) => {
      const { page, noted } = await open(browser);
      await page.evaluate(watch);
      const told = [];
      for (const question of more) {
        const { trip, raw } = await asked(page, question);
        told.push({ trip, watch: await page.evaluate(() => ({ ...window.seen })), key_ms: raw.key_ms });
        await page.locator(".do .ghost").last().click(); // a new talk: the context of a tiny model is small
        await page.waitForTimeout(300);
      }
      return { told, errors: noted.errors, requests: noted.requests };
    }, { gl: false });
  },

  /** What the page measured of one answer, for the static site. */
  async record() {
    return withBrowser(async (browser) => {
      const { page } = await open(browser);
      const { raw, trip } = await asked(page, more[0]);
      return { raw, measured_s: trip.measured_s, browser: `Chromium ${browser.version().split(".")[0]}` };
    }, { gl: false });
  },

  /** Everything by keyboard: ask, stop, walk the spans, zoom, replay; what is announced. */
  async keys() {
    return withBrowser(async (browser) => {
      const { page, noted } = await open(browser);
      const steps = {};
      const status = () => page.locator("p[role=status].unseen").textContent();
      const heading = () => page.locator("#span-name").textContent();
      const { trip } = await asked(page, more[0]);
      await page.waitForTimeout(1500);
      steps.answer = (await status()).includes(trip.trace.answer.trim().slice(0, 10));
      await page.locator(".stage").focus();
      await page.keyboard.press("0");
      const first = await heading();
      await page.keyboard.press("[");
      await page.waitForTimeout(1300);
      steps.walked = (await heading()) !== first;
      steps.announced = (await status()).startsWith((await heading()).trim());
      const window = () => page.locator(".minimap .frame").getAttribute("width").then(Number);
      const wide = await window();
      await page.keyboard.press("+");
      steps.zoomed = (await window()) < wide;
      const at = await page.locator(".minimap .frame").getAttribute("x");
      await page.keyboard.press("ArrowRight");
      steps.panned = (await page.locator(".minimap .frame").getAttribute("x")) !== at;
      await page.keyboard.press("0");
      steps.fitted = (await window()) === wide;
      await page.keyboard.press("c");
      steps.path = (await page.locator(".tools [aria-pressed]").first().getAttribute("aria-pressed")) === "false";
      await page.locator(".scrub").focus();
      await page.keyboard.press("Home");
      steps.rewound = (await page.locator(".said").last().textContent()) === "";
      await page.keyboard.press("End");
      steps.replayed = (await page.locator(".said").last().textContent()).trim() === trip.trace.answer.trim();
      // Stop in the middle of a long answer, in a new talk.
      await page.locator(".do .ghost").last().focus();
      await page.keyboard.press("Enter");
      const stopped = page.waitForResponse((answer) => answer.url().endsWith("/live/trip"), { timeout: ANSWER });
      await page.fill("#ask", more[1]);
      await page.press("#ask", "Enter");
      await page.waitForFunction(() => ([...document.querySelectorAll(".said")].pop()?.textContent ?? "").length > 0, null, { timeout: ANSWER });
      await page.keyboard.press("Escape");
      const after = await (await stopped).json();
      steps.stopped = after.finish === "stopped" && after.trace.answer.length > 0;
      steps.errors = noted.errors.length === 0;
      return { steps, errors: noted.errors };
    }, { gl: false });
  },

  /** The screen without a model: says how to get one, and replays the recorded answer. */
  async without() {
    return withBrowser(async (browser) => {
      const { page, noted } = await newPage(browser, { reducedMotion: "reduce" });
      await page.goto(address(base, "live"));
      await ready(page);
      await page.waitForSelector(".trip .details");
      await page.waitForTimeout(500);
      const text = await page.locator("main").innerText();
      await page.locator(".scrub").focus();
      await page.keyboard.press("Home");
      const empty = (await page.locator(".said").textContent()) === "";
      await page.keyboard.press("End");
      return { text, empty, said: await page.locator(".said").textContent(), errors: noted.errors, requests: noted.requests };
    }, { gl: false });
  },
};

console.log(JSON.stringify(await commands[command]()));
