"""Segments, the handshake and the window."""

from __future__ import annotations

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


def test_header_rfc_9293_figure_1() -> None:
    header = tcp.encode_header(443, 50_000, 1, 2, "SYN|ACK", 64_240)
    assert len(header) == 20
    assert header[:2] == (443).to_bytes(2, "big")
    assert header[12] >> 4 == 5
    assert header[13] == 0x12
