"""Switching colors without electronics: liquid crystal, mirrors, and Google's mirror switch.

A reconfigurable add-drop multiplexer spreads the colors with a grating and steers each on its own. Liquid crystal on
silicon (LCOS) writes a phase ramp whose period sets the angle, ``sin(theta) = lambda / (m p)``; a tilting mirror (MEMS)
sends light off at twice its tilt. Both are slow next to a packet (a liquid crystal relaxes in ``g d^2 / (pi^2 K)``, a
mirror rings for ``Q / (pi f)``), so they move circuits, not packets: a packet that passes meets glass and loses light.

References
----------
.. [1] J. E. Ford, V. A. Aksyuk, D. J. Bishop and J. A. Walker, "Wavelength add-drop switching using tilting
   micromirrors", J. Lightwave Technol. 17, 904, 1999, doi:10.1109/50.762910
.. [2] G. Baxter et al., "Highly programmable wavelength selective switch based on liquid crystal on silicon switching
   elements", OFC 2006, paper OTuF2.
.. [3] M. Wang et al., "LCoS SLM study and its application in wavelength selective switch", Photonics 4(2), 22, 2017,
   doi:10.3390/photonics4020022
.. [4] R. Urata et al., "Mission Apollo: landing optical circuit switching at datacenter scale", 2022,
   arXiv:2208.10041: Palomar.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1999, "J. E. Ford et al., wavelength add-drop switching using tilting micromirrors, J. Lightwave Technol. 17")


def node_count(length_m: Number, node_spacing_m: Number) -> Number:
    """Return the wavelength-switching nodes on a way: one at each end and one after every full spacing between them."""
    return np.maximum(np.ceil(length_m / node_spacing_m), 1.0) + 1.0


def steering_angle_deg(wavelength_m: Number, pixel_pitch_m: Number, period_pixels: Number) -> Number:
    """Return the angle of a phase ramp, ``arcsin(lambda / (m p))`` [3]_ [deg]; at most 90."""
    return np.arcsin(np.minimum(wavelength_m / (period_pixels * pixel_pitch_m), 1.0)) * (180.0 / np.pi)


def beam_shift_m(mirror_tilt_deg: Number, focal_length_m: Number) -> Number:
    """Return how far a tilted mirror moves a spot behind a lens, ``f tan(2 theta)`` [1]_ [m]."""
    return focal_length_m * np.tan(2.0 * np.radians(mirror_tilt_deg))


def crystal_relaxation_s(rotational_viscosity_Pa_s: Number, cell_gap_m: Number, elastic_constant_N: Number) -> Number:
    """Return the time in which a liquid crystal falls back by a factor of e, ``g d^2 / (pi^2 K)`` [3]_ [s]."""
    return rotational_viscosity_Pa_s * cell_gap_m * cell_gap_m / (np.pi * np.pi * elastic_constant_N)


def mirror_settling_s(resonance_Hz: Number, quality_factor: Number, settling_tolerance: Number) -> Number:
    """Return how long an undamped step rings on, ``Q / (pi f) ln(1 / tolerance)`` [s].

    Parameters
    ----------
    resonance_Hz : float
        Resonance of the mirror on its hinge [Hz].
    quality_factor : float
        Q of that resonance.
    settling_tolerance : float
        Share of the step that may still ring.
    """
    return -quality_factor / (np.pi * resonance_Hz) * np.log(settling_tolerance)


def bits_in_the_dark(switching_s: Number, rate_bit_s: Number) -> Number:
    """Return the bits that a channel does not carry while it is switched."""
    return switching_s * rate_bit_s


def passing_loss_dB(nodes: Number, insertion_loss_dB: Number) -> Number:
    """Return the loss of all nodes on a way, which booster amplifiers at each node make up for [dB]."""
    return nodes * insertion_loss_dB


def narrowed_bandwidth_Hz(slot_width_Hz: Number, nodes: Number, filter_order: Number) -> Number:
    """Return the 3 dB width of a slot after passing many filters, ``B N^(-1/(2 m))`` [Hz].

    N super-Gaussian filters ``exp(-ln 2 (2 f / B)^(2 m))`` in a row are one of that shape with N times the exponent.
    """
    return slot_width_Hz * np.maximum(nodes, 1.0) ** (-0.5 / filter_order)


def transit_s(nodes: Number, path_m: Number, group_index: Number, speed_of_light_m_s: Number = 299_792_458.0) -> Number:
    """Return the time that light spends in the nodes: glass and free space, no store, no queue [s].

    Parameters
    ----------
    nodes : float
        Nodes on the way.
    path_m : float
        Path through one node with its patch cords [m].
    group_index : float
        Group index of the glass.
    """
    return nodes * path_m * group_index / speed_of_light_m_s


def nodes_energy_share_J(
    nodes: Number,
    power_W: Number,
    size_B: Number,
    capacity_bit_s: Number,
    fill: Number,
    directions: Number = 2.0,
) -> Number:
    """Return a message's share of the nodes' energy, ``N P / n_d * 8 S / (C u)`` [J].

    Parameters
    ----------
    nodes : float
        Nodes on the way.
    power_W : float
        Power of the switches that serve one fiber pair in a node [W].
    size_B : float
        Bytes of the message [B].
    capacity_bit_s : float
        What one fiber could carry with all its channels lit [bit/s].
    fill : float
        Share of that capacity that carries traffic on average.
    directions : float
        Directions that share the power.
    """
    return nodes * power_W / directions * 8.0 * size_B / (capacity_bit_s * fill)
