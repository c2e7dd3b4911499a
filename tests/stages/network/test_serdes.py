"""The line code and its charge."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import serdes

FULL = (1 << 58) - 1


@given(st.binary(min_size=8, max_size=64).map(lambda b: b[: len(b) // 8 * 8]))
def test_blocks_return_and_are_as_many_as_the_formula_says(data: bytes) -> None:
    line = serdes.encode(data)
    assert serdes.decode(line) == data
    assert len(line) == serdes.line_bits(float(len(data)), 64.0, 66.0)


@given(st.lists(st.integers(0, 1), min_size=80, max_size=300), st.integers(0, FULL))
def test_the_descrambler_is_in_step_after_58_bits(bits: list[int], wrong_state: int) -> None:
    sent, _ = serdes.scramble(bits)
    assert serdes.descramble(sent, wrong_state)[0][58:] == bits[58:]


def test_one_wrong_bit_becomes_three_at_0_39_and_58() -> None:
    bits = [random.Random(3).randrange(2) for _ in range(400)]
    sent, _ = serdes.scramble(bits)
    sent[100] ^= 1
    got, _ = serdes.descramble(sent, FULL)
    assert [i - 100 for i, (a, b) in enumerate(zip(got, bits, strict=True)) if a != b] == [0, 39, 58]


def test_the_scrambler_divides_by_its_polynomial() -> None:
    """The line times x^58 + x^39 + 1, modulo 2, is the data: the definition in clause 49."""
    bits = [random.Random(5).randrange(2) for _ in range(500)]
    sent, _ = serdes.scramble(bits, 0)
    product = [sent[i] ^ (sent[i - 39] if i >= 39 else 0) ^ (sent[i - 58] if i >= 58 else 0) for i in range(500)]
    assert product == bits


def test_zeros_leave_balanced_and_with_short_runs() -> None:
    sent, _ = serdes.scramble([0] * 20_000)
    array = np.array(sent)
    runs = np.diff(np.flatnonzero(np.diff(array)))
    assert abs(array[2_000:].mean() - 0.5) < 0.02
    assert runs[1_000:].max() < 66


def test_out_of_step_is_noticed() -> None:
    line = serdes.encode(bytes(range(16)))
    with pytest.raises(ValueError, match="out of step"):
        serdes.decode([*line[:66], 1, 1, *line[68:]])
    with pytest.raises(ValueError, match="whole number"):
        serdes.decode(line[1:])


def test_code_and_rate_are_inverse() -> None:
    rate = serdes.signaling_rate_bit_s(10e9, 64.0, 66.0)
    assert serdes.data_rate_bit_s(rate, 64.0, 66.0) == pytest.approx(10e9)
    assert serdes.serialization_time_s(1_250.0, rate, 64.0, 66.0, 0.0) == pytest.approx(1e-6)


def test_electrons_are_current_times_bit_time() -> None:
    count = serdes.electrons_per_bit(0.8, 100.0, 10.3125e9)
    assert count * 1.602176634e-19 * 10.3125e9 == pytest.approx(8e-3)
    assert 1e6 < count < 1e7
    assert serdes.lane_energy_J(1e3, 1e-11) == pytest.approx(8e-8)
