r"""Mixture of experts: a router sends each token to a few of many small networks.

Of E experts each token uses k, so a token is multiplied with a small part of the weights, while a batch touches many
of them. With evenly spread picks the expected number of distinct experts that n tokens touch is

.. math:: E \left(1 - (1 - k/E)^n\right)

so at batch one the memory reads k experts, and at a large batch all of them, once for everyone. The busiest of r ranks
sets the pace: picks fall like a Poisson number, so it has ``1 + max_r / sqrt(m)`` times the mean load m, with
``max_r`` the expected maximum of r standard normals.

References
----------
.. [1] N. Shazeer et al., "Outrageously large neural networks: the sparsely-gated mixture-of-experts layer", 2017,
   https://arxiv.org/abs/1701.06538
.. [2] W. Fedus, B. Zoph and N. Shazeer, "Switch Transformers", 2021, https://arxiv.org/abs/2101.03961
.. [3] DeepSeek-AI, "DeepSeek-V3 technical report", 2024, https://arxiv.org/abs/2412.19437: section 2.1.2 and 4.2.
.. [4] N. L. Johnson and S. Kotz, "Urn models and their application", Wiley 1977, section 3.2 (occupancy).
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number
from roundtrip.figures.primitives import normal_max

SINCE = (2017, "N. Shazeer et al., the sparsely-gated mixture-of-experts layer, arXiv 1701.06538")


def expert_parameters(hidden_width: Number, expert_width: Number) -> Number:
    """Return the weights of one expert, a gated network of three matrices, ``3 h f``."""
    return 3.0 * hidden_width * expert_width


def router_parameters(hidden_width: Number, experts: Number) -> Number:
    """Return the weights of a layer's router, a score for each expert: ``h E``."""
    return hidden_width * experts


def distinct_experts(experts: Number, picked_experts: Number, tokens: Number) -> Number:
    """Return how many experts of a layer a batch touches, ``E (1 - (1 - k/E)^n)`` [4]_.

    Parameters
    ----------
    experts, picked_experts : float
        Experts of a layer, and how many each token uses.
    tokens : float
        Tokens in the batch over all ranks that share the experts.
    """
    share = np.minimum(picked_experts / experts, 1.0)
    return experts * (1.0 - (1.0 - share) ** tokens)


def held_share(experts: Number, redundant_experts: Number, expert_ranks: Number) -> Number:
    """Return how many experts of a layer one rank holds: all and the copies of the busiest, over the ranks."""
    return (experts + redundant_experts) / expert_ranks


def touched_B(
    moe_layers: Number,
    held_experts: Number,
    experts: Number,
    picked_experts: Number,
    tokens: Number,
    parameters: Number,
    weight_B: Number,
) -> Number:
    """Return the bytes of expert weights that one rank reads in one pass [B].

    Parameters
    ----------
    moe_layers : float
        Layers with experts.
    held_experts : float
        Experts of a layer on this rank.
    experts, picked_experts, tokens : float
        As in `distinct_experts`; the share that is touched is the same on every rank.
    parameters : float
        Weights of one expert.
    weight_B : float
        Bytes of one weight [B].
    """
    share = distinct_experts(experts, picked_experts, tokens) / experts
    return moe_layers * held_experts * share * parameters * weight_B


def routed_parameters(moe_layers: Number, experts: Number, parameters: Number) -> Number:
    """Return the weights in all routed experts of a model, or with `experts` = k those that one token uses."""
    return moe_layers * experts * parameters


def routed_flop(moe_layers: Number, picked_experts: Number, parameters: Number, tokens: Number) -> Number:
    """Return the operations in routed experts, two for each weight that is used and token [flop]."""
    return 2.0 * moe_layers * picked_experts * parameters * tokens


def busiest_load(expert_ranks: Number, picks_per_rank: Number) -> Number:
    """Return the load of the busiest rank over the mean, ``1 + E[max of r normals] / sqrt(m)``.

    Parameters
    ----------
    expert_ranks : float
        Ranks that wait for each other.
    picks_per_rank : float
        Mean number of token-expert pairs on a rank in one layer; the spread of a Poisson number is its root.
    """
    return 1.0 + normal_max(expert_ranks) / np.sqrt(picks_per_rank)


def padded_tokens(experts: Number, picked_experts: Number, tokens: Number, tile_tokens: Number) -> Number:
    """Return the tokens that routed experts work on, ``n + n_h D / k``: each of the D that are touched fills up a tile.

    Parameters
    ----------
    experts, picked_experts, tokens : float
        As in `distinct_experts`.
    tile_tokens : float
        Tokens that are added for each touched expert, since its matrix is worked on in tiles.
    """
    return tokens + tile_tokens * distinct_experts(experts, picked_experts, tokens) / picked_experts
