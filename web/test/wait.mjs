// node wait.mjs URL: the wait screen and its neighbors as a reader works them; prints what was seen and how long it took.
import { address, newPage, ready, withBrowser } from "./rig.mjs";

const base = process.argv[2];
const OWN = ["wait?guess=1.2", "wait?guess=1.2&rates=full", "energy?case=altman", "compare?time=log", "facts?claim=A023", "stage/optics.fiber"];

/** The time of the script from an input event to the drawn page, for many values of a slider: the best of three rounds each. */
const timed = (page, id) =>
  page.evaluate(async (id) => {
    const slider = document.getElementById(id);
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
    const [least, most] = [Number(slider.min), Number(slider.max)];
    const times = new Array(100).fill(Infinity);
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < times.length; i++) {
        set.call(slider, String(least + ((most - least) * ((i * 37 + round) % 100)) / 100));
        const start = performance.now();
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        for (let k = 0; k < 6; k++) await Promise.resolve();
        // The first round warms up.
        if (round > 0) times[i] = Math.min(times[i], performance.now() - start);
        await new Promise((done) => requestAnimationFrame(done));
      }
    }
    times.sort((a, b) => a - b);
    return { median_ms: times[50], p95_ms: times[95] };
  }, id);

/** How long after the last input the band is there: the best of five. */
const banded = (page, id) =>
  page.evaluate(async (id) => {
    const slider = document.getElementById(id);
    const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set;
    let best = Infinity;
    for (let i = 0; i < 5; i++) {
      const place = () => [...document.querySelectorAll(".likely")].map((e) => e.textContent).join();
      const before = place();
      set.call(slider, String(200 + i * 120));
      const start = performance.now();
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      while (place() === before && performance.now() - start < 2000) await new Promise((done) => setTimeout(done, 1));
      best = Math.min(best, performance.now() - start);
      await new Promise((done) => setTimeout(done, 120));
    }
    return best;
  }, id);

await withBrowser(
  async (browser) => {
    const { page, noted } = await newPage(browser, { acceptDownloads: true });
    const told = {};
    const text = (selector) => page.locator(selector).evaluateAll((all) => all.map((e) => e.textContent.replace(/\u00a0/g, " ").trim()));

    // The guess comes first; nothing of the answer is told before.
    await page.goto(address(base, "wait"));
    await ready(page);
    told.before = await text(".big");
    await page.locator(".ask button[type=submit]").click();
    await page.waitForSelector("svg.timeline");
    await page.waitForFunction(() => document.querySelector(".swaps article"), null, { timeout: 30_000 });
    told.big = await text(".big");
    told.hints = await text(".hint");
    told.swaps = await text(".swaps article");

    // The mark can be dragged, and the field says the same.
    const box = await page.locator("svg.timeline").boundingBox();
    const mark = await page.locator("svg.timeline .guess path").boundingBox();
    await page.mouse.move(mark.x + mark.width / 2, mark.y + 4);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.8, mark.y + 4, { steps: 4 });
    await page.mouse.up();
    told.guess = Number(await page.locator(".guessed input").inputValue());
    told.said = (await text(".guessed p"))[0];

    // By keys alone: a slider moves by its own arrows.
    await page.locator("#km").focus();
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
    told.moved = await text(".big");

    told.round = await timed(page, "reply");
    await page.goto(address(base, "wait", "guess=1.2&rates=full"));
    await ready(page);
    await page.waitForFunction(() => /\d/.test(document.querySelector(".likely")?.textContent ?? ""), null, { timeout: 30_000 });
    told.full = await timed(page, "reply");
    told.band_ms = await banded(page, "prompt");

    // What can be taken away.
    told.files = [];
    for (const ending of ["png", "svg", "csv"]) {
      await page.locator(".head .menu.wide > button").first().click();
      const [file] = await Promise.all([
        page.waitForEvent("download", { timeout: 20_000 }),
        page.locator(".menu .sheet button", { hasText: ending.toUpperCase() }).click(),
      ]);
      told.files.push(file.suggestedFilename());
    }

    // The keys of the stages, and the switch that turns single keys off.
    await page.goto(address(base, "stage/optics.fiber"));
    await ready(page);
    await page.waitForSelector(".neighbors a");
    const places = [];
    for (const key of ["]", "["]) {
      await page.keyboard.press(key);
      await page.waitForTimeout(150);
      places.push(new URL(page.url()).hash);
    }
    await page.keyboard.press("?");
    await page.locator(".help input").first().uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("]");
    await page.waitForTimeout(150);
    places.push(new URL(page.url()).hash);
    told.places = places;

    // No key without its text, at any level, and nothing wider than the page.
    told.bare = [];
    told.wide = [];
    for (const level of ["child", "student", "engineer"]) {
      for (const screen of OWN) {
        await page.goto("about:blank");
        await page.goto(`${base}#/${screen}${screen.includes("?") ? "&" : "?"}level=${level}`);
        await ready(page);
        const found = await page.evaluate(() => [document.body.innerText.match(/\[[a-z_]+(?:\.[\w-]+)+\]/g) ?? [], document.documentElement.scrollWidth > innerWidth]);
        told.bare.push(...found[0]);
        if (found[1]) told.wide.push(screen);
      }
    }
    told.errors = noted.errors;
    console.log(JSON.stringify(told));
  },
  { gl: false },
);
