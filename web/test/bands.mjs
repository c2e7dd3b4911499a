// node bands.mjs GENERATED [values]: the bands of every formula as the page computes them, or its values.
import { build } from "vite";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, what] = process.argv.slice(2);
const out = await mkdtemp(join(tmpdir(), "roundtrip-bands-"));
try {
  await build({
    configFile: false,
    logLevel: "error",
    publicDir: false,
    build: { outDir: out, lib: { entry: resolve("src/core/formula.ts"), formats: ["es"], fileName: "formula" }, minify: false },
  });
  const { loadFormula } = await import(pathToFileURL(join(out, "formula.js")).href);
  const { formulas } = await import(pathToFileURL(resolve(folder, "index.js")).href);
  const told = {};
  for (const name of Object.keys(formulas)) {
    const formula = await loadFormula(name);
    told[name] = what === "values" ? formula.evaluate() : formula.band();
  }
  console.log(JSON.stringify(told));
} finally {
  await rm(out, { recursive: true, force: true });
}
