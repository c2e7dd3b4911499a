"""The cone's current against an adaptive solver, and its tables against the fixed-step one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from roundtrip.stages.eye import cone

FORMS = (
    (cone.resting_current_A, 1e-12),
    (cone.peak_time_s, 1e-3),
    (cone.half_rise_s, 1e-3),
    (lambda rate: cone.flash_peak_A(rate, 1.0), 1e-15),
)


def test_the_runge_kutta_rule_agrees_with_lsoda() -> None:
    rate = 2e4
    start = cone.steady(np.array([rate]))[:, 0]

    def slope(time_s: float, state: np.ndarray) -> np.ndarray:
        lit = rate + (cone.FLASH_PHOTONS / cone.FLASH_S if time_s < cone.FLASH_S else 0.0)
        return cone.derivative(state, lit)

    first = solve_ivp(slope, (0.0, cone.FLASH_S), start, method="LSODA", rtol=1e-10, atol=1e-12)
    times, response = cone.flash(np.array([rate]))
    late = times[times > cone.FLASH_S + 1e-9]
    then = solve_ivp(
        lambda _, y: cone.derivative(y, rate),
        (cone.FLASH_S, late[-1]), first.y[:, -1], method="LSODA", t_eval=late, rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    theirs = (cone.current_pA(start) - cone.current_pA(then.y)) / cone.FLASH_PHOTONS
    ours = response[times > cone.FLASH_S + 1e-9, 0]
    assert np.max(np.abs(ours - theirs)) < 1e-4 * np.max(theirs)


@pytest.mark.parametrize("log_rate", [1.1, 2.025, 2.575, 3.325, 3.975, 4.015, 4.305, 4.615, 4.945])
def test_tables_agree_with_the_solver_within_a_thousandth(log_rate: float) -> None:
    rate = 10.0**log_rate
    for (form, unit), expected in zip(FORMS, cone.features(rate), strict=True):
        assert form(rate) / unit == pytest.approx(expected, rel=1e-3)


def test_the_committed_tables_are_those_that_are_made() -> None:
    made = cone.tables()
    for name in ("CURRENT", "PEAK_TIME", "HALF_TIME", "PEAK", "SHAPE"):
        np.testing.assert_allclose(getattr(cone, name), made[name], atol=2e-4)


def test_the_shape_is_the_solvers_on_a_page_and_within_7_percent_around_it() -> None:
    for rate, allowed in ((2e4, 1e-3), (1e4, 0.07), (3e4, 0.07)):
        times, response = cone.flash(np.array([rate]))
        seen = times < 0.32
        ours = 1e12 * cone.response_A(times[seen], rate, 1.0)
        assert np.max(np.abs(ours - response[seen, 0])) < allowed * np.max(response)


@given(st.floats(0.0, 5e4))
def test_the_response_peaks_after_23_to_30_ms_display_page_row_35(rate: float) -> None:
    assert 23e-3 < cone.peak_time_s(rate) < 30.3e-3
    assert 10.5e-3 < cone.half_rise_s(rate) < 15.5e-3


@given(st.floats(1.0, 5e4), st.floats(1.1, 2.0))
def test_a_brighter_background_leaves_less_current_and_less_gain(rate: float, factor: float) -> None:
    assert cone.resting_current_A(factor * rate) <= cone.resting_current_A(rate)
    assert cone.flash_peak_A(factor * rate, 1.0) <= cone.flash_peak_A(rate, 1.0)


def test_what_rests_rests() -> None:
    rates = np.array([0.0, 1e2, 1e4, 1e5])
    state = cone.steady(rates)
    assert np.max(np.abs(cone.derivative(state, rates) / np.maximum(state, 1.0))) < 1e-6


def test_the_dark_current_is_half_of_k_g_cubed() -> None:
    assert cone.resting_current_A(0.0) == pytest.approx(0.5e-12 * 0.02 * 20.5**3, rel=1e-3)
