/**
 * What one answer costs. Three heads say who caused a joule, eight switches say what is counted at all; place, grid and hour
 * move the carbon; and published figures, which differ by a hundred times, are worked out again inside their own border.
 */
import { useRef } from "preact/hooks";
import { loadEnergy, loadLab, loadSources } from "../../core/data";
import { isLive } from "../../core/server";
import type { Head, Whose } from "../../core/types";
import { digits, si } from "../../core/units";
import { apart, Raised, share as shareOf, percent, short, times } from "../../charts/numbers";
import { Figure, words } from "../../charts/said";
import { Day } from "../../charts/day";
import { Dots } from "../../charts/dots";
import { Pale } from "../../charts/paint";
import { Reconcile, wattHours } from "../../charts/reconcile";
import { Twin } from "../../charts/twin";
import { useWidth } from "../../charts/width";
import { useData } from "../../shell/data";
import { announce } from "../../shell/live";
import { Folded, Loading } from "../../shell/notices";
import { useShare } from "../../shell/share";
import { Slider } from "../../shell/slider";
import { setParams, type ScreenProps } from "../../shell/state";
import { useText } from "../../shell/text";
import { useAccount } from "./account";
import "./energy.css";

const HEADS: readonly Head[] = ["marginal", "allocated", "always_on"];
const SHADE: Record<Head, number> = { marginal: 1, allocated: 0.62, always_on: 0.28 };

export default function EnergyScreen({ state }: ScreenProps) {
  const t = useText();
  const energy = useData(loadEnergy);
  const lab = useData(loadLab);
  const sources = useData(loadSources);
  const page = useRef<HTMLDivElement>(null);
  const { params } = state;
  const key = energy && params["trip"] && params["trip"] in energy.presets ? params["trip"] : "cloud";
  const account = energy?.presets[key];
  const all = energy?.parts.map((part) => part.key) ?? [];
  const inside = params["count"] === undefined ? all : params["count"].split(",").filter((part) => all.includes(part));
  const method = params["method"] && energy?.methods.some((each) => each.key === params["method"]) ? params["method"] : "location";
  const hour = params["hour"] === undefined ? null : Math.min(23, Math.max(0, Number(params["hour"]) || 0));
  const grid = params["grid"] ?? "auto";
  const chosen = params["case"] ?? null;
  const totalOf = (parts: readonly string[]): Record<string, number> => {
    const bits = all.reduce((sum, part, n) => sum | (parts.includes(part) ? 1 << n : 0), 0);
    return Object.fromEntries((energy?.totals ?? []).map((name, i) => [name, account?.boundaries[i]?.[bits - 1] ?? 0]));
  };
  const whose = (["site", "person", "both"] as const).find((each) => each === params["whose"]) ?? "both";
  const moved = grid !== "auto" || hour !== null || method !== "location";
  const asked = useAccount(moved && isLive() && inside.length > 0 ? { scenario: key, boundary: inside, hour_h: hour, method, set: grid === "auto" ? {} : slotsOf(whose, grid) } : null);
  const total = { ...totalOf(inside), ...(moved ? asked?.total : {}) };
  useShare(
    {
      name: "energy",
      json: () => ({ trip: key, boundary: inside, total, parts: account?.whole.parts }),
      rows: () => [["part", "inside", "energy_J", "carbon_g"], ...(account?.whole.parts ?? []).map((p) => [p.part, inside.includes(p.part) ? 1 : 0, p.energy_J, p.carbon_g ?? 0])],
      picture: () => page.current?.querySelector<SVGSVGElement>("svg.reconcile") ?? null,
    },
    [key, inside.join(), account],
  );
  if (!energy || !account || !lab) return <Loading />;

  /** What a part adds to the sum as it is now; what is switched off would add. */
  const adds = (part: string, name: string): number => {
    const without = inside.filter((each) => each !== part);
    const withIt = [...without, part];
    return apart(totalOf(withIt)[name] ?? 0, without.length === 0 ? 0 : (totalOf(without)[name] ?? 0));
  };
  const rows = energy.parts.map((part) => {
    const line = account.whole.parts.find((each) => each.part === part.key);
    const joules = part.key === "pue" ? adds("pue", "energy_J") : (line?.energy_J ?? 0);
    return { ...part, joules, heads: line?.energy_heads_J ?? {}, carbon: part.key === "pue" ? adds("pue", "carbon_g") : (line?.carbon_g ?? 0), on: inside.includes(part.key) };
  });
  const most = Math.max(...rows.filter((row) => row.on).map((row) => row.joules), Number.MIN_VALUE);
  const toggle = (part: string) => {
    const next = all.filter((each) => (each === part ? !inside.includes(each) : inside.includes(each)));
    setParams({ count: next.length === all.length ? "" : next.length === 0 ? "none" : next.join(",") });
    announce(`${t("energy.sum")}: ${si(totalOf(next)["energy_J"] ?? 0, "J")}`);
  };
  const hours = account.hours[method] ?? [];
  const pickedGrid = account.grids.find((each) => each.key === grid);
  // Without a server a grid and an hour were worked out one at a time, for everything inside the border.
  const stored = moved && !isLive() ? (pickedGrid && grid !== "auto" ? pickedGrid[whose] : hour !== null ? ([hours[hour] ?? 0, null] as const) : null) : null;
  const carbon = stored?.[0] ?? total["carbon_g"] ?? 0;
  const water = stored?.[1] ?? (total["water_on_site_L"] ?? 0) + (total["water_off_site_L"] ?? 0);
  const picked = energy.reconcile.cases.find((each) => each.key === chosen);
  const whole = inside.length === all.length;
  const band = account.whole.bands["energy_J"];

  return (
    <div class="wrap energy" ref={page}>
      <div class="title">
        <h1>{t("energy.title")}</h1>
        <label>
          <span class="unseen">{t("journey.scenario")}</span>
          <select class="pick" value={key} onChange={(event) => setParams({ trip: event.currentTarget.value === "cloud" ? "" : event.currentTarget.value })}>
            {lab.presets.filter((each) => each.key in energy.presets).map((each) => (
              <option key={each.key} value={each.key}>
                {each.title}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="account">
        <div class="parts">
          <p class="small">{t("energy.intro")}</p>
          <ul aria-label={t("energy.boundary")}>
            {rows.map((row) => (
              <li key={row.key} class={row.on ? "on" : "off"}>
                <label class="switch" title={row.meaning}>
                  <input type="checkbox" role="switch" checked={row.on} onChange={() => toggle(row.key)} />
                  {t(`energy.part.${row.key}`)}
                </label>
                <PartBar joules={row.joules} heads={row.heads} most={most} on={row.on} />
                <span class="num">
                  <Raised text={row.key === "embodied" ? `${short(row.carbon, "g")} CO₂e` : words(t, row.joules, "J")} />
                </span>
              </li>
            ))}
          </ul>
          <div class="legend">
            {HEADS.map((each) => (
              <span key={each}>
                <svg width="14" height="9" aria-hidden="true">
                  <Pale x={0} y={0} width={14} height={9} paint="var(--moving-charge)" edge="var(--moving-charge)" strength={SHADE[each]} />
                </svg>
                {t(`energy.head.${each}`)}
              </span>
            ))}
          </div>
        </div>
        <div class="sums">
          <div class="sum">
            <div class="label">{t("energy.sum")}</div>
            <Figure value={total["energy_J"] ?? 0} unit="J" />
            <div class="cap">
              {si(wattHours(total["energy_J"] ?? 0), "Wh", 2)}
              {whole && band && ` · ${t("stage.band", { low: words(t, band[0], "J"), high: words(t, band[1], "J") })}`}
            </div>
          </div>
          <dl class="heads">
            {HEADS.map((each) => (
              <div key={each}>
                <dt class="cap">{t(`energy.head.${each}`)}</dt>
                <dd>
                  <span class="num">{words(t, total[each] ?? 0, "J")}</span>{" "}
                  <span class="cap">{percent(shareOf(total[each] ?? 0, total["energy_J"] ?? 0))}</span>
                </dd>
              </div>
            ))}
          </dl>
          <dl class="heads">
            <div>
              <dt class="cap">{t("energy.water")}</dt>
              <dd>
                <span class="num">{short(water, "L")}</span>{" "}
                <span class="cap own">
                  {short(total["water_on_site_L"] ?? 0, "L")} {t("energy.water.on_site")}
                </span>
              </dd>
            </div>
            <div>
              <dt class="cap">{t("energy.carbon")}</dt>
              <dd class="num">{short(carbon, "g")}</dd>
            </div>
            <div>
              <dt class="cap">{t("energy.cost")}</dt>
              <dd class="num">
                <Raised text={short(total["electricity_usd"] ?? 0, "USD")} />
              </dd>
            </div>
          </dl>
          {moved && (
            <p class="small under" role="status">
              {t("energy.under", {
                grid: grid === "auto" || !pickedGrid ? t("energy.grid.own") : t2(pickedGrid.title),
                hour: hour === null ? t("energy.hour.average") : `${hour}\u00a0h`,
                method: t(`energy.method.${method}`),
              })}
              {!isLive() && ` ${t("energy.static")}`}
            </p>
          )}
          <p class="idea">{t("energy.idea")}</p>
          <Twin
            title={t("action.table")} caption={t("energy.title")} right={[1, 2, 3, 4, 5]}
            head={[t("energy.boundary"), ...HEADS.map((each) => t(`energy.head.${each}`)), t("energy.water"), t("energy.carbon")]}
            rows={[
              ...account.whole.parts.map((line) => [
                t(`energy.part.${line.part}`),
                ...HEADS.map((each) => si(line.energy_heads_J[each] ?? 0, "J")),
                si((line.water_on_site_L ?? 0) + (line.water_off_site_L ?? 0), "L"),
                si(line.carbon_g ?? 0, "g"),
              ]),
              [t("energy.sum"), ...HEADS.map((each) => si(total[each] ?? 0, "J")), si(water, "L"), si(carbon, "g")],
            ]}
          />
        </div>
      </div>

      <section class="place" aria-labelledby="place-title">
        <div class="title">
          <h2 id="place-title">{t("energy.when")}</h2>
          <div class="tabs" role="group" aria-label={t("energy.method")}>
            {energy.methods.map((each) => (
              <button key={each.key} aria-pressed={method === each.key} onClick={() => setParams({ method: each.key === "location" ? "" : each.key })}>
                {t(`energy.method.${each.key}`)}
              </button>
            ))}
          </div>
        </div>
        <div class="two">
          <div>
            <Day values={hours} unit="g" hour={hour} title={`${t("energy.hour")}: ${hours.map((v, h) => `${h} h ${short(v, "g")}`).join(", ")}`} onHour={(h) => setParams({ hour: String(h) })} />
            <Slider
              id="hour" label={t("energy.hour")} min={0} max={23} step={1} value={hour ?? 12} text={hour === null ? t("energy.hour.all") : `${hour}\u00a0h`}
              spoken={hour === null ? t("energy.hour.average") : `${hour} h, ${short(hours[hour] ?? 0, "g")}`}
              less={t("wait.minus")} more={t("wait.plus")} onInput={(value) => setParams({ hour: String(value) })}
            />
            <p class="small">
              {hour === null ? t("energy.hour.average") : <button class="ghost" onClick={() => setParams({ hour: "" })}>{t("energy.hour.whole")}</button>}
            </p>
          </div>
          <div>
            <Dots
              unit="g" title={t("energy.grid")} chosen={grid} onChoose={(each) => setParams({ grid: each === "auto" ? "" : each })}
              items={account.grids.map((each) => ({ key: each.key, title: t2(each.title), value: each[whose][0] }))}
            />
            <Dots
              unit="L" title={t("energy.water")} chosen={grid} onChoose={(each) => setParams({ grid: each === "auto" ? "" : each })}
              items={account.grids.map((each) => ({ key: each.key, title: t("energy.water"), value: each[whose][1] }))}
            />
            <div class="tabs" role="group" aria-label={t("energy.whose")}>
              {(["both", "site", "person"] as const).map((each) => (
                <button key={each} aria-pressed={whose === each} onClick={() => setParams({ whose: each === "both" ? "" : each })}>
                  {t(`energy.whose.${each}`)}
                </button>
              ))}
            </div>
            <label class="gridpick">
              <span class="small">{t("energy.grid")}</span>
              <select class="pick" value={grid} onChange={(event) => setParams({ grid: event.currentTarget.value === "auto" ? "" : event.currentTarget.value })}>
                {account.grids.map((each) => (
                  <option key={each.key} value={each.key}>
                    {t2(each.title)}
                  </option>
                ))}
              </select>
            </label>
            {pickedGrid && (
              <p class="small">
                {t("energy.grid.moved", { carbon: short(pickedGrid[whose][0], "g"), water: short(pickedGrid[whose][1], "L") })}
              </p>
            )}
          </div>
        </div>
        <p class="small">{t("energy.follows")}</p>
        <Twin
          title={t("energy.otherwise")} caption={t("energy.otherwise")} right={[1, 2]}
          head={["", t("energy.carbon"), t("energy.water")]}
          rows={account.others.map((each) => [each.account, si(each.carbon_g, "g"), si(each.water_L, "L")])}
        />
      </section>

      <section class="published" aria-labelledby="published-title">
        <h2 id="published-title">{t("energy.reconcile.title")}</h2>
        <p class="small">{t("energy.reconcile.text")}</p>
        <Folded closed={state.level === "child"} title={t("stage.grownups")}>
        <Reconcile
          reference={energy.reconcile.reference_J} cases={energy.reconcile.cases} chosen={chosen}
          title={t("energy.reconcile.title")}
          onChoose={(each) => setParams({ case: each === chosen ? "" : each })}
          names={{
            tokens: t("energy.step.tokens"), batch: t("energy.step.batch"), machine: t("energy.step.machine"), boundary: t("energy.step.boundary"),
            published: t("energy.published"), ours: t("energy.ours"), gap: t("energy.gap"), start: t("energy.step.start"),
          }}
        />
        {picked && (
          <div class="why">
            <h3>{picked.title}</h3>
            <p class="prose">{t("energy.case.said", { published: si(wattHours(picked.published_J), "Wh", 2), said: picked.said })}</p>
            <p class="prose">{t("energy.case.ours", { ours: si(wattHours(picked.ours_J), "Wh", 2), why: picked.why })}</p>
            <p class="small">
              {picked.tokens_needed !== null && t("energy.case.tokens", { tokens: digits(Math.round(picked.tokens_needed), 4) })}{" "}
              {picked.batch_needed !== null && t("energy.case.batch", { batch: times(picked.batch_needed) })}{" "}
              {sources?.[picked.source] && (
                <a href={sources[picked.source]?.url} rel="noreferrer" target="_blank">
                  {sources[picked.source]?.title}
                </a>
              )}
            </p>
          </div>
        )}
        <Twin
          title={t("action.table")} caption={t("energy.reconcile.title")} right={[1, 2, 3, 4, 5, 6, 7]}
          head={["", `${t("energy.published")}, Wh`, `${t("energy.ours")}, Wh`, t("energy.step.tokens"), t("energy.step.batch"), t("energy.step.machine"), t("energy.step.boundary"), t("energy.gap")]}
          rows={energy.reconcile.cases.map((c) => [
            c.title, digits(wattHours(c.published_J), 2), digits(wattHours(c.ours_J), 2),
            ...(["tokens", "batch", "machine", "boundary"] as const).map((step) => `×${times(c.steps[step])}`), `×${times(c.gap)}`,
          ])}
        />
        </Folded>
      </section>
    </div>
  );
}

const slotsOf = (whose: Whose, grid: string): Record<string, string> => ({
  ...(whose !== "person" ? { "datacenter.grid": grid } : {}),
  ...(whose !== "site" ? { "computer.grid": grid } : {}),
});

/** Titles of the catalog without what stands in brackets. */
const t2 = (title: string) => title.replace(/ \(.*\)$/, "");

function PartBar({ joules, heads, most, on }: { joules: number; heads: Partial<Record<Head, number>>; most: number; on: boolean }) {
  const [ref, width] = useWidth<HTMLDivElement>(240);
  const total = HEADS.reduce((sum, each) => sum + (heads[each] ?? 0), 0);
  let at = 0;
  return (
    <div ref={ref} class="bar" aria-hidden="true">
      <svg width={width} height="14" viewBox={`0 0 ${width} 14`}>
        {on ? (
          HEADS.map((each) => {
            const wide = total > 0 ? Math.min(1, joules / most) * ((heads[each] ?? 0) / total) * width : 0;
            const rect = wide > 0 && <Pale key={each} x={at} y={0} width={Math.max(0.8, wide)} height={14} paint="var(--moving-charge)" edge="var(--moving-charge)" strength={SHADE[each]} />;
            at += wide;
            return rect;
          })
        ) : (
          // What is left out: dashed, and open at its end where it would go on beyond this scale.
          joules > 0 && (
            <path
              d={joules > most ? `M${width} 0.5H0.5V13.5H${width}` : `M0.5 0.5H${Math.max(2, (joules / most) * width - 1)}V13.5H0.5Z`}
              fill="none" stroke="var(--control)" stroke-dasharray="2 3"
            />
          )
        )}
      </svg>
    </div>
  );
}
