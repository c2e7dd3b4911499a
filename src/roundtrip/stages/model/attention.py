r"""Attention: each token looks back at those before it and mixes what it finds.

For every head the query of the new token is held against the keys of all earlier ones; the softmax of these scores
weighs their values [1]_:

.. math:: \mathrm{softmax}(Q K^\top / \sqrt{d})\, V

Reading a prompt of n tokens takes ``n (n + 1) / 2`` pairs (each token sees itself and those before it), writing one
more takes n. Three forms differ in what is kept: every head its own keys and values (MHA), a group of heads one pair
(GQA [2]_), or one latent vector from which all heads make theirs (MLA [3]_; the projection is absorbed into the
query, so the latent itself is attended to). FlashAttention [4]_ computes the same in tiles that fit the chip's own
memory, so the n x n scores never travel.

References
----------
.. [1] A. Vaswani et al., "Attention is all you need", 2017, https://arxiv.org/abs/1706.03762: equation 1.
.. [2] J. Ainslie et al., "GQA", 2023, https://arxiv.org/abs/2305.13245
.. [3] DeepSeek-AI, "DeepSeek-V2", 2024, https://arxiv.org/abs/2405.04434: section 2.1 and appendix C.
.. [4] T. Dao et al., "FlashAttention", 2022, https://arxiv.org/abs/2205.14135: theorem 2.
.. [5] DeepSeek-AI, "DeepSeek-V3.2", 2025, https://arxiv.org/abs/2512.02556: section 2.1, the lightning indexer.
.. [6] DeepSeek-AI, "DeepSeek-V4", 2026, https://github.com/deepseek-ai/DeepSeek-V4: compressed sparse attention.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (2017, "A. Vaswani et al., Attention is all you need, arXiv 1706.03762")


def gqa_parameters(hidden_width: Number, heads: Number, kv_heads: Number, head_width: Number) -> Number:
    """Return the weights of one layer's attention with grouped queries, ``h d (2 n_h + 2 n_kv)``; MHA if n_kv = n_h."""
    return hidden_width * head_width * (2.0 * heads + 2.0 * kv_heads)


def mla_parameters(
    hidden_width: Number,
    heads: Number,
    head_width: Number,
    rope_width: Number,
    value_width: Number,
    query_rank: Number,
    kv_rank: Number,
) -> Number:
    """Return the weights of one layer's latent attention [3]_.

    Down and up projection of the query, down projection of the latent and the rotary key, up projection of keys and
    values, and the output.
    """
    query = hidden_width * query_rank + query_rank * heads * (head_width + rope_width)
    latent = hidden_width * (kv_rank + rope_width) + kv_rank * heads * (head_width + value_width)
    return query + latent + heads * value_width * hidden_width


def mla_full_query_parameters(
    hidden_width: Number, heads: Number, head_width: Number, rope_width: Number, value_width: Number, kv_rank: Number
) -> Number:
    """Return the weights of one layer's latent attention whose query has no latent of its own [3]_."""
    query = hidden_width * heads * (head_width + rope_width)
    latent = hidden_width * (kv_rank + rope_width) + kv_rank * heads * (head_width + value_width)
    return query + latent + heads * value_width * hidden_width


def shared_key_parameters(
    hidden_width: Number,
    heads: Number,
    head_width: Number,
    query_rank: Number,
    output_rank: Number,
    output_groups: Number,
) -> Number:
    """Return the weights of one layer whose heads share one vector, key and value [6]_; output in two steps."""
    query = hidden_width * query_rank + query_rank * heads * head_width
    output = heads * head_width * output_rank + output_groups * output_rank * hidden_width
    return query + hidden_width * head_width + output


def compressor_parameters(hidden_width: Number, head_width: Number, overlap: Number) -> Number:
    """Return the weights that join the vectors of some tokens to one, ``2 h o d`` [6]_: the vectors and their shares.

    Parameters
    ----------
    hidden_width, head_width : float
        Numbers in the vector of a token, and in the joined one.
    overlap : float
        1, or 2 where each token has a part in two neighbors.
    """
    return 2.0 * hidden_width * overlap * head_width


def value_parameters(hidden_width: Number, kv_heads: Number, value_width: Number) -> Number:
    """Return the weights that make the values of one layer, ``h n_kv d_v``; none where the key serves as value."""
    return hidden_width * kv_heads * value_width


def output_gate_parameters(hidden_width: Number, heads: Number, value_width: Number) -> Number:
    """Return the weights of a gate on what attention gives, one number for each of its outputs: ``h n_h d_v``."""
    return hidden_width * heads * value_width


def indexer_parameters(hidden_width: Number, query_rank: Number, index_heads: Number, index_width: Number) -> Number:
    """Return the weights of one layer's indexer of sparse attention [5]_: ``c_q n_i d_i + h (d_i + n_i)``.

    Queries from the latent query, one key for all heads, and a weight for each head.
    """
    return query_rank * index_heads * index_width + hidden_width * (index_width + index_heads)


def indexer_flop(index_heads: Number, index_width: Number, pairs: Number) -> Number:
    """Return the operations by which one layer's indexer scores pairs of tokens, ``2 n_i (d_i + 1) p`` [5]_ [flop]."""
    return 2.0 * index_heads * (index_width + 1.0) * pairs


def attended_tokens(context_tokens: Number, full_attention_share: Number, window_tokens: Number) -> Number:
    """Return the tokens that a layer looks at on average, where some layers see only a window of the latest ones."""
    return full_attention_share * context_tokens + (1.0 - full_attention_share) * np.minimum(
        context_tokens, window_tokens
    )


def causal_pairs(tokens: Number) -> Number:
    """Return how many pairs of tokens a causal pass over a prompt scores, ``n (n + 1) / 2``."""
    return tokens * (tokens + 1.0) / 2.0


def chunked_pairs(tokens: Number, chunk_tokens: Number) -> Number:
    """Return the pairs that are multiplied where a mask and not a tile leaves out the later ones, ``n (n + c) / 2``.

    A chunk of c tokens is held against all tokens up to its own last; what it may not see is multiplied, then masked.
    """
    return tokens * (tokens + np.minimum(tokens, chunk_tokens)) / 2.0


def scores_time_s(layers: Number, heads: Number, pairs: Number, pair_time_s: Number) -> Number:
    """Return the time of the softmax over scores that lie whole in memory, ``L n_h p t_p`` [s].

    Parameters
    ----------
    layers, heads, pairs : float
        Layers, query heads of a layer, and pairs of tokens that each of them scores.
    pair_time_s : float
        Time of one score through mask, maximum, exponential, sum and division [s].
    """
    return layers * heads * pairs * pair_time_s


def windowed_pairs(tokens: Number, full_attention_share: Number, window_tokens: Number) -> Number:
    """Return the pairs of a causal pass where some layers see only a window, as a mean over the layers.

    A token has ``(n + 1) / 2`` others to look at on average, itself among them; a layer with a window takes no more of
    them than the window holds.
    """
    return tokens * attended_tokens((tokens + 1.0) / 2.0, full_attention_share, window_tokens)


def window_pairs(tokens: Number, window_tokens: Number) -> Number:
    """Return the pairs of a causal pass where each token sees itself and those before it, w in all at most.

    The first w tokens make a triangle, each later one a full row: ``m (m + 1) / 2 + (n - m) w`` with m the smaller.
    """
    opening = np.minimum(tokens, window_tokens)
    return opening * (opening + 1.0) / 2.0 + (tokens - opening) * window_tokens


def limited_pairs(pairs: Number, window_tokens: Number) -> Number:
    """Return the pairs of one prompt that are left where a token sees only so many, ``min(p, w sqrt(2 p))``.

    A prompt of n tokens has ``n^2 / 2`` pairs, so that its n is the root of twice the pairs.
    """
    return np.minimum(pairs, window_tokens * np.sqrt(2.0 * pairs))


def pair_flop(layers: Number, heads: Number, key_width: Number, value_width: Number) -> Number:
    """Return the operations for one pair of tokens over all layers, ``2 L n_h (d_k + d_v)``: a score and a weighed sum.

    Parameters
    ----------
    layers, heads : float
        Layers of the model and query heads of a layer.
    key_width, value_width : float
        Numbers in one head's key and value; latent attention when absorbed has c + d_r and c.
    """
    return 2.0 * layers * heads * (key_width + value_width)


def prefill_flop(layers: Number, heads: Number, key_width: Number, value_width: Number, tokens: Number) -> Number:
    """Return the operations of causal attention over a prompt [flop]: it grows with the square of its length."""
    return pair_flop(layers, heads, key_width, value_width) * causal_pairs(tokens)


def decode_flop(
    layers: Number, heads: Number, key_width: Number, value_width: Number, context_tokens: Number
) -> Number:
    """Return the operations of attention for one new token [flop]: it grows with the length of the context."""
    return pair_flop(layers, heads, key_width, value_width) * context_tokens


def naive_traffic_B(tokens: Number, head_width: Number, element_B: Number) -> Number:
    """Return what one head moves through memory when scores and weights are stored, ``(4 n d + 4 n^2) b`` [4]_ [B].

    Queries and keys are read, scores written and read, weights written and read, values read, the result written.
    """
    return (4.0 * tokens * head_width + 4.0 * tokens * tokens) * element_B


def flash_traffic_B(tokens: Number, head_width: Number, element_B: Number, sram_B: Number) -> Number:
    """Return what one head moves through memory with tiles in the chip's own memory [B].

    A tile of queries holds ``M / (4 d)`` rows of the M numbers that fit; keys and values stream past each tile
    once: ``(2 n d + 2 n d ceil(n / rows)) b``, which is the order ``n^2 d^2 / M`` of theorem 2 [4]_.
    """
    rows = np.maximum(np.floor(sram_B / element_B / (4.0 * head_width)), 1.0)
    return 2.0 * tokens * head_width * element_B * (1.0 + np.ceil(tokens / rows))


def attend(
    query: NDArray[np.float64], keys: NDArray[np.float64], values: NDArray[np.float64], causal: bool = True
) -> NDArray[np.float64]:
    """Attend with one head: rows are tokens; with fewer queries than keys the queries are the latest tokens."""
    scores = query @ keys.T / np.sqrt(query.shape[1])
    if causal:
        new, old = scores.shape
        scores = np.where(np.arange(old)[None, :] <= np.arange(new)[:, None] + old - new, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ values


def attend_in_tiles(
    query: NDArray[np.float64], keys: NDArray[np.float64], values: NDArray[np.float64], tile: int
) -> NDArray[np.float64]:
    """Attend causally over tiles of keys with a running maximum and sum: the n x n scores never exist at once [4]_."""
    n, d = query.shape
    best = np.full((n, 1), -np.inf)
    total = np.zeros((n, 1))
    mixed = np.zeros((n, values.shape[1]))
    for start in range(0, n, tile):
        part = slice(start, min(start + tile, n))
        scores = query @ keys[part].T / np.sqrt(d)
        scores = np.where(np.arange(n)[part][None, :] <= np.arange(n)[:, None], scores, -np.inf)
        higher = np.maximum(best, scores.max(axis=1, keepdims=True))
        weights = np.exp(scores - higher)
        shrink = np.exp(best - higher)
        total = total * shrink + weights.sum(axis=1, keepdims=True)
        mixed = mixed * shrink + weights @ values[part]
        best = higher
    return mixed / total
