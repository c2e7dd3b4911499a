"""Checkpoints, against runs that are played through failure by failure."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from roundtrip.stages.training import checkpoint

LLAMA_MTBF_S = 54 * 86_400.0 / 419


def play_run(
    interval: float, write: float, restart: float, mtbf: float, attempts: int, seed: int
) -> tuple[float, float]:
    """Play failures one after the other; return the useful share and the mean work that one of them loses."""
    gaps = np.random.default_rng(seed).exponential(mtbf, size=attempts)
    # Between two failures whole segments succeed, and the rest of the time is lost with a restart.
    whole = np.floor(gaps / (interval + write))
    lost = gaps - whole * (interval + write)
    return float(whole.sum() * interval / (gaps.sum() + attempts * restart)), float(lost.mean())


@pytest.mark.parametrize(
    ("interval", "expected"), [(300.0, 0.9330), (600.0, 0.9220), (1200.0, 0.8979), (2400.0, 0.8499)]
)
def test_useful_share_equals_played_runs(interval: float, expected: float) -> None:
    exact = checkpoint.useful_share(interval, 1.0, 600.0, LLAMA_MTBF_S)
    played, _ = play_run(interval, 1.0, 600.0, LLAMA_MTBF_S, 4_000_000, 8)
    assert exact == pytest.approx(played, abs=3e-4)
    assert exact == pytest.approx(expected, abs=2e-4)


def test_lost_work_equals_played_runs() -> None:
    _, lost = play_run(600.0, 60.0, 600.0, 4_000.0, 2_000_000, 9)
    assert checkpoint.lost_work_s(600.0, 60.0, 4_000.0) == pytest.approx(lost, rel=0.003)


def test_rare_failures_lose_half_an_interval_on_both_sides_of_the_series() -> None:
    for mtbf in (6e5, 6.0001e6, 5.9999e6, 1e9):
        assert checkpoint.lost_work_s(599.0, 1.0, mtbf) == pytest.approx(300.0 - 600.0**2 / 12 / mtbf, rel=1e-6)


@pytest.mark.parametrize(
    ("write", "young", "daly"), [(1.0, 149, 149), (10.0, 472, 465), (60.0, 1156, 1116), (300.0, 2585, 2389)]
)
def test_young_and_daly_at_the_rate_of_the_llama_log(write: float, young: float, daly: float) -> None:
    assert checkpoint.young_interval_s(write, LLAMA_MTBF_S) == pytest.approx(young, abs=1.0)
    assert checkpoint.daly_interval_s(write, LLAMA_MTBF_S) == pytest.approx(daly, abs=1.0)


@given(st.floats(0.1, 1000.0), st.floats(5e3, 1e6))
def test_daly_is_nearer_to_the_best_interval_than_young(write: float, mtbf: float) -> None:
    best = minimize_scalar(
        lambda tau: -checkpoint.useful_share(tau, write, 0.0, mtbf), bounds=(1e-3, 10.0 * mtbf), method="bounded",
        options={"xatol": 1e-8 * mtbf},
    ).x  # fmt: skip
    young = abs(checkpoint.young_interval_s(write, mtbf) - best)
    daly = abs(checkpoint.daly_interval_s(write, mtbf) - best)
    assert daly <= young + 1e-3 * best


def test_daly_falls_back_when_a_checkpoint_outlasts_the_peace() -> None:
    assert checkpoint.daly_interval_s(300.0, 100.0) == 100.0


@given(st.floats(10.0, 1e5), st.floats(0.0, 1e3), st.floats(0.0, 1e4), st.floats(1e3, 1e9))
def test_first_order_never_promises_more_than_it_should(tau: float, write: float, restart: float, mtbf: float) -> None:
    exact = checkpoint.useful_share(tau, write, restart, mtbf)
    assert 0.0 <= exact <= 1.0
    assert checkpoint.useful_share_first_order(tau, write, restart, mtbf) <= exact + 1e-9


def test_405_billion_weights_are_six_terabytes_in_three_seconds() -> None:
    size = checkpoint.checkpoint_B(405e9, 14.0)
    assert size == pytest.approx(5.67e12)
    assert checkpoint.write_time_s(size, 2e12) == pytest.approx(2.8, abs=0.05)
