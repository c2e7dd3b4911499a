"""Erbium amplifiers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.optics import amplifier

gain = st.floats(0.0, 40.0)
up = st.floats(2e-25, 1e-24)
down = st.floats(1e-26, 4e-25)
inversion = st.floats(0.8, 1.0)


@given(st.floats(1e3, 2e7), st.floats(1e4, 2e5))
def test_spans_cover_the_line_and_no_span_is_longer_than_planned(length_m: float, span_m: float) -> None:
    spans = amplifier.span_count(length_m, span_m)
    assert length_m / spans <= span_m * (1.0 + 1e-12)
    assert spans == 1.0 or (spans - 1.0) * span_m < length_m * (1.0 + 1e-12)
    assert amplifier.line_sites(length_m, span_m) == spans - 1.0
    assert amplifier.amplifier_count(spans) == spans + 1.0


@given(gain, up, down)
def test_full_inversion_is_the_quietest(gain_dB: float, emission: float, absorption: float) -> None:
    best = amplifier.noise_figure_from_inversion_dB(gain_dB, emission, absorption, 1.0)
    worse = amplifier.noise_figure_from_inversion_dB(gain_dB, emission, absorption, 0.85)
    assert best <= worse + 1e-9
    assert best <= 10.0 * np.log10(2.0)


@given(gain, up, down, inversion)
def test_noise_power_follows_from_spontaneous_emission(
    gain_dB: float, emission: float, absorption: float, x: float
) -> None:
    # Both polarizations: 2 n_sp h f B (G - 1).
    noise_dB = amplifier.noise_figure_from_inversion_dB(gain_dB, emission, absorption, x)
    power = amplifier.spontaneous_power_W(gain_dB, noise_dB, 193.4e12, 12.5e9)
    factor = amplifier.spontaneous_emission_factor(emission, absorption, x)
    expected = 2.0 * factor * 6.62607015e-34 * 193.4e12 * 12.5e9 * (10.0 ** (gain_dB / 10.0) - 1.0)
    assert np.isclose(power, expected, rtol=1e-9, atol=1e-22)


@given(up, down)
def test_dark_ions_absorb_and_lifted_ions_amplify(emission: float, absorption: float) -> None:
    lifted = amplifier.erbium_gain_dB(10.0, 1e25, 0.5, emission, absorption, 1.0)
    dark = amplifier.erbium_gain_dB(10.0, 1e25, 0.5, emission, absorption, 0.0)
    assert lifted > 0.0 > dark
    twice = amplifier.erbium_gain_dB(20.0, 1e25, 0.5, emission, absorption, 1.0)
    assert np.isclose(amplifier.photons_out_per_photon(twice), amplifier.photons_out_per_photon(lifted) ** 2, rtol=1e-6)


@given(st.floats(1e-6, 1.0))
def test_no_more_signal_photons_than_pump_photons(added_W: float) -> None:
    pump_W = amplifier.least_pump_power_W(1e-12, added_W + 1e-12, 1.55e-6, 0.98e-6)
    assert pump_W > added_W
    assert np.isclose(pump_W * 0.98e-6, added_W * 1.55e-6)


def test_gain_that_makes_up_for_the_span() -> None:
    assert np.isclose(amplifier.span_loss_dB(2.4e6, 30.0, 0.2, 1.0), 17.0)


def test_amplifying_delays_by_its_own_glass_only() -> None:
    assert np.isclose(amplifier.transit_s(10.0, 20.0, 1.468), 200.0 * 1.468 / 299_792_458.0)


def test_a_full_fiber_pays_for_all_sites() -> None:
    second_B = 1e12 * 0.5 / 8.0
    assert np.isclose(2.0 * amplifier.sites_energy_share_J(7.0, 80.0, second_B, 1e12, 0.5), 560.0)
