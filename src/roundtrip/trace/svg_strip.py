"""The whole trip at a glance: one lane a room, each stage a mark at its own duration on logarithmic time."""

from __future__ import annotations

import math
from xml.sax.saxutils import escape

from roundtrip.trace import look
from roundtrip.trace.model import Span, Trace
from roundtrip.trace.numbers import si
from roundtrip.trace.svg import css_class, document, label, legend
from roundtrip.trace.table import one_line

LANES = {
    "keyboard": "Keyboard",
    "computer": "Computer",
    "network": "Network",
    "optics": "Light in glass",
    "datacenter": "Datacenter",
    "model": "Model",
    "display": "Screen",
    "eye": "Eye",
}
WIDTH, LEFT, RIGHT, TOP, ROW = 1080.0, 140.0, 24.0, 108.0, 23.0
SUBROWS = 6
LETTER = 6.8


class _Axis:
    """Logarithmic time across the picture."""

    def __init__(self, spans: list[Span]) -> None:
        durations = [s.duration_s for s in spans]
        self.first = math.floor(math.log10(min(durations)))
        self.last = math.ceil(math.log10(max(durations)))

    def __call__(self, seconds: float) -> float:
        share = (math.log10(max(seconds, 10.0**self.first)) - self.first) / (self.last - self.first)
        return LEFT + min(share, 1.0) * (WIDTH - LEFT - RIGHT)


def strip(trace: Trace) -> str:
    """Return the strip of one trace as SVG."""
    spans = [s for s in trace.spans if s.duration_s > 0.0 and not s.id.startswith("on.") and s.room in LANES]
    if not spans:
        return document(WIDTH, TOP, "a trip without a stage that takes time", [])
    axis = _Axis(spans)
    body: list[str] = []
    y = TOP
    for room, name in LANES.items():
        own = _once([s for s in spans if s.room == room])
        if not own:
            continue
        rows = _place(own, axis)
        height = ROW * len(rows) + 10
        body.append(label(24, y + ROW * 0.75, name, "text name"))
        for number, row in enumerate(rows):
            for span, right in row:
                body += _mark(span, axis, y + ROW * (number + 0.55), right)
        y += height
        body.append(f'<line class="rule" x1="24" x2="{WIDTH - RIGHT:g}" y1="{y - 4:.1f}" y2="{y - 4:.1f}"/>')
    heading = [label(24, 34, f"“{one_line(trace.prompt, 60)}”", "text title")]
    heading += legend(24, 58, [c for c in look.LOOKS if any(s.carrier == c for s in spans)])
    said = "How long each stage of the trip takes, one lane a room, on logarithmic time"
    return document(WIDTH, y + 8, said, [*heading, *_grid(axis, y), *body, *_goals(trace, axis, y)])


def _once(spans: list[Span]) -> list[Span]:
    """Keep each stage once, where the trip meets it first."""
    found: dict[str, Span] = {}
    for span in spans:
        found.setdefault(span.name, span)
    return list(found.values())


def _place(spans: list[Span], axis: _Axis) -> list[list[tuple[Span, bool]]]:
    """Put marks with their names into rows without a collision, longest first; a name stands right or left."""
    rows: list[list[tuple[Span, bool]]] = [[] for _ in range(SUBROWS)]
    taken: list[list[tuple[float, float]]] = [[] for _ in range(SUBROWS)]
    for span in sorted(spans, key=lambda s: -s.duration_s):
        low, high = _ends(span, axis)
        room = LETTER * len(_name(span)) + 14
        for row, used in zip(rows, taken, strict=True):
            for right in (True, False):
                box = (low - 4, high + room) if right else (low - room, high + 4)
                inside = box[0] >= LEFT - 30 and box[1] <= WIDTH
                if inside and all(box[1] < a or box[0] > b for a, b in used):
                    used.append(box)
                    row.append((span, right))
                    break
            else:
                continue
            break
    return [row for row in rows if row]


def _ends(span: Span, axis: _Axis) -> tuple[float, float]:
    band = span.bands.get("duration_s", {})
    return axis(band.get("low", span.duration_s)), axis(band.get("high", span.duration_s))


def _name(span: Span) -> str:
    return span.name.partition(".")[2].replace("_", " ")


def _mark(span: Span, axis: _Axis, y: float, right: bool) -> list[str]:
    low, high = _ends(span, axis)
    hue = css_class(span.carrier)
    said = f"{span.name}: {span.title}, {si(span.duration_s, 's')}"
    box = f'x="{low:.1f}" y="{y - 1.5:.1f}" width="{max(high - low, 1.0):.1f}" height="3" rx="1.5"'
    band = f'<rect class="{hue}" {box} opacity=".42"/>'
    dot = f'<circle class="{hue}" cx="{axis(span.duration_s):.1f}" cy="{y:.1f}" r="4.2"/>'
    if span.carrier == "waiting":
        band += f'<rect {box} fill="url(#hatch)"/>'
        dot += f'<circle class="ground" cx="{axis(span.duration_s):.1f}" cy="{y:.1f}" r="2.2"/>'
    place, anchor = (high + 9, "start") if right else (low - 9, "end")
    text = label(place, y + 4, _name(span), "text small", anchor)
    return [f"<g><title>{escape(said)}</title>{band}{dot}{text}</g>"]


def _grid(axis: _Axis, bottom: float) -> list[str]:
    parts: list[str] = []
    for exponent in range(axis.first, axis.last + 1):
        x = axis(10.0**exponent)
        parts.append(f'<line class="rule" opacity=".6" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 10:g}" y2="{bottom:.1f}"/>')
        if exponent % 3 == 0:
            parts.append(label(x, TOP - 18, si(10.0**exponent, "s", 1), "muted small", "middle"))
    return parts


def _goals(trace: Trace, axis: _Axis, bottom: float) -> list[str]:
    """Draw the two moments that people wait for."""
    parts: list[str] = []
    goals = (("time_to_first_token_s", "first token", 32.0), ("time_to_last_token_s", "whole answer", 48.0))
    for name, text, above in goals:
        if name in trace.summary:
            seconds = float(trace.summary[name])
            x = axis(seconds)
            ends = f'x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - above - 8:g}" y2="{bottom - 4:.1f}"'
            parts.append(f'<line class="rule" stroke-width="1.5" {ends}/>')
            parts.append(label(x - 6, TOP - above, f"{text} {si(seconds, 's')}", "text small", "end"))
    return parts
