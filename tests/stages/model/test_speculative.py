"""Drafts that are kept or refused."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.model import speculative

shares = st.lists(st.floats(0.0, 1.0), min_size=5, max_size=5).filter(lambda x: sum(x) > 0.1)


@given(shares, shares)
def test_written_token_has_the_models_distribution_leviathan_a_1(left: list[float], right: list[float]) -> None:
    p, q = np.array(left) / sum(left), np.array(right) / sum(right)
    np.testing.assert_allclose(speculative.written(p, q), p, atol=1e-12)


def test_drawing_agrees_with_the_models_distribution() -> None:
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.8, 0.1])
    stream = np.random.default_rng(11)
    drafts = stream.choice(3, 60_000, p=q)
    luck = stream.random((60_000, 2))
    drawn = [speculative.accept(p, q, int(d), a, b) for d, (a, b) in zip(drafts, luck, strict=True)]
    np.testing.assert_allclose(np.bincount(drawn, minlength=3) / 60_000, p, atol=0.01)


def test_greedy_model_keeps_its_own_token_only() -> None:
    p, q = np.array([0.0, 1.0, 0.0]), np.array([0.6, 0.3, 0.1])
    assert {speculative.accept(p, q, d, 0.5, 0.5) for d in range(3)} == {1}


@given(st.floats(0.0, 0.99), st.integers(0, 20))
def test_expected_tokens_is_the_sum_of_a_series(acceptance: float, drafts: int) -> None:
    want = sum(acceptance**i for i in range(drafts + 1))
    assert np.isclose(speculative.expected_tokens(acceptance, float(drafts)), want)


def test_no_drafts_change_nothing() -> None:
    assert speculative.expected_tokens(0.0, 0.0) == 1.0
    assert speculative.work_factor(0.5, 0.0) == 1.0
    assert speculative.draft_time_s(0.0, 0.1, 0.05) == 0.0
    assert speculative.positions(0.0) == 1.0
