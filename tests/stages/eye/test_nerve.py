"""The optic nerve."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.eye import nerve


@given(st.floats(1e-3, 1.0), st.floats(0.1, 100.0))
def test_time_is_length_over_speed(length_m: float, speed_m_s: float) -> None:
    once = nerve.conduction_time_s(length_m, speed_m_s)
    assert np.isclose(nerve.conduction_time_s(length_m, 2.0 * speed_m_s), once / 2.0)
    assert nerve.relay_time_s(length_m, speed_m_s, 3e-3) == pytest.approx(once + 3e-3)


def test_eight_centimeters_with_myelin_take_no_longer_than_three_without() -> None:
    assert nerve.conduction_time_s(0.08, 5.0) < nerve.conduction_time_s(0.03, 0.8)


def test_retina_and_nerve_reach_v1_by_its_latency_of_55_ms_di_russo() -> None:
    way_s = 0.030 + nerve.conduction_time_s(5e-3, 0.8) + nerve.relay_time_s(0.08, 5.0, 3e-3)
    assert way_s == pytest.approx(0.055, rel=0.1)


def test_ten_megabits_a_second_koch_2006() -> None:
    assert 6e6 <= nerve.nerve_rate_bit_s(1e6, 9.0) <= 13e6


def test_ninety_receptors_share_an_axon() -> None:
    assert nerve.convergence(92e6, 4.6e6, 1.07e6) == pytest.approx(90.0, rel=0.01)


def test_the_impulses_of_a_nerve_cost_less_than_a_milliwatt() -> None:
    power_W = nerve.impulse_power_W(1.07e6, 8.0, 3.8e8, 8.3e-20)
    assert 1e-5 < power_W < 1e-3
