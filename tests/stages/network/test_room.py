"""The network on the way: what its words change, and what passes to other rooms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from roundtrip.figures.print_code import compile_numpy
from roundtrip.journey.rooms import network
from roundtrip.journey.scenario import load_scenario
from roundtrip.journey.way import Mark, Way

FACTS = {
    "request_B": 2_500.0, "reasoning_tokens": 100.0, "answer_tokens": 300.0, "output_tokens": 400.0,
    "time_per_output_token_s": 0.02,
}  # fmt: skip


def trip(*settings: str, scenario: str = "cloud", **facts: float) -> dict[str, dict[str, float]]:
    """Lay the room alone, with made-up facts of the others; return each span's numbers, and the facts it left."""
    chosen = load_scenario(scenario).with_settings(settings)
    way = Way(chosen)
    for name, value in {**FACTS, **facts}.items():
        way.fact(name, value)
    arrived = network.lay_out(way, Mark("start", 0.0, 0.0, 0.0))
    home = network.lay_back(way, arrived)
    network.lay_always_on(way, network.lay_stream(way, home))
    wanted: list[tuple[str, str, Any]] = [(p.id, name, node) for p in way.plans for name, node in p.numbers.items()]
    wanted += [("facts", name, node) for name, node in way.facts.items()]
    run = compile_numpy(way.graph, [way.graph.lift(node) for _, _, node in wanted], tuple(way.inputs))
    values = run([np.float64(chosen.figure(key).value) for key in way.inputs])
    result: dict[str, dict[str, float]] = {}
    for (span, name, _), value in zip(wanted, values, strict=True):
        result.setdefault(span, {})[name] = float(value)
    return result


def test_facts_for_the_other_rooms() -> None:
    facts = trip()["facts"]
    assert facts["request_segments"] == 2.0
    assert facts["request_wire_B"] == 2_500 + 9 + 22 + 2 * (52 + 38)
    assert 2.5e6 < facts["cable_m"] < 5e6
    assert facts["one_way_s"] > facts["cable_m"] * 1.468 / 299_792_458.0
    assert 300.0 < facts["event_wire_B"] < 400.0


def test_a_warm_connection_shakes_no_hands_and_a_cold_one_pays_two_round_trips() -> None:
    warm, resumed, cold = (trip(f"network.connection={word}") for word in ("warm", "resumed", "cold"))
    assert not {"network.dns", "network.tcp.handshake", "network.tls.handshake"} & set(warm)
    assert "network.tls.handshake" not in resumed
    round_trip = cold["facts"]["connection_round_trip_s"]
    assert cold["network.tcp.handshake"]["duration_s"] == pytest.approx(round_trip)
    delay = cold["network.http"]["start_s"] - cold["network.dns"]["duration_s"]
    assert delay == pytest.approx(2.0 * round_trip, rel=0.02)
    assert resumed["network.http"]["start_s"] == pytest.approx(round_trip)
    assert cold["facts"]["one_way_s"] == pytest.approx(warm["facts"]["one_way_s"])


def test_an_edge_shortens_the_handshakes_and_lengthens_a_warm_trip() -> None:
    far, near = (trip("network.connection=cold", f"network.edge={word}") for word in ("none", "regional"))
    assert near["facts"]["connection_round_trip_s"] < 0.3 * far["facts"]["connection_round_trip_s"]
    assert near["network.route"]["start_s"] < far["network.route"]["start_s"]
    assert trip("network.edge=regional")["facts"]["one_way_s"] > trip()["facts"]["one_way_s"]


def test_a_book_waits_for_the_window_and_a_question_does_not() -> None:
    assert trip()["network.tcp"]["duration_s"] == 0.0
    book = trip(request_B=500e3)
    assert book["network.tcp"]["duration_s"] == pytest.approx(5.0 * book["facts"]["connection_round_trip_s"])


def test_the_way_back_mirrors_the_way_out() -> None:
    spans = list(trip("network.edge=regional"))
    out = [s for s in spans if s.startswith(("network.", "optics.")) and s != "network.tcp"]
    back = [s.removeprefix("back.") for s in spans if s.startswith("back.")]
    assert sorted(out) == sorted(back)


def test_thoughts_come_before_the_answer_and_each_token_costs_what_the_first_did() -> None:
    spans = trip()
    thought, answer = spans["stream.reasoning"], spans["stream.answer"]
    assert thought["duration_s"] == pytest.approx(100 * 0.02)
    assert answer["start_s"] == pytest.approx(thought["start_s"] + thought["duration_s"])
    assert answer["duration_s"] == pytest.approx(299 * 0.02)
    first = sum(numbers.get("marginal", 0.0) for span, numbers in spans.items() if span.startswith("back."))
    assert answer["marginal"] == pytest.approx(299 * first)


def test_on_the_device_only_the_stream_is_left() -> None:
    way = Way(load_scenario("device"))
    for name, value in FACTS.items():
        way.fact(name, value)
    network.lay_always_on(way, network.lay_stream(way, Mark("page", 1.0, 1.0, 0.0)))
    assert [plan.id for plan in way.plans] == ["stream.reasoning", "stream.answer"]


@pytest.mark.parametrize(
    ("settings", "low_s", "high_s"),
    [
        (("network.region=azure-uk-south", "network.route=north-atlantic"), 0.030, 0.050),
        (("network.place=london", "network.region=azure-uk-south"), 0.0005, 0.008),
        (("network.place=tokyo", "network.route=north-pacific"), 0.050, 0.075),
        (("network.access=geo-satellite",), 0.28, 0.45),
    ],
)
def test_one_way_times_are_those_of_the_world(settings: tuple[str, ...], low_s: float, high_s: float) -> None:
    assert low_s < trip(*settings)["facts"]["one_way_s"] < high_s


def test_always_on_lasts_as_long_as_the_trip() -> None:
    spans = trip()
    end_s = spans["stream.answer"]["start_s"] + spans["stream.answer"]["duration_s"]
    assert spans["on.network.access"]["duration_s"] == pytest.approx(end_s)
    assert spans["on.network.access"]["always_on"] == pytest.approx(16.5 * end_s)
