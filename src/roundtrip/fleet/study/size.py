"""The cheapest fleet that holds a service level objective on given requests.

For each kind of replica (accelerator, ranks, precision): a kind on which the requests miss the limits even alone, each
without any other, is out, whatever the number of replicas. For the others the least number of replicas is searched
between a bound from the work that must be done (`bounds`) and what the best fleet so far costs: by doubling, then by
halving. Where energy is the goal, all are searched, each with the fewest replicas: what is idle draws power. More
replicas hold what fewer hold, up to chance; so the fleets next to the answer are run as well, and an
answer below it that holds takes its place.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from roundtrip.errors import DomainError
from roundtrip.fleet.slo import Limit
from roundtrip.fleet.study.bounds import fewest_replicas
from roundtrip.fleet.study.price import Price
from roundtrip.fleet.study.space import Bench, Fleet, Knobs, Shape, Space, Tried
from roundtrip.fleet.workload import Workload

BELOW = 3  # fleets with fewer replicas that are run before an answer stands
KEPT = 2  # kinds of replicas of which the cheapest fleet is wanted: the answer's and the runner-up's


@dataclass(frozen=True, slots=True)
class Found:
    """The cheapest fleet of one shape.

    Attributes
    ----------
    tried : Tried
        What it did.
    price : Price
        Of the fleet, by the hour.
    """

    tried: Tried
    price: Price


@dataclass(slots=True)
class Sizing:
    """What a search found.

    Attributes
    ----------
    bench : Bench
        On which it was run.
    ranking : list of Found
        The cheapest fleet of each shape that was searched to the end, cheapest first.
    out : dict
        Shapes that cannot hold the limits, with the reason.
    dearer : dict
        Shapes that were left when it was certain that they cost more, with the least that they would cost [USD/h].
    alone : dict
        What each shape does at best, with any number of replicas.
    interrupted : bool
        The search was stopped: a cheaper fleet may have been missed.
    """

    bench: Bench
    ranking: list[Found] = field(default_factory=list)
    out: dict[Shape, str] = field(default_factory=dict)
    dearer: dict[Shape, float] = field(default_factory=dict)
    alone: dict[Shape, Tried] = field(default_factory=dict)
    interrupted: bool = False


def size(
    work: Workload,
    limits: tuple[Limit, ...],
    space: Space,
    progress: Callable[[int, int], None] | None = None,
    kept: int = KEPT,
) -> Sizing:
    """Return the cheapest fleets that hold the limits.

    Parameters
    ----------
    work : Workload
    limits : tuple of Limit
    space : Space
        What may be bought and set.
    progress : callable, optional
        Called with the shapes that are decided and all of them.
    kept : int
        Shapes of which the cheapest fleet is wanted; dearer ones are left early.
    """
    if not space.knobs():
        raise DomainError(
            "no token budget is as large as a number of sequences: every sequence needs a token of a step"
        )
    found = Sizing(Bench(work, limits, space))
    found.bench.check()
    shapes = space.shapes()
    try:
        # First what each kind costs at least, without a run; then from the cheapest on.
        possible: list[tuple[float, int, Shape, list[Knobs]]] = []
        for number, shape in enumerate(shapes):
            knobs, least = _possible(found, shape)
            if knobs:
                possible.append((least * space.price(shape).value, number, shape, knobs))
        for number, (least_usd_h, _, shape, knobs) in enumerate(sorted(possible, key=lambda p: p[:2])):
            if least_usd_h > _ceiling_usd_h(found, kept):
                found.dearer[shape] = least_usd_h
            elif able := _able(found, shape, knobs):
                _search(found, shape, able, least_usd_h, kept)
            if progress:
                progress(number + 1, len(possible))
        for one in found.ranking[:kept]:
            below = _without_luck(found.bench, one.tried)
            if below is not one.tried:
                found.ranking.remove(one)
                _rank(found, below)
    except KeyboardInterrupt:
        found.interrupted = True
    return found


def _possible(found: Sizing, shape: Shape) -> tuple[list[Knobs], int]:
    """Return the knobs with which there is such a replica, and the fewest that could hold the limits."""
    bench, able = found.bench, list[Knobs]()
    cached = bool((bench.space.policy or {}).get("prefix_cache"))
    least = bench.space.most_replicas + 1
    for knobs in bench.space.knobs():
        try:
            times = bench.kind(shape, knobs).times
        except DomainError as error:
            found.out.setdefault(shape, str(error))
            continue
        able.append(knobs)
        least = min(least, fewest_replicas(bench.work, times, bench.limits, cached))
    if able:
        found.out.pop(shape, None)
    return able, least


def _able(found: Sizing, shape: Shape, knobs: list[Knobs]) -> list[Knobs]:
    """Return the knobs to try, those first with which a shape holds the limits when no request meets another."""
    bench = found.bench
    best: Tried | None = None
    for knob in knobs:
        tried = bench.alone(shape, knob)
        if best is None or tried.margin(bench.limits) > best.margin(bench.limits):
            found.alone[shape] = best = tried
        if tried.holds:
            return [knob, *(other for other in knobs if other != knob)]
    if best is not None:
        found.out[shape] = (
            "some requests are larger than the memory of a replica" if best.unserved
            else "requests miss the limits even where each is alone"
        )  # fmt: skip
    return []


def _ceiling_usd_h(found: Sizing, kept: int) -> float:
    """Return the price above which a fleet is of no interest any more; none where energy is the goal [USD/h]."""
    if found.bench.space.goal != "cost":
        return math.inf
    return found.ranking[kept - 1].price.value if len(found.ranking) >= kept else math.inf


def _search(found: Sizing, shape: Shape, knobs: list[Knobs], least_usd_h: float, kept: int) -> None:
    """Find the fewest replicas of a shape over all knobs, unless it is certain that others are cheaper."""
    bench = found.bench
    space, each_usd_h = bench.space, bench.space.price(shape).value
    ceiling_usd_h = _ceiling_usd_h(found, kept)
    least = max(round(least_usd_h / each_usd_h), 1)
    most = int(min(space.most_replicas, (ceiling_usd_h + 1e-9) // each_usd_h))
    best: Tried | None = None
    for knob in knobs:
        best = _better(bench, Fleet(shape, knob, 1), least, most, best, ceiling_usd_h < math.inf)
        if best is not None:
            most = best.fleet.replicas
    if best is None:
        if most < space.most_replicas:
            found.dearer[shape] = (most + 1) * each_usd_h
        else:
            found.out[shape] = f"not with {most:,} replicas, the most that are tried"
        return
    _rank(found, best)


def _better(
    bench: Bench, fleet: Fleet, least: int, most: int, best: Tried | None, has_ceiling: bool
) -> Tried | None:  # fmt: skip
    """Return the better of the best so far and the fewest replicas that hold with these knobs, `most` at most."""
    low = least - 1  # fails for certain
    if best is not None:  # ask first whether these knobs can do with one less
        with_less = _with(fleet, most - 1)
        if most - 1 < least or not bench.run(with_less).holds:
            equal = bench.run(_with(fleet, most))
            return equal if equal.holds and _order(bench, equal) < _order(bench, best) else best
        high = most - 1
    elif has_ceiling:  # ask first whether it can be of interest at all
        high = most
        if high < least or not bench.run(_with(fleet, high)).holds:
            return None
    else:
        high, step = least, 1
        while high < most and not bench.run(_with(fleet, high)).holds:
            low, high, step = high, min(high + step, most), 2 * step
        if high > most or not bench.run(_with(fleet, high)).holds:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if bench.run(_with(fleet, middle)).holds:
            high = middle
        else:
            low = middle
    return bench.run(_with(fleet, high))


def _rank(found: Sizing, tried: Tried) -> None:
    fleet = tried.fleet
    found.ranking.append(Found(tried, found.bench.space.price(fleet.shape).times(fleet.replicas)))
    bench = found.bench
    found.ranking.sort(key=lambda f: (bench.goal(f.tried.fleet), -f.tried.margin(bench.limits)))


def _order(bench: Bench, tried: Tried) -> tuple[float, float]:
    """Return what sorts fleets of as many replicas: the goal, then the margin."""
    return bench.goal(tried.fleet), -tried.margin(bench.limits)


def _without_luck(bench: Bench, best: Tried) -> Tried:
    """Run the fleets just below an answer with all knobs; one that holds takes its place."""
    tested, shape = best.fleet.replicas, best.fleet.shape
    while tested > 1 and tested > best.fleet.replicas - BELOW:
        tested -= 1
        for knob in bench.space.knobs():
            try:
                below = bench.run(Fleet(shape, knob, tested))
            except DomainError:  # no such replica
                continue
            if below.holds and below.fleet.replicas < best.fleet.replicas:
                best = below
    return best


def _with(fleet: Fleet, replicas: int) -> Fleet:
    return Fleet(fleet.shape, fleet.knobs, replicas)
