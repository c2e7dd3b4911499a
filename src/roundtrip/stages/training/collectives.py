"""Collective operations: all accelerators agree on a sum, over rings, trees and the two speeds of a cluster.

A step of an operation takes a fixed time and a time for its bytes (the alpha-beta model). In a ring of n members each
sends ``2 (n - 1) / n`` times the message to its neighbor, in ``2 (n - 1)`` steps: the bytes hardly depend on n, the
steps do [1]_. A double binary tree needs ``2 log2 n`` steps for the same bytes [2]_. Across servers the operation is
cut in three: reduce-scatter inside, ring between the servers (each accelerator on its own rail, with its own slice),
all-gather inside [3]_.

The *bus bandwidth* divides the factor ``2 (n - 1) / n`` out, so that operations of different size compare with the
wire [3]_.

References
----------
.. [1] P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", J. Parallel and
   Distributed Computing 69(2), 117-124, 2009, doi:10.1016/j.jpdc.2008.09.002
.. [2] P. Sanders, J. Speck and J. L. Traff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
   Parallel Computing 35(12), 581-594, 2009, doi:10.1016/j.parco.2009.09.001
.. [3] NVIDIA, nccl-tests, doc/PERFORMANCE.md, https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
.. [4] NVIDIA, NCCL, src/graph/tuning.cc, https://github.com/NVIDIA/nccl/blob/master/src/graph/tuning.cc
.. [5] W. Wang et al., "Rail-only: a low-cost high-performance network for training LLMs with trillion parameters",
   2023, https://arxiv.org/abs/2307.12169
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1994, "MPI: a message-passing interface standard, version 1.0 (MPI_Allreduce)")


def all_reduce_factor(ranks: Number) -> Number:
    """Return how many times its message a member sends in an all-reduce, ``2 (n - 1) / n`` [3]_."""
    return 2.0 * (ranks - 1.0) / ranks


def gather_factor(ranks: Number) -> Number:
    """Return the same of reduce-scatter, all-gather and all-to-all, ``(n - 1) / n`` [3]_."""
    return (ranks - 1.0) / ranks


def ring_all_reduce_s(
    size_B: Number, ranks: Number, bandwidth_B_s: Number, hop_latency_s: Number, base_latency_s: Number
) -> Number:
    """Return the time of a ring all-reduce [1]_.

    Parameters
    ----------
    size_B : float
        Bytes that each member holds [B].
    ranks : float
        Members.
    bandwidth_B_s : float
        Bytes a second that one member sends [B/s].
    hop_latency_s, base_latency_s : float
        Time of one step beside its bytes, and to start the operation [s].

    Returns
    -------
    float
        Time [s].
    """
    steps = 2.0 * (ranks - 1.0)
    return base_latency_s + steps * hop_latency_s + all_reduce_factor(ranks) * size_B / bandwidth_B_s


def tree_all_reduce_s(
    size_B: Number, ranks: Number, bandwidth_B_s: Number, hop_latency_s: Number, base_latency_s: Number
) -> Number:
    """Return the time of a pipelined double-tree all-reduce, ``2 log2(n) alpha + 2 S / B`` [2]_."""
    steps = 2.0 * np.ceil(np.log2(ranks))
    return base_latency_s + steps * hop_latency_s + 2.0 * np.where(ranks > 1.0, size_B, 0.0) / bandwidth_B_s


def hierarchical_all_reduce_s(
    size_B: Number, server_ranks: Number, servers_joined: Number, bandwidth_B_s: Number, outer_bandwidth_B_s: Number,
    hop_latency_s: Number, outer_latency_s: Number,
) -> Number:  # fmt: skip
    """Return the time of an all-reduce in three parts: scatter inside, rings between servers, gather inside [3]_.

    Each accelerator sends only its slice, ``1 / n_i`` of the message, over its own network card: card k of every server
    joins network k, its rail [5]_.
    """
    inside = (server_ranks - 1.0) * hop_latency_s + gather_factor(server_ranks) * size_B / bandwidth_B_s
    between = 2.0 * (servers_joined - 1.0) * outer_latency_s
    between = between + all_reduce_factor(servers_joined) * size_B / server_ranks / outer_bandwidth_B_s
    return 2.0 * inside + between


def all_to_all_s(size_B: Number, ranks: Number, bandwidth_B_s: Number, hop_latency_s: Number) -> Number:
    """Return the time of an all-to-all of `size_B` bytes held by each member, ``(n - 1) alpha + (n - 1) S / n B``."""
    return (ranks - 1.0) * hop_latency_s + gather_factor(ranks) * size_B / bandwidth_B_s


def measured_bus_bandwidth_B_s(size_B: Number, ranks: Number, duration_s: Number) -> Number:
    """Return the bus bandwidth that a measured all-reduce reached [B/s] [3]_."""
    return all_reduce_factor(ranks) * size_B / np.maximum(duration_s, 1e-12)


def bus_bandwidth_B_s(size_B: Number, ranks: Number, bandwidth_B_s: Number, base_latency_s: Number) -> Number:
    """Return the bus bandwidth of a message with one fixed latency: small messages never see the wire's speed [B/s].

    ``k S / (alpha + k S / B)`` with ``k = 2 (n - 1) / n``.
    """
    sent = all_reduce_factor(ranks) * size_B
    return sent / np.maximum(base_latency_s + sent / bandwidth_B_s, 1e-15)
