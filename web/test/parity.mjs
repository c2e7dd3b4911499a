// node parity.mjs GENERATED VECTORS: evaluates the generated closed forms on Python's vectors and prints, for each
// formula, how far the worst output is from Python's (relative; equal infinities and NaN agree).
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";
import { compare } from "./compare.mjs";

const [folder, file] = process.argv.slice(2);
const { formulas } = await import(pathToFileURL(resolve(folder, "index.js")).href);
const all = JSON.parse(await readFile(file, "utf8"));
const told = {};
for (const [name, vectors] of Object.entries(all)) told[name] = compare(await formulas[name](), vectors);
console.log(JSON.stringify(told));
