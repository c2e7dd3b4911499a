"""Which unknown matters most: Sobol' indices and a tornado for any figure of a trip.

First-order index: the share of the variance that goes away if this cause alone were known. Total index: the share
that would remain if all others were known. The estimators are Saltelli's for the first [2]_ and Jansen's for the
total [1]_, on two stratified sample matrices with one column exchanged.

References
----------
.. [1] M. J. W. Jansen, "Analysis of variance designs for model output", Computer Physics Communications 117, 35-43,
   1999, doi:10.1016/S0010-4655(98)00154-4
.. [2] A. Saltelli et al., "Variance based sensitivity analysis of model output", Computer Physics Communications 181,
   259-270, 2010, doi:10.1016/j.cpc.2009.09.018
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import ScenarioError, nearest
from roundtrip.figures.figure import Figure
from roundtrip.figures.primitives import ndtri
from roundtrip.figures.sampling import quantile
from roundtrip.journey.program import program
from roundtrip.journey.scenario import Scenario

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Influence:
    """What one cause does to a result.

    Attributes
    ----------
    cause : str
        Key of the input (``slot.field``), or the name of the cause that several inputs share.
    spread : str
        ``variability`` or ``ignorance``: only the second can be measured away.
    first, total : float
        Sobol' indices.
    low, high : float
        The result with this cause alone at its p5 and p95.
    """

    cause: str
    spread: str
    first: float
    total: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The influences on one result, strongest first."""

    name: str
    value: float
    variance: float
    influences: tuple[Influence, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        rows = [{k: getattr(i, k) for k in Influence.__slots__} for i in self.influences]
        return {"name": self.name, "value": self.value, "variance": self.variance, "influences": rows}


def sensitivity(
    scenario: Scenario, name: str = "time_to_first_token_s", samples: int = 2048, seed: int = 1
) -> Sensitivity:
    """Return which causes move a figure of the trip.

    Parameters
    ----------
    scenario : Scenario
    name : str
        A summary figure (``energy_J.marginal``) or ``span id/number`` (``optics.fiber/duration_s``).
    samples : int
        Rows of each of the two sample matrices.

    Raises
    ------
    ScenarioError
        If the trip has no such figure.
    """
    compiled = program(scenario)
    if name not in compiled.outputs:
        raise ScenarioError(f"the trip has no figure {name!r}{nearest(name, compiled.outputs)}")
    keys, run = compiled.slice(name)
    figures = [scenario.figure(key) for key in keys]

    def result(values: Sequence[Any]) -> Any:
        return run(values)[0]

    return indices(name, result, keys, figures, samples, seed)


def indices(
    name: str,
    run: Callable[[Sequence[Any]], Any],
    keys: Sequence[str],
    figures: Sequence[Figure],
    samples: int,
    seed: int,
) -> Sensitivity:
    """Return Sobol' indices and tornado ends of any function of figures."""
    central = [np.float64(f.value) for f in figures]
    causes: dict[str, list[int]] = {}
    for place, (key, figure) in enumerate(zip(keys, figures, strict=True)):
        if figure.low != figure.high:
            causes.setdefault(figure.cause or key, []).append(place)
    stream = np.random.Generator(np.random.PCG64(seed))
    base = [_column(stream, samples) for _ in causes]
    other = [_column(stream, samples) for _ in causes]

    def values(columns: Sequence[Array]) -> list[Any]:
        drawn: list[Any] = list(central)
        for column, places in zip(columns, causes.values(), strict=True):
            normal = np.asarray(ndtri(column))
            for place in places:
                drawn[place] = quantile(figures[place], column, normal)
        return drawn

    at_base, at_other = values(base), values(other)
    f_base = np.broadcast_to(np.asarray(run(at_base), dtype=np.float64), (samples,))
    f_other = np.broadcast_to(np.asarray(run(at_other), dtype=np.float64), (samples,))
    variance = float(np.var(np.concatenate([f_base, f_other])))
    mean = float(np.mean(np.concatenate([f_base, f_other])))
    found: list[Influence] = []
    for cause, places in causes.items():
        mixed, low, high = list(at_base), list(central), list(central)
        for place in places:
            mixed[place] = at_other[place]
            low[place], high[place] = np.float64(figures[place].low), np.float64(figures[place].high)
        f_mixed = np.asarray(run(mixed), dtype=np.float64)
        first = float(np.mean((f_other - mean) * (f_mixed - f_base))) / variance if variance else 0.0
        total = float(np.mean((f_base - f_mixed) ** 2)) / (2.0 * variance) if variance else 0.0
        found.append(Influence(cause, figures[places[0]].spread, first, total, float(run(low)), float(run(high))))
    found.sort(key=lambda i: -i.total)
    return Sensitivity(name, float(run(central)), variance, tuple(found))


def _column(stream: np.random.Generator, samples: int) -> Array:
    """Return one stratified column of levels between 0 and 1."""
    return (stream.permutation(samples) + stream.random(samples)) / samples
