"""Operations of a run, against a count of every multiply and add of a small model."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.training import operations


def count_forward_flop(
    layers: int, width: int, inner: int, heads: int, kv_heads: int, vocabulary: int, tokens: int
) -> int:
    """Count multiplies and adds of every matrix product of one sequence; scores by the mask, token by token."""
    head = width // heads
    total = 0
    for _ in range(layers):
        for rows, columns in (
            (width, heads * head), (width, kv_heads * head), (width, kv_heads * head), (heads * head, width),
            (width, inner), (width, inner), (inner, width),
        ):  # fmt: skip
            total += 2 * tokens * rows * columns
        for position in range(tokens):
            seen = position + 1
            total += heads * (2 * head * seen) * 2  # scores, then the weighted sum of values
    return total + 2 * tokens * width * vocabulary


def test_dense_form_counts_what_the_products_do() -> None:
    layers, width, inner, heads, kv_heads, vocabulary, tokens = 3, 64, 160, 4, 2, 500, 64
    counted = 3 * count_forward_flop(layers, width, inner, heads, kv_heads, vocabulary, tokens) / tokens
    form = operations.dense_token_flop(layers, width, inner, heads, kv_heads, width // heads, vocabulary, tokens)
    # The form takes half the square for the mask; the diagonal is one position more, 6 L n d a token.
    assert np.isclose(form + 6.0 * layers * width, counted, rtol=1e-12)


def test_step_form_is_the_parameter_form_times_six() -> None:
    # Without scores, biases and position table, 72 B s L h^2 (...) is 6 operations a matrix weight.
    layers, width, vocabulary, tokens, batch = 24, 2304, 51200, 2048, 512
    weights = 12 * layers * width**2 + vocabulary * width
    scores = 12 * layers * tokens * width * (batch * tokens)
    form = operations.gpt_step_flop(layers, width, vocabulary, tokens, batch)
    assert np.isclose(form, 6.0 * weights * batch * tokens + scores, rtol=1e-12)


def test_recomputing_adds_one_forward_pass_of_the_layers() -> None:
    shape = (48, 8192, 51200, 2048, 1536)
    layers, width, _, tokens, batch = shape
    extra = operations.gpt_step_flop_recomputed(*shape) - operations.gpt_step_flop(*shape)
    forward = batch * tokens * (24 * layers * width**2 + 4 * layers * tokens * width)
    assert np.isclose(extra, forward, rtol=1e-12)


def test_experts_of_one_are_a_dense_model_with_a_router() -> None:
    dense = operations.dense_token_flop(8, 512, 2048, 8, 4, 64, 32000, 1024)
    expert = operations.expert_token_flop(8, 512, 8, 4, 64, 2048, 1, 1, 32000, 1024)
    assert np.isclose(expert - dense, 6.0 * 8 * 512, rtol=1e-9)


def test_latent_attention_of_deepseek_v3_has_187_million_weights_a_layer() -> None:
    weights = operations.latent_attention_weights(7168, 128, 1536, 512, 128, 64, 128)
    expected = 7168 * 1536 + 1536 * 128 * 192 + 7168 * 576 + 512 * 128 * 256 + 128 * 128 * 7168
    assert weights == expected
    assert 1.86e8 < weights < 1.88e8


@given(st.floats(1e18, 1e27), st.floats(1e12, 1e16), st.floats(0.05, 1.0))
def test_hours_and_reached_share_undo_each_other(flop: float, rate: float, share: float) -> None:
    hours = operations.accelerator_hours(flop, rate, share)
    assert np.isclose(operations.reached_share(flop, hours, rate), share)


@given(st.floats(1e18, 1e26), st.floats(1.0, 200.0))
def test_optimal_model_spends_the_budget(flop: float, ratio: float) -> None:
    weights = operations.optimal_parameters(flop, ratio)
    assert np.isclose(operations.simple_flop(weights, ratio * weights), flop)


def test_step_of_llama_405b_at_16384_takes_six_and_a_half_seconds() -> None:
    token = operations.dense_token_flop(126, 16384, 53248, 128, 8, 128, 128256, 8192)
    step = operations.step_duration_s(token * 2048 * 8192, 16384, 989.4e12, 400 / 989.4)
    assert np.isclose(step, 6.46, rtol=0.01)


def test_decades_from_a_nanosecond_to_a_second() -> None:
    assert np.isclose(operations.decades(1e-9, 1.0), 9.0)
