"""What a trip needs of the fleet: how long prompts wait for an engine at a given load.

A trip knows how many answers a replica writes at once, not how many requests come. So the rate is sought at which the
fleet has that many under way; then the waits of that load are drawn from several seeds, of which each gives a mean of
its own and so a band.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError
from roundtrip.fleet.deployment import Deployment, Kind, uniform
from roundtrip.fleet.generate import open_load
from roundtrip.fleet.records import Records
from roundtrip.fleet.simulate import simulate
from roundtrip.fleet.times import StepTimes
from roundtrip.fleet.workload import Workload

Floats = NDArray[np.float64]

SEEDS = (1, 2, 3, 4, 5)
SEARCH = 6_000  # requests of a run in the search for the rate
HALVINGS = 14
WARM_UP = 0.1  # of the requests, not looked at: the cluster is empty at first


@dataclass(frozen=True, slots=True)
class Lengths:
    """Tokens of prompts and answers: means, and squared coefficients of variation of a lognormal spread."""

    prompt: float
    prompt_variation: float
    answer: float
    answer_variation: float

    def load(self, requests: int, rate_per_s: float, seed: int) -> Workload:
        """Return a Poisson stream of such requests."""
        return open_load(
            requests, rate_per_s, _spread(self.prompt, self.prompt_variation),
            _spread(self.answer, self.answer_variation), seed=seed,
        )  # fmt: skip


def _spread(mean: float, variation: float) -> str:
    return f"lognormal:{max(mean, 1.0)!r},{math.sqrt(variation)!r}" if variation > 0.0 else f"{max(round(mean), 1)}"


@dataclass(frozen=True, eq=False)
class Waits:
    """What a load means for who comes.

    Attributes
    ----------
    name : str
        What served.
    rate_per_s : float
        Requests a second.
    running : float
        Requests under way on average, those that wait not counted.
    wait_s : array, (requests,)
        From arrival to the first step that works on the prompt, all seeds [s].
    others_s : array, (requests,)
        What prompts of others add to each token of an answer; those with one token left out [s].
    busy : float
        Share of the time in which a step runs.
    means_s : tuple of float
        Mean wait of each seed [s].
    """

    name: str
    rate_per_s: float
    running: float
    wait_s: Floats
    others_s: Floats
    busy: float
    means_s: tuple[float, ...]

    @property
    def mean_s(self) -> float:
        """Mean wait [s]."""
        return float(np.mean(self.means_s))

    def percentile_s(self, q: float) -> float:
        """Return a percentile of the wait [s]."""
        return float(np.percentile(self.wait_s, q))


def engine(
    kind: Kind, places: int, streams: float, lengths: Lengths, requests: int, seeds: Sequence[int] = SEEDS,
    progress: Callable[[int, int], None] | None = None,
) -> Waits:  # fmt: skip
    """Return the waits for an engine that reads and writes, at the rate at which so many requests are under way.

    Parameters
    ----------
    kind : Kind
        One replica.
    places : int
        Requests that it serves at once, at most.
    streams : float
        Requests under way on average.
    lengths : Lengths
    requests : int
        Of each seed.
    seeds : sequence of int
    progress : callable, optional
        Called with the runs done and all of them.
    """
    if not 0.0 < streams < places:
        raise DomainError(f"{streams:g} streams in {places} places, expected more than none and fewer than the places")
    cluster = uniform(kind, 1, token_budget=len(kind.times.rows_s) - 1, max_sequences=places)
    runs = HALVINGS + len(seeds)
    alone = simulate(Workload("alone", np.zeros(1), *_one(lengths)), cluster)
    high = streams / float(alone.measure("e2e")[0])
    low = high / 64.0
    for n in range(HALVINGS):
        rate = float(np.sqrt(low * high))
        found = simulate(lengths.load(SEARCH, rate, 0), cluster)
        low, high = (rate, high) if _running(found) < streams else (low, rate)
        if progress:
            progress(n + 1, runs)
    return _seeds(cluster, lengths, float(np.sqrt(low * high)), requests, seeds, progress, runs)


def reader(
    kind: Kind, lengths: Lengths, rate_per_s: float, requests: int, seeds: Sequence[int] = SEEDS,
    progress: Callable[[int, int], None] | None = None,
) -> Waits:  # fmt: skip
    """Return the waits for accelerators that only read, at a given rate.

    Parameters are those of `engine`; `rate_per_s` are prompts a second.
    """
    cluster = uniform(kind, 1, token_budget=len(kind.times.rows_s) - 1, max_sequences=len(kind.times.context_s) - 1)
    return _seeds(cluster, replace(lengths, answer=1.0, answer_variation=0.0), rate_per_s, requests, seeds, progress,
                  len(seeds))  # fmt: skip


def lockstep(kind: Kind, ranks: int, prompt_tokens: float) -> Kind:
    """Return accelerators that exchange tokens in every layer as one replica: a step takes as long as its busiest.

    Prompts are spread evenly, but none is split: a step in which one is read takes as long as that prompt does on its
    accelerator.

    Parameters
    ----------
    kind : Kind
        One of them, with the exchange in its step times.
    ranks : int
        How many.
    prompt_tokens : float
        Tokens of a prompt that are read.
    """
    times = kind.times
    budget = len(times.rows_s) - 1
    rows = np.arange(ranks * budget + 1.0)
    busiest = np.maximum(rows / ranks, np.minimum(rows, prompt_tokens))
    merged = StepTimes(
        rows_s=np.interp(busiest, np.arange(budget + 1.0), times.rows_s),
        context=times.context,
        context_s=times.context_s,
        pairs=times.pairs * ranks,
        pairs_s=times.pairs_s,
        sequence_s=times.sequence_s / ranks,
    )
    return Kind(f"{ranks} × {kind.name}", merged, kind.pages * ranks, kind.accelerators * ranks)


def _one(lengths: Lengths) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return tuple(np.array([max(round(x), 1)]) for x in (lengths.prompt, lengths.answer))  # pyright: ignore[reportReturnType]


def _seen(found: Records) -> NDArray[np.int64]:
    done = np.flatnonzero(found.done)
    return done[int(WARM_UP * len(done)) :]


def _running(found: Records) -> float:
    """Return the requests under way by Little's law: their rate times their time from start to end."""
    rows = found.state.requests[_seen(found)]
    span_s = float(rows["arrived_s"][-1] - rows["arrived_s"][0])
    return float((rows["last_s"] - rows["started_s"]).sum()) / span_s if span_s > 0.0 else float(len(rows))


def _seeds(
    cluster: Deployment, lengths: Lengths, rate_per_s: float, requests: int, seeds: Sequence[int],
    progress: Callable[[int, int], None] | None, runs: int,
) -> Waits:  # fmt: skip
    waits: list[Floats] = []
    others: list[Floats] = []
    running: list[float] = []
    busy: list[float] = []
    for n, seed in enumerate(seeds):
        found = simulate(lengths.load(requests, rate_per_s, seed), cluster)
        if found.interrupted:
            raise KeyboardInterrupt
        seen = _seen(found)
        rows = found.state.requests[seen]
        waits.append(rows["started_s"] - rows["arrived_s"])
        more = found.work.output[seen] > 1
        others.append(rows["others_s"][more] / (found.work.output[seen][more] - 1))
        running.append(_running(found))
        busy.append(float(found.state.series[:, 0].sum()) / found.duration_s)
        if progress:
            progress(runs - len(seeds) + n + 1, runs)
    return Waits(
        cluster.kinds[0].name, rate_per_s, float(np.mean(running)), np.concatenate(waits), np.concatenate(others),
        float(np.mean(busy)), tuple(float(x.mean()) for x in waits),
    )  # fmt: skip
