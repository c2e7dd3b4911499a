"""Least squares that large errors do not rule, with a normal prior on every unknown: Levenberg and Marquardt's method.

Made least is ``sum 2 ((1 + r^2)^0.5 - 1)`` over the residuals r, which grows as the square of small ones and as the
size of large ones, and the squares of the unknowns' distances from their priors. Residuals must be smooth; their
derivatives are taken by differences.

References
----------
.. [1] J. J. More, "The Levenberg-Marquardt algorithm: implementation and theory", Lecture Notes in Mathematics 630,
   1978, doi:10.1007/BFb0067700
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NUDGE = 1e-5  # for differences
ENOUGH = 1e-5  # share of the cost; a round that gains less is the last
MOST_TRIES = 8  # dampings of one round


def least(residuals: Callable[[Floats], Floats], start: Floats, spread: Floats, rounds: int = 40) -> Floats:
    """Return the unknowns that make the cost least, from their priors on.

    Parameters
    ----------
    residuals : callable
        Residuals of unknowns, in units of what is small.
    start, spread : array
        Middle and spread of the prior of each unknown.
    rounds : int
        Steps, at most.
    """
    x = start.copy()
    r = residuals(x)
    cost, damping = _cost(r, x, start, spread), 1e-2
    for _ in range(rounds):
        jacobian = np.stack([(residuals(_nudged(x, i)) - r) / NUDGE for i in range(len(x))], axis=-1)
        heavy = 1.0 / np.sqrt(1.0 + r * r)
        matrix = jacobian.T @ (jacobian * heavy[:, None]) + np.diag(spread**-2.0)
        side = jacobian.T @ (r * heavy) + (x - start) / spread**2
        for _ in range(MOST_TRIES):
            tried = x - np.clip(np.linalg.solve(matrix + damping * np.diag(np.diag(matrix)), side), -1.0, 1.0)
            found = residuals(tried)
            after = _cost(found, tried, start, spread)
            if after < cost:
                break
            damping *= 5.0
        else:
            break
        gained, x, r, cost = cost - after, tried, found, after
        damping = max(damping / 5.0, 1e-7)
        if gained < ENOUGH * cost:
            break
    return x


def _cost(r: Floats, x: Floats, start: Floats, spread: Floats) -> float:
    return float(np.sum(2.0 * (np.sqrt(1.0 + r * r) - 1.0)) + np.sum(((x - start) / spread) ** 2))


def _nudged(x: Floats, i: int) -> Floats:
    moved = x.copy()
    moved[i] += NUDGE
    return moved
