/** What a reader sets: traffic, cluster, scheduler, goal. What it can be stands in the data. */
import { percent, short, tick } from "../../charts/numbers";
import { words } from "../../charts/said";
import { Slider } from "../../shell/slider";
import { lab } from "../../shell/state";
import type { Say } from "../../shell/text";
import type { Control, Spec } from "./types";

/** What is seen before anything is unfolded. */
const FIRST = new Set(["rate", "replicas", "model", "accelerator", "router", "prefix"]);
const FOLDED = ["traffic", "scheduler", "goal"] as const;

/** The value of a control as it is written. */
export function valueOf(control: Control, value: number | string, t: Say): string {
  const place = control.choices?.indexOf(value) ?? -1;
  if (control.titles && place >= 0) return control.titles[place] ?? String(value);
  if (typeof value === "string") return t(`fleet.word.${value.replace(/[ -]/g, "_")}`);
  if (control.name === "prefix") return t(value ? "fleet.on" : "fleet.off");
  if (control.name === "queue" && value === 0) return t("fleet.word.no_limit");
  if (control.name === "hour") return t(value < 61 ? "fleet.word.minute" : value < 3e3 ? "fleet.word.minutes" : "fleet.word.hour");
  if (control.unit === "share") return percent(value);
  if (control.unit === "s") return lab.value.level === "child" ? words(t, value, "s") : tick(value, "s");
  return Number.isInteger(value) ? value.toLocaleString("en-US") : short(value, "1");
}

export function Controls({ controls, spec, set, t }: { readonly controls: readonly Control[]; readonly spec: Spec; readonly set: (name: string, value: number | string) => void; readonly t: Say }) {
  const one = (control: Control) => <One key={control.name} control={control} spec={spec} set={set} t={t} />;
  return (
    <div class="controls noprint">
      <div class="set first">{controls.filter((each) => FIRST.has(each.name)).map(one)}</div>
      {FOLDED.map((group) => (
        <details key={group} class="twin">
          <summary>{t(`fleet.group.${group}`)}</summary>
          <div class="set">{controls.filter((each) => each.group === group && !FIRST.has(each.name)).map(one)}</div>
        </details>
      ))}
    </div>
  );
}

function One({ control, spec, set, t }: { readonly control: Control; readonly spec: Spec; readonly set: (name: string, value: number | string) => void; readonly t: Say }) {
  const { name, choices, least = 0, most = 1, step = 1 } = control;
  const value = spec[name] ?? control.usual;
  const label = t(`fleet.control.${name}`);
  const id = `fleet-${name}`;
  if (name === "prefix")
    return (
      <label class="switch wide">
        <input id={id} type="checkbox" role="switch" checked={value === 1} onChange={(event) => set(name, event.currentTarget.checked ? 1 : 0)} />
        {label}
      </label>
    );
  if (choices)
    return (
      <label class="choice">
        <span class="cap">{label}</span>
        <select id={id} class="pick" value={String(value)} onChange={(event) => set(name, choices[event.currentTarget.selectedIndex] ?? control.usual)}>
          {choices.map((choice) => (
            <option key={choice} value={String(choice)} disabled={choice === "prefix-aware" && spec["prefix"] !== 1}>
              {valueOf(control, choice, t)}
            </option>
          ))}
        </select>
      </label>
    );
  // A share is moved and typed in percent.
  const scale = control.unit === "share" ? 100 : 1;
  const text = valueOf(control, value, t);
  return (
    <div class="wide">
      <Slider
        id={id} label={label} value={Number(value) * scale} min={least * scale} max={most * scale} step={step * scale} text={text}
        less={t("nav.less")} more={t("nav.more")} onInput={(next) => set(name, Number((next / scale).toPrecision(6)))}
      />
    </div>
  );
}
