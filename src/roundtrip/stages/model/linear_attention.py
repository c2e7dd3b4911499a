r"""Linear attention: a state of fixed size in place of a cache that grows.

Each head keeps one matrix, as many rows as a key has numbers and as many columns as a value. A token first lets the
state fade, then adds the product of its key and its value, then reads with its query:

.. math:: S_t = \alpha_t S_{t-1} + \beta_t\, k_t v_t^\top, \qquad o_t = S_t^\top q_t

That is Mamba-2 [1]_ (with other names: C, B and x). The gated delta rule [2]_ first reads what the state says of the
key and adds only what is new, :math:`\beta_t\, k_t (v_t - \alpha_t S_{t-1}^\top k_t)^\top`. Either way a token costs
the same however long the context is, and the state of a sequence is read and written back once a step.

References
----------
.. [1] T. Dao and A. Gu, "Transformers are SSMs", 2024, https://arxiv.org/abs/2405.21060: sections 2 and 7.
.. [2] S. Yang, J. Kautz and A. Hatamizadeh, "Gated delta networks", https://arxiv.org/abs/2412.06464: equation 10.
.. [3] A. Katharopoulos et al., "Transformers are RNNs", 2020, https://arxiv.org/abs/2006.16236: equations 18 to 20.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (2020, "A. Katharopoulos et al., Transformers are RNNs, arXiv 2006.16236")


def mixer_parameters(
    hidden_width: Number,
    heads: Number,
    kv_heads: Number,
    head_width: Number,
    value_width: Number,
    *,
    gates_per_head: int = 1,
) -> Number:
    """Return the matrix weights of one layer, ``h (2 n_kv d + 3 n_h d_v + g n_h)``.

    Queries and keys, values, the gate of the output and the output, and the gates of the state.

    Parameters
    ----------
    hidden_width : float
        Numbers in the vector of a token.
    heads, kv_heads : float
        Heads with a value and a state, and those with a query and a key of their own.
    head_width, value_width : float
        Numbers in a key and in a value.
    gates_per_head : int
        1: how fast the state fades (Mamba-2); 2: and how much is written (delta rule).
    """
    keys = 2.0 * kv_heads * head_width
    return hidden_width * (keys + 3.0 * heads * value_width + gates_per_head * heads)


def state_elements(heads: Number, head_width: Number, value_width: Number) -> Number:
    """Return the numbers of one layer's state for a sequence, ``n_h d d_v``."""
    return heads * head_width * value_width


def convolution_elements(
    heads: Number, kv_heads: Number, head_width: Number, value_width: Number, kernel_tokens: Number
) -> Number:
    """Return the numbers that the short convolution before it keeps, ``(2 n_kv d + n_h d_v) (w - 1)``."""
    return (2.0 * kv_heads * head_width + heads * value_width) * (kernel_tokens - 1.0)


def token_flop(state_elements: Number, *, passes_per_token: int = 2) -> Number:
    """Return the operations of one token in one layer, ``(1 + 2 p)`` for each number of its state [flop].

    Parameters
    ----------
    state_elements : float
        Numbers of the state.
    passes_per_token : int
        2: write and read (Mamba-2); 3: read what is known of the key, write, read (delta rule). Each is a
        multiplication and an addition, and the fading one multiplication.
    """
    return (1.0 + 2.0 * passes_per_token) * state_elements


def step(
    state: NDArray[np.float64],
    query: NDArray[np.float64],
    key: NDArray[np.float64],
    value: NDArray[np.float64],
    keep: float = 1.0,
    write: float = 1.0,
    delta: bool = False,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the state after one token of one head, and what its query finds."""
    faded = keep * state
    new = value - faded.T @ key if delta else value
    after = faded + write * np.outer(key, new)
    return after, after.T @ query
