"""The finger on the key."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.keyboard import press

positive = st.floats(1e-4, 0.02)
acceleration = st.floats(1.0, 500.0)


@given(positive, acceleration)
def test_four_times_the_travel_takes_twice_as_long(travel_m: float, acceleration_m_s2: float) -> None:
    once = press.travel_time_s(travel_m, acceleration_m_s2)
    assert np.isclose(press.travel_time_s(4.0 * travel_m, acceleration_m_s2), 2.0 * once)


def test_work_of_a_press_display_page_row_50() -> None:
    assert np.isclose(press.work_J(0.55, 4e-3), 2.2e-3)


@given(positive, st.floats(0.05, 1.0))
def test_a_finger_that_keeps_its_speed_is_as_fast_as_one_that_gains_it_from_rest_at_half(
    travel_m: float, touch_speed_m_s: float
) -> None:
    struck = press.struck_time_s(travel_m, touch_speed_m_s)
    even = press.travel_time_s(travel_m, 2.0 * touch_speed_m_s**2 / travel_m)  # ends at 2 v, so v in the mean
    assert np.isclose(struck, even)
