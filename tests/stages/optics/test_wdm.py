"""The frequency grid."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.optics import wdm

rate = st.floats(1e9, 2e11)
roll_off = st.floats(0.0, 1.0)


@given(rate, roll_off)
def test_needed_slot_fits_and_the_next_narrower_does_not(symbol_rate_Hz: float, beta: float) -> None:
    slot = wdm.needed_slot_Hz(symbol_rate_Hz, beta)
    assert wdm.fits(symbol_rate_Hz, beta, slot) == 1.0
    assert slot <= 12.5e9 or wdm.fits(symbol_rate_Hz, beta, slot - 12.5e9) == 0.0


def test_63_GBd_does_not_fit_50_GHz_with_any_roll_off() -> None:
    assert np.all(wdm.fits(63e9, np.linspace(0.0, 1.0, 11), 50e9) == 0.0)


@given(st.integers(-280, 400))
def test_channels_stand_on_the_grid(number: int) -> None:
    frequency = wdm.channel_frequency_Hz(float(number), 12.5e9)
    assert np.isclose((frequency - 193.1e12) / 12.5e9, number, atol=1e-3)
    assert np.isclose(wdm.frequency_of_Hz(wdm.wavelength_of_m(frequency)), frequency)


@given(st.floats(1e11, 1e13), st.floats(1e10, 2e11))
def test_slots_do_not_overflow_the_band(band_Hz: float, slot_width_Hz: float) -> None:
    count = wdm.channel_count(band_Hz, slot_width_Hz)
    assert count == 1.0 or count * slot_width_Hz <= band_Hz * (1.0 + 1e-12)
    assert (count + 1.0) * slot_width_Hz > band_Hz * (1.0 - 1e-12)


def test_spacing_in_wavelength_is_the_derivative_of_c_over_f() -> None:
    step = 1e9
    exact = wdm.wavelength_of_m(193.1e12) - wdm.wavelength_of_m(193.1e12 + step)
    assert np.isclose(wdm.spacing_as_wavelength_m(step, wdm.wavelength_of_m(193.1e12)), exact, rtol=1e-4)
    assert np.isclose(wdm.band_between_Hz(1.55e-6, wdm.spacing_as_wavelength_m(50e9, 1.55e-6)), 50e9)


@given(st.floats(1.0, 200.0), st.floats(1e9, 1e12))
def test_capacity_is_spectral_efficiency_times_the_band(channels: float, rate_bit_s: float) -> None:
    slot = 75e9
    efficiency = wdm.spectral_efficiency_bit_s_Hz(rate_bit_s, slot)
    assert np.isclose(wdm.fiber_capacity_bit_s(channels, rate_bit_s), efficiency * slot * channels)


@given(rate, roll_off)
def test_spectra_are_never_narrower_than_the_symbol_rate(symbol_rate_Hz: float, beta: float) -> None:
    assert wdm.occupied_Hz(symbol_rate_Hz, beta) >= symbol_rate_Hz


def test_a_multiplexer_is_a_piece_of_glass() -> None:
    assert np.isclose(wdm.multiplexer_transit_s(10.0, 1.468), 48.97e-9, rtol=1e-3)
