"""The energy of a trip as a picture: a bar a stage, cut by the three heads."""

from __future__ import annotations

from roundtrip.trace.look import group_of
from roundtrip.trace.model import HEADS, Span, Trace
from roundtrip.trace.numbers import si
from roundtrip.trace.svg import WIDTH, bar, document, label
from roundtrip.trace.table import one_line

LEFT, RIGHT, ROW, TOP = 330.0, 96.0, 20.0, 96.0
OPACITY = {"marginal": 1.0, "allocated": 0.62, "always_on": 0.3}
MEANING = {
    "marginal": "marginal: only because of this prompt",
    "allocated": "allocated: its share of what serves many",
    "always_on": "always on: would run anyway",
}
MOST = 28


def energy(trace: Trace) -> str:
    """Return the stages by falling energy, on a linear axis of joules; the smallest are summed in one line."""
    drawn = sorted((s for s in trace.spans if s.total_J), key=lambda s: -(s.total_J or 0.0))
    shown, rest = drawn[:MOST], drawn[MOST:]
    largest = max((s.total_J or 0.0 for s in drawn), default=1.0)
    total = sum(s.total_J or 0.0 for s in drawn)
    body = [label(24, 34, f"“{one_line(trace.prompt, 60)}”: {si(total, 'J')}", "text title")]
    x = 24.0
    for head in HEADS:
        body.append(f'<g opacity="{OPACITY[head]}">{bar(x, 50, 16, 8, "moving charge", head)}</g>')
        body.append(label(x + 22, 58, MEANING[head], "muted small"))
        x += 36 + 6.5 * len(MEANING[head])
    body.append(
        label(
            24,
            78,
            "The hue is that of the carrier; of one hue, the fuller is the more caused by the prompt.",
            "muted small",
        )
    )
    y = TOP
    for span in shown:
        body += _stage(span, y, largest)
        y += ROW
    if rest:
        body.append(label(24, y + 12, f"{len(rest)} smaller stages together", "muted small"))
        body.append(label(WIDTH - 18, y + 12, si(sum(s.total_J or 0.0 for s in rest), "J"), "text small", "end"))
        y += ROW
    said = f"Where the energy of the trip goes: {si(total, 'J')} over {len(drawn)} stages"
    return document(WIDTH, y + 16, said, body)


def _stage(span: Span, y: float, largest: float) -> list[str]:
    where = group_of(span.id, span.room).partition(":")[0]
    text = f"{where}: {span.title}"
    shown = text if len(text) <= 44 else text[:43].rstrip() + "…"
    parts = [label(24, y + 12, shown, "muted small")]
    x = LEFT
    for head in HEADS:
        joules = span.energy_J.get(head, 0.0)
        if joules > 0.0:
            width = joules / largest * (WIDTH - LEFT - RIGHT)
            tip = f"{span.id}, {MEANING[head]}: {si(joules, 'J')}"
            parts.append(f'<g opacity="{OPACITY[head]}">{bar(x, y + 2, width, 12, span.carrier, tip)}</g>')
            x += width
    parts.append(label(WIDTH - 18, y + 12, si(span.total_J, "J"), "text small", "end"))
    return parts
