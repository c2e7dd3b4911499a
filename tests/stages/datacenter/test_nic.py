"""The card: whatever the network did to the segments, the process reads the same bytes."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.datacenter import nic


def cut(data: bytes, size: int, start: int) -> list[tuple[int, bytes]]:
    return [((start + i) % 2**32, data[i : i + size]) for i in range(0, len(data), size)]


@given(st.binary(min_size=1, max_size=3000), st.integers(1, 500), st.integers(0, 2**32 - 1), st.integers(0, 10**6))
def test_rfc_9293_order_and_repetition_do_not_matter(data: bytes, size: int, start: int, seed: int) -> None:
    segments = cut(data, size, start)
    shuffled = segments + segments[::3]
    random.Random(seed).shuffle(shuffled)
    assert nic.reassemble(shuffled, start) == (data, (start + len(data)) % 2**32)


@given(st.binary(min_size=20, max_size=600), st.integers(1, 50), st.integers(0, 2**32 - 1))
def test_overlapping_segments_give_each_byte_once(data: bytes, size: int, start: int) -> None:
    overlapping = [(number, data[(number - start) % 2**32 :][: 2 * size]) for number, _ in cut(data, size, start)]
    assert nic.reassemble(overlapping, start)[0] == data


def test_what_lies_behind_a_gap_is_held_back() -> None:
    assert nic.reassemble([(0, b"abc"), (6, b"ghi")]) == (b"abc", 3)
    assert nic.reassemble([(0, b"abc"), (6, b"ghi"), (3, b"def")]) == (b"abcdefghi", 9)


def test_a_segment_that_begins_before_what_is_awaited_is_trimmed() -> None:
    assert nic.reassemble([(95, b"oldnew"), (101, b"!")], 98) == (b"new!", 102)


@given(st.binary(min_size=1, max_size=4000), st.integers(1, 400), st.integers(400, 1500))
def test_merging_keeps_bytes_and_bounds(data: bytes, size: int, limit: int) -> None:
    merged = nic.merge(cut(data, size, 7), limit)
    assert nic.reassemble(merged, 7)[0] == data
    assert all(len(buffer) <= limit for _, buffer in merged)
    assert len(merged) == int(nic.merged_buffers(float(len(cut(data, size, 7))), float(limit // size)))


def test_out_of_order_segments_stay_apart() -> None:
    assert nic.merge([(0, b"ab"), (4, b"ef"), (2, b"cd")]) == [(0, b"ab"), (4, b"ef"), (2, b"cd")]


def test_merging_saves_the_stack() -> None:
    alone = nic.stack_s(nic.merged_buffers(44.0, 1.0), 8e-6)
    merged = nic.stack_s(nic.merged_buffers(44.0, 44.0), 8e-6)
    assert alone == pytest.approx(44.0 * merged)


def test_one_core_cannot_keep_a_100_gigabit_line() -> None:
    assert nic.one_core_rate_bit_s(0.65, 3.4e9) < 1e11
    size = np.array([1e3, 1e6])
    np.testing.assert_allclose(8.0 * size / nic.copy_s(size, 0.65, 3.4e9), nic.one_core_rate_bit_s(0.65, 3.4e9))


def test_bus_and_wait() -> None:
    assert nic.dma_s(5e10, 5e10, 1e-6) == pytest.approx(1.0 + 1e-6)
    assert nic.interrupt_wait_s(0.0, 8e-6) == 0.0
    assert nic.interrupt_wait_s(1.0, 8e-6) == 8e-6
