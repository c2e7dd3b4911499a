"""Rounding to few bits."""

from __future__ import annotations

import numpy as np
import pytest

from roundtrip.stages.model import quantization


def test_values_of_e4m3_micikevicius_table_1() -> None:
    x = np.array([448.0, 2.0**-6, 0.875 * 2.0**-6, 2.0**-9, 0.0])
    np.testing.assert_array_equal(quantization.round_e4m3(x), x)
    assert quantization.round_e4m3(np.array([1e6]))[0] == 448.0


def test_rounding_twice_is_rounding_once() -> None:
    x = np.random.default_rng(8).normal(size=1000) * 10.0
    once = quantization.round_e4m3(x)
    np.testing.assert_array_equal(quantization.round_e4m3(once), once)


def test_all_results_are_8_bit_numbers() -> None:
    x = np.random.default_rng(9).uniform(-500, 500, 100_000)
    assert np.unique(quantization.round_e4m3(x)).size <= 2 * (16 * 8 - 1)


@pytest.mark.parametrize("scale", [0.5, 4.0, 32.0])
def test_noise_of_e4m3_against_the_formula_at_any_size(scale: float) -> None:
    x = scale * np.exp(np.random.default_rng(10).uniform(0.0, np.log(2.0), 200_000))
    noise = quantization.round_e4m3(x) - x
    measured = 10.0 * np.log10(np.mean(x**2) / np.mean(noise**2))
    assert np.isclose(measured, quantization.float_snr_dB(3.0), atol=0.5)


def test_noise_of_whole_numbers_against_the_formula() -> None:
    x = np.sin(np.linspace(0.0, 2000.0, 1_000_003))
    noise = quantization.round_group(x, 8) - x
    assert np.isclose(10.0 * np.log10(np.mean(x**2) / np.mean(noise**2)), quantization.integer_snr_dB(8.0), atol=0.2)


def test_small_groups_cost_scale_bits() -> None:
    assert quantization.group_weight_B(4.0, 16.0, 32.0) == 0.5625
    assert quantization.group_weight_B(8.0, 0.0, 1.0) == 1.0


def test_rounding_moves_three_bytes_a_number() -> None:
    assert quantization.rounded_B(1.0, 7168.0, 1.0, 1.0) == 3.0 * 7168.0
