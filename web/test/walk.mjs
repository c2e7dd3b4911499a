// node walk.mjs COMMAND URL: walks the lab as people do who have no mouse, no 3D, a phone, or no wish for motion.
import { address, forEach, newPage, ready, rests, SCREENS, withBrowser } from "./rig.mjs";

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

/** In the page: whether the focus is on what matches a selector, and has a name with this text in it. */
const at = (selector, name = "") =>
  `(() => { const e = document.activeElement; return !!e?.matches(${JSON.stringify(selector)}) && focused().name.includes(${JSON.stringify(name)}); })()`;
const hash = (page) => page.evaluate("location.hash");
const settle = (page) => page.waitForTimeout(350);
/** Does something, and says whether what `look` sees has changed. */
async function changes(page, look, work) {
  const before = await look(page);
  await work();
  for (let i = 0; i < 20; i++) {
    await page.waitForTimeout(100);
    if ((await look(page)) !== before) return true;
  }
  return false;
}
const pressedBack = async (page, selector, name) => {
  await page.evaluate("document.activeElement?.blur?.()");
  await pressed(page, selector, name, "Enter");
};
const pressed = async (page, selector, name, key) => {
  await tabTo(page, at(selector, name));
  await page.keyboard.press(key);
};
const text = (page) => page.locator("main").innerText();

/** Numbers with a unit, as the page shows them. */
const numbers = (shown) => [...new Set(shown.match(/[\d.,]+(?:·10[⁻⁰¹²³⁴-⁹]+)?\s?(?:[fpnµmkMGT]?(?:s|J|W|L|g|B|m)\b|%|tokens?)/g) ?? [])];

const commands = {
  /** Tab through every screen: everything is reached, named, ringed, and there is a way out. */
  async tab() {
    return withBrowser((browser) => forEach(SCREENS, async (screen) => {
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
        await context.close();
        return {
          reached: met.size,
          trapped,
          missed: wanted.filter((e) => !met.has(e.path)).map((e) => `${e.tag} ${e.name.slice(0, 50)}`),
          unnamed: [...met.values()].filter((e) => !e.name).map((e) => e.path),
          unringed: [...met.values()].filter((e) => !e.ring).map((e) => `${e.tag} ${e.name.slice(0, 50)}`),
          hidden: [...met.values()].filter((e) => e.hidden).map((e) => `${e.tag} ${e.name.slice(0, 50)}`),
        };
    }));
  },

  /** Each journey from its beginning to what it is for, with nothing but keys. */
  async keys() {
    return withBrowser(async (browser) => {
      const told = {};
      const walk = async (name, screen, steps, query = "") => {
        const { page, context, noted } = await open(browser, screen, {}, query);
        told[name] = {};
        for (const [what, step] of Object.entries(steps)) told[name][what] = await step(page);
        told[name]["nothing went wrong"] = noted.errors.length === 0 || (console.error(name, noted.errors), false);
        await context.close();
      };
      await walk(
        "head",
        "",
        Object.fromEntries(
          ["wait", "fleet", "word", "energy", "compare", "facts", "sheet", "journey"].map((screen) => [
            screen,
            async (page) => {
              await page.evaluate("document.activeElement?.blur?.()");
              await pressed(page, `nav a[href$="#/${screen === "journey" ? "" : screen}"], nav a[href$="#/${screen}"]`, "", "Enter");
              await settle(page);
              await ready(page);
              return (await hash(page)).startsWith(`#/${screen === "journey" ? "" : screen}`);
            },
          ]),
        ),
      );
      await walk("journey", "", {
        "another trip": async (page) => {
          await tabTo(page, at("main select"));
          return changes(page, text, () => page.keyboard.press("ArrowDown"));
        },
        "a view by its key": async (page) => {
          await page.evaluate("document.activeElement.blur()");
          return changes(page, hash, () => page.keyboard.press("2"));
        },
        labels: (page) => changes(page, hash, () => page.keyboard.press("l")),
        tour: (page) => changes(page, text, () => page.keyboard.press("t")),
        "out of the tour": (page) => changes(page, text, () => page.keyboard.press("Escape")),
        "help opens": async (page) => {
          await page.keyboard.press("?");
          await settle(page);
          return page.evaluate("!!document.querySelector('dialog[open]')");
        },
        "shortcuts off": async (page) => {
          await tabTo(page, at("dialog input[type=checkbox]"));
          await page.keyboard.press("Space");
          await page.keyboard.press("Escape");
          await settle(page);
          const closed = await page.evaluate("!document.querySelector('dialog[open]')");
          return closed && !(await changes(page, hash, () => page.keyboard.press("3")));
        },
      });
      await walk("wait", "wait", {
        "145 ms and 4.3 s": async (page) => {
          await pressed(page, "main button", "without a guess", "Enter");
          await settle(page);
          const shown = (await text(page)).replaceAll("\u00a0", " ");
          return /145\s*ms/.test(shown) && /4\.3\d?\s*s/.test(shown);
        },
        "distance moves the answer": async (page) => {
          await page.evaluate("document.activeElement.blur()");
          await tabTo(page, at("input[type=range]", "Distance"));
          return changes(page, text, async () => {
            for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
          });
        },
        "a value is spoken with its unit": (page) => page.evaluate("/[a-z]/.test(document.activeElement.getAttribute('aria-valuetext') ?? '')"),
        "the state is in the address": async (page) => (await hash(page)).includes("="),
      });
      await walk("word", "word", {
        "each step": async (page) => {
          const seen = new Set();
          for (let step = 1; step <= 7; step++) {
            await page.evaluate("document.activeElement?.blur?.()");
            await pressed(page, "main button", `${step}`, "Enter");
            await settle(page);
            seen.add(await text(page));
          }
          return seen.size === 7 && (await hash(page)).includes("step=7");
        },
        "a question": async (page) => {
          await page.evaluate("document.activeElement.blur()");
          await tabTo(page, at("main select"));
          return changes(page, text, () => page.keyboard.press("Home"));
        },
      });
      await walk("energy", "energy", {
        "a part is switched off": async (page) => {
          await tabTo(page, at("input[type=checkbox]", "screen"));
          return changes(page, text, () => page.keyboard.press("Space"));
        },
        "another hour": async (page) => {
          await tabTo(page, at("input[type=range]", "Hour"));
          return changes(page, text, () => page.keyboard.press("ArrowRight"));
        },
      });
      await walk("compare", "compare", {
        "another trip": async (page) => {
          await tabTo(page, at("main select", "Second"));
          return changes(page, text, () => page.keyboard.press("ArrowDown"));
        },
        "the other way round": (page) => changes(page, hash, () => pressedBack(page, "main button", "Swap")),
      });
      await walk("facts", "facts", {
        "only what is off": (page) => changes(page, text, () => pressed(page, "main button", "off", "Enter")),
        "a word is looked for": async (page) => {
          await tabTo(page, at("main input"));
          return changes(page, text, () => page.keyboard.type("power"));
        },
        "a claim opens": async (page) => {
          await page.keyboard.press("Tab");
          return changes(page, text, () => page.keyboard.press("Enter"));
        },
      });
      await walk("sheet", "sheet", {
        "the answers": (page) => changes(page, text, () => pressed(page, "main button", "Answers", "Enter")),
        "the other paper": (page) => changes(page, hash, () => pressed(page, "main button", "Letter", "Enter")),
      });
      await walk("stage", "stage/optics.fiber", {
        "a knob turns": async (page) => {
          await tabTo(page, at("input[type=range]"));
          return changes(page, text, async () => {
            for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
          });
        },
        "the next stage by its key": async (page) => {
          await page.evaluate("document.activeElement.blur()");
          return changes(page, hash, () => page.keyboard.press("]"));
        },
        "and back": (page) => changes(page, hash, () => page.keyboard.press("[")),
      });
      await walk("fleet", "fleet", {
        "one more replica": async (page) => {
          await tabTo(page, at("input[type=range]", "Replicas"));
          return changes(page, text, () => page.keyboard.press("ArrowRight"));
        },
        "another chip": async (page) => {
          await tabTo(page, at("main select", "Accelerator"));
          return changes(page, text, () => page.keyboard.press("ArrowDown"));
        },
        "an earlier hour": async (page) => {
          await pressedBack(page, "input[type=range]", "Time of day");
          return changes(page, hash, () => page.keyboard.press("ArrowLeft"));
        },
        "the day plays": (page) => changes(page, text, () => pressedBack(page, "main button", "Play")),
        "and rests": async (page) => {
          await page.keyboard.press("Enter");
          await settle(page);
          return !(await changes(page, text, () => settle(page)));
        },
        "what stands folded": (page) => changes(page, text, () => pressed(page, "summary", "command line", "Enter")),
      });
      return told;
    });
  },

  /** Each screen by fingers alone, on a phone. */
  async touch() {
    return withBrowser(async (browser) => {
      const told = {};
      const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
      const tap = async (page, place) => {
        await place.first().scrollIntoViewIfNeeded();
        await place.first().tap();
      };
      // fingers on the picture, as places from its middle
      const swipe = async (page, start, at) => {
        await page.locator(".j-picture").scrollIntoViewIfNeeded();
        const box = await page.locator(".j-picture").boundingBox();
        const client = await page.context().newCDPSession(page);
        const points = (places) => places.map(([x, y], id) => ({ x: box.x + box.width / 2 + x, y: Math.min(box.y + box.height * 0.7, 780) + y, id }));
        await client.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(start) });
        for (let i = 1; i <= 10; i++) {
          await client.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(at(i)) });
          await page.waitForTimeout(30);
        }
        await client.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
        await settle(page);
      };
      const scrolls = async (page) => {
        await page.evaluate("scrollTo(0, 0)");
        await swipe(page, [[0, 0]], (i) => [[0, -25 * i]]);
        return (await page.evaluate("scrollY")) > 60;
      };
      const button = (page, name) => page.locator("main").getByRole("button", { name });
      const walk = async (name, screen, steps) => {
        const { page, context, noted } = await open(browser, screen, phone);
        told[name] = {};
        for (const [what, step] of Object.entries(steps)) told[name][what] = await step(page);
        told[name]["nothing went wrong"] = noted.errors.length === 0 || (console.error(name, noted.errors), false);
        await context.close();
      };
      await walk("head", "", {
        "the menu leads on": async (page) => {
          await tap(page, page.locator("header").getByRole("button", { name: "Menu" }));
          await tap(page, page.locator('header a[href$="#/wait"]:visible'));
          await settle(page);
          return (await hash(page)).startsWith("#/wait");
        },
      });
      await walk("journey", "", {
        "the page scrolls under a finger on the picture": scrolls,
        "one finger turns it, once that is switched on": async (page) => {
          if (!(await page.evaluate("!!window.lab3d"))) return true;
          await tap(page, button(page, /Touch to turn/));
          await settle(page);
          const before = await page.evaluate("lab3d.yaw");
          await swipe(page, [[0, 0]], (i) => [[12 * i, 0]]);
          return (await page.evaluate("lab3d.yaw")) !== before;
        },
        "two fingers zoom": async (page) => {
          if (!(await page.evaluate("!!window.lab3d"))) return true;
          const before = await page.evaluate("lab3d.distance");
          await swipe(page, [[-30, 0], [30, 0]], (i) => [[-30 - 6 * i, 0], [30 + 6 * i, 0]]);
          return (await page.evaluate("lab3d.distance")) < before;
        },
        "and the page is free again": async (page) => {
          if (!(await page.evaluate("!!window.lab3d"))) return true;
          await tap(page, button(page, /Let the page scroll/));
          await settle(page);
          return scrolls(page);
        },
        "a view": (page) => changes(page, hash, () => tap(page, button(page, /^Inside/))),
        "the tour": (page) => changes(page, text, () => tap(page, button(page, /Tour/))),
      });
      await walk("wait", "wait", {
        "without a guess": (page) => changes(page, text, () => tap(page, button(page, /without a guess/))),
        "145 ms and 4.3 s": async (page) => /145\s*ms/.test(await text(page)) && /4\.3\d?\s*s/.test(await text(page)),
        "more distance": (page) => changes(page, text, () => tap(page, button(page, /Distance.*more/))),
      });
      await walk("word", "word", {
        "the third step": async (page) => {
          await tap(page, button(page, /^3/));
          await settle(page);
          return (await hash(page)).includes("step=3");
        },
      });
      await walk("energy", "energy", {
        "a part is switched off": (page) =>
          changes(page, text, () => tap(page, page.locator("main label").filter({ hasText: "device and screen" }))),
      });
      await walk("compare", "compare", {
        "the other way round": (page) => changes(page, hash, () => tap(page, button(page, /Swap/))),
      });
      await walk("facts", "facts", {
        "only what is off": (page) => changes(page, text, () => tap(page, button(page, /^off/))),
      });
      await walk("sheet", "sheet", {
        "the answers": (page) => changes(page, text, () => tap(page, button(page, /Answers/))),
      });
      await walk("stage", "stage/optics.fiber", {
        "the next stage": (page) => changes(page, hash, () => tap(page, page.locator('main a[href*="#/stage/optics.coherent"]:visible'))),
      });
      await walk("fleet", "fleet", {
        "the cache keeps what was read": (page) => changes(page, text, () => tap(page, page.locator("#fleet-prefix"))),
        "another hour by a tap": (page) => changes(page, hash, () => tap(page, page.locator("svg.over"))),
        "the day plays": (page) => changes(page, text, () => tap(page, button(page, /Play/))),
      });
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
      withBrowser((browser) => forEach(SCREENS, async (screen) => {
        const { page, context, noted } = await open(browser, screen, {});
        if (gl && (screen === "" || screen === "word")) await page.waitForFunction(() => window.lab3d?.frames > 0, null, { timeout: 20_000 }).catch(() => {});
        else await page.waitForTimeout(1000);
        const told = {
          errors: noted.errors,
          canvas: await page.locator("main canvas").count(),
          numbers: numbers(await page.locator("main").evaluate((e) => e.textContent)),
          shown: numbers(await text(page)),
        };
        await context.close();
        return told;
      }), { gl });
    return { gl: await read(true), flat: await read(false) };
  },

  /** Reflow: nothing is wider than a screen of 320 px, except what scrolls by itself. */
  async reflow() {
    return withBrowser((browser) => forEach(SCREENS, async (screen) => {
        const { page, context } = await open(browser, screen, { viewport: { width: 320, height: 640 }, reducedMotion: "reduce" });
        const told = await page.evaluate(() => {
          const wide = document.documentElement.scrollWidth - innerWidth;
          const small = [...document.querySelectorAll("button,a[href],input,select")]
            .filter((e) => e.checkVisibility() && !e.closest("svg,p,li,td,dd") && !e.closest(".unseen"))
            .map((e) => [e, e.getBoundingClientRect()])
            .filter(([, box]) => box.width > 1 && (box.width < 23.5 || box.height < 23.5))
            .map(([e, box]) => `${e.tagName.toLowerCase()} ${(e.textContent || e.ariaLabel || "").trim().slice(0, 30)} ${box.width.toFixed(0)}x${box.height.toFixed(0)}`);
          return { wide, small };
        });
        await context.close();
        return told;
    }));
  },

  /** Nothing is drawn when nothing moves: frames asked for in two seconds, when all rests. */
  async still() {
    const all = ["no-preference", "reduce"].flatMap((reducedMotion) => SCREENS.map((screen) => [reducedMotion, screen]));
    return withBrowser((browser) => forEach(all, async ([reducedMotion, screen]) => {
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
      // a screen with a moving picture rests when its signal has run
      if (reducedMotion === "no-preference" && (screen === "" || screen === "word") && (await page.locator("main canvas").count())) await rests(page);
      await page.waitForTimeout(1500);
      const before = await page.evaluate("frames_asked");
      await page.waitForTimeout(2000);
      const frames = (await page.evaluate("frames_asked")) - before;
      await context.close();
      return frames;
    }, { name: ([motion, screen]) => `${motion} ${screen || "journey"}`, atOnce: 4 }));
  },
};

console.log(JSON.stringify(await commands[command](...more)));
