/** The little Markdown that the stages are described in: paragraphs, lists, bold, code, links. No HTML passes through. */
import type { ComponentChildren, VNode } from "preact";

const GREEK: Readonly<Record<string, string>> = {
  alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", eta: "η", theta: "θ", kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", pi: "π",
  rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", chi: "χ", omega: "ω", Delta: "Δ", Phi: "Φ", Sigma: "Σ", Omega: "Ω", Gamma: "Γ", Lambda: "Λ",
  cdot: "·", times: "×", le: "≤", ge: "≥", approx: "≈", infty: "∞", sum: "Σ", sqrt: "√", ln: "ln", log: "log", exp: "exp", min: "min", max: "max",
};

/** A short formula of a text as a line of text. */
export function plainTeX(tex: string): string {
  return tex
    .replace(/\\(?:[dt]?frac)\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}/g, "($1) / ($2)")
    .replace(/\\(?:mathrm|text|operatorname)\{([^{}]*)\}/g, "$1")
    .replace(/\\([A-Za-z]+)/g, (whole, name: string) => GREEK[name] ?? whole.slice(1))
    .replace(/\\[,;!: ]/g, " ")
    .replace(/[{}]/g, "")
    .trim();
}

export function inline(text: string): ComponentChildren[] {
  return text.replace(/:math:`([^`]+)`/g, (_, tex: string) => `\`${plainTeX(tex)}\``).replace(/``/g, "`").split(/(`[^`]+`|\*\*[^*]+\*\*|https?:\/\/[^\s)>,]+[^\s)>,.;:]|doi:10\.[^\s,;]+[^\s,;.])/g).map((piece, i) => {
    if (i % 2 === 0) return piece;
    if (piece.startsWith("`")) return <code key={i}>{piece.slice(1, -1)}</code>;
    if (piece.startsWith("**")) return <b key={i}>{piece.slice(2, -2)}</b>;
    const url = piece.startsWith("doi:") ? `https://doi.org/${piece.slice(4)}` : piece;
    return (
      <a key={i} href={url} rel="noreferrer" target="_blank">
        {piece}
      </a>
    );
  });
}

export function Markdown({ text }: { readonly text: string }) {
  const blocks: VNode[] = [];
  const lines = text.split("\n");
  let i = 0;
  while (i < lines.length) {
    const line = lines[i] ?? "";
    if (line.trimStart().startsWith(".. math::")) {
      const parts = [line.trimStart().slice(9).trim()];
      for (i++; i < lines.length && /^\s+\S/.test(lines[i] ?? ""); i++) parts.push((lines[i] ?? "").trim());
      blocks.push(
        <pre key={blocks.length} tabIndex={0}>
          {plainTeX(parts.join(" ").trim())}
        </pre>,
      );
    } else if (line.startsWith("```")) {
      const code: string[] = [];
      for (i++; i < lines.length && !(lines[i] ?? "").startsWith("```"); i++) code.push(lines[i] ?? "");
      i++;
      blocks.push(
        <pre key={blocks.length} tabIndex={0}>
          {code.filter((each) => !/^=+( +=+)*$/.test(each.trim())).join("\n")}
        </pre>,
      );
    } else if (/^\s{4,}\S/.test(line)) {
      const code: string[] = [];
      for (; i < lines.length && (/^\s{4,}\S/.test(lines[i] ?? "") || (lines[i] ?? "").trim() === ""); i++) code.push((lines[i] ?? "").slice(4));
      blocks.push(
        <pre key={blocks.length} tabIndex={0}>
          {code.join("\n").trimEnd()}
        </pre>,
      );
    } else if (/^\d+\. /.test(line)) {
      const items: string[] = [];
      for (; i < lines.length && (/^\d+\. /.test(lines[i] ?? "") || /^\s+\S/.test(lines[i] ?? "")); i++) {
        const next = lines[i] ?? "";
        if (/^\d+\. /.test(next)) items.push(next.replace(/^\d+\. /, ""));
        else items[items.length - 1] += ` ${next.trim()}`;
      }
      blocks.push(
        <ol key={blocks.length}>
          {items.map((item, n) => (
            <li key={n}>{inline(item)}</li>
          ))}
        </ol>,
      );
    } else if (line.trim() === "") {
      i++;
    } else {
      const words: string[] = [];
      for (; i < lines.length && (lines[i] ?? "").trim() !== "" && !/^(\d+\. |```)/.test(lines[i] ?? ""); i++) words.push((lines[i] ?? "").trim());
      blocks.push(<p key={blocks.length}>{inline(words.join(" "))}</p>);
    }
  }
  return <div class="markdown">{blocks}</div>;
}
