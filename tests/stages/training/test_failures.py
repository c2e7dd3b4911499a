"""Failures, against drawn histories."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from roundtrip.stages.training import failures


def test_first_failure_of_many_comes_n_times_sooner() -> None:
    drawn = np.random.default_rng(6).exponential(5.0e4, size=(20_000, 100)).min(axis=1)
    assert drawn.mean() == pytest.approx(failures.fleet_mtbf_s(5.0e4, 100), rel=0.03)
    assert (drawn > 300.0).mean() == pytest.approx(failures.undisturbed_chance(300.0, 500.0), abs=0.015)


def test_llama_log_of_54_days_table_5_means_three_hours() -> None:
    one = failures.mtbf_of_one_s(54 * 86_400.0, 16_384, 419)
    assert one / 3600 == pytest.approx(50_700, rel=0.001)
    assert failures.fleet_mtbf_s(one, 16_384) / 3600 == pytest.approx(3.093, abs=0.001)


@given(st.floats(1e3, 1e9), st.integers(1, 10**6))
def test_rate_of_one_and_of_the_fleet_undo_each_other(duration: float, accelerators: int) -> None:
    one = failures.mtbf_of_one_s(duration, accelerators, 10.0)
    fleet = failures.fleet_mtbf_s(one, accelerators)
    assert failures.expected_interruptions(duration, fleet) == pytest.approx(10.0)


def test_rate_by_server_is_rate_by_accelerator() -> None:
    by_server = failures.fleet_mtbf_by_server_s(6.5e-3, 16_384, 8)
    by_one = failures.fleet_mtbf_s(8 * 86_400.0 / 6.5e-3, 16_384)
    assert by_server == pytest.approx(by_one)


@given(st.floats(1e-4, 0.2))
def test_spares_follow_the_binomial_law(unavailability: float) -> None:
    ours = failures.spares_exhausted_chance(unavailability, servers=100, spares=4)
    assert ours == pytest.approx(binom.sf(4, 104, unavailability), rel=1e-9, abs=1e-300)


@given(st.floats(1.0, 1e8), st.floats(0.0, 1e5))
def test_availability_is_a_share(mtbf: float, restart: float) -> None:
    assert 0.0 < failures.availability(mtbf, restart) <= 1.0
