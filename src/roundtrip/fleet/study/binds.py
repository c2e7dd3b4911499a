"""What binds: which part of a machine, were there twice as much of it, would let a smaller fleet hold the limits.

The next smaller fleet fails. It is run again with one thing changed at a time: twice the pages, a prompt's rows and
pairs in half the time, weights and launches of a step in half the time, the cache read in half the time, the same
requests at even gaps, and each request alone. What brings the limits nearest binds; the runs are the evidence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError
from roundtrip.fleet.deployment import Kind
from roundtrip.fleet.records import Records
from roundtrip.fleet.slo import Limit
from roundtrip.fleet.study.space import Bench, Fleet, Shape, Tried, judge
from roundtrip.fleet.times import StepTimes
from roundtrip.fleet.workload import Workload

ALONE = "queue"
CHANGES = {
    "memory": "twice the memory for the cache",
    "prefill compute": "prompts computed in half the time",
    "decode bandwidth": "weights read and steps launched in half the time",
    "cache bandwidth": "the cache read in half the time",
    "bursts": "the same requests at even gaps",
    ALONE: "each request alone",
}
EVEN = 1.005  # of the best margin: what helps as much binds as well
HELPS = 1.01  # of the margin as it is: less is no evidence


@dataclass(frozen=True, slots=True)
class Proof:
    """One run of the smaller fleet: what was changed, and what it reached."""

    name: str
    words: str
    tried: Tried


@dataclass(frozen=True, slots=True)
class Binding:
    """What keeps a fleet from being smaller.

    Attributes
    ----------
    binds : tuple of str
        Names of `CHANGES`; ``memory`` alone, without runs, where the weights fit nowhere smaller.
    smaller : Tried or None
        The next smaller fleet, which fails.
    words : str
        What is smaller in it.
    proofs : tuple of Proof
        The same fleet with one thing changed.
    parts_s : dict
        Mean parts of the time of those requests of the smaller fleet that are beyond a limit [s].
    """

    binds: tuple[str, ...]
    smaller: Tried | None
    words: str
    proofs: tuple[Proof, ...] = ()
    parts_s: dict[str, float] | None = None


def binding(bench: Bench, chosen: Fleet) -> Binding:
    """Return what keeps the chosen fleet from being smaller."""
    smaller, words = _smaller(bench, chosen)
    if smaller is None and words:
        return Binding(("memory",), None, words)
    if smaller is None:
        smaller, words = _cheaper(bench, chosen)
    if smaller is None:
        return Binding((), None, "It is the least that can be bought here.")
    return probe(bench, smaller, words)


def probe(bench: Bench, fleet: Fleet, words: str, is_alone: bool = False) -> Binding:
    """Return what keeps a fleet from holding the limits; where no request meets another, evenness changes nothing."""
    found = bench.whole(fleet)
    now = judge(fleet, found, bench.limits)
    proofs = tuple(
        Proof(name, CHANGES[name], judge(fleet, bench.whole(fleet, kind, work), bench.limits))
        for name, (kind, work) in _changed(bench, fleet).items()
        if not is_alone or name not in (ALONE, "bursts")
    )
    bad = np.zeros(len(bench.work), bool)
    for limit in bench.limits:
        bad |= found.done & (spans(found, limit) > limit.most_s)
    parts_s = {cause: float(x.mean()) for cause, x in found.waits(bad).items()} if bad.any() else None
    return Binding(_strongest(now, proofs, bench.limits), now, words, proofs, parts_s)


def _strongest(now: Tried, proofs: tuple[Proof, ...], limits: tuple[Limit, ...]) -> tuple[str, ...]:
    machine = [p for p in proofs if p.name not in (ALONE, "bursts")]
    margins = {p.name: p.tried.margin(limits) for p in machine}
    best = max(margins.values())
    if best <= HELPS * now.margin(limits):
        return (ALONE,)
    return tuple(name for name, margin in margins.items() if margin * EVEN >= best)


def _smaller(bench: Bench, chosen: Fleet) -> tuple[Fleet | None, str]:
    """Return the next smaller fleet of the same accelerators, and what is smaller in it; or why there is none."""
    shape = chosen.shape
    if chosen.replicas > 1:
        words = f"{chosen.replicas - 1} of {chosen.replicas} replicas"
        return replace(chosen, replicas=chosen.replicas - 1), words
    fewer = sorted((r for r in bench.space.tensor_ranks if r < shape.tensor_ranks), reverse=True)
    reason = ""
    for ranks in fewer:
        less = Shape(shape.accelerator, ranks, shape.precision)
        try:
            bench.kind(less, chosen.knobs)
        except DomainError as error:
            reason = reason or str(error)
            continue
        return Fleet(less, chosen.knobs, 1), f"{ranks} of {shape.tensor_ranks} accelerators"
    return None, reason


def _cheaper(bench: Bench, chosen: Fleet) -> tuple[Fleet | None, str]:
    """Return the fleet of another kind that costs less and comes nearest to the limits, if one was run."""
    usd_h = bench.space.price(chosen.shape).value * chosen.replicas
    less = [
        tried for tried in bench.tried.values()
        if bench.space.price(tried.fleet.shape).value * tried.fleet.replicas < usd_h and not tried.holds
    ]  # fmt: skip
    if not less:
        return None, ""
    best = max(less, key=lambda tried: (tried.margin(bench.limits), not tried.is_cut))
    return best.fleet, f"{best.fleet} in its place"


def _changed(bench: Bench, fleet: Fleet) -> dict[str, tuple[Kind, Workload]]:
    kind, work = bench.kind(fleet.shape, fleet.knobs), bench.work
    halves: dict[str, Callable[[StepTimes], StepTimes]] = {
        "prefill compute": _half_prompts, "decode bandwidth": _half_base, "cache bandwidth": _half_cache,
    }  # fmt: skip
    found: dict[str, tuple[Kind, Workload]] = {"memory": (replace(kind, pages=2 * kind.pages), work)}
    found |= {name: (replace(kind, times=half(kind.times)), work) for name, half in halves.items()}
    if work.given == len(work) > 1:
        even = np.linspace(work.arrival_s[0], work.arrival_s[-1], len(work))
        found["bursts"] = (kind, replace(work, arrival_s=even))
    found[ALONE] = (kind, bench.apart(fleet.shape, fleet.knobs))
    return found


def _half_prompts(times: StepTimes) -> StepTimes:
    base_s = times.rows_s[1]
    return replace(
        times, rows_s=np.minimum(times.rows_s, base_s + (times.rows_s - base_s) / 2), pairs_s=times.pairs_s / 2
    )


def _half_base(times: StepTimes) -> StepTimes:
    return replace(times, rows_s=np.maximum(times.rows_s - times.rows_s[1] / 2, times.rows_s[1] / 2))


def _half_cache(times: StepTimes) -> StepTimes:
    return replace(times, context_s=times.context_s / 2)


def spans(found: Records, limit: Limit) -> NDArray[np.float64]:
    """Return the measure of a limit for every request, (requests,) [s]; NaN for what did not happen."""
    rows = found.state.requests
    begin, end = {
        "ttft": ("arrived_s", "first_s"), "tpot": ("first_s", "last_s"), "e2e": ("arrived_s", "last_s"),
        "queue": ("arrived_s", "started_s"),
    }[limit.measure]  # fmt: skip
    each = np.maximum(found.work.output - 1, 1) if limit.measure == "tpot" else 1
    return (rows[end] - rows[begin]) / each
