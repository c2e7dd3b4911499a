"""A spectrum through glass, amplifiers and switches: conservation, scaling, limits, and nothing that breaks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.optics import fiber, gsnr, spectrum
from roundtrip.stages.optics.spectrum import Spectrum

GAMMA, ASYMPTOTIC_M, BETA2, EFFECTIVE_M = 1.27e-3, 21_714.7, 2.13e-26, 21_169.3


def comb(count: int = 9, power_W: float = 1e-3, rate_Hz: float = 32e9, spacing_Hz: float = 50e9) -> Spectrum:
    frequency = 193.4e12 + spacing_Hz * np.arange(count)
    none = np.zeros(count)
    return Spectrum(frequency, np.full(count, rate_Hz), np.full(count, power_W), none, none)


def pairs(light: Spectrum) -> np.ndarray:
    flat = np.full(len(light.frequency_Hz), BETA2)
    return spectrum.pair_efficiencies(
        np.full_like(flat, GAMMA), ASYMPTOTIC_M, flat, light.frequency_Hz, light.symbol_rate_Hz
    )


@pytest.mark.parametrize("count", [1, 2, 9, 96])
def test_the_mean_over_a_comb_is_the_closed_sum_of_the_gsnr_stage(count: int) -> None:
    light = comb(count)
    made = np.sum(pairs(light), axis=1) * EFFECTIVE_M**2
    closed = gsnr.comb_mean_efficiency_1_W2(GAMMA, EFFECTIVE_M, ASYMPTOTIC_M, BETA2, 32e9, 50e9, comb=count)
    assert np.mean(made) == pytest.approx(closed, rel=1e-9)


def test_a_neighbor_that_overlaps_whole_does_twice_what_a_channel_does_to_itself() -> None:
    own = spectrum.self_efficiency_1_W2(GAMMA, EFFECTIVE_M, ASYMPTOTIC_M, BETA2, 32e9)
    other = spectrum.cross_efficiency_1_W2(GAMMA, EFFECTIVE_M, ASYMPTOTIC_M, BETA2, 32e9, 32e9, 0.0)
    assert other == pytest.approx(2.0 * own)


@given(st.floats(1e9, 5e12), st.floats(1.01, 3.0))
def test_a_neighbor_further_away_does_less(offset_Hz: float, further: float) -> None:
    near = spectrum.cross_efficiency_1_W2(GAMMA, EFFECTIVE_M, ASYMPTOTIC_M, BETA2, 32e9, 64e9, offset_Hz)
    far = spectrum.cross_efficiency_1_W2(GAMMA, EFFECTIVE_M, ASYMPTOTIC_M, BETA2, 32e9, 64e9, offset_Hz * further)
    assert 0.0 < far < near


@given(st.floats(-10.0, 3.0), st.floats(0.0, 120e3))
def test_glass_takes_its_loss_and_nothing_else(level_dBm: float, length_m: float) -> None:
    light = comb(power_W=1e-3 * 10.0 ** (level_dBm / 10.0))
    reach = float(fiber.effective_length_m(length_m, 0.2))
    after = spectrum.through_glass(light, pairs(light), reach, 0.5, 0.2 * length_m / 1e3 + 0.5)
    lost_dB = 10.0 * np.log10(np.sum(light.channel_W) / np.sum(after.channel_W))
    assert lost_dB == pytest.approx(0.2 * length_m / 1e3 + 1.0, abs=1e-9)
    assert np.all(after.nonlinear_W >= 0.0)


def test_the_share_of_nonlinear_noise_grows_as_the_square_of_the_power() -> None:
    shares = []
    for power_W in (1e-4, 2e-4):
        light = comb(power_W=power_W)
        after = spectrum.through_glass(light, pairs(light), EFFECTIVE_M, 0.0, 16.0)
        shares.append(after.nonlinear_W / after.channel_W)
    assert shares[1] == pytest.approx(4.0 * shares[0])


def test_a_span_without_length_and_light_without_noise_are_no_special_case() -> None:
    light = comb()
    after = spectrum.through_glass(light, pairs(light), 0.0, 0.0, 0.0)
    assert np.array_equal(after.signal_W, light.signal_W)
    with np.errstate(all="raise", divide="ignore"):
        assert np.all(np.isposinf(after.ratio_dB(nonlinear=True)))
        assert np.all(np.isposinf(after.ratio_dB(nonlinear=False)))


def test_absurd_power_leaves_no_signal_but_no_negative_one() -> None:
    light = comb(power_W=10.0)
    after = spectrum.through_glass(light, pairs(light), EFFECTIVE_M, 0.0, 16.0)
    assert np.all(after.signal_W > 0.0)
    assert np.all(after.ratio_dB(nonlinear=True) < -40.0)


def test_one_amplifier_is_the_58_of_every_budget() -> None:
    light = comb(1).times(10.0**-1.7)
    after = spectrum.through_amplifier(light, 17.0, 5.0, 30.0)
    expected = gsnr.line_osnr_dB(0.0, 17.0, 5.0, 1.0, light.frequency_Hz)
    assert after.ratio_dB(nonlinear=False) == pytest.approx(expected, abs=1e-9)
    assert after.signal_W == pytest.approx(1e-3)


def test_an_amplifier_gives_no_more_than_its_pumps() -> None:
    light = comb(9, power_W=1e-3)
    after = spectrum.through_amplifier(light, 30.0, 5.0, 20.0)
    assert 10.0 * np.log10(np.sum(after.channel_W) * 1e3) == pytest.approx(20.0, abs=1e-3)


def test_a_switch_levels_but_does_not_amplify() -> None:
    strong = comb(3)
    light = Spectrum(
        strong.frequency_Hz, strong.symbol_rate_Hz, np.array([1e-3, 1e-5, 1e-6]), np.zeros(3), np.full(3, 1e-8)
    )
    after = spectrum.through_switch(light, -20.0)
    assert after.channel_W == pytest.approx([1e-5, 1e-5, 1.01e-6], rel=1e-2)
    assert after.ratio_dB(nonlinear=True) == pytest.approx(light.ratio_dB(nonlinear=True))


def test_both_bandwidths_differ_by_the_symbol_rate() -> None:
    light = spectrum.with_noise_of(comb(rate_Hz=32e9), 30.0)
    assert light.ratio_dB(nonlinear=False) == pytest.approx(30.0)
    expected = gsnr.in_signal_bandwidth_dB(30.0, 32e9)
    assert light.ratio_dB(nonlinear=False, signal_bandwidth=True) == pytest.approx(expected)


def test_many_powers_at_once_are_each_as_alone() -> None:
    light = comb(5)
    many = Spectrum(
        light.frequency_Hz, light.symbol_rate_Hz, np.array([[1e-4], [1e-3]]) * np.ones(5), np.zeros((2, 5)),
        np.zeros((2, 5)),
    )  # fmt: skip
    both = spectrum.through_amplifier(
        spectrum.through_glass(many, pairs(light), EFFECTIVE_M, 0.0, 16.0), 16.0, 5.0, 9.0
    )
    alone = spectrum.through_amplifier(
        spectrum.through_glass(light, pairs(light), EFFECTIVE_M, 0.0, 16.0), 16.0, 5.0, 9.0
    )
    assert both.ratio_dB(nonlinear=True)[1] == pytest.approx(alone.ratio_dB(nonlinear=True), abs=1e-9)


def test_bluer_light_is_held_tighter() -> None:
    there = spectrum.effective_area_at_m2(83e-12, 8.2e-6, 193.4e12, 193.4e12)
    assert there == pytest.approx(83e-12)
    assert spectrum.effective_area_at_m2(83e-12, 8.2e-6, 196.1e12, 193.4e12) < 83e-12
    assert spectrum.effective_area_at_m2(83e-12, 8.2e-6, 1.0, 193.4e12) == pytest.approx(83e-9)


def test_without_a_slope_dispersion_is_that_of_the_fiber_stage() -> None:
    assert spectrum.beta2_at_s2_m(16.7, 0.0, 1.55e-6, 1.55e-6) == pytest.approx(fiber.beta2_s2_m(16.7, 1.55e-6))
    redder = spectrum.beta2_at_s2_m(16.7, 0.056, 1.565e-6, 1.55e-6)
    assert redder == pytest.approx(fiber.beta2_s2_m(16.7 + 0.056 * 15.0, 1.565e-6))


def test_noise_of_an_amplifier_is_linear_in_bandwidth() -> None:
    assert spectrum.input_noise_W(5.0, 193.4e12, 64e9) == pytest.approx(
        2.0 * spectrum.input_noise_W(5.0, 193.4e12, 32e9)
    )
