// node walk.mjs COMMAND URL: walks the lab as people do who have no mouse, no 3D, a phone, or no wish for motion.
import { address, newPage, ready, SCREENS, withBrowser } from "./rig.mjs";

const [command, base, ...more] = process.argv.slice(2);

/** In the page: what can be reached by Tab, and what has the focus. */
const HELPERS = () => {
  const kinds = "a[href],button,input,select,textarea,summary,[tabindex],iframe";
  const seen = (e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest("[inert]");
  const label = (e) => {
    const by = e.getAttribute("aria-labelledby");
    const named = by && by.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    return (named || e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent || e.title || "").trim();
  };
  const path = (e) => {
    const parts = [];
    for (let at = e; at && at !== document.body; at = at.parentElement)
      parts.unshift(`${at.tagName.toLowerCase()}:nth-child(${[...at.parentElement.children].indexOf(at) + 1})`);
    return parts.join(">");
  };
  window.tabbable = () =>
    [...document.querySelectorAll(kinds)]
      .filter((e) => !e.disabled && e.tabIndex >= 0 && seen(e))
      .filter((e) => e.type !== "radio" || e.checked || !document.querySelector(`input[type=radio][name="${e.name}"]:checked`))
      .map((e) => ({ path: path(e), name: label(e), tag: e.tagName.toLowerCase() }));
  window.focused = () => {
    const e = document.activeElement;
    if (!e || e === document.body || e === document.documentElement) return null;
    const ringed = [e, ...e.children].some((each) => {
      const style = getComputedStyle(each);
      return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
    });
    const box = e.getBoundingClientRect();
    const covered = box.bottom < 0 || box.top > innerHeight || box.right < 0 || box.left > innerWidth;
    return { path: path(e), name: label(e), ring: ringed, hidden: covered || box.width === 0, tag: e.tagName.toLowerCase() };
  };
};

async function open(browser, screen, options, query) {
  const made = await newPage(browser, options);
  await made.page.addInitScript(HELPERS);
  await made.page.goto(address(base, screen, query));
  await ready(made.page);
  return made;
}

/** Presses Tab until the focus is where `wanted` says; fails when it has been everywhere. */
async function tabTo(page, wanted, most = 400) {
  for (let i = 0; i < most; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(wanted)) return i + 1;
  }
  throw new Error(`not reached by Tab: ${wanted}`);
}

const at = (selector) => `!!document.activeElement?.matches(${JSON.stringify(selector)})`;
const text = (page) => page.locator("main").innerText();

/** Numbers with a unit, as the page shows them. */
const numbers = (shown) => [...new Set(shown.match(/[\d.,]+(?:·10[⁻⁰¹²³⁴-⁹]+)?\s?(?:[fpnµmkMGT]?(?:s|J|W|L|g|B|m)\b|%|tokens?)/g) ?? [])];

const commands = {
  /** Tab through every screen: everything is reached, named, ringed, and there is a way out. */
  async tab() {
    return withBrowser(async (browser) => {
      const told = {};
      for (const screen of SCREENS) {
        const { page, context } = await open(browser, screen, { reducedMotion: "reduce" });
        const wanted = await page.evaluate("tabbable()");
        const met = new Map();
        let trapped = true;
        for (let i = 0; i < wanted.length + 60; i++) {
          await page.keyboard.press("Tab");
          const now = await page.evaluate("focused()");
          if (now === null || (met.size > 3 && now.path === met.keys().next().value)) {
            trapped = false;
            break;
          }
          if (!met.has(now.path)) met.set(now.path, now);
        }
        told[screen] = {
          reached: met.size,
          trapped,
          missed: wanted.filter((e) => !met.has(e.path)).map((e) => `${e.tag} ${e.name.slice(0, 50)}`),
          unnamed: [...met.values()].filter((e) => !e.name).map((e) => e.path),
          unringed: [...met.values()].filter((e) => !e.ring).map((e) => `${e.tag} ${e.name.slice(0, 50)}`),
          hidden: [...met.values()].filter((e) => e.hidden).map((e) => `${e.tag} ${e.name.slice(0, 50)}`),
        };
        await context.close();
      }
      return told;
    });
  },

  /** What can be worked on each screen. */
  async controls() {
    return withBrowser(async (browser) => {
      const told = {};
      for (const screen of more.length ? more : SCREENS) {
        const { page, context } = await open(browser, screen, { reducedMotion: "reduce" });
        told[screen] = (await page.evaluate("tabbable()")).map((e) => `${e.tag}: ${e.name.slice(0, 60)}`);
        await context.close();
      }
      return told;
    });
  },

  /** Every screen without WebGL has the numbers that it has with it. */
  async flat() {
    const read = (gl) =>
      withBrowser(
        async (browser) => {
          const told = {};
          for (const screen of SCREENS) {
            const { page, context, noted } = await open(browser, screen, {});
            await page.waitForTimeout(1500);
            told[screen] = {
              errors: noted.errors,
              canvas: await page.locator("main canvas").count(),
              numbers: numbers(await page.locator("main").evaluate((e) => e.textContent)),
              shown: numbers(await text(page)),
            };
            await context.close();
          }
          return told;
        },
        { gl },
      );
    return { gl: await read(true), flat: await read(false) };
  },

  /** Reflow: nothing is wider than a screen of 320 px, except what scrolls by itself. */
  async reflow() {
    return withBrowser(async (browser) => {
      const told = {};
      for (const screen of SCREENS) {
        const { page, context } = await open(browser, screen, { viewport: { width: 320, height: 640 }, reducedMotion: "reduce" });
        told[screen] = await page.evaluate(() => {
          const wide = document.documentElement.scrollWidth - innerWidth;
          const small = [...document.querySelectorAll("button,a[href],input,select")]
            .filter((e) => e.checkVisibility() && !e.closest("svg,p,li,td,dd") && !e.closest(".unseen"))
            .map((e) => [e, e.getBoundingClientRect()])
            .filter(([, box]) => box.width > 1 && (box.width < 23.5 || box.height < 23.5))
            .map(([e, box]) => `${e.tagName.toLowerCase()} ${(e.textContent || e.ariaLabel || "").trim().slice(0, 30)} ${box.width.toFixed(0)}x${box.height.toFixed(0)}`);
          return { wide, small };
        });
        await context.close();
      }
      return told;
    });
  },

  /** Nothing is drawn when nothing moves: frames asked for in two seconds, after the first six. */
  async still() {
    return withBrowser(async (browser) => {
      const told = {};
      for (const reducedMotion of ["no-preference", "reduce"])
        for (const screen of SCREENS) {
          const { page, context } = await newPage(browser, { reducedMotion });
          await page.addInitScript(() => {
            window.frames_asked = 0;
            const asked = window.requestAnimationFrame.bind(window);
            window.requestAnimationFrame = (work) => {
              window.frames_asked++;
              return asked(work);
            };
          });
          await page.goto(address(base, screen));
          await ready(page);
          await page.waitForTimeout(reducedMotion === "reduce" ? 1000 : 9000);
          const before = await page.evaluate("frames_asked");
          await page.waitForTimeout(2000);
          told[`${reducedMotion} ${screen || "journey"}`] = (await page.evaluate("frames_asked")) - before;
          await context.close();
        }
      return told;
    });
  },
};

console.log(JSON.stringify(await commands[command](...more)));
export { at, tabTo };
