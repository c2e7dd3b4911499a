// node axe.mjs URL: axe-core's rules of WCAG 2.2 A and AA on every screen in dark, light and forced colors.
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { address, newPage, ready, SCREENS, withBrowser } from "./rig.mjs";

const [base, only] = process.argv.slice(2);
const source = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const WAYS = {
  dark: { colorScheme: "dark" },
  light: { colorScheme: "light" },
  forced: { colorScheme: "dark", forcedColors: "active" },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

const told = await withBrowser(async (browser) => {
  const found = {};
  for (const [way, options] of Object.entries(WAYS)) {
    for (const screen of SCREENS) {
      if (only && only !== screen) continue;
      const { page, context } = await newPage(browser, { ...options, reducedMotion: "reduce", bypassCSP: true });
      await page.goto(address(base, screen));
      await ready(page);
      await page.evaluate(source);
      const { violations } = await page.evaluate((values) => window.axe.run(document, { runOnly: values }), TAGS);
      found[`${way} ${screen || "journey"}`] = violations.map((v) => ({
        id: v.id,
        help: v.help,
        nodes: v.nodes.slice(0, 6).map((n) => `${n.target.join(" ")} :: ${n.html.slice(0, 160)} :: ${n.failureSummary?.slice(0, 200)}`),
      }));
      await context.close();
    }
  }
  return found;
});
console.log(JSON.stringify(told));
