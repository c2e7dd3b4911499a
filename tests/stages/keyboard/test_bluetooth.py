"""A wireless keyboard."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.keyboard import bluetooth


def test_air_time_of_the_longest_4_0_packet_core_specification_6_b_2_1() -> None:
    assert np.isclose(bluetooth.air_time_s(20.0, 1e6), 328e-6)
    assert np.isclose(bluetooth.air_time_s(20.0, 2e6), 164e-6)


def test_lost_events_are_a_geometric_series() -> None:
    loss = 0.3
    waits = sum(n * (1.0 - loss) * loss**n for n in range(200))
    assert np.isclose(bluetooth.retry_wait_s(15e-3, loss), 15e-3 * waits)


def test_a_random_press_waits_half_an_interval() -> None:
    phases = np.random.default_rng(4).uniform(size=100_000)
    assert np.isclose(np.mean(bluetooth.event_wait_s(15e-3, phases)), 7.5e-3, rtol=0.01)


def test_sleeping_through_events_delays_the_host_and_not_the_key() -> None:
    assert np.isclose(bluetooth.host_wait_s(15e-3, 30.0), 0.465)
    assert bluetooth.interval_units(15e-3) == 12.0


def test_energy_grows_with_the_tries() -> None:
    once = bluetooth.radio_energy_J(15e-3, 8.0, 1e6, 0.0)
    assert np.isclose(bluetooth.radio_energy_J(15e-3, 8.0, 1e6, 0.5), 2.0 * once)


@given(st.binary(min_size=1, max_size=40), st.data())
def test_crc24_sees_every_burst_up_to_24_bits(data: bytes, draw: st.DataObject) -> None:
    bit = draw.draw(st.integers(0, 8 * len(data) - 1))
    burst = draw.draw(st.integers(1, min(2**24 - 1, 2 ** (8 * len(data) - bit) - 1)))
    broken = int.from_bytes(data, "little") ^ burst << bit
    assert bluetooth.crc24(broken.to_bytes(len(data), "little")) != bluetooth.crc24(data)


@given(st.integers(0, 0xFFFF), st.binary(min_size=1, max_size=20))
def test_a_notification_is_read_back(handle: int, report: bytes) -> None:
    frame = bluetooth.notification(handle, report)
    assert len(frame) == len(report) + bluetooth.ATT_B
    assert bluetooth.read_notification(frame) == (handle, report)


def test_another_channel_is_refused() -> None:
    with pytest.raises(ValueError, match="attribute channel"):
        bluetooth.read_notification(b"\x04\x00\x05\x00\x1b\x00\x00\x00")
