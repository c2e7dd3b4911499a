/** What stands behind "more": the trip itself, how busy its servers are, and what is in five of its slots. */
import { isLive } from "../../core/server";
import type { Lab, Preset } from "../../core/types";
import { Slider } from "../../shell/slider";
import { setParams } from "../../shell/state";
import { useText } from "../../shell/text";
import { choose, formulaFor, SLOTS, type Choices, type Swaps } from "./full";

const NAMES: Record<string, string> = { model: "model", chip: "accelerator", access: "access", keys: "keyboard", screen: "screen" };
const NONE = { model: "", chip: "", access: "", keys: "", screen: "", load: "", cable: "", line: "" };

export interface MoreProps {
  readonly lab: Lab;
  readonly swaps: Swaps;
  readonly preset: Preset;
  readonly own: Choices;
  readonly open: boolean;
  readonly load: number;
  readonly usualLoad: number;
  readonly thoughts: number;
  readonly give: (key: string, usual: number) => (value: number) => void;
}

export function More({ lab, swaps, preset, own, open, load, usualLoad, thoughts, give }: MoreProps) {
  const t = useText();
  const less = t("wait.minus");
  const more = t("wait.plus");
  const choices = choose(preset, own, lab, swaps);
  return (
    <details class="more" open={open}>
      <summary>{t("wait.more")}</summary>
      <div class="picks">
        <label class="whole">
          <span class="small">{t("journey.scenario")}</span>
          <select class="pick" value={preset.key} onChange={(event) => setParams({ ...NONE, trip: event.currentTarget.value === "cloud" ? "" : event.currentTarget.value, more: "1" })}>
            {lab.presets.filter((each) => each.way === "full").map((each) => (
              <option key={each.key} value={each.key}>
                {each.title}
              </option>
            ))}
          </select>
        </label>
        {SLOTS.map(([slot, key]) => {
          const chosen = choices[slot] ?? "";
          return (
            <label key={slot}>
              <span class="small">{t(`wait.slider.${NAMES[key]}`)}</span>
              <select
                class="pick" value={chosen}
                onChange={(event) => setParams({ [key]: event.currentTarget.value === preset.choices[slot] ? "" : event.currentTarget.value, ...(key === "model" ? { chip: "", load: "" } : {}), more: "1" })}
              >
                {Object.values(swaps.slots[slot] ?? {}).map((entry) => {
                  const printed = formulaFor(preset, choose(preset, { ...own, [slot]: entry.key }, lab, swaps), lab, swaps) !== null;
                  return (
                    <option key={entry.key} value={entry.key} disabled={!printed && !isLive() && entry.key !== chosen}>
                      {entry.title}
                    </option>
                  );
                })}
              </select>
            </label>
          );
        })}
      </div>
      <Slider
        id="load" label={t("wait.slider.load")} min={1} max={98} step={1} value={Math.round(load)} text={`${Math.round(load)}%`}
        carrier="waiting" less={less} more={more} onInput={give("load", usualLoad)}
      />
      <Slider
        id="thoughts" label={t("wait.slider.reasoning")} min={0} max={8000} step={50} value={thoughts} text={`${thoughts.toLocaleString("en-US")}\u00a0${t("unit.tokens")}`}
        carrier="moving charge" less={less} more={more} onInput={give("thoughts", 0)}
      />
      {!isLive() && <p class="small">{t("wait.static")}</p>}
    </details>
  );
}
