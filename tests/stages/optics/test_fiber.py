"""Light in glass."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.optics import fiber

length = st.floats(1.0, 2e7)
index = st.floats(1.0, 2.0)
attenuation = st.floats(0.1, 5.0)


@given(length, index)
def test_never_faster_than_vacuum(length_m: float, group_index: float) -> None:
    assert fiber.flight_time_s(length_m, group_index) >= length_m / 299_792_458.0 * (1.0 - 1e-15)


@given(length, index)
def test_reach_is_the_inverse_of_flight(length_m: float, group_index: float) -> None:
    assert np.isclose(fiber.reach_in_time_m(fiber.flight_time_s(length_m, group_index), group_index), length_m)


@given(st.floats(1e3, 2e5), attenuation)
def test_two_stretches_lose_what_one_does(span_m: float, alpha: float) -> None:
    one = fiber.surviving_share(fiber.fiber_loss_dB(span_m, alpha))
    two = fiber.surviving_share(fiber.fiber_loss_dB(2.0 * span_m, alpha))
    assert np.isclose(two, one * one)


@given(st.floats(1e3, 3e5), attenuation)
def test_effective_length_is_the_integral_of_the_power(span_m: float, alpha: float) -> None:
    z = np.linspace(0.0, span_m, 20_001)
    power = 10.0 ** (-alpha * z / 1e4)
    integral = np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(z))
    assert np.isclose(fiber.effective_length_m(span_m, alpha), integral, rtol=1e-3)
    assert fiber.effective_length_m(span_m, alpha) <= min(span_m, fiber.asymptotic_length_m(alpha)) * (1.0 + 1e-12)


def test_attenuation_forms_agree() -> None:
    assert np.isclose(fiber.attenuation_1_m(0.2) * fiber.asymptotic_length_m(0.2), 1.0)
    assert fiber.attenuation_1_m(0.2) == pytest.approx(4.605e-5, rel=1e-3)


def test_no_dispersion_at_its_zero_and_its_slope_there() -> None:
    zero, slope = 1.312e-6, 0.088
    assert abs(fiber.dispersion_at_ps_nm_km(zero, zero, slope)) < 1e-12
    step = 1e-12
    rise = fiber.dispersion_at_ps_nm_km(zero + step, zero, slope) / (step * 1e9)
    assert rise == pytest.approx(slope, rel=1e-4)


@given(length)
def test_polarization_spreads_as_a_random_walk(length_m: float) -> None:
    assert np.isclose(
        fiber.polarization_spread_s(4.0 * length_m, 0.04), 2.0 * fiber.polarization_spread_s(length_m, 0.04)
    )


def test_spread_of_a_gaussian_pulse_follows_from_beta2() -> None:
    # |b2| L dw with dw = 2 pi c dlambda / lambda^2 is the same as |D| L dlambda.
    wavelength_m, width_m, length_m = 1.55e-6, 1e-10, 1e5
    turns = 2.0 * np.pi * 299_792_458.0 * width_m / wavelength_m**2
    assert np.isclose(
        fiber.beta2_s2_m(17.0, wavelength_m) * length_m * turns, fiber.pulse_spread_s(length_m, -17.0, width_m)
    )


def test_standard_fiber_guides_one_mode_in_the_C_band_and_multimode_fiber_many() -> None:
    assert fiber.normalized_frequency(8.2e-6, 0.12, 1.55e-6) < 2.405
    assert fiber.normalized_frequency(50e-6, 0.2, 0.85e-6) > 20.0
    assert np.isclose(
        fiber.normalized_frequency(8.2e-6, 0.12, fiber.cutoff_wavelength_m(8.2e-6, 0.12)), 2.404825557695773
    )


def test_slope_is_the_derivative_of_the_dispersion() -> None:
    above = fiber.dispersion_at_ps_nm_km(1.551e-6, 1.312e-6, 0.088)
    below = fiber.dispersion_at_ps_nm_km(1.549e-6, 1.312e-6, 0.088)
    slope = fiber.dispersion_slope_at_ps_nm2_km(1.55e-6, 1.312e-6, 0.088)
    assert slope == pytest.approx((above - below) / 2.0, rel=1e-5)
