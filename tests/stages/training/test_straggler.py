"""The slowest of many, against drawn clusters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.training import straggler


@pytest.mark.parametrize("ranks", [2, 8, 64, 1024])
def test_expected_maximum_is_the_mean_of_drawn_maxima(ranks: int) -> None:
    drawn = np.random.default_rng(3).normal(size=(20_000_000 // ranks // 10, ranks)).max(axis=1)
    error = drawn.std() / np.sqrt(len(drawn))
    assert abs(straggler.expected_maximum(ranks) - drawn.mean()) < 5.0 * error


def test_jitter_averages_out_and_slow_chips_do_not() -> None:
    generator = np.random.default_rng(4)
    ranks, parts, clusters = 64, 16, 4_000
    chip = generator.normal(0.0, 0.02, size=(clusters, ranks))
    jitter = generator.normal(0.0, 0.05, size=(clusters, ranks, parts)).mean(axis=2)
    slowest = 1.0 + (chip + jitter).max(axis=1)
    error = slowest.std() / np.sqrt(clusters)
    assert abs(straggler.slowest_over_mean(ranks, 0.02, 0.05, parts) - slowest.mean()) < 5.0 * error


def test_one_accelerator_waits_for_nobody() -> None:
    assert straggler.barrier_wait_s(6.5, 1, 0.02, 0.02, 8) == pytest.approx(0.0, abs=1e-12)


@given(st.integers(2, 100_000), st.floats(0.001, 0.1), st.integers(1, 64))
def test_more_accelerators_wait_longer(ranks: int, spread: float, parts: int) -> None:
    few = straggler.barrier_wait_s(1.0, ranks, spread, spread, parts)
    assert straggler.barrier_wait_s(1.0, 2 * ranks, spread, spread, parts) > few > 0.0


def test_spread_and_range_undo_each_other() -> None:
    drawn = np.random.default_rng(5).normal(1.0, 0.015, size=(4_000, 200))
    ranges = drawn.max(axis=1) - drawn.min(axis=1)
    assert straggler.spread_of_range(ranges.mean(), 200) == pytest.approx(0.015, rel=0.01)


def test_waiting_costs_power_times_time() -> None:
    assert straggler.wasted_energy_J(5e-3, 20_000, 1_000.0) == pytest.approx(1e5)
