"""The router: which replica a request goes to.

Routers that need no state (round robin, random, consistent hash) are an array that is made before the run. The others
look at what each replica was given and has not finished, in requests or in tokens, or at the prefix in its cache.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError
from roundtrip.fleet.compiled import compiled
from roundtrip.fleet.deployment import ROUTERS, Deployment
from roundtrip.fleet.pages import found
from roundtrip.fleet.workload import Workload

(
    ROUND_ROBIN, RANDOM, TWO_CHOICES, LEAST_REQUESTS, LEAST_WORK, STICKY, CONSISTENT_HASH, PREFIX_AWARE,
) = range(len(ROUTERS))  # fmt: skip
POINTS = 64  # of each replica on the ring


def assign(work: Workload, deployment: Deployment) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the drawn numbers and the fixed replicas that the router needs; empty arrays where it needs none."""
    count, replicas = len(work.arrival_s), len(deployment.replicas)
    draws, fixed = np.empty((0, 2)), np.empty(0, np.int64)
    rng = np.random.default_rng(deployment.seed)
    if deployment.router in ("sticky", "consistent hash") and not len(work.session):
        raise DomainError(
            f"router {deployment.router!r} goes by session, but {work.name} has none: expected a column 'session'"
        )
    if deployment.router == "random":
        fixed = rng.integers(0, replicas, count)
    elif deployment.router == "two choices":
        draws = rng.random((count, 2))
    elif deployment.router == "consistent hash":
        fixed = ring(work.session, replicas)
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


@compiled
def fewest(replicas: Any) -> int:
    """Return the replica with the fewest requests; the first of equals."""
    best = 0
    for k in range(1, len(replicas)):
        if replicas[k]["requests"] < replicas[best]["requests"]:
            best = k
    return best


@compiled
def least_work(replicas: Any) -> int:
    """Return the replica with the fewest tokens of prompts and answers that are not done."""
    best = 0
    for k in range(1, len(replicas)):
        if replicas[k]["work"] < replicas[best]["work"]:
            best = k
    return best


@compiled
def best_prefix(fixed: Any, replicas: Any, runs: Any, nodes: int, page: int, i: int) -> int:
    """Return the replica with the fewest tokens to do: those of the prompt that are not cached, and its open work."""
    own = len(replicas) * nodes + i
    best, least = 0, -1
    for k in range(len(replicas)):
        pages, _ = found(fixed, runs, k * nodes, own, i)
        cost = replicas[k]["work"] + fixed.prompt[i] - pages * page
        if least < 0 or cost < least:
            best, least = k, cost
    return best


@compiled
def home(replicas: Any, homes: Any, session: int) -> int:
    """Return the replica of a session: at its first request the one with the fewest requests."""
    if homes[session] < 0:
        homes[session] = fewest(replicas)
    return homes[session]


@compiled
def two_choices(replicas: Any, first: float, second: float) -> int:
    """Return the one with fewer requests of two different replicas that two numbers between 0 and 1 pick."""
    count = len(replicas)
    a = min(int(first * count), count - 1)
    if count == 1:
        return a
    b = min(int(second * (count - 1)), count - 2)
    if b >= a:
        b += 1
    return b if replicas[b]["requests"] < replicas[a]["requests"] else a
