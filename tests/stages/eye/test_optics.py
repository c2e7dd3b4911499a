"""Media, angles and blur."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate

from roundtrip.stages.eye import optics

age = st.floats(20.0, 83.0)


@given(st.floats(400e-9, 700e-9), age, st.floats(1.0, 30.0))
def test_older_media_let_less_through(wavelength_m: float, years: float, more: float) -> None:
    assert optics.transmission(wavelength_m, years + more) < optics.transmission(wavelength_m, years)


@given(age)
def test_blue_is_lost_before_red(years: float) -> None:
    assert optics.transmission(450e-9, years) < optics.transmission(555e-9, years) < optics.transmission(650e-9, years)


@given(st.floats(0.1, 60.0), st.floats(1.5, 6.0))
def test_contrast_falls_with_fineness(frequency: float, pupil_mm: float) -> None:
    assert optics.modulation(1.1 * frequency, 1e-3 * pupil_mm) < optics.modulation(frequency, 1e-3 * pupil_mm)
    assert optics.modulation(0.0, 1e-3 * pupil_mm) == 1.0


def test_diffraction_spot_from_the_airy_pattern_born_wolf_section_8_5_2() -> None:
    from scipy.optimize import brentq
    from scipy.special import j1

    half = brentq(lambda x: (2.0 * j1(x) / x) ** 2 - 0.5, 1.0, 2.5)
    assert optics.airy_width_rad(555e-9, 3e-3) == pytest.approx(2.0 * half / np.pi * 555e-9 / 3e-3, rel=1e-3)


def test_solid_angle_of_a_rectangle_by_integration() -> None:
    a, b, d = 0.598, 0.336, 0.6
    angle, _ = integrate.dblquad(
        lambda y, x: d / (d * d + x * x + y * y) ** 1.5, -a / 2.0, a / 2.0, lambda _: -b / 2.0, lambda _: b / 2.0
    )
    found = optics.field_deg2(a / 1e-4, b / 1e-4, 1e-4, d)
    assert found == pytest.approx(angle * (180.0 / np.pi) ** 2, rel=1e-6)


def test_one_pixel_into_one_pupil_display_page_row_1_1() -> None:
    photons = optics.pupil_photons(500.0, 1.0, 155.66e-6, 1.0 / 60.0, 2.63e-3, 0.6, 4.0907e15)
    assert photons == pytest.approx(1.2e4, rel=0.05)


def test_a_4k_pixel_at_60_cm_is_as_wide_as_the_diffraction_spot() -> None:
    assert optics.pixel_angle_rad(155.66e-6, 0.6) == pytest.approx(optics.airy_width_rad(555e-9, 2.3e-3), rel=0.1)


def test_light_takes_two_nanoseconds() -> None:
    assert optics.flight_time_s(0.6) == pytest.approx(2.0e-9, rel=2e-3)
    assert optics.solid_angle_sr(2.87e-3, 0.6) == pytest.approx(1.8e-5, rel=0.01)


def test_body_text_at_arms_length_is_read_near_16_cycles_a_degree_solomon_pelli() -> None:
    frequency = optics.letter_frequency_c_deg(3.0, 11.0 / 72.0 * 0.0254, 0.5, 0.6)
    assert frequency == pytest.approx(16.2, rel=0.01)
    assert 0.2 < optics.modulation(frequency, 2.85e-3) < 0.4


@given(st.floats(1e-3, 0.05), st.floats(0.2, 5.0))
def test_twice_the_font_at_twice_the_distance_looks_the_same(size_m: float, distance_m: float) -> None:
    near = optics.letter_frequency_c_deg(3.0, size_m, 0.5, distance_m)
    assert np.isclose(optics.letter_frequency_c_deg(3.0, 2.0 * size_m, 0.5, 2.0 * distance_m), near)
