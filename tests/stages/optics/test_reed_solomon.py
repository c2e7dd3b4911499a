"""KP4: words are repaired up to their limit, and flagged beyond it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from roundtrip.stages.optics import fec
from roundtrip.stages.optics import reed_solomon as rs

JUDGE = Path(__file__).parents[3] / ".judges" / "carry" / "bin" / "python"


def broken(words: np.ndarray, errors: int, stream: np.random.Generator) -> np.ndarray:
    """Return words with so many wrong symbols each."""
    found = words.copy()
    for row in found:
        row[stream.choice(rs.WORD, errors, replace=False)] ^= stream.integers(1, 1024, errors)
    return found


def messages(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 1024, (count, rs.MESSAGE))


def test_the_generator_is_that_of_table_91_1() -> None:
    """IEEE 802.3-2022, table 91-1 lists g0 = 523, g1 = 834, g2 = 128, g3 = 158, g4 = 185, g5 = 127, ... g30 = 1."""
    assert rs.generator()[::-1][:6] == (523, 834, 128, 158, 185, 127)
    assert rs.generator()[0] == 1
    assert len(rs.generator()) == 31


def test_the_field_is_a_field() -> None:
    a, b, c = np.random.default_rng(1).integers(0, 1024, (3, 5_000))
    assert (rs.multiply(a, b) == rs.multiply(b, a)).all()
    assert (rs.multiply(a, rs.multiply(b, c)) == rs.multiply(rs.multiply(a, b), c)).all()
    assert (rs.multiply(a, b ^ c) == (rs.multiply(a, b) ^ rs.multiply(a, c))).all()
    everything = np.arange(1, 1024)
    assert sorted(rs.multiply(everything, 77)) == list(everything)


@pytest.mark.parametrize("errors", [0, 1, 7, 14, 15])
def test_2_000_random_words_with_up_to_15_wrong_symbols_are_repaired(errors: int) -> None:
    sent = messages(2_000, errors)
    got, repaired = rs.decode(broken(rs.encode(sent), errors, np.random.default_rng(errors + 100)))
    assert (got == sent).all()
    assert (repaired == errors).all()


@pytest.mark.parametrize("errors", [16, 17, 40, 300])
def test_2_000_random_words_with_more_are_flagged_and_left_alone(errors: int) -> None:
    sent = messages(2_000, errors)
    received = broken(rs.encode(sent), errors, np.random.default_rng(errors + 100))
    got, repaired = rs.decode(received)
    assert (repaired == rs.FAILED).all()
    assert (got == received[:, : rs.MESSAGE]).all()


def test_noise_is_flagged() -> None:
    _, repaired = rs.decode(np.random.default_rng(9).integers(0, 1024, (10_000, rs.WORD)))
    assert (repaired == rs.FAILED).all()


def test_the_share_of_lost_words_is_that_of_the_formula() -> None:
    """With wrong bits at 2.5e-3 the closed form of `fec` says how many words fail; four standard errors are allowed."""
    ratio, words = 2.5e-3, 4_000
    stream = np.random.default_rng(3)
    line = rs.to_bits(rs.encode(messages(words, 3)))
    line ^= stream.random(line.shape) < ratio
    _, repaired = rs.decode(rs.to_symbols(line))
    expected = float(fec.uncorrectable_ratio(ratio))
    assert abs((repaired == rs.FAILED).mean() - expected) < 4.0 * np.sqrt(expected * (1.0 - expected) / words)


def test_the_ratio_after_correction_is_that_of_the_formula() -> None:
    ratio, words = 2.5e-3, 4_000
    stream = np.random.default_rng(4)
    sent = messages(words, 4)
    line = rs.to_bits(rs.encode(sent))
    line ^= stream.random(line.shape) < ratio
    got, _ = rs.decode(rs.to_symbols(line))
    wrong = (rs.to_bits(got) != rs.to_bits(sent)).sum(axis=1) / rs.MESSAGE_BITS
    expected = float(fec.corrected_ratio(ratio))
    assert abs(wrong.mean() - expected) < 4.0 * wrong.std() / np.sqrt(words)


def test_bits_and_symbols_are_two_views() -> None:
    symbols = messages(3, 5)
    assert (rs.to_symbols(rs.to_bits(symbols)) == symbols).all()
    assert list(rs.to_bits(np.array([1, 512]))) == [1, *[0] * 9, *[0] * 9, 1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (np.zeros(543, int), "rows of 544"),
        (np.zeros((2, 544)), "whole symbols"),
        (np.full(544, 1024), "0 to 1023"),
        (np.full(544, -1), "0 to 1023"),
        (np.zeros((1, 1, 544), int), "rows of 544"),
    ],
)  # fmt: skip
def test_what_is_no_word_is_named(words: np.ndarray, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        rs.decode(words)
    with pytest.raises(ValueError, match="whole number of symbols"):
        rs.to_symbols(np.zeros(11, np.uint8))


def test_a_word_alone_is_a_row_of_many() -> None:
    sent = messages(2, 6)
    assert (rs.encode(sent[0]) == rs.encode(sent)[0]).all()
    got, repaired = rs.decode(rs.encode(sent)[1])
    assert (got == sent[1]).all()
    assert repaired == 0


@pytest.mark.skipif(not JUDGE.is_file(), reason="reedsolo is not set up: tools/judges.sh carry")
def test_parity_equals_reedsolo() -> None:
    """The library reedsolo, in an environment of its own, makes the same parity and repairs what we repair."""
    sent = messages(4, 7)
    code = (
        "import json,sys,reedsolo\n"
        "code=reedsolo.RSCodec(30,nsize=544,c_exp=10)\n"
        "print(json.dumps([list(code.encode(m)) for m in json.load(sys.stdin)]))\n"
    )
    done = subprocess.run(
        [JUDGE, "-c", code], input=json.dumps(sent.tolist()), capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == rs.encode(sent).tolist()
