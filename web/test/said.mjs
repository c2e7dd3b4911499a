// node said.mjs CASES STRINGS: [value, unit] pairs as the page says them to a child, in the language of the file STRINGS.
import { build } from "vite";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const cases = JSON.parse(await readFile(process.argv[2], "utf8"));
const strings = JSON.parse(await readFile(process.argv[3], "utf8"));
const t = (key, values = {}) => strings[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
const out = await mkdtemp(join(tmpdir(), "roundtrip-said-"));
try {
  const lib = { entry: resolve("src/core/said.ts"), formats: ["es"], fileName: "said" };
  const rolldownOptions = { external: [/^preact/], transform: { jsx: { runtime: "automatic", importSource: "preact" } } };
  await build({ configFile: false, logLevel: "error", publicDir: false, build: { outDir: out, lib, minify: false, rolldownOptions } });
  const source = (await readFile(join(out, "said.js"), "utf8")).replace(/^import .*preact.*$/gm, "");
  const { said } = await import(`data:text/javascript;base64,${Buffer.from(source).toString("base64")}`);
  console.log(JSON.stringify(cases.map(([value, unit]) => said(t, value, unit, "child").replaceAll("\u00a0", " "))));
} finally {
  await rm(out, { recursive: true, force: true });
}
