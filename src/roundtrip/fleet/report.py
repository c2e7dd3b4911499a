"""A run as a page of text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from roundtrip.fleet.records import MEASURES, RARE_CAUSES, TITLES, Records
from roundtrip.fleet.slo import Limit
from roundtrip.trace.numbers import digits
from roundtrip.trace.table import wrap

NAMES = {
    "ttft": "time to first token",
    "tpot": "time per output token",
    "e2e": "arrival to last token",
    "queue": "in the queue",
    "visible": "time to first visible one",
}


def report(found: Records, limits: tuple[Limit, ...], columns: int, paint: Callable[..., str]) -> str:
    """Return what ran, how long requests took, and what they waited for."""
    body = found.as_dict(limits)
    work, cluster, total = body["workload"], body["deployment"], body["summary"]
    kinds = ", ".join(f"{k['replicas']} × {k['name']} ({k['pages']:,} pages)" for k in cluster["kinds"])
    lines = [paint(f"{work['name']}: {work['requests']:,} requests", "bold"), *wrap(kinds, min(columns, 100))]
    how = [cluster["router"], cluster["policy"], f"{cluster['token_budget']} tokens a step",
           f"{cluster['max_sequences']} sequences"]  # fmt: skip
    how += ["prefix cache"] if cluster["prefix_cache"] else []
    lines += wrap(", ".join(how + _also(cluster)), min(columns, 100))
    if found.interrupted:
        lines.append(paint(f"Interrupted: {total['done']:,} requests are done, the rest is missing.", "bold"))
    lines += ["", f"{'':<25}{'mean':>10}{'p50':>10}{'p90':>10}{'p99':>10}{'max':>10}"]
    for name in (*MEASURES, "visible"):
        numbers = total.get(f"{name}_s")
        if numbers:
            lines.append(
                f"{NAMES[name]:<25}" + "".join(f"{time(numbers[q]):>10}" for q in ("mean", "p50", "p90", "p99", "max"))
            )
    lines += ["", "Where the time of a request went, on average:", *_waits(total["waits_s"])]
    lines += ["", *_rates(total)]
    for limit in total.get("slo", ()):
        reached = "nothing is done" if limit["reached_s"] is None else time(limit["reached_s"])
        sign = "holds" if limit["holds"] else paint("does not hold", "bold")
        lines.append(f"{limit['measure']} p{limit['percentile']:g} {reached}, limit {time(limit['most_s'])}: {sign}")
    if limits:
        lines.append(f"{100 * total['good_share']:.1f} % of requests are within every limit: "
                     f"{digits(total['goodput_per_s'] or 0.0)} a second")  # fmt: skip
    if total["refused"]:
        named = ", ".join(
            f"{r['request']} ({r['prompt_tokens']} + {r['output_tokens']} tokens)" for r in body["refused"][:3]
        )
        lines += wrap(f"{total['refused']:,} requests were refused, too large for the memory or beyond the queue's "
                      f"limit: {named}{' …' if total['refused'] > 3 else ''}", min(columns, 100))  # fmt: skip
    lines += _rare(total, min(columns, 100))
    for note in work["notes"]:
        lines += wrap(f"{work['name']}: {note}", min(columns, 100))
    return "\n".join(lines)


def _also(cluster: dict[str, Any]) -> list[str]:
    """Return what only some clusters do, in few words each."""
    found: list[str] = []
    reading = cluster["prefill_replicas"]
    if reading:
        found.append(f"{reading} of {cluster['replicas']} replicas read prompts, the others write")
    if cluster["preemption"] == "swap":
        found.append("swap to the host")
    if cluster["draft_tokens"]:
        found.append(f"{cluster['draft_tokens']} guessed tokens, {100 * cluster['acceptance']:.0f} % right")
    if cluster["mtbf_s"]:
        found.append(f"up for {time(cluster['mtbf_s'])} and down for {time(cluster['mttr_s'])} on average")
    if cluster["network_rtt_s"]:
        found.append(f"network {time(cluster['network_rtt_s'])}")
    return found


def time(value_s: float) -> str:
    """Return a time with three digits: 41.3 ms, 2.41 s, 5.2 h."""
    if value_s >= 7200.0:
        return f"{digits(value_s / 3600.0)} h"
    if value_s >= 1.0:
        return f"{digits(value_s)} s"
    return f"{digits(1e3 * value_s)} ms"


def _waits(waits_s: dict[str, float]) -> list[str]:
    total_s = sum(waits_s.values())
    if total_s <= 0.0:
        return []
    lines: list[str] = []
    for cause, mean_s in waits_s.items():
        if cause in RARE_CAUSES and mean_s == 0.0:
            continue
        share = mean_s / total_s
        lines.append(
            f"  {TITLES[cause]:<26}{time(mean_s):>10}{100 * share:>6.1f} %  {'█' * round(40 * share)}".rstrip()
        )
    return lines


def _rates(total: dict[str, Any]) -> list[str]:
    rate = total["output_tokens_per_s"]
    if rate is None:
        return ["Nothing is done."]
    lines = [
        f"{digits(total['requests_per_s'])} requests and {digits(rate)} output tokens a second "
        f"({digits(total['output_tokens_per_s_per_accelerator'])} an accelerator) over {time(total['duration_s'])}",
        f"mean batch {digits(total['mean_batch'])}, replicas busy {100 * total['busy_share']:.0f} % of the time, "
        f"{total['preemptions']:,} preemptions",
    ]
    if total["cached_share"] > 0.0:
        lines.append(f"{100 * total['cached_share']:.1f} % of the prompts' tokens were found in the cache")
    return lines


def _rare(total: dict[str, Any], columns: int) -> list[str]:
    """Return a sentence for each thing that happened only in some runs."""
    said = {
        "canceled": "canceled by their clients",
        "timed_out": "given up by the server",
        "failed": "failed with a replica",
    }
    parts = [f"{total[name]:,} {words}" for name, words in said.items() if total.get(name)]
    lines = wrap(f"Requests without a whole answer: {', '.join(parts)}", columns) if parts else []
    if total.get("failures"):
        lines.append(
            f"Replicas failed {total['failures']:,} times; {total['retries']:,} times a request went elsewhere"
        )
    if total.get("pages_swapped"):
        lines.append(f"{total['pages_swapped']:,} pages went to the host's memory or came back")
    if total.get("tokens_sent"):
        lines.append(
            f"The cache of {total['tokens_sent']:,} tokens was sent from replicas that read to those that write"
        )
    if total.get("tokens_per_step"):
        lines.append(f"A step yields {digits(total['tokens_per_step'])} tokens of a sequence on average")
    for row in total.get("by_priority", ()):
        if "ttft_s" in row:
            lines.append(f"priority {row['priority']}: {row['requests']:,} requests, time to first token "
                         f"{time(row['ttft_s']['p50'])} (p99 {time(row['ttft_s']['p99'])})")  # fmt: skip
    return lines
