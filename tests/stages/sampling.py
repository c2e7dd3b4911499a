"""Test vectors for stage functions, drawn from the ranges that the glossary allows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from roundtrip.catalog.load import glossary
from roundtrip.journey.stages import parameters

# Vectors must make sense together: "stage.function" -> a function that mends a drawn vector.
MEND: dict[str, Callable[[dict[str, np.ndarray]], dict[str, np.ndarray]]] = {}


def mend(name: str) -> Callable[[Any], Any]:
    """Register how the drawn vectors of one function are made to fit together."""

    def register(function: Any) -> Any:
        MEND[name] = function
        return function

    return register


def _stops(low: float, high: float) -> np.ndarray:
    """Return round decimals, powers of two and the ends of a range, as a slider has them."""
    stops = {low, high}
    if high > 0.0:
        top = math.floor(math.log10(high))
        bottom = max(math.ceil(math.log10(low)) if low > 0.0 else top - 4, top - 8)
        stops |= {m * 10.0**e for e in range(bottom, top + 1) for m in (1.0, 2.0, 5.0)}
        stops |= {2.0**e for e in range(-20, 40)}
    return np.array(sorted(s for s in stops if low <= s <= high))


def vectors(name: str, function: Callable[..., Any], random: int = 2_000, stops: int = 500) -> dict[str, np.ndarray]:
    """Return `random` random vectors and `stops` vectors of slider stops for a stage function."""
    stream = np.random.default_rng(7)
    terms = glossary()
    drawn: dict[str, np.ndarray] = {}
    for parameter in parameters(function):
        low, high = terms[parameter].low, terms[parameter].high
        if low > 0.0 and high / low > 100.0:
            spread = np.exp(stream.uniform(math.log(low), math.log(high), random))
        else:
            spread = stream.uniform(low, high, random)
        drawn[parameter] = np.concatenate([np.clip(spread, low, high), stream.choice(_stops(low, high), stops)])
    return MEND[name](drawn) if name in MEND else drawn
