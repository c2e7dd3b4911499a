"""The load balancer: which of many servers gets the prompt.

Four kinds stand here. A **Maglev** balancer hashes the connection into a table in which each server holds nearly the
same number of entries, and keeps nearly all of them when a server goes [1]_. **Power of two choices** asks two servers
picked at random and takes the emptier; in the limit of many servers the mean time in the system, in units of the
service, is ``sum over i >= 1 of rho^((d^i - d)/(d - 1))`` instead of ``1/(1 - rho)`` [2]_. **Least request** asks all
of them. A **prefix-aware** balancer weighs the blocks of prompt that a server would have to read anew against the
blocks that it is already writing, ``w * prefill + decode`` [3]_.

References
----------
.. [1] D. E. Eisenbud et al., "Maglev: A Fast and Reliable Software Network Load Balancer", NSDI 2016,
   https://www.usenix.org/conference/nsdi16/technical-sessions/presentation/eisenbud
.. [2] M. Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing", IEEE Transactions on Parallel and
   Distributed Systems 12(10), 2001, doi:10.1109/71.963420
.. [3] NVIDIA Dynamo, "KV cache routing",
   https://docs.nvidia.com/dynamo/archive/0.5.0/architecture/kv_cache_routing.html
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2016, "D. E. Eisenbud et al., Maglev, NSDI 2016; power of two choices: M. Mitzenmacher, 1996")


def random_choice_slowdown(utilization: Number) -> Number:
    """Return the mean time in the system over the service time if servers are picked blindly: ``1/(1 - rho)``.

    Each server is then an M/M/1 queue of its own.

    Parameters
    ----------
    utilization : float
        Share of the servers' time in use.
    """
    return 1.0 / (1.0 - utilization)


def best_of_slowdown(utilization: Number, *, choices: int = 2, terms: int = 24) -> Number:
    """Return the mean time in the system over the service time if the emptiest of `choices` servers is taken.

    The fixed point of the mean-field equations: a share ``rho^((d^i - 1)/(d - 1))`` of the servers has at least i
    requests [2]_. Poisson arrivals, exponential service, servers without number.

    Parameters
    ----------
    utilization : float
        Share of the servers' time in use.
    choices : int
        Servers that are asked, at least 2.
    terms : int
        Terms of the sum.
    """
    exponents = [(choices**i - choices) / (choices - 1) for i in range(1, terms + 1)]
    return sum(np.power(utilization, exponent) for exponent in exponents)


def table_peak(backends: Number, table_size: Number) -> Number:
    """Return the largest share of a Maglev table over the even share, ``ceil(M/N) N/M``.

    Servers take turns to fill the table, so that no two differ by more than one entry [1]_.

    Parameters
    ----------
    backends : float
        Servers N.
    table_size : float
        Entries M, a prime well above N.
    """
    return np.ceil(table_size / backends) * backends / table_size


def expected_hit(prefix_share: Number, prefix_affinity: Number, backends: Number) -> Number:
    """Return the share of a prompt that is found in the cache of the server that gets it.

    A balancer that knows (with probability a) sends the prompt where its prefix lies; otherwise it lies there by
    chance: ``h (a + (1 - a)/N)``. It holds where each prefix is kept by one server.

    Parameters
    ----------
    prefix_share : float
        Share of the prompt's tokens that some server has read before.
    prefix_affinity : float
        Probability that the prompt is sent to that server.
    backends : float
        Servers N.
    """
    return prefix_share * (prefix_affinity + (1.0 - prefix_affinity) / backends)


def routing_cost(overlap_weight: Number, prefill_blocks: Number, decode_blocks: Number) -> Number:
    """Return the cost by which a prefix-aware balancer ranks a server, ``w p + d`` [3]_.

    Parameters
    ----------
    overlap_weight : float
        Weight of reading against writing; 0 looks at the load alone.
    prefill_blocks : float
        Blocks of the prompt that this server would have to read anew.
    decode_blocks : float
        Blocks that the server holds for the answers that it is writing.
    """
    return overlap_weight * prefill_blocks + decode_blocks


def _hash(text: str, salt: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8"), digest_size=8, salt=salt).digest(), "big")


def maglev_table(names: Sequence[str], size: int) -> list[int]:
    """Return the lookup table: for each entry the index of a server.

    Every server has a preference list, a permutation of the entries from two hashes of its name (``offset + j * skip``
    modulo a prime size); in turn each takes the next entry of its list that is still free [1]_, section 3.4.
    """
    offsets = [_hash(name, b"offset") % size for name in names]
    skips = [_hash(name, b"skip") % (size - 1) + 1 for name in names]
    turns = [0] * len(names)
    table = [-1] * size
    filled = 0
    while True:
        for server in range(len(names)):
            entry = (offsets[server] + turns[server] * skips[server]) % size
            while table[entry] >= 0:
                turns[server] += 1
                entry = (offsets[server] + turns[server] * skips[server]) % size
            table[entry] = server
            turns[server] += 1
            filled += 1
            if filled == size:
                return table


def maglev_choose(table: Sequence[int], flow: str) -> int:
    """Return the server of a connection, given its five-tuple as text: every packet of it finds the same."""
    return table[_hash(flow, b"flow") % len(table)]


def least_request(loads: Sequence[float]) -> int:
    """Return the server with the fewest requests, the first of equals."""
    return min(range(len(loads)), key=lambda i: (loads[i], i))


def two_choices(loads: Sequence[float], first: int, second: int) -> int:
    """Return the emptier of two servers that were picked at random."""
    return second if loads[second] < loads[first] else first


def prefix_aware(prompt: Sequence[int], cached: Sequence[Sequence[int]], loads: Sequence[float], weight: float) -> int:
    """Return the server with the least `routing_cost`.

    Parameters
    ----------
    prompt : sequence of int
        Hashes of the prompt's blocks, each over everything before it, so that equal hashes mean equal beginnings.
    cached : for each server the hashes that it holds.
    loads : for each server the blocks that it is writing.
    weight : float
        `overlap_weight`.
    """
    costs: list[float] = []
    for blocks, load in zip(cached, loads, strict=True):
        held = set(blocks)
        overlap = next((i for i, block in enumerate(prompt) if block not in held), len(prompt))
        costs.append(float(routing_cost(weight, float(len(prompt) - overlap), load)))
    return least_request(costs)
