"""Glass over thousands of kilometers: how long light takes, how much is left, how far pulses smear.

A pulse travels at ``c / n_g``: 4.9 microseconds a kilometer, a third slower than in vacuum. What makes glass win over
copper is not speed but loss: 0.2 dB/km leaves one percent after 100 km, where a copper pair at this bandwidth leaves
nothing after meters. Colors travel at different speeds (chromatic dispersion, ``D L dlambda``), the two polarizations
too, at random (``D_p sqrt(L)``). Light in so thin a core also changes the glass (Kerr effect), over the effective
length ``(1 - exp(-a L)) / a`` of each span; `roundtrip.stages.optics.gsnr` counts what this costs.

References
----------
.. [1] F. P. Kapron, D. B. Keck and R. D. Maurer, "Radiation losses in glass optical waveguides", Appl. Phys. Lett. 17,
   423, 1970, doi:10.1063/1.1653255
.. [2] G. P. Agrawal, Nonlinear Fiber Optics, 5th edition, Academic Press 2013, chapters 1 and 2.
.. [3] ITU-T Recommendation G.652, "Characteristics of a single-mode optical fibre and cable": the three-term fit of
   the dispersion, polarization mode dispersion. https://www.itu.int/rec/T-REC-G.652
.. [4] D. Marcuse, "Loss analysis of single-mode fiber splices", Bell Syst. Tech. J. 56, 703, 1977,
   doi:10.1002/j.1538-7305.1977.tb00534.x: the width of the mode.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1970, "F. P. Kapron, D. B. Keck and R. D. Maurer, radiation losses in glass optical waveguides")

_NEPER_DB = 10.0 / np.log(10.0)  # decibels in a factor of e


def flight_time_s(length_m: Number, group_index: Number, speed_of_light_m_s: Number = 299_792_458.0) -> Number:
    """Return the time of flight, ``L n_g / c`` [s]. Nothing in this house is faster over glass.

    Parameters
    ----------
    length_m : float
        Length of the fiber [m].
    group_index : float
        Group index of the glass at this wavelength.
    """
    return length_m * group_index / speed_of_light_m_s


def reach_in_time_m(time_s: Number, group_index: Number, speed_of_light_m_s: Number = 299_792_458.0) -> Number:
    """Return how far light comes in a time, ``t c / n_g`` [m]."""
    return time_s * speed_of_light_m_s / group_index


def slowing(group_index: Number) -> Number:
    """Return by what share light is slower in the glass than in vacuum, ``1 - 1/n_g``."""
    return 1.0 - 1.0 / group_index


def fiber_loss_dB(length_m: Number, attenuation_dB_km: Number) -> Number:
    """Return the loss of a length of fiber [dB]."""
    return attenuation_dB_km * length_m / 1e3


def surviving_share(loss_dB: Number) -> Number:
    """Return the share of the power that is left after a loss, ``10^(-A/10)``."""
    return 10.0 ** (-loss_dB / 10.0)


def attenuation_1_m(attenuation_dB_km: Number) -> Number:
    """Return the attenuation as a power coefficient, ``a = alpha ln(10)/10`` [1/m]."""
    return attenuation_dB_km / 1e3 / _NEPER_DB


def effective_length_m(span_m: Number, attenuation_dB_km: Number) -> Number:
    """Return the length over which the nonlinearity of a span acts, ``(1 - exp(-a L)) / a`` [2]_ [m]."""
    coefficient = attenuation_dB_km / 1e3 / _NEPER_DB
    return -np.expm1(-coefficient * span_m) / coefficient


def asymptotic_length_m(attenuation_dB_km: Number) -> Number:
    """Return the effective length of an endless span, ``1 / a`` [m]."""
    return 1e3 * _NEPER_DB / attenuation_dB_km


def accumulated_dispersion_ps_nm(length_m: Number, dispersion_ps_nm_km: Number) -> Number:
    """Return the chromatic dispersion of a whole way [ps/nm]."""
    return dispersion_ps_nm_km * length_m / 1e3


def dispersion_at_ps_nm_km(
    wavelength_m: Number, zero_dispersion_wavelength_m: Number, zero_dispersion_slope_ps_nm2_km: Number
) -> Number:
    """Return the dispersion of standard fiber, ``S_0/4 (lambda - lambda_0^4 / lambda^3)`` [3]_ [ps/(nm km)]."""
    ratio = zero_dispersion_wavelength_m / wavelength_m
    return zero_dispersion_slope_ps_nm2_km / 4.0 * wavelength_m * 1e9 * (1.0 - ratio * ratio * ratio * ratio)


def dispersion_slope_at_ps_nm2_km(
    wavelength_m: Number, zero_dispersion_wavelength_m: Number, zero_dispersion_slope_ps_nm2_km: Number
) -> Number:
    """Return how the dispersion changes with wavelength, ``S_0/4 (1 + 3 lambda_0^4 / lambda^4)`` [3]_ [ps/(nm2 km)]."""
    ratio = zero_dispersion_wavelength_m / wavelength_m
    return zero_dispersion_slope_ps_nm2_km / 4.0 * (1.0 + 3.0 * ratio * ratio * ratio * ratio)


def beta2_s2_m(dispersion_ps_nm_km: Number, wavelength_m: Number, speed_of_light_m_s: Number = 299_792_458.0) -> Number:
    """Return the magnitude of the group-velocity dispersion, ``|D| lambda^2 / (2 pi c)`` [2]_ [s2/m]."""
    per_meter = np.absolute(dispersion_ps_nm_km) * 1e-6
    return per_meter * wavelength_m * wavelength_m / (2.0 * np.pi * speed_of_light_m_s)


def pulse_spread_s(length_m: Number, dispersion_ps_nm_km: Number, spectral_width_m: Number) -> Number:
    """Return by how much the colors of a signal arrive apart, ``|D| L dlambda`` [s].

    Parameters
    ----------
    spectral_width_m : float
        Width of the signal's spectrum as a wavelength [m].
    """
    return np.absolute(dispersion_ps_nm_km) * 1e-6 * length_m * spectral_width_m


def polarization_spread_s(length_m: Number, pmd_ps_sqrt_km: Number) -> Number:
    """Return the mean delay between the two polarizations, ``D_p sqrt(L)`` [3]_ [s]: it grows as a random walk."""
    return pmd_ps_sqrt_km * 1e-12 * np.sqrt(length_m / 1e3)


def nonlinear_coefficient_1_W_m(
    nonlinear_index_m2_W: Number, wavelength_m: Number, effective_area_m2: Number
) -> Number:
    """Return the phase that a watt turns over a meter, ``2 pi n_2 / (lambda A_e)`` [2]_ [1/(W m)]."""
    return 2.0 * np.pi * nonlinear_index_m2_W / (wavelength_m * effective_area_m2)


def normalized_frequency(core_diameter_m: Number, numerical_aperture: Number, wavelength_m: Number) -> Number:
    """Return V, ``pi d NA / lambda`` [2]_: below 2.405 a step-index fiber guides a single mode."""
    return np.pi * core_diameter_m * numerical_aperture / wavelength_m


def cutoff_wavelength_m(core_diameter_m: Number, numerical_aperture: Number) -> Number:
    """Return the wavelength above which a step-index fiber guides a single mode, ``pi d NA / 2.405`` [m]."""
    return np.pi * core_diameter_m * numerical_aperture / 2.404825557695773


def mode_field_diameter_m(core_diameter_m: Number, normalized_frequency: Number) -> Number:
    """Return the width of the light's spot, ``d (0.65 + 1.619 V^-1.5 + 2.879 V^-6)`` [4]_ [m].

    Within one percent for V between 1.2 and 2.4: the spot is wider than the core, the rest runs in the cladding.
    """
    v = normalized_frequency
    return core_diameter_m * (0.65 + 1.619 / (v * np.sqrt(v)) + 2.879 / (v * v * v * v * v * v))
