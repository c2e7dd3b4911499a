r"""The pupil: how wide it opens for a page, by the unified formula and by those that it unified.

Watson and Yellott [1]_ take the flux density on the cornea (luminance times the field's area), the age y and the
number of eyes,

.. math:: D = D_s + (y - 28.58)(0.02132 - 0.009562 D_s), \qquad
          D_s = 7.75 - 5.75 \frac{F}{F + 2},\; F = \left(\frac{L \Omega M}{846}\right)^{0.41}

in mm. At the light of a screen the formulas spread from 2.7 to 4.0 mm, a factor 2.2 in light: that is what is not known
of a single eye. Three traps: in Stanley and Davies' fraction the published form has "+ 2" below the line (a manual
prints "/ 2"); Moon and Spencer count in millilamberts and add a half to the logarithm, which nearly cancels the change
of unit, so that dropping one of the two shifts the curve by half a decade; and the sign of the square in Blackie and
Howland's formula differs between those who quote it, for which reason it is not here.

References
----------
.. [1] A. B. Watson and J. I. Yellott, "A unified formula for light-adapted pupil size", Journal of Vision 12(10):12,
   2012, doi:10.1167/12.10.12: all formulas in one unit.
.. [2] P. Moon and D. E. Spencer, "On the Stiles-Crawford effect", JOSA 34(6), 319-329, 1944,
   doi:10.1364/JOSA.34.000319
.. [3] S. G. de Groot and J. W. Gebhard, "Pupil size as determined by adapting luminance", JOSA 42(7), 492-495, 1952,
   doi:10.1364/JOSA.42.000492
.. [4] L. L. Holladay, "The fundamentals of glare and visibility", JOSA 12(4), 271-319, 1926, doi:10.1364/JOSA.12.000271
.. [5] B. H. Crawford, "The dependence of pupil size upon external light stimulus under static and variable conditions",
   Proceedings of the Royal Society B 121, 376-395, 1936, doi:10.1098/rspb.1936.0072
.. [6] P. G. J. Barten, Contrast Sensitivity of the Human Eye, SPIE 1999, doi:10.1117/3.353254
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1926, "L. L. Holladay, a formula of the pupil; that of many eyes: A. B. Watson and J. I. Yellott, 2012")

CD_M2_PER_MILLILAMBERT = 10.0 / np.pi


def pupil_stanley_davies_m(luminance_cd_m2: Number, adapting_field_deg2: Number, pupil_eyes_factor: Number) -> Number:
    """Return the pupil's diameter by Stanley and Davies (1995), as Watson and Yellott use it [m] [1]_.

    Parameters
    ----------
    luminance_cd_m2 : float
        Luminance of the bright field [cd/m2].
    adapting_field_deg2, pupil_eyes_factor : float
        Its size in square degrees; 1 for two eyes, 0.1 for one.
    """
    flux = (luminance_cd_m2 * adapting_field_deg2 * pupil_eyes_factor / 846.0) ** 0.41
    return 1e-3 * (7.75 - 5.75 * flux / (flux + 2.0))


def pupil_watson_yellott_m(
    luminance_cd_m2: Number, adapting_field_deg2: Number, pupil_eyes_factor: Number, age_year: Number
) -> Number:
    """Return the pupil's diameter by the unified formula [m] [1]_.

    Parameters
    ----------
    luminance_cd_m2, adapting_field_deg2, pupil_eyes_factor : float
        As in `pupil_stanley_davies_m`.
    age_year : float
        Age, 20 to 83 years.
    """
    young = 1e3 * pupil_stanley_davies_m(luminance_cd_m2, adapting_field_deg2, pupil_eyes_factor)
    return 1e-3 * (young + (age_year - 28.58) * (0.02132 - 0.009562 * young))


def pupil_moon_spencer_m(luminance_cd_m2: Number) -> Number:
    """Return the pupil's diameter by Moon and Spencer, ``4.9 - 3 tanh(0.4 (log10 B + 0.5))`` mm [m] [2]_.

    Parameters
    ----------
    luminance_cd_m2 : float
        Luminance [cd/m2]; B is the same in millilamberts.
    """
    log_B = np.log10(luminance_cd_m2 / CD_M2_PER_MILLILAMBERT)
    return 1e-3 * (4.9 - 3.0 * np.tanh(0.4 * (log_B + 0.5)))


def pupil_degroot_gebhard_m(luminance_cd_m2: Number) -> Number:
    """Return the pupil's diameter by de Groot and Gebhard [m] [3]_.

    Parameters
    ----------
    luminance_cd_m2 : float
        Luminance [cd/m2]; ``log10 D = 0.8558 - 0.000401 (log10 B + 8.1)^3`` with B in millilamberts.
    """
    return 1e-3 * 10.0 ** (0.8558 - 0.000401 * (np.log10(luminance_cd_m2 / CD_M2_PER_MILLILAMBERT) + 8.1) ** 3.0)


def pupil_holladay_m(luminance_cd_m2: Number) -> Number:
    """Return the pupil's diameter by Holladay, ``7 exp(-0.1007 L^0.4)`` mm [m] [4]_.

    Parameters
    ----------
    luminance_cd_m2 : float
        Luminance [cd/m2]: up to some hundreds, for the formula closes the pupil of a bright day altogether.
    """
    return 7e-3 * np.exp(-0.1007 * luminance_cd_m2**0.4)


def pupil_crawford_m(luminance_cd_m2: Number) -> Number:
    """Return the pupil's diameter by Crawford, ``5 - 2.2 tanh(0.61151 + 0.447 log10 L)`` mm [m] [5]_.

    Parameters
    ----------
    luminance_cd_m2 : float
        Luminance [cd/m2].
    """
    return 1e-3 * (5.0 - 2.2 * np.tanh(0.61151 + 0.447 * np.log10(luminance_cd_m2)))


def pupil_barten_m(luminance_cd_m2: Number, adapting_field_deg2: Number) -> Number:
    """Return the pupil's diameter by Barten, ``5 - 3 tanh(0.4 log10(L Omega / 40^2))`` mm [m] [6]_.

    Parameters
    ----------
    luminance_cd_m2, adapting_field_deg2 : float
        Luminance [cd/m2] and size of the field in square degrees.
    """
    return 1e-3 * (5.0 - 3.0 * np.tanh(0.4 * np.log10(luminance_cd_m2 * adapting_field_deg2 / 1600.0)))


def own_pupil_m(pupil_diameter_m: Number, pupil_factor: Number) -> Number:
    """Return the diameter of one person's pupil, which stays between 1.5 and 8.5 mm [m].

    Parameters
    ----------
    pupil_diameter_m : float
        What a formula says for the mean of many [m].
    pupil_factor : float
        The person's over that.
    """
    return np.clip(pupil_diameter_m * pupil_factor, 1.5e-3, 8.5e-3)
