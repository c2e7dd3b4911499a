"""The way to the internet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.catalog.load import load
from roundtrip.stages.network import access


def test_one_frame_exchange_at_54_megabit_ieee_802_11_clause_17() -> None:
    """DIFS 34, preamble 20, body, SIFS 16, acknowledgment 44 microseconds."""
    assert access.airtime_s(1_350.0, 54e6, 0.0) == pytest.approx((34 + 20 + 200 + 16 + 44) * 1e-6)


def test_at_high_rates_the_air_is_spent_on_waiting() -> None:
    body = 8.0 * 1_500.0 / 1.2e9
    assert body / access.airtime_s(1_500.0, 1.2e9, 7.5) < 0.06


@given(st.floats(0.0, 4e7), st.floats(1.0, 3.0))
def test_a_satellite_is_never_faster_than_light_straight_up(altitude_m: float, slant: float) -> None:
    assert access.satellite_flight_s(altitude_m, slant) >= 2.0 * altitude_m / 299_792_458.0


def test_idle_time_is_half_of_the_round_trips() -> None:
    assert access.one_way_s(10e-3, 3e-3) == pytest.approx(6.5e-3)
    assert access.line_time_s(1_250.0, 10e6) == pytest.approx(1e-3)
    assert access.buffer_wait_s(1.0, 0.25) == 0.25


def test_energies_are_power_times_time_and_bits() -> None:
    assert access.home_energy_J(16.5, 25.0) == 412.5
    assert access.allocated_energy_J(1.5, 25.0) == 37.5
    assert access.marginal_energy_J(1e6, 50e-9) == pytest.approx(0.4)


def test_lines_of_the_catalog_stand_in_the_expected_order() -> None:
    lines = load("access_networks")

    def idle_s(name: str) -> float:
        figures = {key: figure.value for key, figure in lines[name].figures.items()}
        flight = access.satellite_flight_s(figures["altitude_m"], figures["slant_factor"])
        return float(access.one_way_s(figures["access_round_trip_s"], figures["radio_round_trip_s"]) + flight)

    order = ["ethernet-fiber", "wifi-fiber", "wifi-cable", "5g", "4g", "geo-satellite"]
    assert [idle_s(name) for name in order] == sorted(idle_s(name) for name in order)
    assert 0.04 > 2.0 * idle_s("starlink") - 3e-3 > 0.02
    assert 0.58 < 2.0 * idle_s("geo-satellite") < 0.75
