"""Round trips as a picture: predicted against measured on the half of the pairs that no constant has seen.

Left the routes, right one factor that falls with distance, fitted to the same half. Full dots lie inside their band
from p5 to p95, rings outside. Plain SVG without script.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roundtrip.journey import validate_routes as routes
from roundtrip.trace.look import LOOKS
from roundtrip.trace.svg import document, label

Array = NDArray[np.float64]

WIDTH, HEIGHT, SIDE, LEFT, GAP, TOP = 1080.0, 580.0, 440.0, 70.0, 90.0, 84.0
SHORTEST_S, LONGEST_S = 2e-3, 0.5
TICKS_MS = (2, 5, 10, 20, 50, 100, 200, 500)
LIGHT, OTHER = LOOKS["photons"], LOOKS["moving charge"]
STYLE = (
    f"<style>.in{{fill:{LIGHT.light}}}.out{{stroke:{LIGHT.light}}}.rival{{fill:{OTHER.light}}}"
    f"@media(prefers-color-scheme:dark){{.in{{fill:{LIGHT.dark}}}.out{{stroke:{LIGHT.dark}}}"
    f".rival{{fill:{OTHER.dark}}}}}.in,.rival{{opacity:.7}}.out{{fill:none;stroke-width:1.3}}"
    ".dash{stroke-dasharray:3 4}</style>"
)


def picture(directory: Path) -> str:
    """Return the picture for the matrix of round trips in a folder.

    Raises
    ------
    TruthError
        If the matrix is not there or cannot be read.
    """
    seen, unseen = routes.halves(routes.read(directory))
    found = routes.fit_pairs(seen)
    low, high = routes.band(unseen, found)
    inside = (low <= unseen.measured_s) & (unseen.measured_s <= high)
    ours, one = routes.predict(unseen, found), routes.rivals(unseen, seen)["one factor that falls with distance"]
    second = LEFT + SIDE + GAP
    body = [
        STYLE,
        label(
            LEFT, 32, f"Round trips between {len(unseen.names)} pairs of regions, none used in the fit", "text title"
        ),
        *_panel(LEFT, f"by route: median error {_percent(ours, unseen.measured_s)}"),
        *_panel(second, f"one factor that falls with distance: {_percent(one, unseen.measured_s)}"),
        *_dots(LEFT, ours, unseen, np.where(inside, "in", "out")),
        *_dots(second, one, unseen, np.full(len(inside), "rival")),
        label(LEFT, HEIGHT - 8, f"full dots: inside p5 to p95 ({np.mean(inside):.0%}); rings: outside", "muted small"),
        label(second, HEIGHT - 8, "dashed: 20 % off", "muted small"),
    ]
    return document(WIDTH, HEIGHT, "Predicted and measured round trips between cloud regions", body)


def _percent(predicted: Array, measured: Array) -> str:
    return f"{100.0 * float(np.median(np.abs(predicted / measured - 1.0))):.1f} %"


def _place(value_s: float) -> float:
    share = np.log(value_s / SHORTEST_S) / np.log(LONGEST_S / SHORTEST_S)
    return float(np.clip(share, 0.0, 1.0)) * SIDE


def _panel(left: float, title: str) -> list[str]:
    bottom = TOP + SIDE
    parts = [label(left, TOP - 16, title, "text name")]
    for tick in TICKS_MS:
        at = _place(1e-3 * tick)
        parts += [
            f'<line class="rule" x1="{left:g}" x2="{left + SIDE:g}" y1="{bottom - at:.1f}" y2="{bottom - at:.1f}"/>',
            f'<line class="rule" x1="{left + at:.1f}" x2="{left + at:.1f}" y1="{TOP:g}" y2="{bottom:g}"/>',
            label(left - 8, bottom - at + 4, f"{tick}", "muted small", "end"),
            label(left + at, bottom + 18, f"{tick}", "muted small", "middle"),
        ]
    for factor, look in ((1.0, "band"), (1.2, "band dash"), (1.0 / 1.2, "band dash")):
        first, last = SHORTEST_S * max(1.0, 1.0 / factor), LONGEST_S / max(1.0, factor)
        parts.append(
            f'<line class="{look}" x1="{left + _place(first):.1f}" y1="{bottom - _place(first * factor):.1f}" '
            f'x2="{left + _place(last):.1f}" y2="{bottom - _place(last * factor):.1f}"/>'
        )
    return [*parts, label(left + SIDE, bottom + 34, "measured, ms; upward: predicted, ms", "muted small", "end")]


def _dots(left: float, predicted: Array, pairs: routes.Pairs, look: NDArray[np.str_]) -> list[str]:
    # No pair is named and no figure written: the matrix itself stays where it was published.
    bottom = TOP + SIDE
    return [
        f'<circle class="{kind}" cx="{left + _place(measured):.1f}" cy="{bottom - _place(said):.1f}" r="2.8"/>'
        for said, measured, kind in zip(predicted, pairs.measured_s, look, strict=True)
    ]
