"""Attention: its work, its traffic, and the same result in tiles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.model import attention


@pytest.mark.parametrize("tile", [1, 3, 16, 64])
def test_tiles_give_the_same_result_dao_2022(tile: int) -> None:
    q, k, v = np.random.default_rng(2).normal(size=(3, 37, 8))
    np.testing.assert_allclose(attention.attend_in_tiles(q, k, v, tile), attention.attend(q, k, v), rtol=1e-12)


def test_a_token_never_sees_later_ones() -> None:
    q, k, v = np.random.default_rng(3).normal(size=(3, 12, 4))
    before = attention.attend(q, k, v)[:6]
    v[6:] = 1e6
    k[6:] = -3.0
    np.testing.assert_array_equal(attention.attend(q, k, v)[:6], before)


def test_equal_keys_give_the_mean_of_values() -> None:
    v = np.arange(12.0).reshape(6, 2)
    out = attention.attend(np.ones((1, 3)), np.ones((6, 3)), v, causal=False)
    np.testing.assert_allclose(out[0], v.mean(axis=0))


@given(st.integers(1, 200), st.integers(1, 8), st.integers(1, 128))
def test_grouped_with_all_heads_is_multi_head(heads: int, group: int, width: int) -> None:
    h = 4.0 * heads * width
    whole = attention.gqa_parameters(h, heads, heads, width)
    assert whole == 4.0 * h * heads * width
    assert attention.gqa_parameters(h, heads, max(heads // group, 1), width) <= whole


@given(st.integers(1, 100_000))
def test_decoding_one_by_one_is_as_much_work_as_a_causal_pass(tokens: int) -> None:
    n = float(tokens)
    pairs = attention.causal_pairs(n)
    assert pairs == n * (n + 1.0) / 2.0
    assert np.isclose(attention.prefill_flop(2, 4, 8, 8, n), attention.decode_flop(2, 4, 8, 8, pairs))


def test_growth_is_square_for_a_prompt_and_straight_for_a_token() -> None:
    shape = (61.0, 128.0, 192.0, 128.0)
    assert np.isclose(attention.prefill_flop(*shape, 2e5) / attention.prefill_flop(*shape, 1e5), 4.0, rtol=1e-4)
    assert attention.decode_flop(*shape, 2e5) == 2.0 * attention.decode_flop(*shape, 1e5)


def test_traffic_ratio_flashattention_figure_2() -> None:
    """GPT-2 medium, n = 1024, d = 64, A100 with 192 kB a core: the paper measures 40.3 over 4.4 GB, 9.2 times."""
    ratio = attention.naive_traffic_B(1024.0, 64.0, 2.0) / attention.flash_traffic_B(1024.0, 64.0, 2.0, 192.0 * 1024.0)
    assert np.isclose(ratio, 40.3 / 4.4, rtol=0.15)


def test_window_never_adds_tokens() -> None:
    assert attention.attended_tokens(100.0, 0.2, 1000.0) == 100.0
    assert attention.attended_tokens(10_000.0, 0.2, 1000.0) == 0.2 * 10_000.0 + 0.8 * 1000.0


def test_without_windows_the_pairs_are_the_causal_ones() -> None:
    assert attention.windowed_pairs(1000.0, 1.0, 1.0) == attention.causal_pairs(1000.0)
    assert attention.windowed_pairs(1000.0, 0.0, 100.0) == 1000.0 * 100.0


def test_chunks_multiply_what_the_mask_throws_away() -> None:
    n = 512.0
    assert attention.chunked_pairs(n, 1.0) == attention.causal_pairs(n)
    assert attention.chunked_pairs(n, n) == n * n
    assert attention.chunked_pairs(n, 10.0 * n) == n * n
    # Two chunks of 256: 256 x 256 and 256 x 512.
    assert attention.chunked_pairs(n, 256.0) == 256.0 * 256.0 + 256.0 * 512.0


def test_scores_take_their_time_for_each_layer_and_head() -> None:
    assert np.isclose(attention.scores_time_s(30.0, 9.0, 100.0, 2e-9), 54e-6)


def test_limited_pairs_of_one_prompt() -> None:
    """A prompt of 10,000 tokens, each of which sees 128: twice as exact as needed, within 1 % of the count."""
    pairs = attention.causal_pairs(10_000.0)
    assert attention.limited_pairs(pairs, 128.0) == pytest.approx(attention.window_pairs(10_000.0, 128.0), rel=0.01)
    assert attention.limited_pairs(pairs, 1e12) == pairs


def test_a_window_takes_away_the_pairs_that_lie_too_far_back() -> None:
    n, w = 37, 8
    seen = sum(min(i + 1, w) for i in range(n))
    assert attention.window_pairs(float(n), float(w)) == seen
    assert attention.window_pairs(5.0, 8.0) == attention.causal_pairs(5.0)
    assert attention.window_pairs(0.0, 8.0) == 0.0


def test_latent_attention_with_a_full_query_swaps_two_matrices_for_one() -> None:
    ranked = attention.mla_parameters(2048.0, 16.0, 128.0, 64.0, 128.0, 1536.0, 512.0)
    full = attention.mla_full_query_parameters(2048.0, 16.0, 128.0, 64.0, 128.0, 512.0)
    assert ranked - full == 2048.0 * 1536.0 + 1536.0 * 16.0 * 192.0 - 2048.0 * 16.0 * 192.0


def test_an_indexer_costs_a_few_hundredths_of_the_attention_that_it_saves() -> None:
    layer = attention.mla_parameters(7168.0, 128.0, 128.0, 64.0, 128.0, 1536.0, 512.0)
    added = attention.indexer_parameters(7168.0, 1536.0, 64.0, 128.0)
    assert 0.05 < added / layer < 0.1
    pairs = attention.causal_pairs(131_072.0)
    dense = attention.pair_flop(1.0, 128.0, 192.0, 128.0) * pairs
    sparse = attention.pair_flop(1.0, 128.0, 192.0, 128.0) * attention.window_pairs(131_072.0, 2048.0)
    assert sparse + attention.indexer_flop(64.0, 128.0, pairs) < 0.3 * dense


def test_a_gate_and_a_missing_value_are_matrices_of_their_own() -> None:
    assert attention.output_gate_parameters(4096.0, 32.0, 256.0) == 4096.0 * 8192.0
    shared = attention.gqa_parameters(64.0, 4.0, 2.0, 16.0) - attention.value_parameters(64.0, 2.0, 16.0)
    assert shared == 64.0 * 16.0 * (4.0 + 4.0 + 2.0)  # queries, output, keys


def test_one_vector_for_key_and_value_leaves_the_query_and_an_output_in_two_steps() -> None:
    h, heads, d = 4096.0, 64.0, 512.0
    layer = attention.shared_key_parameters(h, heads, d, 1024.0, 1024.0, 8.0)
    assert layer == h * 1024.0 + 1024.0 * heads * d + h * d + heads * d * 1024.0 + 8.0 * 1024.0 * h
    assert attention.compressor_parameters(h, d, 2.0) == 2.0 * attention.compressor_parameters(h, d, 1.0) == 4 * h * d
