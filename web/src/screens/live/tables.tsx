/** What the pictures say, as tables: the parts, the tokens, the spans. */
import { percent, short, times } from "../../charts/numbers";
import { Twin } from "../../charts/twin";
import type { Level } from "../../core/strings";
import type { Say } from "../../shell/text";
import { isModeled, nameOf, tokenText, type Bar } from "./rows";
import type { Trip } from "./types";

/** A child is spared the thousand spans: those of one kind stand together there. */
const FEW = 60;

const after = (from: number): string => (from < 0 ? `−${short(-from, "s")}` : short(from, "s"));

export function Tables({ trip, bars, level, t }: { readonly trip: Trip; readonly bars: readonly Bar[]; readonly level: Level; readonly t: Say }) {
  const shown = level === "child" ? bars.filter((bar) => bar.decides).slice(0, FEW) : bars;
  return (
    <div class="tables">
      <Twin
        title={t("live.table.parts")} caption={t("live.bars")} right={[1, 2, 3]}
        head={["", t("live.head.recorded"), t("live.head.forecast"), t("live.head.ratio")]}
        rows={trip.parts.map((part) => [
          t(`live.part.${part.part}`), short(part.recorded_s, "s"), part.forecast_s === null ? "–" : short(part.forecast_s, "s"),
          part.ratio === null ? "–" : times(part.ratio),
        ])}
      />
      {trip.tokens.length > 0 && (
        <Twin
          title={t("live.table.tokens")} caption={t("live.table.tokens")} right={[1, 2, 3]}
          head={[t("live.token"), t("live.head.chance"), t("live.head.made"), t("live.head.painted")]}
          rows={trip.tokens.map((token) => [
            tokenText(t, token.text), token.probability === null ? "–" : percent(token.probability), short(token.made_s, "s"), short(token.painted_s, "s"),
          ])}
        />
      )}
      <Twin
        title={t("live.table")} caption={t("live.table")} right={[2, 3]}
        head={[t("live.head.span"), t("live.head.where"), t("live.head.start"), t("live.head.takes"), t("live.head.decides"), t("live.head.kind")]}
        rows={shown.map((bar) => [
          nameOf(t, bar.span), t(`live.row.${bar.row}`), after(bar.from), short(bar.span.duration_s, "s"),
          bar.decides ? t("live.yes") : "", isModeled(bar.span) ? t("live.modeled") : t("live.measured"),
        ])}
      />
    </div>
  );
}
