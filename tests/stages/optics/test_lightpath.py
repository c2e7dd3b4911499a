"""What a planner asks of a lightpath: margins, lengths, Shannon's limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.optics import lightpath


@given(st.floats(10.0, 30.0), st.floats(5.0, 25.0), st.floats(0.0, 3.0))
def test_a_line_of_the_sustained_length_has_no_margin_left(gsnr: float, required: float, design: float) -> None:
    length_m = float(lightpath.sustained_length_m(1000e3, gsnr, required, design))
    there = gsnr - 10.0 * np.log10(length_m / 1000e3)
    assert lightpath.usable_margin_dB(there, required, design) == pytest.approx(0.0, abs=1e-9)


def test_shannon_1948_page_43_a_signal_as_strong_as_its_noise_carries_one_bit_a_hertz() -> None:
    assert lightpath.shannon_rate_bit_s(1.0, 0.0, 1.0) == pytest.approx(1.0)


@given(st.floats(1e9, 1e11), st.floats(-10.0, 28.0), st.floats(1.0, 2.0))
def test_at_shannons_rate_the_gap_is_nothing(symbol_rate: float, snr: float, polarizations: float) -> None:
    rate = lightpath.shannon_rate_bit_s(symbol_rate, snr, polarizations)
    assert lightpath.gap_to_shannon_dB(rate, symbol_rate, snr, polarizations) == pytest.approx(0.0, abs=1e-8)


def test_light_that_is_too_weak_goes_nowhere_without_an_amplifier() -> None:
    assert lightpath.unamplified_reach_m(-25.0, -20.0, 1.0, 0.0, 0.2) == 0.0
    assert lightpath.unamplified_reach_m(0.0, -20.0, 0.0, 0.0, 0.2) == pytest.approx(100e3)


def test_energy_of_a_bit_halves_with_twice_the_capacity() -> None:
    assert lightpath.line_energy_per_bit_J(100.0, 2e12) == 0.5 * lightpath.line_energy_per_bit_J(100.0, 1e12)
