/** Bytes as pairs of digits; the fields that stand in them as a table, each a button that marks its bytes. */
import { useState } from "preact/hooks";
import { Table } from "../../charts/twin";
import type { Say } from "../../shell/text";
import type { BytesShown } from "./types";

const ROW = 16;

export function Bytes({ one, t }: { readonly one: BytesShown; readonly t: Say }) {
  const [marked, mark] = useState(-1);
  const pairs = one.hex.match(/../g) ?? [];
  const [, , from = -1, length = 0] = one.fields[marked] ?? [];
  const fieldAt = (n: number) => one.fields.findIndex(([, , offset, size]) => n >= offset && n < offset + size);
  const rows = Array.from({ length: Math.ceil(pairs.length / ROW) }, (_, n) => n * ROW);
  const bytesOf = (offset: number, size: number) => pairs.slice(offset, offset + size).join(" ");
  return (
    <>
      <div class="hex scroll" tabIndex={0} role="region" aria-label={t("carry.bytes", { count: one.size })}>
        {rows.map((start) => (
          <div key={start} class="row">
            {pairs.slice(start, start + ROW).map((pair, n) => {
              const at = start + n;
              return (
                <span key={at} class={at >= from && at < from + length ? "on" : undefined} onPointerEnter={() => one.fields.length && mark(fieldAt(at))}>
                  {pair}{" "}
                </span>
              );
            })}
          </div>
        ))}
      </div>
      <p class="cap">
        {t(one.size > pairs.length ? "carry.bytes.first" : "carry.bytes", { count: one.size, shown: pairs.length })}{" "}
        {one.file && (
          <a class="take" download={`${one.stage.replace(".", "-")}-${one.name}.pcapng`} href={`data:application/octet-stream;base64,${one.file}`}>
            {t("carry.take")}
          </a>
        )}
      </p>
      {one.fields.length > 0 && (
        <div class="scroll fields" tabIndex={0} role="region" aria-label={t("carry.fields")}>
          <Table
            caption=""
            head={[t("carry.field"), t("carry.value"), t("carry.at"), t("carry.pairs")]}
            rows={one.fields.map(([name, value, offset, size], n) => [
              {
                text: (
                  <button type="button" class="ghost" aria-pressed={n === marked} onFocus={() => mark(n)} onPointerEnter={() => mark(n)} onClick={() => mark(n)}>
                    {name}
                  </button>
                ),
              },
              { text: value },
              { text: String(offset), right: true },
              { text: <code>{bytesOf(offset, size)}</code> },
            ])}
          />
        </div>
      )}
    </>
  );
}
