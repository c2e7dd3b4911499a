"""The link budget, against GNPy's printed outputs and against itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.optics import fiber, gsnr

# GNPy's SSMF (eqpt_config.json) at the middle of its comb.
WAVELENGTH_M = 299_792_458.0 / 193.5e12
GLASS = {
    "nonlinear_coefficient_1_W_m": fiber.nonlinear_coefficient_1_W_m(2.6e-20, WAVELENGTH_M, 83e-12),
    "effective_length_m": fiber.effective_length_m(80e3, 0.2),
    "asymptotic_length_m": fiber.asymptotic_length_m(0.2),
    "beta2_s2_m": fiber.beta2_s2_m(16.7, WAVELENGTH_M),
}


def _noise(level_dB: float) -> float:
    return 10.0 ** (-level_dB / 10.0)


def test_gnpy_transmission_main_example_within_a_twentieth_of_a_decibel() -> None:
    """80 km, 0.5 dB connectors, 76 channels of 32 GBd in 50 GHz at 0 dBm, NF 6.62, transmitter at 40 dB."""
    efficiency = gsnr.comb_mean_efficiency_1_W2(**GLASS, symbol_rate_Hz=32e9, channel_spacing_Hz=50e9, comb=76)
    osnr = gsnr.line_osnr_dB(0.0, 17.0, 6.62, 1.0, 193.25e12)
    nonlinear = gsnr.line_nonlinear_snr_dB(-0.5, efficiency, 1.0)
    assert gsnr.link_gsnr_dB(osnr, 200.0, 32e9, 40.0, 200.0) == pytest.approx(33.29, abs=0.05)
    assert gsnr.link_gsnr_dB(osnr, nonlinear, 32e9, 40.0, 200.0) == pytest.approx(31.17, abs=0.05)


def test_gnpy_transmission_main_example_long_within_a_tenth_of_a_decibel() -> None:
    """15 spans of 80 km, 96 channels; boosters of NF 6.58 after four ROADMs, line amplifiers of NF 8.86 and 9.00."""
    boosters = 4.0 * _noise(gsnr.line_osnr_dB(-20.0, 0.0, 6.58, 1.0, 193.7e12))
    line = 8.0 * _noise(gsnr.line_osnr_dB(0.0, 16.0, 8.86, 1.0, 193.7e12))
    line += 7.0 * _noise(gsnr.line_osnr_dB(0.0, 16.0, 9.00, 1.0, 193.7e12))
    ends = 2.0 * _noise(38.0)
    osnr = -10.0 * np.log10(boosters + line + ends)
    efficiency = gsnr.comb_mean_efficiency_1_W2(**GLASS, symbol_rate_Hz=32e9, channel_spacing_Hz=50e9, comb=96)
    nonlinear = gsnr.line_nonlinear_snr_dB(0.0, efficiency, 15.0)
    assert osnr == pytest.approx(19.69, abs=0.1)
    assert gsnr.link_gsnr_dB(osnr, nonlinear, 32e9, 200.0, 200.0) == pytest.approx(17.75, abs=0.1)


@pytest.mark.parametrize(("rate", "spacing", "channels"), [(32e9, 50e9, 76), (63.1e9, 87.5e9, 54), (128e9, 150e9, 32)])
def test_closed_form_is_the_sum_for_the_center_channel(rate: float, spacing: float, channels: int) -> None:
    curve = np.pi**2 * GLASS["beta2_s2_m"] * GLASS["asymptotic_length_m"] * rate
    total = np.arcsinh(curve * rate / 2.0)
    for d in range(1, channels // 2 + 1):
        pair = np.arcsinh(curve * (d * spacing + rate / 2.0)) - np.arcsinh(curve * (d * spacing - rate / 2.0))
        total += pair * (4.0 if 2 * d < channels else 2.0) / 2.0
    field = GLASS["nonlinear_coefficient_1_W_m"] * GLASS["effective_length_m"] / rate
    center = 8.0 / 27.0 * field**2 * total / (np.pi * GLASS["beta2_s2_m"] * GLASS["asymptotic_length_m"])
    closed = gsnr.span_efficiency_1_W2(
        **GLASS, symbol_rate_Hz=rate, channel_spacing_Hz=spacing, channels=float(channels)
    )
    mean = gsnr.comb_mean_efficiency_1_W2(**GLASS, symbol_rate_Hz=rate, channel_spacing_Hz=spacing, comb=channels)
    assert abs(10.0 * np.log10(closed / center)) < 0.06
    assert mean < center


def test_a_lone_channel_is_the_same_in_both_forms() -> None:
    closed = gsnr.span_efficiency_1_W2(**GLASS, symbol_rate_Hz=32e9, channel_spacing_Hz=50e9, channels=1.0)
    alone = gsnr.comb_mean_efficiency_1_W2(**GLASS, symbol_rate_Hz=32e9, channel_spacing_Hz=50e9, comb=1)
    assert np.isclose(closed, alone)


@given(st.floats(8.0, 25.0), st.floats(4.0, 7.0), st.floats(10.0, 1e4))
def test_at_the_best_power_nonlinear_noise_is_half_of_the_spontaneous(
    loss: float, noise: float, efficiency: float
) -> None:
    best = gsnr.best_launch_dBm(loss, noise, 193.4e12, 32e9, efficiency)
    ase = gsnr.in_signal_bandwidth_dB(gsnr.line_osnr_dB(best, loss, noise, 1.0, 193.4e12), 32e9)
    nonlinear = gsnr.line_nonlinear_snr_dB(best, efficiency, 1.0)
    assert np.isclose(nonlinear - ase, 10.0 * np.log10(2.0))

    def total(power: float) -> float:
        snr = gsnr.in_signal_bandwidth_dB(gsnr.line_osnr_dB(power, loss, noise, 1.0, 193.4e12), 32e9)
        return float(gsnr.joined_snr_dB(snr, gsnr.line_nonlinear_snr_dB(power, efficiency, 1.0), 120.0))

    assert total(best) >= total(best - 0.3)
    assert total(best) >= total(best + 0.3)


def test_twenty_spans_are_thirteen_decibels_worse() -> None:
    assert gsnr.line_osnr_dB(0.0, 16.0, 5.0, 20.0, 193.4e12) == pytest.approx(23.94, abs=0.01)


@given(st.floats(10.0, 35.0), st.floats(5.0, 20.0), st.floats(0.0, 3.0))
def test_a_signal_is_made_anew_before_it_is_lost(span_snr: float, required: float, margin: float) -> None:
    reach = float(gsnr.reach_spans(span_snr, required, margin))
    left = span_snr - 10.0 * np.log10(reach)
    assert reach == 1.0 or left >= required + margin - 1e-9
    assert span_snr - 10.0 * np.log10(reach + 1.0) < required + margin + 1e-9
    assert gsnr.section_count(10.0 * reach, reach) == 10.0


def test_bandwidths_are_inverse() -> None:
    assert np.isclose(gsnr.in_reference_bandwidth_dB(gsnr.in_signal_bandwidth_dB(18.0, 63.1e9), 63.1e9), 18.0)
    assert gsnr.link_margin_dB(20.0, 18.0) == 2.0


def test_without_nonlinearity_the_budget_is_the_osnr() -> None:
    assert gsnr.link_gsnr_dB(20.0, 300.0, 32e9, 300.0, 300.0) == pytest.approx(20.0)


def test_quantum_noise_of_0_1_nm() -> None:
    assert gsnr.quantum_noise_dBm(193.4e12) == pytest.approx(-57.95, abs=0.01)
