"""Segments, the handshake and the window."""

from __future__ import annotations

import contextlib
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import tcp


@given(st.binary(max_size=6_000), st.integers(1, 1_500), st.integers(0, 2**32 - 1), st.randoms())
def test_cut_shuffled_and_joined_is_the_message(
    message: bytes, payload_B: int, first: int, order: random.Random
) -> None:
    pieces, place = [], 0
    for piece in tcp.cut(message, payload_B):
        pieces.append(((first + place) % 2**32, piece))
        place += len(piece)
    assert len(pieces) == tcp.segments(float(max(len(message), 1)), float(payload_B))
    order.shuffle(pieces)
    assert tcp.join(pieces + pieces[:1], first) == message


def test_a_missing_segment_is_noticed() -> None:
    with pytest.raises(ValueError, match="bytes 3 to 6 are missing"):
        tcp.join([(0, b"abc"), (6, b"ghi")])


def _simulate(size_B: float, payload_B: float, window: int) -> int:
    """Send what the window allows, wait for the acknowledgments, double."""
    left, flights = size_B, 0
    while left > 0:
        left -= window * payload_B
        window *= 2
        flights += 1
    return max(flights, 1)


@given(st.integers(1, 5_000_000), st.sampled_from([536, 1_448, 1_460]), st.integers(1, 40))
def test_rounds_of_slow_start_equal_a_simulation(size_B: int, payload_B: int, window: int) -> None:
    assert tcp.slow_start_rounds(float(size_B), float(payload_B), float(window)) == _simulate(size_B, payload_B, window)


def test_a_chat_message_waits_for_nothing_and_a_book_does() -> None:
    waits = tcp.window_wait_s(np.array([2e3, 14_480.0, 14_481.0, 250e3]), 1_448.0, 10.0, 0.1)
    np.testing.assert_allclose(waits, [0.0, 0.0, 0.1, 0.4])


def test_four_times_the_loss_halves_the_rate_mathis_1997_equation_3() -> None:
    assert tcp.loss_rate_bit_s(1460.0, 0.1, 4e-4) == pytest.approx(0.5 * tcp.loss_rate_bit_s(1460.0, 0.1, 1e-4))


SEGMENTS = st.builds(
    tcp.Segment,
    source_port=st.integers(0, 65_535), destination_port=st.integers(0, 65_535),
    sequence=st.integers(0, 2**32 - 1), acknowledged=st.integers(0, 2**32 - 1),
    flags=st.integers(0, 63), window=st.integers(0, 65_535), payload=st.binary(max_size=100),
    largest_B=st.none() | st.integers(0, 65_535), scale=st.none() | st.integers(0, 14), selective=st.booleans(),
    blocks=st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)), max_size=2).map(tuple),
)  # fmt: skip


@given(SEGMENTS)
def test_segments_return(segment: tcp.Segment) -> None:
    data = tcp.encode(segment)
    assert tcp.decode(data) == segment
    assert (data[12] >> 4) * 4 == len(data) - len(segment.payload)


def test_header_rfc_9293_figure_1() -> None:
    flags = tcp.FLAGS["SYN"] | tcp.FLAGS["ACK"]
    header = tcp.encode(tcp.Segment(443, 50_000, 1, 2, flags, 64_240))
    assert len(header) == 20
    assert header[:2] == (443).to_bytes(2, "big")
    assert header[12] >> 4 == 5
    assert header[13] == 0x12
    assert tcp.decode(header).has("SYN")
    assert not tcp.decode(header).has("FIN")


def test_options_rfc_2018_section_3_and_rfc_7323_section_2() -> None:
    opening = tcp.encode(tcp.Segment(1, 2, 3, 4, 2, 5, largest_B=1460, scale=7, selective=True))
    assert opening[20:] == bytes.fromhex("01 01 01 02 04 05 b4 04 02 03 03 07")
    answer = tcp.encode(tcp.Segment(1, 2, 3, 4, 16, 5, blocks=((6_000, 8_000),)))
    assert answer[20:] == bytes.fromhex("01 01 05 0a 00 00 17 70 00 00 1f 40")


@given(st.binary(max_size=80))
def test_any_bytes_are_a_segment_or_are_named(data: bytes) -> None:
    with contextlib.suppress(ValueError):
        assert len(tcp.decode(data).payload) <= len(data) - 20


@pytest.mark.parametrize("options", ["02 03 00 00", "05 04 00 00", "08 01 00 00", "03 00 00 00", "05 0a 00 00", "02"])
def test_an_impossible_option_is_named(options: str) -> None:
    header = bytearray(tcp.encode(tcp.Segment(1, 2, 3, 4, 16, 5)))
    header[12] = 6 << 4
    with pytest.raises(ValueError, match="impossible length"):
        tcp.decode(bytes(header) + bytes.fromhex(options).ljust(4, b"\x03"))
