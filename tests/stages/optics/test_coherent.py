"""The coherent receiver."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.optics import coherent

GRAY = np.array([0b00, 0b01, 0b11, 0b10])


def _count_errors(levels: int, snr_dB: float, count: int = 300_000) -> float:
    """Send one quadrature of QPSK (2 levels) or 16QAM (4 levels) through noise and count wrong bits."""
    stream = np.random.default_rng(11)
    sent = stream.integers(0, levels, count)
    scale = np.sqrt({2: 2.0, 4: 10.0}[levels])  # both quadratures together have the power 1
    noise = stream.normal(0.0, np.sqrt(0.5 * 10.0 ** (-snr_dB / 10.0)), count)
    seen = (2.0 * sent - (levels - 1)) / scale + noise
    read = np.clip(np.round((seen * scale + levels - 1) / 2.0), 0, levels - 1).astype(int)
    wrong = GRAY[sent] ^ GRAY[read]
    return float(np.mean((wrong & 1) + (wrong >> 1)) / np.log2(levels))


@pytest.mark.parametrize("snr_dB", [4.0, 7.0])
def test_qpsk_agrees_with_counting_errors(snr_dB: float) -> None:
    assert _count_errors(2, snr_dB) == pytest.approx(float(coherent.qpsk_bit_error_ratio(snr_dB)), rel=0.05)


@pytest.mark.parametrize("snr_dB", [6.0, 12.0])
def test_16qam_agrees_with_counting_errors(snr_dB: float) -> None:
    assert _count_errors(4, snr_dB) == pytest.approx(float(coherent.qam16_bit_error_ratio(snr_dB)), rel=0.05)


@pytest.mark.parametrize(("snr_dB", "ratio"), [(9.80, 1e-3), (8.53, 3.8e-3), (7.01, 1.25e-2)])
def test_qpsk_at_the_usual_thresholds(snr_dB: float, ratio: float) -> None:
    assert coherent.qpsk_bit_error_ratio(snr_dB) == pytest.approx(ratio, rel=0.01)


@pytest.mark.parametrize(("snr_dB", "ratio"), [(16.54, 1e-3), (15.19, 3.8e-3), (13.55, 1.25e-2), (12.71, 2e-2)])
def test_16qam_at_the_usual_thresholds(snr_dB: float, ratio: float) -> None:
    assert coherent.qam16_bit_error_ratio(snr_dB) == pytest.approx(ratio, rel=0.01)


def test_more_signal_fewer_errors() -> None:
    snr = np.linspace(-10.0, 25.0, 50)
    assert np.all(np.diff(coherent.qpsk_bit_error_ratio(snr)) < 0.0)
    assert np.all(np.diff(coherent.qam16_bit_error_ratio(snr)) < 0.0)
    assert np.all(coherent.qam16_bit_error_ratio(snr) > coherent.qpsk_bit_error_ratio(snr))


@given(st.floats(1e9, 2e11))
def test_osnr_and_snr_meet_where_the_signal_is_as_wide_as_0_1_nm(symbol_rate_Hz: float) -> None:
    assert np.isclose(coherent.snr_from_osnr_dB(20.0, 12.5e9), 20.0)
    assert (coherent.snr_from_osnr_dB(20.0, symbol_rate_Hz) < 20.0) == (symbol_rate_Hz > 12.5e9)


def test_symbols_and_bits_agree() -> None:
    bits = coherent.constellation_bits(np.array([4.0, 16.0, 64.0]), 2.0)
    assert np.allclose(bits, [4.0, 8.0, 12.0])
    assert np.allclose(coherent.needed_symbol_rate_Hz(4e11, 0.2, bits) * bits, 4.8e11)


def test_filter_is_as_long_as_the_smear() -> None:
    smear_ps_nm, wavelength_m, symbol_rate = 40_080.0, 1.55e-6, 63.1e9
    samples = coherent.converter_rate_Hz(symbol_rate, 2.0)
    taps = coherent.dispersion_filter_taps(smear_ps_nm, wavelength_m, samples)
    width_m = wavelength_m**2 * samples / 299_792_458.0  # the sampled band as a width in wavelength
    assert taps == pytest.approx(smear_ps_nm * 1e-3 * width_m * samples, abs=2.0)
    assert coherent.dispersion_filter_delay_s(smear_ps_nm, wavelength_m, symbol_rate) == pytest.approx(
        0.25 * (taps - 1.0) / samples, rel=1e-3
    )


def test_shot_limit_of_qpsk_at_1e_minus_9_is_18_photons_a_bit() -> None:
    # SNR 15.56 dB (36) over two bits in each polarization: 18.
    assert coherent.shot_limit_photons_per_bit(10.0 * np.log10(36.0), 4.0, 2.0) == pytest.approx(18.0, rel=1e-6)


def test_every_photon_that_counts_releases_one_electron() -> None:
    electrons = coherent.released_electrons(1e-4, 1.0, 1.55e-6, 1.0, 8.0)
    assert electrons * 6.62607015e-34 * 299_792_458.0 / 1.55e-6 == pytest.approx(1e-4)


def test_processor_energy_of_a_full_channel() -> None:
    assert coherent.processor_energy_per_bit_J(20.0, 4e11, 1.0) == pytest.approx(50e-12)
