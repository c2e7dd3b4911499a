"""Photons to current."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from roundtrip.stages.eye import retina

MOUSE = {"dark_current_A": 14.87e-12, "response_share": 0.0444, "integration_time_s": 0.4}


@given(st.floats(0.1, 1e3), st.floats(2e-3, 8e-3))
def test_trolands_go_with_the_area_of_the_pupil(light: float, pupil_m: float) -> None:
    once = retina.retinal_illuminance_td(light, pupil_m)
    assert np.isclose(retina.retinal_illuminance_td(light, 2.0 * pupil_m), 4.0 * once)


def test_a_pupil_of_one_mm2_makes_trolands_of_candelas_wyszecki_stiles_2_4() -> None:
    assert retina.retinal_illuminance_td(100.0, 2.0e-3 / np.sqrt(np.pi)) == pytest.approx(100.0)


@given(st.floats(0.0, 1e5), st.floats(0.0, 0.1), st.floats(0.0, 0.1))
def test_the_response_rises_and_saturates_lamb_pugh(photons: float, early: float, later: float) -> None:
    first, second = sorted((early, later))
    small = retina.rod_response_share(photons, 4.0, first, 2.2e-3)
    large = retina.rod_response_share(photons, 4.0, second, 2.2e-3)
    assert 0.0 <= small <= large <= 1.0


def test_before_the_delay_nothing_happens() -> None:
    assert retina.rod_response_share(1e4, 4.0, 2e-3, 2.2e-3) == 0.0


def test_the_rise_of_a_dim_flash_is_a_parabola_lamb_pugh_1992_eq_20() -> None:
    once = retina.rod_response_share(1.0, 4.0, 0.0122, 2.2e-3)
    assert once == pytest.approx(0.5 * 4.0 * 0.01**2, rel=1e-3)
    assert retina.rod_response_share(1.0, 4.0, 0.0222, 2.2e-3) == pytest.approx(4.0 * once, rel=2e-3)


def test_the_gain_depends_on_what_is_counted() -> None:
    transducins = retina.transducin_count(330.0, 0.04)
    cgmp = retina.hydrolyzed_count(330.0, 0.04, 0.2, 2_200.0, 3.5, 10.0)
    charges = retina.charge_count(**MOUSE)
    assert 5.0 < transducins < 50.0
    assert 100.0 * transducins < 2e4
    assert 500.0 < cgmp < 5e3
    assert 1e6 < charges < 2e6
    assert transducins < cgmp < charges


def test_a_charge_count_is_the_area_under_the_response() -> None:
    peak_s, stages = 0.2, 4.0
    area, _ = integrate.quad(lambda t: retina.filter_response(t, peak_s, stages), 0.0, 5.0)
    # Gamma(n) e^(n-1) / (n-1)^n of the peak time: the integral of the Poisson filter.
    assert area == pytest.approx(peak_s * 6.0 * np.exp(3.0) / 3.0**4, rel=1e-6)
    assert 1e6 < retina.charge_count(14.87e-12, 0.0444, area) < 1.64e6


@given(st.floats(1.0, 1e4), st.floats(0.1, 100.0))
def test_hydrolysis_is_half_of_its_maximum_at_the_michaelis_constant(turnover: float, michaelis: float) -> None:
    assert np.isclose(retina.hydrolysis_rate_1_s(turnover, michaelis, michaelis), turnover / 2.0)


@given(st.floats(0.01, 1.0), st.integers(2, 10))
def test_the_filter_peaks_at_its_peak(peak_s: float, stages: int) -> None:
    times = np.linspace(1e-3 * peak_s, 4.0 * peak_s, 4_001)
    response = retina.filter_response(times, peak_s, float(stages))
    assert np.max(response) <= 1.0 + 1e-12
    assert times[np.argmax(response)] == pytest.approx(peak_s, rel=2e-3)
    assert retina.filter_response(0.0, peak_s, float(stages)) == 0.0


def test_a_cone_reaches_half_of_its_peak_before_it_isetbio() -> None:
    # A Poisson filter of 6 stages that peaks at 23 ms is at its half near 11 ms.
    assert retina.filter_response(0.0115, 0.023, 6.0) == pytest.approx(0.4, abs=0.12)


def test_a_cone_on_a_white_page_counts_some_hundred_photons_a_frame() -> None:
    rate = retina.cone_absorptions_1_s(1_294.0, 8.93e15, 0.289, 2e-12, 0.01667)
    assert rate / 60.0 == pytest.approx(410.0, rel=0.05)


def test_two_of_three_absorbed_photons_isomerize_dartnall_1972() -> None:
    assert retina.isomerized_1_s(3e4, 0.67) == pytest.approx(2e4, rel=0.01)


def test_photon_flux_of_a_troland() -> None:
    assert retina.photon_flux_1_s_deg2(1.0, 4.0907e15) == pytest.approx(1.246e6, rel=1e-3)


def test_rods_saturate_at_screen_light() -> None:
    assert retina.rod_isomerizations_1_s(2.2 * 1_294.0, 8.6) > 1e4


def test_rods_of_an_eye_need_less_than_a_milliwatt_okawa_2008() -> None:
    assert retina.dark_power_W(92e6, 1e8, 8.3e-20) == pytest.approx(0.76e-3, rel=0.01)
