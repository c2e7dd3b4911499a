"""Error correction."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from roundtrip.stages.optics import coherent, fec


@pytest.mark.parametrize(("ratio", "words"), [(2.4e-4, 8.15e-13), (2.2e-4, 2.24e-13), (3e-4, 2.1e-11), (1e-3, 1.53e-4)])
def test_kp4_words_that_cannot_be_repaired(ratio: float, words: float) -> None:
    ours = float(fec.uncorrectable_ratio(ratio))
    assert ours == pytest.approx(words, rel=0.02)
    assert ours == pytest.approx(binom.sf(15, 544, 1.0 - (1.0 - ratio) ** 10), rel=1e-9)


def test_kr4_is_weaker_than_kp4() -> None:
    kr4 = fec.uncorrectable_ratio(1e-4, word_symbols=528, correctable=7)
    assert kr4 > 1e6 * fec.uncorrectable_ratio(1e-4)
    assert fec.uncorrectable_ratio(2.1e-5, word_symbols=528, correctable=7) == pytest.approx(4.9e-13, rel=0.03)


def test_corrected_ratio_is_the_mean_over_failed_words() -> None:
    ratio, n, t = 1e-3, 544, 15
    symbol = float(fec.symbol_error_ratio(ratio))
    wrong = np.arange(t + 1, n + 1)
    symbols = np.sum(wrong / n * binom.pmf(wrong, n, symbol))
    assert fec.corrected_ratio(ratio) == pytest.approx(symbols * ratio / symbol, rel=1e-9)


def test_kp4_decoder_agrees_with_throwing_dice() -> None:
    stream = np.random.default_rng(5)
    ratio = 2.5e-3
    broken = stream.binomial(544, float(fec.symbol_error_ratio(ratio)), 200_000) > 15
    assert np.mean(broken) == pytest.approx(float(fec.uncorrectable_ratio(ratio)), rel=0.03)


def test_correction_pays_below_its_limit_only() -> None:
    ratios = np.array([1e-5, 1e-4, 1e-3, 3e-3])
    assert np.all(fec.corrected_ratio(ratios) < ratios)
    assert np.all(np.diff(fec.corrected_ratio(ratios)) > 0.0)


def test_a_code_that_corrects_nothing_gains_nothing() -> None:
    assert fec.net_coding_gain_dB(1e-4, 1e-4, 1.0) == pytest.approx(0.0, abs=1e-12)
    assert fec.net_coding_gain_dB(1e-4, 1e-4, 0.5) == pytest.approx(-3.0103, abs=1e-3)


@pytest.mark.parametrize("ratio", [2e-2, 1.25e-2, 1e-3])
def test_required_snr_is_where_qpsk_has_that_ratio(ratio: float) -> None:
    assert coherent.qpsk_bit_error_ratio(fec.required_qpsk_snr_dB(ratio)) == pytest.approx(ratio, rel=1e-9)


def test_payload_share_of_kp4() -> None:
    assert fec.payload_share(30.0 / 514.0) == pytest.approx(514.0 / 544.0)


def test_the_datacenters_nanoseconds_are_not_the_long_hauls_microseconds() -> None:
    short = fec.correction_latency_s(5440.0, 106.25e9, 40e-9)
    assert short == pytest.approx(91.2e-9, rel=1e-3)
    assert fec.accumulation_s(500_000.0, 500e9) > 10.0 * short
