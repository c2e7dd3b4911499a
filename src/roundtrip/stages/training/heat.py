"""Heat: a cluster turns all of its megawatts into warm water, and the warmest chip sets the pace.

What goes in as electricity comes out as heat. A coolant that warms by d carries ``P / (c d)`` kilograms a second: 24
for a megawatt and 10 kelvin. A chip sits above its coolant in proportion to its power. When it reaches its limit it
slows down: power grows about as the cube of the clock (frequency times voltage squared, voltage going with frequency)
[1]_, so a chip held to 80 % of the power that it wants runs at 93 % of its speed, and the whole cluster with it. Warm
chips also age faster, by Arrhenius' law [2]_.

References
----------
.. [1] A. P. Chandrakasan, S. Sheng and R. W. Brodersen, "Low-power CMOS digital design", IEEE J. Solid-State Circuits
   27(4), 473-484, 1992, doi:10.1109/4.126534
.. [2] JEDEC dictionary, "acceleration factor, temperature" (JEP122),
   https://www.jedec.org/standards-documents/dictionary/terms/acceleration-factor-temperature
.. [3] I. Latif et al., "Single-node power demand during AI training", IEEE Access 13, 2025,
   https://arxiv.org/abs/2412.08602
.. [4] T. L. Bergman et al., Fundamentals of Heat and Mass Transfer, 7th ed., Wiley 2011, section 1.3 (energy balance
   of a flow)
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1889, "S. Arrhenius, on the speed of reactions and temperature; the cooling of chips lives by it")

BOLTZMANN_EV_K = 8.617333262e-5


def cluster_power_W(accelerators: Number, accelerator_power_W: Number, pue: Number) -> Number:
    """Return the power of a cluster with its building: accelerators with their share of the servers, times PUE [W]."""
    return accelerators * accelerator_power_W * pue


def power_swing_W(accelerators: Number, accelerator_power_W: Number, idle_power_W: Number) -> Number:
    """Return how far the power of a cluster falls when all wait at once, for a checkpoint or a lost link [W]."""
    return accelerators * np.maximum(accelerator_power_W - idle_power_W, 0.0)


def coolant_mass_kg(energy_J: Number, coolant_rise_K: Number, water_heat_J_kg_K: Number = 4186.0) -> Number:
    """Return the water that carries an amount of heat away while it warms by a given rise [kg] [4]_."""
    return energy_J / (water_heat_J_kg_K * coolant_rise_K)


def chip_temperature_K(
    coolant_temperature_K: Number, chip_power_W: Number, rated_power_W: Number, rated_rise_K: Number
) -> Number:
    """Return the temperature of a chip: its coolant, and a rise in proportion to its power [K]."""
    return coolant_temperature_K + rated_rise_K * chip_power_W / rated_power_W


def power_at_temperature_W(
    coolant_temperature_K: Number, hot_temperature_K: Number, rated_power_W: Number, rated_rise_K: Number
) -> Number:
    """Return the power at which a chip reaches a temperature; 0 where the coolant is warmer than that [W]."""
    room = np.maximum(hot_temperature_K - coolant_temperature_K, 0.0)
    return rated_power_W * room / np.maximum(rated_rise_K, 1e-3)


def throttled_speed(power_limit_W: Number, chip_power_W: Number) -> Number:
    """Return the share of its speed that a chip keeps under a power limit, ``(P_limit / P)^(1/3)``, at most 1 [1]_.

    The cube holds where voltage follows frequency; near the lowest voltage the loss is larger.
    """
    return np.minimum(np.cbrt(power_limit_W / chip_power_W), 1.0)


def slowed_energy_share(speed_share: Number) -> Number:
    """Return the switching energy of the same work done at a share of the speed, ``s^2``: power s^3, time 1/s [1]_."""
    return speed_share * speed_share


def aging_factor(cool_temperature_K: Number, hot_temperature_K: Number, activation_energy_eV: Number) -> Number:
    """Return how much faster a failure mechanism runs at the hotter temperature, Arrhenius' law [2]_."""
    return np.exp(activation_energy_eV / BOLTZMANN_EV_K * (1.0 / cool_temperature_K - 1.0 / hot_temperature_K))
