"""Lasers, photodiodes and the photons between them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.optics import transceiver

power = st.floats(1e-6, 1e-2)
wavelength = st.floats(0.8e-6, 1.65e-6)


@given(power, wavelength)
def test_photons_carry_the_whole_power(optical_power_W: float, wavelength_m: float) -> None:
    rate = 1e10
    photons = transceiver.photons_per_bit(optical_power_W, wavelength_m, rate)
    assert np.isclose(photons * transceiver.photon_energy_J(wavelength_m) * rate, optical_power_W)


@given(wavelength)
def test_a_band_gap_emits_photons_of_its_own_energy(wavelength_m: float) -> None:
    gap_eV = transceiver.photon_energy_J(wavelength_m) / 1.602176634e-19
    assert np.isclose(transceiver.emission_wavelength_m(gap_eV), wavelength_m)


@given(st.floats(-90.0, 40.0))
def test_levels_go_there_and_back(level: float) -> None:
    assert np.isclose(transceiver.level_dBm(transceiver.power_of_level_W(level)), level)


def test_quantum_limit_is_a_poisson_chance() -> None:
    photons = np.linspace(1.0, 15.0, 8)
    missed = 0.5 * np.exp(-2.0 * photons)  # half of the bits are ones, of 2 N photons each
    assert np.allclose(transceiver.quantum_limit_photons(missed), photons)


def test_shot_noise_counts_like_poisson() -> None:
    # Electrons in a time T have the variance of their mean; bandwidth is 1/(2 T).
    current_A, duration_s = 1e-6, 1e-9
    electrons = current_A * duration_s / 1.602176634e-19
    noise_A = transceiver.shot_noise_A(current_A, 0.5 / duration_s)
    assert np.isclose(noise_A * duration_s / 1.602176634e-19, np.sqrt(electrons))


def test_pam4_agrees_with_counting_errors() -> None:
    stream = np.random.default_rng(3)
    snr_dB, count = 14.0, 400_000
    gray = np.array([0b00, 0b01, 0b11, 0b10])
    sent = stream.integers(0, 4, count)
    level = (2.0 * sent - 3.0) / np.sqrt(5.0)
    seen = level + stream.normal(0.0, np.sqrt(10.0 ** (-snr_dB / 10.0)), count)
    read = np.clip(np.round((seen * np.sqrt(5.0) + 3.0) / 2.0), 0, 3).astype(int)
    wrong = gray[sent] ^ gray[read]
    ratio = np.mean((wrong & 1) + (wrong >> 1)) / 2.0
    assert ratio == pytest.approx(float(transceiver.pam_bit_error_ratio(snr_dB)), rel=0.05)


def test_pam2_is_the_textbook_q() -> None:
    assert np.isclose(transceiver.pam_bit_error_ratio(10.0 * np.log10(36.0), 2.0), 9.866e-10, rtol=1e-3)


def test_thermal_noise_of_50_ohm_at_290_K() -> None:
    # 1 Hz into a matched load: -174 dBm; the current into a short carries four times that.
    noise_A = transceiver.thermal_noise_A(290.0, 50.0, 1.0)
    assert 10.0 * np.log10(noise_A**2 * 50.0 / 4.0 / 1e-3) == pytest.approx(-174.0, abs=0.05)


def test_energy_of_a_full_device_is_shared_without_rest() -> None:
    power_W, rate, fill = 20.0, 4e11, 0.25
    bytes_in_a_second = rate * fill / 8.0
    both = 2.0 * transceiver.energy_share_J(power_W, bytes_in_a_second, rate, fill)
    assert np.isclose(both, power_W)


@pytest.mark.parametrize(
    ("meters", "band"), [(850e-9, "850 nm"), (1310e-9, "O"), (1550e-9, "C"), (1600e-9, "L"), (1000e-9, "")]
)
def test_bands(meters: float, band: str) -> None:
    assert transceiver.band_of(meters) == band
