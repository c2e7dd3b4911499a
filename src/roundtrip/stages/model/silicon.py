r"""Silicon: what an operation is in the chip, in toggles, electrons and joules.

A node of the chip that goes from 0 to 1 draws the charge ``C V`` from the supply and the energy ``C V^2``, half of
which stays as heat at once and half when it goes back [1]_. So a chip at the power P makes at most

.. math:: \frac{P}{C V^2}

rises a second, however many transistors it has: power, not their number times the clock, sets the count. A tensor
core that does f fused multiply-adds a clock counts two operations for each, so the vendor's peak is ``2 f`` times
cores times clock [2]_.

References
----------
.. [1] N. Weste and D. Harris, "CMOS VLSI design", 4th edition, Pearson 2010, section 5.2 (dynamic power).
.. [2] NVIDIA, "NVIDIA H100 Tensor Core GPU architecture" (whitepaper), 2022: tables on peak rates and SM units,
   https://resources.nvidia.com/en-us-tensor-core
.. [3] M. Horowitz, "Computing's energy problem", ISSCC 2014, doi:10.1109/ISSCC.2014.6757323
.. [4] United Nations, "Day of Eight Billion", 15 November 2022, https://www.un.org/en/dayof8billion
"""

from __future__ import annotations

from roundtrip.figures.graph import Number

SINCE = (1963, "F. Wanlass, low stand-by power complementary field effect circuitry (CMOS), US patent 3,356,858")


def toggle_energy_J(node_capacitance_F: Number, supply_voltage_V: Number) -> Number:
    """Return what the supply gives for one rise of a node, ``C V^2`` [J]."""
    return node_capacitance_F * supply_voltage_V * supply_voltage_V


def toggles_per_second(power_W: Number, node_capacitance_F: Number, supply_voltage_V: Number) -> Number:
    """Return the rises a second that a power allows, ``P / (C V^2)`` [1/s]."""
    return power_W / toggle_energy_J(node_capacitance_F, supply_voltage_V)


def toggles(energy_J: Number, node_capacitance_F: Number, supply_voltage_V: Number) -> Number:
    """Return the rises that an energy pays for."""
    return energy_J / toggle_energy_J(node_capacitance_F, supply_voltage_V)


def electrons_per_toggle(
    node_capacitance_F: Number, supply_voltage_V: Number, elementary_charge_C: Number = 1.602176634e-19
) -> Number:
    """Return the electrons that one rise moves, ``C V / e``."""
    return node_capacitance_F * supply_voltage_V / elementary_charge_C


def electrons(energy_J: Number, supply_voltage_V: Number, elementary_charge_C: Number = 1.602176634e-19) -> Number:
    """Return the electrons that fall through the supply's voltage for an energy, ``E / (V e)``."""
    return energy_J / (supply_voltage_V * elementary_charge_C)


def peak_flop_s(tensor_cores: Number, core_fma: Number, clock_Hz: Number) -> Number:
    """Return the peak rate, cores times fused multiply-adds a clock times two times the clock [flop/s]."""
    return tensor_cores * core_fma * 2.0 * clock_Hz


def busy_transistors(toggles_1_s: Number, clock_Hz: Number) -> Number:
    """Return how many nodes rise in one clock."""
    return toggles_1_s / clock_Hz


def flop_energy_J(flop: Number, energy_per_flop_J: Number) -> Number:
    """Return the energy of the arithmetic [J]."""
    return flop * energy_per_flop_J


def byte_energy_J(size_B: Number, energy_per_byte_J: Number) -> Number:
    """Return the energy to bring bytes from the memory stacks to the cores [J]."""
    return size_B * energy_per_byte_J


def static_energy_J(static_power_W: Number, duration_s: Number, streams: Number) -> Number:
    """Return one stream's share of what the chip draws whether it computes or not, ``P t / s`` [J]."""
    return static_power_W * duration_s / streams


def fetch_share(size_B: Number, energy_per_byte_J: Number, flop: Number, energy_per_flop_J: Number) -> Number:
    """Return the part that fetching bytes has in the energy of fetching and computing."""
    fetch_J = byte_energy_J(size_B, energy_per_byte_J)
    return fetch_J / (fetch_J + flop_energy_J(flop, energy_per_flop_J))


def rent_usd(price_usd_h: Number, duration_s: Number, streams: Number) -> Number:
    """Return one stream's share of the rent of an accelerator for a time [USD]."""
    return price_usd_h / 3600.0 * duration_s / streams


def people_time_s(flop: Number, flop_per_sum: Number, people: Number = 8.0e9) -> Number:
    """Return how long all people take for operations at one sum a second each [4]_ [s].

    `flop_per_sum` is 1 if each multiplication and each addition is a sum, 2 if one multiply-and-add is.
    """
    return flop / flop_per_sum / people
