r"""The panel: electrons become light, in an organic diode for every pixel (OLED) or in a lamp behind liquid
crystals (LCD).

A surface of luminance L sends L lumens per square meter into each steradian along its normal and, if it is
Lambertian, pi L into the whole front hemisphere. So one pixel of pitch p sends in one frame

.. math:: N = \pi L\,p^2\,T\,k_\gamma, \qquad k_\gamma = \frac{\bar\lambda}{h c K}

photons. Three conditions belong to the number: hemisphere or steradian (a factor pi); the spectrum, for k is
4.09e15 photons for each lumen and second at 555 nm but 2.2 to 2.6 times as much for a screen's white (K near 300
lm/W in place of 683); and the angle: pi is Lambert's law, which OLEDs keep better than LCDs
(`lobe_of_half_angle`). Black is L over the contrast for an LCD, whose lamp burns on; an OLED pixel without current
sends nothing.

References
----------
.. [1] BIPM, The International System of Units, 9th edition, 2019: K_cd = 683 lm/W at 540 THz.
.. [2] C. W. Tang and S. A. VanSlyke, "Organic electroluminescent diodes", Applied Physics Letters 51, 913, 1987,
   doi:10.1063/1.98799
.. [3] D.-K. Yang and S.-T. Wu, Fundamentals of Liquid Crystal Devices, 2nd edition, Wiley 2014, section 5.4: decay
   time of a cell.
.. [4] B. E. A. Saleh and M. C. Teich, Fundamentals of Photonics, 2nd edition, Wiley 2007, section 17.1: external
   efficiency of a diode.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (
    1987,
    "C. W. Tang and S. A. VanSlyke, organic electroluminescent diodes; twisted-nematic LCD: Schadt and Helfrich, 1971",
)


def pitch_m(diagonal_m: Number, width_pixels: Number, height_pixels: Number) -> Number:
    """Return the pixel pitch of a screen with square pixels [m].

    Parameters
    ----------
    diagonal_m : float
        Diagonal of the picture [m].
    width_pixels, height_pixels : float
        Columns and rows.
    """
    return diagonal_m / np.hypot(width_pixels, height_pixels)


def photons_per_lumen_second(
    wavelength_m: Number,
    luminous_efficacy_lm_W: Number,
    planck_constant_J_s: Number = 6.62607015e-34,
    speed_of_light_m_s: Number = 299_792_458.0,
) -> Number:
    """Return the photons of light that is one lumen strong for one second, ``lambda / (h c K)``.

    Parameters
    ----------
    wavelength_m : float
        The wavelength; for a mixture its mean, weighted by energy [m].
    luminous_efficacy_lm_W : float
        Lumens in a watt of this light: 683 at 555 nm, 260 to 320 for the white of screens.
    planck_constant_J_s, speed_of_light_m_s : float
        Constants.
    """
    return wavelength_m / (planck_constant_J_s * speed_of_light_m_s * luminous_efficacy_lm_W)


def photons_steradian(
    luminance_cd_m2: Number, pixel_pitch_m: Number, refresh_rate_Hz: Number, photons_per_lumen_s: Number
) -> Number:
    """Return the photons that a pixel sends into one steradian along the normal in a frame, ``L p^2 T k``.

    Parameters
    ----------
    luminance_cd_m2 : float
        Luminance of the pixel, its own gaps included [cd/m2].
    pixel_pitch_m : float
        Pixel pitch [m].
    refresh_rate_Hz : float
        Frames a second [Hz].
    photons_per_lumen_s : float
        Photons of a lumen second of this light.
    """
    return luminance_cd_m2 * pixel_pitch_m * pixel_pitch_m / refresh_rate_Hz * photons_per_lumen_s


def photons_hemisphere(
    luminance_cd_m2: Number,
    pixel_pitch_m: Number,
    refresh_rate_Hz: Number,
    photons_per_lumen_s: Number,
    lobe_exponent: Number = 1.0,
) -> Number:
    """Return the photons that a pixel sends forward in a frame: ``2 pi / (m + 1)`` times those in a steradian on axis.

    Parameters
    ----------
    luminance_cd_m2, pixel_pitch_m, refresh_rate_Hz, photons_per_lumen_s : float
        As in `photons_steradian`.
    lobe_exponent : float
        m, if the intensity falls as cos^m with the angle: 1 for Lambert's law, which makes pi; 2 to 3 for panels whose
        luminance falls to the side.
    """
    axis = photons_steradian(luminance_cd_m2, pixel_pitch_m, refresh_rate_Hz, photons_per_lumen_s)
    return 2.0 * np.pi / (lobe_exponent + 1.0) * axis


def lobe_of_half_angle(half_angle_deg: Number) -> Number:
    """Return the exponent of a lobe whose luminance has fallen to a half at an angle, ``1 + ln 0.5 / ln cos``.

    Parameters
    ----------
    half_angle_deg : float
        Angle from the normal [deg]: 90 for Lambert's law.
    """
    return 1.0 + np.log(0.5) / np.log(np.cos(np.radians(np.clip(half_angle_deg, 1.0, 89.99))))


def emitter_photons(
    pixel_current_A: Number,
    duration_s: Number,
    external_quantum_efficiency: Number,
    elementary_charge_C: Number = 1.602176634e-19,
) -> Number:
    """Return the photons that leave a diode driven by a current, ``eta I t / e``; none without current [4]_.

    Parameters
    ----------
    pixel_current_A : float
        Current [A].
    duration_s : float
        Time [s].
    external_quantum_efficiency : float
        Photons that leave for each electron.
    elementary_charge_C : float
        Constant.
    """
    return external_quantum_efficiency * pixel_current_A * duration_s / elementary_charge_C


def black_luminance_cd_m2(white_luminance_cd_m2: Number, contrast_ratio: Number) -> Number:
    """Return the luminance of black on an LCD: what the crossed polarizers let through of the lamp [cd/m2].

    Parameters
    ----------
    white_luminance_cd_m2 : float
        Luminance of white at the same setting of the lamp [cd/m2].
    contrast_ratio : float
        White over black.
    """
    return white_luminance_cd_m2 / contrast_ratio


def relaxation_s(rotational_viscosity_Pa_s: Number, cell_gap_m: Number, elastic_constant_N: Number) -> Number:
    """Return the time constant in which a liquid crystal turns back, ``gamma d^2 / (pi^2 K)`` [s] [3]_.

    Parameters
    ----------
    rotational_viscosity_Pa_s : float
        Rotational viscosity [Pa s].
    cell_gap_m : float
        Thickness of the layer [m].
    elastic_constant_N : float
        Elastic constant [N].
    """
    return rotational_viscosity_Pa_s * cell_gap_m * cell_gap_m / (np.pi * np.pi * elastic_constant_N)


def picture_luminance_cd_m2(white_luminance_cd_m2: Number, picture_level: Number) -> Number:
    """Return the mean luminance of a picture: what an OLED pays for, while a backlight pays for white [cd/m2].

    Parameters
    ----------
    white_luminance_cd_m2 : float
        Luminance of white [cd/m2].
    picture_level : float
        Mean linear luminance of the picture over that of white.
    """
    return white_luminance_cd_m2 * picture_level


def half_response_s(response_time_s: Number) -> Number:
    """Return the time to half of an exponential step whose 10-to-90 % time is given, ``t ln 2 / ln 9`` [s].

    Parameters
    ----------
    response_time_s : float
        Time from 10 to 90 % [s].
    """
    return response_time_s * np.log(2.0) / np.log(9.0)


def pwm_period_s(pwm_frequency_Hz: Number) -> Number:
    """Return the period of the dimming pulses [s].

    Parameters
    ----------
    pwm_frequency_Hz : float
        Frequency of the pulses [Hz].
    """
    return 1.0 / pwm_frequency_Hz


def light_power_W(
    luminance_cd_m2: Number, pixels: Number, pixel_pitch_m: Number, screen_efficacy_lm_W: Number
) -> Number:
    """Return the supply power of the light of a screen, ``pi L n p^2 / eta`` [W].

    Parameters
    ----------
    luminance_cd_m2 : float
        What the light source must give: white for a backlight, the mean of the picture for an OLED [cd/m2].
    pixels : float
        Pixels of the screen.
    pixel_pitch_m : float
        Pitch [m].
    screen_efficacy_lm_W : float
        Lumens that leave the screen for each watt of its light source's supply.
    """
    return np.pi * luminance_cd_m2 * pixels * pixel_pitch_m * pixel_pitch_m / screen_efficacy_lm_W


def patch_energy_J(
    pixels: Number, pixel_pitch_m: Number, luminance_cd_m2: Number, duration_s: Number, screen_efficacy_lm_W: Number
) -> Number:
    """Return the electric energy behind the light of some pixels [J].

    Parameters
    ----------
    pixels : float
        Number of pixels.
    pixel_pitch_m : float
        Pitch [m].
    luminance_cd_m2 : float
        Luminance [cd/m2].
    duration_s : float
        Time [s].
    screen_efficacy_lm_W : float
        Lumens of the screen for each watt.
    """
    return light_power_W(luminance_cd_m2, pixels, pixel_pitch_m, screen_efficacy_lm_W) * duration_s
