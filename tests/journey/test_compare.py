"""Two trips side by side, and the sentence about them."""

from __future__ import annotations

import json

import pytest

from roundtrip.journey.compare import compare, summary_rows
from roundtrip.journey.scenario import load_scenario


def test_the_same_scenario_twice_says_so() -> None:
    found = compare("concept", "concept", samples=0)
    assert found.changes == ()
    assert "choose the same things" in found.sentence


def test_twice_the_distance_is_named_as_the_reason() -> None:
    far = load_scenario("concept").with_settings(["concept.lab.distance_m=9000 km"])
    found = compare("concept", far, samples=0)
    assert "45.0 ms later" in found.sentence
    assert "the prompt crosses the network" in found.sentence
    assert "concept.lab.distance_m" in found.sentence
    assert {c.id for c in found.changes} == {"network.route", "back.network.route"}


def test_the_other_way_round_it_is_sooner() -> None:
    far = load_scenario("concept").with_settings(["concept.lab.distance_m=9000 km"])
    assert "45.0 ms sooner" in compare(far, "concept", samples=0).sentence


@pytest.mark.parametrize("name", ["intercontinental", "device", "phone"])
def test_presets_against_the_default(name: str) -> None:
    found = compare("cloud", name, samples=16)
    body = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    a, b = (load_scenario(n) for n in ("cloud", name))
    assert set(body["choices"]) >= {s for s in a.choices if a.choices[s] != b.choices[s]}
    assert body["summary"]["time_to_first_token_s"]["a"] == found.a.summary["time_to_first_token_s"]
    assert name in found.sentence
    for change in found.changes:
        assert change.more_s == change.time_s[1] - change.time_s[0]
    assert len(summary_rows(found)) >= len(found.a.summary)


def test_a_smaller_model_is_not_called_better_for_free() -> None:
    found = compare("cloud", "device", samples=0)
    assert found.capability is not None
    assert found.capability["a"]["score"] > found.capability["b"]["score"]
    assert "not equals" in found.sentence


def test_energy_named_is_what_the_prompt_causes() -> None:
    found = compare("cloud", "device", samples=0)
    assert "screen is lit" not in found.sentence
