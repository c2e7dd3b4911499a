"""The trip on one screen: a line a room instead of a line a stage."""

from __future__ import annotations

from roundtrip.trace.model import Span, Trace
from roundtrip.trace.numbers import si
from roundtrip.trace.story import rows, story
from roundtrip.trace.table import (
    NARROWEST,
    WIDEST,
    Paint,
    Timeline,
    ascii_only,
    clip,
    groups,
    legend,
    opening,
    painter,
)

SHOWN = (
    "first token in the computer",
    "first word understood",
    "whole answer",
    "electricity",
    "water",
    "carbon (CO2 equivalent)",
    "cost",
)


def brief(trace: Trace, width: int = 100, color: bool = False, log: bool = True, unicode: bool = True) -> str:
    """Return the rooms with their bars, the main figures and the sentences.

    A room's bar has at each place the mark of the span that takes the most of it; its time is that of its spans one
    after the other, parts and repetitions not counted twice.
    """
    width = max(min(width, WIDEST), NARROWEST)
    paint = painter(color)
    name = min(52, width // 2)
    cells = width - name - 2 - 9 - 10 - 2
    line = Timeline(trace, cells, log)
    lines = [*opening(trace, width, paint), ""]
    lines.append(paint(f"  {'':<{name}}{line.scale()} {'time':>9} {'energy':>9}", "dim"))
    for heading, spans in groups(trace).items():
        joules = sum(span.total_J or 0.0 for span in spans)
        seconds = _union([s for s in spans if s.parent is None])
        text = f"{clip(heading, name - 1):<{name}}"
        marks = _marks(spans, line, paint)
        lines.append(f"  {text}{marks} {si(seconds, 's'):>9} {si(joules, 'J') if joules else '–':>9}")
    lines += ["", legend(paint, width).partition("\ngrade")[0], ""]
    for label, value, spread, _ in rows(trace):
        if label in SHOWN:
            lines.append(f"{label:<44} {value:>9}  {spread}".rstrip())
    lines += ["", *story(trace, width)]
    text = "\n".join(part.rstrip() for part in lines) + "\n"
    return text if unicode else ascii_only(text)


def _union(spans: list[Span]) -> float:
    """Return for how long at least one of the spans runs."""
    total, end = 0.0, 0.0
    for span in sorted(spans, key=lambda s: s.start_s):
        total += max(span.end_s - max(span.start_s, end), 0.0)
        end = max(end, span.end_s)
    return total


def _marks(spans: list[Span], line: Timeline, paint: Paint) -> str:
    """Return the bars of a room's spans on one line; a longer span lies under a shorter one."""
    marks: list[tuple[str, str]] = [(" ", "")] * line.cells
    for span in sorted((s for s in spans if s.parent is None), key=lambda s: -s.duration_s):
        blank, bar = line.bar(span)
        for at, glyph in enumerate(bar, start=len(blank)):
            if glyph != "│" and (marks[at][0] == " " or len(bar) > 1):
                marks[at] = (glyph, span.carrier)
    return "".join(paint(glyph, carrier) if carrier else glyph for glyph, carrier in marks)
