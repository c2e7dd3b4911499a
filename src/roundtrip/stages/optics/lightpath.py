"""What a planner asks of a lightpath: does it close, with what margin, how much does it carry, how far could it go.

Required against available: a transponder states the OSNR at which its error correction just holds; the line leaves a
GSNR; the difference, less what a planner keeps for aging, is the margin. Noise adds up along equal spans, so a margin
of 3 dB means that the line could be twice as long. Shannon's law says what the noise would allow at best in the same
bandwidth; what a transponder carries stays some decibels below it. Without any amplifier the limit is another one:
the receiver must still get enough light.

References
----------
.. [1] C. E. Shannon, "A mathematical theory of communication", Bell Syst. Tech. J. 27, 379, 1948,
   doi:10.1002/j.1538-7305.1948.tb01338.x
.. [2] R.-J. Essiambre et al., "Capacity limits of optical fiber networks", J. Lightwave Technol. 28, 662, 2010,
   doi:10.1109/JLT.2009.2039464
.. [3] Optical Internetworking Forum, Implementation agreement 400ZR, OIF-400ZR-01.0, 2020: unamplified links.
.. [4] M. Filer et al., "Multi-vendor experimental validation of an open source QoT estimator for optical networks",
   J. Lightwave Technol. 36, 3073, 2018, doi:10.1109/JLT.2018.2818406
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2010, "R.-J. Essiambre et al., capacity limits of optical fiber networks, J. Lightwave Technol. 28, 662")


def usable_margin_dB(gsnr_dB: Number, required_osnr_dB: Number, design_margin_dB: Number) -> Number:
    """Return what is left above the requirement and the planner's reserve, all in 0.1 nm [dB]."""
    return gsnr_dB - required_osnr_dB - design_margin_dB


def sustained_length_m(length_m: Number, gsnr_dB: Number, required_osnr_dB: Number, design_margin_dB: Number) -> Number:
    """Return how long a line of the same making could be, ``L 10^(margin/10)`` [2]_ [m]: noise grows with length.

    Parameters
    ----------
    length_m : float
        Length of the line [m].
    gsnr_dB : float
        What the line alone leaves, without the noise of its two ends, in 0.1 nm [dB].
    """
    return length_m * 10.0 ** ((gsnr_dB - required_osnr_dB - design_margin_dB) / 10.0)


def unamplified_reach_m(
    level_dBm: Number,
    sensitivity_dBm: Number,
    connector_loss_dB: Number,
    design_margin_dB: Number,
    attenuation_dB_km: Number,
) -> Number:
    """Return how far light goes without any amplifier, ``(P - S - A_c - m) / alpha`` [3]_ [m]; 0 if it cannot start.

    Parameters
    ----------
    level_dBm : float
        Launched power of the channel [dBm].
    sensitivity_dBm : float
        Least power at which the receiver works [dBm].
    connector_loss_dB : float
        Loss of all connectors [dB].
    design_margin_dB : float
        Reserve for aging and repairs [dB].
    attenuation_dB_km : float
        Loss of the fiber [dB/km].
    """
    budget_dB = level_dBm - sensitivity_dBm - connector_loss_dB - design_margin_dB
    return np.maximum(budget_dB, 0.0) / attenuation_dB_km * 1e3


def shannon_rate_bit_s(symbol_rate_Hz: Number, snr_dB: Number, polarizations: Number) -> Number:
    """Return the most that white noise leaves of a channel, ``n_p R_s log2(1 + SNR)`` [1]_ [bit/s].

    Parameters
    ----------
    symbol_rate_Hz : float
        Symbols a second: the bandwidth of ideal pulses [Hz].
    snr_dB : float
        Signal over all noise in the bandwidth of the signal [dB].
    """
    return polarizations * symbol_rate_Hz * np.log2(1.0 + 10.0 ** (snr_dB / 10.0))


def gap_to_shannon_dB(rate_bit_s: Number, symbol_rate_Hz: Number, snr_dB: Number, polarizations: Number) -> Number:
    """Return how many decibels the SNR is above what Shannon's law needs for the rate [1]_ [dB].

    ``SNR - 10 log( 2^(R / (n_p R_s)) - 1 )``.
    """
    bits = np.minimum(rate_bit_s / (polarizations * symbol_rate_Hz), 1e3)
    return snr_dB - 10.0 * np.log10(np.expm1(bits * np.log(2.0)))


def line_energy_per_bit_J(power_W: Number, capacity_bit_s: Number, directions: Number = 2.0) -> Number:
    """Return the energy for a bit from end to end with all channels lit and full, ``P / (n_d C)`` [J].

    Parameters
    ----------
    power_W : float
        Power of all equipment of a fiber pair [W].
    capacity_bit_s : float
        What one fiber carries [bit/s].
    directions : float
        Directions that share the power.
    """
    return power_W / (directions * capacity_bit_s)
