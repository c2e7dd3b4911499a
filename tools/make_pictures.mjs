// node make_pictures.mjs URL FOLDER [NAME...]: pictures of the lab as WebP, each at most 150 kB; names and sizes to the terminal.
import { writeFile } from "node:fs/promises";
import { address, newPage, ready, withBrowser } from "../web/test/rig.mjs";

const [base, folder, ...only] = process.argv.slice(2);
const MOST_B = 150_000;
const LAPTOP = { viewport: { width: 1280, height: 720 }, deviceScaleFactor: 1.25 };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1.5, hasTouch: true, isMobile: true };
const PICTURES = {
  "lab-journey": { screen: "", query: "flat=0", scheme: "dark" },
  "lab-wait": { screen: "wait", query: "guess=1.2", scheme: "light" },
  "lab-word": { screen: "word", query: "step=3&flat=0", scheme: "dark" },
  "lab-energy": { screen: "energy", scheme: "light" },
  "lab-fleet": { screen: "fleet", query: "replicas=3", scheme: "light" },
  "lab-compare": { screen: "compare", query: "a=cloud&b=device", scheme: "dark" },
  "lab-phone": { screen: "wait", query: "guess=1.2&level=child", scheme: "light", size: PHONE },
};

await withBrowser(async (browser) => {
  for (const [name, { screen, query, scheme, size = LAPTOP }] of Object.entries(PICTURES)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const { page, context } = await newPage(browser, { ...size, colorScheme: scheme, reducedMotion: "reduce" });
    await page.goto(address(base, screen, query));
    await ready(page);
    // The 3D picture comes after the first screen, and rests in a pose when motion is not wanted.
    await page.waitForTimeout(screen === "" || screen === "word" ? 6000 : 1500);
    await page.mouse.move(2, 2);
    const devtools = await context.newCDPSession(page);
    for (const quality of [90, 80, 70, 60, 45, 30]) {
      const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality });
      const bytes = Buffer.from(data, "base64");
      if (bytes.length > MOST_B) continue;
      await writeFile(`${folder}/${name}.webp`, bytes);
      console.log(`${name}.webp: ${Math.round(bytes.length / 1000)} kB, quality ${quality}`);
      break;
    }
    await context.close();
  }
});
