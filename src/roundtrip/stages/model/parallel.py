r"""Parallel ranks talk: an all-reduce after each split matrix, an all-to-all around each layer of experts.

Times follow the alpha-beta model: a message costs a latency and its bytes over the rate of the link. A ring all-reduce
of S bytes over n ranks takes

.. math:: 2 (n - 1) \alpha + \frac{2 (n - 1)}{n} \frac{S}{\beta}

which no algorithm undercuts in bytes [1]_. An all-to-all sends ``(n - 1) / n`` of what a rank holds to the others.
With experts each token goes to its k experts in 8 bits (dispatch) and comes back in 16 (combine) [2]_.

References
----------
.. [1] R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of collective communication operations in MPICH",
   IJHPCA 19(1), 49-66, 2005, doi:10.1177/1094342005051521
.. [2] DeepSeek-AI, DeepEP, measured dispatch and combine, https://github.com/deepseek-ai/DeepEP/blob/main/docs/legacy.md
.. [3] M. Shoeybi et al., "Megatron-LM", 2019, https://arxiv.org/abs/1909.08053: two all-reduces a layer.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2019, "M. Shoeybi et al., Megatron-LM, arXiv 1909.08053")


def ring_all_reduce_time_s(
    size_B: Number, tensor_ranks: Number, bandwidth_B_s: Number, link_efficiency: Number, latency_s: Number
) -> Number:
    """Return the time of a ring all-reduce [1]_ [s]; one rank has none to talk to.

    Parameters
    ----------
    size_B : float
        Bytes that every rank holds and wants summed [B].
    tensor_ranks : float
        Ranks in the ring.
    bandwidth_B_s, link_efficiency : float
        Rate of a rank's link in one direction [B/s], and the share of it that is reached.
    latency_s : float
        Time of one hop without bytes [s].
    """
    hops = 2.0 * (tensor_ranks - 1.0)
    return hops * latency_s + hops / tensor_ranks * size_B / (bandwidth_B_s * link_efficiency)


def all_to_all_time_s(
    size_B: Number, expert_ranks: Number, bandwidth_B_s: Number, link_efficiency: Number, latency_s: Number
) -> Number:
    """Return the time of an all-to-all [s]: one latency, since all are under way at once, and the bytes that leave."""
    away = (expert_ranks - 1.0) / expert_ranks
    return away * (latency_s + size_B / (bandwidth_B_s * link_efficiency))


def exchange_ranks(expert_ranks: Number, tensor_ranks: Number) -> Number:
    """Return between how many groups tokens travel to experts.

    Ranks that split the matrices of a group all hold its tokens already and sum the experts' results with the
    all-reduce that they do anyway; only between groups there is an exchange.
    """
    return np.maximum(expert_ranks / tensor_ranks, 1.0)


def expert_message_B(tokens: Number, hidden_width: Number, picked_experts: Number, message_element_B: Number) -> Number:
    """Return the bytes that a rank sends to the experts of its tokens, or gets back, in one layer [B].

    Parameters
    ----------
    tokens : float
        Tokens on the rank.
    hidden_width, picked_experts : float
        Numbers in a token's vector, and to how many experts it goes.
    message_element_B : float
        Bytes of a number under way: 1 with its scales for dispatch, 2 for combine [B].
    """
    return tokens * hidden_width * picked_experts * message_element_B


def layer_message_B(tokens: Number, hidden_width: Number, message_element_B: Number) -> Number:
    """Return the bytes that an all-reduce sums after a split matrix: the vectors of all tokens in the group [B]."""
    return tokens * hidden_width * message_element_B
