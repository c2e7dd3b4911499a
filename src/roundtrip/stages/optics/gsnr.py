"""The link budget: what amplifiers and the glass itself leave of the signal.

Each span adds spontaneous emission, ``h f B F`` seen at its amplifier's input, and a noise that the signals make
themselves through the Kerr effect, which the Gaussian-noise (GN) model gives as ``eta P^3``. Both add up span by span:
``1/GSNR = 1/SNR_ase + 1/SNR_nl + 1/SNR_trx``. More power helps against the first and hurts through the second, so there
is a best power, ``P^3 = P_ase / (2 eta)``, where the nonlinear noise is half of the spontaneous one.

Figures are printed in both bandwidths, 0.1 nm (12.5 GHz) and the signal's own, and are always named.

References
----------
.. [1] P. Poggiolini, "The GN model of non-linear propagation in uncompensated coherent optical systems",
   J. Lightwave Technol. 30, 3857, 2012, doi:10.1109/JLT.2012.2217729
.. [2] P. Poggiolini et al., "A detailed analytical derivation of the GN model of non-linear interference in coherent
   optical transmission systems", arXiv:1209.0394: eqs. 120 to 123 (sum over channels).
.. [3] P. Poggiolini et al., "The GN-model of fiber non-linear propagation and its applications", J. Lightwave Technol.
   32, 694, 2014, doi:10.1109/JLT.2013.2295208: eq. 15 (closed form with the number of channels).
.. [4] A. Ferrari et al., "GNPy: an open source application for physical layer aware open optical networks", J. Opt.
   Commun. Netw. 12, C31, 2020, doi:10.1364/JOCN.382906
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2012, "P. Poggiolini, the GN model of non-linear propagation in uncompensated coherent optical systems")


def quantum_noise_dBm(
    frequency_Hz: Number,
    reference_bandwidth_Hz: Number = 12.5e9,
    planck_constant_J_s: Number = 6.62607015e-34,
) -> Number:
    """Return ``h f B_0`` as a level [dBm]: the -58 of every link budget."""
    return 10.0 * np.log10(planck_constant_J_s * frequency_Hz * reference_bandwidth_Hz / 1e-3)


def line_osnr_dB(
    launch_power_dBm: Number,
    span_loss_dB: Number,
    noise_figure_dB: Number,
    spans: Number,
    frequency_Hz: Number,
    reference_bandwidth_Hz: Number = 12.5e9,
    planck_constant_J_s: Number = 6.62607015e-34,
) -> Number:
    """Return the OSNR after equal spans, ``P - A - F - 10 log N - 10 log(h f B_0)`` [dB in 0.1 nm].

    Parameters
    ----------
    launch_power_dBm : float
        Power of one channel at the input of each span [dBm].
    span_loss_dB : float
        Loss of one span, which its amplifier makes up for [dB].
    noise_figure_dB : float
        Noise figure of the amplifier [dB].
    spans : float
        Number of spans.
    frequency_Hz : float
        Frequency of the channel [Hz].
    """
    quantum = 10.0 * np.log10(planck_constant_J_s * frequency_Hz * reference_bandwidth_Hz / 1e-3)
    return launch_power_dBm - span_loss_dB - noise_figure_dB - 10.0 * np.log10(spans) - quantum


def span_efficiency_1_W2(
    nonlinear_coefficient_1_W_m: Number,
    effective_length_m: Number,
    asymptotic_length_m: Number,
    beta2_s2_m: Number,
    symbol_rate_Hz: Number,
    channel_spacing_Hz: Number,
    channels: Number,
) -> Number:
    """Return the nonlinear noise of the center channel of a comb after one span over ``P^3`` [3]_ [1/W2].

    ``8/27 g^2 L_e^2 asinh( pi^2/2 b2 L_a R^2 N^(2 R/df) ) / (pi b2 L_a R^2)``. Within 0.06 dB of the sum over channels.
    """
    # asinh(a w)/w has reached its limit there, which a fiber without dispersion takes.
    width = np.maximum(np.pi * beta2_s2_m * asymptotic_length_m * symbol_rate_Hz * symbol_rate_Hz, 1e-9)
    filling = np.minimum(symbol_rate_Hz / channel_spacing_Hz, 1.0)
    field = np.maximum(nonlinear_coefficient_1_W_m * effective_length_m, 1e-15)  # a span of no length has no noise
    return 8.0 / 27.0 * field * field * np.arcsinh(0.5 * np.pi * width * channels ** (2.0 * filling)) / width


def comb_mean_efficiency_1_W2(
    nonlinear_coefficient_1_W_m: Number,
    effective_length_m: Number,
    asymptotic_length_m: Number,
    beta2_s2_m: Number,
    symbol_rate_Hz: Number,
    channel_spacing_Hz: Number,
    *,
    comb: int = 3,
) -> Number:
    """Return the same as the mean over all channels of a comb, by the sum over pairs of channels [2]_ [1/W2].

    A channel is hit by itself once and by each neighbor twice. Two channels d steps apart: ``comb - d`` pairs.
    """
    curve = np.pi * np.pi * beta2_s2_m * asymptotic_length_m * symbol_rate_Hz
    half = 0.5 * symbol_rate_Hz
    total = np.arcsinh(curve * half)
    for d in range(1, comb):
        far = d * channel_spacing_Hz
        pair = np.arcsinh(curve * (far + half)) - np.arcsinh(curve * (far - half))
        total = total + 2.0 * (comb - d) / comb * pair
    field = nonlinear_coefficient_1_W_m * effective_length_m / symbol_rate_Hz
    return 8.0 / 27.0 * field * field * total / (np.pi * beta2_s2_m * asymptotic_length_m)


def line_nonlinear_snr_dB(launch_power_dBm: Number, nonlinear_efficiency_1_W2: Number, spans: Number) -> Number:
    """Return the signal over nonlinear noise after equal spans, ``1 / (N eta P^2)`` [dB in the signal's bandwidth]."""
    watts = 1e-3 * 10.0 ** (launch_power_dBm / 10.0)
    return -10.0 * np.log10(spans * nonlinear_efficiency_1_W2 * watts * watts)


def in_signal_bandwidth_dB(osnr_dB: Number, symbol_rate_Hz: Number, reference_bandwidth_Hz: Number = 12.5e9) -> Number:
    """Return a ratio stated in 0.1 nm as one in the signal's bandwidth [dB]."""
    return osnr_dB + 10.0 * np.log10(reference_bandwidth_Hz / symbol_rate_Hz)


def in_reference_bandwidth_dB(
    snr_dB: Number, symbol_rate_Hz: Number, reference_bandwidth_Hz: Number = 12.5e9
) -> Number:
    """Return a ratio stated in the signal's bandwidth as one in 0.1 nm [dB]."""
    return snr_dB - 10.0 * np.log10(reference_bandwidth_Hz / symbol_rate_Hz)


def joined_snr_dB(ase_snr_dB: Number, nonlinear_snr_dB: Number, transceiver_snr_dB: Number) -> Number:
    """Return the ratio that three independent noises leave, ``1 / sum(1 / SNR)``, all in one bandwidth [dB]."""
    noise = 10.0 ** (-ase_snr_dB / 10.0) + 10.0 ** (-nonlinear_snr_dB / 10.0) + 10.0 ** (-transceiver_snr_dB / 10.0)
    return -10.0 * np.log10(noise)


def link_gsnr_dB(
    osnr_dB: Number,
    nonlinear_snr_dB: Number,
    symbol_rate_Hz: Number,
    transmitter_osnr_dB: Number,
    add_drop_osnr_dB: Number,
    reference_bandwidth_Hz: Number = 12.5e9,
) -> Number:
    """Return the generalized OSNR of a link in 0.1 nm [4]_ [dB].

    Parameters
    ----------
    osnr_dB : float
        Signal over amplifier noise in 0.1 nm [dB].
    nonlinear_snr_dB : float
        Signal over nonlinear noise in the signal's bandwidth [dB].
    symbol_rate_Hz : float
        Symbols a second [Hz].
    transmitter_osnr_dB, add_drop_osnr_dB : float
        What the transmitter and the end nodes leave, in 0.1 nm [dB].
    """
    nonlinear = 10.0 ** (-nonlinear_snr_dB / 10.0) * reference_bandwidth_Hz / symbol_rate_Hz
    ends = 10.0 ** (-transmitter_osnr_dB / 10.0) + 10.0 ** (-add_drop_osnr_dB / 10.0)
    return -10.0 * np.log10(10.0 ** (-osnr_dB / 10.0) + nonlinear + ends)


def best_launch_dBm(
    span_loss_dB: Number,
    noise_figure_dB: Number,
    frequency_Hz: Number,
    symbol_rate_Hz: Number,
    nonlinear_efficiency_1_W2: Number,
    planck_constant_J_s: Number = 6.62607015e-34,
) -> Number:
    """Return the best power of a channel, ``(h f R F A / (2 eta))^(1/3)`` [1]_ [dBm]: the same for any length."""
    noise = planck_constant_J_s * frequency_Hz * symbol_rate_Hz * 10.0 ** ((span_loss_dB + noise_figure_dB) / 10.0)
    return 10.0 / 3.0 * np.log10(noise / (2.0 * nonlinear_efficiency_1_W2)) + 30.0


def reach_spans(span_snr_dB: Number, required_snr_dB: Number, design_margin_dB: Number) -> Number:
    """Return over how many equal spans a signal lives without being made new, at least one.

    ``floor( SNR_1 / (SNR_required margin) )``: noise adds up, so the ratio falls as 1/N.
    """
    return np.maximum(np.floor(10.0 ** ((span_snr_dB - required_snr_dB - design_margin_dB) / 10.0)), 1.0)


def section_count(spans: Number, reach: Number) -> Number:
    """Return the stretches between which the signal is received and sent anew, ``ceil(N / reach)``."""
    return np.ceil(spans / reach)


def link_margin_dB(gsnr_dB: Number, required_osnr_dB: Number) -> Number:
    """Return what is left above the requirement, both in 0.1 nm [dB]."""
    return gsnr_dB - required_osnr_dB
