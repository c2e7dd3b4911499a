// node scene.mjs COMMAND URL: the 3D pictures: what a frame costs, that nothing is drawn at rest, that time alone decides.
import { createHash } from "node:crypto";
import { address, forEach, newPage, ready, rests, withBrowser } from "./rig.mjs";

const [command, base] = process.argv.slice(2);

/** Every picture there is: the views and parts of the journey, the steps of the word, a phone. */
const PICTURES = [
  ...[1, 2, 3, 4].map((view) => ["", `view=${view}`]),
  ["", "part=server"],
  ["", "part=eye"],
  ["", "trip=phone"],
  ["", "color=decade"],
  ["", "tour=23"],
  ...[1, 2, 3, 4, 5, 6, 7].map((step) => ["word", `step=${step}`]),
];
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const there = (page) => page.waitForFunction(() => window.lab3d?.frames > 0, null, { timeout: 30_000 });

async function picture(page) {
  // The canvas keeps nothing after a frame: read what the page shows.
  const box = await page.locator("main canvas").boundingBox();
  return createHash("sha256").update(await page.screenshot({ clip: box })).digest("hex");
}

const commands = {
  /** Draw calls, triangles and frames at rest, for each picture; several at once, so times mean nothing here. */
  async cost() {
    const phones = PICTURES.filter(([, query]) => /view=[14]|part=server|step=3/.test(query));
    const all = [...PICTURES.map((each) => ["laptop", ...each]), ...phones.map((each) => ["phone", ...each])];
    return withBrowser((browser) => forEach(all, async ([way, screen, query]) => {
      const { page, context, noted } = await newPage(browser, way === "phone" ? PHONE : {});
      await page.goto(address(base, screen, query));
      await ready(page);
      const before = await rests(page);
      await page.waitForTimeout(1_500);
      const told = await page.evaluate((at) => ({ calls: lab3d.calls, triangles: lab3d.triangles, frames: lab3d.frames, idle: lab3d.frames - at }), before);
      await context.close();
      return { ...told, errors: noted.errors };
    }, { name: ([way, screen, query]) => `${way} ${screen || "journey"} ${query}` }));
  },

  /** Script a frame of one picture after the other, with nothing beside it: for `make bench`. The best of three, as others use this machine, too. */
  async speed() {
    const all = [["", "view=1"], ["", "view=2"], ["", "tour=0"], ["word", "step=3"], ["word", "step=4"], ["word", "step=5"]];
    return withBrowser((browser) => forEach(all, async ([screen, query]) => {
      const { page, context } = await newPage(browser, {});
      const cdp = await context.newCDPSession(page);
      await cdp.send("Performance.enable");
      const script_s = async () => (await cdp.send("Performance.getMetrics")).metrics.find(({ name }) => name === "ScriptDuration").value;
      await page.goto(address(base, screen, query));
      await ready(page);
      let best = null;
      for (let run = 0; run < 3; run++) {
        await rests(page);
        // shaders are made and buffers are filled: what runs now is what a reader has all the time
        await page.evaluate("lab3d.scripts.length = 0");
        const [from_s, from] = [await script_s(), await page.evaluate("lab3d.frames")];
        if (query.startsWith("tour")) {
          await page.locator(".j-scrub input").fill("0");
          await page.locator(".j-go").click();
          await page.waitForTimeout(6_500);
          await page.locator(".j-go").click();
        } else await page.locator("main").getByRole("button", { name: /Signal/ }).click();
        await rests(page);
        const drawn = (await page.evaluate("lab3d.frames")) - from;
        const page_ms = (((await script_s()) - from_s) * 1e3) / drawn;
        const told = await page.evaluate(() => {
          const sorted = [...lab3d.scripts].sort((a, b) => a - b);
          return { frames: sorted.length, calls: lab3d.calls, median_ms: sorted[sorted.length >> 1], p95_ms: sorted[Math.floor(sorted.length * 0.95)] };
        });
        if (told.frames >= 30 && (!best || told.p95_ms < best.p95_ms)) best = { ...told, page_ms };
      }
      const seen = await page.evaluate("lab3d.frames");
      await page.waitForTimeout(1_500);
      best.idle = (await page.evaluate("lab3d.frames")) - seen;
      await context.close();
      return best;
    }, { name: ([screen, query]) => `${screen || "journey"} ${query}`, atOnce: 1 }));
  },

  /** The same moment of the tour is the same picture, whichever way one came. */
  async moments() {
    const all = [3, 23, 40, 60].flatMap((t) => [t, 0, 62].map((start) => [t, start]));
    const seen = await withBrowser((browser) => forEach(all, async ([t, start]) => {
      const { page, context } = await newPage(browser, { viewport: { width: 900, height: 760 } });
      await page.goto(address(base, "", `tour=${start}&labels=none`));
      await ready(page);
      await there(page);
      await page.locator(".j-scrub input").fill(String(t));
      await page.waitForTimeout(300);
      await rests(page);
      const told = [await picture(page), await page.locator(".j-caption").innerText(), await page.evaluate("location.hash")];
      await context.close();
      return told;
    }, { name: (each) => each.join(" from ") }));
    const told = {};
    for (const [name, each] of Object.entries(seen)) (told[name.split(" ")[0]] ??= []).push(each);
    return told;
  },

  /** All nine questions, each answered by a step with a number, a picture and its text. */
  async questions() {
    return withBrowser(async (browser) => {
      const { page } = await newPage(browser, {});
      await page.goto(address(base, "word"));
      await ready(page);
      await there(page);
      const told = {};
      for (let q = 1; q <= 9; q++) {
        await page.locator(".w-picker select").selectOption(String(q));
        await page.waitForTimeout(500);
        told[q] = await page.evaluate(() => ({
          asked: document.querySelector(".w-picker select").selectedOptions[0].textContent,
          step: document.querySelector(".w-rail [aria-current=step]")?.textContent.trim(),
          number: document.querySelector(".w-big")?.textContent,
          drawn: document.querySelectorAll(".w-text .w-day rect, .w-text .w-day path").length,
          energy: /\d.*J/.test(document.querySelector(".w-text .w-word")?.textContent ?? ""),
          water: /\d.*L/.test(document.querySelector(".w-text .w-word")?.textContent ?? ""),
          sources: document.querySelectorAll(".w-paper a").length,
          unfilled: /…(?!\s?Paris)|\[[a-z]+\./.test(document.querySelector(".w-text").textContent),
        }));
      }
      return told;
    });
  },
};

console.log(JSON.stringify(await commands[command]()));
