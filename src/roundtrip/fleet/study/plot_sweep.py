"""A sweep as a picture: tokens a second an accelerator against tokens a second for a user, with the front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roundtrip.fleet.study.chart import MARKS, STYLE, Axis, axis, grid, key, mark
from roundtrip.fleet.study.figures import SPEED, THROUGHPUT
from roundtrip.fleet.study.front import pareto
from roundtrip.trace.numbers import digits
from roundtrip.trace.svg import WIDTH, document, label

LEFT, RIGHT, HIGH = 84.0, 40.0, 440.0


def picture(points: Sequence[dict[str, Any]], axes: Sequence[str]) -> str:
    """Return the picture of a sweep.

    Parameters
    ----------
    points : sequence of dict
        Means over seeds, with ``is_front``.
    axes : sequence of str
        Options with several values; the first that tells few kinds apart gives the marks.
    """
    there = [p for p in points if p[SPEED] is not None and p[THROUGHPUT] is not None]
    series = _series(there, axes)
    names = list(dict.fromkeys(str(p[series]) for p in there)) if series else []
    title = "Throughput of an accelerator against speed for a user"
    body = [STYLE, '<g class="ink">', label(24, 34, title, "text title")]
    marks, top = key(names, 24, 62, WIDTH - RIGHT) if names else ([], 62.0)
    body += marks
    if not there:
        body.append(label(24, top + 12, "No fleet could be run.", "text"))
        return document(WIDTH, top + 40, title, [*body, "</g>"])
    top += 34.0
    x = axis(
        [p[SPEED] for p in there], LEFT, WIDTH - RIGHT, "output tokens a second for each user (one over the median gap)"
    )
    y = axis([p[THROUGHPUT] for p in there], top + HIGH, top, "output tokens a second for each accelerator")
    body += grid(x, y)
    models = list(dict.fromkeys(str(p.get("model", "")) for p in there))
    for model in models:
        on = sorted((p for p in there if p["is_front"] and str(p.get("model", "")) == model), key=lambda p: p[SPEED])
        path = " ".join(f"{x.place(p[SPEED]):.1f},{y.place(p[THROUGHPUT]):.1f}" for p in on)
        body.append(f'<polyline class="front" points="{path}"/>')
        if len(models) > 1 and on:
            body.append(label(x.place(on[-1][SPEED]) - 8, y.place(on[-1][THROUGHPUT]) - 10, model, "text small", "end"))
    for name in names:
        body += _own_front([p for p in there if str(p[series]) == name], x, y)
    for p in sorted(there, key=lambda p: bool(p["is_front"])):
        which = names.index(str(p[series])) if series else 0
        said = ", ".join(f"{a.replace('_', ' ')} {p[a]}" for a in axes if a in p)
        tip = f"{said}: {digits(p[SPEED])} for a user, {digits(p[THROUGHPUT])} for an accelerator"
        look = "full" if p["is_front"] else "full faint"
        body.append(mark(which, x.place(p[SPEED]), y.place(p[THROUGHPUT]), tip, look, 5.0 if p["is_front"] else 3.5))
    return document(WIDTH, top + HIGH + 64, title, [*body, "</g>"])


def _own_front(points: Sequence[dict[str, Any]], x: Axis, y: Axis) -> list[str]:
    """Return the front of one kind alone, faint."""
    on = pareto([p[SPEED] for p in points], [p[THROUGHPUT] for p in points])
    places = sorted((x.place(p[SPEED]), y.place(p[THROUGHPUT])) for p, is_on in zip(points, on, strict=True) if is_on)
    path = " ".join(f"{a:.1f},{b:.1f}" for a, b in places)
    return [f'<polyline class="front faint" points="{path}"/>']


def _series(points: Sequence[dict[str, Any]], axes: Sequence[str]) -> str:
    """Return the axis that gives the marks: accelerator, precision, ranks, or the first with few values."""
    wished = [name for name in ("accelerator", "precision", "tensor_ranks") if name in axes]
    for name in (*wished, *axes):
        if name in (points[0] if points else {}) and 1 < len({p[name] for p in points}) <= len(MARKS):
            return name
    return ""
