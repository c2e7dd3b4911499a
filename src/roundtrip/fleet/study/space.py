"""What may be bought and set: kinds of replicas, the scheduler's knobs, and what each of them does on the requests."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roundtrip.errors import DomainError
from roundtrip.fleet.account import DATACENTER, GRID, account, missing
from roundtrip.fleet.deployment import Deployment, Kind, uniform
from roundtrip.fleet.machine import kind as of_catalog
from roundtrip.fleet.records import Records, records
from roundtrip.fleet.route import assign
from roundtrip.fleet.simulate import Run
from roundtrip.fleet.slo import Limit
from roundtrip.fleet.study.price import Price, price
from roundtrip.fleet.times import line, polynomial
from roundtrip.fleet.workload import Workload

SLICE = 20_000  # events between two looks at how many requests are late already
LOOKS = 2.0  # or so many for each request, where that is more
GOALS = ("cost", "energy")
USUAL = 2048  # tokens of a step
FAR = 2.0  # of the longest request's time: between requests that shall not meet


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of replica that can be bought.

    Attributes
    ----------
    accelerator : str
        Key of the catalog.
    tensor_ranks : int
        Accelerators of a replica.
    precision : str
        Of weights and arithmetic; empty: the catalog's own for the model.
    """

    accelerator: str
    tensor_ranks: int
    precision: str = ""

    def __str__(self) -> str:
        """Return the words for it."""
        ranks = f"{self.tensor_ranks} " if self.tensor_ranks > 1 else ""
        return f"{ranks}{self.accelerator}" + (f" in {self.precision}" if self.precision else "")


@dataclass(frozen=True, slots=True)
class Knobs:
    """What the scheduler is set to: tokens and sequences of a step, at most."""

    token_budget: int
    max_sequences: int


@dataclass(frozen=True, slots=True)
class Space:
    """What is tried.

    Attributes
    ----------
    model : str
        What is served.
    accelerators, precisions : tuple of str
        Kinds of accelerators and of numbers.
    tensor_ranks, token_budgets, max_sequences : tuple of int
        Accelerators of a replica, and knobs of the scheduler.
    most_replicas : int
        Replicas of a fleet, at most.
    prices : dict
        The reader's own, by accelerator [USD/h].
    machine : dict
        Further arguments of `roundtrip.fleet.machine.kind`.
    policy : dict
        Further arguments of the deployment: router, policy, prefix cache and so on.
    goal : str
        What is to be least: one of `GOALS`.
    place : tuple of str
        Building and grid, keys of the catalog.
    """

    model: str
    accelerators: tuple[str, ...]
    precisions: tuple[str, ...] = ("",)
    tensor_ranks: tuple[int, ...] = (1, 2, 4, 8)
    token_budgets: tuple[int, ...] = (512, 1024, 2048, 4096, 8192)
    max_sequences: tuple[int, ...] = (64, 256)
    most_replicas: int = 1024
    prices: dict[str, float] | None = None
    machine: dict[str, Any] | None = None
    policy: dict[str, Any] | None = None
    goal: str = "cost"
    place: tuple[str, str] = (DATACENTER, GRID)

    def shapes(self) -> list[Shape]:
        """Return every kind of replica."""
        return [Shape(a, r, p) for a in self.accelerators for p in self.precisions for r in self.tensor_ranks]

    def knobs(self) -> list[Knobs]:
        """Return every setting of the scheduler that can be, from the most usual one."""
        found = [Knobs(t, m) for t in self.token_budgets for m in self.max_sequences if t >= m]
        return sorted(found, key=lambda k: (abs(math.log2(k.token_budget / USUAL)), -k.max_sequences))

    def price(self, shape: Shape) -> Price:
        """Return what a replica costs by the hour."""
        return price(shape.accelerator, self.prices).times(shape.tensor_ranks)


@dataclass(frozen=True, slots=True)
class Fleet:
    """So many replicas of a shape, with the scheduler set so."""

    shape: Shape
    knobs: Knobs
    replicas: int

    def __str__(self) -> str:
        """Return the words for it."""
        of = "replicas of " if self.shape.tensor_ranks > 1 else ""
        return (
            f"{self.replicas} × {self.shape}"
            if self.replicas > 1 and not of
            else (f"{self.replicas} {of}{self.shape}" if self.replicas > 1 else str(self.shape))
        )


@dataclass(frozen=True, slots=True)
class Tried:
    """What a fleet did.

    Attributes
    ----------
    fleet : Fleet
        What was run.
    reached_s : tuple
        For each limit what was reached [s]; None where nothing is done, or where the run was cut.
    unserved : int
        Requests that were refused or not done.
    holds : bool
        Every limit is held and every request was served.
    is_cut : bool
        The run was ended early: so many requests were late that no rest could mend it.
    """

    fleet: Fleet
    reached_s: tuple[float | None, ...]
    unserved: int
    holds: bool
    is_cut: bool = False

    def margin(self, limits: tuple[Limit, ...]) -> float:
        """Return the least of limit over reached: one or more where it holds, zero where requests are missing."""
        if self.unserved or self.is_cut:
            return 0.0
        pairs = zip(limits, self.reached_s, strict=True)
        # Where no answer has two tokens there is no time between them.
        return min((limit.most_s / max(r, 1e-12) for limit, r in pairs if r is not None), default=math.inf)


class Bench:
    """Runs fleets on one list of requests, each once.

    Parameters
    ----------
    work : Workload
    limits : tuple of Limit
    space : Space
    """

    def __init__(self, work: Workload, limits: tuple[Limit, ...], space: Space) -> None:
        self.work, self.limits, self.space = work, limits, space
        self.kinds: dict[tuple[Shape, Knobs], Kind | str] = {}
        self.tried: dict[Fleet, Tried] = {}
        self.energies: dict[Fleet, float] = {}
        self.lonely: dict[tuple[Shape, int], Tried] = {}
        self.runs = 0

    def check(self) -> None:
        """Refuse a policy or a router that the requests give nothing to go by, before anything is run."""
        knobs = self.space.knobs()[0]
        any_kind = Kind("any", polynomial(knobs.token_budget, knobs.max_sequences, step_s=1.0), 1)
        assign(self.work, self.deployment(Fleet(Shape("any", 1), knobs, 1), any_kind))

    def kind(self, shape: Shape, knobs: Knobs) -> Kind:
        """Return the kind of replica; a DomainError says why there is none."""
        key = (shape, knobs)
        if key not in self.kinds:
            try:
                more: dict[str, Any] = dict(self.space.machine or {})
                if shape.precision:
                    more["precision"] = shape.precision
                self.kinds[key] = of_catalog(
                    self.space.model, shape.accelerator, tensor_ranks=shape.tensor_ranks,
                    token_budget=knobs.token_budget, max_sequences=knobs.max_sequences, **more,
                )  # fmt: skip
            except DomainError as error:
                self.kinds[key] = str(error)
        found = self.kinds[key]
        if isinstance(found, str):
            raise DomainError(found)
        return found

    def deployment(self, fleet: Fleet, kind: Kind | None = None) -> Deployment:
        """Return a fleet as what the simulator runs; `kind` stands in for its own."""
        knobs = fleet.knobs
        return uniform(
            kind or self.kind(fleet.shape, knobs), fleet.replicas, token_budget=knobs.token_budget,
            max_sequences=knobs.max_sequences, **(self.space.policy or {}),
        )  # fmt: skip

    def run(self, fleet: Fleet) -> Tried:
        """Return what a fleet does; the run ends as soon as it cannot hold any more."""
        if fleet not in self.tried:
            self.tried[fleet] = self._run(fleet)
        return self.tried[fleet]

    def _run(self, fleet: Fleet) -> Tried:
        self.runs += 1
        run = Run(self.work, self.deployment(fleet))
        allowed = [_allowed(limit, self.work) for limit in self.limits]
        events = max(SLICE, int(LOOKS * len(self.work)))
        while not run.step(events):
            found = records(run)
            if len(found.refused) or any(
                late(found, limit) > most for limit, most in zip(self.limits, allowed, strict=True)
            ):
                return Tried(fleet, (None,) * len(self.limits), len(found.refused), False, True)
        return judge(fleet, records(run), self.limits)

    def whole(self, fleet: Fleet, kind: Kind | None = None, work: Workload | None = None) -> Records:
        """Return the records of a whole run, of other requests or of another kind of replica if given."""
        self.runs += 1
        run = Run(work or self.work, self.deployment(fleet, kind))
        while not run.step(10 * SLICE):
            pass
        return records(run)

    def energy_J(self, fleet: Fleet) -> float:
        """Return the energy of an output token, hosts and building included; infinite where it is not known [J]."""
        if fleet not in self.energies:
            found = self.whole(fleet)
            drawn = None if missing(found) else account(found, *self.space.place, samples=0)
            self.energies[fleet] = (drawn and drawn.each("energy_J")["output_token"]) or math.inf
        return self.energies[fleet]

    def goal(self, fleet: Fleet) -> float:
        """Return what is to be least: dollars an hour, or joules an output token."""
        if self.space.goal == "energy":
            return self.energy_J(fleet)
        return self.space.price(fleet.shape).value * fleet.replicas

    def alone(self, shape: Shape, knobs: Knobs) -> Tried:
        """Return what any number of replicas could do at best: every request meets no other."""
        key = (shape, knobs.token_budget)  # with one request at a time, how many there may be changes nothing
        if key not in self.lonely:
            found = self.whole(Fleet(shape, knobs, 1), work=self.apart(shape, knobs))
            self.lonely[key] = judge(Fleet(shape, knobs, 0), found, self.limits)
        return self.lonely[key]

    def apart(self, shape: Shape, knobs: Knobs) -> Workload:
        """Return the requests so far from each other that no two are there at once."""
        times = self.kind(shape, knobs).times
        tokens = float((self.work.prompt + self.work.output).max())
        step_s = (
            float(times.rows_s.max()) + times.sequence_s + max(line(times.context, times.context_s[1], tokens), 0.0)
            + line(times.pairs, times.pairs_s, tokens * knobs.token_budget)
        )  # fmt: skip
        longest = int((self.work.prompt // knobs.token_budget + 1 + self.work.output).max())
        return replace(
            self.work, arrival_s=np.arange(len(self.work)) * (FAR * longest * step_s), given=len(self.work), clients=0,
            following=np.empty(0, np.int64), delay_s=np.empty(0),
        )  # fmt: skip


def judge(fleet: Fleet, found: Records, limits: tuple[Limit, ...]) -> Tried:
    """Return the verdict on a whole run."""
    values = [found.measure(limit.measure) for limit in limits]
    reached = tuple(limit.reached_s(x) for limit, x in zip(limits, values, strict=True))
    # Where no answer has two tokens there is no time between them that could be too long.
    holds = all(
        limit.holds(x) or (limit.measure == "tpot" and not len(x)) for limit, x in zip(limits, values, strict=True)
    )
    unserved = len(found.work) - int(found.done.sum())
    return Tried(fleet, reached, unserved, holds and not unserved)


def _allowed(limit: Limit, work: Workload) -> int:
    """Return how many requests may be late at most: with more, the percentile lies beyond the limit for certain."""
    count = int((work.output > 1).sum()) if limit.measure == "tpot" else len(work)
    return count - 1 - int(np.floor((count - 1) * limit.percentile / 100.0))


def late(found: Records, limit: Limit) -> int:
    """Return how many requests are beyond a limit for certain: done, or waiting or writing for too long already.

    The clock of a request that is under way is that of its replica: the start of what it does now.
    """
    beyond = int((found.measure(limit.measure) > limit.most_s).sum())
    rows = found.state.requests
    since, until, each = {
        "ttft": ("arrived_s", "first_s", 1), "queue": ("arrived_s", "started_s", 1), "e2e": ("arrived_s", "last_s", 1),
        "tpot": ("first_s", "last_s", np.maximum(found.work.output - 1, 1)),
    }[limit.measure]  # fmt: skip
    under_way = np.isfinite(rows[since]) & ~np.isfinite(rows[until]) & (rows["replica"] >= 0)
    if limit.measure == "tpot":
        under_way &= found.work.output > 1
    now_s = found.state.replicas["now_s"][np.maximum(rows["replica"], 0)]
    # What has a first token but no last is in neither measure yet where both ends are asked for at the end.
    ended = found.done if limit.measure != "tpot" else found.done & (found.work.output > 1)
    started = np.isfinite(rows[until]) & ~ended
    waited_s = np.where(under_way, now_s - rows[since], np.where(started, rows[until] - rows[since], -np.inf))
    return beyond + int((waited_s > limit.most_s * each).sum())
