"""The rows of a sweep together: means over seeds, and the front on which nothing is better in both figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.fleet.study.figures import FIGURES, SPEED, THROUGHPUT

SEED = "seed"
DONE = "done"


def pareto(x: Sequence[float], y: Sequence[float]) -> NDArray[np.bool_]:
    """Say which points have no other that is at least as good in both and better in one.

    Parameters
    ----------
    x, y : sequence of float, (points,)
        More is better in both; a point that is not finite is never on the front.

    Returns
    -------
    array of bool, (points,)
    """
    xs, ys = np.asarray(x, float), np.asarray(y, float)
    on = np.zeros(len(xs), bool)
    there = np.flatnonzero(np.isfinite(xs) & np.isfinite(ys))
    highest, of_x = -math.inf, math.inf
    for i in there[np.lexsort((-ys[there], -xs[there]))]:
        if ys[i] > highest:
            on[i], highest, of_x = True, ys[i], xs[i]
        elif ys[i] == highest and xs[i] == of_x:  # its equal in both
            on[i] = True
    return on


def means(rows: Sequence[dict[str, Any]], axes: Sequence[str]) -> list[dict[str, Any]]:
    """Return one row for each fleet and load, its figures the means over the seeds.

    Parameters
    ----------
    rows : sequence of dict
        Rows of a sweep.
    axes : sequence of str
        Names of the options that tell cases apart.
    """
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[a] for a in axes if a != SEED), []).append(row)
    found: list[dict[str, Any]] = []
    for group in groups.values():
        done = [row for row in group if row["status"] == DONE]
        if not done:
            continue
        mean = {a: group[0][a] for a in axes if a != SEED}
        for name in FIGURES:
            values = [row[name] for row in done]
            mean[name] = None if any(v is None for v in values) else sum(values) / len(values)
        found.append(mean | {"seeds": len(done), "cases": [row["case"] for row in done]})
    return found


def mark_front(points: list[dict[str, Any]]) -> None:
    """Set ``is_front`` in each point: of the same model none has more throughput and more speed for a user."""
    for model in {p.get("model") for p in points}:
        of = [p for p in points if p.get("model") == model]

        def column(name: str, of: list[dict[str, Any]] = of) -> list[float]:
            return [math.nan if p[name] is None else p[name] for p in of]

        for point, on in zip(of, pareto(column(SPEED), column(THROUGHPUT)), strict=True):
            point["is_front"] = bool(on)
