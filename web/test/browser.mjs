// node browser.mjs COMMAND URL [...]: one question to the real Chromium; prints one line of JSON.
import { address, forEach, newPage, ready, SCREENS, withBrowser } from "./rig.mjs";

const [command, base, ...more] = process.argv.slice(2);

const commands = {
  /** Every formula on Python's vectors, served beside it. */
  async parity() {
    return withBrowser(async (browser) => {
      const { page } = await newPage(browser);
      await page.goto(base);
      return page.evaluate(async () => {
        const { compare } = await import(new URL("compare.mjs", location.href).href);
        const { formulas } = await import(new URL("generated/index.js", location.href).href);
        const all = await (await fetch("vectors.json")).json();
        const told = {};
        for (const [name, vectors] of Object.entries(all)) told[name] = compare(await formulas[name](), vectors);
        return told;
      });
    });
  },

  /** What every screen asks for, and what goes wrong on it. */
  async requests() {
    return withBrowser((browser) => forEach(SCREENS, async (screen) => {
      const { page, context, noted } = await newPage(browser);
      await page.goto(address(base, screen));
      await ready(page);
      const told = { ...noted, heading: await page.locator("main h1, main h2").first().textContent() };
      await context.close();
      return told;
    }));
  },

  /** Whether this machine's Chromium can draw in 3D at all. */
  async webgl() {
    return withBrowser(async (browser) => {
      const { page } = await newPage(browser);
      return page.evaluate(() => document.createElement("canvas").getContext("webgl2") !== null);
    });
  },

  /** Screens while the 3D code never arrives: title, numbers, text, a flat picture, and no label that has no place yet. */
  async first() {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const all = [["laptop", "", {}], ["phone", "", phone], ["laptop", "word", {}], ["phone", "word", phone]];
    return withBrowser((browser) => forEach(all, async ([, screen, options]) => {
      const { page, context } = await newPage(browser, options);
      await page.route(/assets\/scene/, () => {});
      await page.goto(address(base, screen));
      await page.waitForSelector("main h1", { state: "attached" });
      await page.waitForTimeout(2000);
      const told = await page.evaluate(() => ({
        text: document.querySelector("main").innerText,
        drawn: document.querySelectorAll("main :is(.j-flat, .w-flat)").length,
        stray: [...document.querySelectorAll(".j-flag3, .j-note, .w-note")].filter((each) => each.checkVisibility({ visibilityProperty: true })).map((each) => each.textContent),
      }));
      await context.close();
      return told;
    }, { name: ([size, screen]) => `${size} ${screen || "journey"}` }));
  },
};

console.log(JSON.stringify(await commands[command](...more)));
