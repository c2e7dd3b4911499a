"""What the computer draws."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.computer import power

watts = st.floats(0.0, 1e3)
seconds = st.floats(0.0, 1e4)


@given(watts, watts, seconds)
def test_idle_and_work_add_up_to_what_the_plug_sees(idle_W: float, more_W: float, time_s: float) -> None:
    whole_J = power.idle_energy_J(idle_W, time_s) + power.work_energy_J(idle_W, idle_W + more_W, time_s)
    assert np.isclose(whole_J, (idle_W + more_W) * time_s)


@given(watts, watts)
def test_work_never_gives_energy_back(idle_W: float, active_W: float) -> None:
    assert power.work_energy_J(idle_W, active_W, 1.0) >= 0.0


def test_apple_mac_mini_table_in_both_units() -> None:
    assert round(float(power.heat_BTU(6.8, 3600.0))) == 23
    assert round(float(power.heat_BTU(39.0, 3600.0))) == 133
