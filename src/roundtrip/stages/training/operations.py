"""Operations of a training run: what reading every token costs, forward and back, and how many hours that is.

A multiply and an add are two operations. One pass forward multiplies each token with every weight that it meets, 2
operations a weight; the way back does it twice (gradients of the inputs and of the weights), so training costs 6
operations a weight and token [1]_. Attention adds the scores: each token looks at the tokens before it, on average
half the sequence (causal).

    flop per token = 6 (weights in matrix products) + 6 L n_h d s        (12 in place of 6 if the mask is not used)

The input embedding is a table look-up and has no part in it; the output head has. The forms are held against the
throughput pairs (tokens a second, operations a second) that NVIDIA publishes for its own training stack [4]_.

References
----------
.. [1] J. Kaplan et al., "Scaling laws for neural language models", 2020, section 2.1, https://arxiv.org/abs/2001.08361
.. [2] D. Narayanan et al., "Efficient large-scale language model training on GPU clusters using Megatron-LM", SC 2021,
   section 5.1 and appendix, https://arxiv.org/abs/2104.04473
.. [3] J. Hoffmann et al., "Training compute-optimal large language models", 2022, https://arxiv.org/abs/2203.15556
.. [4] NVIDIA, Megatron-Bridge, docs/performance-summary.md, https://github.com/NVIDIA-NeMo/Megatron-Bridge
.. [5] DeepSeek-AI, "DeepSeek-V3 technical report", 2024, sections 2.1 and 4.2, https://arxiv.org/abs/2412.19437
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2020, "J. Kaplan et al., Scaling laws for neural language models: 6 operations for each weight and token")


def simple_flop(parameters: Number, training_tokens: Number) -> Number:
    """Return the operations of a run by the rule ``6 N D`` [1]_; attention scores are left out."""
    return 6.0 * parameters * training_tokens


def gpt_parameters(layers: Number, hidden_width: Number, vocabulary: Number, sequence_tokens: Number) -> Number:
    """Return the weights of a GPT-2 style model, ``12 L h^2 (1 + 13/12h + (V+s)/12Lh)`` [2]_.

    Written out: 12 h^2 matrix weights and 13 h biases and norms a layer, an embedding of V rows and of s positions.
    """
    body = 12.0 * layers * hidden_width * hidden_width
    return body * (1.0 + 13.0 / (12.0 * hidden_width) + (vocabulary + sequence_tokens) / (12.0 * layers * hidden_width))


def gpt_step_flop(
    layers: Number, hidden_width: Number, vocabulary: Number, sequence_tokens: Number, batch_sequences: Number
) -> Number:
    """Return the operations of one optimizer step of a GPT-2 style model, ``72 B s L h^2 (1 + s/6h + V/12Lh)`` [2]_."""
    body = 72.0 * batch_sequences * sequence_tokens * layers * hidden_width * hidden_width
    return body * (1.0 + sequence_tokens / (6.0 * hidden_width) + vocabulary / (12.0 * layers * hidden_width))


def gpt_step_flop_recomputed(
    layers: Number, hidden_width: Number, vocabulary: Number, sequence_tokens: Number, batch_sequences: Number
) -> Number:
    """Return the same with a second forward pass that makes activations anew, ``96 B s L h^2 (...)`` [2]_."""
    body = 96.0 * batch_sequences * sequence_tokens * layers * hidden_width * hidden_width
    return body * (1.0 + sequence_tokens / (6.0 * hidden_width) + vocabulary / (16.0 * layers * hidden_width))


def grouped_attention_weights(hidden_width: Number, heads: Number, kv_heads: Number, head_width: Number) -> Number:
    """Return the matrix weights of one attention layer whose heads share keys and values in groups."""
    return hidden_width * head_width * (2.0 * heads + 2.0 * kv_heads)


def latent_attention_weights(
    hidden_width: Number, heads: Number, query_rank: Number, kv_rank: Number, nope_width: Number,
    rope_width: Number, value_width: Number,
) -> Number:  # fmt: skip
    """Return the matrix weights of one layer of multi-head latent attention [5]_.

    Down and up for the query, down (with the part that carries the position) and up for keys and values, and the
    output.
    """
    query = hidden_width * query_rank + query_rank * heads * (nope_width + rope_width)
    key_value = hidden_width * (kv_rank + rope_width) + kv_rank * heads * (nope_width + value_width)
    return query + key_value + heads * value_width * hidden_width


def dense_token_flop(
    layers: Number, hidden_width: Number, inner_width: Number, heads: Number, kv_heads: Number, head_width: Number,
    vocabulary: Number, sequence_tokens: Number,
) -> Number:  # fmt: skip
    """Return the training operations a token of a dense model: gated feed-forward, causal mask."""
    attention = grouped_attention_weights(hidden_width, heads, kv_heads, head_width)
    weights = layers * (attention + 3.0 * hidden_width * inner_width) + vocabulary * hidden_width
    return 6.0 * weights + 6.0 * layers * heads * head_width * sequence_tokens


def expert_token_flop(
    layers: Number, hidden_width: Number, heads: Number, kv_heads: Number, head_width: Number, expert_width: Number,
    experts_per_token: Number, experts: Number, vocabulary: Number, sequence_tokens: Number,
) -> Number:  # fmt: skip
    """Return the training operations a token of a model whose layers all have experts; the router is counted."""
    attention = grouped_attention_weights(hidden_width, heads, kv_heads, head_width)
    chosen = 3.0 * hidden_width * expert_width * experts_per_token + hidden_width * experts
    weights = layers * (attention + chosen) + vocabulary * hidden_width
    return 6.0 * weights + 6.0 * layers * heads * head_width * sequence_tokens


def latent_expert_token_flop(
    layers: Number, dense_layers: Number, hidden_width: Number, heads: Number, query_rank: Number, kv_rank: Number,
    nope_width: Number, rope_width: Number, value_width: Number, inner_width: Number, expert_width: Number,
    experts_per_token: Number, experts: Number, vocabulary: Number, sequence_tokens: Number,
) -> Number:  # fmt: skip
    """Return the training operations a token of latent attention with experts above a few dense layers [5]_.

    Scores are made over ``d_n + d_r`` numbers a head and weigh values of ``d_v`` numbers; the mask is causal.
    """
    attention = latent_attention_weights(
        hidden_width, heads, query_rank, kv_rank, nope_width, rope_width, value_width
    )  # fmt: skip
    chosen = 3.0 * hidden_width * expert_width * experts_per_token + hidden_width * experts
    below = np.minimum(dense_layers, layers)
    weights = layers * attention + below * 3.0 * hidden_width * inner_width + (layers - below) * chosen
    scores = 3.0 * layers * heads * sequence_tokens * (nope_width + rope_width + value_width)
    return 6.0 * (weights + vocabulary * hidden_width) + scores


def accelerator_hours(flop: Number, flop_rate_flop_s: Number, efficiency: Number) -> Number:
    """Return the accelerator hours of a run: operations over the peak rate and the share of it that is reached [h]."""
    return flop / (flop_rate_flop_s * efficiency) / 3600.0


def reached_share(flop: Number, accelerator_time_h: Number, flop_rate_flop_s: Number) -> Number:
    """Return the share of the peak that a run reached over all its hours (model FLOPs utilization, MFU)."""
    return flop / (accelerator_time_h * 3600.0 * flop_rate_flop_s)


def run_duration_s(accelerator_time_h: Number, accelerators: Number) -> Number:
    """Return how long a run takes when all accelerators work at once [s]."""
    return accelerator_time_h * 3600.0 / accelerators


def step_duration_s(flop: Number, accelerators: Number, flop_rate_flop_s: Number, efficiency: Number) -> Number:
    """Return the time of one optimizer step of `flop` operations [s]."""
    return flop / (accelerators * flop_rate_flop_s * efficiency)


def hours_per_tokens(accelerator_time_h: Number, training_tokens: Number) -> Number:
    """Return the accelerator hours for each 10^12 tokens [h]."""
    return accelerator_time_h * 1e12 / training_tokens


def optimal_parameters(flop: Number, tokens_per_parameter: Number) -> Number:
    """Return the weights that a budget trains best, ``sqrt(C / 6 r)`` with r tokens a weight (about 20) [3]_."""
    return np.sqrt(flop / (6.0 * tokens_per_parameter))


def decades(shortest_s: Number, longest_s: Number) -> Number:
    """Return how many powers of ten lie between two times."""
    return np.log10(longest_s / shortest_s)
