"""The account of one prompt closes with the trip; a switch takes its part alone; rules move what is theirs."""

from __future__ import annotations

import json

import pytest

from roundtrip.errors import ScenarioError
from roundtrip.journey.boundary import AMOUNTS, PARTS, Account, Rules, account, parse_boundary
from roundtrip.journey.forecast import forecast
from roundtrip.journey.rooms.energy import BODY
from roundtrip.journey.scenario import load_scenario
from roundtrip.trace.model import HEADS

OF_THE_TRIP = ("chip", "host", "pue", "network", "client")
FULL = ("cloud", "device", "phone", "satellite", "speculative", "edge", "gaming", "intercontinental")


def cloud(*parts: str, rules: Rules | None = None) -> Account:
    return account(load_scenario("cloud"), parts or PARTS, rules)


def embodied_g(made: Account) -> float:
    return float(next(line for line in made.lines if line.part == "embodied").amounts["carbon_g"])


@pytest.mark.parametrize("name", FULL)
def test_what_the_trip_counts_is_the_account_without_its_extras(name: str) -> None:
    trace = forecast(None, load_scenario(name), samples=0)
    made = account(trace, OF_THE_TRIP)
    body_J = sum(s.total_J or 0.0 for s in trace.spans if s.name.startswith("eye.") or s.carrier in BODY)
    assert made.total("energy_J") == pytest.approx(sum(trace.summary["energy_J"].values()) - body_J, rel=1e-9)
    assert made.total("carbon_g") == pytest.approx(trace.summary["carbon_g"], rel=1e-9)
    water_L = made.total("water_on_site_L") + made.total("water_off_site_L")
    assert water_L == pytest.approx(trace.summary["water_L"], rel=1e-9)


@pytest.mark.parametrize("part", [p for p in PARTS if p not in ("pue", "embodied")])
def test_a_part_alone_is_its_line_in_the_whole(part: str) -> None:
    whole = {line.part: line for line in cloud().lines}
    alone = cloud(part)
    assert [line.part for line in alone.lines] == [part]
    assert alone.total("energy_J") == pytest.approx(float(whole[part].energy_J))


def test_overhead_is_that_of_what_is_inside() -> None:
    pue = load_scenario("cloud").figure("datacenter.site.pue").value
    for inside in (("chip",), ("chip", "host"), ("chip", "host", "idle")):
        made = cloud(*inside, "pue")
        equipment_J = sum(float(line.energy_J) for line in made.lines if line.part != "pue")
        assert made.total("energy_J") == pytest.approx(equipment_J * pue)
    assert cloud("pue").total("energy_J") == 0.0


def test_embodied_is_carbon_without_joules_and_follows_what_is_inside() -> None:
    site, person, both = (cloud(*p, "embodied") for p in (("chip",), ("client",), ("chip", "client")))
    grams = [embodied_g(made) for made in (site, person, both)]
    assert min(grams) > 0.0
    assert grams[2] == pytest.approx(grams[0] + grams[1])
    assert cloud("embodied").total("energy_J") == 0.0


def test_a_phone_took_less_to_make_than_laptop_and_screen() -> None:
    cloud_g, phone_g = (account(load_scenario(n), ("client", "embodied")).facts for n in ("cloud", "phone"))
    each = [float(facts["embodied_client_g"]) / float(facts["used_s"]) for facts in (cloud_g, phone_g)]
    assert each[1] < 0.5 * each[0]
    own = load_scenario("cloud").with_settings(["display.panel=laptop-14"])
    alone = account(own, ("client", "embodied")).facts
    assert float(alone["embodied_client_g"]) / float(alone["used_s"]) < each[0]


def test_the_sum_is_the_sum_of_its_parts() -> None:
    body = cloud().as_dict()
    for name in ("energy_J", *AMOUNTS):
        assert body["total"][name] == pytest.approx(sum(row.get(name, 0.0) for row in body["parts"]))
    assert body["total"]["energy_J"] == pytest.approx(sum(body["total"][head] for head in HEADS))
    json.dumps(body)


def test_tokens_together_are_the_site_without_gateway_and_network() -> None:
    made = cloud("chip", "host", "idle", "pue")
    tokens_J = sum(row["energy_J"] for row in made.tokens)
    assert tokens_J == pytest.approx(float(made.total("energy_J")), rel=0.02)
    assert tokens_J < made.total("energy_J")


def test_reasoning_and_answer_cost_the_same_each_and_a_kept_token_hardly_any() -> None:
    scenario = load_scenario("cloud").with_settings(["prompt.reply=reasoning"])
    rows = {row["kind"]: row for row in account(scenario, ("chip", "host", "pue")).tokens}
    assert rows["reasoning"]["each_J"] == rows["answer"]["each_J"]
    assert rows["reasoning"]["tokens"] == pytest.approx(2500.0)
    assert rows["input, cached"]["each_J"] < 0.01 * rows["input, computed"]["each_J"]


def test_a_cached_prompt_spares_its_reading() -> None:
    scenario = load_scenario("cloud").with_prompt("word " * 4000)
    cold = account(scenario, ("chip", "host"))
    warm = account(scenario, ("chip", "host"), Rules(cached_share=1.0))
    read_J = next(row["energy_J"] for row in cold.tokens if row["kind"] == "input, computed")
    assert cold.total("energy_J") - warm.total("energy_J") == pytest.approx(read_J, rel=0.01)


def test_noon_is_cleaner_than_evening_where_the_sun_shines() -> None:
    sunny = load_scenario("cloud").with_settings(["datacenter.grid=us-california", "computer.grid=us-california"])
    noon, evening = (float(account(sunny, OF_THE_TRIP, Rules(hour_h=h)).total("carbon_g")) for h in (12.0, 19.0))
    assert noon < 0.6 * evening


def test_contracts_change_the_site_and_nothing_else() -> None:
    place, market = cloud("chip"), cloud("chip", rules=Rules(method="market"))
    assert market.total("carbon_g") < 0.5 * place.total("carbon_g")
    assert market.total("energy_J") == place.total("energy_J")
    assert cloud("client", rules=Rules(method="market")).total("carbon_g") == cloud("client").total("carbon_g")


def test_one_kilowatt_hour_more_is_dirtier_than_the_average_one() -> None:
    assert cloud(*OF_THE_TRIP, rules=Rules(method="marginal")).total("carbon_g") > cloud(*OF_THE_TRIP).total("carbon_g")


def test_water_without_reservoirs_is_less_and_on_site_is_untouched() -> None:
    wet, dry = cloud(), cloud(rules=Rules(reservoirs=False))
    assert dry.total("water_off_site_L") < wet.total("water_off_site_L")
    assert dry.total("water_on_site_L") == wet.total("water_on_site_L")


def test_a_model_on_the_device_has_no_building() -> None:
    made = account(load_scenario("device"))
    parts = {line.part: float(line.energy_J) for line in made.lines}
    assert parts["idle"] == parts["pue"] == 0.0
    assert parts["chip"] > 0.0


def test_bands_hold_the_value() -> None:
    made = account(load_scenario("cloud"), samples=400)
    for name, (low, high) in made.bands.items():
        assert low <= float(made.total(name)) <= high, name


def test_a_part_that_is_none_is_named() -> None:
    assert parse_boundary("pue, chip") == ("chip", "pue")
    assert parse_boundary("all") == PARTS
    with pytest.raises(ScenarioError, match="did you mean 'chip'"):
        parse_boundary("chips")
    with pytest.raises(ScenarioError, match="no part is named"):
        parse_boundary(" , ")
    with pytest.raises(ScenarioError, match="draws no electricity"):
        account(load_scenario("concept"))
