"""Two fleets on the same requests: what differs, and how sure that is.

Both see the same requests from the same seeds (common random numbers), so that what is alike in them cancels out and
only what differs is left. Where the load is made, several seeds are run and the interval is Student's for the paired
differences. A trace is there once: its requests are cut into blocks of time that are drawn anew with replacement, the
same blocks for both (a moving-block bootstrap of pairs), because requests close in time are not independent.

References
----------
- Law, *Simulation Modeling and Analysis*, 5th ed., 2015, section 11.2: common random numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError
from roundtrip.fleet.records import CAUSES, Records
from roundtrip.fleet.study.blocks import between, student

Floats = NDArray[np.float64]

QUANTILES = {"mean": None, "p50": 50.0, "p99": 99.0}
MEASURES = ("ttft", "tpot", "e2e")


@dataclass(frozen=True, slots=True)
class Seen:
    """What a comparison needs of one run, a value for each request, NaN where it was not done.

    Attributes
    ----------
    arrival_s, last_s : array, (requests,)
        When it came, and its last token [s].
    prompt, output : array of int, (requests,)
        Tokens.
    spans : dict
        ``ttft``, ``tpot`` and ``e2e``, (requests,) each [s].
    waits : dict
        Parts of the time by cause, (requests,) each [s].
    """

    arrival_s: Floats
    last_s: Floats
    prompt: NDArray[np.int64]
    output: NDArray[np.int64]
    spans: dict[str, Floats]
    waits: dict[str, Floats]

    @property
    def done(self) -> NDArray[np.bool_]:
        """Which requests were done."""
        return np.isfinite(self.last_s)


@dataclass(frozen=True, slots=True)
class Side:
    """One of those that are compared.

    Attributes
    ----------
    name : str
    runs : tuple of Seen
        One for each seed.
    usd_per_h : float or None
        Of the whole fleet.
    accelerators : int or None
    """

    name: str
    runs: tuple[Seen, ...]
    usd_per_h: float | None = None
    accelerators: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure of both, and the second less the first with its interval.

    Attributes
    ----------
    name : str
    first, second, change : float
    low, high : float
        Ends of the interval of the change; NaN where there is one run and nothing to draw from.
    """

    name: str
    first: float
    second: float
    change: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        """Say whether the interval lies on one side of zero."""
        return self.low > 0.0 or self.high < 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        ends = [None if math.isnan(x) else x for x in (self.low, self.high)]
        return {
            "name": self.name, "first": self.first, "second": self.second, "change": self.change, "low": ends[0],
            "high": ends[1], "is_sure": self.is_sure,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Comparison:
    """What differs between two sides.

    Attributes
    ----------
    first, second : Side
    requests : int
        Requests of all runs that both did.
    apart : int
        Requests that only one of them did: they are in no figure.
    figures, waits : list of Difference
        Over all requests, and the mean parts of a request's time.
    """

    first: Side
    second: Side
    requests: int
    apart: int
    figures: list[Difference] = field(default_factory=list)
    waits: list[Difference] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "first": self.first.name, "second": self.second.name, "requests": self.requests, "apart": self.apart,
            "figures": [d.as_dict() for d in self.figures], "waits_s": [d.as_dict() for d in self.waits],
        }  # fmt: skip


def seen(found: Records) -> Seen:
    """Return what a comparison needs of a run."""
    rows, work, done = found.state.requests, found.work, found.done
    rtt_s = found.deployment.network_rtt_s

    def where_done(x: Any) -> Floats:
        return np.where(done, x, np.nan)

    with np.errstate(invalid="ignore"):
        tpot_s = np.where(work.output > 1, (rows["last_s"] - rows["first_s"]) / np.maximum(work.output - 1, 1), np.nan)
        spans = {
            "ttft": where_done(rows["first_s"] - rows["arrived_s"] + rtt_s), "tpot": where_done(tpot_s),
            "e2e": where_done(rows["last_s"] - rows["arrived_s"] + rtt_s),
        }  # fmt: skip
        every = np.ones(len(work), bool)
        waits = {cause: where_done(x) for cause, x in found.waits(every).items()}
    return Seen(rows["arrived_s"].copy(), where_done(rows["last_s"]), work.prompt, work.output, spans, waits)


def compare(first: Side, second: Side) -> Comparison:
    """Return what differs.

    Raises
    ------
    DomainError
        If they did not see the same requests, or have none in common that is done.
    """
    if len(first.runs) != len(second.runs):
        raise DomainError(
            f"{first.name} has {len(first.runs)} runs and {second.name} {len(second.runs)}: nothing pairs"
        )
    for a, b in zip(first.runs, second.runs, strict=True):
        if len(a.prompt) != len(b.prompt) or (a.prompt != b.prompt).any() or (a.output != b.output).any():
            raise DomainError(f"{first.name} and {second.name} had other requests: expected the same workload")
    both = [a.done & b.done for a, b in zip(first.runs, second.runs, strict=True)]
    apart = sum(int((a.done ^ b.done).sum()) for a, b in zip(first.runs, second.runs, strict=True))
    if not all(mask.any() for mask in both):
        raise DomainError(f"{first.name} and {second.name} have no request in common that is done")
    pairs = list(zip(first.runs, second.runs, both, strict=True))
    found = Comparison(first, second, sum(int(m.sum()) for m in both), apart)
    for measure in MEASURES:
        for name, percent in QUANTILES.items():
            values = [(a.spans[measure][m], b.spans[measure][m]) for a, b, m in pairs]
            # Answers of one token have no time between tokens.
            values = [(x[np.isfinite(x)], y[np.isfinite(x)]) for x, y in values]
            if all(len(x) for x, _ in values):
                found.figures.append(_difference(f"{measure}_{name}_s", values, _statistic(percent)))
    for cause in dict.fromkeys((*CAUSES, *(name for a, b, _ in pairs for run in (a, b) for name in run.waits))):
        values = [(_part(a, cause)[m], _part(b, cause)[m]) for a, b, m in pairs]
        found.waits.append(_difference(cause, values, _statistic(None)))
    found.figures.extend(_rates(found, pairs))
    return found


def _part(run: Seen, cause: str) -> Floats:
    """Return a part of the time of each request; zero where such a thing could not happen."""
    return run.waits[cause] if cause in run.waits else np.zeros(len(run.prompt))


def _rates(found: Comparison, pairs: Sequence[tuple[Seen, Seen, Any]]) -> list[Difference]:
    """Return throughput, and cost where both have a price: one value a run."""

    def rate(run: Seen) -> float:
        written = int(run.output[run.done].sum())
        return written / max(float(np.nanmax(run.last_s)) - float(np.nanmin(run.arrival_s)), 1e-12)

    rates = [(rate(a), rate(b)) for a, b, _ in pairs]
    rows = [over_runs("output_tokens_per_s", rates)]
    first, second = found.first, found.second
    if first.accelerators and second.accelerators:
        each = [(a / first.accelerators, b / second.accelerators) for a, b in rates]
        rows.append(over_runs("output_tokens_per_s_per_accelerator", each))
    if first.usd_per_h is not None and second.usd_per_h is not None:
        usd = [(first.usd_per_h / a / 3600.0 * 1e6, second.usd_per_h / b / 3600.0 * 1e6) for a, b in rates]
        rows.append(over_runs("usd_per_million_output_tokens", usd))
    return rows


def _statistic(percent: float | None) -> Callable[[Floats], float]:
    if percent is None:
        return lambda x: float(x.mean())
    return lambda x: float(np.percentile(x, percent))


def _difference(
    name: str, values: list[tuple[Floats, Floats]], statistic: Callable[[Floats], float]
) -> Difference:  # fmt: skip
    if len(values) > 1:
        return over_runs(name, [(statistic(x), statistic(y)) for x, y in values])
    x, y = values[0]
    first, second = statistic(x), statistic(y)
    low, high = between((x, y), lambda pair: statistic(pair[1]) - statistic(pair[0]))
    return Difference(name, first, second, second - first, low, high)


def over_runs(name: str, values: Sequence[tuple[float, float]]) -> Difference:
    """Return the mean difference over seeds with Student's interval."""
    first, second = np.array([a for a, _ in values]), np.array([b for _, b in values])
    change = second - first
    mean = float(change.mean())
    if len(values) < 2:
        return Difference(name, float(first[0]), float(second[0]), mean, math.nan, math.nan)
    half = student(len(values) - 1) * float(change.std(ddof=1)) / math.sqrt(len(values))
    return Difference(name, float(first.mean()), float(second.mean()), mean, mean - half, mean + half)
