"""Carbon: the day averages to the year, the sun makes noon clean, contracts and margins stand where they should."""

from __future__ import annotations

import numpy as np
import pytest

from roundtrip.catalog.load import load
from roundtrip.stages.datacenter import carbon

HOURS = np.arange(24.0)
SUNNY = {"solar_share": 0.27, "firm_share": 0.37, "must_run_share": 0.5, "demand_swing": 0.12, "peak_hour_h": 18.5}


@pytest.mark.parametrize("solar", [0.0, 0.05, 0.27, 0.5])
def test_the_mean_of_the_day_weighted_with_demand_is_the_year(solar: float) -> None:
    day = {**SUNNY, "solar_share": solar}
    weight = carbon.demand(HOURS, 0.12, 18.5)
    assert np.sum(carbon.hourly_factor(HOURS, **day) * weight) / np.sum(weight) == pytest.approx(1.0, abs=1e-12)


def test_the_sun_averages_to_one_and_is_dark_at_night() -> None:
    fine = np.linspace(0.0, 24.0, 24_000, endpoint=False)
    assert np.mean(carbon.sun(fine)) == pytest.approx(1.0, rel=1e-4)
    assert np.all(carbon.sun(np.array([0.0, 3.0, 21.0])) == 0.0)
    assert np.sum(carbon.sun(HOURS)) / 24.0 == pytest.approx(1.0, rel=0.01)


def test_noon_is_cleaner_than_evening_and_more_so_with_more_sun() -> None:
    ratios = []
    for solar in (0.05, 0.15, 0.27):
        noon, evening = carbon.hourly_factor(np.array([12.0, 19.0]), **{**SUNNY, "solar_share": solar})
        ratios.append(evening / noon)
    assert 1.0 < ratios[0] < ratios[1] < ratios[2]
    assert 2.0 < ratios[2] < 5.0


def test_without_sun_the_dirtiest_hour_is_that_of_the_peak() -> None:
    factor = carbon.hourly_factor(HOURS, **{**SUNNY, "solar_share": 0.0})
    assert HOURS[int(np.argmax(factor))] in (18.0, 19.0)


def test_all_firm_plants_leave_no_day() -> None:
    factor = carbon.hourly_factor(HOURS, 0.0, 1.0, 1.0, 0.0, 18.0)
    assert factor == pytest.approx(np.ones(24))


def test_a_margin_lies_between_the_plants_and_ignores_their_amount() -> None:
    assert carbon.operating_margin_g_kWh(0.0, 0.3, 0.0) == pytest.approx(490.0)
    assert carbon.operating_margin_g_kWh(0.1, 0.1, 0.0) == pytest.approx(655.0)
    assert carbon.operating_margin_g_kWh(0.2, 0.2, 0.0) == pytest.approx(655.0)


def test_contracts_take_their_share_and_leave_the_rest_a_little_dirtier() -> None:
    assert carbon.market_intensity_g_kWh(400.0, 0.0, 12.0, 1.0) == 400.0
    assert carbon.market_intensity_g_kWh(400.0, 1.0, 12.0, 1.3) == 12.0
    assert carbon.market_intensity_g_kWh(400.0, 0.5, 0.0, 1.1) == pytest.approx(220.0)


@pytest.mark.parametrize("name", sorted(key for key, grid in load("grids").items() if grid.figures))
def test_a_grid_of_the_catalog_has_shares_of_one_whole_and_a_margin_above_its_average(name: str) -> None:
    figures = {key: figure.value for key, figure in load("grids")[name].figures.items()}
    assert figures["solar_share"] + figures["firm_share"] <= 1.0 + 1e-4
    assert figures["hydropower_share"] <= figures["firm_share"] + 1e-4
    assert figures["marginal_intensity_g_kWh"] >= figures["carbon_intensity_g_kWh"]
