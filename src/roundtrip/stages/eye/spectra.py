r"""Spectra: the light of a screen, wavelength by wavelength, and what lens, macula and pigment take out of it.

A lumen is not a number of photons: how many there are, and which cell catches them, follows from the spectrum S,

.. math:: k_\gamma = \frac{\sum S \lambda / h c}{683 \sum S V}, \qquad
          \beta = \frac{\sum S \lambda\,10^{-D_l(\lambda, y) - D_m(\lambda)}\,(1 - 10^{-D A(\lambda)})}{\sum S \lambda}

with V the luminous efficiency, D_l the lens at the age y, D_m the macula and D A the pigment of a cone: beta is what
it absorbs of the photons that come through the pupil to its aperture. Spectra are sampled every 10 nm from 390 to
780 nm, as are the CIE's tables; against sums at 1 nm that changes k by 0.1 %, scotopic light by 0.2 %.

``light``: 0 a white-LED liquid crystal panel, 1 an OLED, 2 the phosphor LED of 6,600 K alone (CIE LED-B5). ``cone``: 0
long, 1 middle, 2 short wavelengths.

References
----------
.. [1] ISETBio display data, LCD-Apple and OLED-Sony: measured primaries, mixed here to the white of D65,
   https://github.com/isetbio/isetbio_v0.1 (isettools/data/displays)
.. [2] CIE 015:2018, Colorimetry, 4th edition: illuminant LED-B5, V(lambda) and V'(lambda), doi:10.25039/TR.015.2018
.. [3] CIE 170-1:2006, Fundamental chromaticity diagram with physiological axes, part 1: lens (its age in the text
   after J. Pokorny, V. C. Smith and M. Lutze, Applied Optics 26, 1437, 1987), macula, absorbances of the pigments, as
   luxpy 1.12.5 lists them
.. [4] A. Stockman and L. T. Sharpe, "The spectral sensitivities of the middle- and long-wavelength-sensitive cones",
   Vision Research 40(13), 1711-1737, 2000, doi:10.1016/S0042-6989(00)00021-3
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (1924, "CIE, luminous efficiency V(lambda); tables of eye and screens: CIE 170-1:2006")

Array = NDArray[np.float64]

NM: Array = np.arange(390.0, 781.0, 10.0)
PHOTON_J_NM = 6.62607015e-34 * 299_792_458.0 / 1e-9


def _table(*values: float) -> Array:
    """Return a column of the tables, which are cut where only zeros follow."""
    return np.array(values + (0.0,) * (NM.size - len(values)))


# fmt: off
LCD = _table(
    0.00287, 0.00222, 0.00261, 0.0151, 0.116, 0.561, 1.0, 0.577, 0.303, 0.238, 0.312, 0.399, 0.457, 0.494, 0.51,
    0.517, 0.501, 0.438, 0.36, 0.302, 0.341, 0.405, 0.415, 0.403, 0.388, 0.381, 0.356, 0.315, 0.275, 0.233, 0.195,
    0.156, 0.119, 0.0834, 0.057, 0.0458, 0.0432, 0.0446, 0.0405, 0.039
)
OLED = _table(
    0.00758, 0.0093, 0.0282, 0.0862, 0.243, 0.513, 0.795, 0.924, 0.785, 0.548, 0.456, 0.585, 0.833, 0.984, 0.905,
    0.696, 0.473, 0.297, 0.181, 0.14, 0.226, 0.476, 0.804, 1.0, 0.915, 0.648, 0.399, 0.235, 0.146, 0.102, 0.0723,
    0.0463, 0.0351, 0.0244, 0.0175, 0.0119, 0.0129, 0.00999, 0.00823, 0.00988
)
LED = _table(
    0.000309, 0.00216, 0.0108, 0.0516, 0.184, 0.499, 1.0, 0.725, 0.374, 0.223, 0.201, 0.25, 0.336, 0.414, 0.463,
    0.489, 0.498, 0.498, 0.488, 0.468, 0.442, 0.409, 0.368, 0.324, 0.278, 0.234, 0.193, 0.157, 0.126, 0.0996, 0.0785,
    0.0618, 0.0476, 0.0371, 0.0288, 0.0223, 0.0173, 0.0136, 0.0108, 0.00835
)
PHOTOPIC = _table(
    0.00012, 0.000396, 0.00121, 0.004, 0.0116, 0.023, 0.038, 0.06, 0.09098, 0.139, 0.208, 0.323, 0.503, 0.71, 0.862,
    0.954, 0.995, 0.995, 0.952, 0.87, 0.757, 0.631, 0.503, 0.381, 0.265, 0.175, 0.107, 0.061, 0.032, 0.017, 0.00821,
    0.004102, 0.002091, 0.001047, 0.00052, 0.0002492, 0.00012, 0.00006, 0.00003, 0.00001499
)
SCOTOPIC = _table(
    0.002209, 0.00929, 0.03484, 0.0966, 0.1998, 0.3281, 0.455, 0.567, 0.676, 0.793, 0.904, 0.982, 0.997, 0.935, 0.811,
    0.65, 0.481, 0.3288, 0.2076, 0.1212, 0.0655, 0.03315, 0.01593, 0.00737, 0.003335, 0.001497, 0.000677, 0.0003129,
    0.000148, 0.0000715, 0.00003533, 0.0000178, 0.00000914
)
LENS_AGING = _table(
    0.8096, 0.6618, 0.5307, 0.4277, 0.3729, 0.31, 0.2585, 0.2279, 0.2046, 0.1834, 0.1675, 0.1537, 0.1378, 0.123,
    0.1102, 0.09858, 0.08586, 0.0742, 0.06148, 0.04876, 0.03812, 0.02968, 0.02226, 0.01696, 0.01166, 0.0053, 0.00318
)
LENS_YOUNG = _table(
    1.634, 1.103, 0.6067, 0.2963, 0.1147, 0.03129, 0.004381
)
MACULAR = _table(
    0.1295, 0.248, 0.39, 0.566, 0.748, 0.824, 0.952, 1.0, 0.856, 0.796, 0.768, 0.598, 0.346, 0.15, 0.05, 0.0131
)
LONG = _table(
    0.1165, 0.1308, 0.1215, 0.1109, 0.1113, 0.1184, 0.1338, 0.1659, 0.2166, 0.2809, 0.3724, 0.4966, 0.63, 0.7774,
    0.8811, 0.9785, 0.9909, 0.9873, 0.9376, 0.8197, 0.7145, 0.5783, 0.4405, 0.3143, 0.2085, 0.1283, 0.07583, 0.04093,
    0.02138, 0.01065, 0.005019, 0.002394, 0.001121, 0.000523, 0.0002485, 0.0001192, 0.00005847, 0.00002912,
    0.00001471, 0.000007541
)
MIDDLE = _table(
    0.08956, 0.107, 0.1069, 0.1149, 0.1392, 0.1727, 0.215, 0.2791, 0.3653, 0.4566, 0.5783, 0.727, 0.8622, 0.9784,
    0.9916, 0.967, 0.8452, 0.7103, 0.5554, 0.3904, 0.2638, 0.1634, 0.09322, 0.05024, 0.02565, 0.01249, 0.005995,
    0.002766, 0.001281, 0.0006011, 0.0002753, 0.0001303, 0.0000613, 0.00002917, 0.00001422, 0.000007044
)
SHORT = _table(
    0.7348, 0.8915, 0.9789, 0.9999, 0.9501, 0.8296, 0.6812, 0.4846, 0.3041, 0.1526, 0.07378, 0.03479, 0.01316,
    0.005093, 0.001929, 0.0007222, 0.0002622, 0.00009473, 0.00003441, 0.00001275
)
# fmt: on
LIGHTS = (LCD, OLED, LED)
CONES = (LONG, MIDDLE, SHORT)
PIGMENT_DENSITY = (0.5, 0.5, 0.4)
MACULAR_DENSITY = 0.35
AGES = (*range(20, 60, 5), *range(60, 86, 2))

# Tables: made by `make tables`.
# fmt: off
CATCH = (
    (
        (
            0.25678, 0.25222, 0.24779, 0.24346, 0.23925, 0.23514, 0.23113, 0.22723, 0.22342, 0.21848, 0.21371,
            0.20908, 0.20461, 0.20027, 0.19607, 0.192, 0.18805, 0.18423, 0.18051, 0.17691, 0.17342,
        ),
        (
            0.19586, 0.19126, 0.1868, 0.18247, 0.17827, 0.17418, 0.17022, 0.16637, 0.16263, 0.15781, 0.15317,
            0.14869, 0.14439, 0.14024, 0.13624, 0.13238, 0.12866, 0.12507, 0.12161, 0.11826, 0.11504,
        ),
        (
            0.025352, 0.023899, 0.022533, 0.021248, 0.020039, 0.018901, 0.017831, 0.016823, 0.015874, 0.014695,
            0.013606, 0.012601, 0.011673, 0.010816, 0.010024, 0.009293, 0.008617, 0.0079922, 0.0074144, 0.0068801,
            0.0063858,
        ),
    ),
    (
        (
            0.26709, 0.26219, 0.25744, 0.25281, 0.24831, 0.24393, 0.23966, 0.23552, 0.23148, 0.22625, 0.22121,
            0.21634, 0.21163, 0.20709, 0.2027, 0.19845, 0.19434, 0.19037, 0.18653, 0.18281, 0.17921,
        ),
        (
            0.20418, 0.19899, 0.19397, 0.1891, 0.18438, 0.1798, 0.17536, 0.17105, 0.16688, 0.1615, 0.15633, 0.15137,
            0.1466, 0.14201, 0.1376, 0.13336, 0.12927, 0.12535, 0.12156, 0.11792, 0.11442,
        ),
        (
            0.02577, 0.024334, 0.022982, 0.02171, 0.020513, 0.019385, 0.018323, 0.017322, 0.016379, 0.015205,
            0.01412, 0.013116, 0.012188, 0.011328, 0.010533, 0.0097964, 0.0091141, 0.0084818, 0.0078957, 0.0073523,
            0.0068482,
        ),
    ),
    (
        (
            0.29924, 0.29403, 0.28895, 0.28399, 0.27916, 0.27444, 0.26984, 0.26535, 0.26097, 0.25528, 0.24977,
            0.24443, 0.23925, 0.23423, 0.22935, 0.22463, 0.22004, 0.21558, 0.21125, 0.20705, 0.20296,
        ),
        (
            0.22713, 0.22202, 0.21706, 0.21225, 0.20757, 0.20303, 0.19861, 0.19432, 0.19015, 0.18477, 0.17958,
            0.17458, 0.16976, 0.16511, 0.16062, 0.15629, 0.15211, 0.14807, 0.14417, 0.1404, 0.13675,
        ),
        (
            0.030928, 0.029137, 0.027454, 0.025872, 0.024385, 0.022987, 0.021672, 0.020436, 0.019272, 0.017827,
            0.016494, 0.015265, 0.014131, 0.013084, 0.012118, 0.011226, 0.010402, 0.0096407, 0.0089374, 0.0082874,
            0.0076865,
        ),
    ),
)
# fmt: on
# End of tables.


def photons_per_lumen(light: int) -> float:
    """Return the photons of a lumen second."""
    power = LIGHTS[light]
    return float(np.sum(power * NM) / PHOTON_J_NM / (683.0 * np.sum(power * PHOTOPIC)))


def scotopic_ratio(light: int) -> float:
    """Return scotopic over photopic luminance."""
    power = LIGHTS[light]
    return float(1700.0 * np.sum(power * SCOTOPIC) / (683.0 * np.sum(power * PHOTOPIC)))


def efficacy_lm_W(light: int) -> float:
    """Return the luminous efficacy of the radiation, of what lies between 385 and 785 nm."""
    return float(683.0 * np.sum(LIGHTS[light] * PHOTOPIC) / np.sum(LIGHTS[light]))


def mean_wavelength_m(light: int) -> float:
    """Return the mean wavelength, weighted by energy."""
    return float(1e-9 * np.sum(LIGHTS[light] * NM) / np.sum(LIGHTS[light]))


def media(age_year: float) -> Array:
    """Return what the lens lets through at each wavelength, without the gray loss of cornea and humors [3]_."""
    factor = 1.0 + 0.02 * (age_year - 32.0) if age_year <= 60.0 else 1.56 + 0.0667 * (age_year - 60.0)
    return 10.0 ** -(LENS_AGING * factor + LENS_YOUNG)


def absorbed(light: int, cone: int, age_year: float, macular_density: float = MACULAR_DENSITY) -> float:
    """Return the share of the photons at the cornea that a cone of the central 2 degrees absorbs [3]_ [4]_."""
    photons = LIGHTS[light] * NM
    through = photons * media(age_year) * 10.0 ** (-macular_density * MACULAR)
    return float(np.sum(through * (1.0 - 10.0 ** (-PIGMENT_DENSITY[cone] * CONES[cone]))) / np.sum(photons))


def tables() -> dict[str, object]:
    """Return what `make tables` writes into this file: `absorbed` for every light and cone over the ages."""
    return {
        "CATCH": tuple(
            tuple(tuple(float(f"{absorbed(light, cone, age):.5g}") for age in AGES) for cone in range(len(CONES)))
            for light in range(len(LIGHTS))
        )
    }


def catch_share(age_year: Number, *, light: int = 0, cone: int = 0) -> Number:
    """Return the share of the photons at the cornea, on a cone's aperture, that its pigment absorbs.

    A table of `absorbed` over the age, between whose knots it is off by less than 0.1 %.

    Parameters
    ----------
    age_year : float
        Age of the eye [year].
    light, cone : int
        Which spectrum and which cone.
    """
    return np.interp(age_year, AGES, CATCH[light][cone])


def scotopic_illuminance_td(illuminance_td: Number, *, light: int = 0) -> Number:
    """Return the scotopic trolands of some photopic trolands of a light: what rods see of it.

    Parameters
    ----------
    illuminance_td : float
        Photopic trolands.
    light : int
        Which spectrum.
    """
    return illuminance_td * scotopic_ratio(light)


def photons_of_white(photons_555: Number, *, light: int = 0) -> Number:
    """Return the photons of white light, where a sum was made as if all its lumens were at 555 nm.

    Parameters
    ----------
    photons_555 : float
        Photons at 555 nm, where a lumen second has fewest: 4.09e15.
    light : int
        Which spectrum.
    """
    return photons_555 * (photons_per_lumen(light) * 683.0 * PHOTON_J_NM / 555.0)
