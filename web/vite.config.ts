import { readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

// Nothing is loaded from anywhere else: the same policy stands in the page and in the headers of `roundtrip lab`.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const policy = (): Plugin => ({
  name: "policy",
  apply: "build",
  transformIndexHtml: () => [
    { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: POLICY }, injectTo: "head-prepend" },
  ],
});

// A language is one file for who translates it; the first chunk takes only what the head and the first screen say.
const LATER = new Set(["stages", "sheet", "fill", "word", "step", "question", "paper", "energy", "facts", "document", "compare", "live", "fleet", "carry"]);
const FILE = new URL("./strings/en.json", import.meta.url).pathname;
const texts = (): Plugin => ({
  name: "texts",
  resolveId: (id) => (id.startsWith("virtual:strings/") ? `\0${id}` : undefined),
  load(id) {
    if (!id.startsWith("\0virtual:strings/")) return undefined;
    this.addWatchFile(FILE);
    const later = id.endsWith("/later");
    const all = Object.entries(JSON.parse(readFileSync(FILE, "utf8")) as Record<string, unknown>);
    const kept = all.filter(([key]) => LATER.has(key.split(".")[0] ?? "") === later);
    return `export default JSON.parse(${JSON.stringify(JSON.stringify(Object.fromEntries(kept)))});`;
  },
});

// `vite build` makes the site in chunks; `vite build --mode single` makes one script that needs no server.
export default defineConfig(({ mode }) => {
  const single = mode === "single";
  return {
    base: "./",
    plugins: single ? [texts()] : [texts(), policy()],
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      target: "es2022",
      outDir: single ? "../src/roundtrip/lab/single" : "../src/roundtrip/lab/site",
      emptyOutDir: true,
      copyPublicDir: !single,
      assetsInlineLimit: single ? 1_000_000 : 0,
      cssCodeSplit: !single,
      modulePreload: single ? false : { polyfill: false },
      chunkSizeWarningLimit: 4000,
      rolldownOptions: single
        ? {
            input: "src/main.tsx",
            transform: { define: { "import.meta": "{}" } },
            output: { format: "iife", entryFileNames: "lab.js", assetFileNames: "lab[extname]", codeSplitting: false },
          }
        : {},
    },
  };
});
