"""The boot keyboard's report."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.keyboard import hid_report

usages = st.lists(st.one_of(st.integers(0x04, 0x65), st.integers(0xE0, 0xE7)), unique=True, max_size=12)


def test_shift_and_h_hid_1_11_appendix_c() -> None:
    held = [hid_report.USAGES["Left Shift"], hid_report.USAGES["h"]]
    assert hid_report.encode(held) == bytes.fromhex("02 00 0b 00 00 00 00 00")


def test_usage_ids_of_the_tables() -> None:
    wanted = {"a": 0x04, "z": 0x1D, "1": 0x1E, "0": 0x27, "Enter": 0x28, "Space": 0x2C, "/": 0x38, "Right GUI": 0xE7}
    assert {name: hid_report.USAGES[name] for name in wanted} == wanted


@given(usages)
def test_a_report_tells_what_is_held(held: list[int]) -> None:
    report = hid_report.encode(held)
    assert len(report) == hid_report.report_size_B(6.0) == 8
    keys = [usage for usage in held if usage < 0xE0]
    assert hid_report.decode(report) == (None if len(keys) > 6 else frozenset(held))


def test_a_seventh_key_rolls_over() -> None:
    assert hid_report.encode([0xE0, *range(4, 11)]) == bytes([1, 0, 1, 1, 1, 1, 1, 1])


def test_order_of_pressing_is_kept_but_means_nothing() -> None:
    assert hid_report.decode(hid_report.encode([5, 4])) == hid_report.decode(hid_report.encode([4, 5]))


def test_changes_are_found_by_comparing() -> None:
    assert hid_report.changes(hid_report.encode([4, 5]), hid_report.encode([5, 6])) == ({6}, {4})


def test_a_short_report_is_refused() -> None:
    with pytest.raises(ValueError, match="8 bytes"):
        hid_report.decode(b"\0" * 7)


def test_descriptor_describes_the_report_hid_1_11_appendix_b() -> None:
    """Read the descriptor item by item: 63 bytes, 64 input bits, 8 output bits, one collection."""
    data = hid_report.BOOT_DESCRIPTOR
    assert len(data) == 63
    at, size, count, bits, opened = 0, 0, 0, {0x80: 0, 0x90: 0}, 0
    while at < len(data):
        prefix, length = data[at], (0, 1, 2, 4)[data[at] & 3]
        value = int.from_bytes(data[at + 1 : at + 1 + length], "little")
        tag = prefix & 0xFC
        size, count = (value if tag == 0x74 else size), (value if tag == 0x94 else count)
        if tag in bits:
            bits[tag] += size * count
        opened += (tag == 0xA0) - (tag == 0xC0)
        at += 1 + length
    assert bits == {0x80: 64, 0x90: 8}
    assert opened == 0


def test_a_bit_for_each_key_takes_more_bytes_only_beyond_a_few_keys() -> None:
    assert hid_report.bitmap_size_B(104.0) == 14.0
    assert np.isclose(hid_report.assembly_energy_J(2000.0, 1e-8), 2e-5)
