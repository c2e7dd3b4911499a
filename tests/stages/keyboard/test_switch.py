"""The switch under the key."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.keyboard import press, switch

share = st.floats(0.0, 0.9)


def test_impact_speed_is_acceleration_times_the_time_of_the_press() -> None:
    time_s = press.travel_time_s(2.2e-3, 40.0)
    assert np.isclose(switch.impact_speed_m_s(40.0, 2.2e-3), 40.0 * time_s)


@given(share)
def test_bounces_sum_like_a_dropped_ball(restitution: float) -> None:
    speed_m_s, hops_s = 0.3, 0.0
    for _ in range(400):
        speed_m_s *= restitution
        hops_s += 2.0 * speed_m_s * 2e-5 / 0.1
    assert np.isclose(switch.bounce_time_s(0.3, restitution, 0.1, 2e-5), hops_s)


@given(st.floats(0.05, 0.95))
def test_the_row_has_fallen_to_the_threshold(threshold: float) -> None:
    time_s = switch.closing_time_s(200.0, 1e-10, threshold)
    assert np.isclose(np.exp(-time_s / (200.0 * 1e-10)), threshold)


def test_spring_work_is_the_area_under_the_force() -> None:
    travel = np.linspace(0.0, 2e-3, 1001)
    force = 0.3 + (0.45 - 0.3) * travel / 2e-3
    assert np.isclose(switch.spring_work_J(0.3, 0.45, 2e-3), np.sum(0.5 * (force[1:] + force[:-1]) * np.diff(travel)))


def test_four_times_the_voltage_costs_sixteen_times_the_energy() -> None:
    assert np.isclose(switch.line_energy_J(1e-10, 4.0), 16.0 * switch.line_energy_J(1e-10, 1.0))
