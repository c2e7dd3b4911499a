"""Toggles, electrons, joules."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.model import silicon

E = 1.602176634e-19


@given(st.floats(1.0, 1000.0), st.floats(1e-17, 1e-14), st.floats(0.5, 1.5))
def test_power_is_toggles_times_electrons_times_charge_times_voltage(power_W: float, c_F: float, v_V: float) -> None:
    rate = silicon.toggles_per_second(power_W, c_F, v_V)
    assert np.isclose(rate * silicon.electrons_per_toggle(c_F, v_V) * E * v_V, power_W)


def test_electrons_of_an_energy_equal_those_of_its_toggles() -> None:
    moved = silicon.toggles(1.0, 6e-16, 0.8) * silicon.electrons_per_toggle(6e-16, 0.8)
    assert np.isclose(moved, silicon.electrons(1.0, 0.8))


def test_half_the_multiply_adds_are_half_the_peak() -> None:
    assert np.isclose(silicon.peak_flop_s(528.0, 256.0, 1.83e9) * 2.0, silicon.peak_flop_s(528.0, 512.0, 1.83e9))


def test_energy_of_a_rise_weste_harris_5_2() -> None:
    assert np.isclose(silicon.toggle_energy_J(150e-12, 1.0), 150e-12)


def test_shares_over_streams_add_up() -> None:
    assert np.isclose(88.0 * silicon.static_energy_J(340.0, 0.05, 88.0), 17.0)
    assert np.isclose(88.0 * silicon.rent_usd(2.0, 3600.0, 88.0), 2.0)


def test_fetching_is_a_share_between_none_and_all() -> None:
    assert 0.0 < silicon.fetch_share(37e9, 34e-12, 74e9, 4e-13) < 1.0
    assert silicon.fetch_share(0.0, 34e-12, 74e9, 4e-13) == 0.0


def test_a_multiply_and_add_as_one_sum_halves_the_people() -> None:
    assert silicon.people_time_s(74e9, 1.0) == 2.0 * silicon.people_time_s(74e9, 2.0)


def test_few_transistors_rise_in_a_clock() -> None:
    assert silicon.busy_transistors(1e18, 2e9) == 5e8
