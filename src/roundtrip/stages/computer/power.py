"""What the computer draws: always, because it is on, and a little more while it works for the prompt.

A machine that waits draws its idle power for as long as the trip lasts; that is always-on energy and would be drawn
anyway. Work for the prompt adds the difference between active and idle power for the time of the work; that is
marginal. All of it ends as heat.

References
----------
.. [1] Apple, Mac mini power consumption and thermal output, as restated by J. Gruber 2021: M1 6.8 W idle, 39 W at
   most, without a screen.
.. [2] A. Carroll, G. Heiser, "An analysis of power consumption in a smartphone", USENIX ATC 2010.
.. [3] M. Marwedel, "Idle PC power consumption", 2017: a Ryzen desktop at 62 W.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1992, "Energy Star for computers; the power states of ACPI since 1996")


def idle_energy_J(idle_power_W: Number, duration_s: Number) -> Number:
    """Return the energy that a machine draws because it is on [J].

    Parameters
    ----------
    idle_power_W : float
        Power when nothing is asked [W].
    duration_s : float
        Time [s].
    """
    return idle_power_W * duration_s


def work_energy_J(idle_power_W: Number, active_power_W: Number, duration_s: Number) -> Number:
    """Return the energy that work adds to what would be drawn anyway, at least nothing [J].

    Parameters
    ----------
    idle_power_W, active_power_W : float
        Power without and with the work [W].
    duration_s : float
        Time of the work [s].
    """
    return np.maximum(active_power_W - idle_power_W, 0.0) * duration_s


def heat_BTU(power_W: Number, duration_s: Number) -> Number:
    """Return the heat of a power in British thermal units, in which data sheets still state it (1 BTU = 1055.06 J).

    Parameters
    ----------
    power_W : float
        Power [W].
    duration_s : float
        Time [s].
    """
    return power_W * duration_s / 1_055.05585262
