// node units.mjs CASES: [value, unit] pairs as the page writes them, and bands around them.
import { build } from "vite";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const cases = JSON.parse(await readFile(process.argv[2], "utf8"));
const out = await mkdtemp(join(tmpdir(), "roundtrip-units-"));
try {
  const lib = { entry: resolve("src/core/units.ts"), formats: ["es"], fileName: "units" };
  await build({ configFile: false, logLevel: "error", publicDir: false, build: { outDir: out, lib, minify: false } });
  const { si, band } = await import(pathToFileURL(join(out, "units.js")).href);
  console.log(
    JSON.stringify({
      si: cases.map(([value, unit]) => si(value, unit).replaceAll("\u00a0", " ")),
      band: cases.map(([value, unit]) => {
        const [low, high] = [value * 0.5, value * 3].sort((a, b) => a - b);
        return band(low, high, value, unit).replaceAll("\u00a0", " ");
      }),
    }),
  );
} finally {
  await rm(out, { recursive: true, force: true });
}
