"""The answer of a search for a fleet as a page of text."""

from __future__ import annotations

import math
from collections.abc import Callable

from roundtrip.fleet.account import Account
from roundtrip.fleet.records import TITLES
from roundtrip.fleet.report import time
from roundtrip.fleet.slo import Limit
from roundtrip.fleet.study.answer import MOST_LOAD, Answer
from roundtrip.fleet.study.binds import Binding
from roundtrip.fleet.study.price import Price
from roundtrip.fleet.study.size import Found
from roundtrip.fleet.study.space import Fleet, Tried
from roundtrip.trace.numbers import digits
from roundtrip.trace.table import wrap

Paint = Callable[..., str]
READ = 100  # columns beyond which nobody reads a line
BEST = {"cost": "The cheapest fleet", "energy": "The fleet that draws the least"}
NAMED = 6  # kinds of replicas that a page names in a list


def size_report(found: Answer, columns: int, paint: Paint) -> str:
    """Return the fleet, its price, its margins, what binds and the runner-up."""
    columns = min(columns, READ)
    bench = found.sizing.bench
    work = bench.work.as_dict()
    rate = f", {digits(work['rate_per_s'])} a second" if work["rate_per_s"] else ""
    count = work["requests"]
    lines = [
        paint(f"{work['name']}: {count:,} request{'s' if count > 1 else ''}{rate}", "bold"),
        f"{work['prompt_tokens'] / count:,.0f} tokens in and {work['output_tokens'] / count:,.0f} out (mean); "
        f"{bench.space.model} within {', '.join(words(limit) for limit in bench.limits)}",
        "",
    ]
    if found.sizing.interrupted:
        lines += wrap("Interrupted: what follows is the best so far; a cheaper fleet may have been missed.", columns)
    lines += _fleet(found, columns, paint) if found.best else _nothing(found, columns, paint)
    lines += ["", *_others(found, columns)]
    for note in work["notes"]:
        lines += wrap(f"{work['name']}: {note}", columns)
    return "\n".join(lines)


def words(limit: Limit) -> str:
    """Return a limit as people write it: ``ttft p99 1 s``."""
    return f"{name(limit)} {time(limit.most_s)}"


def name(limit: Limit) -> str:
    """Return what is limited: ``ttft p99``, or ``every ttft``."""
    return f"every {limit.measure}" if limit.percentile == 100.0 else f"{limit.measure} p{limit.percentile:g}"


def dollars(price: Price, band: bool = True) -> str:
    """Return a price, with the ends of its band if they differ."""
    text = f"${digits(price.value)}"
    if band and price.low < price.high:
        text += f" (${digits(price.low)} to ${digits(price.high)})"
    return text


def _fleet(found: Answer, columns: int, paint: Paint) -> list[str]:
    best, cost = found.best, found.cost
    if best is None or cost is None:
        return []
    bench, tried = found.sizing.bench, best.tried
    fleet = tried.fleet
    accelerators = fleet.replicas * fleet.shape.tensor_ranks
    lines = [
        paint(
            f"{BEST[bench.space.goal]}: {fleet}, {accelerators} accelerator{'s' if accelerators > 1 else ''}", "bold"
        ),
        f"  {settings(fleet)}, {(bench.space.policy or {}).get('router', 'round robin')}",
        f"  {dollars(cost.hour)} an hour",
    ]
    if cost.per_million and cost.per_million_output:
        lines.append(
            f"  {dollars(cost.per_million, False)} a million tokens, "
            f"{dollars(cost.per_million_output)} a million tokens of answers"
        )
    lines += _energy(found)
    lines += ["", *_reached(found, tried)]
    if any(high_s > limit.most_s for limit, (_, high_s) in zip(bench.limits, found.sure_s, strict=True)):
        lines += wrap("  Where the interval reaches beyond the limit, another hour of such traffic may break it; "
                      "--speed 1.2 sizes for a fifth more.", columns, "  ")  # fmt: skip
    if found.load is not None:
        lines.append(
            f"  It holds up to {digits(found.load, 3)} times this traffic."
            if found.load < MOST_LOAD / 1.25 else f"  It holds at {digits(found.load, 2)} times this traffic still."
        )  # fmt: skip
    if found.binding:
        lines += ["", *_binding(found.binding, found, columns, paint)]
    return lines


def _energy(found: Answer) -> list[str]:
    made = found.energy
    if not isinstance(made, Account):
        return [f"  no account of energy: {made}"]
    whole_J, tokens = made.amounts["energy_J"], made.output_tokens
    if not tokens:
        return []
    low, high = (digits(x / tokens) for x in made.bands["energy_J"])
    return [
        f"  {digits(whole_J / tokens)} J ({low} to {high}) an output token with hosts and building, "
        f"{digits(made.power_W / 1e3)} kW on average"
    ]


def settings(fleet: Fleet) -> str:
    """Return the knobs of a fleet."""
    return f"{fleet.knobs.token_budget:,} tokens and {fleet.knobs.max_sequences} sequences a step"


def _reached(found: Answer, tried: Tried) -> list[str]:
    limits = found.sizing.bench.limits
    lines = [f"  {'':<12}{'reached':>10}{'limit':>10}{'limit/reached':>15}   95 % interval of what is reached"]
    rows = zip(limits, tried.reached_s, found.sure_s, strict=True)
    margins = [limit.most_s / max(r or 0.0, 1e-12) for limit, r in zip(limits, tried.reached_s, strict=True)]
    for (limit, reached_s, (low_s, high_s)), margin in zip(rows, margins, strict=True):
        shown = ("-", "-") if reached_s is None else (time(reached_s), digits(margin))
        interval = "" if math.isnan(low_s) else f"   {time(max(low_s, 0.0))} to {time(high_s)}"
        lines.append(f"  {name(limit):<12}{shown[0]:>10}{time(limit.most_s):>10}{shown[1]:>15}{interval}")
    return lines


def _binding(bound: Binding, found: Answer, columns: int, paint: Paint) -> list[str]:
    limits = found.sizing.bench.limits
    if bound.smaller is None:
        head = " and ".join(bound.binds) or "nothing"
        return [paint(f"What binds: {head}", "bold"), *wrap(f"  {bound.words}", columns, "  ")]
    lines = [paint(f"What binds: {' and '.join(bound.binds)}", "bold")]
    lines.append(f"  {'':<56}" + "".join(f"{name(limit):>12}" for limit in limits))
    lines.append(_row(f"with {bound.words}", bound.smaller))
    lines += [_row(f"  and {proof.words}", proof.tried) for proof in bound.proofs]
    if bound.parts_s:
        total_s = sum(bound.parts_s.values()) or 1.0
        parts = ", ".join(
            f"{TITLES[cause]} {100 * bound.parts_s[cause] / total_s:.0f} %"
            for cause in bound.parts_s if bound.parts_s[cause] >= 0.005 * total_s
        )  # fmt: skip
        lines += wrap(f"  The time of the requests that are late then: {parts}.", columns, "  ")
    return lines


def _row(name: str, tried: Tried) -> str:
    cells = "".join(f"{'-' if r is None else time(r):>12}" for r in tried.reached_s)
    verdict = "refuses some" if tried.unserved else "holds" if tried.holds else ""
    return f"  {name:<56}{cells}  {verdict}".rstrip()


def _nothing(found: Answer, columns: int, paint: Paint) -> list[str]:
    bench = found.sizing.bench
    lines = [paint("No fleet holds this.", "bold")]
    near = found.nearest
    if near is None:
        return lines
    if near.unserved and found.worst:
        w = found.worst
        return lines + wrap(
            f"What binds: memory. {_requests(near.unserved)} larger than the cache of a replica, even of "
            f"{near.fleet.shape} ({w['cache_tokens']:,} tokens); the largest is request {w['request']:,} "
            f"({w['prompt_tokens']:,} + {w['output_tokens']:,} tokens).", columns
        )  # fmt: skip
    reached = ", ".join(
        f"{name(limit)} {'-' if r is None else time(r)}" for limit, r in zip(bench.limits, near.reached_s, strict=True)
    )
    lines += wrap(f"The nearest is {near.fleet.shape} with {settings(near.fleet)}: {reached} with so many replicas "
                  "that no request meets another.", columns)  # fmt: skip
    if found.worst:
        w = found.worst
        lines += wrap(f"Request {w['request']:,} ({w['prompt_tokens']:,} + {w['output_tokens']:,} tokens) alone has "
                      f"{w['measure']} {time(w['reached_s'])}, {digits(w['times_the_limit'])} times the limit; no "
                      "number of replicas mends that.", columns)  # fmt: skip
    if found.binding:
        lines += ["", *_binding(found.binding, found, columns, paint)]
    return lines


def _requests(count: int) -> str:
    return "One request is" if count == 1 else f"{count:,} requests are"


def _others(found: Answer, columns: int) -> list[str]:
    sizing = found.sizing
    lines: list[str] = []
    if found.best:
        others = sizing.ranking[1:]
        if others:
            lines += wrap(f"Runner-up: {_line(others[0], found)}, {settings(others[0].tried.fleet)}", columns, "  ")
            for other in others[1:3]:
                lines += wrap(f"  then {_line(other, found)}", columns, "    ")
        else:
            lines.append("Runner-up: none, no other kind of replica holds the limits.")
    reasons: dict[str, list[str]] = {}
    for shape, reason in sizing.out.items():
        reasons.setdefault(_short(reason), []).append(str(shape))
    for reason, shapes in reasons.items():
        more = f" and {len(shapes) - NAMED} more" if len(shapes) > NAMED else ""
        lines += wrap(f"Out, {reason}: {', '.join(shapes[:NAMED])}{more}.", columns, "  ")
    if sizing.dearer:
        lines += wrap(f"Dearer than the runner-up for certain: {len(sizing.dearer)} kinds of replicas.", columns)
    lines += wrap(f"{sizing.bench.runs:,} fleets were run. Prices of accelerators are estimates with a wide band "
                  "(roundtrip catalog accelerators); --prices sets yours.", columns)  # fmt: skip
    return lines


def _short(reason: str) -> str:
    """Return a reason without the name of the shape that it is about, so that equal reasons meet."""
    return "the weights do not fit" if "leave no page" in reason else reason


def _line(other: Found, found: Answer) -> str:
    bench, best = found.sizing.bench, found.best
    fleet = other.tried.fleet
    if best is None:
        return str(fleet)
    more = 100.0 * (bench.goal(fleet) / bench.goal(best.tried.fleet) - 1.0)
    energy_J = bench.energy_J(fleet)
    drawn = "" if math.isinf(energy_J) else f", {digits(energy_J)} J an output token"
    return f"{fleet}, {dollars(other.price, False)} an hour{drawn} ({more:+.0f} %)"
