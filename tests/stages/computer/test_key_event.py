"""From usage id to the kernel's key event."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.computer import key_event

# Key codes by name from linux/input-event-codes.h, for the usage ids of the HID tables.
KNOWN = {
    0x04: 30, 0x0B: 35, 0x1D: 44, 0x1E: 2, 0x27: 11, 0x28: 28, 0x29: 1, 0x2C: 57, 0x39: 58, 0x3A: 59, 0x45: 88,
    0x52: 103, 0xE0: 29, 0xE1: 42, 0xE5: 54, 0xE6: 100, 0xE7: 126,
}  # fmt: skip


@pytest.mark.parametrize(("usage", "code"), KNOWN.items())
def test_key_codes_of_input_event_codes_h(usage: int, code: int) -> None:
    assert key_event.key_code(usage) == code


def test_unknown_usages_have_no_key() -> None:
    assert [key_event.key_code(usage) for usage in (0, 1, 3, 0x66, 0xDF, 0xE8, -1)] == [0] * 7


def test_letters_have_26_different_codes() -> None:
    assert len({key_event.key_code(usage) for usage in range(0x04, 0x1E)}) == 26


def test_a_press_of_h_as_evtest_prints_it() -> None:
    scan, key, done = key_event.events_of(0x0B, True, 1_000_000)
    assert (scan.code, scan.value) == (key_event.MSC_SCAN, 458_763)
    assert (key.type, key.code, key.value) == (key_event.EV_KEY, 35, 1)
    assert (done.type, done.code, done.value) == (key_event.EV_SYN, 0, 0)
    assert key_event.events_of(0x0B, False, 0)[1].value == 0


def test_bytes_of_an_event_on_a_64_bit_machine() -> None:
    data = key_event.encode(key_event.events_of(0x04, True, 1_700_000_000_123_456))
    assert len(data) == key_event.event_size_B(3.0) == 72
    assert data[24:48] == bytes.fromhex("00f1536500000000 40e2010000000000 0100 1e00 01000000")


@given(
    st.lists(
        st.builds(
            key_event.Event,
            st.integers(0, 2**50),
            st.integers(0, 31),
            st.integers(0, 767),
            st.integers(-(2**31), 2**31 - 1),
        )
    )
)
def test_events_are_read_back(events: list[key_event.Event]) -> None:
    assert key_event.decode(key_event.encode(events)) == events


def test_half_an_event_is_refused() -> None:
    with pytest.raises(ValueError, match="24-byte"):
        key_event.decode(b"\0" * 36)


def test_x11_counts_from_eight() -> None:
    assert key_event.x11_key_code(key_event.key_code(0x0B)) == 43


def test_state_is_the_sum_of_its_three_copies() -> None:
    assert key_event.state_size_B(3.0, 32.0, 300.0) == 404.0
    assert key_event.delivery_time_s(3e3, 3e9, 1e-4) == pytest.approx(101e-6)
