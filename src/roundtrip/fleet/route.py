"""The router: which replica a request goes to, among those that are up.

Routers that need no state (random, consistent hash) are an array that is made before the run; while the replica that
stands there is down, those that are up share its requests. The others look at what each replica was given and has not
finished, in requests or in tokens, or at the prefix in its cache. Tokens weigh by how slow a kind of replica is.

Where some replicas read prompts and others write, a request is routed twice: each stage has its pool.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError
from roundtrip.fleet.compiled import compiled, merged
from roundtrip.fleet.deployment import ROUTERS, Deployment
from roundtrip.fleet.layout import FIRST_POOL, NODES, PAGE, ROUTER, SECOND_POOL, SECOND_TURN, SPLIT, TURN
from roundtrip.fleet.pages import found
from roundtrip.fleet.spend import pay, steps_begun
from roundtrip.fleet.workload import Workload

(
    ROUND_ROBIN, RANDOM, TWO_CHOICES, LEAST_REQUESTS, LEAST_WORK, STICKY, CONSISTENT_HASH, PREFIX_AWARE,
) = range(len(ROUTERS))  # fmt: skip
POINTS = 64  # of each replica on the ring


def assign(work: Workload, deployment: Deployment) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return what the router needs of each request: drawn numbers, places in the pools; empty where it needs none."""
    count, replicas = len(work.arrival_s), len(deployment.replicas)
    first = deployment.prefill_replicas or replicas
    pools = (first,) if first == replicas else (first, replicas - first)
    draws, fixed = np.empty((0, 2)), np.empty((1, 0), np.int64)
    rng = np.random.default_rng(deployment.seed)
    if deployment.router in ("sticky", "consistent hash") and not len(work.session):
        raise DomainError(
            f"router {deployment.router!r} goes by session, but {work.name} has none: expected a column 'session'"
        )
    if deployment.router == "random":
        fixed = np.stack([rng.integers(0, pool, count) for pool in pools])
    elif deployment.router == "two choices":
        draws = rng.random((count, 2 * len(pools)))
    elif deployment.router == "consistent hash":
        fixed = np.stack([ring(work.session, pool) for pool in pools])
    return draws, fixed


def ring(session: NDArray[np.int64], replicas: int) -> NDArray[np.int64]:
    """Return the replica of each session on a ring of hashes, on which a replica owns what lies before its points."""

    def place(text: str) -> int:
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")

    points = sorted((place(f"replica {r} {k}"), r) for r in range(replicas) for k in range(POINTS))
    at = np.array([p for p, _ in points], np.uint64)
    owner = np.array([r for _, r in points], np.int64)
    sessions, inverse = np.unique(session, return_inverse=True)
    spots = np.array([place(f"session {s}") for s in sessions.tolist()], np.uint64)
    return owner[np.searchsorted(at, spots) % len(owner)][inverse]


@merged
def route(fixed: Any, state: Any, i: int, now_s: float, stage: int) -> int:
    """Return the replica of a request that comes to a stage now, or -1 where none of its pool is up."""
    policy, replicas, counters = fixed.policy, state.replicas, state.counters
    router = policy[ROUTER]
    count = counters[FIRST_POOL] if stage == 0 else counters[SECOND_POOL]
    if count == 0:
        return -1
    pool = state.pools[stage]
    if router == ROUND_ROBIN:
        turn = TURN if stage == 0 else SECOND_TURN
        counters[turn] += 1
        return pool[(counters[turn] - 1) % count]
    if router == TWO_CHOICES:
        return two_choices(replicas, pool, count, fixed.draws[i, 2 * stage], fixed.draws[i, 2 * stage + 1])
    if router == LEAST_REQUESTS:
        return fewest(replicas, pool, count)
    if router == LEAST_WORK:
        return least_work(fixed, replicas, pool, count)
    if router == STICKY:
        return home(replicas, pool, count, state.homes[stage], fixed.session[i])
    if router == PREFIX_AWARE:
        if stage == 1:  # those that write keep no prefixes
            return least_work(fixed, replicas, pool, count)
        for at in range(count):
            k = pool[at]
            if replicas[k]["plan"] > replicas[k]["paid"]:  # what steps begun by now have pushed out of the caches
                pay(fixed, state, k, steps_begun(replicas[k], now_s))
        return best_prefix(fixed, replicas, pool, count, state.runs, policy[NODES], policy[PAGE], i)
    k = fixed.assigned[stage, i] + (policy[SPLIT] if stage == 1 else 0)
    if replicas[k]["alive"] > 0:
        return k
    return pool[(i if router == RANDOM else fixed.session[i]) % count]


@compiled
def fewest(replicas: Any, pool: Any, count: int) -> int:
    """Return the replica with the fewest requests; the first of equals."""
    best = pool[0]
    for at in range(1, count):
        if replicas[pool[at]]["requests"] < replicas[best]["requests"]:
            best = pool[at]
    return best


@compiled
def least_work(fixed: Any, replicas: Any, pool: Any, count: int) -> int:
    """Return the replica that has the least to do, in tokens of prompts and answers times how slow it is."""
    best = pool[0]
    least = replicas[best]["work"] * fixed.slow[replicas[best]["kind"]]
    for at in range(1, count):
        k = pool[at]
        cost = replicas[k]["work"] * fixed.slow[replicas[k]["kind"]]
        if cost < least:
            best, least = k, cost
    return best


@compiled
def best_prefix(fixed: Any, replicas: Any, pool: Any, count: int, runs: Any, nodes: int, page: int, i: int) -> int:
    """Return the replica with the least to do: tokens of the prompt that are not cached, and its open work."""
    own = len(replicas) * nodes + i
    best, least = -1, 0.0
    for at in range(count):
        k = pool[at]
        pages, _ = found(fixed, runs, k * nodes, own, i)
        cost = (replicas[k]["work"] + fixed.prompt[i] - pages * page) * fixed.slow[replicas[k]["kind"]]
        if best < 0 or cost < least:
            best, least = k, cost
    return best


@compiled
def home(replicas: Any, pool: Any, count: int, homes: Any, session: int) -> int:
    """Return the replica of a session: the one with the fewest requests, chosen anew when it is down."""
    if homes[session] < 0 or replicas[homes[session]]["alive"] == 0:
        homes[session] = fewest(replicas, pool, count)
    return homes[session]


@compiled
def two_choices(replicas: Any, pool: Any, count: int, first: float, second: float) -> int:
    """Return the one with fewer requests of two different replicas that two numbers between 0 and 1 pick."""
    a = min(int(first * count), count - 1)
    if count == 1:
        return pool[a]
    b = min(int(second * (count - 1)), count - 2)
    if b >= a:
        b += 1
    return pool[b] if replicas[pool[b]]["requests"] < replicas[pool[a]]["requests"] else pool[a]
