// node pseudo.mjs URL: what a reader of a language that nobody speaks still finds in English: texts without a key.
// Headings, buttons, labels and names for screen readers are looked at; numbers, names and what comes out of the data are let be.
import { address, newPage, ready, withBrowser } from "./rig.mjs";

const [base] = process.argv.slice(2);
const PAGES = ["", "wait", "wait|guess=2", "word|step=1", "word|step=5", "energy", "compare", "facts", "sheet|for=child", "sheet|for=adult", "sheet|for=teacher", "stage/optics.fiber", "fleet"];
const ALL = ["wait", "sheet"];

const told = await withBrowser(
  async (browser) => {
    const found = {};
    for (const each of PAGES) {
      const [screen, query] = each.split("|");
      const { page, context } = await newPage(browser, { reducedMotion: "reduce" });
      await page.goto(address(base, screen, query));
      await ready(page);
      await page.waitForTimeout(400);
      found[each] = await page.evaluate((whole) => {
        const said = new Set();
        const strange = (text) => /[[\]·…]/.test(text);
        const put = (text, where) => {
          const plain = (text ?? "").trim();
          if (/[A-Za-z]{3,}/.test(plain) && !strange(plain)) said.add(`${where}: ${plain.slice(0, 100)}`);
        };
        const skip = "script, style, noscript, code, math, option, kbd, .mark, a[href^='http']";
        const chosen = whole ? "main *" : "main :is(h1, h2, h3, button, label, summary, legend, th[scope=col], caption)";
        for (const element of document.querySelectorAll(chosen)) {
          if (element.closest(skip)) continue;
          for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) put(node.textContent, element.tagName.toLowerCase());
        }
        for (const element of document.querySelectorAll("[aria-label], [placeholder]")) {
          put(element.getAttribute("aria-label"), "aria-label");
          put(element.getAttribute("placeholder"), "placeholder");
        }
        return [...said];
      }, ALL.includes(screen));
      await context.close();
    }
    return found;
  },
  { gl: false },
);
console.log(JSON.stringify(told));
