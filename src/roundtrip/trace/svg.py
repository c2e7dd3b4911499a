"""The waterfall as a picture: plain SVG, no script, no font to load, for light and dark ground."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from roundtrip.trace import look
from roundtrip.trace.look import LOOKS
from roundtrip.trace.model import Span, Trace
from roundtrip.trace.numbers import si
from roundtrip.trace.table import Timeline, groups, one_line, stands_in

ROW, HEAD, LEFT, RIGHT, TOP = 17.0, 27.0, 318.0, 84.0, 82.0
WIDTH = 1080.0


def css_class(carrier: str) -> str:
    """Return the class of a carrier's marks."""
    return "c-" + carrier.replace(" ", "-")


def style() -> str:
    """Return the style sheet: quiet ground, hue only for carriers, dark if the reader's system is."""

    def rules(dark: bool) -> str:
        text, muted, ground, line = (
            (look.TEXT_DARK, look.MUTED_DARK, look.GROUND_DARK, look.LINE_DARK)
            if dark
            else (look.TEXT_LIGHT, look.MUTED_LIGHT, look.GROUND_LIGHT, look.LINE_LIGHT)
        )
        base = (
            f".ground{{fill:{ground}}}.text{{fill:{text}}}.muted{{fill:{muted}}}.rule{{stroke:{line}}}.hatch{{stroke:{ground}}}"
            f".band{{stroke:{muted}}}.tick{{stroke:{ground}}}"
        )
        return base + "".join(f".{css_class(n)}{{fill:{k.dark if dark else k.light}}}" for n, k in LOOKS.items())

    fonts = (
        'text{font:13px "Inter",system-ui,-apple-system,"Segoe UI",sans-serif}'
        '.title{font:22px "Source Serif 4",ui-serif,Georgia,serif}.name{font-weight:500}.small{font-size:12px}'
        ".rule{stroke-width:1}.hatch{stroke-width:2.5}.tick{stroke-width:.7;opacity:.6}.band{stroke-width:1;opacity:.55}"
    )
    return f"<style>{fonts}{rules(False)}@media(prefers-color-scheme:dark){{{rules(True)}}}</style>"


def document(width: float, height: float, title: str, body: Sequence[str]) -> str:
    """Return a whole SVG document; `title` is what a screen reader says."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" '
            f'width="{width:g}" height="{height:g}">',
            f"<title>{escape(title)}</title>",
            style(),
            '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)">'
            '<line class="hatch" x1="0" y1="0" x2="0" y2="6"/></pattern></defs>',
            f'<rect class="ground" width="{width:g}" height="{height:g}"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def label(x: float, y: float, text: str, look_class: str = "text", anchor: str = "start") -> str:
    """Return a line of text."""
    return f'<text class="{look_class}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def bar(x: float, y: float, width: float, height: float, carrier: str, tip: str) -> str:
    """Return a bar with the look of its carrier; waiting is hatched."""
    box = f'x="{x:.2f}" y="{y:.1f}" width="{max(width, 1.5):.2f}" height="{height:.1f}" rx="1.5"'
    hatch = f'<rect {box} fill="url(#hatch)"/>' if carrier == "waiting" else ""
    return f'<g><title>{escape(tip)}</title><rect class="{css_class(carrier)}" {box}/>{hatch}</g>'


def legend(x: float, y: float, carriers: Sequence[str]) -> list[str]:
    """Return the names of the carriers beside their hue."""
    parts: list[str] = []
    for carrier in carriers:
        parts.append(bar(x, y - 8, 16, 8, carrier, carrier))
        parts.append(label(x + 22, y, carrier, "muted small"))
        x += 40 + 6.6 * len(carrier)
    return parts


def waterfall(trace: Trace, log: bool = True) -> str:
    """Return the waterfall of one trace, in logarithmic or linear time."""
    return waterfalls([trace], log)


def waterfalls(traces: Sequence[Trace], log: bool = True) -> str:
    """Return the waterfalls of several traces, one below the other, on one time axis."""
    longest = max(traces, key=lambda t: max((s.end_s for s in t.spans), default=0.0))
    pixels = int(WIDTH - LEFT - RIGHT)
    axis = Timeline(longest, pixels, log)
    axis.first_s = min(Timeline(t, pixels, log).first_s for t in traces)
    used = [c for c in LOOKS if any(s.carrier == c for t in traces for s in t.spans)]
    body: list[str] = []
    y = TOP
    tops: list[float] = []
    for trace in traces:
        if len(traces) > 1:
            y += 18 if body else 0
            body.append(label(24, y + 14, str(trace.scenario.get("title", "")), "text title"))
            y += 34
        tops.append(y)
        rows, y = _rows(trace, axis, y)
        body += rows
        y += 18
    grid = _grid(axis, tops[0] - 6, y - 14)
    title = (
        one_line(traces[0].prompt, 60)
        if len(traces) == 1
        else " against ".join(str(t.scenario.get("title", "")) for t in traces)
    )
    heading = [label(24, 34, f"“{title}”" if len(traces) == 1 else title, "text title"), *legend(24, 58, used)]
    kind = "logarithmic" if axis.log else "linear"
    said = f"Where the time of the trip goes: {title} ({kind} time, {axis.last_s:.3g} s in all)"
    return document(WIDTH, y + 8, said, [*heading, *grid, *body])


def _grid(axis: Timeline, top: float, bottom: float) -> list[str]:
    parts: list[str] = []
    ticks: list[float] = []
    if axis.log:
        powers = range(math.ceil(math.log10(axis.first_s)), math.floor(math.log10(axis.last_s)) + 1)
        ticks = [10.0**p for p in powers]
    else:
        step = 10.0 ** math.floor(math.log10(axis.last_s))
        step = step if axis.last_s / step >= 4 else step / 5 if axis.last_s / step < 2 else step / 2
        ticks = [step * i for i in range(int(axis.last_s / step) + 1)]
    for tick in ticks:
        x = LEFT + axis.place(tick) * axis.cells
        parts.append(f'<line class="rule" x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}"/>')
        parts.append(label(x, top - 4, si(tick, "s", 1) if axis.log else f"{tick:.3g} s", "muted small", "middle"))
    return parts


def _rows(trace: Trace, axis: Timeline, y: float) -> tuple[list[str], float]:
    parts: list[str] = []
    for heading, spans in groups(trace).items():
        y += HEAD
        parts.append(label(24, y - 7, heading, "text name"))
        for span in spans:
            x = LEFT + axis.place(span.start_s) * axis.cells
            end = LEFT + axis.place(span.end_s) * axis.cells
            indent = 36.0 if not span.parent else 48.0
            room = int((LEFT - indent - 14) / 6.6)
            shown = span.title if len(span.title) <= room else span.title[: room - 1].rstrip() + "…"
            parts.append(label(indent, y + 12, shown, "muted small"))
            tip = f"{span.id}: {span.title}, {si(span.duration_s, 's')}, {si(span.total_J, 'J')}, {span.carrier}"
            drawn = bar(x, y + 3.5, end - x, 9.5 if not span.parent else 6.0, span.carrier, tip)
            parts.append(f'<g opacity=".4">{drawn}</g>' if stands_in(trace, span) else drawn)
            parts += _whisker(span, axis, y + 8.2)
            parts.append(label(WIDTH - 18, y + 12, si(span.duration_s, "s"), "text small", "end"))
            y += ROW
    return parts, y


def _whisker(span: Span, axis: Timeline, y: float) -> list[str]:
    """Draw where the span ends at p5 and p95 of its own duration."""
    found = span.bands.get("duration_s")
    if not found or found["low"] == found["high"]:
        return []
    x = [LEFT + axis.place(span.start_s + found[end]) * axis.cells for end in ("low", "high")]
    return [f'<line class="band" x1="{x[0]:.1f}" y1="{y:.1f}" x2="{x[1]:.1f}" y2="{y:.1f}"/>']
