// node scene.mjs COMMAND URL: the 3D pictures: what a frame costs, that nothing is drawn at rest, that time alone decides.
import { createHash } from "node:crypto";
import { address, newPage, ready, withBrowser } from "./rig.mjs";

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
  /** Draw calls, triangles, script a frame and frames at rest, for each picture. */
  async cost() {
    return withBrowser(async (browser) => {
      const told = {};
      for (const [way, options] of Object.entries({ laptop: {}, phone: PHONE })) {
        for (const [screen, query] of PICTURES) {
          if (way === "phone" && !/view=[14]|part=server|step=3/.test(query)) continue;
          const { page, context, noted } = await newPage(browser, options);
          await page.goto(address(base, screen, query));
          await ready(page);
          await there(page);
          // Until it rests: on a busy machine the picture may begin late.
          let before = -1;
          for (let tries = 0; tries < 30; tries++) {
            const now = await page.evaluate("lab3d.frames");
            if (now === before) break;
            before = now;
            await page.waitForTimeout(tries ? 900 : 5_000);
          }
          await page.waitForTimeout(1_500);
          told[`${way} ${screen || "journey"} ${query}`] = await page.evaluate((at) => {
            const sorted = [...lab3d.scripts].sort((a, b) => a - b);
            return {
              calls: lab3d.calls, triangles: lab3d.triangles, frames: lab3d.frames, idle: lab3d.frames - at,
              median_ms: sorted[sorted.length >> 1], p95_ms: sorted[Math.floor(sorted.length * 0.95)],
            };
          }, before);
          told[`${way} ${screen || "journey"} ${query}`].errors = noted.errors;
          await context.close();
        }
      }
      return told;
    });
  },

  /** The same moment of the tour is the same picture, whichever way one came. */
  async moments() {
    return withBrowser(async (browser) => {
      const told = {};
      for (const t of [3, 23, 40, 60]) {
        const seen = [];
        for (const start of [t, 0, 62]) {
          const { page, context } = await newPage(browser, { viewport: { width: 900, height: 760 } });
          await page.goto(address(base, "", `tour=${start}&labels=none`));
          await ready(page);
          await there(page);
          await page.locator(".j-scrub input").fill(String(t));
          await page.waitForTimeout(900);
          seen.push([await picture(page), await page.locator(".j-caption").innerText(), await page.evaluate("location.hash")]);
          await context.close();
        }
        told[t] = seen;
      }
      return told;
    });
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
