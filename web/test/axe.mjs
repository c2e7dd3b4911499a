// node axe.mjs URL [SCREEN]: axe-core's rules of WCAG 2.2 A and AA on every screen: dark, light, forced colors, narrow, with and without 3D.
import { createRequire } from "node:module";
import { readFile } from "node:fs/promises";
import { address, forEach, newPage, ready, SCREENS, withBrowser } from "./rig.mjs";

const [base, only] = process.argv.slice(2);
const source = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const NARROW = { viewport: { width: 320, height: 640 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** What a browser is told, and the screens of it that are looked at: 3D stands on two of them. */
const WAYS = {
  dark: [{ colorScheme: "dark" }],
  light: [{ colorScheme: "light" }],
  forced: [{ colorScheme: "dark", forcedColors: "active" }],
  phone: [{ colorScheme: "light", ...PHONE }],
  narrow: [{ colorScheme: "dark", ...NARROW }],
  "child, light": [{ colorScheme: "light" }, "level=child"],
};
const DEEP = [["", ""], ["", "part=server"], ["", "view=4"], ["", "tour=23"], ["word", "step=3"], ["word", "step=5"]];

const jobs = (ways, screens, moving) =>
  ways.flatMap((way) => screens.filter(([screen]) => only === undefined || only === screen).map(([screen, query]) => ({
    screen, query: [query, WAYS[way][1]].filter(Boolean).join("&"), options: { ...WAYS[way][0], reducedMotion: moving ? "no-preference" : "reduce", bypassCSP: true },
    name: `${way} ${screen || "journey"}${query ? ` ${query}` : ""}${moving ? " in 3D" : ""}`,
  })));

const look = (gl, list) =>
  withBrowser((browser) => forEach(list, async ({ screen, query, options }) => {
    const { page, context } = await newPage(browser, options);
    await page.goto(address(base, screen, query));
    await ready(page);
    // 3D takes the place of the flat picture after a while
    if (options.reducedMotion === "no-preference" && gl) await page.waitForFunction(() => window.lab3d?.frames > 0, null, { timeout: 20_000 }).catch(() => {});
    await page.evaluate(source);
    const { violations } = await page.evaluate((values) => window.axe.run(document, { runOnly: values }), TAGS);
    await context.close();
    return violations.map((v) => ({
      id: v.id,
      help: v.help,
      nodes: v.nodes.slice(0, 6).map((n) => `${n.target.join(" ")} :: ${n.html.slice(0, 160)} :: ${n.failureSummary?.slice(0, 200)}`),
    }));
  }, { name: (job) => `${job.name}${gl ? "" : " without 3D"}` }), { gl });

const all = SCREENS.map((screen) => [screen, ""]);
const told = {
  ...(await look(true, [...jobs(["dark", "light"], DEEP, true), ...jobs(["narrow", "forced"], [["", ""], ["word", ""]], true)])),
  ...(await look(false, jobs(Object.keys(WAYS), all, false))),
};
console.log(JSON.stringify(told));
