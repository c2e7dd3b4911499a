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

  /** The first screen while the 3D code never arrives: it has its title, its numbers and its text. */
  async first() {
    return withBrowser(async (browser) => {
      const { page } = await newPage(browser);
      await page.route(/assets\/scene/, () => {});
      await page.goto(address(base, ""));
      await page.waitForSelector("main h1");
      await page.waitForTimeout(2000);
      return { text: await page.locator("main").innerText() };
    });
  },
};

console.log(JSON.stringify(await commands[command](...more)));
