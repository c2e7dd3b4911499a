"""Water: reservoirs only add, and on site is counted by the equipment, never by the building."""

from __future__ import annotations

import pytest

from roundtrip.stages.datacenter import power, water


@pytest.mark.parametrize("share", [0.0, 0.06, 0.54, 0.89])
def test_reservoirs_add_their_share(share: float) -> None:
    without = water.without_reservoirs_L_kWh(1.3, share)
    assert water.with_reservoirs_L_kWh(1.3, share) - without == pytest.approx(17.0 * share)


def test_macknick_2012_table_1_hydropower_is_4491_gallons_a_megawatt_hour() -> None:
    assert water.with_reservoirs_L_kWh(0.0, 1.0) == pytest.approx(4491.0 * 3.785411784 / 1000.0, rel=1e-3)


def test_the_sum_is_water_on_site_of_equipment_and_off_site_of_the_building() -> None:
    energy_J, wue, pue, intensity = 5.0e6, 0.35, 1.12, 2.2
    parts = power.water_on_site_L(energy_J, wue) + power.water_off_site_L(energy_J * pue, intensity)
    assert water.site_water_L(energy_J, wue, pue, intensity) == pytest.approx(float(parts))


def test_overhead_does_not_count_twice_on_site() -> None:
    assert water.site_water_L(3.6e6, 1.0, 2.0, 0.0) == 1.0
