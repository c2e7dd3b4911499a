r"""Carbon of a kilowatt-hour: whose, when, and of which plant.

Three numbers answer three questions [1]_. The *location-based* intensity is the average of the grid where the power is
drawn. The *market-based* one counts contracts first, ``c k_c + (1 - c) r k``: what an operator has bought, and for the
rest the mix that is left. The *marginal* one is that of the plants that follow demand; the simple operating margin
[2]_ takes the average of those that burn fuel. Factors of plants are life-cycle medians [3]_.

Over a day the average moves because the sun does. With demand ``d(h) = 1 + a cos(2 pi (h - h_p)/24)``, sun
``g(h) = pi max(0, sin(pi (h - 6)/12))`` (mean 1) and firm plants at a constant level, the flexible plants make

.. math:: f(h) = \max\left(d(h) - s_s g(h) - s_f,\; s_m (1 - s_s - s_f)\right)

and the intensity at the hour is ``k (f/d)`` over its mean that is weighted with demand. It is a model of an average
day with one parameter for all that keeps fuel burning at noon (storage, exports, plants that cannot stop), not a
measurement.

References
----------
.. [1] GHG Protocol Scope 2 Guidance, World Resources Institute 2015, https://ghgprotocol.org/scope-2-guidance
.. [2] UNFCCC, TOOL07: Tool to calculate the emission factor for an electricity system, version 7.0, 2018.
.. [3] IPCC AR5, Working Group III, Annex III, table A.III.2, 2014: coal 820, gas 490, wind 11, nuclear 12 g/kWh.
"""

from __future__ import annotations

import math

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2015, "GHG Protocol, Scope 2 Guidance: location-based and market-based")

_HOURS = 24


def demand(hour_h: Number, demand_swing: Number, peak_hour_h: Number) -> Number:
    """Return demand at an hour over its mean, ``1 + a cos(2 pi (h - h_p)/24)``."""
    return 1.0 + demand_swing * np.cos((hour_h - peak_hour_h) * (2.0 * math.pi / _HOURS))


def sun(hour_h: Number) -> Number:
    """Return solar power at an hour over its mean of the day: half a sine from six to eighteen, mean 1."""
    return math.pi * np.maximum(np.sin((hour_h - 6.0) * (math.pi / 12.0)), 0.0)


def flexible(
    hour_h: Number,
    solar_share: Number,
    firm_share: Number,
    must_run_share: Number,
    demand_swing: Number,
    peak_hour_h: Number,
) -> Number:
    """Return what plants that follow demand make at an hour, over the mean of demand.

    Parameters
    ----------
    hour_h : float
        Hour of the day, by the sun [h].
    solar_share, firm_share : float
        Shares of the sun and of plants at a constant level in the year's generation.
    must_run_share : float
        Part of the average output of flexible plants that never goes off.
    demand_swing, peak_hour_h : float
        Swing of demand, and the hour of its peak [h].
    """
    mean = np.maximum(1.0 - solar_share - firm_share, 0.01)
    rest = demand(hour_h, demand_swing, peak_hour_h) - solar_share * sun(hour_h) - firm_share
    return np.maximum(rest, must_run_share * mean)


def hourly_factor(
    hour_h: Number,
    solar_share: Number,
    firm_share: Number,
    must_run_share: Number,
    demand_swing: Number,
    peak_hour_h: Number,
) -> Number:
    """Return the intensity at an hour over that of the average kilowatt-hour: its mean, weighted with demand, is 1.

    Parameters
    ----------
    hour_h : float
        Hour of the day, by the sun [h].
    solar_share, firm_share : float
    must_run_share : float
    demand_swing, peak_hour_h : float
    """
    day = (solar_share, firm_share, must_run_share, demand_swing, peak_hour_h)
    mean = sum(flexible(float(hour), *day) for hour in range(_HOURS)) / _HOURS
    return flexible(hour_h, *day) / demand(hour_h, demand_swing, peak_hour_h) / mean


def mix_intensity_g_kWh(
    coal_share: Number,
    gas_share: Number,
    oil_share: Number,
    clean_share: Number,
    coal_intensity_g_kWh: Number = 820.0,
    gas_intensity_g_kWh: Number = 490.0,
    oil_intensity_g_kWh: Number = 840.0,
    clean_intensity_g_kWh: Number = 15.0,
) -> Number:
    """Return the average intensity of a mix of plants, shares times life-cycle medians [3]_ [g/kWh]."""
    fuel = coal_share * coal_intensity_g_kWh + gas_share * gas_intensity_g_kWh + oil_share * oil_intensity_g_kWh
    return fuel + clean_share * clean_intensity_g_kWh


def operating_margin_g_kWh(
    coal_share: Number,
    gas_share: Number,
    oil_share: Number,
    coal_intensity_g_kWh: Number = 820.0,
    gas_intensity_g_kWh: Number = 490.0,
    oil_intensity_g_kWh: Number = 840.0,
) -> Number:
    """Return the simple operating margin: the average of the plants that burn fuel [2]_ [g/kWh]."""
    burnt = np.maximum(coal_share + gas_share + oil_share, 1e-9)
    fuel = coal_share * coal_intensity_g_kWh + gas_share * gas_intensity_g_kWh + oil_share * oil_intensity_g_kWh
    return fuel / burnt


def market_intensity_g_kWh(
    carbon_intensity_g_kWh: Number,
    contract_share: Number,
    contract_intensity_g_kWh: Number,
    residual_ratio: Number,
) -> Number:
    """Return the intensity after contracts, ``c k_c + (1 - c) r k`` [1]_ [g/kWh].

    Parameters
    ----------
    carbon_intensity_g_kWh : float
        Average of the grid [g/kWh].
    contract_share : float
        Share that is covered by contracts.
    contract_intensity_g_kWh : float
        Of the power under contract [g/kWh].
    residual_ratio : float
        Intensity of what is left over the average.
    """
    left = residual_ratio * carbon_intensity_g_kWh
    return contract_share * contract_intensity_g_kWh + (1.0 - contract_share) * left
