"""Predicted bands against measured values, as a picture: a line from p5 to p95, a bar from p25 to p75, a dot measured.

Hue belongs to the carriers of energy, so this picture has none: a full dot lies inside the band, an open one outside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from roundtrip.trace.numbers import si
from roundtrip.trace.svg import WIDTH, document, label

LEFT, RIGHT, ROW, TOP = 400.0, 40.0, 19.0, 92.0
STYLE = (
    "<style>.spread{stroke:currentColor;stroke-width:1.4;opacity:.6}.half{fill:currentColor;opacity:.28}"
    ".middle{stroke:currentColor;stroke-width:1.6}.dot{fill:currentColor}.open{fill:none;stroke:currentColor;"
    "stroke-width:1.6}.ink{color:#23262D}@media(prefers-color-scheme:dark){.ink{color:#E8E6E1}}</style>"
)
STEPS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def bands(title: str, groups: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the picture of groups of rows, each with its own time axis.

    Parameters
    ----------
    title : str
        What the picture shows.
    groups : mapping
        Heading to rows; a row has ``title``, ``published_s``, ``reading_s`` with ``p5``, ``p25``, ``p50``, ``p75`` and
        ``p95``, and ``inside``.
    """
    body = [STYLE, '<g class="ink">', label(24, 34, title, "text title"), *_key(24.0, 60.0)]
    y = TOP
    for heading, rows in groups.items():
        inside = sum(bool(row["inside"]) for row in rows)
        body.append(label(24, y + 8, f"{heading}: {inside} of {len(rows)} inside", "text name"))
        last_s = 1.04 * max(max(row["reading_s"]["p95"], row["published_s"]) for row in rows)
        scale = (WIDTH - LEFT - RIGHT) / last_s
        top = y + 18
        y = top + 10
        drawn: list[str] = []
        for row in rows:
            drawn += _row(row, y, scale)
            y += ROW
        body += [*_grid(top, y, last_s, scale), *drawn]
        y += 30
    return document(WIDTH, y, title, [*body, "</g>"])


def _grid(top: float, bottom: float, last_s: float, scale: float) -> list[str]:
    step = next((s for s in STEPS if last_s / s <= 9), STEPS[-1])
    parts: list[str] = []
    for i in range(int(last_s / step) + 1):
        x = LEFT + i * step * scale
        parts.append(f'<line class="rule" x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}"/>')
        parts.append(label(x, top - 4, f"{1e3 * i * step:g} ms", "muted small", "middle"))
    return parts


def _key(x: float, y: float) -> list[str]:
    return [
        *_mark(x, x + 22, x + 40, x + 66, x + 90, y - 4),
        label(x + 100, y, "predicted: p5, p25, median, p75, p95", "muted small"),
        f'<circle class="dot" cx="{x + 350:.1f}" cy="{y - 4:.1f}" r="4"/>',
        label(x + 360, y, "measured, inside", "muted small"),
        f'<circle class="open" cx="{x + 480:.1f}" cy="{y - 4:.1f}" r="3.6"/>',
        label(x + 490, y, "measured, outside", "muted small"),
    ]


def _row(row: Mapping[str, Any], y: float, scale: float) -> list[str]:
    low, lower, middle, upper, high = (LEFT + scale * row["reading_s"][p] for p in ("p5", "p25", "p50", "p75", "p95"))
    x = LEFT + scale * row["published_s"]
    shown = row["title"] if len(row["title"]) <= 56 else row["title"][:55].rstrip() + "…"
    ends = f"{si(row['reading_s']['p5'], 's')} to {si(row['reading_s']['p95'], 's')}"
    tip = f"{row['title']}: predicted {ends}, measured {si(row['published_s'], 's')}"
    dot = '<circle class="dot" r="4"' if row["inside"] else '<circle class="open" r="3.6"'
    return [
        f"<g><title>{escape(tip)}</title>",
        label(24, y + 4, shown, "muted small"),
        *_mark(low, lower, middle, upper, high, y),
        f'{dot} cx="{x:.1f}" cy="{y:.1f}"/></g>',
    ]


def _mark(low: float, lower: float, middle: float, upper: float, high: float, y: float) -> list[str]:
    return [
        f'<line class="spread" x1="{low:.1f}" y1="{y:.1f}" x2="{high:.1f}" y2="{y:.1f}"/>',
        f'<rect class="half" x="{lower:.1f}" y="{y - 4.5:.1f}" width="{upper - lower:.1f}" height="9" rx="1.5"/>',
        f'<line class="middle" x1="{middle:.1f}" y1="{y - 5.5:.1f}" x2="{middle:.1f}" y2="{y + 5.5:.1f}"/>',
    ]
