"""Bits to points and back; Gray's code; what white noise does to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.optics import coherent, modulation, transceiver


def all_points(alphabet: str) -> tuple[np.ndarray, np.ndarray]:
    count = modulation.bits_per_symbol(alphabet)
    bits = np.array([[label >> k & 1 for k in range(count - 1, -1, -1)] for label in range(1 << count)], np.uint8)
    return bits, modulation.map_bits(bits, alphabet)[:, 0]


@given(st.sampled_from(sorted(modulation.ALPHABETS)), st.integers(0, 40), st.integers(0, 10_000))
def test_bits_return(alphabet: str, symbols: int, seed: int) -> None:
    count = modulation.bits_per_symbol(alphabet)
    bits = np.random.default_rng(seed).integers(0, 2, (2, symbols * count)).astype(np.uint8)
    sent = modulation.map_bits(bits, alphabet)
    assert sent.shape == (2, symbols)
    assert (modulation.unmap(sent, alphabet) == bits).all()
    assert modulation.nearest(sent, alphabet) == pytest.approx(sent)


@pytest.mark.parametrize("alphabet", sorted(modulation.ALPHABETS))
def test_power_is_one_and_neighbors_differ_in_one_bit(alphabet: str) -> None:
    bits, points = all_points(alphabet)
    levels, axes = modulation.ALPHABETS[alphabet]
    assert np.mean(np.abs(points) ** 2) == pytest.approx(1.0)
    gap = np.abs(points[:, None] - points[None, :])
    closest = float(gap[gap > 0].min())
    formula = modulation.nearest_distance(float(levels**2)) if axes == 2 else modulation.nearest_level_distance(levels)
    assert closest == pytest.approx(float(formula))
    first, second = np.nonzero(np.isclose(gap, closest))
    assert ((bits[first] != bits[second]).sum(axis=1) == 1).all()


@pytest.mark.parametrize(
    ("alphabet", "snr_dB", "theory"),
    [
        ("qpsk", 6.0, coherent.qpsk_bit_error_ratio),
        ("16qam", 13.0, coherent.qam16_bit_error_ratio),
        ("pam4", 15.0, transceiver.pam_bit_error_ratio),
        ("pam2", 8.0, lambda snr_dB: transceiver.pam_bit_error_ratio(snr_dB, 2.0)),
    ],
)  # fmt: skip
def test_white_noise_makes_as_many_errors_as_the_closed_form_says(
    alphabet: str, snr_dB: float, theory: Callable[[float], Any]
) -> None:
    stream = np.random.default_rng(11)
    bits = stream.integers(0, 2, 400_000).astype(np.uint8)
    sent = modulation.map_bits(bits, alphabet)
    axes = modulation.ALPHABETS[alphabet][1]
    got = sent + modulation.white_noise(sent.shape, 10.0 ** (snr_dB / 10.0), stream, axes)
    ratio = float(np.mean(modulation.unmap(got, alphabet) != bits))
    expected = float(theory(snr_dB))
    assert ratio == pytest.approx(expected, abs=5.0 * np.sqrt(expected / 400_000))


def test_what_is_no_symbol_is_named() -> None:
    with pytest.raises(ValueError, match="whole number of symbols of 4"):
        modulation.map_bits(np.zeros(6, np.uint8), "16qam")
    with pytest.raises(ValueError, match="not one of pam2"):
        modulation.bits_per_symbol("64qam")
