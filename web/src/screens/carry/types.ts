/** What roundtrip/lab/carry.py gives. */
interface Head {
  readonly stage: string;
  readonly name: string;
  readonly title: string;
}
export type Field = readonly [name: string, value: string, offset: number, length: number];
export interface BytesShown extends Head {
  readonly kind: "bytes";
  readonly hex: string;
  readonly size: number;
  readonly fields: readonly Field[];
  readonly file?: string;
}
export type Artifact =
  | BytesShown
  | (Head & { readonly kind: "table"; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[]; readonly size: number })
  | (Head & { readonly kind: "text"; readonly text: string })
  | (Head & { readonly kind: "image"; readonly images: readonly { readonly png: string; readonly width: number; readonly height: number }[]; readonly parts: readonly string[] });
export interface Note {
  readonly stage: string;
  readonly layer: string;
  readonly fate: "fine" | "saved" | "died";
  readonly text: string;
  readonly added_s: number;
}
export interface Carried {
  readonly prompt: string;
  readonly read: string;
  readonly is_whole: boolean;
  readonly notes: readonly Note[];
  readonly layers: readonly { readonly key: string; readonly artifacts: readonly Artifact[] }[];
}
export interface Recorded {
  readonly longest: number;
  readonly breaks: readonly { readonly name: string; readonly layer: string; readonly text: string }[];
  readonly carried: Carried;
}
