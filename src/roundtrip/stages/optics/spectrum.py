"""All channels of a line at once: a spectrum goes into an element, a spectrum comes out.

An element sees nothing of the line but the light that enters it. Glass takes a share of all that travels, and through
the Kerr effect turns a part of it into nonlinear noise: the Gaussian-noise (GN) model says that channel i gets
``P_i sum_j e_ij P_j^2``, a sum over all channels j with one coefficient for each pair. An amplifier adds ``h f B F`` at
its input and multiplies. A wavelength switch brings every channel to one level. Power is conserved: what becomes noise
is missing in the signal, and noise rides along and makes noise in turn.

The pairs are computed once for a kind of glass; a span is then a product of a matrix and a vector. Arrays may carry
leading axes (many launch powers at once). A span without length, or light without noise, is no special case.

References
----------
.. [1] P. Poggiolini et al., "A detailed analytical derivation of the GN model of non-linear interference in coherent
   optical transmission systems", arXiv:1209.0394, 2012: eqs. 120 to 123.
.. [2] P. Poggiolini, "The GN model of non-linear propagation in uncompensated coherent optical systems", J. Lightwave
   Technol. 30, 3857, 2012, doi:10.1109/JLT.2012.2217729
.. [3] A. Ferrari et al., "GNPy: an open source application for physical layer aware open optical networks", J. Opt.
   Commun. Netw. 12, C31, 2020, doi:10.1364/JOCN.382906
.. [4] D. Marcuse, "Loss analysis of single-mode fiber splices", Bell Syst. Tech. J. 56, 703, 1977,
   doi:10.1002/j.1538-7305.1977.tb00534.x: the Gaussian spot.
.. [5] ITU-T Series G Supplement 39, "Optical system design and engineering considerations":
   https://www.itu.int/rec/T-REC-G.Sup39 (noise of a chain of amplifiers).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from roundtrip.figures.graph import Number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

SINCE = (2012, "P. Poggiolini et al., a detailed analytical derivation of the GN model, arXiv:1209.0394")

REFERENCE_BANDWIDTH_HZ = 12.5e9  # 0.1 nm at 1550 nm


def effective_area_at_m2(
    effective_area_m2: Number, core_diameter_m: Number, frequency_Hz: Number, reference_frequency_Hz: Number
) -> Number:
    """Return the area of the Gaussian spot at another frequency, ``1 / (1/A + ln(f/f_0) / (pi a^2))`` [4]_ [m2].

    A spot of radius ``a / sqrt(ln V)`` with V in proportion to f: bluer light is held tighter. It is kept below a
    thousand times the given area, where the core holds light no more.

    Parameters
    ----------
    effective_area_m2 : float
        Area at the reference frequency [m2].
    core_diameter_m : float
        Diameter of the core, ``2 a`` [m].
    """
    tighter = np.log(frequency_Hz / reference_frequency_Hz) * 4.0 / (np.pi * core_diameter_m * core_diameter_m)
    return 1.0 / np.maximum(1.0 / effective_area_m2 + tighter, 1e-3 / effective_area_m2)


def beta2_at_s2_m(
    dispersion_ps_nm_km: Number,
    dispersion_slope_ps_nm2_km: Number,
    wavelength_m: Number,
    reference_wavelength_m: Number,
    speed_of_light_m_s: Number = 299_792_458.0,
) -> Number:
    """Return the magnitude of the group-velocity dispersion at a wavelength, ``|D + S (w - w_0)| w^2/(2 pi c)`` [s2/m].

    Parameters
    ----------
    dispersion_ps_nm_km : float
        Dispersion at the reference wavelength [ps/(nm km)].
    dispersion_slope_ps_nm2_km : float
        Its change with wavelength there [ps/(nm2 km)].
    """
    off_nm = (wavelength_m - reference_wavelength_m) * 1e9
    there = np.absolute(dispersion_ps_nm_km + dispersion_slope_ps_nm2_km * off_nm) * 1e-6
    return there * wavelength_m * wavelength_m / (2.0 * np.pi * speed_of_light_m_s)


def self_efficiency_1_W2(
    nonlinear_coefficient_1_W_m: Number,
    effective_length_m: Number,
    asymptotic_length_m: Number,
    beta2_s2_m: Number,
    symbol_rate_Hz: Number,
) -> Number:
    """Return the noise that a channel makes in itself over a span, over ``P^3`` [1]_ [1/W2].

    ``16/27 g^2 L_e^2 asinh( pi^2/2 b2 L_a R^2 ) / (2 pi b2 L_a R^2)``.
    """
    width = beta2_s2_m * asymptotic_length_m * symbol_rate_Hz * symbol_rate_Hz
    field = nonlinear_coefficient_1_W_m * effective_length_m
    return 8.0 / 27.0 * field * field * np.arcsinh(0.5 * np.pi * np.pi * width) / (np.pi * width)


def cross_efficiency_1_W2(
    nonlinear_coefficient_1_W_m: Number,
    effective_length_m: Number,
    asymptotic_length_m: Number,
    beta2_s2_m: Number,
    symbol_rate_Hz: Number,
    other_symbol_rate_Hz: Number,
    frequency_offset_Hz: Number,
) -> Number:
    """Return the noise that another channel makes in this one over a span, over ``P P_o^2`` [1]_ [1/W2].

    ``2 16/27 g^2 L_e^2 [asinh(c (d + R_o/2)) - asinh(c (d - R_o/2))] / (4 pi b2 L_a R_o^2)``, ``c = pi^2 b2 L_a R``:
    the leading 2 is that of cross-phase modulation.

    Parameters
    ----------
    symbol_rate_Hz, other_symbol_rate_Hz : float
        Symbols a second of this channel and of the other [Hz].
    frequency_offset_Hz : float
        Distance of the two centers [Hz].
    """
    curve = np.pi * np.pi * beta2_s2_m * asymptotic_length_m * symbol_rate_Hz
    right = curve * (frequency_offset_Hz + 0.5 * other_symbol_rate_Hz)
    left = curve * (frequency_offset_Hz - 0.5 * other_symbol_rate_Hz)
    # Far away the difference of two nearly equal arcs is taken as the logarithm of their ratio.
    inner = np.maximum(left, 0.0)
    outer_root, inner_root = np.sqrt(1.0 + right * right), np.sqrt(1.0 + inner * inner)
    rise = curve * other_symbol_rate_Hz * (1.0 + (right + inner) / (outer_root + inner_root))
    far = np.log1p(rise / (inner + inner_root))
    arc = np.where(left < 0.0, np.arcsinh(right) - np.arcsinh(np.minimum(left, 0.0)), far)
    field = nonlinear_coefficient_1_W_m * effective_length_m / other_symbol_rate_Hz
    return 8.0 / 27.0 * field * field * arc / (np.pi * beta2_s2_m * asymptotic_length_m)


def input_noise_W(
    noise_figure_dB: Number,
    frequency_Hz: Number,
    bandwidth_Hz: Number,
    planck_constant_J_s: Number = 6.62607015e-34,
) -> Number:
    """Return an amplifier's noise as if it came in with the light, ``h f B F`` [5]_ [W]: the form of every budget.

    The shot noise that is within F is counted too; it is 1/(F G) of it, 0.15 dB at a gain of 10 dB.
    """
    return planck_constant_J_s * frequency_Hz * bandwidth_Hz * 10.0 ** (noise_figure_dB / 10.0)


def pair_efficiencies(gamma: Array, asymptotic_m: float, beta2: Array, frequency: Array, symbol_rate: Array) -> Array:
    """Return the matrix ``e_ij`` of a kind of glass for an effective length of one meter.

    Parameters
    ----------
    gamma, beta2 : array
        Nonlinear coefficient [1/(W m)] and group-velocity dispersion [s2/m] at each channel.
    asymptotic_m : float
        One over the attenuation [m].
    frequency, symbol_rate : array
        Centers and symbol rates of the channels [Hz].
    """
    apart = np.abs(frequency[None, :] - frequency[:, None])
    mean_beta2 = 0.5 * (beta2[:, None] + beta2[None, :])
    pairs: Any = cross_efficiency_1_W2(
        gamma[:, None], 1.0, asymptotic_m, mean_beta2, symbol_rate[:, None], symbol_rate[None, :], apart
    )
    own: Any = self_efficiency_1_W2(gamma, 1.0, asymptotic_m, beta2, symbol_rate)
    result = np.array(pairs, dtype=np.float64)
    np.fill_diagonal(result, own)
    return result


@dataclass(frozen=True, slots=True)
class Spectrum:
    """The light at one place: for each channel the power of the signal and of both noises in its own bandwidth [W]."""

    frequency_Hz: Array
    symbol_rate_Hz: Array
    signal_W: Array
    ase_W: Array
    nonlinear_W: Array

    @property
    def channel_W(self) -> Array:
        """Return signal and noise of each channel together."""
        return self.signal_W + self.ase_W + self.nonlinear_W

    def times(self, factor: Any) -> Spectrum:
        """Return the spectrum after a loss or a gain, one for all or one for each channel."""
        return replace(
            self, signal_W=self.signal_W * factor, ase_W=self.ase_W * factor, nonlinear_W=self.nonlinear_W * factor
        )

    def ratio_dB(self, nonlinear: bool, signal_bandwidth: bool = False) -> Array:
        """Return OSNR, or with `nonlinear` GSNR, in 0.1 nm or the signal's bandwidth; infinite where no noise is."""
        noise = self.ase_W + self.nonlinear_W if nonlinear else self.ase_W
        bandwidth = 1.0 if signal_bandwidth else self.symbol_rate_Hz / REFERENCE_BANDWIDTH_HZ
        with np.errstate(divide="ignore"):
            return 10.0 * (np.log10(self.signal_W * bandwidth) - np.log10(noise))


def with_noise_of(light: Spectrum, osnr_dB: float) -> Spectrum:
    """Return light to which a device adds noise of its own, stated as OSNR in 0.1 nm; infinite adds none."""
    share = 10.0 ** (-osnr_dB / 10.0) * light.symbol_rate_Hz / REFERENCE_BANDWIDTH_HZ
    return replace(light, ase_W=light.ase_W + light.signal_W * share)


def through_glass(light: Spectrum, pairs: Array, effective_m: float, loss_in: float, loss_glass: float) -> Spectrum:
    """Return light after a span: connectors before the glass, then noise of the Kerr effect, then the glass' loss.

    Parameters
    ----------
    pairs : array
        From `pair_efficiencies`.
    effective_m : float
        Effective length; 0 for a span without length.
    loss_in, loss_glass : float
        Losses before the glass and from there on [dB].
    """
    entered = light.times(10.0 ** (-loss_in / 10.0))
    power = entered.channel_W
    made = effective_m * effective_m * ((power * power) @ pairs.T)  # over the channel's own power
    made = np.minimum(made, 1.0 - 1e-9)  # at absurd powers the signal is gone, not negative
    kept = entered.times(1.0 - made)
    return replace(kept, nonlinear_W=kept.nonlinear_W + power * made).times(10.0 ** (-loss_glass / 10.0))


def through_amplifier(light: Spectrum, gain_dB: Any, noise_figure_dB: float, most_dBm: float) -> Spectrum:
    """Return light after an amplifier with flat gain, which falls where its output would exceed what its pumps give."""
    total_dBm = 10.0 * np.log10(np.sum(light.channel_W, axis=-1, keepdims=True) * 1e3)
    gain = np.minimum(gain_dB, most_dBm - total_dBm)
    noise: Any = input_noise_W(noise_figure_dB, light.frequency_Hz, light.symbol_rate_Hz)
    return replace(light, ase_W=light.ase_W + noise).times(10.0 ** (gain / 10.0))


def through_switch(light: Spectrum, level_dBm: float) -> Spectrum:
    """Return light after a wavelength switch: every channel brought down to one level; a switch cannot amplify."""
    return light.times(np.minimum(1e-3 * 10.0 ** (level_dBm / 10.0) / light.channel_W, 1.0))
