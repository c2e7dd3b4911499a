// node sheet.mjs URL FOLDER: the question sheet with sliders of the reader's own; its text, its pages in print, its links.
import { address, newPage, ready, withBrowser } from "./rig.mjs";

const [base, folder] = process.argv.slice(2);
const SLIDERS = "km=9000&queue=200&prompt=800&reply=120&guess=1.2";

const told = await withBrowser(
  async (browser) => {
    const { page, noted } = await newPage(browser, { colorScheme: "dark" });
    await page.goto(address(base, "sheet", `level=student&for=answer&${SLIDERS}`));
    await ready(page);
    const answers = await page.innerText(".sheet-pages");
    const back = await page.getAttribute('.sheet-go a[href*="wait"]', "href");
    const pdf = await page.getAttribute('.sheet-go a[href*="sheet.pdf"]', "href");
    // By keyboard alone: to the tab of the teacher's page.
    await page.focus('.sheet-pick button:has-text("For teachers")');
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.hash.includes("for=teacher"));
    const teacher = await page.innerText(".sheet-pages");
    await page.waitForFunction(() => document.querySelector("[role=status]").textContent.trim());
    const announced = await page.innerText("[role=status]");
    const sizes = {};
    for (const paper of ["a4", "letter"]) {
      await page.goto(address(base, "sheet", `level=child&paper=${paper}&${SLIDERS}`));
      await ready(page);
      await page.pdf({ path: `${folder}/${paper}.pdf`, preferCSSPageSize: true });
      sizes[paper] = true;
    }
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(address(base, "sheet", "level=engineer"));
    await ready(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    await page.goto(address(base, "sheet", "lang=de&level=child&for=answer"));
    await ready(page);
    await page.waitForFunction(() => document.documentElement.lang === "de");
    const german = await page.innerText(".sheet-pages");
    return { answers, back, pdf, teacher, announced, german, sizes, wide, errors: noted.errors };
  },
  { gl: false },
);
console.log(JSON.stringify(told));
