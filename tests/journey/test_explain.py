"""Every name has an explanation, and what it says is what the trip computes."""

from __future__ import annotations

import json

import pytest

from roundtrip.catalog.claims import claims
from roundtrip.catalog.load import glossary, kinds, load
from roundtrip.errors import CatalogError
from roundtrip.journey.explain import explain
from roundtrip.journey.forecast import forecast
from roundtrip.journey.scenario import load_scenario
from roundtrip.journey.slots import SLOTS
from roundtrip.journey.stages import ROOMS, closed_forms, stage_module, stage_names
from roundtrip.trace.model import Trace


@pytest.fixture(scope="module")
def trace() -> Trace:
    return forecast(scenario="cloud", samples=0)


@pytest.mark.parametrize("name", stage_names())
def test_every_stage(name: str) -> None:
    body = explain(name, samples=100)
    json.dumps(body, allow_nan=False)
    assert body["kind"] == "stage"
    assert [f["name"] for f in body["functions"]] == [f"{name}.{f}" for f in closed_forms(stage_module(name))]
    assert all(f["equation"] for f in body["functions"])
    assert body["truth"]
    assert body["file"].endswith(".py")


def test_every_span_of_the_default_trip(trace: Trace) -> None:
    for span in trace.spans:
        body = explain(span.id, samples=16)
        assert body["name"] == span.id
        assert body["kind"] in ("stage", "span")
        found = body["result"] if body["kind"] == "span" else body["spans"][0]["result"]
        if body["kind"] == "span" or body["spans"][0]["name"] == span.id:
            assert found["value"] == pytest.approx(span.duration_s, rel=1e-12)


def test_every_summary_figure(trace: Trace) -> None:
    for name, value in trace.summary.items():
        body = explain(name, samples=100)
        whole = sum(value.values()) if isinstance(value, dict) else value
        assert body["result"]["value"] == pytest.approx(whole, rel=1e-12)
        assert body["result"]["low"] <= body["result"]["value"] * (1 + 1e-9)
        assert name in body["equation"]


def test_every_catalog_key() -> None:
    for kind in kinds():
        assert explain(kind)["kind"] == "kind"
        for key, entry in load(kind).items():
            body = explain(f"{kind}/{key}", samples=16)
            assert body["text"] == entry.title
            assert {f["name"].rpartition(".")[2] for f in body["figures"]} == set(entry.figures)
            if kind == "places":
                break


def test_every_choice_room_claim_and_term() -> None:
    assert all(explain(slot, samples=16)["kind"] in ("choice", "stage") for slot in SLOTS)
    assert all(explain(room)["stages"] for room in ROOMS)
    assert explain(next(iter(claims())))["kind"] == "claim"
    for name in list(glossary())[:40]:
        assert explain(name, samples=16)["text"]


def test_inputs_carry_their_figure() -> None:
    body = explain("keyboard.press.travel_time_s", samples=100)
    by_name = {i["name"]: i for i in body["inputs"]}
    scenario = load_scenario("cloud")
    figure = scenario.figure("keyboard.switch.travel_m")
    assert by_name["travel_m"]["key"] == "keyboard.switch.travel_m"
    assert by_name["travel_m"]["value"] == figure.value
    assert by_name["travel_m"]["source"] == figure.source
    assert by_name["travel_m"]["grade"] == figure.grade
    assert body["result"]["value"] == pytest.approx((2 * figure.value / by_name["acceleration_m_s2"]["value"]) ** 0.5)
    assert body["equation"] == "√(2·x / a)"


@pytest.mark.parametrize(
    "name",
    [
        "optics.fiber",
        "optics.fiber.flight_time_s",
        "time_to_first_token_s",
        "back.optics.fiber",
        "key_switches/scissor",
        "network.access",
        "A051",
        "optics",
        "length_m",
        "keyboards",
        "prompt.text.bytes_B",
    ],
)
def test_every_kind_of_explanation_has_the_same_frame(name: str) -> None:
    body = explain(name, samples=100)
    assert {"name", "kind", "equation", "inputs", "result", "file"} <= set(body)
    if body["result"] is not None:
        assert {"value", "low", "high", "unit"} <= set(body["result"])
    if body["kind"] in ("stage", "function", "span", "summary"):
        assert body["equation"]
        assert body["inputs"]
        assert all({"value", "unit", "grade", "source"} <= set(i) for i in body["inputs"])


def test_the_prompt_itself_is_explained() -> None:
    body = explain("prompt.text.characters", samples=16)
    assert body["result"]["value"] == len("The capital of France is")


def test_what_matters_most_has_the_right_sign() -> None:
    matters = {m["key"]: m["change"] for m in explain("keyboard.press.travel_time_s")["matters"]}
    assert matters["keyboard.switch.travel_m"] > 0.0
    assert matters["person.who.acceleration_m_s2"] < 0.0


def test_a_value_of_the_readers_own_is_shown() -> None:
    scenario = load_scenario("concept").with_settings(["concept.lab.distance_m=9000 km"])
    body = explain("network.route.travel_time_s", scenario)
    distance = next(i for i in body["inputs"] if i.get("key") == "concept.lab.distance_m")
    assert distance["value"] == 9e6
    assert distance["source"] == "user"


@pytest.mark.parametrize(
    ("name", "says"),
    [("optics.fibr", "optics.fiber"), ("time_to_first_tokn_s", "time_to_first_token_s"), ("keyboards/latop", "laptop")],
)
def test_an_unknown_name_suggests_the_nearest(name: str, says: str) -> None:
    with pytest.raises(CatalogError, match=says):
        explain(name)
