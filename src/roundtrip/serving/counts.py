"""Exact counts of an architecture: weights, operations, bytes of weights that a batch touches, numbers of the cache.

Every function adds over the blocks what the stages of the model room say of one layer. Results are whole numbers held
in floats (exact below 9e15); contexts and tokens may be arrays, all else is one number.

The weights fall into four heaps: the table that is only looked up (`table_parameters`), what every token is
multiplied with, the output head included (`common_parameters`), the routed experts (`routed_parameters`), and what a
token of text never meets (`other_parameters`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from roundtrip.serving.architecture import Architecture, Block
from roundtrip.stages.model import attention, embedding, experts, kv_cache, linear_attention, prefill, weights


def layers(a: Architecture) -> int:
    """Return the layers."""
    return sum(b.layers for b in a.blocks)


def moe_layers(a: Architecture) -> int:
    """Return the layers with routed experts."""
    return sum(b.layers for b in a.blocks if b.experts)


def attention_layers(a: Architecture) -> int:
    """Return the layers that look back at other tokens; linear ones do not count, they keep a state."""
    return sum(b.layers for b in a.blocks if b.attention in ("gqa", "mla"))


def half_layers(a: Architecture) -> int:
    """Return the halves of layers: a mixer of tokens and a feed-forward network count one each."""
    return sum(
        b.layers * ((b.attention != "none") + bool(b.inner_width or b.experts or b.shared_width)) for b in a.blocks
    )


def parameters(a: Architecture) -> float:
    """Return all weights, without those that predict further tokens."""
    return table_parameters(a) + common_parameters(a) + routed_parameters(a) + a.other_parameters


def active_parameters(a: Architecture) -> float:
    """Return the weights that one token is multiplied with: the output head, not a table that is looked up."""
    return common_parameters(a) + sum(b.layers * b.picked_experts * _expert(a, b) for b in a.blocks)


def table_parameters(a: Architecture) -> float:
    """Return the weights that are only looked up; none where the output head is the same table."""
    return 0.0 if a.tied else head_parameters(a)


def head_parameters(a: Architecture) -> float:
    """Return the weights of the output head."""
    return _whole(embedding.table_parameters(float(a.vocabulary), float(a.hidden_width)))


def common_parameters(a: Architecture) -> float:
    """Return the weights that every token is multiplied with, the output head included."""
    return head_parameters(a) + a.small + sum(b.layers * (_matrices(a, b) + b.small) for b in a.blocks)


def routed_parameters(a: Architecture) -> float:
    """Return the weights of all routed experts."""
    return _whole(sum(experts.routed_parameters(float(b.layers), float(b.experts), _expert(a, b)) for b in a.blocks))


def draft_parameters(a: Architecture) -> float:
    """Return the weights of the layers that predict further tokens.

    With each mixer comes a matrix that joins a token and a state, ``2 h^2``; tables and head are the model's own.
    """
    joined = weights.plain_parameters(float(a.hidden_width), float(a.hidden_width))
    total: Any = 0.0
    for b in a.draft_blocks:
        mixed = joined if b.attention != "none" else 0.0
        total = total + b.layers * (mixed + _matrices(a, b) + b.small + b.experts * _expert(a, b))
    return _whole(total)


def touched_parameters(a: Architecture, tokens: Any) -> Any:
    """Return the weights that a step with so many tokens reads: the common ones, and the distinct experts it picks."""
    return common_parameters(a) + touched_routed_parameters(a, tokens)


def touched_routed_parameters(a: Architecture, tokens: Any) -> Any:
    """Return the weights of the distinct experts that so many tokens pick."""
    total: Any = np.asarray(tokens, dtype=np.float64) * 0.0
    for b in _with_experts(a):
        distinct = experts.distinct_experts(float(b.experts), float(b.picked_experts), tokens)
        total = total + experts.routed_parameters(float(b.layers), distinct, _expert(a, b))
    return total


def flop_per_token(a: Architecture, context: Any) -> Any:
    """Return the operations of one token forward, as the mean of a causal pass over `context` tokens [flop].

    Matrices, the router and the output head count; norms, rotations and the table do not. Training takes three times
    as many.
    """
    return prefill.linear_flop(_multiplied(a), 1.0) + prompt_attention_flop(a, context) / context


def training_flop_per_token(a: Architecture, context: Any) -> Any:
    """Return the operations of one token in training: forward, and twice that on the way back [flop]."""
    return 3.0 * flop_per_token(a, context)


def draft_flop_per_token(a: Architecture, context: Any) -> Any:
    """Return what the layers that predict further tokens add to `flop_per_token`, their pass through the head included.

    Zero where there are none. A depth has one layer with a mixer; each depth scores the vocabulary once.
    """
    depths = sum(b.layers for b in a.draft_blocks if b.attention != "none")
    if not depths:
        return 0.0 * np.asarray(context, dtype=np.float64)
    multiplied = draft_parameters(a) + depths * head_parameters(a)
    attended: Any = 0.0
    for b in a.draft_blocks:
        multiplied -= b.layers * (b.small + (b.experts - b.picked_experts) * _expert(a, b))
        attended = attended + b.layers * _prompt_flop(b, context, 0.0) / context
    return prefill.linear_flop(multiplied, 1.0) + attended


def write_attention_flop(a: Architecture, context: Any) -> Any:
    """Return the operations of attention for one new token that looks back at `context` tokens [flop]."""
    return _summed(a, lambda b: _write_flop(b, context))


def prompt_attention_flop(a: Architecture, tokens: Any, context: Any = 0.0) -> Any:
    """Return the operations of causal attention over new tokens that follow `context` cached ones [flop]."""
    return _summed(a, lambda b: _prompt_flop(b, tokens, context))


def cache_elements(a: Architecture) -> float:
    """Return the numbers that a token adds to the cache over all layers, where no window has closed yet."""
    return _summed(a, lambda b: _token_elements(b))


def cache_read_elements(a: Architecture, context: Any) -> Any:
    """Return the numbers that one decoding sequence reads in a step; a state is read and written back, so twice."""
    return _summed(a, lambda b: _read_elements(b, context))


def cache_held_elements(a: Architecture, context: Any) -> Any:
    """Return the numbers that a sequence of `context` tokens holds: windows keep only their last tokens."""
    return _summed(a, lambda b: _held_elements(b, context))


def state_elements(a: Architecture) -> float:
    """Return the numbers of a sequence's states, whatever its length."""
    return _summed(a, lambda b: float(b.state_elements))


def cache_shards(a: Architecture) -> int:
    """Return over how many tensor ranks the cache can be split; the latent of MLA is copied to each, so 1."""
    found = [1 if b.attention == "mla" else b.kv_heads for b in a.blocks if b.attention in ("gqa", "mla")]
    return min(found) if found else max(b.heads for b in a.blocks)


def _whole(value: Any) -> float:
    return float(value)


def _summed(a: Architecture, of_layer: Callable[[Block], Any]) -> Any:
    total: Any = 0.0
    for b in a.blocks:
        total = total + b.layers * of_layer(b)
    return total


def _with_experts(a: Architecture) -> tuple[Block, ...]:
    return tuple(b for b in a.blocks if b.experts)


def _multiplied(a: Architecture) -> float:
    """Return the weights in matrix products alone: the active ones without norms, biases and short convolutions."""
    return active_parameters(a) - a.small - sum(b.layers * b.small for b in a.blocks)


def _expert(a: Architecture, b: Block) -> Any:
    width = float(b.latent_width or a.hidden_width)
    return _network(width, b.expert_width, b.gated) + b.expert_small


def _network(hidden: float, inner: int, gated: bool) -> Any:
    count = weights.gated_parameters if gated else weights.plain_parameters
    return count(hidden, float(inner))


def _matrices(a: Architecture, b: Block) -> Any:
    """Return the matrix weights of one layer without its routed experts, the router included."""
    hidden = float(a.hidden_width)
    total = _mixer(hidden, b) + _network(hidden, b.inner_width, b.gated) + _network(hidden, b.shared_width, b.gated)
    if b.experts:
        total += experts.router_parameters(hidden, float(b.experts))
    if b.latent_width:
        total = total + weights.plain_parameters(hidden, float(b.latent_width))
    return total


def _mixer(hidden: float, b: Block) -> Any:
    heads, kv_heads = float(b.heads), float(b.kv_heads)
    key, value, rope = float(b.head_width), float(b.value_width), float(b.rope_width)
    if b.attention == "gqa":
        total = attention.gqa_parameters(hidden, heads, kv_heads, (key + value) / 2.0)
        if b.is_value_key:
            total = total - attention.value_parameters(hidden, kv_heads, value)
    elif b.attention == "mla" and b.output_rank:
        ranks = float(b.query_rank), float(b.output_rank), float(b.output_groups)
        total = attention.shared_key_parameters(hidden, heads, key, *ranks)
        if b.compress_tokens:
            overlap = 2.0 if b.index_heads else 1.0
            total = total + attention.compressor_parameters(hidden, key, overlap)
            total = total + attention.compressor_parameters(hidden, float(b.index_width), overlap)
    elif b.attention == "mla":
        rank, kv_rank = float(b.query_rank), float(b.kv_rank)
        total = (
            attention.mla_parameters(hidden, heads, key, rope, value, rank, kv_rank)
            if b.query_rank
            else attention.mla_full_query_parameters(hidden, heads, key, rope, value, kv_rank)
        )
    elif b.attention == "linear":
        gates = 2 if b.is_delta else 1
        return linear_attention.mixer_parameters(hidden, heads, kv_heads, key, value, gates_per_head=gates)
    else:
        return 0.0
    if b.is_gated_output:
        total = total + attention.output_gate_parameters(hidden, heads, value)
    if b.index_heads:
        asked = float(b.query_rank or hidden)
        total = total + attention.indexer_parameters(hidden, asked, float(b.index_heads), float(b.index_width))
        if b.compress_tokens:  # its keys are joined ones, made by their own compressor
            total = total - hidden * b.index_width
    return total


def _seen(limit: int, context: Any) -> Any:
    return np.minimum(context, float(limit)) if limit else context


def _pairs(limit: int, tokens: Any, context: Any) -> Any:
    """Return the pairs of new tokens that follow cached ones, where each sees itself and at most `limit` in all."""
    if not limit:
        return attention.causal_pairs(context + tokens) - attention.causal_pairs(context)
    window = float(limit)
    return attention.window_pairs(context + tokens, window) - attention.window_pairs(context, window)


def _looked_at(b: Block, context: Any) -> Any:
    """Return the vectors that one new token looks at: those of a window, selected ones, joined ones."""
    if b.compress_tokens:
        return _seen(b.window_tokens, context) + _seen(b.selected_tokens, context) / b.compress_tokens
    return _seen(_limit(b), context)


def _kept(b: Block, context: Any) -> Any:
    """Return the vectors that a sequence keeps: its window, or everything, or the window and joined ones."""
    if b.compress_tokens:
        return _seen(b.window_tokens, context) + context / b.compress_tokens
    return _seen(b.window_tokens, context)


def _block_pairs(b: Block, tokens: Any, context: Any) -> Any:
    if b.compress_tokens:
        far = _pairs(b.selected_tokens, tokens, context) / b.compress_tokens
        return _pairs(b.window_tokens, tokens, context) + far
    return _pairs(_limit(b), tokens, context)


def _limit(b: Block) -> int:
    found = [n for n in (b.window_tokens, b.selected_tokens) if n]
    return min(found) if found else 0


def _index_flop(b: Block, pairs: Any) -> Any:
    if not b.index_heads:
        return 0.0
    return attention.indexer_flop(float(b.index_heads), float(b.index_width), pairs / max(b.compress_tokens, 1))


def _write_flop(b: Block, context: Any) -> Any:
    if b.attention == "linear":
        return _state_flop(b)
    if b.attention == "none":
        return 0.0
    key, value = b.head_width + b.rope_width, b.value_width
    if b.attention == "mla" and not b.output_rank:  # absorbed: the latent itself is looked at
        key, value = b.kv_rank + b.rope_width, b.kv_rank
    pair = attention.pair_flop(1.0, float(b.heads), float(key), float(value))
    return pair * _looked_at(b, context) + _index_flop(b, context)


def _prompt_flop(b: Block, tokens: Any, context: Any) -> Any:
    if b.attention == "linear":
        return _state_flop(b) * tokens
    if b.attention == "none":
        return 0.0
    pair = attention.pair_flop(1.0, float(b.heads), float(b.head_width + b.rope_width), float(b.value_width))
    return pair * _block_pairs(b, tokens, context) + _index_flop(b, _pairs(0, tokens, context))


def _state_flop(b: Block) -> Any:
    state = linear_attention.state_elements(float(b.heads), float(b.head_width), float(b.value_width))
    return linear_attention.token_flop(state, passes_per_token=3 if b.is_delta else 2)


def _vector(b: Block) -> Any:
    """Return the numbers of one kept vector of a layer, without an indexer's key."""
    if b.attention == "mla":
        return kv_cache.mla_token_B(1.0, float(b.kv_rank), float(b.rope_width), 1.0)
    if b.attention == "gqa":
        return kv_cache.gqa_token_B(1.0, float(b.kv_heads), (b.head_width + b.value_width) / 2.0, 1.0)
    return 0.0


def _index_key(b: Block) -> float:
    """Return the numbers of an indexer's keys for one token of the context."""
    return b.index_width / max(b.compress_tokens, 1)


def _token_elements(b: Block) -> Any:
    kept = 1.0 + 1.0 / b.compress_tokens if b.compress_tokens else 1.0
    return _vector(b) * kept + _index_key(b)


def _held_elements(b: Block, context: Any) -> Any:
    return _vector(b) * _kept(b, context) + _index_key(b) * context + b.state_elements


def _read_elements(b: Block, context: Any) -> Any:
    return _vector(b) * _looked_at(b, context) + _index_key(b) * context + 2.0 * b.state_elements
