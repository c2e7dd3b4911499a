"""Pulses whose neighbors are zero where they are decided."""

from __future__ import annotations

import numpy as np
import pytest

from roundtrip.stages.optics import modulation, pulse


@pytest.mark.parametrize("roll_off", [0.0, 0.1, 0.5, 1.0])
def test_no_symbol_is_seen_at_the_instant_of_another(roll_off: float) -> None:
    bits = np.random.default_rng(1).integers(0, 2, (2, 1_024)).astype(np.uint8)
    sent = modulation.map_bits(bits, "16qam")
    wave = pulse.matched(pulse.shape(sent, 2, roll_off), 2, roll_off)
    assert wave[:, ::2] == pytest.approx(sent, abs=1e-8)


@pytest.mark.parametrize("samples", [2, 4])
def test_the_power_of_the_wave_is_that_of_its_symbols(samples: int) -> None:
    bits = np.random.default_rng(2).integers(0, 2, 40_000).astype(np.uint8)
    wave = pulse.shape(modulation.map_bits(bits, "qpsk"), samples, 0.2)
    assert np.mean(np.abs(wave) ** 2) == pytest.approx(1.0, rel=0.02)


def test_nothing_is_sent_outside_the_band() -> None:
    bits = np.random.default_rng(3).integers(0, 2, 8_192).astype(np.uint8)
    wave = pulse.shape(modulation.map_bits(bits, "qpsk"), 4, 0.1)
    offset = np.abs(np.fft.fftfreq(len(wave), 0.25))
    spectrum = np.abs(np.fft.fft(wave)) ** 2
    assert spectrum[offset > 0.551].max() < 1e-18 * spectrum.max()


def test_the_raised_cosine_falls_and_is_odd_around_half_the_rate() -> None:
    offset = np.linspace(0.0, 32e9, 1_000)
    share = pulse.raised_cosine_share(offset, 32e9, 0.3)
    assert (np.diff(share) <= 1e-15).all()
    assert pulse.raised_cosine_share(16e9 - 2e9, 32e9, 0.3) + pulse.raised_cosine_share(
        16e9 + 2e9, 32e9, 0.3
    ) == pytest.approx(1.0)
