"""The KV cache: keys and values of every token so far are kept, so that they are read again and not computed again.

Its size for each token follows from the form of attention: every group of heads keeps one key and one value in each
layer, or latent attention keeps one latent vector and one rotary key. A long context on many streams is as much to
read in a step as the weights are, and it is what fills the memory first.

References
----------
.. [1] N. Shazeer, "Fast transformer decoding: one write-head is all you need", 2019, https://arxiv.org/abs/1911.02150
.. [2] C. Zhao et al., "Insights into DeepSeek-V3", ISCA 2025, https://arxiv.org/abs/2505.09343: table 1, bytes a token.
.. [3] W. Kwon et al., "Efficient memory management for large language model serving with PagedAttention", SOSP 2023,
   https://arxiv.org/abs/2309.06180: pages of 16 tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (
    2019,
    "N. Shazeer, One write-head is all you need, arXiv 1911.02150, names the cost of the kept keys and values",
)


def gqa_token_B(layers: Number, kv_heads: Number, head_width: Number, kv_element_B: Number) -> Number:
    """Return the cached bytes of a token with grouped heads, a key and a value for each: ``2 L n_kv d b`` [B].

    Parameters
    ----------
    layers, kv_heads, head_width : float
        Layers, groups of heads in a layer, numbers in a head.
    kv_element_B : float
        Bytes of one number [B].
    """
    return 2.0 * layers * kv_heads * head_width * kv_element_B


def mla_token_B(layers: Number, kv_rank: Number, rope_width: Number, kv_element_B: Number) -> Number:
    """Return the cached bytes of a token with latent attention, ``L (c + d_r) b`` [B]."""
    return layers * (kv_rank + rope_width) * kv_element_B


def cache_B(context_tokens: Number, kv_token_B: Number, streams: Number) -> Number:
    """Return the bytes of the cache of some streams with a mean context [B]."""
    return context_tokens * kv_token_B * streams


def shard_B(size_B: Number, tensor_ranks: Number, kv_shards: Number) -> Number:
    """Return the bytes of a group's cache on one of its ranks: heads can be split, one latent cannot and is copied [B].

    Parameters
    ----------
    size_B : float
        Bytes of the whole group's cache [B].
    tensor_ranks : float
        Ranks that share the layers.
    kv_shards : float
        Parts into which a token's cache can be split: its groups of heads, or 1 for a latent vector.
    """
    return size_B / np.minimum(tensor_ranks, kv_shards)


def capacity_tokens(memory_B: Number, usable_share: Number, held_B: Number, kv_token_B: Number) -> Number:
    """Return the tokens for which there is room beside the weights; none where the weights fill the memory already."""
    return np.maximum(memory_B * usable_share - held_B, 0.0) / kv_token_B


def pages(context_tokens: Number, page_tokens: Number) -> Number:
    """Return the pages of a context: only the last is partly empty [3]_."""
    return np.ceil(context_tokens / page_tokens)


def transfer_time_s(size_B: Number, bandwidth_B_s: Number, link_efficiency: Number, latency_s: Number) -> Number:
    """Return the time to hand a prompt's cache from the ranks that read it to those that write the answer [s]."""
    return latency_s + size_B / (bandwidth_B_s * link_efficiency)


@dataclass
class Cache:
    """The cache of one head: `step` appends a token and attends to all so far."""

    keys: list[NDArray[np.float64]] = field(default_factory=list[NDArray[np.float64]])
    values: list[NDArray[np.float64]] = field(default_factory=list[NDArray[np.float64]])

    def step(
        self, query: NDArray[np.float64], key: NDArray[np.float64], value: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Append one token's key and value, and return what its query finds; nothing old is computed again."""
        self.keys.append(key)
        self.values.append(value)
        scores = np.stack(self.keys) @ query / np.sqrt(query.size)
        weights = np.exp(scores - scores.max())
        return weights @ np.stack(self.values) / weights.sum()
