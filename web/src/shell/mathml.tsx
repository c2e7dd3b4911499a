/**
 * An equation as Python made it: MathML text, turned into elements one by one. Only elements and attributes of MathML
 * are made, so that no data can bring anything else into the page.
 */
import { h, type VNode } from "preact";
import { useMemo } from "preact/hooks";

const ALLOWED = new Set([
  "math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder",
  "mover", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom", "menclose", "mfenced",
]);
const ATTRIBUTES = new Set(["display", "mathvariant", "stretchy", "fence", "form", "separator", "lspace", "rspace", "width", "columnalign", "displaystyle", "scriptlevel", "accent", "accentunder", "minsize", "maxsize", "linethickness"]);

function build(node: Element, key: number): VNode | null {
  if (!ALLOWED.has(node.localName)) return null;
  const attributes: Record<string, string | number> = { key };
  for (const { name, value } of [...node.attributes]) if (ATTRIBUTES.has(name)) attributes[name] = value;
  const children = [...node.childNodes].map((child, i) =>
    child.nodeType === Node.TEXT_NODE ? child.textContent : child instanceof Element ? build(child, i) : null,
  );
  return h(node.localName, attributes as never, ...children);
}

export function MathML({ source, label, name }: { readonly source: string; readonly label: string; readonly name?: string }) {
  const made = useMemo(() => {
    const parsed = new DOMParser().parseFromString(source.replace("<math ", '<math xmlns="http://www.w3.org/1998/Math/MathML" ').replace("<math>", '<math xmlns="http://www.w3.org/1998/Math/MathML">'), "application/xml");
    const root = parsed.documentElement;
    return root.localName === "math" ? build(root, 0) : null;
  }, [source]);
  return made ? (
    <div class="equation" role="group" aria-label={label} tabIndex={0}>
      {name && <span class="lhs">{name.replace(/_/g, "_\u200b")} =</span>}
      {made}
    </div>
  ) : (
    <pre class="equation">{label}</pre>
  );
}
