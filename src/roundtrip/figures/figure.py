"""A number with its unit, band, grade and source."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

from roundtrip.errors import DomainError

GRADES = ("measured", "derived", "datasheet", "estimate")
SPREADS = ("ignorance", "variability")
SHAPES = ("lognormal", "share", "normal", "uniform", "fixed")
SAMPLED = "sampled"  # a shape of its own: it needs levels, and no entry of the catalog has any


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as it stands in the catalog or in a result.

    Attributes
    ----------
    value : float
        The central value: the median of its band.
    low, high : float
        5th and 95th percentile; for the shape ``uniform`` the hard ends of the range.
    unit : str
        A unit of `roundtrip.figures.units`, SI unless the field has its own.
    grade : str
        ``measured``, ``derived``, ``datasheet`` or ``estimate``, from firm to weak.
    source : str
        Key of the source in the catalog.
    spread : str
        ``variability``: it differs from trip to trip. ``ignorance``: it is one number that is not known better.
    shape : str
        ``lognormal``, ``normal`` and ``share`` (normal in the log of the odds, so that it stays between 0 and 1) are
        two-piece: the value is the median, low and high are p5 and p95. ``uniform`` is two-piece as well, its low and
        high are the ends; ``fixed`` does not spread; ``sampled`` is spread as `levels` say.
    cause : str
        Figures with one cause share one sample. By default a figure is its own cause.
    note : str
        Where in the source, or how it was derived.
    least, most : float
        What a sample can be at all: the range that the glossary allows for the name.
    levels : tuple of float
        Of the shape ``sampled``: values at evenly spaced quantiles, as a simulation found them.
    """

    value: float
    low: float
    high: float
    unit: str
    grade: str
    source: str
    spread: str = "ignorance"
    shape: str = "lognormal"
    cause: str = ""
    note: str = ""
    least: float = -math.inf
    most: float = math.inf
    levels: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        for name in ("value", "low", "high"):
            number = getattr(self, name)
            if not math.isfinite(number):
                raise DomainError(f"{name} = {number!r} is not finite")
        if not self.low <= self.value <= self.high:
            raise DomainError(f"band [{self.low:g}, {self.high:g}] does not hold the value {self.value:g}")
        for name, allowed in (("grade", GRADES), ("spread", SPREADS), ("shape", (*SHAPES, SAMPLED))):
            if getattr(self, name) not in allowed:
                raise DomainError(f"{name} = {getattr(self, name)!r}, allowed: {', '.join(allowed)}")
        if self.shape == "lognormal" and self.low <= 0.0:
            raise DomainError(f"shape = 'lognormal' needs low > 0, not {self.low:g}; use 'uniform' or 'normal'")
        if self.shape == "share" and not 0.0 < self.low <= self.high < 1.0:
            raise DomainError(f"shape = 'share' needs 0 < low and high < 1, not {self.low:g} and {self.high:g}")
        if self.shape == "fixed" and self.low != self.high:
            raise DomainError("shape = 'fixed' has no band: low and high must equal value")
        if (self.shape == SAMPLED) != bool(self.levels) or any(a > b for a, b in itertools.pairwise(self.levels)):
            raise DomainError("shape = 'sampled' goes with levels that rise, and no other shape has levels")

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        left_out = ("", math.inf, -math.inf, ())
        return {name: getattr(self, name) for name in self.__slots__ if getattr(self, name) not in left_out}


def default_shape(low: float, high: float, least: float = -math.inf, most: float = math.inf) -> str:
    """Return the shape that a band has when nothing else is said; `least` and `most` bound the name."""
    if low == high:
        return "fixed"
    if least >= 0.0 and 0.5 < most <= 1.0:
        return "share" if low > 0.0 and high < 1.0 else "uniform"
    return "lognormal" if low > 0.0 else "uniform"
