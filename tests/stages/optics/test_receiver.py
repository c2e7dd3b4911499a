"""The coherent receiver against theory: dispersion, turned polarizations, wandering lasers and noise, undone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

from roundtrip.stages.optics import coherent, fiber, modulation, pulse, receiver, waveguide

SYMBOL_RATE_HZ, ROLL_OFF = 32e9, 0.1
RATE_HZ = 2.0 * SYMBOL_RATE_HZ
THEORY = {"16qam": coherent.qam16_bit_error_ratio, "qpsk": coherent.qpsk_bit_error_ratio}


def points(alphabet: str) -> np.ndarray:
    count = modulation.bits_per_symbol(alphabet)
    labels = np.array([[i >> k & 1 for k in range(count)] for i in range(1 << count)], np.uint8)
    return modulation.map_bits(labels, alphabet)[:, 0]


def link(
    alphabet: str, osnr_dB: float, *, symbols: int = 20_000, length_m: float = 800e3, undone_m: float | None = None,
    linewidth_Hz: float = 1e5, seed: int = 1, silence: int = 200,
) -> tuple[float, receiver.Received]:  # fmt: skip
    """Return the bit error ratio over a line whose noise is all at its end, and what was received."""
    stream = np.random.default_rng(seed)
    bits = stream.integers(0, 2, (2, symbols * modulation.bits_per_symbol(alphabet))).astype(np.uint8)
    sent = receiver.burst(modulation.map_bits(bits, alphabet))
    wave = pulse.shape(np.pad(sent, ((0, 0), (silence, 2_000))), 2, ROLL_OFF)
    beta2 = -float(fiber.beta2_s2_m(16.7, 1550e-9))
    wave = waveguide.disperse(wave, RATE_HZ, beta2, length_m)
    wave = waveguide.turn(wave, RATE_HZ, float(fiber.polarization_spread_s(length_m, 0.04)), stream)
    wave = waveguide.wander(wave, RATE_HZ, linewidth_Hz, stream)
    wave = waveguide.add_noise(wave, RATE_HZ, 1.0 / (10.0 ** (osnr_dB / 10.0) * 12.5e9), stream)
    wave = waveguide.disperse(wave, RATE_HZ, beta2, -(length_m if undone_m is None else undone_m))
    got = receiver.receive(pulse.matched(wave, 2, ROLL_OFF), symbols, points(alphabet))
    return float(np.mean(modulation.unmap(got.symbols, alphabet) != bits)), got


def penalty_dB(alphabet: str, osnr_dB: float, ratio: float) -> float:
    """Return how much more noise theory would need for this ratio."""
    snr_dB = float(coherent.snr_from_osnr_dB(osnr_dB, SYMBOL_RATE_HZ))
    theory = THEORY[alphabet]
    return snr_dB - brentq(lambda x: np.log(float(theory(x)) / ratio), -10.0, 30.0)


@pytest.mark.parametrize("osnr_dB", [16.5, 18.0, 20.0, 21.5])
def test_16qam_over_800_km_is_within_0_3_dB_of_theory(osnr_dB: float) -> None:
    ratio, got = link("16qam", osnr_dB, symbols=60_000)
    assert float(coherent.qam16_bit_error_ratio(coherent.snr_from_osnr_dB(osnr_dB, SYMBOL_RATE_HZ))) > 1e-4
    assert -0.1 < penalty_dB("16qam", osnr_dB, ratio) < 0.3
    assert got.start == 400


@pytest.mark.parametrize("osnr_dB", [9.0, 11.0, 13.0, 15.0])
def test_qpsk_over_800_km_is_within_0_3_dB_of_theory(osnr_dB: float) -> None:
    ratio, _ = link("qpsk", osnr_dB, symbols=50_000)
    assert float(coherent.qpsk_bit_error_ratio(coherent.snr_from_osnr_dB(osnr_dB, SYMBOL_RATE_HZ))) > 1e-4
    assert -0.15 < penalty_dB("qpsk", osnr_dB, ratio) < 0.3


def test_without_noise_every_bit_returns() -> None:
    ratio, got = link("16qam", 60.0, linewidth_Hz=1e4)
    assert ratio == 0.0
    assert got.match > 0.99


def test_the_message_is_lost_when_dispersion_is_not_undone() -> None:
    ratio, got = link("qpsk", 20.0, undone_m=0.0)
    assert ratio > 0.3
    assert got.match < 0.3


def test_a_little_dispersion_left_over_is_in_reach_of_the_filter_and_80_km_is_not() -> None:
    assert link("qpsk", 18.0, undone_m=798e3)[0] < 1e-3
    assert link("qpsk", 18.0, undone_m=720e3)[0] > 0.05


def test_more_noise_makes_more_errors() -> None:
    ratios = [link("16qam", osnr_dB)[0] for osnr_dB in (14.0, 16.0, 18.0, 20.0)]
    assert ratios == sorted(ratios, reverse=True)


@pytest.mark.parametrize("silence", [0, 3, 777])
def test_the_training_is_found_wherever_it_begins(silence: int) -> None:
    ratio, got = link("qpsk", 25.0, symbols=3_000, silence=silence)
    assert got.start == 2 * silence
    assert ratio == 0.0


def test_a_burst_is_training_then_one_known_symbol_in_32() -> None:
    data = np.full((2, 100), 9.0 + 0j)
    sent = receiver.burst(data)
    assert (sent[:, : receiver.TRAINING] == receiver.known(receiver.TRAINING, 1)).all()
    after = sent[:, receiver.TRAINING :]
    assert (after != 9.0).sum(axis=1).tolist() == [4, 4]
    assert after.shape[1] == 104
    share = receiver.known_share(float(receiver.TRAINING), 31.0 * 64.0, 32.0)
    assert share == pytest.approx((1_024 + 64) / (1_024 + 64 + 31 * 64))


def test_known_symbols_are_balanced_and_the_polarizations_differ() -> None:
    got = receiver.known(8_192, 1)
    assert np.abs(got.mean()) < 0.02
    assert np.abs(np.mean(got[0] * got[1].conj())) < 0.05
    assert np.abs(got) == pytest.approx(1.0)
