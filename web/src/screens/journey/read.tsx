/** Under the picture: all of it as text and as a table. */
import type { Trace } from "../../core/types";
import type { Level } from "../../shell/state";
import type { Say } from "../../shell/text";
import { PARTS, stays, type Part, type Teller } from "./parts";
import { Table } from "./strip";

export interface ReadProps {
  readonly trip: Trace;
  readonly level: Level;
  readonly say: Say;
  readonly told: Teller;
  readonly summary: string;
  readonly choose: (part: Part) => void;
}

export function Read({ trip, level, say, told, summary, choose }: ReadProps) {
  const leaves = !stays(trip);
  return (
    <div class="j-read" tabIndex={-1}>
      <section>
        <h2>{say("journey.what.title")}</h2>
        <p class="prose">{say("journey.intro")} {say("journey.what.text")}</p>
        <p class="prose">{summary}</p>
      </section>
      <section>
        <h2>{say("journey.why.title")}</h2>
        <p class="prose">{say("journey.why.text")}</p>
        <WhyOnce once={say("journey.why.training")} always={say("journey.why.inference")} />
      </section>
      <section>
        <h2>{say("journey.big.title")}</h2>
        <p class="prose">{leaves ? say("journey.big.text") : say("journey.big.nothing")}</p>
      </section>
      <section>
        <h2>{say("journey.real.title")}</h2>
        <p class="prose">{say("journey.real.text")}</p>
      </section>
      <section class="j-parts">
        <h2>{say("part.label")}</h2>
        <ol>
          {PARTS.map((each) => (
            <li key={each}>
              <button class="ghost" onClick={() => choose(each)}><b>{told.name(each)}</b></button>
              <p>{told.does(each)} {told.more(each)}</p>
            </li>
          ))}
        </ol>
        {leaves && <p class="j-copper"><b>{say("part.copper.name")}</b> {say("part.copper.does")} {say("part.copper.more")}</p>}
      </section>
      <section class="j-all">
        <h2>{say("action.table")}</h2>
        <p class="small">{say("journey.strip.help")} {say("carrier.help")}</p>
        <Table trip={trip} level={level} told={told} />
      </section>
    </div>
  );
}

/** Training once, inference always: one block, and a row without end. */
function WhyOnce({ once, always }: { readonly once: string; readonly always: string }) {
  return (
    <svg class="j-once" viewBox="0 0 420 64" role="img" aria-label={`${once}. ${always}.`}>
      <rect x="0" y="6" width="54" height="22" fill="var(--stored-charge)" opacity=".55" />
      {Array.from({ length: 52 }, (_, i) => <rect key={i} x={62 + i * 6.8} y="6" width="3" height="22" fill="var(--moving-charge)" opacity={1 - Math.max(0, i - 38) / 14} />)}
      <text x="0" y="48" class="j-tick">{once}</text>
      <text x="132" y="48" class="j-tick">{always}</text>
    </svg>
  );
}
