"""Bands from ranges: seeded, stratified samples, with the two kinds of spread on two axes.

`Draws` makes samples of the shape ``(worlds, trips)``. What is not known well varies down the rows and
is the same along one; what differs from trip to trip varies along the columns. A row is therefore one world with
many trips in it: its p99 is "the slow trip", and the spread of a row's median over the rows is "how well we know".
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError
from roundtrip.figures.figure import SAMPLED, Figure
from roundtrip.figures.primitives import ndtri

Array = NDArray[np.float64]

# Standard normal quantile of 0.95: low and high are p5 and p95.
Z95 = 1.6448536269514722

# Trips for each world.
SLENDER = 4


@dataclass(frozen=True, slots=True)
class Band:
    """What many samples say of one result: p5, p50 and p95 over everything, and the two kinds of spread apart.

    `median_low` and `median_high` are p5 and p95 of the median trip (ignorance alone); `slow` is the p99 of trips in
    the median world (variability alone).
    """

    low: float
    median: float
    high: float
    median_low: float
    median_high: float
    slow: float


class _Levels:
    """Stratified levels of one axis, as uniform and as normal deviates."""

    def __init__(self, count: int) -> None:
        self.count = np.arange(count, dtype=np.uint64)
        self.uniform: Array = (np.arange(count) + 0.5) / count
        self.normal: Array = np.asarray(ndtri(self.uniform))


class Draws:
    """One fixed set of samples, shared by every figure that is asked for.

    Parameters
    ----------
    samples : int
        About how many samples, at least 4: worlds times trips, with about four times as many trips as worlds.
    seed : int
        The same seed gives the same samples on every machine.
    """

    def __init__(self, samples: int = 10_000, seed: int = 1) -> None:
        if samples < 4:
            raise DomainError(f"samples = {samples}, allowed: 4 and more")
        # More trips than worlds: a p99 of trips needs more of them than a p5 of worlds.
        self.worlds = max(math.isqrt(samples // SLENDER), 1)
        self.trips = samples // self.worlds
        self.seed = seed
        self._levels = {"ignorance": _Levels(self.worlds), "variability": _Levels(self.trips)}
        self._order: dict[tuple[str, str], NDArray[np.intp]] = {}

    @property
    def samples(self) -> int:
        """Number of samples: worlds times trips."""
        return self.worlds * self.trips

    @property
    def shape(self) -> tuple[int, int]:
        """Shape that every result can be broadcast to."""
        return (self.worlds, self.trips)

    def _permutation(self, cause: str, spread: str) -> NDArray[np.intp]:
        key = (cause, spread)
        if key not in self._order:
            # A cause has its own stream, so that adding a figure does not move the others.
            name = zlib.crc32(f"{self.seed}/{spread}/{cause}".encode())
            start = _splitmix(np.array([name], dtype=np.uint64))
            self._order[key] = np.argsort(_splitmix(start + self._levels[spread].count))
        return self._order[key]

    def draw(self, figure: Figure, cause: str) -> Array | np.float64:
        """Return samples of one figure: a column for ignorance, a row for variability, one value if fixed."""
        if figure.shape == "fixed" or figure.low == figure.high:
            return np.float64(figure.value)
        order = self._permutation(figure.cause or cause, figure.spread)
        levels = self._levels[figure.spread]
        values = quantile(figure, levels.uniform, levels.normal)[order]
        return values[:, None] if figure.spread == "ignorance" else values[None, :]

    def band(self, values: Array | np.float64 | float) -> Band:
        """Return the band of a result computed from samples of this set."""
        array = np.asarray(values, dtype=np.float64)
        if array.ndim == 0 or array.size == 1:
            x = float(array.reshape(-1)[0]) if array.ndim else float(array)
            return Band(x, x, x, x, x, x)
        worlds, trips = array.shape
        low, median, high = _quantiles(array.reshape(-1), (0.05, 0.5, 0.95))
        if trips == 1:
            return Band(low, median, high, low, high, median)
        if worlds == 1:
            return Band(low, median, high, median, median, _quantiles(array.reshape(-1), (0.99,))[0])
        ordered = np.partition(array, (trips // 2, min(int(0.99 * trips), trips - 1)), axis=1)
        medians = ordered[:, trips // 2]
        median_low, median_high = _quantiles(medians, (0.05, 0.95))
        slow = float(np.median(ordered[:, min(int(0.99 * trips), trips - 1)]))
        return Band(low, median, high, median_low, median_high, slow)


def _splitmix(counter: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a random-looking number for each counter: the SplitMix64 finalizer (Steele, Lea and Flood, 2014)."""
    z = counter * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _quantiles(values: Array, levels: tuple[float, ...]) -> tuple[float, ...]:
    """Return quantiles by partition, as cheap as they can be: the sample at or below each level."""
    places = [min(int(level * values.size), values.size - 1) for level in levels]
    ordered = np.partition(values, places)
    return tuple(float(ordered[place]) for place in places)


def quantile(figure: Figure, uniform: Array, normal: Array) -> Array:
    """Return the figure at the given levels, which are handed in as uniform and as normal deviates."""
    return np.clip(_unbounded(figure, uniform, normal), figure.least, figure.most)


def _unbounded(figure: Figure, uniform: Array, normal: Array) -> Array:
    value, low, high = figure.value, figure.low, figure.high
    if figure.shape == "lognormal":
        return value * np.exp(_two_pieces(math.log(low), math.log(value), math.log(high), normal))
    if figure.shape == "share":
        center = _log_odds(value)
        odds = np.exp(center + _two_pieces(_log_odds(low), center, _log_odds(high), normal))
        return odds / (1.0 + odds)
    if figure.shape == "normal":
        return value + _two_pieces(low, value, high, normal)
    if figure.shape == "uniform":
        below = low + (value - low) * 2.0 * uniform
        above = value + (high - value) * (2.0 * uniform - 1.0)
        return np.where(uniform < 0.5, below, above)
    if figure.shape == SAMPLED:
        count = len(figure.levels)
        return np.interp(uniform, (np.arange(count) + 0.5) / count, np.array(figure.levels))
    return np.full_like(uniform, value)


def _two_pieces(low: float, value: float, high: float, normal: Array) -> Array:
    """Return the distance from the median: one spread above it, another below, p5 and p95 where they are said."""
    return np.where(normal > 0.0, high - value, value - low) / Z95 * normal


def _log_odds(share: float) -> float:
    return math.log(share / (1.0 - share))
