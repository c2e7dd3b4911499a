"""Three pictures of energy: an account by its parts, joules a token against load, published figures worked out.

Plain data in, SVG out. Hue is that of moving charge throughout: all of it is electricity. Fullness says the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from roundtrip.trace.model import HEADS
from roundtrip.trace.numbers import digits, si
from roundtrip.trace.svg import WIDTH, bar, document, label

LEFT, RIGHT, ROW = 230.0, 200.0, 26.0
OPACITY = {"marginal": 1.0, "allocated": 0.62, "always_on": 0.3}
STEP_OPACITY = {"start": 0.25, "tokens": 1.0, "batch": 0.72, "machine": 0.5, "boundary": 0.36}
STEP_MEANING = {
    "start": "a chat answer on accelerators alone, full batch",
    "tokens": "more tokens",
    "batch": "smaller batch",
    "machine": "other machine and model",
    "boundary": "wider boundary",
}
CARRIER = "moving charge"


def parts(account: Mapping[str, Any]) -> str:
    """Return the parts of an account (its JSON form), one bar each, cut by the three heads, with the sum so far."""
    rows: list[dict[str, Any]] = list(account["parts"])
    largest = max((row["energy_J"] for row in rows), default=0.0) or 1.0
    total = account["total"]["energy_J"]
    body = [label(24, 34, f"One prompt inside this boundary: {si(total, 'J')}", "text title")]
    x = 24.0
    for head in HEADS:
        body.append(f'<g opacity="{OPACITY[head]}">{bar(x, 50, 16, 8, CARRIER, head)}</g>')
        body.append(label(x + 22, 58, head.replace("_", " "), "muted small"))
        x += 120
    body.append(label(WIDTH - 110, 58, "energy", "muted small", "end"))
    body.append(label(WIDTH - 20, 58, "so far", "muted small", "end"))
    y, so_far = 76.0, 0.0
    for row in rows:
        so_far += row["energy_J"]
        body.append(label(24, y + 14, row["part"], "text name"))
        x = LEFT - 90
        for head, joules in row["energy_heads_J"].items():
            if joules > 0.0:
                width = joules / largest * (WIDTH - LEFT - RIGHT + 60)
                tip = f"{row['part']}, {head.replace('_', ' ')}: {si(joules, 'J')}"
                body.append(f'<g opacity="{OPACITY[head]}">{bar(x, y + 3, width, 14, CARRIER, tip)}</g>')
                x += width
        energy = si(row["energy_J"], "J") if row["energy_heads_J"] else f"{si(row['carbon_g'], 'g')} CO2e"
        body.append(label(WIDTH - 110, y + 14, energy, "text small", "end"))
        body.append(label(WIDTH - 20, y + 14, si(so_far, "J"), "muted small", "end"))
        y += ROW
    said = f"Energy of one prompt by parts: {si(total, 'J')} in {', '.join(account['boundary'])}"
    return document(WIDTH, y + 12, said, body)


class _Log:
    """A logarithmic axis."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high, self.start, self.end = low, high, start, end

    def place(self, value: float) -> float:
        """Return where a value stands."""
        share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        return self.start + min(share, 1.0) * (self.end - self.start)

    def powers(self) -> list[float]:
        """Return the powers of ten on the axis."""
        return [
            10.0**p for p in range(math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9) + 1)
        ]


def load_curves(curves: Sequence[Any]) -> str:
    """Return joules a token against batch: the trip as a line, its closed form as dots of a line, measured points.

    A curve has ``title``, ``batches``, ``token_J``, ``closed_J`` and ``points``.
    """
    left, right, top, bottom = 90.0, WIDTH - 250.0, 70.0, 470.0
    energies = [e for c in curves for e in (*c.token_J, *(p[1] for p in c.points))]
    ground = 10.0 ** math.floor(math.log10(min(energies)))
    roof = 10.0 ** math.ceil(math.log10(max(energies)))
    across = _Log(1.0, max(b for c in curves for b in c.batches), left, right)
    up = _Log(ground, roof, bottom, top)
    body = [label(24, 34, "Joules of the accelerators for one token of an answer, against load", "text title")]
    for value in across.powers():
        x = across.place(value)
        body.append(f'<line class="rule" x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{bottom}"/>')
        body.append(label(x, bottom + 18, f"{value:,.0f}", "muted small", "middle"))
    for value in up.powers():
        y = up.place(value)
        body.append(f'<line class="rule" x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}"/>')
        body.append(label(left - 8, y + 4, si(value, "J", 1), "muted small", "end"))
    body.append(
        label(
            (left + right) / 2, bottom + 38, "answers written at once on one copy of the model", "muted small", "middle"
        )
    )
    ends: list[float] = []
    for number, c in enumerate(curves):
        line = " ".join(f"{across.place(b):.1f},{up.place(e):.1f}" for b, e in zip(c.batches, c.token_J, strict=True))
        form = " ".join(
            f"{across.place(b):.1f},{up.place(e):.1f}" for b, e in zip(c.batches, c.closed_J, strict=True) if e > ground
        )
        body.append(f'<polyline class="band" fill="none" stroke-dasharray="3 4" points="{form}"/>')
        body.append(f'<polyline class="band" fill="none" style="stroke-width:2.2;opacity:1" points="{line}"/>')
        for batch, energy in c.points:
            tip = f"{c.title}: {digits(energy)} J measured at {digits(batch)}"
            body.append(_shape(number, across.place(batch), up.place(energy), tip))
        end = up.place(c.token_J[-1]) + 4
        while any(abs(end - other) < 15.0 for other in ends):
            end -= 15.0
        ends.append(end)
        body.append(_shape(number, right + 14, end - 4, c.title))
        body.append(label(right + 26, end, c.title, "text small"))
    note = "line: the trip; dashes: the closed form (P (a + b s) + W)/s + e; marks: measured (ML.ENERGY 3.0)"
    body.append(label(24, bottom + 66, note, "muted small"))
    return document(WIDTH, bottom + 82, "Joules a token against batch, for " + ", ".join(c.title for c in curves), body)


def _shape(number: int, x: float, y: float, tip: str) -> str:
    """Return a mark: circle, square or diamond, so that a curve and its points are known without hue."""
    said = f"<title>{escape(tip)}</title>"
    if number % 3 == 0:
        return f'<circle class="c-moving-charge" cx="{x:.1f}" cy="{y:.1f}" r="4.5">{said}</circle>'
    turn = f' transform="rotate(45 {x:.1f} {y:.1f})"' if number % 3 == 2 else ""
    box = f'x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"'
    return f'<rect class="c-moving-charge" {box}{turn}>{said}</rect>'


def reconciled(cases: Sequence[Any], start_J: float) -> str:
    """Return published energies of a request beside ours, as a walk in factors from one common request.

    A case has ``title``, ``published_J``, ``ours_J``, ``low_J``, ``high_J``, ``formula_J`` and ``steps`` (factors).
    """
    left, right = 250.0, WIDTH - 170.0
    axis = _Log(0.01 * 3600.0, 100.0 * 3600.0, left, right)
    body = [label(24, 34, "Published energies of one request, worked out step by step", "text title")]
    x = 24.0
    for step, meaning in STEP_MEANING.items():
        body.append(f'<g opacity="{STEP_OPACITY[step]}">{bar(x, 50, 16, 8, CARRIER, meaning)}</g>')
        body.append(label(x + 21, 58, meaning, "muted small"))
        x += 42 + 6.2 * len(meaning)
    top, y = 96.0, 100.0
    rows: list[str] = []
    for case in cases:
        rows.append(label(24, y + 16, case.title, "text small"))
        rows += _walk(case, axis, start_J, y)
        gap = case.published_J / case.ours_J
        said = f"{digits(case.published_J / 3600.0, 2)} Wh; ours {digits(case.ours_J / 3600.0, 2)}"
        rows.append(label(right + 14, y + 12, said, "text small"))
        rows.append(label(right + 14, y + 26, f"gap {digits(gap, 2)} times", "muted small"))
        y += 48.0
    ticks: list[str] = []
    for power in range(-2, 3):
        place = axis.place(10.0**power * 3600.0)
        ticks.append(f'<line class="rule" x1="{place:.1f}" y1="{top}" x2="{place:.1f}" y2="{y:.1f}"/>')
        ticks.append(label(place, top - 6, f"{10.0**power:g} Wh", "muted small", "middle"))
    note = (
        "mark: published; ring: its own equation with its own numbers; thin line: ours over the range of what is not "
        "said (tokens, batch)"
    )
    body += [*ticks, *rows, label(24, y + 14, note, "muted small")]
    return document(WIDTH, y + 30, "Published energies of one request against ours, from 0.24 to 30 Wh", body)


def _walk(case: Any, axis: _Log, start_J: float, y: float) -> list[str]:
    """Return one case: a lane a step, from the value before it to the value after it."""
    lanes = [f'<g opacity="{STEP_OPACITY["start"]}">']
    lanes += [bar(axis.start, y, axis.place(start_J) - axis.start, 5, CARRIER, f"start: {si(start_J, 'J')}"), "</g>"]
    at = start_J
    for number, (step, factor) in enumerate(case.steps.items(), start=1):
        one, two = sorted((axis.place(at), axis.place(at * factor)))
        tip = f"{STEP_MEANING[step]}: times {digits(factor, 2)}"
        lanes.append(f'<g opacity="{STEP_OPACITY[step]}">{bar(one, y + 7 * number, two - one, 5, CARRIER, tip)}</g>')
        at *= factor
    low, high = axis.place(case.low_J), axis.place(case.high_J)
    lanes.append(f'<line class="band" x1="{low:.1f}" y1="{y + 37:.1f}" x2="{high:.1f}" y2="{y + 37:.1f}"/>')
    mark = axis.place(case.published_J)
    tip = f"<title>published: {si(case.published_J, 'J')}</title>"
    lanes.append(f'<rect class="text" x="{mark - 1.5:.1f}" y="{y - 3:.1f}" width="3" height="44">{tip}</rect>')
    if case.formula_J:
        place = axis.place(case.formula_J)
        ring = f'cx="{place:.1f}" cy="{y + 19:.1f}" r="6" fill="none" style="stroke-width:2;opacity:1"'
        lanes.append(f'<circle class="band" {ring}/>')
    return lanes
