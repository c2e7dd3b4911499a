"""Pupils, by the formulas of a century."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.eye import pupil

luminance = st.floats(1e-3, 1e4)
age = st.floats(20.0, 83.0)


@given(luminance, st.floats(1.1, 10.0), age)
def test_brighter_fields_make_smaller_pupils(light: float, factor: float, years: float) -> None:
    wide = pupil.pupil_watson_yellott_m(light, 1_500.0, 1.0, years)
    assert pupil.pupil_watson_yellott_m(factor * light, 1_500.0, 1.0, years) < wide


@given(luminance)
def test_the_unified_formula_at_28_58_years_is_that_of_stanley_and_davies_watson_yellott_eq_20(light: float) -> None:
    assert np.isclose(
        pupil.pupil_watson_yellott_m(light, 1_500.0, 1.0, 28.58), pupil.pupil_stanley_davies_m(light, 1_500.0, 1.0)
    )


@given(luminance)
def test_one_eye_is_two_eyes_at_a_tenth_of_the_light(light: float) -> None:
    assert np.isclose(
        pupil.pupil_stanley_davies_m(light, 1_500.0, 0.1), pupil.pupil_stanley_davies_m(0.1 * light, 1_500.0, 1.0)
    )


def test_the_dark_pupil_is_7_75_mm_and_the_bright_one_2_mm_stanley_davies() -> None:
    assert pupil.pupil_stanley_davies_m(1e-6, 1.0, 0.1) == pytest.approx(7.75e-3, rel=1e-2)
    assert pupil.pupil_stanley_davies_m(1e5, 20_000.0, 1.0) == pytest.approx(2.0e-3, rel=0.05)


def test_formulas_of_the_pupil_spread_by_a_factor_of_two_in_light_at_200_cd_m2() -> None:
    diameters = [
        pupil.pupil_watson_yellott_m(200.0, 100.0, 1.0, 30.0),
        pupil.pupil_watson_yellott_m(200.0, 2_000.0, 1.0, 30.0),
        pupil.pupil_moon_spencer_m(200.0),
        pupil.pupil_degroot_gebhard_m(200.0),
        pupil.pupil_holladay_m(200.0),
        pupil.pupil_crawford_m(200.0),
        pupil.pupil_barten_m(200.0, 1_500.0),
    ]
    assert (max(diameters) / min(diameters)) ** 2 == pytest.approx(2.17, rel=0.02)
    assert min(diameters) == pytest.approx(2.72e-3, rel=2e-3)
    assert max(diameters) == pytest.approx(4.01e-3, rel=2e-3)


def test_the_wrong_sign_of_a_printed_manual_would_not_pass() -> None:
    flux = (200.0 * 1_500.0 / 846.0) ** 0.41
    wrong = 7.75 - 5.75 * flux / (flux / 2.0)
    assert wrong < 0.0 < pupil.pupil_stanley_davies_m(200.0, 1_500.0, 1.0)


@given(st.floats(0.1, 1e4))
def test_moon_and_spencer_change_the_unit_and_keep_their_half(light: float) -> None:
    # Without the half the curve lies half a decade to the right; in cd/m2 the two nearly cancel.
    assert pupil.pupil_moon_spencer_m(light) == pytest.approx(
        1e-3 * (4.9 - 3.0 * np.tanh(0.4 * np.log10(light) - 0.00114)), rel=1e-4
    )


@given(st.floats(1e-3, 8e-3), st.floats(0.3, 3.0))
def test_no_pupil_is_wider_than_the_iris(mean_m: float, factor: float) -> None:
    assert 1.5e-3 <= pupil.own_pupil_m(mean_m, factor) <= 8.5e-3
