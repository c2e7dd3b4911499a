"""The switch under the key: the force that it asks for, the moment its contacts meet, and how long they bounce.

A key is a spring: the force grows from a preload to the actuation point. There the contacts meet with the speed that
the finger has gathered, ``sqrt(2 a x)``, and rebound like a dropped ball: each hop lasts ``2 e v / a_c`` and keeps a
share ``e`` of the speed, so all hops together last ``2 e v / (a_c (1 - e))``, with ``a_c`` the contact force over the
moving mass. Rubber domes close slowly instead.

References
----------
.. [1] R. Holm, Electric Contacts: Theory and Application, 4th edition, Springer 1967, doi:10.1007/978-3-662-06688-1.
.. [2] J. G. Ganssle, "A guide to debouncing", 2008, http://www.ganssle.com/debouncing.htm: 18 switches, filmed by
   oscilloscope.
.. [3] Cherry's datasheet of the MX Blue, quoted by Tom's Hardware 2022: pretravel 2.2 +- 0.6 mm, 50 +- 15 cN.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1984, "US patent 4,467,160, Cherry: the MX switch, a cross-point contact under a spring")


def spring_work_J(preload_N: Number, actuation_force_N: Number, travel_m: Number) -> Number:
    """Return the work of a linear spring from rest to the actuation point, ``(F0 + Fa) x / 2`` [J].

    Parameters
    ----------
    preload_N : float
        Force at which the key begins to move [N].
    actuation_force_N : float
        Force at the actuation point [N].
    travel_m : float
        Distance to the actuation point [m].
    """
    return 0.5 * (preload_N + actuation_force_N) * travel_m


def impact_speed_m_s(acceleration_m_s2: Number, travel_m: Number) -> Number:
    """Return the speed of the key when its contacts meet, ``sqrt(2 a x)`` [m/s].

    Parameters
    ----------
    acceleration_m_s2 : float
        Acceleration of the finger [m/s2].
    travel_m : float
        Distance to the actuation point [m].
    """
    return np.sqrt(2.0 * acceleration_m_s2 * travel_m)


def bounce_time_s(
    impact_speed_m_s: Number, restitution: Number, contact_force_N: Number, blade_mass_kg: Number
) -> Number:
    """Return the time from the first touch to the last of a bouncing contact, ``2 e v m / (F (1 - e))`` [1]_.

    Parameters
    ----------
    impact_speed_m_s : float
        Speed at the first touch [m/s].
    restitution : float
        Share of its speed that the contact keeps at each bounce.
    contact_force_N : float
        Force that presses the contacts together [N].
    blade_mass_kg : float
        Moving mass of the contact [kg].

    Returns
    -------
    float
        Time [s].
    """
    return 2.0 * restitution * impact_speed_m_s * blade_mass_kg / (contact_force_N * (1.0 - restitution))


def closing_time_s(contact_resistance_ohm: Number, line_capacitance_F: Number, threshold_share: Number) -> Number:
    """Return the time for the closed contact to drain the row wire to the logic threshold, ``R C ln(1 / s)`` [s].

    Parameters
    ----------
    contact_resistance_ohm : float
        Resistance of the closed contact [ohm].
    line_capacitance_F : float
        Capacitance of the row wire [F].
    threshold_share : float
        Share of the supply voltage at which the input reads low.
    """
    return -contact_resistance_ohm * line_capacitance_F * np.log(threshold_share)


def line_energy_J(line_capacitance_F: Number, voltage_V: Number) -> Number:
    """Return the energy to charge the row wire again, ``C V^2``: half is stored, half is lost in the pull-up [J].

    Parameters
    ----------
    line_capacitance_F : float
        Capacitance of the row wire [F].
    voltage_V : float
        Supply voltage [V].
    """
    return line_capacitance_F * voltage_V * voltage_V
