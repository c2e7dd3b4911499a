"""Water of a kilowatt-hour, with and without reservoirs.

Plants with cooling towers evaporate a liter or two for a kilowatt-hour. A reservoir evaporates whether its water makes
electricity or not, and also serves farms and floods: to charge all of it to electricity gives 17 L/kWh and more, to
charge none gives zero [1]_. So a grid has two honest intensities, ``w_p (1 - h) + w_h h`` and ``w_p (1 - h)``, and what
lies between them is a choice of account and no measurement. A site's whole water is ``E (WUE + PUE w)`` over the
energy of its equipment [2]_: water on site is counted by the equipment, water off site by the building.

References
----------
.. [1] J. Macknick, R. Newmark, G. Heath and K. C. Hallett, "Operational water consumption and withdrawal factors for
   electricity generating technologies", Environ. Res. Lett. 7, 2012, doi:10.1088/1748-9326/7/4/045802, table 1
   (hydropower: median 4,491 gal/MWh, 17.0 L/kWh).
.. [2] P. Li, J. Yang, M. A. Islam and S. Ren, "Making AI Less Thirsty", arXiv:2304.03271.
"""

from __future__ import annotations

from roundtrip.figures.graph import Number

SINCE = (2012, "J. Macknick et al., operational water consumption factors")

_JOULES_IN_KWH = 3.6e6


def without_reservoirs_L_kWh(plants_water_L_kWh: Number, hydropower_share: Number) -> Number:
    """Return a grid's water if reservoirs count nothing, ``w_p (1 - h)`` [L/kWh].

    Parameters
    ----------
    plants_water_L_kWh : float
        Water of the other plants, by their kilowatt-hours [L/kWh].
    hydropower_share : float
        Share of hydropower.
    """
    return plants_water_L_kWh * (1.0 - hydropower_share)


def with_reservoirs_L_kWh(
    plants_water_L_kWh: Number, hydropower_share: Number, reservoir_water_L_kWh: Number = 17.0
) -> Number:
    """Return a grid's water if all evaporation of reservoirs is electricity's, ``w_p (1 - h) + w_h h`` [1]_ [L/kWh].

    Parameters
    ----------
    plants_water_L_kWh : float
        Water of the other plants, by their kilowatt-hours [L/kWh].
    hydropower_share : float
        Share of hydropower.
    reservoir_water_L_kWh : float
        Evaporation for each kilowatt-hour of hydropower [L/kWh].
    """
    rest = without_reservoirs_L_kWh(plants_water_L_kWh, hydropower_share)
    return rest + reservoir_water_L_kWh * hydropower_share


def site_water_L(energy_J: Number, water_usage_L_kWh: Number, pue: Number, water_intensity_L_kWh: Number) -> Number:
    """Return the water on and off site of some energy of equipment, ``E (WUE + PUE w)`` [2]_ [L].

    Parameters
    ----------
    energy_J : float
        Energy of the equipment, without the overhead [J].
    water_usage_L_kWh : float
        Water usage effectiveness [L/kWh].
    pue : float
        Power usage effectiveness.
    water_intensity_L_kWh : float
        Water of the grid [L/kWh].
    """
    return energy_J / _JOULES_IN_KWH * (water_usage_L_kWh + pue * water_intensity_L_kWh)
