r"""The retina: photons become charge that stays out of a cell, by a chain of molecules that multiply.

A photon turns one rhodopsin (R*); while it lives it activates transducins, each of which wakes one subunit of a
phosphodiesterase (E*), which hydrolyzes cGMP, whose lack closes channels, which keeps charge out of the cell. "The
gain" depends on what is counted: about ten transducins, some thousand cGMP, a million elementary charges. With Lamb
and Pugh [1]_ the share of the dark current that is left is

.. math:: F(t) = \exp\left(-\tfrac12 \Phi A (t - t_e)^2\right)

for the rising phase, with one constant A for the whole chain. In reading, cones work and rods are shut off:
screen light gives a foveal cone some ten thousand isomerizations a second.

References
----------
.. [1] T. D. Lamb and E. N. Pugh, "A quantitative account of the activation steps involved in phototransduction in
   amphibian photoreceptors", Journal of Physiology 449, 719-758, 1992, doi:10.1113/jphysiol.1992.sp019111
.. [2] W. W. S. Yue and others, "Elementary response triggered by transducin in retinal rods", PNAS 116(11),
   5144-5153, 2019, doi:10.1073/pnas.1817781116
.. [3] G. Wyszecki and W. S. Stiles, Color Science, 2nd edition, Wiley 1982, section 2.4: the troland and its photons.
.. [4] C. A. Curcio and others, "Human photoreceptor topography", Journal of Comparative Neurology 292, 497-523, 1990,
   doi:10.1002/cne.902920402
.. [5] D. A. Baylor, A. L. Hodgkin and T. D. Lamb, "The electrical response of turtle cones to flashes and steps of
   light", Journal of Physiology 242, 685-727, 1974, doi:10.1113/jphysiol.1974.sp010731: the Poisson filter.
.. [6] H. Okawa and others, "ATP consumption by mammalian rod photoreceptors in darkness and in light", Current
   Biology 18(24), 1917-1921, 2008, doi:10.1016/j.cub.2008.10.029
.. [7] H. J. A. Dartnall, "Photosensitivity", in Photochemistry of Vision, Springer 1972,
   doi:10.1007/978-3-642-65066-6: 0.67; ISETBio uses two thirds.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1933, "G. Wald finds vitamin A in the retina: light isomerizes a molecule; cGMP: E. Fesenko and others, 1985")


def retinal_illuminance_td(luminance_cd_m2: Number, pupil_diameter_m: Number) -> Number:
    """Return the retinal illuminance in trolands: luminance times the pupil's area in mm2 [3]_.

    Parameters
    ----------
    luminance_cd_m2 : float
        Luminance [cd/m2].
    pupil_diameter_m : float
        Diameter of the pupil [m].
    """
    return luminance_cd_m2 * np.pi / 4.0 * (1e3 * pupil_diameter_m) ** 2.0


def photon_flux_1_s_deg2(illuminance_td: Number, photons_per_lumen_s: Number) -> Number:
    """Return the photons a second that enter the eye from each square degree [3]_.

    Parameters
    ----------
    illuminance_td : float
        Trolands.
    photons_per_lumen_s : float
        Photons of a lumen second of this light.
    """
    return illuminance_td * 1e-6 * (np.pi / 180.0) ** 2.0 * photons_per_lumen_s


def cone_absorptions_1_s(
    illuminance_td: Number,
    photons_per_lumen_s: Number,
    cone_catch_share: Number,
    cone_aperture_m2: Number,
    eye_focal_length_m: Number,
) -> Number:
    """Return the photons a second that one cone absorbs: photons on its aperture times what it keeps [1/s].

    Parameters
    ----------
    illuminance_td : float
        Trolands.
    photons_per_lumen_s : float
        Photons of a lumen second of this light.
    cone_catch_share : float
        Share of the photons at the cornea that pass lens and macula and are absorbed (`eye.spectra`).
    cone_aperture_m2 : float
        Area over which the inner segment collects [m2].
    eye_focal_length_m : float
        Distance from the nodal point to the retina [m].
    """
    angle_sr = cone_aperture_m2 / (eye_focal_length_m * eye_focal_length_m)
    return illuminance_td * 1e-6 * photons_per_lumen_s * angle_sr * cone_catch_share


def isomerized_1_s(absorptions_1_s: Number, isomerization_share: Number) -> Number:
    """Return the isomerizations a second: two of three absorbed photons turn the molecule [1/s] [7]_.

    Parameters
    ----------
    absorptions_1_s : float
        Absorbed photons a second [1/s].
    isomerization_share : float
        Quantum efficiency of the isomerization.
    """
    return absorptions_1_s * isomerization_share


def rod_isomerizations_1_s(scotopic_td: Number, rod_isomerizations_per_td_1_s: Number) -> Number:
    """Return the isomerizations a second in one rod, before bleaching [1/s].

    Parameters
    ----------
    scotopic_td : float
        Scotopic trolands (`eye.spectra` has them for the light of a screen).
    rod_isomerizations_per_td_1_s : float
        Isomerizations a second for each scotopic troland [1/s].
    """
    return scotopic_td * rod_isomerizations_per_td_1_s


def rod_response_share(
    isomerizations: Number, amplification_1_s2: Number, time_s: Number, activation_delay_s: Number
) -> Number:
    """Return the share of the dark current that is shut off a time after a flash, ``1 - F(t)`` [1]_.

    It describes the rise; the cell's recovery is not in it.

    Parameters
    ----------
    isomerizations : float
        Rhodopsins isomerized by the flash.
    amplification_1_s2 : float
        Amplification constant [1/s2].
    time_s : float
        Time since the flash [s].
    activation_delay_s : float
        Effective delay [s].
    """
    late_s = np.maximum(time_s - activation_delay_s, 0.0)
    return 1.0 - np.exp(-0.5 * isomerizations * amplification_1_s2 * late_s * late_s)


def transducin_count(transducin_rate_1_s: Number, rhodopsin_lifetime_s: Number) -> Number:
    """Return the transducins (and so the phosphodiesterase subunits) that one R* activates: rate times life [2]_.

    Parameters
    ----------
    transducin_rate_1_s : float
        Activations a second [1/s].
    rhodopsin_lifetime_s : float
        Mean life of R* [s].
    """
    return transducin_rate_1_s * rhodopsin_lifetime_s


def hydrolysis_rate_1_s(turnover_1_s: Number, cgmp_uM: Number, michaelis_uM: Number) -> Number:
    """Return the cGMP that one subunit hydrolyzes a second, by Michaelis and Menten [1/s].

    Parameters
    ----------
    turnover_1_s : float
        Rate with cGMP in plenty [1/s].
    cgmp_uM : float
        Free cGMP [umol/L].
    michaelis_uM : float
        Michaelis constant [umol/L].
    """
    return turnover_1_s * cgmp_uM / (cgmp_uM + michaelis_uM)


def hydrolyzed_count(
    transducin_rate_1_s: Number,
    rhodopsin_lifetime_s: Number,
    effector_lifetime_s: Number,
    turnover_1_s: Number,
    cgmp_uM: Number,
    michaelis_uM: Number,
) -> Number:
    """Return the cGMP molecules that follow from one photon: subunits times their life times their rate.

    Parameters
    ----------
    transducin_rate_1_s, rhodopsin_lifetime_s : float
        As in `transducin_count`.
    effector_lifetime_s : float
        Mean life of an active subunit [s].
    turnover_1_s, cgmp_uM, michaelis_uM : float
        As in `hydrolysis_rate_1_s`.
    """
    subunits = transducin_count(transducin_rate_1_s, rhodopsin_lifetime_s)
    return subunits * effector_lifetime_s * hydrolysis_rate_1_s(turnover_1_s, cgmp_uM, michaelis_uM)


def charge_count(
    dark_current_A: Number,
    response_share: Number,
    integration_time_s: Number,
    elementary_charge_C: Number = 1.602176634e-19,
) -> Number:
    """Return the elementary charges that one photon keeps out of the cell: the area of its response over e.

    Parameters
    ----------
    dark_current_A : float
        Current in the dark [A].
    response_share : float
        Peak of the single-photon response as a share of it.
    integration_time_s : float
        Area of the response over its peak [s].
    elementary_charge_C : float
        Constant.
    """
    return dark_current_A * response_share * integration_time_s / elementary_charge_C


def filter_response(time_s: Number, response_peak_time_s: Number, filter_stages: Number) -> Number:
    """Return a receptor's response to a dim flash over its peak: the Poisson filter, ``(x e^(1 - x))^(n - 1)`` [5]_.

    Parameters
    ----------
    time_s : float
        Time since the flash [s].
    response_peak_time_s : float
        Time of the peak [s].
    filter_stages : float
        Stages n of the filter.
    """
    x = time_s / response_peak_time_s
    return np.where(x > 0.0, np.exp((filter_stages - 1.0) * (np.log(np.maximum(x, 1e-300)) + 1.0 - x)), 0.0)


def dark_power_W(rods: Number, atp_rate_1_s: Number, atp_energy_J: Number) -> Number:
    """Return the power of the receptors of one eye in the dark [W] [6]_: it falls by three quarters in daylight.

    Parameters
    ----------
    rods : float
        Number of cells.
    atp_rate_1_s : float
        ATP molecules that each uses a second [1/s].
    atp_energy_J : float
        Free energy of each molecule [J].
    """
    return rods * atp_rate_1_s * atp_energy_J
