"""A comparison as a page of text."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from roundtrip.fleet.records import TITLES
from roundtrip.fleet.report import NAMES, time
from roundtrip.fleet.study.pairs import Comparison, Difference
from roundtrip.trace.numbers import digits
from roundtrip.trace.table import clip, wrap

Paint = Callable[..., str]
RATES = {
    "output_tokens_per_s": "output tokens a second",
    "output_tokens_per_s_per_accelerator": "  for each accelerator",
    "usd_per_million_output_tokens": "dollars a million tokens of answers",
}
MOST_NAME = 36


def report(found: Sequence[Comparison], what: str, columns: int, paint: Paint) -> str:
    """Return what differs from the first, for each of the others."""
    lines = [paint(what, "bold")]
    names = [found[0].first.name, *(one.second.name for one in found)]
    lines += [clip(f"  {chr(65 + i)}  {name}", columns) for i, name in enumerate(names)]
    for i, one in enumerate(found, start=1):
        lines += ["", *_one(one, chr(65 + i), columns, paint)]
    lines += ["", "*: the interval (95 %, paired) lies on one side of zero."]
    return "\n".join(lines)


def _one(found: Comparison, letter: str, columns: int, paint: Paint) -> list[str]:
    change = f"{letter} - A"
    lines = [f"{'':<{MOST_NAME}}{'A':>10}{letter:>10}{change:>12}   95 % interval"]
    before = ""
    for row in found.figures:
        if row.name in RATES:
            lines.append(_row(RATES[row.name], row, _plain))
            continue
        measure, statistic, _ = row.name.split("_")
        title = NAMES[measure] if measure != before else ""
        before = measure
        lines.append(_row(f"{title:<{MOST_NAME - 6}}{statistic}", row, _signed))
    lines += ["Parts of a request's time, on average"]
    lines += [_row(f"  {TITLES[row.name]}", row, _signed) for row in found.waits]
    if found.apart:
        lines += wrap(f"{found.apart:,} requests were done by one of them only and are in no figure.", columns)
    return [*lines, *wrap(paint(verdict(found, letter), "bold"), columns)]


def _row(name: str, row: Difference, show: Callable[[float], str]) -> str:
    if math.isnan(row.low):
        interval = ""
    else:
        interval = f"   {show(row.low)} to {show(row.high)}" + ("  *" if row.is_sure else "")
    first, second = (show(x).removeprefix("+") for x in (row.first, row.second))
    return f"{name:<{MOST_NAME}}{first:>10}{second:>10}{show(row.change):>12}{interval}"


def _signed(value_s: float) -> str:
    if abs(value_s) < 5e-10:
        return "0"
    return f"{'-' if value_s < 0.0 else '+'}{time(abs(value_s))}"


def _plain(value: float) -> str:
    return "0" if value == 0.0 else f"{'-' if value < 0.0 else '+'}{digits(abs(value))}"


def verdict(found: Comparison, letter: str) -> str:
    """Return the change of a request's time in a sentence, with the part that changed most."""
    whole = next(row for row in found.figures if row.name == "e2e_mean_s")
    if not whole.is_sure:
        return f"From arrival to last token, {letter} and A cannot be told apart."
    share = 100.0 * abs(whole.change) / whole.first if whole.first > 0.0 else math.inf
    word = "shorter" if whole.change < 0.0 else "longer"
    most = max(found.waits, key=lambda row: row.change * whole.change)
    part = most.change / whole.change
    of_it = f"{100.0 * part:.0f} % of it" if part <= 1.0 else "more than all of it, others work against it"
    return (
        f"From arrival to last token it is {digits(share)} % {word} with {letter} than with A on average; most of the "
        f"change is in '{TITLES[most.name]}' ({of_it})."
    )
