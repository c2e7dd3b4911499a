"""A service level objective in words: ``ttft_p99=1s,tpot_p99=50ms``, or ``ttft=1s`` for every request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError, nearest
from roundtrip.figures.units import parse_quantity

_FORM = re.compile(r"(?P<measure>[a-z0-9]+)(_p(?P<percentile>\d+(\.\d+)?))?=(?P<limit>.+)")
_MEASURES = ("ttft", "tpot", "e2e", "queue")


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit: of a percentile of a measure, or of all requests (percentile 100)."""

    measure: str
    percentile: float
    most_s: float

    def reached_s(self, values: NDArray[np.float64]) -> float | None:
        """Return the percentile that a run reached [s]; None where nothing is done."""
        return float(np.percentile(values, self.percentile)) if len(values) else None

    def holds(self, values: NDArray[np.float64]) -> bool:
        """Say whether a run holds it."""
        reached = self.reached_s(values)
        return reached is not None and reached <= self.most_s

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"measure": self.measure, "percentile": self.percentile, "most_s": self.most_s}


def limits(text: str, also: tuple[str, ...] = ()) -> tuple[Limit, ...]:
    """Read limits that are separated by commas; `also` names measures that only some runs have."""
    measures = (*_MEASURES, *also)
    found: list[Limit] = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        match = _FORM.fullmatch(part)
        if not match:
            raise DomainError(f"--slo {part!r}: expected for example ttft_p99=1s or tpot=50ms")
        measure = match["measure"]
        if measure not in measures:
            raise DomainError(f"--slo {part!r}: {measure!r} is not one of {', '.join(measures)}"
                              f"{nearest(measure, measures)}")  # fmt: skip
        percentile = float(match["percentile"] or 100.0)
        if not 0.0 <= percentile <= 100.0:
            raise DomainError(f"--slo {part!r}: percentile {percentile:g}, expected 0 to 100")
        most_s = parse_quantity(match["limit"], "s", f"--slo {part!r}")
        if not most_s > 0.0:
            raise DomainError(f"--slo {part!r}: expected a time above zero")
        found.append(Limit(measure, percentile, most_s))
    if not found:
        raise DomainError("--slo is empty: expected for example ttft_p99=1s,tpot_p99=50ms")
    return tuple(found)
