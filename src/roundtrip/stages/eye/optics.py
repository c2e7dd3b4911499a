r"""The eye's optics: a pupil takes its share of the screen's light, cornea and lens blur and color it, the retina
gets the rest.

Of the luminance L the pupil of diameter D (`eye.pupil`) at the distance d sees the solid angle

.. math:: \Omega = \frac{\pi D^2}{4 d^2}

so a screen at arm's length sends a millionth of its photons into one pupil. Cornea, lens and humors let a share
``10^-D(lambda, age)`` of them through, and leave ``exp(-(f / f_c)^n)`` of the contrast of f cycles a degree.

References
----------
.. [1] CIE 203:2012, A computerized approach to transmission and absorption characteristics of the human eye, after J.
   van de Kraats and D. van Norren, JOSA A 24(7), 1842-1857, 2007, doi:10.1364/JOSAA.24.001842
.. [2] J. Rovamo, H. Kukkonen and J. Mustonen, "Foveal optical modulation transfer function of the human eye at
   various pupil sizes", JOSA A 15(9), 2504-2513, 1998, doi:10.1364/JOSAA.15.002504
.. [3] J. A. Solomon and D. G. Pelli, "The visual filter mediating letter identification", Nature 369, 395-397, 1994,
   doi:10.1038/369395a0: three cycles a letter.
.. [4] M. Born and E. Wolf, Principles of Optics, 7th edition, Cambridge 1999, section 8.5.2: the Airy pattern.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1604, "J. Kepler, Astronomiae pars optica: the lens of the eye casts an image on the retina")


def flight_time_s(viewing_distance_m: Number, speed_of_light_m_s: Number = 299_792_458.0) -> Number:
    """Return the time of the light from the screen to the cornea, ``d / c`` [s].

    Parameters
    ----------
    viewing_distance_m : float
        Distance [m].
    speed_of_light_m_s : float
        Constant.
    """
    return viewing_distance_m / speed_of_light_m_s


def solid_angle_sr(pupil_diameter_m: Number, viewing_distance_m: Number) -> Number:
    """Return the solid angle of the pupil as the screen sees it, ``pi D^2 / 4 d^2`` [sr].

    Parameters
    ----------
    pupil_diameter_m : float
        Diameter of the entrance pupil [m].
    viewing_distance_m : float
        Distance [m].
    """
    return np.pi / 4.0 * (pupil_diameter_m / viewing_distance_m) ** 2.0


def pupil_photons(
    luminance_cd_m2: Number,
    pixels: Number,
    pixel_pitch_m: Number,
    duration_s: Number,
    pupil_diameter_m: Number,
    viewing_distance_m: Number,
    photons_per_lumen_s: Number,
) -> Number:
    """Return the photons that some pixels send into one pupil in a time.

    Parameters
    ----------
    luminance_cd_m2, pixels, pixel_pitch_m : float
        Luminance [cd/m2], number and pitch [m] of the pixels.
    duration_s : float
        Time [s].
    pupil_diameter_m, viewing_distance_m : float
        As in `solid_angle_sr`.
    photons_per_lumen_s : float
        Photons of a lumen second of this light.
    """
    area_m2 = pixels * pixel_pitch_m * pixel_pitch_m
    angle_sr = solid_angle_sr(pupil_diameter_m, viewing_distance_m)
    return luminance_cd_m2 * area_m2 * angle_sr * duration_s * photons_per_lumen_s


def transmission(wavelength_m: Number, age_year: Number) -> Number:
    """Return the share of the light that cornea, lens and humors let through, ``10^-D`` [1]_.

    Five parts: scatter, the proteins' tryptophan, the young lens and two of the aging lens.

    Parameters
    ----------
    wavelength_m : float
        Wavelength [m]; the paper covers 300 to 700 nm and what lies outside is read at the end of that range.
    age_year : float
        Age in years.
    """
    nm = np.clip(1e9 * wavelength_m, 300.0, 700.0)
    square = age_year * age_year
    density = (
        (0.15 + 0.000031 * square) * (400.0 / nm) ** 4.0
        + 151.5492 * np.exp(-((0.057 * (nm - 273.0)) ** 2.0))
        + (1.05 - 0.000063 * square) * 2.13 * np.exp(-((0.029 * (nm - 370.0)) ** 2.0))
        + (0.059 + 0.000186 * square) * 11.95 * np.exp(-((0.021 * (nm - 325.0)) ** 2.0))
        + (0.016 + 0.000132 * square) * 1.43 * np.exp(-((0.008 * (nm - 325.0)) ** 2.0))
        + 0.06
    )
    return 10.0 ** (-density)


def modulation(spatial_frequency_c_deg: Number, pupil_diameter_m: Number) -> Number:
    """Return the contrast that the eye's optics leave of a grating, ``exp(-(f / f_c)^n)`` [2]_.

    Parameters
    ----------
    spatial_frequency_c_deg : float
        Cycles a degree.
    pupil_diameter_m : float
        Diameter [m]: ``f_c = 16.6 - 1.49 p``, ``n = exp(0.840 / p - 0.318)``, p in mm.
    """
    p = 1e3 * pupil_diameter_m
    return np.exp(-((spatial_frequency_c_deg / (16.6 - 1.49 * p)) ** np.exp(0.840 / p - 0.318)))


def airy_width_rad(wavelength_m: Number, pupil_diameter_m: Number) -> Number:
    """Return the full width at half maximum of diffraction's spot, ``1.029 lambda / D`` [rad] [4]_.

    Parameters
    ----------
    wavelength_m : float
        Wavelength [m].
    pupil_diameter_m : float
        Diameter [m].
    """
    return 1.029 * wavelength_m / pupil_diameter_m


def pixel_angle_rad(pixel_pitch_m: Number, viewing_distance_m: Number) -> Number:
    """Return the angle of a pixel as the eye sees it, ``p / d`` [rad].

    Parameters
    ----------
    pixel_pitch_m : float
        Pitch [m].
    viewing_distance_m : float
        Distance [m].
    """
    return pixel_pitch_m / viewing_distance_m


def field_deg2(
    width_pixels: Number, height_pixels: Number, pixel_pitch_m: Number, viewing_distance_m: Number
) -> Number:
    """Return the size of a screen as the eye before its center sees it, in square degrees.

    The solid angle of a rectangle a by b on its axis is ``4 arctan(a b / (2 d sqrt(4 d^2 + a^2 + b^2)))``.

    Parameters
    ----------
    width_pixels, height_pixels : float
        Columns and rows.
    pixel_pitch_m : float
        Pitch [m].
    viewing_distance_m : float
        Distance [m].
    """
    a = width_pixels * pixel_pitch_m
    b = height_pixels * pixel_pitch_m
    far = 2.0 * viewing_distance_m
    return 4.0 * np.arctan(a * b / (far * np.sqrt(far * far + a * a + b * b))) * (180.0 / np.pi) ** 2.0


def letter_frequency_c_deg(
    cycles_per_letter: Number, font_size_m: Number, advance_share: Number, viewing_distance_m: Number
) -> Number:
    """Return the spatial frequency at which a letter is recognized, cycles of a letter over its angle [c/deg] [3]_.

    Parameters
    ----------
    cycles_per_letter : float
        Cycles over the width of a letter that matter.
    font_size_m : float
        Height of the em [m].
    advance_share : float
        Mean advance of a letter over the em.
    viewing_distance_m : float
        Distance [m].
    """
    return cycles_per_letter / (np.arctan(font_size_m * advance_share / viewing_distance_m) * 180.0 / np.pi)
