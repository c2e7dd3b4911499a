/**
 * A day of traffic over a cluster: how many come, what each replica is at, where each request's wait goes, and what speed
 * costs. The program on this machine runs the day anew for every setting; a page without it shows the nearest run.
 */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isLive } from "../../core/server";
import { percent, Raised, short } from "../../charts/numbers";
import { band } from "../../core/units";
import { Figure, words } from "../../charts/said";
import { fresh, Hatch } from "../../charts/paint";
import { Twin } from "../../charts/twin";
import { useData } from "../../shell/data";
import { useKeys } from "../../shell/keys";
import { announce } from "../../shell/live";
import { Loading } from "../../shell/notices";
import { useShare } from "../../shell/share";
import { setParams, type ScreenProps } from "../../shell/state";
import { useText, type Say } from "../../shell/text";
import { Bars } from "./bars";
import { Cluster, squareOf } from "./cluster";
import { Controls, valueOf } from "./controls";
import { Operating } from "./curve";
import { loadGrid } from "./grid";
import { clock, Swatch } from "./look";
import { Over } from "./over";
import { useDay, type Shown } from "./run";
import type { Control, Day, Paid, Row, Spec } from "./types";
import "./fleet.css";

const PLAYED_MS = 24_000; // a day on the screen
const HOURS = 24;
const hatch = fresh("fi");

/** What the address sets; what it says wrongly is as usual. */
function specOf(controls: readonly Control[], params: Readonly<Record<string, string>>): Spec {
  return Object.fromEntries(
    controls.map((control) => {
      const { name, usual, choices, least = 0, most = 1 } = control;
      const said = params[name];
      if (said === undefined) return [name, usual];
      if (choices) return [name, choices.find((choice) => String(choice) === said) ?? usual];
      const number = Number(said);
      return [name, said !== "" && number >= least && number <= most ? number : usual];
    }),
  );
}

export default function Fleet({ state }: ScreenProps) {
  const t = useText();
  const grid = useData(loadGrid);
  const page = useRef<HTMLDivElement>(null);
  const spec = specOf(grid?.controls ?? [], state.params);
  const [hour, setHour] = useState(() => {
    const said = Number(state.params["at"]);
    return said > 0 && said <= HOURS ? said : HOURS / 2;
  });
  const [playing, play] = useState(false);
  const windows = isLive() ? 96 : 24;
  const at = Math.min(windows - 1, Math.max(0, Math.round((hour * windows) / HOURS) - 1));
  const shown = useDay(grid, spec, at);
  const { day } = shown;
  const look = (index: number) => {
    play(false);
    setHour(((index + 1) * HOURS) / windows);
    setParams({ at: String(((index + 1) * HOURS) / windows) });
  };

  useEffect(() => {
    if (!playing) return;
    const timer = window.setInterval(() => setHour((now) => Math.min(HOURS, now + HOURS / windows)), PLAYED_MS / windows);
    return () => window.clearInterval(timer);
  }, [playing, windows]);
  useEffect(() => {
    if (playing && hour >= HOURS) {
      play(false);
      setParams({ at: String(HOURS) });
    }
  }, [playing, hour]);
  const toggle = () => {
    if (!playing && hour >= HOURS) setHour(HOURS / windows);
    if (playing) setParams({ at: String(hour) });
    play(!playing);
  };
  useKeys(
    [
      { key: "p", does: t(playing ? "fleet.pause" : "fleet.play"), run: toggle },
      { key: ",", does: t("fleet.earlier"), run: () => look(Math.max(0, at - 1)) },
      { key: ".", does: t("fleet.later"), run: () => look(Math.min(windows - 1, at + 1)) },
    ],
    [state.lang, state.level, playing],
  );

  const heard = useRef<Day["total"]>(null);
  useEffect(() => {
    const total = day?.total ?? null;
    if (total && heard.current && heard.current !== total)
      announce(t("fleet.heard", { share: percent(total.good_share), half: words(t, total.first_s[0], "s"), slow: words(t, total.first_s[1], "s") }));
    if (shown.error) announce(shown.error);
    if (total) heard.current = total;
  }, [day?.total, shown.error]);
  const row = day?.rows[Math.min(at, day.rows.length - 1)];
  const causes = day?.causes ?? [];
  useShare(
    {
      name: "fleet",
      json: () => day,
      rows: () => [["hour", "arrivals_per_s", ...causes.map((cause) => `${cause}_s`), "good", "token_per_s_accelerator", "token_per_s_user"],
        ...(day?.rows ?? []).map((each) => [each.hour, each.arrivals_per_s, ...each.waits_s, each.good, each.token_per_s_accelerator, each.token_per_s_user])],
      picture: () => page.current?.querySelector<SVGSVGElement>("svg.over") ?? null,
    },
    [day],
  );
  if (!grid) return <Loading />;

  const set = (name: string, value: number | string) => {
    const control = grid.controls.find((each) => each.name === name);
    const patch: Record<string, string> = { [name]: value === control?.usual ? "" : String(value) };
    // The router that goes by prefixes has nothing to go by without them.
    if (name === "prefix" && value === 0 && spec["router"] === "prefix-aware") patch["router"] = "";
    // Each answer of a batch needs a token of a step.
    if (name === "batch" && Number(value) > Number(spec["budget"])) patch["budget"] = "";
    setParams(patch);
  };
  const batch = Number(day?.spec["batch"] ?? 1);
  return (
    <div class="wrap fleet" ref={page}>
      <div class="title">
        <h1>{t("fleet.title")}</h1>
        <p class="small">{t("fleet.lead")}</p>
      </div>
      <div class="grid">
        <div class="top" aria-busy={shown.state !== "done"}>
          <div class="player noprint">
            <button class="ghost play" onClick={toggle} disabled={!day}>
              <svg width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
                {playing ? <path d="M2 1h3.5v12H2ZM8.5 1H12v12H8.5Z" fill="currentColor" /> : <path d="M2 1l11 6-11 6Z" fill="currentColor" />}
              </svg>
              {t(playing ? "fleet.pause" : "fleet.play")}
            </button>
            <input
              type="range" aria-label={t("fleet.hour")} min="0" max={windows - 1} step="1" value={at} aria-valuetext={row ? t("fleet.hour.said", { clock: clock(row.hour), count: short(row.arrivals_per_s, "1") }) : clock(hour)}
              onInput={(event) => look(Number(event.currentTarget.value))}
            />
            <span class="mid">{clock(hour)}</span>
          </div>
          <Status shown={shown} spec={spec} t={t} />
          {day && row && (
            <>
              <Now row={row} t={t} />
              <Over
                rows={day.rows} windows={windows} causes={causes} at={at} t={t} onAt={look}
                title={t("fleet.over.said", { clock: clock(row.hour), parts: causes.map((cause, c) => `${t(`fleet.cause.${cause}`)} ${words(t, row.waits_s[c] ?? 0, "s")}`).join(", ") })}
              />
              <Parts row={row} causes={causes} t={t} />
            </>
          )}
        </div>
        <Controls controls={grid.controls} spec={spec} set={set} t={t} />
        <div class="rest">
          {day && row && (
            <>
              <h2>{t("fleet.cluster", { clock: clock(row.hour) })}</h2>
              <Cluster
                now={row.replicas} batch={batch} t={t}
                title={t("fleet.cluster.said", {
                  clock: clock(row.hour),
                  replicas: row.replicas.writing.map((writing, k) => t("fleet.replica.said", { number: k + 1, writing, waiting: row.replicas.waiting[k] ?? 0, share: percent(row.replicas.used[k] ?? 0) })).join("; "),
                })}
              />
              <p class="small">
                {t("fleet.cluster.key", { count: squareOf(batch), batch })} {row.replicas.reading && t("fleet.cluster.amber")}
              </p>
              <div class="pair">
                <div>
                  <h2>{t(day.ofDay ? "fleet.bars.day" : "fleet.bars")}</h2>
                  {row.requests.length > 0 ? (
                    <Bars requests={row.requests} causes={causes} title={t("fleet.bars.said", { least: words(t, sum(row.requests[0]), "s"), most: words(t, sum(row.requests[row.requests.length - 1]), "s") })} />
                  ) : (
                    <p class="small">{t("fleet.bars.none")}</p>
                  )}
                </div>
                <div>
                  <h2>{t("fleet.curve")}</h2>
                  <Operating
                    curve={day.curve} rows={day.rows} at={at} t={t}
                    title={t("fleet.curve.said", { user: row.token_per_s_user === null ? "0" : short(row.token_per_s_user, "1"), all: short(row.token_per_s_accelerator, "1") })}
                  />
                  <p class="small">{t("fleet.curve.key", { room: short(day.curve.room, "1") })}</p>
                </div>
              </div>
              <Whole day={day} t={t} />
              <Tables day={day} row={row} causes={causes} t={t} />
            </>
          )}
        </div>
      </div>
    </div>
  );
}

const sum = (parts: readonly number[] | undefined): number => (parts ?? []).reduce((all, part) => all + part, 0);

/** What the page waits for, what is wrong, or which other day is shown instead. */
function Status({ shown, spec, t }: { readonly shown: Shown; readonly spec: Spec; readonly t: Say }) {
  const { state, error, others, day } = shown;
  const said = error
    ? error
    : state === "cold" || state === "slow"
      ? t(`fleet.state.${state}`)
      : !isLive() && day
        ? others.length === 0
          ? t("fleet.static")
          : t("fleet.static.near", { list: others.map((each) => `${t(`fleet.control.${each.name}`)}: ${valueOf(each, day.spec[each.name] ?? each.usual, t)} (${t("fleet.static.yours", { value: valueOf(each, spec[each.name] ?? each.usual, t) })})`).join("; ") })
        : !day
          ? t("fleet.state.starting")
          : "";
  return (
    <p class={error ? "small problem" : "small state"} role="status">
      {said}
    </p>
  );
}

/** The figures of the moment that is looked at. */
function Now({ row, t }: { readonly row: Row; readonly t: Say }) {
  return (
    <div class="now">
      <div>
        <div class="cap">{t("fleet.now.first")}</div>
        {row.first_s ? <Figure value={row.first_s[0]} unit="s" class="mid" /> : <span class="mid">–</span>}
        {row.first_s && <div class="cap">{t("fleet.now.slow", { slow: words(t, row.first_s[1], "s") })}</div>}
      </div>
      <div>
        <div class="cap">{t("fleet.now.user")}</div>
        <span class="mid">{row.token_per_s_user === null ? "–" : short(row.token_per_s_user, "1")}</span>
        {row.slow_token_s !== null && <div class="cap">{t("fleet.now.token", { slow: words(t, row.slow_token_s, "s") })}</div>}
      </div>
      <div>
        <div class="cap">{t("fleet.now.accelerator")}</div>
        <span class="mid">{short(row.token_per_s_accelerator, "1")}</span>
      </div>
      <div>
        <div class="cap">{t("fleet.now.good")}</div>
        <span class="mid">{row.good === null ? "–" : percent(row.good)}</span>
        {row.refused > 0 && <div class="cap">{t("fleet.now.refused", { count: row.refused.toLocaleString("en-US") })}</div>}
      </div>
    </div>
  );
}

/** The parts of a wait with their mark and their mean at the moment. */
function Parts({ row, causes, t }: { readonly row: Row; readonly causes: readonly string[]; readonly t: Say }) {
  return (
    <ul class="parts" aria-label={t("fleet.parts")}>
      <li class="hatch" aria-hidden="true">
        <svg width="0" height="0">
          <defs>
            <Hatch id={hatch} />
          </defs>
        </svg>
      </li>
      {causes.map((cause, c) => (
        <li key={cause}>
          <Swatch cause={cause} hatch={hatch} />
          <span>{t(`fleet.cause.${cause}`)}</span> <span class="num">{words(t, row.waits_s[c] ?? 0, "s")}</span>
        </li>
      ))}
    </ul>
  );
}

/** Energy, water, carbon and money of a request. */
function paidOf(paid: Paid | null, t: Say): (readonly [string, string])[] {
  if (!paid) return [];
  const [low, high] = paid.energy_band_J;
  return [
    ["energy", `${words(t, paid.energy_J, "J")} (${band(low, high, paid.energy_J, "J")})`],
    ["water", words(t, paid.water_L, "L")],
    ["carbon", short(paid.carbon_g, "g")],
    ["rent", short(paid.rent_usd, "USD")],
    ["power", words(t, paid.mean_power_W, "W")],
  ];
}

/** The whole day in figures, and the command that makes the same run. */
function Whole({ day, t }: { readonly day: Day; readonly t: Say }) {
  const { total } = day;
  const accelerators = day.accelerators * Number(day.spec["replicas"]);
  const count = (value: number) => value.toLocaleString("en-US");
  return (
    <section class="whole">
      <h2>{t("fleet.whole")}</h2>
      {total && (
        <dl>
          {([
            ["good", percent(total.good_share)],
            ["first", `${words(t, total.first_s[0], "s")} · ${words(t, total.first_s[1], "s")}`],
            ["token", `${words(t, total.token_s[0], "s")} · ${words(t, total.token_s[1], "s")}`],
            ["requests", count(total.requests)],
            ["left", count(total.left_at_midnight)],
            ["batch", short(total.mean_batch, "1")],
            ["cached", percent(total.cached_share)],
            ["preempted", count(total.preemptions)],
            ["accelerators", count(accelerators)],
            ...paidOf(total.paid, t),
          ] as const).map(([name, value]) => (
            <div key={name}>
              <dt class="cap">{t(`fleet.whole.${name}`)}</dt>
              <dd class="num">
                <Raised text={value} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {total?.paid && <p class="small">{t("fleet.paid")}</p>}
      <details class="twin">
        <summary>{t("fleet.command")}</summary>
        <p class="small">{t("fleet.command.text")}</p>
        <pre tabIndex={0}>
          {day.command.split(/ (?=--)/).map((part, i) => (
            <>
              {i > 0 && " "}
              <span>{part}</span>
            </>
          ))}
        </pre>
      </details>
    </section>
  );
}

function Tables({ day, row, causes, t }: { readonly day: Day; readonly row: Row; readonly causes: readonly string[]; readonly t: Say }) {
  const s = (value: number | null | undefined) => (value === null || value === undefined ? "–" : words(t, value, "s"));
  // The table of the day stays as it is while the day is played.
  const whole = useMemo(
    () => (
      <Twin
        title={t("fleet.table.day")} caption={t("fleet.table.day")} right={[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}
        head={[t("fleet.now.clock"), t("fleet.head.coming"), ...causes.map((cause) => t(`fleet.cause.${cause}`)), t("fleet.now.first"), t("fleet.head.slow"), t("fleet.now.user"), t("fleet.now.accelerator"), t("fleet.now.good")]}
        rows={day.rows.map((each) => [
          clock(each.hour), short(each.arrivals_per_s, "1"), ...each.waits_s.map(s), s(each.first_s?.[0]), s(each.first_s?.[1]),
          each.token_per_s_user === null ? "–" : short(each.token_per_s_user, "1"), short(each.token_per_s_accelerator, "1"), each.good === null ? "–" : percent(each.good),
        ])}
      />
    ),
    [day, t("fleet.table.day"), t("fleet.now.first")],
  );
  return (
    <>
      {whole}
      <Twin
        title={t("fleet.table.cluster", { clock: clock(row.hour) })} caption={t("fleet.table.cluster", { clock: clock(row.hour) })} right={[1, 2, 3, 4]}
        head={[t("fleet.head.replica"), t("fleet.head.waiting"), t("fleet.head.writing"), t("fleet.head.used"), t("fleet.head.kept")]}
        rows={row.replicas.writing.map((writing, k) => [
          String(k + 1), (row.replicas.waiting[k] ?? 0).toLocaleString("en-US"), String(writing), percent(row.replicas.used[k] ?? 0), percent(row.replicas.kept?.[k] ?? 0),
        ])}
      />
    </>
  );
}
