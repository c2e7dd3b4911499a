"""A state of fixed size in place of a cache."""

from __future__ import annotations

import numpy as np

from roundtrip.stages.model import kv_cache, linear_attention


def test_without_fading_it_is_attention_without_softmax_katharopoulos_2020_equations_18_to_20() -> None:
    q, k, v = np.random.default_rng(3).normal(size=(3, 12, 6))
    state = np.zeros((6, 6))
    for i in range(12):
        state, found = linear_attention.step(state, q[i], k[i], v[i])
        np.testing.assert_allclose(found, (q[i] @ k[: i + 1].T) @ v[: i + 1], rtol=1e-10)


def test_the_delta_rule_replaces_what_a_key_stood_for() -> None:
    first, second = np.array([1.0, 2.0, 3.0]), np.array([-4.0, 5.0, 6.0])
    key = np.array([0.6, 0.8])
    state, _ = linear_attention.step(np.zeros((2, 3)), key, key, first, delta=True)
    _, found = linear_attention.step(state, key, key, second, delta=True)
    np.testing.assert_allclose(found, second)
    _, both = linear_attention.step(state, key, key, second)
    np.testing.assert_allclose(both, first + second)


def test_the_count_of_operations_is_that_of_the_step() -> None:
    d, w = 16.0, 32.0  # fade d w; read, write, read: 2 d w each
    state = linear_attention.state_elements(1.0, d, w)
    assert linear_attention.token_flop(state) == d * w + 4 * d * w
    assert linear_attention.token_flop(state, passes_per_token=3) == d * w + 6 * d * w


def test_a_state_is_worth_some_hundred_cached_tokens_and_then_no_more() -> None:
    state = linear_attention.state_elements(64.0, 128.0, 128.0)
    token = kv_cache.gqa_token_B(1.0, 2.0, 256.0, 1.0)
    assert 1000 < state / token < 1100
    assert linear_attention.convolution_elements(64.0, 16.0, 128.0, 128.0, 4.0) == 3 * (2 * 2048 + 8192)
    assert linear_attention.convolution_elements(64.0, 16.0, 128.0, 128.0, 1.0) == 0.0


def test_weights_are_those_of_their_projections() -> None:
    h, heads, groups, d, w = 2048.0, 32.0, 16.0, 128.0, 128.0
    keys, values = groups * d, heads * w
    mamba = h * (2 * keys + 2 * values + heads) + values * h
    assert linear_attention.mixer_parameters(h, heads, groups, d, w) == mamba
    assert linear_attention.mixer_parameters(h, heads, groups, d, w, gates_per_head=2) == mamba + h * heads
