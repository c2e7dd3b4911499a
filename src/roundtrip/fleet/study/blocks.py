"""How sure a figure of one run is: its requests in blocks of time, drawn anew with replacement.

Requests that are close in time share their queue, so that they cannot be drawn one by one. Blocks of neighbors keep
what binds them together (a moving-block bootstrap). Over several runs, each with a seed, Student's interval is used.

References
----------
- Künsch, *Annals of Statistics* 17 (1989) 1217.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SURE = 0.95
BLOCKS, DRAWS, MOST_WORK = 30, 1000, 60_000_000
NORMAL = 1.96  # standard errors of the interval where there are many
# Student's t, both tails 5 %, by degrees of freedom from 1: Abramowitz and Stegun, table 26.10.
STUDENT = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip


def student(freedom: int) -> float:
    """Return how many standard errors the interval reaches; beyond 30 degrees of freedom that of 30, a little wide."""
    return STUDENT[min(freedom, len(STUDENT)) - 1]


def between(columns: tuple[Floats, ...], figure: Callable[[tuple[Floats, ...]], float]) -> tuple[float, float]:
    """Return the ends of the interval of a figure of one run, NaN where there are too few requests.

    Blocks are few, so that what is drawn from them varies too little: the interval is widened about the figure by
    Student's factor for their number.

    Parameters
    ----------
    columns : tuple of array, (requests,)
        Values in the order of arrival; the same blocks are drawn from all.
    figure : callable
        Of columns that were drawn.
    """
    count = len(columns[0])
    if count < 2 * BLOCKS:
        return math.nan, math.nan
    draws = int(np.clip(MOST_WORK // count, 100, DRAWS))
    length = count // BLOCKS
    rng = np.random.default_rng(count)
    values = np.empty(draws)
    inside = np.arange(length)
    for k in range(draws):
        which = (rng.integers(0, count - length + 1, BLOCKS)[:, None] + inside).ravel()
        values[k] = figure(tuple(column[which] for column in columns))
    tail = 50.0 * (1.0 - SURE)
    low, high = np.percentile(values, (tail, 100.0 - tail))
    whole = figure(columns)
    wider = student(BLOCKS - 1) / NORMAL * math.sqrt(BLOCKS / (BLOCKS - 1))
    return whole + wider * (float(low) - whole), whole + wider * (float(high) - whole)
