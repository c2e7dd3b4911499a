"""Which cause moves a figure most: a tornado, one bar a cause, from its p5 to its p95."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roundtrip.trace.numbers import si
from roundtrip.trace.svg import WIDTH, bar, document, label

LEFT, RIGHT, ROW, TOP = 330.0, 110.0, 24.0, 100.0
HUES = {"variability": "photons", "ignorance": "moving charge"}
MEANING = {"variability": "differs from trip to trip", "ignorance": "not known better: a measurement would help"}


@dataclass(frozen=True, slots=True)
class Gust:
    """One bar: a cause, its kind of spread, the result at its p5 and p95, its share of the variance."""

    name: str
    spread: str
    low: float
    high: float
    share: float


def tornado(title: str, unit: str, value: float, gusts: Sequence[Gust]) -> str:
    """Return the tornado as SVG; `value` is the result with every cause at its middle."""
    ends = [end for g in gusts for end in (g.low, g.high)] or [value]
    first, last = min(*ends, value), max(*ends, value)
    wide = (last - first) or 1.0

    def x(result: float) -> float:
        return LEFT + (result - first) / wide * (WIDTH - LEFT - RIGHT)

    body = [label(24, 34, title, "text title")]
    place = 24.0
    for spread, hue in HUES.items():
        body += [bar(place, 50, 16, 8, hue, spread), label(place + 22, 58, MEANING[spread], "muted small")]
        place += 50 + 6.6 * len(MEANING[spread])
    y = TOP
    for gust in gusts:
        left, right = sorted((gust.low, gust.high))
        tip = f"{gust.name}: {si(left, unit)} to {si(right, unit)}"
        body.append(label(LEFT - 12, y + 13, gust.name, "text small", "end"))
        body.append(bar(x(left), y + 3, x(right) - x(left), 13, HUES[gust.spread], tip))
        body.append(label(WIDTH - 18, y + 13, f"{gust.share:.0%}", "text small", "end"))
        y += ROW
    middle = f'x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{TOP - 6:g}" y2="{y:.1f}"'
    body.append(f'<line class="rule" stroke-width="1.5" {middle}/>')
    body += [label(x(value), TOP - 12, si(value, unit), "text small", "middle")]
    body += [
        label(x(first), y + 14, si(first, unit), "muted small"),
        label(x(last), y + 14, si(last, unit), "muted small", "end"),
    ]
    body.append(label(WIDTH - 18, TOP - 12, "of the variance", "muted small", "end"))
    return document(WIDTH, y + 26, f"What moves {title} most", body)
