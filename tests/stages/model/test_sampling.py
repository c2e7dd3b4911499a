"""Scores, probabilities, a token."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.model import sampling

SCORES = np.array([2.0, 1.0, 0.5, -1.0, -3.0])


@given(st.floats(-50.0, 50.0), st.floats(0.05, 10.0))
def test_softmax_does_not_care_about_a_common_shift(shift: float, temperature: float) -> None:
    np.testing.assert_allclose(
        sampling.softmax(SCORES + shift, temperature), sampling.softmax(SCORES, temperature), rtol=1e-9
    )


def test_temperature_zero_is_the_best_and_a_high_one_is_even() -> None:
    np.testing.assert_array_equal(sampling.softmax(SCORES, 0.0), [1, 0, 0, 0, 0])
    np.testing.assert_allclose(sampling.softmax(SCORES, 1e6), 0.2, atol=1e-5)


def test_entropy_of_even_and_of_sure() -> None:
    assert np.isclose(sampling.entropy_bit(np.full(8, 0.125)), 3.0)
    assert sampling.entropy_bit(np.array([1.0, 0.0])) == 0.0


def test_cuts_keep_the_best_and_sum_to_one() -> None:
    p = sampling.softmax(SCORES)
    assert np.flatnonzero(sampling.top_k(p, 2)).tolist() == [0, 1]
    assert np.flatnonzero(sampling.top_p(p, 0.7)).tolist() == [0, 1]
    assert np.flatnonzero(sampling.top_p(p, 0.01)).tolist() == [0]
    assert np.isclose(sampling.top_p(p, 0.9).sum(), 1.0)
    np.testing.assert_allclose(sampling.top_p(p, 1.0), p)


def test_gumbel_noise_draws_from_the_softmax_gumbel_1954() -> None:
    lucks = np.random.default_rng(12).random((40_000, SCORES.size))
    drawn = np.bincount([sampling.pick_by_noise(SCORES, row) for row in lucks], minlength=5) / 40_000
    np.testing.assert_allclose(drawn, sampling.softmax(SCORES), atol=0.01)


@given(st.floats(0.0, 0.999999))
def test_pick_never_takes_what_was_cut(luck: float) -> None:
    assert sampling.pick(sampling.top_k(sampling.softmax(SCORES), 3), luck) in (0, 1, 2)


@given(st.floats(0.0, 20.0), st.floats(0.1, 10.0))
def test_two_tokens_are_the_softmax_of_two(gap: float, temperature: float) -> None:
    assert np.isclose(sampling.better_of_two(gap, temperature), sampling.softmax(np.array([gap, 0.0]), temperature)[0])


def test_picking_reads_the_scores_a_few_times() -> None:
    assert np.isclose(sampling.pick_time_s(517_120.0, 4.0, 3.35e12, 0.0), 4.0 * 517_120.0 / 3.35e12)
