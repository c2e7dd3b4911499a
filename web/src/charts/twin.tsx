/** The same numbers as a table: what a picture says must not be in the picture alone. */
import type { ComponentChildren } from "preact";
import { Raised } from "./numbers";

export type Cell = string | { readonly text: ComponentChildren; readonly right?: boolean };

export interface TwinProps {
  readonly title: string;
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Columns that hold numbers, set to the right. */
  readonly right?: readonly number[];
  readonly open?: boolean;
}

export function Twin({ title, caption, head, rows, right = [], open = false }: TwinProps) {
  return (
    <details class="twin" open={open}>
      <summary>{title}</summary>
      <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
        <Table caption={caption} head={head} rows={rows} right={right} />
      </div>
    </details>
  );
}

export function Table({ caption, head, rows, right = [] }: Omit<TwinProps, "title" | "open">) {
  const cls = (i: number) => (right.includes(i) ? "r" : undefined);
  const show = (cell: Cell) => (typeof cell === "string" ? <Raised text={cell} /> : cell.text);
  return (
    <table class="data">
      {caption && <caption>{caption}</caption>}
      <thead>
        <tr>
          {head.map((each, i) =>
            each === "" ? (
              <td key={i} />
            ) : (
              <th key={i} scope="col" class={cls(i)}>
                {each}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, r) => (
          <tr key={r}>
            {row.map((cell, i) =>
              i === 0 ? (
                <th key={i} scope="row">
                  {show(cell)}
                </th>
              ) : (
                <td key={i} class={cls(i)}>
                  {show(cell)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
