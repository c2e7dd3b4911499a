"""USB: polling, bus time, checksums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.keyboard import usb


def test_bus_times_of_an_8_byte_report_usb_2_0_section_5_11_3() -> None:
    assert round(float(usb.bus_time_full_s(8.0)) * 1e9) == 16_547
    assert round(float(usb.bus_time_low_s(8.0)) * 1e9) == 117_897
    assert usb.bus_time_high_s(8.0) < 2e-6


@pytest.mark.parametrize("bus_time", [usb.bus_time_low_s, usb.bus_time_full_s, usb.bus_time_high_s])
def test_more_bytes_never_take_less_time(bus_time: object) -> None:
    times = bus_time(np.arange(1.0, 65.0))  # type: ignore[operator]
    assert np.all(np.diff(times) > 0.0)


def test_bus_time_is_at_least_the_bits_on_the_wire() -> None:
    assert usb.bus_time_full_s(8.0) > usb.wire_bits(8.0) / usb.FULL_SPEED_BIT_S
    assert usb.bus_time_low_s(8.0) > usb.wire_bits(8.0) / usb.LOW_SPEED_BIT_S


def test_intervals_of_the_endpoint_descriptor_section_5_7_4() -> None:
    assert usb.full_speed_interval_s(255.0) == 0.255
    assert usb.low_speed_interval_s(np.array([1.0, 10.0, 255.0])).tolist() == pytest.approx([0.01, 0.01, 0.255])
    assert usb.high_speed_interval_s(np.array([1.0, 4.0, 16.0])).tolist() == pytest.approx([125e-6, 1e-3, 4.096])


def test_polls_find_a_random_press_after_half_an_interval() -> None:
    phases = np.random.default_rng(3).uniform(size=100_000)
    assert np.isclose(np.mean(usb.poll_wait_s(8e-3, phases)), 4e-3, rtol=0.01)
    assert np.isclose(usb.poll_rate_Hz(8e-3), 125.0)


def test_crc5_of_the_usb_crc_paper() -> None:
    assert usb.crc5(0x15 | 0xE << 7) == 0b11101


def test_crc16_of_the_usb_crc_paper() -> None:
    assert usb.crc16(bytes([0, 1, 2, 3])) == 0x7AEF
    assert usb.reverse_bits(0x7AEF, 16) == 0xF75E


@given(st.binary(min_size=1, max_size=64), st.data())
def test_crc16_sees_every_single_flipped_bit(data: bytes, draw: st.DataObject) -> None:
    bit = draw.draw(st.integers(0, 8 * len(data) - 1))
    flipped = bytearray(data)
    flipped[bit // 8] ^= 1 << bit % 8
    assert usb.crc16(bytes(flipped)) != usb.crc16(data)


@given(st.integers(0, 127), st.integers(0, 15), st.integers(0, 10))
def test_crc5_sees_every_single_flipped_bit(address: int, endpoint: int, bit: int) -> None:
    value = address | endpoint << 7
    assert usb.crc5(value) != usb.crc5(value ^ 1 << bit)


def test_packets_of_one_poll() -> None:
    report = bytes.fromhex("02000b0000000000")
    assert usb.in_token(5, 1)[0] == usb.IN_TOKEN
    word = int.from_bytes(usb.in_token(5, 1)[1:], "little")
    assert (word & 0x7F, word >> 7 & 0xF) == (5, 1)
    assert usb.read_token(usb.in_token(5, 1)) == (5, 1)
    packet = usb.answer(report, 1)
    assert packet[0] == usb.DATA1
    assert packet[1:9] == report
    assert usb.answer(None, 0) == bytes([usb.NAK])


@given(st.text("01", max_size=300))
def test_stuffing_never_leaves_seven_ones_and_is_undone(bits: str) -> None:
    stuffed = usb.stuff(bits)
    assert "1" * 7 not in stuffed
    assert usb.unstuff(stuffed) == bits
    assert len(stuffed) <= len(bits) * 7 // 6


def test_signal_energy_doubles_with_the_bits() -> None:
    assert np.isclose(usb.signal_energy_J(200.0, 1e-10, 3.3), 2.0 * usb.signal_energy_J(100.0, 1e-10, 3.3))
