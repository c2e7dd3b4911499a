"""Charge in memory, refresh, and the code that puts flipped bits right."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.computer import memory

word = st.integers(0, 2**64 - 1)


def test_giancoli_chapter_17_dram_cell() -> None:
    assert np.isclose(memory.cell_electrons(35e-15, 1.5), 3.3e5, rtol=0.01)
    assert np.isclose(memory.decay_time_s(35e-15, 1.5, 0.3e-15, 0.02), 3.5)


@given(st.floats(1e-15, 1e-13), st.floats(1e-14, 1e-12))
def test_charge_sharing_conserves_charge(cell_F: float, line_F: float) -> None:
    """A charged cell at V and a line at V/2 end at one voltage with the same charge."""
    end_V = 0.55 + memory.bitline_swing_V(cell_F, line_F, 1.1)
    assert np.isclose(end_V * (cell_F + line_F), cell_F * 1.1 + line_F * 0.55)


def test_a_read_is_destructive() -> None:
    """After sharing, the cell is nearer to the precharge than to its own voltage: it must be written back."""
    left_V = 0.55 + memory.bitline_swing_V(20e-15, 80e-15, 1.1)
    assert left_V < 0.75 * 1.1


def test_refresh_of_64_and_32_ms() -> None:
    assert np.isclose(memory.refresh_rate_Hz(64e-3), 15.625)
    assert np.isclose(8192.0 * 7.8e-6, 64e-3, rtol=0.01)
    assert np.isclose(memory.refresh_share(350e-9, 3.9e-6), 2.0 * memory.refresh_share(350e-9, 7.8e-6))


def test_electrons_of_data_are_those_of_its_ones() -> None:
    one = memory.cell_electrons(20e-15, 1.1)
    assert np.isclose(memory.stored_electrons(404.0, 0.5, 20e-15, 1.1), 404 * 4 * one)


def test_row_accesses_follow_each_other() -> None:
    assert np.isclose(memory.access_time_s(8.0, 32e-9, 14e-9), 8.0 * memory.row_cycle_s(32e-9, 14e-9))
    assert np.isclose(memory.access_energy_J(404.0, 2e-11), 404 * 8 * 2e-11)


@given(word)
def test_a_sound_word_decodes_clean(data: int) -> None:
    encoded = memory.encode(data)
    assert encoded < 2**72
    assert memory.decode(encoded) == (data, "clean")


@given(word)
def test_every_single_flip_is_put_right(data: int) -> None:
    encoded = memory.encode(data)
    for place in range(72):
        assert memory.decode(encoded ^ 1 << place) == (data, "corrected")


def test_every_double_flip_is_noticed_hamming_1950() -> None:
    encoded = memory.encode(0x0123_4567_89AB_CDEF)
    for one, two in combinations(range(72), 2):
        assert memory.decode(encoded ^ 1 << one ^ 1 << two)[1] == "uncorrectable"


def test_two_words_differ_in_at_least_four_bits() -> None:
    for place in range(64):
        assert (memory.encode(0) ^ memory.encode(1 << place)).bit_count() >= 4


def test_errors_scale_with_size_and_time() -> None:
    hour = memory.expected_errors(25_000.0, 2.0**27, 3600.0)
    assert np.isclose(hour, 25_000.0 * 1024.0 / 1e9)
    assert np.isclose(memory.expected_errors(25_000.0, 2.0**28, 1800.0), hour)
