/** All claims of the three documents: as stated, recomputed, judged, and how. One mark for each, so that the whole is seen at once. */
import { useMemo, useRef } from "preact/hooks";
import { loadAudit, loadLab } from "../../core/data";
import type { AuditRow } from "../../core/types";
import { band, digits, powerOfTen, si } from "../../core/units";
import { Raised } from "../../charts/numbers";
import { fresh } from "../../charts/paint";
import { measure, useWidth } from "../../charts/width";
import { useData } from "../../shell/data";
import { announce } from "../../shell/live";
import { Loading } from "../../shell/notices";
import { useShare } from "../../shell/share";
import { link, setParams, type ScreenProps } from "../../shell/state";
import { useText, type Say } from "../../shell/text";
import "./facts.css";

type Verdict = AuditRow["verdict"];
const DOCUMENTS: readonly AuditRow["document"][] = ["finger-to-photon", "round-trip", "one-word"];
const VERDICTS: readonly Verdict[] = ["holds", "off", "ill-defined", "none"];

function stated(row: AuditRow, t: Say): string {
  const { low, high, unit } = row.stated;
  if (unit === "bool" || unit === "yes") return t("facts.yes");
  if (low === null && high === null) return "–";
  const one = (value: number) => show(value, unit);
  if (low === null) return `≤ ${one(high as number)}`;
  if (high === null) return `≥ ${one(low)}`;
  return low === high ? one(low) : `${band(low, high, high, unit) || one(low)} ${si(high, unit).split("\u00a0").slice(1).join("\u00a0")}`.trim();
}
/** Things that are counted have no decimals. */
const COUNTED = new Set(["1", "bytes", "tokens", "electrons", "photons"]);
function show(value: number, unit: string): string {
  if (unit === "1" && Math.abs(value) >= 1e6) return powerOfTen(value);
  if (COUNTED.has(unit) && Number.isInteger(value) && Math.abs(value) < 10_000) return `${value.toLocaleString("en-US")}${unit === "1" ? "" : `\u00a0${unit}`}`;
  return si(value, unit);
}
function ours(row: AuditRow, t: Say): string {
  const { value } = row.computed;
  if (value === null) return "–";
  if (typeof value === "boolean") return t(value ? "facts.yes" : "facts.no");
  return show(value, row.stated.unit);
}

/** The mark of a verdict: filled, hollow, hatched, a dot. No hue: hue means carrier. */
function Mark({ verdict, x = 0, y = 0, size = 12, hatch }: { verdict: Verdict; x?: number; y?: number; size?: number; hatch: string }) {
  if (verdict === "holds") return <rect x={x} y={y} width={size} height={size} fill="var(--mut)" />;
  if (verdict === "off") return <rect x={x + 0.9} y={y + 0.9} width={size - 1.8} height={size - 1.8} fill="none" stroke="var(--fg)" stroke-width="1.8" />;
  if (verdict === "ill-defined") return <rect x={x} y={y} width={size} height={size} fill={`url(#${hatch})`} />;
  return <circle cx={x + size / 2} cy={y + size / 2} r="2" fill="var(--mut)" />;
}

const hatch = fresh("verdict");
function Defs() {
  return (
    <defs>
      <pattern id={hatch} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="1.5" height="4" fill="var(--mut)" />
      </pattern>
    </defs>
  );
}

export default function Facts({ state }: ScreenProps) {
  const t = useText();
  const rows = useData(loadAudit);
  const stages = useData(async () => new Set((await loadLab()).stages));
  const { params } = state;
  const page = useRef<HTMLDivElement>(null);
  const document_ = DOCUMENTS.find((each) => each === params["document"]) ?? null;
  // A pupil starts with the two short documents; the long one stays a button away.
  const short_ = state.level === "child" && params["document"] === undefined && !params["claim"];
  const verdict = VERDICTS.find((each) => each === params["verdict"]) ?? null;
  const words = (params["q"] ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const open = params["claim"] ?? null;
  const shown = useMemo(
    () =>
      (rows ?? []).filter(
        (row) =>
          (document_ ? row.document === document_ : !(short_ && row.document === DOCUMENTS[0])) &&
          (!verdict || row.verdict === verdict) &&
          words.every((word) => `${row.id} ${row.quantity} ${row.system} ${row.note}`.toLowerCase().includes(word)),
      ),
    [rows, document_, short_, verdict, params["q"]],
  );
  useShare(
    {
      name: "facts",
      json: () => shown,
      rows: () => [
        ["id", "document", "quantity", "stated_low", "stated_high", "unit", "computed", "computed_low", "computed_high", "verdict", "basis", "factor", "note"],
        ...shown.map((r) => [r.id, r.document, r.quantity, r.stated.low, r.stated.high, r.stated.unit, r.computed.value === null ? null : String(r.computed.value), r.computed.low, r.computed.high, r.verdict, r.basis, r.factor, r.note]),
      ],
      picture: () => page.current?.querySelector<SVGSVGElement>("svg.mosaic") ?? null,
    },
    [shown],
  );
  if (!rows) return <Loading />;
  const count = (v: Verdict, d: AuditRow["document"] | null = document_) => rows.filter((row) => row.verdict === v && (d ? row.document === d : !(short_ && row.document === DOCUMENTS[0]))).length;
  const filter = (patch: Record<string, string>) => {
    setParams({ ...patch, claim: "" });
    announce(t("facts.filter"));
  };
  return (
    <div class={`wrap facts ${state.level}`} ref={page}>
      <h1>{t("facts.title")}</h1>
      <p class="prose intro">{t("facts.intro", { claim_count: rows.length })}</p>
      <div class="top">
        <Mosaic rows={rows} shown={shown} open={open} t={t} />
      </div>
      <div class="filters">
        <div class="tabs" role="group" aria-label={t("facts.filter")}>
          <button aria-pressed={document_ === null && !short_} onClick={() => filter({ document: state.level === "child" ? "all" : "" })}>
            {t("facts.all")}
          </button>
          {DOCUMENTS.map((each) => (
            <button key={each} aria-pressed={document_ === each || (short_ && each !== DOCUMENTS[0])} onClick={() => filter({ document: each })}>
              {t(`document.${each}`)}
            </button>
          ))}
        </div>
        <div class="tabs" role="group" aria-label={t("facts.verdict")}>
          <button aria-pressed={verdict === null} onClick={() => filter({ verdict: "" })}>
            {t("facts.all")}
          </button>
          {VERDICTS.map((each) => (
            <button key={each} aria-pressed={verdict === each} onClick={() => filter({ verdict: each })} title={t(`verdict.${each}.means`)}>
              <svg width="12" height="12" aria-hidden="true" class="verdict">
                <Defs />
                <Mark verdict={each} hatch={hatch} />
              </svg>
              {t(`verdict.${each}`)}&nbsp;<span class="num">{count(each)}</span>
            </button>
          ))}
        </div>
        <label class="small find">
          {t("facts.search")}{" "}
          <input class="field" type="search" value={params["q"] ?? ""} onInput={(event) => setParams({ q: event.currentTarget.value, claim: "" })} />
        </label>
      </div>
      <p class="small" role="status">
        {shown.length === 0 ? t("facts.none") : t("facts.count", { shown: shown.length, all: rows.length })}
        {verdict && ` · ${t(`verdict.${verdict}.means`)}`}
      </p>
      {state.level === "child" && (
        <dl class="meanings small">
          {VERDICTS.map((each) => (
            <div key={each}>
              <dt>
                <svg width="12" height="12" aria-hidden="true" class="verdict">
                  <Defs />
                  <Mark verdict={each} hatch={hatch} />
                </svg>
                {t(`verdict.${each}`)}
              </dt>
              <dd>{t(`verdict.${each}.means`)}</dd>
            </div>
          ))}
        </dl>
      )}
      <div class="line heads small" aria-hidden="true">
        <span />
        <span />
        <span class="r">{t("facts.stated")}</span>
        <span class="r">{t("facts.ours")}</span>
        <span>{t("facts.verdict")}</span>
      </div>
      <ul class="claims">
        {shown.map((row) => (
          <Claim key={row.id} row={row} open={open === row.id} t={t} stages={stages ?? NONE} />
        ))}
      </ul>
    </div>
  );
}

const NONE: ReadonlySet<string> = new Set();

function Claim({ row, open, t, stages }: { readonly row: AuditRow; readonly open: boolean; readonly t: Say; readonly stages: ReadonlySet<string> }) {
  const where = [...new Set([row.system, ...row.inputs.map((each) => each.slice(0, each.lastIndexOf(".")))])].filter((each) => stages.has(each));
  const says = stated(row, t);
  const gives = ours(row, t);
  const { low, high, value } = row.computed;
  const spread = typeof value === "number" && low !== null && high !== null ? band(low, high, value, row.stated.unit) : "";
  return (
    <li id={row.id} class={open ? "open" : ""}>
      <button
        class="line"
        aria-expanded={open}
        onClick={() => setParams({ claim: open ? "" : row.id })}
      >
        <span class="id num">{row.id}</span>
        <span class="what">{row.quantity}</span>
        <span class="num r">
          <span class="unseen">{t("facts.stated")} </span>
          <Raised text={says} />
        </span>
        <span class="num r">
          <span class="unseen">{t("facts.ours")} </span>
          <Raised text={gives} />
        </span>
        <span class="v">
          <svg width="12" height="12" aria-hidden="true" class="verdict">
            <Defs />
            <Mark verdict={row.verdict} hatch={hatch} />
          </svg>
          {t(`verdict.${row.verdict}`)}
          {row.factor !== null && (row.verdict === "off" || row.verdict === "ill-defined") && <span class="m"> ×{digits(row.factor, 2)}</span>}
        </span>
      </button>
      {open && (
        <div class="how">
          <p class="prose">{row.note || t(`verdict.${row.verdict}.means`)}</p>
          <dl>
            <dt>{t("facts.stated")}</dt>
            <dd>
              <Raised text={says} /> <span class="m">({t(`document.${row.document}`)})</span>
            </dd>
            <dt>{t("facts.ours")}</dt>
            <dd>
              <Raised text={gives} />
              {spread && (
                <span class="m">
                  {" "}
                  <Raised text={`(p5–p95: ${spread})`} />
                </span>
              )}
            </dd>
            <dt>{t("facts.how")}</dt>
            <dd>
              {t(`basis.${row.basis}`)}
              {row.inputs.length > 0 && ": "}
              {row.inputs.map((each, i) => (
                <span key={each}>
                  {i > 0 && ", "}
                  <code>{each}</code>
                </span>
              ))}
            </dd>
            {where.length > 0 && (
              <>
                <dt>{t("nav.stage")}</dt>
                <dd>
                  {where.map((each, i) => (
                    <span key={each}>
                      {i > 0 && ", "}
                      <a href={link("stage", each)}>{t(`stages.${each}.title`)}</a>
                    </span>
                  ))}
                </dd>
              </>
            )}
          </dl>
        </div>
      )}
    </li>
  );
}

/** One mark a claim, by document. */
function Mosaic({ rows, shown, open, t }: { readonly rows: readonly AuditRow[]; readonly shown: readonly AuditRow[]; readonly open: string | null; readonly t: Say }) {
  const [ref, width] = useWidth<HTMLDivElement>(1200);
  const visible = new Set(shown.map((row) => row.id));
  const pitch = 16;
  const gap = 40;
  const narrow = width < 700;
  let x0 = 0;
  let y0 = 0;
  let height = 0;
  const across = Math.floor((width + 2) / pitch);
  const blocks = DOCUMENTS.map((document_) => {
    const own = rows.filter((row) => row.document === document_);
    const columns = narrow ? across : Math.max(Math.ceil(measure(t(`document.${document_}`), 12) / pitch), Math.round(((width - 2 * gap) / pitch) * (own.length / rows.length) * 0.86));
    const block = { document_, own, columns, x: narrow ? 0 : x0, y: y0 };
    const tall = 22 + Math.ceil(own.length / columns) * pitch;
    x0 += columns * pitch + gap;
    if (narrow) y0 += tall + 10;
    height = narrow ? y0 : Math.max(height, tall);
    return block;
  });
  const go = (event: MouseEvent) => {
    const id = (event.target as Element).closest<SVGElement>("[data-id]")?.dataset["id"];
    if (!id) return;
    setParams({ claim: id, ...(visible.has(id) ? {} : { document: "", verdict: "", q: "" }) });
    window.setTimeout(() => document.getElementById(id)?.scrollIntoView({ block: "center" }), 60);
  };
  const said = DOCUMENTS.map((d) => `${t(`document.${d}`)}: ${VERDICTS.map((v) => `${rows.filter((r) => r.document === d && r.verdict === v).length} ${t(`verdict.${v}`)}`).join(", ")}`).join(". ");
  return (
    <div ref={ref}>
      <svg class="chart mosaic" height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${said}. ${t("facts.below")}`} onClick={go}>
        <Defs />
        {blocks.map(({ document_, own, columns, x, y }) => (
          <g key={document_}>
            <text class="m s" x={x} y={y + 11}>
              {t(`document.${document_}`)}
            </text>
            {own.map((row, i) => {
              const left = x + (i % columns) * pitch;
              const top = y + 20 + Math.floor(i / columns) * pitch;
              return (
                <g key={row.id} data-id={row.id} opacity={visible.has(row.id) ? 1 : 0.2} style={{ cursor: "pointer" }}>
                  <title>{`${row.id} ${row.quantity}: ${t(`verdict.${row.verdict}`)}`}</title>
                  <rect x={left - 2} y={top - 2} width={pitch} height={pitch} fill="transparent" />
                  <Mark verdict={row.verdict} x={left} y={top} hatch={hatch} />
                  {open === row.id && <rect x={left - 2.5} y={top - 2.5} width="17" height="17" fill="none" stroke="var(--fg)" stroke-width="1.5" />}
                </g>
              );
            })}
          </g>
        ))}
      </svg>
    </div>
  );
}
