"""Heat of a cluster."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.training import heat

watts = st.floats(10.0, 2000.0)


def test_a_megawatt_warms_24_kilograms_a_second_by_ten_kelvin() -> None:
    assert heat.coolant_mass_kg(1e6, 10.0) == pytest.approx(23.9, abs=0.05)


@given(watts, watts)
def test_a_limit_above_the_demand_changes_nothing(limit: float, demand: float) -> None:
    speed = heat.throttled_speed(limit, demand)
    assert speed == pytest.approx(min((limit / demand) ** (1 / 3), 1.0))
    assert 0.0 < speed <= 1.0


@given(st.floats(0.1, 1.0))
def test_slower_work_takes_less_energy_and_the_cube_law_agrees(speed: float) -> None:
    # Power s^3 for a time 1/s is the energy s^2.
    power = 500.0 * speed**3
    assert heat.throttled_speed(power, 500.0) == pytest.approx(speed)
    assert heat.slowed_energy_share(speed) == pytest.approx(power / speed / 500.0)


@given(st.floats(280.0, 330.0), st.floats(335.0, 390.0), watts, st.floats(1.0, 80.0))
def test_power_at_a_temperature_gives_that_temperature(cool: float, hot: float, rated: float, rise: float) -> None:
    power = heat.power_at_temperature_W(cool, hot, rated, rise)
    assert heat.chip_temperature_K(cool, power, rated, rise) == pytest.approx(hot)


def test_a_hot_coolant_leaves_no_power() -> None:
    assert heat.power_at_temperature_W(360.0, 350.0, 700.0, 40.0) == 0.0


@given(st.floats(290.0, 340.0), st.floats(1.0, 60.0), st.floats(1.0, 60.0))
def test_aging_multiplies_over_steps(cool: float, first: float, second: float) -> None:
    whole = heat.aging_factor(cool, cool + first + second, 0.7)
    parts = heat.aging_factor(cool, cool + first, 0.7) * heat.aging_factor(cool + first, cool + first + second, 0.7)
    assert whole == pytest.approx(parts)
    assert whole > 1.0


def test_cluster_of_16384_at_a_kilowatt() -> None:
    assert np.isclose(heat.cluster_power_W(16_384, 1_000.0, 1.08), 17.7e6, rtol=1e-3)


def test_a_waiting_cluster_drops_by_megawatts() -> None:
    # "Tens of megawatts" in the words of the Llama 3 paper, section 3.3.4, for some 16,000 accelerators.
    assert 1e7 < heat.power_swing_W(16_384, 1_000.0, 200.0) < 2e7
    assert heat.power_swing_W(16_384, 100.0, 200.0) == 0.0
