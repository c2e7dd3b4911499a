"""Standing by: nothing waits where peak and mean agree, and a whole fleet at full power is the crudest account."""

from __future__ import annotations

import pytest

from roundtrip.stages.datacenter import standby


def test_nothing_waits_if_the_peak_is_the_mean() -> None:
    assert standby.spare_ratio(100.0, 100.0) == 0.0
    assert standby.idle_J(3.0, 0.0, 70.0, 200.0, 0.5) == 0.0


def test_an_idle_machine_for_each_at_work_adds_its_power() -> None:
    assert standby.idle_J(2.0, 1.0, 70.0, 200.0, 0.5) == pytest.approx(340.0)


def test_a_fleet_is_its_energy_over_its_requests() -> None:
    one = standby.fleet_request_J(100.0, 6500.0, 1e6)
    assert one * 1e6 == pytest.approx(100 * 6500.0 * 86_400.0)
    assert standby.fleet_request_J(100.0, 6500.0, 2e6) == pytest.approx(one / 2.0)
