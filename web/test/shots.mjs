// node shots.mjs URL FOLDER [screen,...]: pictures of the screens at laptop and phone size, dark and light.
import { mkdir } from "node:fs/promises";
import { address, newPage, ready, SCREENS, withBrowser } from "./rig.mjs";

const [base, folder, only] = process.argv.slice(2);
const SIZES = {
  "1280x720": { viewport: { width: 1280, height: 720 } },
  "390x844": { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};
await mkdir(folder, { recursive: true });
await withBrowser(async (browser) => {
  for (const screen of only ? only.split(",") : SCREENS)
    for (const [size, options] of Object.entries(SIZES))
      for (const colorScheme of ["dark", "light"]) {
        const { page, context } = await newPage(browser, { ...options, colorScheme, reducedMotion: "reduce" });
        await page.goto(address(base, screen));
        await ready(page);
        await page.waitForTimeout(1500);
        await page.screenshot({ path: `${folder}/${(screen || "journey").replace(/\W/g, "-")}-${colorScheme}-${size}.png` });
        await context.close();
      }
});
console.log("{}");
