"""Experts: how many a batch touches, and who is busiest."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.model import experts


def test_one_token_touches_what_it_picks() -> None:
    assert np.isclose(experts.distinct_experts(256.0, 8.0, 1.0), 8.0)


@given(st.floats(1.0, 1e5), st.floats(1.0, 1e5))
def test_more_tokens_touch_more_but_never_more_than_all(few: float, more: float) -> None:
    low, high = (experts.distinct_experts(256.0, 8.0, n) for n in (few, few + more))
    assert 8.0 - 1e-9 <= low <= high <= 256.0


def test_distinct_experts_against_drawing_them() -> None:
    stream = np.random.default_rng(4)
    drawn = [
        np.unique(np.concatenate([stream.choice(64, 4, replace=False) for _ in range(20)])).size for _ in range(400)
    ]
    assert np.isclose(np.mean(drawn), experts.distinct_experts(64.0, 4.0, 20.0), rtol=0.01)


def test_busiest_rank_against_drawing_poisson_loads() -> None:
    loads = np.random.default_rng(5).poisson(700.0, size=(2000, 144))
    assert np.isclose(np.mean(loads.max(axis=1)) / 700.0, experts.busiest_load(144.0, 700.0), rtol=0.005)


def test_one_rank_is_never_busier_than_itself() -> None:
    assert np.isclose(experts.busiest_load(1.0, 10.0), 1.0)


def test_all_ranks_read_all_touched_experts_together() -> None:
    one = experts.touched_B(58.0, experts.held_share(256.0, 0.0, 32.0), 256.0, 8.0, 500.0, 44e6, 1.0)
    assert np.isclose(32.0 * one, 58.0 * experts.distinct_experts(256.0, 8.0, 500.0) * 44e6)


def test_work_follows_picked_not_held_experts() -> None:
    assert experts.routed_flop(58.0, 8.0, 44e6, 3.0) == 2.0 * 3.0 * experts.routed_parameters(58.0, 8.0, 44e6)


def test_each_touched_expert_fills_up_a_tile() -> None:
    """Four experts of which a token picks one: very many tokens touch all, so that eight a tile add 32."""
    assert experts.padded_tokens(4.0, 1.0, 1e6, 8.0) == pytest.approx(1e6 + 32.0)
    assert experts.padded_tokens(256.0, 8.0, 1.0, 8.0) == pytest.approx(9.0), "one token touches its eight alone"
    assert experts.padded_tokens(256.0, 8.0, 0.0, 8.0) == 0.0
    assert experts.padded_tokens(256.0, 8.0, 100.0, 0.0) == 100.0


def test_the_router_is_small_beside_what_it_chooses() -> None:
    assert experts.router_parameters(7168.0, 256.0) == 7168.0 * 256.0
    assert experts.router_parameters(7168.0, 256.0) < 0.1 * experts.expert_parameters(7168.0, 2048.0)
