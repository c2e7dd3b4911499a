// node full.mjs LIVE STATIC: the wait worked out in full and the energy of another grid, with a server and without one.
import { address, newPage, ready, withBrowser } from "./rig.mjs";

const [live, plain] = process.argv.slice(2);
const clean = (text) => text.replace(/\u00a0/g, " ").trim();

async function open(page, base, screen, query) {
  await page.goto("about:blank");
  await page.goto(address(base, screen, query));
  await ready(page);
  if (screen === "wait") await page.waitForFunction(() => document.querySelector("#reply") && /\d/.test(document.querySelector(".likely")?.textContent ?? ""), null, { timeout: 60_000 });
}
const big = (page) => page.locator(".pair .big").evaluateAll((all) => all.map((e) => e.textContent.replace(/\u00a0/g, " ")));
/** What the table of the parts says, by name. */
const parts = async (page) => {
  const rows = await page.locator(".take tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent.replace(/\u00a0/g, " ").trim())));
  return Object.fromEntries(rows.map(([name, value]) => [name, value]));
};

await withBrowser(
  async (browser) => {
    const { page, noted } = await newPage(browser);
    const told = {};
    await open(page, live, "wait", "guess=1.2&rates=full");
    told.usual = { parts: await parts(page), cable: await page.locator("#cable").inputValue() };
    // The cable as it is, set by hand, changes nothing; twice as long takes longer; the queue is what was asked for.
    await open(page, live, "wait", `guess=1.2&rates=full&cable=${told.usual.cable}`);
    told.same = await parts(page);
    await page.locator("#cable").focus();
    await page.keyboard.press("PageUp");
    await page.waitForTimeout(300);
    told.longer = await parts(page);
    await open(page, live, "wait", "guess=1.2&rates=full&line=600");
    told.queued = await parts(page);

    // A model for which no equation was printed: the server works it out; a page without one says that it cannot.
    const other = "guess=1.2&rates=full&more=1&model=llama-3.1-8b";
    await open(page, live, "wait", other);
    await page.waitForFunction(() => document.querySelector(".served") && !document.querySelector("[aria-busy=true]"));
    told.served = { said: clean(await page.locator(".served").first().textContent()), big: await big(page), gray: await page.locator(".picks option:disabled").count() };
    await page.goto("about:blank");
    await page.goto(address(plain, "wait", "guess=1.2&rates=full&more=1"));
    await ready(page);
    await page.waitForSelector(".picks select");
    told.plain = { said: clean(await page.locator(".more").textContent()), gray: await page.locator(".picks option:disabled").count() };

    // Another grid moves water and carbon, not the joules; with the hour only where a server is.
    const sums = async () => page.locator(".sums dd .num, .sums dd.num").evaluateAll((all) => all.map((e) => e.textContent.replace(/\u00a0/g, " ")));
    for (const [name, base] of [["live", live], ["static", plain]]) {
      told[name] = {};
      for (const query of ["", "grid=norway", "grid=norway&whose=site", "hour=19", "grid=norway&hour=19"]) {
        await open(page, base, "energy", query);
        await page.waitForTimeout(900);
        told[name][query] = { sums: await sums(), joules: clean(await page.locator(".sum .big").textContent()), said: clean((await page.locator(".under").allTextContents()).join(" ")) };
      }
    }
    told.errors = noted.errors;
    console.log(JSON.stringify(told));
  },
  { gl: false },
);
