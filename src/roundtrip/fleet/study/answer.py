"""The answer of a search for a fleet: what it costs, how far it is from its limits, what binds, what comes next."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roundtrip.fleet.account import Account, account, missing
from roundtrip.fleet.records import Records
from roundtrip.fleet.slo import Limit
from roundtrip.fleet.study.binds import Binding, binding, probe, spans
from roundtrip.fleet.study.blocks import between
from roundtrip.fleet.study.price import Price
from roundtrip.fleet.study.size import Found, Sizing
from roundtrip.fleet.study.space import Bench, Fleet, Tried

SCHEMA = "roundtrip.fleet.size/1"
MOST_LOAD = 16.0  # times the traffic: beyond it nobody asks
CLOSE = 0.02  # of the factor


@dataclass(frozen=True, slots=True)
class Cost:
    """Dollars of a fleet on the requests that it served.

    Attributes
    ----------
    hour : Price
        Of an hour.
    per_million, per_million_output : Price or None
        Of a million tokens (prompts and answers), and of a million tokens of answers; None where no time passed.
    """

    hour: Price
    per_million: Price | None
    per_million_output: Price | None

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "usd_per_h": self.hour.as_dict(),
            "usd_per_million_tokens": self.per_million and self.per_million.as_dict(),
            "usd_per_million_output_tokens": self.per_million_output and self.per_million_output.as_dict(),
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """The cheapest fleet, if there is one, or the best that can be had.

    Attributes
    ----------
    sizing : Sizing
    best : Found or None
        The cheapest fleet that holds; None: no fleet does.
    records : Records or None
        Its run.
    cost : Cost or None
    binding : Binding or None
        What keeps it from being smaller; where no fleet holds, what keeps the nearest from holding.
    sure_s : tuple of (float, float)
        For each limit the interval (95 %) of what was reached, from blocks of the requests [s].
    energy : Account or str
        Of its run, with bands; or why there is none.
    load : float or None
        So many times the traffic could come before a limit breaks; None where requests wait for others' ends.
    nearest : Tried or None
        Where no fleet holds: the kind of replica that comes nearest when no request meets another.
    worst : dict
        Where no fleet holds: the request that is furthest beyond its limit even alone, or too large.
    """

    sizing: Sizing
    best: Found | None
    records: Records | None
    cost: Cost | None
    binding: Binding | None
    sure_s: tuple[tuple[float, float], ...] = ()
    energy: Account | str = ""
    load: float | None = None
    nearest: Tried | None = None
    worst: dict[str, Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        bench, sizing = self.sizing.bench, self.sizing
        limits = bench.limits
        body: dict[str, Any] = {
            "schema": SCHEMA,
            "workload": bench.work.as_dict(),
            "model": bench.space.model,
            "slo": [limit.as_dict() for limit in limits],
            "holds": self.best is not None,
            "interrupted": sizing.interrupted,
            "fleet": self.best and self.fleet_dict(self.best),
            "reached_interval_s": [None if math.isnan(low) else [low, high] for low, high in self.sure_s],
            "cost": self.cost and self.cost.as_dict(),
            "goal": bench.space.goal,
            "account": self.energy.as_dict() if isinstance(self.energy, Account) else None,
            "account_missing": self.energy if isinstance(self.energy, str) and self.energy else None,
            "load_factor": self.load,
            "binding": self.binding and self.binding_dict(self.binding),
            "runners_up": [self.fleet_dict(found) for found in sizing.ranking[1:]],
            "nearest": self.nearest and tried_dict(bench, self.nearest),
            "worst_request": self.worst,
            "excluded": [{"replica": str(shape), "reason": reason} for shape, reason in sizing.out.items()],
            "dearer": [{"replica": str(s), "at_least_usd_per_h": usd_h} for s, usd_h in sizing.dearer.items()],
            "fleets_run": bench.runs,
        }
        if self.records is not None:
            body["summary"] = self.records.summary(limits)
        return body

    def fleet_dict(self, found: Found) -> dict[str, Any]:
        """Return a fleet with its price."""
        bench, fleet = self.sizing.bench, found.tried.fleet
        energy_J = bench.energy_J(fleet)
        return tried_dict(bench, found.tried) | {
            "usd_per_h": found.price.as_dict(),
            "energy_J_per_output_token": None if math.isinf(energy_J) else energy_J,
        }

    def binding_dict(self, found: Binding) -> dict[str, Any]:
        """Return what binds with its evidence."""
        bench = self.sizing.bench
        return {
            "binds": list(found.binds),
            "smaller": found.words,
            "smaller_fleet": found.smaller and tried_dict(bench, found.smaller),
            "changes": [
                {"name": p.name, "change": p.words, **tried_dict(bench, p.tried)} for p in found.proofs
            ],
            "late_requests_waits_s": found.parts_s,
        }  # fmt: skip


def tried_dict(bench: Bench, tried: Tried) -> dict[str, Any]:
    """Return what a fleet did."""
    fleet = tried.fleet
    return {
        "accelerator": fleet.shape.accelerator,
        "tensor_ranks": fleet.shape.tensor_ranks,
        "precision": fleet.shape.precision or None,
        "replicas": fleet.replicas or None,
        "accelerators": fleet.replicas * fleet.shape.tensor_ranks or None,
        "token_budget": fleet.knobs.token_budget,
        "max_sequences": fleet.knobs.max_sequences,
        "reached_s": list(tried.reached_s),
        "margin": None if math.isinf(tried.margin(bench.limits)) else tried.margin(bench.limits),
        "unserved": tried.unserved,
        "holds": tried.holds,
    }


def answer(sizing: Sizing) -> Answer:
    """Return the answer of a search."""
    bench = sizing.bench
    if not sizing.ranking:
        return _none(sizing)
    best = sizing.ranking[0]
    fleet = best.tried.fleet
    found = bench.whole(fleet)
    bound = binding(bench, fleet)
    sure_s = tuple(_sure_s(found, limit) for limit in bench.limits)
    energy = missing(found) or account(found, *bench.space.place)
    return Answer(sizing, best, found, cost(found, best.price), bound, sure_s, energy, load_factor(bench, fleet))


def _sure_s(found: Records, limit: Limit) -> tuple[float, float]:
    return between((found.measure(limit.measure),), lambda drawn: float(np.percentile(drawn[0], limit.percentile)))


def cost(found: Records, price: Price) -> Cost:
    """Return what a run costs by the hour and by the token."""
    hours = found.duration_s / 3600.0
    written = int(found.work.output[found.done].sum())
    read = int(found.work.prompt[found.done].sum())

    def per_million(tokens: int) -> Price | None:
        return price.times(hours * 1e6 / tokens) if tokens and hours > 0.0 else None

    return Cost(price, per_million(read + written), per_million(written))


def load_factor(bench: Bench, fleet: Fleet) -> float | None:
    """Return how many times the traffic may come (the same requests, closer together) before a limit breaks."""
    work = bench.work
    if work.given < len(work):
        return None

    def holds(factor: float) -> bool:
        scaled = Bench(replace(work, arrival_s=work.arrival_s / factor), bench.limits, bench.space)
        scaled.kinds = bench.kinds
        bench.runs += 1
        return scaled.run(fleet).holds

    low, high = 1.0, 1.25
    while high < MOST_LOAD and holds(high):
        low, high = high, high * 1.25
    if high >= MOST_LOAD:
        return low
    while high / low > 1.0 + CLOSE:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


def _none(sizing: Sizing) -> Answer:
    """Return the best that can be had where nothing holds."""
    bench = sizing.bench
    if not sizing.alone:
        return Answer(sizing, None, None, None, None)

    def near(tried: Tried) -> tuple[float, ...]:
        pages = bench.kind(tried.fleet.shape, tried.fleet.knobs).pages if tried.unserved else 0
        return (-tried.unserved, pages, tried.margin(bench.limits))

    shape, nearest = max(sizing.alone.items(), key=lambda pair: near(pair[1]))
    single = Fleet(shape, nearest.fleet.knobs, 1)
    if nearest.unserved:
        return Answer(sizing, None, None, None, None, nearest=nearest, worst=_largest(bench, single))
    apart = Bench(bench.apart(shape, single.knobs), bench.limits, bench.space)
    apart.kinds = bench.kinds
    worst = _slowest(apart, apart.whole(single))
    bound = probe(apart, single, "each request alone", True) if nearest.margin(bench.limits) < 1.0 else None
    return Answer(sizing, None, None, None, bound, nearest=nearest, worst=worst)


def _largest(bench: Bench, fleet: Fleet) -> dict[str, Any]:
    """Return the request that takes the most memory."""
    i = int((bench.work.prompt + bench.work.output).argmax())
    return _request(bench, i) | {"cache_tokens": bench.deployment(fleet).cache_tokens()}


def _slowest(bench: Bench, found: Records) -> dict[str, Any] | None:
    """Return the request that is furthest beyond a limit."""
    worst: dict[str, Any] | None = None
    for limit in bench.limits:
        over = np.where(found.done, spans(found, limit) / limit.most_s, 0.0)
        i = int(over.argmax())
        if over[i] > max(1.0, worst["times_the_limit"] if worst else 0.0):
            worst = _request(bench, i) | {
                "measure": limit.measure, "reached_s": float(over[i] * limit.most_s), "times_the_limit": float(over[i]),
            }  # fmt: skip
    return worst


def _request(bench: Bench, i: int) -> dict[str, Any]:
    return {
        "request": i + 1, "prompt_tokens": int(bench.work.prompt[i]), "output_tokens": int(bench.work.output[i]),
    }  # fmt: skip
