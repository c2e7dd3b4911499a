"""Frames on the wire."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import ethernet

HERE, THERE = bytes(range(6)), bytes(range(6, 12))


@given(st.binary(max_size=200))
def test_check_sequence_is_the_remainder_bit_by_bit(data: bytes) -> None:
    assert ethernet.check_sequence(data) == ethernet.remainder(data)


def test_check_value_of_the_catalog_of_crcs() -> None:
    assert ethernet.check_sequence(b"123456789") == 0xCBF43926


@given(st.binary(min_size=46, max_size=1_500))
def test_a_frame_returns(payload: bytes) -> None:
    frame = ethernet.encode_frame(THERE, HERE, payload)
    assert ethernet.decode_frame(frame) == (THERE, HERE, 0x0800, payload)
    assert ethernet.frame_wire_B(float(len(payload))) == len(frame) + 8 + 12


@given(st.integers(0, 100 * 8 - 1), st.integers(1, 2**32 - 1))
def test_every_burst_of_up_to_32_bits_is_found(place: int, pattern: int) -> None:
    frame = int.from_bytes(ethernet.encode_frame(THERE, HERE, bytes(range(100))), "big")
    length = 14 + 100 + 4
    broken = frame ^ (pattern << min(place, 8 * length - 32))
    with pytest.raises(ValueError, match="check sequence"):
        ethernet.decode_frame(broken.to_bytes(length, "big"))


@pytest.mark.parametrize("length", [0, 1, 45])
def test_short_payloads_are_padded(length: int) -> None:
    assert len(ethernet.encode_frame(THERE, HERE, bytes(length))) == 64
    assert ethernet.frame_wire_B(float(max(length, 1))) == 84.0


@given(st.integers(1, 100_000))
def test_a_message_costs_the_sum_of_its_frames(size_B: int) -> None:
    payload = 1_448
    sizes = [min(payload, size_B - i) for i in range(0, size_B, payload)]
    frames = sum(ethernet.frame_wire_B(52.0 + size) for size in sizes)
    assert np.isclose(
        ethernet.message_wire_B(float(size_B), float(len(sizes)), 52.0, ethernet.frame_overhead_B()), frames
    )


def test_148_million_smallest_frames_at_100_gigabit() -> None:
    assert ethernet.frame_rate_Hz(100e9, 84.0) == pytest.approx(148_809_524, abs=1.0)
    assert ethernet.goodput_share(1_460.0, 1_538.0) == pytest.approx(0.9493, abs=1e-4)
