"""A field of marks over two axes, as the parts of an SVG: for prices against limits and throughput against speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from roundtrip.trace.numbers import digits
from roundtrip.trace.svg import label

# Hue belongs to the carriers of energy: series differ by their mark.
MARKS = ("circle", "square", "triangle", "diamond", "cross", "plus", "down", "bar")
LINES = {
    "cross": ((-1, -1, 1, 1), (-1, 1, 1, -1)),
    "plus": ((-1, 0, 1, 0), (0, -1, 0, 1)),
    "bar": ((-1, 0, 1, 0),),
}
STYLE = (
    "<style>.ink{color:#23262D}@media(prefers-color-scheme:dark){.ink{color:#E8E6E1}}"
    ".full{fill:currentColor}.open{fill:none;stroke:currentColor;stroke-width:1.4}"
    ".faint{opacity:.38}.front{fill:none;stroke:currentColor;stroke-width:1.6}"
    ".limit{stroke:currentColor;stroke-width:1.2;stroke-dasharray:5 4}"
    ".ring{fill:none;stroke:currentColor;stroke-width:1.8}"
    "</style>"
)
WIDE = 20.0  # ratio of largest to smallest beyond which an axis is logarithmic


@dataclass(frozen=True, slots=True)
class Axis:
    """Where values lie between two places.

    Attributes
    ----------
    low, high : float
        Values at the ends.
    start, end : float
        Places of the ends.
    is_log : bool
    words : str
        What it shows.
    """

    low: float
    high: float
    start: float
    end: float
    is_log: bool
    words: str

    def place(self, value: float) -> float:
        """Return where a value lies."""
        if self.is_log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return round values to name."""
        if self.is_log:
            few = self.high / self.low > 300.0
            steps = (1.0,) if few else (1.0, 2.0, 5.0)
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            found = [m * 10.0**p for p in powers for m in steps]
        else:
            rough = (self.high - self.low) / 6.0
            power = 10.0 ** math.floor(math.log10(rough))
            step = next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= rough)
            first = math.ceil(self.low / step)
            found = [k * step for k in range(first, math.floor(self.high / step) + 1)]
        slack = 1e-9 * abs(self.high)
        return [x for x in found if self.low - slack <= x <= self.high + slack]


def axis(values: Sequence[float], start: float, end: float, words: str) -> Axis:
    """Return an axis for values: logarithmic where they are above zero and far apart."""
    low, high = min(values), max(values)
    if low > 0.0 and high / low > WIDE:
        return Axis(low / 1.15, high * 1.15, start, end, True, words)
    high = high if high > 0.0 else 1.0
    return Axis(0.0, 1.06 * high, start, end, False, words)


def grid(x: Axis, y: Axis) -> list[str]:
    """Return the rules of both axes with their numbers and words."""
    parts: list[str] = []
    for tick in x.ticks():
        at = x.place(tick)
        parts.append(f'<line class="rule" x1="{at:.1f}" y1="{y.start:.1f}" x2="{at:.1f}" y2="{y.end:.1f}"/>')
        parts.append(label(at, y.start + 18, number(tick), "muted small", "middle"))
    for tick in y.ticks():
        at = y.place(tick)
        parts.append(f'<line class="rule" x1="{x.start:.1f}" y1="{at:.1f}" x2="{x.end:.1f}" y2="{at:.1f}"/>')
        parts.append(label(x.start - 8, at + 4, number(tick), "muted small", "end"))
    parts.append(label((x.start + x.end) / 2, y.start + 42, x.words, "text", "middle"))
    parts.append(label(x.start, y.end - 12, y.words, "text"))
    return parts


def number(value: float) -> str:
    """Return a tick's value without digits that say nothing."""
    return "0" if value == 0.0 else f"{value:,.10g}" if value >= 1.0 else f"{float(digits(value, 2)):g}"


def mark(kind: int, x: float, y: float, tip: str, look: str = "full", size: float = 4.5) -> str:
    """Return the mark of a series at a place, with what it says when it is pointed at."""
    name = MARKS[kind % len(MARKS)]
    r = size
    if name == "circle":
        shape = f'<circle class="{look}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"/>'
    elif name in LINES:
        d = "".join(f"M{x + r * a:.1f} {y + r * b:.1f}L{x + r * c:.1f} {y + r * e:.1f}" for a, b, c, e in LINES[name])
        shape = f'<path class="open {look if "faint" in look else ""}" stroke-width="2" d="{d}"/>'
    else:
        corners = {
            "square": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
            "triangle": ((0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)),
            "down": ((0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)),
            "diamond": ((0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)),
        }[name]
        points = " ".join(f"{x + r * a:.1f},{y + r * b:.1f}" for a, b in corners)
        shape = f'<polygon class="{look}" points="{points}"/>'
    return f"<g><title>{escape(tip)}</title>{shape}</g>"


def key(names: Sequence[str], x: float, y: float, right: float) -> tuple[list[str], float]:
    """Return the marks with their names, in lines as wide as there is room, and where the next line would be."""
    parts: list[str] = []
    at = x
    for number_of, name in enumerate(names):
        wide = 34.0 + 6.6 * len(name)
        if at > x and at + wide > right:
            at, y = x, y + 20.0
        parts.append(mark(number_of, at + 6, y - 4, name, "full"))
        parts.append(label(at + 18, y, name, "muted small"))
        at += wide
    return parts, y + 20.0
