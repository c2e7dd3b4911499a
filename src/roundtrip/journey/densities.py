"""Distributions of times on a fine grid, and their sums by convolution.

A `Density` holds the probability of each cell of a grid. Cells are filled from differences of the exact cumulative
distribution, so nothing is sampled; a sum of independent times is the convolution of their cells. The error is that of
the grid: a time is known to half a cell, and each term adds a variance of a twelfth of a cell squared.

References
----------
.. [1] W. Feller, An Introduction to Probability Theory and Its Applications, volume 2, 2nd edition, Wiley 1971,
   section I.9: sums of uniform variables, by truncated powers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError
from roundtrip.figures.figure import Figure
from roundtrip.figures.primitives import ndtri
from roundtrip.figures.sampling import quantile

Array = NDArray[np.float64]

STEP_S = 25e-6
LEVELS = 300  # quantiles that stand for a figure where another depends on it
FAR = 1e-7  # tails beyond these quantiles are cut


@dataclass(frozen=True)
class Density:
    """A distribution of times.

    Attributes
    ----------
    first : int
        Number of the first cell; cell i is centered on ``i * STEP_S``.
    mass : array
        Probability of each cell.
    """

    first: int
    mass: Array

    def __add__(self, other: Density) -> Density:
        """Return the distribution of the sum with an independent time."""
        size = self.mass.size + other.mass.size - 1
        if min(self.mass.size, other.mass.size) < 64:
            mass = np.convolve(self.mass, other.mass)
        else:
            fast = 1 << (size - 1).bit_length()
            mass = np.fft.irfft(np.fft.rfft(self.mass, fast) * np.fft.rfft(other.mass, fast), fast)[:size]
        return Density(self.first + other.first, np.maximum(mass, 0.0))

    @property
    def times_s(self) -> Array:
        """Centers of the cells."""
        return np.asarray((self.first + np.arange(self.mass.size)) * STEP_S, dtype=np.float64)

    @property
    def _edges_s(self) -> Array:
        return np.asarray((self.first - 0.5 + np.arange(self.mass.size + 1)) * STEP_S, dtype=np.float64)

    @property
    def mean_s(self) -> float:
        """Mean time."""
        return float(self.times_s @ self.mass)

    @property
    def deviation_s(self) -> float:
        """Standard deviation."""
        return math.sqrt(max(float((self.times_s - self.mean_s) ** 2 @ self.mass), 0.0))

    def below(self, time_s: float | Array) -> Array:
        """Return the probability of at most this time; within a cell it grows evenly."""
        return np.asarray(np.interp(time_s, self._edges_s, np.concatenate([[0.0], np.cumsum(self.mass)])))

    def quantiles(self, levels: Sequence[float]) -> list[float]:
        """Return the times that are not exceeded with these probabilities."""
        total = np.concatenate([[0.0], np.cumsum(self.mass)])
        sought = np.asarray(levels) * total[-1]
        cell = np.clip(np.searchsorted(total, sought) - 1, 0, self.mass.size - 1)
        share = (sought - total[cell]) / np.maximum(self.mass[cell], 1e-300)
        # A cell reaches half a step to each side of its time: the first one not before zero.
        times_s = np.maximum(self._edges_s[cell] + np.clip(share, 0.0, 1.0) * STEP_S, 0.0)
        return [float(t) for t in times_s]

    def bins(self, count: int, low_s: float, high_s: float) -> Array:
        """Return the probability of each of `count` equal spans between two times."""
        return np.diff(self.below(np.linspace(low_s, high_s, count + 1)))


def of_cdf(cdf: Callable[[Array], Array], low_s: float, high_s: float) -> Density:
    """Return the density of a cumulative distribution that rises from 0 to 1 between two times."""
    first, last = math.floor(low_s / STEP_S), math.ceil(high_s / STEP_S)
    edges = np.asarray((np.arange(first, last + 2) - 0.5) * STEP_S, dtype=np.float64)
    mass = np.diff(cdf(edges))
    return Density(first, mass / mass.sum())


def point(time_s: float) -> Density:
    """Return a time that is certain: shared by the two nearest cells so that its mean is kept."""
    place = time_s / STEP_S
    first = math.floor(place)
    return Density(first, np.array([1.0 - (place - first), place - first]))


def uniform(low_s: float, high_s: float) -> Density:
    """Return a time that is anywhere between two ends."""
    if high_s - low_s < STEP_S:
        return point(0.5 * (low_s + high_s))
    return of_cdf(lambda t: np.clip((t - low_s) / (high_s - low_s), 0.0, 1.0), low_s, high_s)


def laplace(scale_s: float) -> Density:
    """Return an error around zero that falls off exponentially on both sides."""
    far_s = -scale_s * math.log(FAR)
    return of_cdf(lambda t: 0.5 + 0.5 * np.sign(t) * -np.expm1(-np.abs(t) / scale_s), -far_s, far_s)


def values_at(figure: Figure, levels: Array) -> Array:
    """Return a figure at quantiles."""
    return np.asarray(quantile(figure, levels, np.asarray(ndtri(levels))))


def middles(figure: Figure, count: int = LEVELS) -> Array:
    """Return values that stand for equal shares of a figure's probability; one if it is fixed."""
    if figure.low == figure.high:
        return np.array([figure.value])
    return values_at(figure, (np.arange(count) + 0.5) / count)


def cdf_of(figure: Figure) -> Callable[[Array], Array]:
    """Return the cumulative distribution of a figure."""
    if figure.low == figure.high:
        return lambda x: np.asarray(x >= figure.value * (1.0 - 1e-12), dtype=np.float64)
    levels = np.concatenate([np.geomspace(FAR, 1e-3, 200), np.linspace(1e-3, 1.0 - 1e-3, 4_001)[1:-1],
                             1.0 - np.geomspace(1e-3, FAR, 200)])  # fmt: skip
    values = values_at(figure, levels)
    return lambda x: np.interp(x, values, levels, left=0.0, right=1.0)


def of_figure(figure: Figure) -> Density:
    """Return the distribution of a figure that is a time."""
    if figure.low == figure.high:
        return point(figure.value)
    ends = values_at(figure, np.array([FAR, 1.0 - FAR]))
    return of_cdf(cdf_of(figure), float(ends[0]), float(ends[1]))


def mixture(parts: Sequence[Density], shares: Sequence[float] | None = None) -> Density:
    """Return the distribution of a time that follows one of these, with the given shares or each as likely."""
    weights = shares or [1.0 / len(parts)] * len(parts)
    first = min(p.first for p in parts)
    mass = np.zeros(max(p.first + p.mass.size for p in parts) - first)
    for p, weight in zip(parts, weights, strict=True):
        mass[p.first - first : p.first - first + p.mass.size] += weight * p.mass
    return Density(first, mass)


def wait(period: Figure) -> Density:
    """Return the wait for the next of events a period apart, for an event that knows nothing of them."""
    return mixture([uniform(0.0, float(p)) for p in middles(period)])


def ratio(above: Figure, below: Figure) -> Density:
    """Return the distribution of one figure over another."""
    cdf, under = cdf_of(above), middles(below)
    tops = values_at(above, np.array([FAR, 1.0 - FAR])) if above.low < above.high else np.array([above.value] * 2)
    if above.low == above.high:
        return mixture([point(float(above.value / u)) for u in under])
    low_s, high_s = float(tops[0] / under.max()), float(tops[1] / under.min())
    return of_cdf(lambda t: np.mean([cdf(t * u) for u in under], axis=0), low_s, high_s)


def scanned(quiet: Figure, period: Figure) -> tuple[Density, Density]:
    """Return the wait for a scan and for the quiet time in whole scans, ``u T + T ceil(t_d / T)``, and its mean.

    Scan and quiet time share the period, so they are summed for each value of it: between two scans the cumulative
    distribution is a straight line, and at the k-th it is that of the quiet time at k scans. The second distribution
    has the random place of the press averaged out.
    """
    presses: list[Density] = []
    steady: list[Density] = []
    cdf = cdf_of(quiet)
    longest_s = float(values_at(quiet, np.array([1.0 - FAR]))[0])
    for period_s in map(float, middles(period)):
        scans = np.arange(math.ceil(longest_s / period_s) + 2)
        done = np.asarray(cdf(np.asarray(scans * period_s, dtype=np.float64)))
        done[0], done[-1] = 0.0, 1.0
        nodes = np.asarray(period_s * np.arange(scans.size + 1), dtype=np.float64)
        presses.append(of_cdf(_straight(nodes, np.concatenate([[0.0], done])), 0.0, float(nodes[-1])))
        places = np.rint((scans[1:] + 0.5) * period_s / STEP_S).astype(int)
        steady.append(Density(0, np.bincount(places, weights=np.diff(done)).astype(np.float64)))
    return mixture(presses), mixture(steady)


def halves(period: Figure) -> Density:
    """Return the mean wait for a period that is not known: half of it."""
    return mixture([point(0.5 * float(p)) for p in middles(period)])


def _straight(nodes: Array, reached: Array) -> Callable[[Array], Array]:
    return lambda t: np.interp(t, nodes, reached)


def uniform_sum_cdf(time_s: float, widths_s: Sequence[float]) -> float:
    """Return the chance that uniform waits of these widths sum to at most a time, in closed form [1]_.

    ``F(t) = sum over subsets S of (-1)^|S| (t - sum of S)_+^n / (n! product of the widths)``: exact, but for very
    unequal widths the terms cancel, which is why the trip convolves instead.

    Raises
    ------
    DomainError
        If a width is not positive.
    """
    if min(widths_s) <= 0.0:
        raise DomainError(f"widths_s = {list(widths_s)}, allowed: more than 0 s")
    n = len(widths_s)
    terms = (
        (-1.0) ** size * max(time_s - sum(chosen), 0.0) ** n
        for size in range(n + 1)
        for chosen in combinations(widths_s, size)
    )
    return min(max(math.fsum(terms) / (math.factorial(n) * math.prod(widths_s)), 0.0), 1.0)
