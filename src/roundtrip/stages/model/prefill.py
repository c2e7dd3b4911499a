r"""Prefill: the model reads the whole prompt in one pass, before it writes the first token.

All tokens of the prompt go through a layer together, so each weight that is fetched is used for all of them: the pass
is bound by arithmetic once there are more tokens than the ridge of the roofline [1]_,

.. math:: n^* = \frac{\Phi\, b}{2 \beta}

with the peak rate :math:`\Phi`, the bytes of a weight b and the memory's rate :math:`\beta`. A pass is shared: a
server joins the prompts that wait to one pass, and a new one waits for the end of the running pass.

Around the ridge arithmetic and memory neither hide each other wholly nor add up; their root of the sum of squares is
within 1.42 of both bounds and was used in the fit that our efficiencies come from.

References
----------
.. [1] S. Williams, A. Waterman and D. Patterson, "Roofline", CACM 52(4), 65-76, 2009, doi:10.1145/1498765.1498785
.. [2] R. Pope et al., "Efficiently scaling transformer inference", 2022, https://arxiv.org/abs/2211.05102: section 2.
.. [3] A. Agrawal et al., "Sarathi-Serve", OSDI 2024, https://arxiv.org/abs/2403.02310: joint passes of prompts.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2022, "R. Pope et al., Efficiently scaling transformer inference, arXiv 2211.05102")


def tokens_time_s(tokens: Number, rate_token_s: Number) -> Number:
    """Return the time that tokens take at a rate, ``n / r`` [s]."""
    return tokens / rate_token_s


def linear_flop(active_parameters: Number, tokens: Number) -> Number:
    """Return the operations in the weights, two for each weight and token: a multiplication and an addition [flop].

    Parameters
    ----------
    active_parameters : float
        Weights that one token is multiplied with.
    tokens : float
        Tokens.
    """
    return 2.0 * active_parameters * tokens


def scored_flop(active_parameters: Number, head_parameters: Number, tokens: Number, scored_tokens: Number) -> Number:
    """Return the operations in the weights where the head scores only some tokens, ``2 ((P - H) n + H k)`` [flop].

    Parameters
    ----------
    active_parameters, head_parameters : float
        Weights that one token is multiplied with, and those of them that score the vocabulary.
    tokens, scored_tokens : float
        Tokens that go through the layers, and those whose next token is asked for: the last of a prompt.
    """
    return 2.0 * (np.maximum(active_parameters - head_parameters, 0.0) * tokens + head_parameters * scored_tokens)


def passes(tokens: Number, chunk_tokens: Number) -> Number:
    """Return the passes that a prompt takes which is read in chunks, each reading all weights again."""
    return np.ceil(tokens / chunk_tokens)


def rows_time_s(layers: Number, tokens: Number, row_time_s: Number) -> Number:
    """Return the time between the matrices where nothing hides it, ``L n t_r`` [s]: norms, rotations, gates and sums.

    Parameters
    ----------
    layers, tokens : float
        Layers, and tokens that go through them.
    row_time_s : float
        That time for one token in one layer [s].
    """
    return layers * tokens * row_time_s


def between_B(
    layers: Number, tokens: Number, hidden_width: Number, activation_copies: Number, element_B: Number
) -> Number:
    """Return what is read and written between the matrices, ``L n h n_v b`` [B]: norms, gates, sums, sorting by expert.

    Parameters
    ----------
    layers, tokens, hidden_width : float
        Layers, vectors that go through them (a token for each of its experts where it is copied), and their width.
    activation_copies : float
        How often a layer reads or writes each of them.
    element_B : float
        Bytes of one number [B].
    """
    return layers * tokens * hidden_width * activation_copies * element_B


def compute_time_s(flop: Number, flop_rate_flop_s: Number, efficiency: Number) -> Number:
    """Return the time of the arithmetic at a share of the peak rate [s]."""
    return flop / (flop_rate_flop_s * efficiency)


def memory_time_s(size_B: Number, bandwidth_B_s: Number, memory_efficiency: Number) -> Number:
    """Return the time to read bytes at a share of the memory's rate [s]."""
    return size_B / (bandwidth_B_s * memory_efficiency)


def roofline_time_s(compute_s: Number, memory_s: Number) -> Number:
    """Return the time of a kernel from its two bounds, the root of the sum of their squares [s].

    Parameters
    ----------
    compute_s, memory_s : float
        Time of the arithmetic alone and of the memory alone [s].
    """
    return np.hypot(compute_s, memory_s)


def serial_time_s(compute_s: Number, memory_s: Number) -> Number:
    """Return the time of a kernel that copies its matrix, then multiplies, on one thread [s]: neither hides."""
    return compute_s + memory_s


def ridge_tokens(flop_rate_flop_s: Number, bandwidth_B_s: Number, weight_B: Number) -> Number:
    """Return the tokens in a pass from which on arithmetic takes longer than fetching the weights [1]_."""
    return flop_rate_flop_s * weight_B / (2.0 * bandwidth_B_s)


def arithmetic_intensity(tokens: Number, weight_B: Number) -> Number:
    """Return the operations for each byte of weights in a pass, ``2 n / b`` [flop/B]."""
    return 2.0 * tokens / weight_B


def pass_wait_s(pass_phase: Number, utilization: Number, pass_time_s: Number) -> Number:
    """Return the wait for a running pass to end [s].

    Parameters
    ----------
    pass_phase : float
        Where in the pass the prompt arrives: 0 just before its end, 1 just after its start.
    utilization : float
        Share of the time in which a pass runs; otherwise there is nothing to wait for.
    pass_time_s : float
        Time of a pass [s].
    """
    return utilization * pass_phase * pass_time_s


def share_of_pass(tokens: Number, companion_tokens: Number) -> Number:
    """Return which part of a pass is this prompt's, by tokens."""
    return tokens / (tokens + companion_tokens)
