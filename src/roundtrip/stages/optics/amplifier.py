"""Erbium amplifiers: every 80 km a few meters of doped glass give the light back what the fiber took.

A pump laser (980 or 1480 nm) lifts erbium ions; a passing signal photon makes them fall and add a twin of itself. All
channels of the C band are amplified at once and nothing becomes electrical. What cannot be avoided is that ions also
fall by themselves: amplified spontaneous emission, ``h f B (F G - 1)`` at the output. An amplifier that makes a
thousand photons of one cannot do it without noise, and its noise figure cannot be below 3 dB at high gain.

References
----------
.. [1] R. J. Mears, L. Reekie, I. M. Jauncey and D. N. Payne, "Low-noise erbium-doped fibre amplifier operating at
   1.54 um", Electron. Lett. 23, 1026, 1987, doi:10.1049/el:19870719
.. [2] E. Desurvire, Erbium-Doped Fiber Amplifiers: Principles and Applications, Wiley 1994, chapters 1 and 2.
.. [3] H. A. Haus, "The noise figure of optical amplifiers", IEEE Photon. Technol. Lett. 10, 1602, 1998,
   doi:10.1109/68.726763
.. [4] W. Van Heddeghem et al., "Power consumption modeling in optical multilayer networks", Photon. Netw. Commun. 24,
   86, 2012, doi:10.1007/s11107-011-0370-7: power of line sites.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1987, "R. J. Mears, L. Reekie, I. M. Jauncey and D. N. Payne, low-noise erbium-doped fibre amplifier")


def span_count(length_m: Number, span_m: Number) -> Number:
    """Return the number of spans of a line, ``ceil(L / L_s)``, at least one."""
    return np.maximum(np.ceil(length_m / span_m), 1.0)


def line_sites(length_m: Number, span_m: Number) -> Number:
    """Return the amplifier sites between the two ends: one less than there are spans."""
    return np.maximum(np.ceil(length_m / span_m), 1.0) - 1.0


def amplifier_count(spans: Number) -> Number:
    """Return the amplifiers that light passes: a booster at the start and one after each span, the last at the end."""
    return spans + 1.0


def span_loss_dB(length_m: Number, spans: Number, attenuation_dB_km: Number, connector_loss_dB: Number) -> Number:
    """Return the loss of each of equal spans, connectors and splices included: the gain that must make up for it [dB].

    Parameters
    ----------
    length_m : float
        Length of the whole line [m].
    spans : float
        Number of spans.
    attenuation_dB_km : float
        Loss of the fiber [dB/km].
    connector_loss_dB : float
        Loss of connectors and splices of one span [dB].
    """
    return attenuation_dB_km * length_m / spans / 1e3 + connector_loss_dB


def photons_out_per_photon(gain_dB: Number) -> Number:
    """Return how many photons leave for each that enters, ``10^(G/10)``."""
    return 10.0 ** (gain_dB / 10.0)


def erbium_gain_dB(
    gain_fiber_m: Number,
    erbium_density_1_m3: Number,
    mode_overlap: Number,
    emission_cross_section_m2: Number,
    absorption_cross_section_m2: Number,
    inversion: Number,
) -> Number:
    """Return the small-signal gain of doped fiber [2]_ [dB].

    ``G = 10/ln(10) Gamma N L (sigma_e x - sigma_a (1 - x))``: emission by the ions above less absorption by the rest.
    """
    rate = emission_cross_section_m2 * inversion - absorption_cross_section_m2 * (1.0 - inversion)
    return 10.0 / np.log(10.0) * mode_overlap * erbium_density_1_m3 * gain_fiber_m * rate


def spontaneous_emission_factor(
    emission_cross_section_m2: Number, absorption_cross_section_m2: Number, inversion: Number
) -> Number:
    """Return n_sp, ``sigma_e x / (sigma_e x - sigma_a (1 - x))`` [2]_: 1 for full inversion."""
    up = emission_cross_section_m2 * inversion
    return up / (up - absorption_cross_section_m2 * (1.0 - inversion))


def noise_figure_from_inversion_dB(
    gain_dB: Number,
    emission_cross_section_m2: Number,
    absorption_cross_section_m2: Number,
    inversion: Number,
) -> Number:
    """Return the noise figure, ``F = 2 n_sp (1 - 1/G) + 1/G`` [3]_ [dB]: 3 dB at best for high gain, 0 dB for none."""
    up = emission_cross_section_m2 * inversion
    factor = up / (up - absorption_cross_section_m2 * (1.0 - inversion))
    rest = 10.0 ** (-gain_dB / 10.0)
    return 10.0 * np.log10(2.0 * factor * (1.0 - rest) + rest)


def spontaneous_power_W(
    gain_dB: Number,
    noise_figure_dB: Number,
    frequency_Hz: Number,
    bandwidth_Hz: Number,
    planck_constant_J_s: Number = 6.62607015e-34,
) -> Number:
    """Return the amplified spontaneous emission at the output in both polarizations, ``h f B (F G - 1)`` [3]_ [W]."""
    product = 10.0 ** ((gain_dB + noise_figure_dB) / 10.0)
    return planck_constant_J_s * frequency_Hz * bandwidth_Hz * np.maximum(product - 1.0, 0.0)


def least_pump_power_W(
    input_power_W: Number, output_power_W: Number, wavelength_m: Number, pump_wavelength_m: Number
) -> Number:
    """Return the least pump light, one pump photon for each signal photon added [2]_ [W].

    ``P_p = (P_out - P_in) lambda / lambda_p``.
    """
    return np.maximum(output_power_W - input_power_W, 0.0) * wavelength_m / pump_wavelength_m


def transit_s(
    amplifiers: Number, gain_fiber_m: Number, group_index: Number, speed_of_light_m_s: Number = 299_792_458.0
) -> Number:
    """Return the time in the doped fiber of all amplifiers: amplifying adds glass, not processing [s]."""
    return amplifiers * gain_fiber_m * group_index / speed_of_light_m_s


def sites_energy_share_J(
    sites: Number,
    power_W: Number,
    size_B: Number,
    capacity_bit_s: Number,
    fill: Number,
    directions: Number = 2.0,
) -> Number:
    """Return a message's share of the line sites' energy, ``N P / n_d * 8 S / (C u)`` [J].

    Parameters
    ----------
    sites : float
        Amplifier sites on the way.
    power_W : float
        Power of one site for both fibers of a pair [W].
    size_B : float
        Bytes of the message [B].
    capacity_bit_s : float
        What one fiber could carry with all its channels lit [bit/s].
    fill : float
        Share of that capacity that carries traffic on average.
    directions : float
        Directions that share the power.
    """
    return sites * power_W / directions * 8.0 * size_B / (capacity_bit_s * fill)
