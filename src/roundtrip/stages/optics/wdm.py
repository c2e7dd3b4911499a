"""Many colors on one fiber: the frequency grid, what fits a slot, and what a fiber carries.

Channels stand on a grid anchored at 193.1 THz (1552.52 nm): fixed steps of 50 or 100 GHz, or flexible slots in steps of
12.5 GHz. A channel occupies ``R_s (1 + roll-off)``: 400 Gbit/s as DP-16QAM at 63 GBd needs about 72 GHz, so it does not
fit a 50 GHz slot, whatever the number of slots in the band. Capacity is channels times rate only for what fits.

References
----------
.. [1] O. E. DeLange, "Wide-band optical communication systems: part II, frequency-division multiplexing",
   Proc. IEEE 58, 1683, 1970, doi:10.1109/PROC.1970.7989
.. [2] ITU-T Recommendation G.694.1, "Spectral grids for WDM applications: DWDM frequency grid",
   https://www.itu.int/rec/T-REC-G.694.1
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1970, "O. E. DeLange, wide-band optical communication systems: part II, frequency-division multiplexing")


def channel_frequency_Hz(
    slot_number: Number, channel_spacing_Hz: Number, anchor_frequency_Hz: Number = 193.1e12
) -> Number:
    """Return the center of a channel, ``193.1 THz + n spacing`` [2]_ [Hz]."""
    return anchor_frequency_Hz + slot_number * channel_spacing_Hz


def wavelength_of_m(frequency_Hz: Number, speed_of_light_m_s: Number = 299_792_458.0) -> Number:
    """Return the wavelength in vacuum of a frequency, ``c / f`` [m]."""
    return speed_of_light_m_s / frequency_Hz


def frequency_of_Hz(wavelength_m: Number, speed_of_light_m_s: Number = 299_792_458.0) -> Number:
    """Return the frequency of a wavelength in vacuum, ``c / lambda`` [Hz]."""
    return speed_of_light_m_s / wavelength_m


def spacing_as_wavelength_m(
    channel_spacing_Hz: Number, wavelength_m: Number, speed_of_light_m_s: Number = 299_792_458.0
) -> Number:
    """Return a channel spacing as a difference of wavelengths, ``lambda^2 df / c`` [m]."""
    return wavelength_m * wavelength_m * channel_spacing_Hz / speed_of_light_m_s


def band_between_Hz(
    wavelength_m: Number, spectral_width_m: Number, speed_of_light_m_s: Number = 299_792_458.0
) -> Number:
    """Return the width in frequency of a band given as wavelengths, ``c dlambda / lambda^2``.

    Parameters
    ----------
    wavelength_m : float
        Center of the band [m].
    spectral_width_m : float
        Width of the band [m].

    Returns
    -------
    float
        Width [Hz].
    """
    return speed_of_light_m_s * spectral_width_m / (wavelength_m * wavelength_m)


def occupied_Hz(symbol_rate_Hz: Number, roll_off: Number) -> Number:
    """Return the width of a channel's spectrum, ``R_s (1 + roll-off)`` [Hz]."""
    return symbol_rate_Hz * (1.0 + roll_off)


def fits(symbol_rate_Hz: Number, roll_off: Number, slot_width_Hz: Number) -> Number:
    """Return 1 where a channel fits its slot, else 0."""
    return np.where(symbol_rate_Hz * (1.0 + roll_off) <= slot_width_Hz, 1.0, 0.0)


def needed_slot_Hz(symbol_rate_Hz: Number, roll_off: Number, slot_granularity_Hz: Number = 12.5e9) -> Number:
    """Return the narrowest slot of the flexible grid that a channel fits, in steps of 12.5 GHz [2]_ [Hz]."""
    return np.ceil(symbol_rate_Hz * (1.0 + roll_off) / slot_granularity_Hz) * slot_granularity_Hz


def channel_count(band_Hz: Number, slot_width_Hz: Number) -> Number:
    """Return how many slots a band holds, ``floor(band / slot)``, at least one."""
    return np.maximum(np.floor(band_Hz / slot_width_Hz), 1.0)


def fiber_capacity_bit_s(channels: Number, rate_bit_s: Number) -> Number:
    """Return what a fiber carries in one direction with all channels lit [bit/s]."""
    return channels * rate_bit_s


def spectral_efficiency_bit_s_Hz(rate_bit_s: Number, slot_width_Hz: Number) -> Number:
    """Return the bits a second for each hertz of the slot."""
    return rate_bit_s / slot_width_Hz


def multiplexer_transit_s(path_m: Number, group_index: Number, speed_of_light_m_s: Number = 299_792_458.0) -> Number:
    """Return the time in the glass and free space of a passive multiplexer, ``L n_g / c`` [s].

    Parameters
    ----------
    path_m : float
        Path through the device with its pigtails [m].
    group_index : float
        Group index of the glass.
    """
    return path_m * group_index / speed_of_light_m_s
