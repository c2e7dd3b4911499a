"""Light of a pixel."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import constants, integrate

from roundtrip.stages.display import panel

GREEN = panel.photons_per_lumen_second(555e-9, 683.0)


def test_photons_of_a_lumen_second_at_555_nm_from_codata() -> None:
    energy_J = constants.h * constants.c / 555e-9
    assert pytest.approx(1.0 / (683.0 * energy_J), rel=1e-12) == GREEN
    assert pytest.approx(4.0907e15, rel=1e-4) == GREEN


def test_white_has_more_than_twice_the_photons_of_green_for_the_same_lumen() -> None:
    for efficacy in (260.0, 300.0, 320.0):
        assert 2.1 < panel.photons_per_lumen_second(560e-9, efficacy) / GREEN < 2.7


def test_the_hemisphere_is_pi_steradians_of_a_lambertian_source() -> None:
    # Lambert: the integral of cos(theta) over the front hemisphere, 2 pi sin cos, is pi.
    pi, _ = integrate.quad(lambda theta: 2.0 * np.pi * np.sin(theta) * np.cos(theta), 0.0, np.pi / 2.0)
    ratio = panel.photons_hemisphere(200.0, 1e-4, 60.0, GREEN) / panel.photons_steradian(200.0, 1e-4, 60.0, GREEN)
    assert ratio == pytest.approx(pi, rel=1e-12)


@given(st.floats(1.0, 2_000.0), st.floats(2e-5, 1e-3), st.sampled_from([60.0, 120.0, 240.0]))
def test_photons_scale_with_luminance_area_and_time(luminance: float, pitch_m: float, refresh_rate_Hz: float) -> None:
    once = panel.photons_hemisphere(luminance, pitch_m, refresh_rate_Hz, GREEN)
    assert np.isclose(panel.photons_hemisphere(2.0 * luminance, pitch_m, refresh_rate_Hz, GREEN), 2.0 * once)
    assert np.isclose(panel.photons_hemisphere(luminance, 2.0 * pitch_m, refresh_rate_Hz, GREEN), 4.0 * once)
    assert np.isclose(panel.photons_hemisphere(luminance, pitch_m, 2.0 * refresh_rate_Hz, GREEN), once / 2.0)


def test_an_oled_pixel_without_current_is_black() -> None:
    assert panel.emitter_photons(0.0, 1.0 / 60.0, 0.1) == 0.0


def test_the_current_of_an_oled_pixel_is_microamperes_or_less() -> None:
    photons_1_s = panel.photons_hemisphere(200.0, 0.0254 / 110.8, 1.0, panel.photons_per_lumen_second(560e-9, 305.0))
    current_A = photons_1_s * constants.e / 0.07
    assert 1e-8 < current_A < 1e-5
    assert panel.emitter_photons(current_A, 1.0, 0.07) == pytest.approx(photons_1_s)


def test_lcd_black_leaks_and_falls_with_contrast() -> None:
    assert panel.black_luminance_cd_m2(200.0, 1_000.0) == pytest.approx(0.2)
    assert panel.black_luminance_cd_m2(200.0, 2_000.0) > 0.0


@given(st.floats(1e-6, 1e-5))
def test_liquid_crystals_relax_with_the_square_of_the_gap(gap_m: float) -> None:
    once = panel.relaxation_s(0.1, gap_m, 1.2e-11)
    assert np.isclose(panel.relaxation_s(0.1, 2.0 * gap_m, 1.2e-11), 4.0 * once)


def test_a_cell_of_4_um_relaxes_in_milliseconds_yang_and_wu_section_5_4() -> None:
    assert 5e-3 < panel.relaxation_s(0.1, 4e-6, 1.2e-11) < 2e-2


@given(st.floats(1e-6, 0.1))
def test_half_of_a_step_comes_at_0_315_of_the_rise_time(response_time_s: float) -> None:
    tau_s = response_time_s / np.log(9.0)
    assert np.isclose(1.0 - np.exp(-panel.half_response_s(response_time_s) / tau_s), 0.5)


def test_the_pitch_of_a_square_screen() -> None:
    assert panel.pitch_m(5.0, 300.0, 400.0) == pytest.approx(0.01)


def test_the_light_of_all_pixels_is_the_light_of_the_screen() -> None:
    diagonal_m = 27.0 * 0.0254
    pitch_m = panel.pitch_m(diagonal_m, 3840.0, 2160.0)
    area_m2 = diagonal_m**2 * 16.0 * 9.0 / (16.0**2 + 9.0**2)
    whole_W = panel.light_power_W(200.0, 3840.0 * 2160.0, pitch_m, 8.0)
    assert whole_W == pytest.approx(np.pi * 200.0 * area_m2 / 8.0, rel=1e-9)
    assert panel.patch_energy_J(3840.0 * 2160.0, pitch_m, 200.0, 2.0, 8.0) == pytest.approx(2.0 * whole_W)


def test_a_dark_page_costs_an_oled_less_and_a_backlight_the_same() -> None:
    dark = panel.picture_luminance_cd_m2(200.0, 0.05)
    assert panel.light_power_W(dark, 1e6, 1e-4, 5.0) == pytest.approx(0.05 * panel.light_power_W(200.0, 1e6, 1e-4, 5.0))


def test_pwm_of_240_Hz_is_slower_than_a_frame_of_480() -> None:
    assert panel.pwm_period_s(240.0) == pytest.approx(1.0 / 240.0)
