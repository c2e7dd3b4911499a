"""The copper: a field runs along the trace at some half of the speed of light; the electrons hardly move.

The wave between two conductors travels at c over the root of the relative permittivity of what lies between them
[1]_; an electron drifts with j/(n e), fractions of a millimeter a second [2]_. What ends the way is loss: the current
crowds into a skin that thins with the root of the frequency, and the board itself takes a share that grows with the
frequency [1]_. At 13 GHz an ordinary board takes some 50 dB a meter, a good cable 4, and a receiver can mend 20 to
30. Glass loses 0.0002 dB a meter: that, not its speed, is why the long way is glass.

References
----------
.. [1] S. Hall and H. Heck, Advanced Signal Integrity for High-Speed Digital Designs, Wiley 2009, chapters 3, 5 and 6,
   doi:10.1002/9780470423899
.. [2] D. Griffiths, Introduction to Electrodynamics, 4th edition, Cambridge 2017, section 7.1,
   doi:10.1017/9781108333511
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1876, "O. Heaviside, On the extra current: the telegrapher's equations")


def propagation_speed_m_s(relative_permittivity: Number, speed_of_light_m_s: Number = 299_792_458.0) -> Number:
    """Return the speed of a wave along the line, ``c / sqrt(eps_r)`` [1]_.

    Parameters
    ----------
    relative_permittivity : float
        Effective value of what surrounds the conductors.
    speed_of_light_m_s : float
        Speed of light in vacuum [m/s].
    """
    return speed_of_light_m_s / np.sqrt(relative_permittivity)


def delay_s(
    copper_length_m: Number, relative_permittivity: Number, speed_of_light_m_s: Number = 299_792_458.0
) -> Number:
    """Return the time that the wave takes.

    Parameters
    ----------
    copper_length_m : float
        Length of trace or cable [m].
    relative_permittivity : float
        Effective value of what surrounds the conductors.
    speed_of_light_m_s : float
        Speed of light in vacuum [m/s].
    """
    return copper_length_m / propagation_speed_m_s(relative_permittivity, speed_of_light_m_s)


def drift_speed_m_s(
    current_A: Number,
    cross_section_m2: Number,
    carrier_density_1_m3: Number = 8.49e28,
    elementary_charge_C: Number = 1.602176634e-19,
) -> Number:
    """Return how fast the electrons themselves move, ``I / (n e A)`` [2]_.

    Parameters
    ----------
    current_A : float
        Current in the conductor [A].
    cross_section_m2 : float
        Its cross-section [m2].
    carrier_density_1_m3 : float
        Free electrons in a cubic meter: in copper one for each atom.
    elementary_charge_C : float
        Charge of an electron [C].
    """
    return current_A / (carrier_density_1_m3 * elementary_charge_C * cross_section_m2)


def skin_depth_m(
    signal_frequency_Hz: Number, resistivity_ohm_m: Number = 1.68e-8, vacuum_permeability_H_m: Number = 1.25663706212e-6
) -> Number:
    """Return the depth in which the current flows, ``sqrt(rho / (pi f mu0))`` [1]_.

    Parameters
    ----------
    signal_frequency_Hz : float
        Frequency: half the bit rate for the fastest pattern [Hz].
    resistivity_ohm_m : float
        Of the conductor, copper at 20 degrees.
    vacuum_permeability_H_m : float
        Magnetic constant.
    """
    return np.sqrt(resistivity_ohm_m / (np.pi * signal_frequency_Hz * vacuum_permeability_H_m))


def loss_dB_m(
    signal_frequency_Hz: Number,
    conductor_width_m: Number,
    line_resistance_ohm: Number,
    relative_permittivity: Number,
    loss_tangent: Number,
    speed_of_light_m_s: Number = 299_792_458.0,
) -> Number:
    """Return the loss of a line: of its skin, ``R / 2 Z``, and of its dielectric, ``pi f tan(delta) / v`` [1]_.

    Parameters
    ----------
    signal_frequency_Hz : float
        Frequency [Hz].
    conductor_width_m : float
        Width of the current's skin: the trace, or the circumference of the wire [m].
    line_resistance_ohm : float
        Impedance of the line that the conductor's resistance is set against [ohm].
    relative_permittivity : float
        Effective value of what surrounds the conductors.
    loss_tangent : float
        Share of the dielectric's energy lost in a radian.
    speed_of_light_m_s : float
        Speed of light in vacuum [m/s].
    """
    sheet_ohm = 1.68e-8 / skin_depth_m(signal_frequency_Hz)
    skin = sheet_ohm / conductor_width_m / (2.0 * line_resistance_ohm)
    dielectric = (
        np.pi * signal_frequency_Hz * loss_tangent / propagation_speed_m_s(relative_permittivity, speed_of_light_m_s)
    )
    return 20.0 * np.log10(np.e) * (skin + dielectric)


def reach_m(loss_budget_dB: Number, line_loss_dB_m: Number) -> Number:
    """Return the length after which a receiver gives up.

    Parameters
    ----------
    loss_budget_dB : float
        Loss that the receiver's equalizer mends [dB].
    line_loss_dB_m : float
        Loss of the line [dB/m].
    """
    return loss_budget_dB / line_loss_dB_m
