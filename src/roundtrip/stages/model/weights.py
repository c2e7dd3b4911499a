"""The weights: how many there are, how many bytes they take, and on how many chips they fit.

The count follows from the shape: attention and a gated network in each layer, experts where there are some, and the
tables of the vocabulary at both ends. Norms, biases and routers together are well under 0.1 % and left out.

References
----------
.. [1] A. Grattafiori et al., "The Llama 3 herd of models", 2024, https://arxiv.org/abs/2407.21783: table 3.
.. [2] T. Brown et al., "Language models are few-shot learners", 2020, https://arxiv.org/abs/2005.14165: table 2.1.
.. [3] DeepSeek-AI, "DeepSeek-V3 technical report", 2024, https://arxiv.org/abs/2412.19437: section 4.2.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2020, "T. Brown et al., Language models are few-shot learners (175 billion weights), arXiv 2005.14165")


def gated_parameters(hidden_width: Number, inner_width: Number) -> Number:
    """Return the weights of a gated feed-forward network, ``3 h f``."""
    return 3.0 * hidden_width * inner_width


def plain_parameters(hidden_width: Number, inner_width: Number) -> Number:
    """Return the weights of a feed-forward network without a gate, ``2 h f``."""
    return 2.0 * hidden_width * inner_width


def ffn_expansion(inner_width: Number, hidden_width: Number) -> Number:
    """Return how many times wider the feed-forward network is than the vector."""
    return inner_width / hidden_width


def model_parameters(
    layers: Number,
    attention_parameters: Number,
    dense_layers: Number,
    dense_parameters: Number,
    expert_parameters: Number,
    experts: Number,
    shared_experts: Number,
    table_parameters: Number,
) -> Number:
    """Return the weights of a model; with `experts` = picked ones, those that one token uses.

    Parameters
    ----------
    layers, dense_layers : float
        All layers, and those with a plain network in place of experts.
    attention_parameters, dense_parameters, expert_parameters : float
        Weights of one layer's attention, of a plain network, and of one expert.
    experts, shared_experts : float
        Routed experts of a layer, and those that every token uses.
    table_parameters : float
        Weights of the tables of the vocabulary: twice V h, or once where input and output share it.
    """
    mixture = (layers - dense_layers) * (experts + shared_experts) * expert_parameters
    return layers * attention_parameters + dense_layers * dense_parameters + mixture + table_parameters


def held_B(parameters: Number, weight_B: Number) -> Number:
    """Return the bytes of the weights [B]."""
    return parameters * weight_B


def common_parameters(parameters: Number, routed_parameters: Number, table_parameters: Number) -> Number:
    """Return the weights that every token is multiplied with: all but routed experts and the table of the input.

    Never less than a thousandth of the whole, so that a made-up shape cannot turn it negative.
    """
    return np.maximum(parameters - routed_parameters - table_parameters, 1e-3 * parameters)


def rank_B(common_parameters: Number, tensor_ranks: Number, weight_B: Number) -> Number:
    """Return the bytes of the common weights on one rank of a group that splits every matrix [B]."""
    return common_parameters / tensor_ranks * weight_B


def accelerators_needed(held_B: Number, memory_B: Number, usable_share: Number) -> Number:
    """Return on how many accelerators the weights fit, whole ones."""
    return np.ceil(held_B / (memory_B * usable_share))


def memory_share(held_B: Number, memory_B: Number, accelerators: Number) -> Number:
    """Return the share of the memory that the weights fill; above 1 they do not fit."""
    return held_B / (memory_B * accelerators)
