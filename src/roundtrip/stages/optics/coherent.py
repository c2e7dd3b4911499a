"""The coherent receiver: a second laser makes phase and polarization visible, a signal processor undoes the fiber.

The signal beats with a local laser on photodiodes, so amplitude and phase of both polarizations become currents, are
sampled at one to two samples a symbol, and a digital filter as long as the dispersion's smear undoes it. Two
polarizations of 16QAM carry ``2 log2(16) = 8`` bits a symbol. Noise in the optical domain is stated in 0.1 nm
(12.5 GHz); what decides is noise in the signal's own bandwidth: ``SNR = OSNR 12.5 GHz / R_s``.

References
----------
.. [1] H. Sun, K.-T. Wu and K. Roberts, "Real-time measurements of a 40 Gb/s coherent system", Opt. Express 16, 873,
   2008, doi:10.1364/OE.16.000873
.. [2] S. J. Savory, "Digital filters for coherent optical receivers", Opt. Express 16, 804, 2008,
   doi:10.1364/OE.16.000804: taps of the dispersion filter.
.. [3] R.-J. Essiambre et al., "Capacity limits of optical fiber networks", J. Lightwave Technol. 28, 662, 2010,
   doi:10.1109/JLT.2009.2039464: OSNR and SNR, eq. 32.
.. [4] K. Cho and D. Yoon, "On the general BER expression of one- and two-dimensional amplitude modulations",
   IEEE Trans. Commun. 50, 1074, 2002, doi:10.1109/TCOMM.2002.800818: 16QAM, exact.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number
from roundtrip.figures.primitives import erfc

SINCE = (2008, "H. Sun, K.-T. Wu and K. Roberts, real-time measurements of a 40 Gb/s coherent system")


def constellation_bits(constellation_points: Number, polarizations: Number) -> Number:
    """Return the bits of one symbol over all polarizations, ``n_p log2(M)``."""
    return polarizations * np.log2(constellation_points)


def needed_symbol_rate_Hz(rate_bit_s: Number, overhead: Number, bits_per_symbol: Number) -> Number:
    """Return the symbols a second for a payload, ``R (1 + overhead) / b`` [Hz]."""
    return rate_bit_s * (1.0 + overhead) / bits_per_symbol


def snr_from_osnr_dB(osnr_dB: Number, symbol_rate_Hz: Number, reference_bandwidth_Hz: Number = 12.5e9) -> Number:
    """Return the signal-to-noise ratio in the signal's bandwidth, ``OSNR B_0 / R_s`` [3]_ [dB].

    Signal and noise are both counted in two polarizations.
    """
    return osnr_dB + 10.0 * np.log10(reference_bandwidth_Hz / symbol_rate_Hz)


def qpsk_bit_error_ratio(snr_dB: Number) -> Number:
    """Return the bit error ratio of Gray-coded QPSK in white noise, ``Q(sqrt(SNR))`` [4]_."""
    return 0.5 * erfc(np.sqrt(10.0 ** (snr_dB / 10.0) / 2.0))


def qam16_bit_error_ratio(snr_dB: Number) -> Number:
    """Return the bit error ratio of Gray-coded 16QAM in white noise, exact [4]_.

    ``3/4 Q(s) + 1/2 Q(3 s) - 1/4 Q(5 s)`` with ``s = sqrt(SNR / 5)``.
    """
    step = np.sqrt(10.0 ** (snr_dB / 10.0) / 5.0) / np.sqrt(2.0)
    return 0.375 * erfc(step) + 0.25 * erfc(3.0 * step) - 0.125 * erfc(5.0 * step)


def converter_rate_Hz(symbol_rate_Hz: Number, oversampling: Number) -> Number:
    """Return the samples a second of each of the four converters, ``m_s R_s`` [1/s]."""
    return symbol_rate_Hz * oversampling


def dispersion_filter_taps(
    accumulated_dispersion_ps_nm: Number,
    wavelength_m: Number,
    sampling_rate_Hz: Number,
    speed_of_light_m_s: Number = 299_792_458.0,
) -> Number:
    """Return the taps of the filter that undoes chromatic dispersion [2]_.

    ``2 floor( D L lambda^2 f_s^2 / (2 c) ) + 1``: as many samples as the smear of the sampled band is long.

    Parameters
    ----------
    accumulated_dispersion_ps_nm : float
        Dispersion of the whole way [ps/nm].
    wavelength_m : float
        Wavelength in vacuum [m].
    sampling_rate_Hz : float
        Samples a second [1/s].
    """
    seconds_per_meter = np.absolute(accumulated_dispersion_ps_nm) * 1e-3
    span = seconds_per_meter * wavelength_m * wavelength_m * sampling_rate_Hz * sampling_rate_Hz
    return 2.0 * np.floor(span / (2.0 * speed_of_light_m_s)) + 1.0


def dispersion_filter_delay_s(
    accumulated_dispersion_ps_nm: Number,
    wavelength_m: Number,
    symbol_rate_Hz: Number,
    speed_of_light_m_s: Number = 299_792_458.0,
) -> Number:
    """Return how long a filter must wait for the slowest color, half the smear ``D L lambda^2 R_s / c`` [s]."""
    smear_s_m = np.absolute(accumulated_dispersion_ps_nm) * 1e-3
    return 0.5 * smear_s_m * wavelength_m * wavelength_m * symbol_rate_Hz / speed_of_light_m_s


def shot_limit_photons_per_bit(snr_dB: Number, bits_per_symbol: Number, polarizations: Number) -> Number:
    """Return the photons a bit at which the photon's own noise gives this SNR, ``n_p SNR / b`` [3]_.

    With an ideal receiver for both quadratures the SNR of a polarization is its photons a symbol.
    """
    return polarizations * 10.0 ** (snr_dB / 10.0) / bits_per_symbol


def released_electrons(
    receiver_power_W: Number,
    quantum_efficiency: Number,
    wavelength_m: Number,
    size_B: Number,
    rate_bit_s: Number,
    planck_constant_J_s: Number = 6.62607015e-34,
    speed_of_light_m_s: Number = 299_792_458.0,
) -> Number:
    """Return the electrons that a message's light releases in the photodiodes, the local laser's not counted.

    Parameters
    ----------
    receiver_power_W : float
        Power of the channel at the receiver [W].
    quantum_efficiency : float
        Electrons for each photon.
    wavelength_m : float
        Wavelength in vacuum [m].
    size_B : float
        Bytes of the message [B].
    rate_bit_s : float
        Payload bits a second [bit/s].
    """
    photons_s = receiver_power_W * wavelength_m / (planck_constant_J_s * speed_of_light_m_s)
    return quantum_efficiency * photons_s * 8.0 * size_B / rate_bit_s


def processor_energy_per_bit_J(dsp_power_W: Number, rate_bit_s: Number, fill: Number) -> Number:
    """Return the energy of the signal processor for each bit that travels, ``P / (R u)`` [J]."""
    return dsp_power_W / (rate_bit_s * fill)
