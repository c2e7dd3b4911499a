r"""Legibility: what is left of a letter's stroke after pixels, diffraction, aberrations and cones, and whether that is
enough.

A stroke of s arcminutes and the gap beside it are a cycle of 2 s, so it lies at ``f = 30 / s`` cycles a degree. Every
part on the way keeps a share of its contrast:

.. math:: M_p = \left|\frac{\sin \pi f p}{\pi f p}\right|, \quad
          M_d = \frac{2}{\pi}\left(\arccos \nu - \nu \sqrt{1 - \nu^2}\right),\; \nu = \frac{f \lambda}{D}, \quad
          M_c = \exp\left(-\tfrac{\pi^2}{8} f^2 a^2\right)

for a square pixel p wide [1]_, a perfect pupil D [2]_ and a cone's aperture a (a Gauss curve of the same variance as
the disk, within 1 % of ``2 J_1(x)/x`` for x below 1). Aberrations are in `optics.modulation`, which was measured.
Sampling sets hard ends: half a cycle a pixel, and ``1 / (sqrt(3) c)`` for cones that are c apart [3]_. What the brain
needs is Barten's contrast sensitivity S [4]_, which holds the eye's optics; a stroke is seen while ``C M_p S > 1``.

References
----------
.. [1] G. D. Boreman, Modulation Transfer Function in Optical and Electro-Optical Systems, 2nd edition, SPIE 2021,
   chapter 2.
.. [2] J. W. Goodman, Introduction to Fourier Optics, 3rd edition, 2005, section 6.4: incoherent circular pupil.
.. [3] C. A. Curcio and others, Journal of Comparative Neurology 292, 497-523, 1990, doi:10.1002/cne.902920402: cones
   in the densest place; a hexagonal lattice resolves half a cycle for each of its rows.
.. [4] P. G. J. Barten, "Formula for the contrast sensitivity of the human eye", Proceedings of SPIE 5294, 231-238,
   2003, doi:10.1117/12.537476, equation 11.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1862, "H. Snellen, letters of five strokes of one arcminute")

FINEST_ARCMIN, COARSEST_ARCMIN = 0.05, 60.0


def stroke_arcmin(font_size_m: Number, stroke_share: Number, viewing_distance_m: Number) -> Number:
    """Return the angle of a letter's stroke in arcminutes.

    Parameters
    ----------
    font_size_m : float
        Height of the em [m].
    stroke_share : float
        Width of a stem over the em.
    viewing_distance_m : float
        Distance [m].
    """
    return np.arctan(font_size_m * stroke_share / viewing_distance_m) * (180.0 * 60.0 / np.pi)


def stroke_frequency_c_deg(stroke_arcmin: Number) -> Number:
    """Return the spatial frequency of a stroke and a gap as wide, ``30 / s`` [c/deg].

    Parameters
    ----------
    stroke_arcmin : float
        Angle of the stroke in arcminutes.
    """
    return 30.0 / stroke_arcmin


def pixel_modulation(spatial_frequency_c_deg: Number, pixel_pitch_m: Number, viewing_distance_m: Number) -> Number:
    """Return the contrast that square pixels without gaps leave of a grating [1]_.

    Parameters
    ----------
    spatial_frequency_c_deg : float
        Cycles a degree.
    pixel_pitch_m, viewing_distance_m : float
        Pitch and distance [m].
    """
    pixel_deg = np.arctan(pixel_pitch_m / viewing_distance_m) * (180.0 / np.pi)
    turn = np.maximum(np.pi * spatial_frequency_c_deg * pixel_deg, 1e-9)
    return np.absolute(np.sin(turn) / turn)


def screen_limit_c_deg(pixel_pitch_m: Number, viewing_distance_m: Number) -> Number:
    """Return the finest grating that the pixels can show, one bright and one dark, in cycles a degree.

    Parameters
    ----------
    pixel_pitch_m, viewing_distance_m : float
        Pitch and distance [m].
    """
    return 0.5 / (np.arctan(pixel_pitch_m / viewing_distance_m) * (180.0 / np.pi))


def diffraction_modulation(spatial_frequency_c_deg: Number, wavelength_m: Number, pupil_diameter_m: Number) -> Number:
    """Return the contrast that a perfect eye of this pupil would leave of a grating; zero beyond ``D / lambda`` [2]_.

    Parameters
    ----------
    spatial_frequency_c_deg : float
        Cycles a degree.
    wavelength_m, pupil_diameter_m : float
        Wavelength and pupil [m].
    """
    share = np.minimum(spatial_frequency_c_deg * (180.0 / np.pi) * wavelength_m / pupil_diameter_m, 1.0)
    return 2.0 / np.pi * (np.arccos(share) - share * np.sqrt(1.0 - share * share))


def cone_modulation(spatial_frequency_c_deg: Number, cone_aperture_m2: Number, eye_focal_length_m: Number) -> Number:
    """Return the contrast that the aperture of the cones leaves of a grating on the retina.

    Parameters
    ----------
    spatial_frequency_c_deg : float
        Cycles a degree.
    cone_aperture_m2 : float
        Area over which a cone collects [m2].
    eye_focal_length_m : float
        Distance from the nodal point to the retina [m].
    """
    width_deg = 2.0 * np.sqrt(cone_aperture_m2 / np.pi) / eye_focal_length_m * (180.0 / np.pi)
    return np.exp(-np.pi * np.pi / 8.0 * (spatial_frequency_c_deg * width_deg) ** 2.0)


def cone_spacing_m(cone_density_1_m2: Number) -> Number:
    """Return the distance between the centers of cones that stand in a hexagonal lattice [m] [3]_.

    Parameters
    ----------
    cone_density_1_m2 : float
        Cones for each square meter of retina [1/m2].
    """
    return np.sqrt(2.0 / (np.sqrt(3.0) * cone_density_1_m2))


def cone_limit_c_deg(cone_density_1_m2: Number, eye_focal_length_m: Number) -> Number:
    """Return the finest grating that the lattice of cones samples twice a cycle, in cycles a degree [3]_.

    Parameters
    ----------
    cone_density_1_m2 : float
        Cones for each square meter of retina [1/m2].
    eye_focal_length_m : float
        Distance from the nodal point to the retina [m].
    """
    spacing_deg = cone_spacing_m(cone_density_1_m2) / eye_focal_length_m * (180.0 / np.pi)
    return 1.0 / (np.sqrt(3.0) * spacing_deg)


def screen_contrast(
    white_luminance_cd_m2: Number, black_luminance_cd_m2: Number, illuminance_lx: Number, screen_reflectance: Number
) -> Number:
    """Return Michelson's contrast of black on white in a lit room: the screen reflects the room on both.

    Parameters
    ----------
    white_luminance_cd_m2, black_luminance_cd_m2 : float
        Luminance of white and, below it, of black in the dark [cd/m2].
    illuminance_lx, screen_reflectance : float
        Light on the screen [lx] and the share that it scatters back.
    """
    black = np.minimum(black_luminance_cd_m2, white_luminance_cd_m2)
    veil = illuminance_lx * screen_reflectance / np.pi
    return (white_luminance_cd_m2 - black) / (white_luminance_cd_m2 + black + 2.0 * veil)


def contrast_sensitivity(spatial_frequency_c_deg: Number, luminance_cd_m2: Number, grating_width_deg: Number) -> Number:
    """Return one over the contrast that is just seen, for a standard observer and its own pupil [4]_.

    Parameters
    ----------
    spatial_frequency_c_deg : float
        Cycles a degree.
    luminance_cd_m2 : float
        Mean luminance [cd/m2].
    grating_width_deg : float
        Width of the grating in degrees.
    """
    square = np.maximum(spatial_frequency_c_deg, 0.01) ** 2.0
    optics = np.exp(-0.0016 * square * (1.0 + 100.0 / luminance_cd_m2) ** 0.08)
    extent = 1.0 + 144.0 / (grating_width_deg * grating_width_deg) + 0.64 * square
    noise = 63.0 / luminance_cd_m2**0.83 + 1.0 / (1.0 - np.exp(-0.02 * square))
    return 5200.0 * optics / np.sqrt(extent * noise)


def legibility_reserve(contrast: Number, modulation: Number, sensitivity: Number) -> Number:
    """Return by how much the contrast of a stroke exceeds what is just seen: below 1 it is lost.

    Parameters
    ----------
    contrast, modulation : float
        Contrast of the page and what the pixels leave of it.
    sensitivity : float
        One over the contrast that is just seen.
    """
    return contrast * modulation * sensitivity


def finest_stroke_arcmin(contrast: float, luminance_cd_m2: float, grating_width_deg: float) -> float:
    """Return the stroke whose contrast is just seen, by halving: the acuity that optics and noise allow."""
    low, high = FINEST_ARCMIN, COARSEST_ARCMIN
    for _ in range(60):
        middle = 0.5 * (low + high)
        seen = contrast * float(contrast_sensitivity(30.0 / middle, luminance_cd_m2, grating_width_deg))
        low, high = (low, middle) if seen > 1.0 else (middle, high)
    return high
