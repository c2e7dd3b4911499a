"""The route that two places choose, and the refusal of one that does not join them."""

from __future__ import annotations

import itertools

import pytest

from roundtrip.catalog.load import load
from roundtrip.errors import ScenarioError
from roundtrip.journey import corridors
from roundtrip.journey.forecast import forecast
from roundtrip.journey.scenario import load_scenario, presets

PLACES = {
    key: (entry.figures["latitude_deg"].value, entry.figures["longitude_deg"].value)
    for key, entry in load("places").items()
}


def test_every_route_but_auto_says_what_it_joins() -> None:
    assert set(load("corridors")) == set(load("routes")) - {corridors.AUTO}
    for key, said in load("corridors").items():
        assert said.title == load("routes")[key].title
        assert said.texts["joins"] or said.texts["also"]


def test_every_place_lies_on_a_landmass_and_any_two_are_joined_by_a_route_that_fits() -> None:
    one_of_each = {corridors.landmass(*ends): ends for ends in PLACES.values()}
    assert "sea" not in one_of_each
    for one, other in itertools.product(one_of_each.values(), repeat=2):
        key = corridors.choose(one, other)
        assert key in load("routes")
        assert key == corridors.choose(other, one)
        assert corridors.fits(key, one, other)


@pytest.mark.parametrize(
    ("place", "land"),
    [("new-york", "north-america"), ("sao-paulo", "south-america"), ("lima", "middle-america"), ("london", "europe"),
     ("cairo", "mediterranean"), ("casablanca", "mediterranean"), ("dubai", "gulf"), ("mumbai", "asia"),
     ("tokyo", "asia"), ("almaty", "central-asia"), ("nairobi", "middle-africa"), ("cape-town", "africa"),
     ("sydney", "oceania"), ("papeete", "oceania")],
)  # fmt: skip
def test_landmasses_of_well_known_places(place: str, land: str) -> None:
    assert corridors.landmass(*PLACES[place]) == land


@pytest.mark.parametrize(
    ("place", "route"),
    [("chicago", "terrestrial"), ("omaha", "metro"), ("london", "north-atlantic"), ("tokyo", "north-pacific"),
     ("sydney", "south-pacific"), ("cape-town", "cape-america"), ("sao-paulo", "americas"),
     ("haifa", "mediterranean-atlantic"), ("lagos", "submarine")],
)  # fmt: skip
def test_the_places_choose_the_route(place: str, route: str) -> None:
    chosen = load_scenario("cloud").with_settings([f"network.place={place}"])
    assert chosen.choices["network.route"] == "auto"
    assert chosen.route() == route
    assert chosen.entry("network.route").key == route


def test_coordinates_of_the_readers_own_choose_too() -> None:
    own = ["network.place.latitude_deg=51.5 deg", "network.place.longitude_deg=-0.1 deg"]
    assert load_scenario("cloud").with_settings(own).route() == "north-atlantic"


def test_a_trip_from_london_takes_what_the_sea_takes() -> None:
    home, london = (
        forecast("hi", load_scenario("cloud").with_settings([f"network.place={place}"]), samples=0).summary["network_s"]
        for place in ("new-york", "london")
    )
    assert 0.08 < london < 0.2
    assert london > 2.0 * home


@pytest.mark.parametrize("settings", [
    ["network.place=london", "network.route=terrestrial"], ["network.place=london", "network.route=suez"],
    ["network.route=north-atlantic"], ["network.route=submarine"], ["network.route=metro"],
])  # fmt: skip
def test_a_route_that_does_not_join_its_places_is_one_clear_line(settings: list[str]) -> None:
    with pytest.raises(ScenarioError, match=r"^--set: network.route: route '.*' does not join .*network.route=auto"):
        load_scenario("cloud").with_settings(settings)


def test_a_detour_on_purpose_is_allowed_and_longer() -> None:
    base = load_scenario("cloud").with_settings(["network.place=london", "network.region=azure-central-india"])
    assert base.route() == "suez"
    cape = base.with_settings(["network.route=cape"])
    trips = [forecast("hi", chosen, samples=0).summary["network_s"] for chosen in (base, cape)]
    assert trips[1] > 1.2 * trips[0]


def test_every_preset_runs_between_places_that_its_route_joins() -> None:
    for name in presets():
        chosen = load_scenario(name)
        assert corridors.fits(chosen.choices["network.route"], *chosen.ends())
