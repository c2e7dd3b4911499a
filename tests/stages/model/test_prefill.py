"""The pass over the prompt."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.model import prefill

times = st.floats(1e-9, 1e3)


@given(times, times)
def test_roofline_lies_between_the_larger_bound_and_the_sum(compute_s: float, memory_s: float) -> None:
    t = prefill.roofline_time_s(compute_s, memory_s)
    assert max(compute_s, memory_s) <= t * (1.0 + 1e-12)
    assert t <= (compute_s + memory_s) * (1.0 + 1e-12)


def test_at_the_ridge_arithmetic_takes_as_long_as_the_memory() -> None:
    n = prefill.ridge_tokens(989.4e12, 3.35e12, 2.0)
    compute_s = prefill.compute_time_s(prefill.linear_flop(70e9, n), 989.4e12, 1.0)
    assert np.isclose(compute_s, prefill.memory_time_s(70e9 * 2.0, 3.35e12, 1.0))
    assert np.isclose(prefill.arithmetic_intensity(n, 2.0), 989.4e12 / 3.35e12)


def test_nobody_waits_for_a_pass_that_does_not_run() -> None:
    assert prefill.pass_wait_s(0.7, 0.0, 1.0) == 0.0
    assert prefill.pass_wait_s(1.0, 0.5, 0.2) == 0.1


def test_shares_of_a_pass_add_up() -> None:
    assert np.isclose(prefill.share_of_pass(10.0, 90.0) + prefill.share_of_pass(90.0, 10.0), 1.0)


def test_slider_time_of_400_tokens_at_8000_a_second() -> None:
    assert prefill.tokens_time_s(400.0, 8000.0) == 0.05


@given(st.floats(1.0, 1e6), st.floats(1.0, 1e6))
def test_scoring_every_token_is_the_whole_work_and_one_token_less(tokens: float, head: float) -> None:
    active = 2e6
    every = prefill.scored_flop(active, head, tokens, tokens)
    assert np.isclose(every, prefill.linear_flop(active, tokens))
    assert prefill.scored_flop(active, head, tokens, 1.0) <= every * (1.0 + 1e-12)


def test_five_hundred_tokens_in_chunks_of_256_take_two_passes() -> None:
    assert prefill.passes(500.0, 256.0) == 2.0
    assert prefill.passes(256.0, 256.0) == 1.0


def test_time_between_the_matrices_grows_with_layers_and_tokens() -> None:
    assert np.isclose(prefill.rows_time_s(30.0, 500.0, 1e-6), 0.015)


@given(times, times)
def test_one_after_the_other_takes_longer_than_side_by_side(compute_s: float, memory_s: float) -> None:
    assert prefill.serial_time_s(compute_s, memory_s) >= prefill.roofline_time_s(compute_s, memory_s) * (1.0 - 1e-12)


def test_between_the_matrices_each_copy_is_moved() -> None:
    assert prefill.between_B(2.0, 3.0, 5.0, 7.0, 2.0) == 420.0
