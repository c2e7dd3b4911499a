"""The network on the way: what its words change, and what passes to other rooms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from roundtrip.figures.print_code import compile_numpy
from roundtrip.journey.forecast import forecast
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
    assert not {"network.dns", "network.tcp.handshake", "network.tls.handshake", "network.loss.handshake"} & set(warm)
    assert "network.tls.handshake" not in resumed
    round_trip = cold["facts"]["connection_round_trip_s"]
    assert cold["network.tcp.handshake"]["duration_s"] == pytest.approx(round_trip)
    assert cold["facts"]["one_way_s"] == pytest.approx(warm["facts"]["one_way_s"])


@pytest.mark.parametrize(
    ("transport", "connection", "round_trips"),
    [("tcp", "cold", 2.0), ("tcp", "resumed", 1.0), ("tcp", "warm", 0.0),
     ("quic", "cold", 1.0), ("quic", "resumed", 0.0), ("quic", "warm", 0.0)],
)  # fmt: skip
def test_round_trips_before_the_request_leaves_rfc_8446_and_rfc_9000(
    transport: str, connection: str, round_trips: float
) -> None:
    spans = trip(
        f"network.transport={transport}", f"network.connection={connection}", "network.edge.handshake_compute_s=0 s"
    )
    beside = sum(spans[name]["duration_s"] for name in ("network.dns", "network.loss.handshake") if name in spans)
    left = spans["network.http"]["start_s"] - beside
    assert left == pytest.approx(round_trips * spans["facts"]["connection_round_trip_s"], abs=1e-12)


def test_a_long_certificate_chain_costs_quic_a_round_trip_and_tcp_none() -> None:
    def opened(transport: str, size: str) -> float:
        spans = trip(f"network.transport={transport}", "network.connection=cold", f"network.edge.certificate_B={size}")
        return spans["network.http"]["start_s"]

    far = trip()["facts"]["connection_round_trip_s"]
    assert opened("quic", "5000 B") - opened("quic", "3000 B") == pytest.approx(far)
    assert opened("tcp", "5000 B") == opened("tcp", "3000 B")


@pytest.mark.parametrize("transport", ["tcp", "quic"])
def test_loss_delays_both_ways_and_more_of_it_delays_more(transport: str) -> None:
    few, many = (trip(f"network.transport={transport}", f"network.access.loss_share={share}") for share in (1e-3, 0.05))
    for span in ("network.loss", "back.network.loss"):
        assert 0.0 < few[span]["duration_s"] < many[span]["duration_s"]
    # A token alone in its packet: the sender learns of its loss by a timer.
    token = few["back.network.loss"]
    assert token["duration_s"] == pytest.approx(1e-3 * token["tail_s"], rel=0.01)


def test_quic_mends_a_token_sooner_and_pays_for_headers_in_each_packet() -> None:
    tcp, quic = (trip(f"network.transport={word}") for word in ("tcp", "quic"))
    assert quic["back.network.loss"]["tail_s"] < tcp["back.network.loss"]["tail_s"]
    assert quic["facts"]["request_segments"] == 3.0
    assert quic["facts"]["request_wire_B"] == 2_500 + 3 + 3 * (33 + 28 + 38)
    assert not {"network.tcp", "network.tls"} & set(quic)


def test_a_prompt_of_10_kB_goes_at_once_and_one_byte_over_ten_segments_waits_rfc_6928() -> None:
    plain = ["network.edge.tcp_options_B=0 B"]
    whole_B = 14_600 - 22 - 9
    assert trip(*plain, request_B=10_000.0)["facts"]["request_segments"] == 7.0
    assert trip(*plain, request_B=10_000.0)["network.tcp"]["duration_s"] == 0.0
    assert trip(*plain, request_B=float(whole_B))["network.tcp"]["duration_s"] == 0.0
    over = trip(*plain, request_B=float(whole_B + 1))
    assert over["network.tcp"]["duration_s"] == pytest.approx(over["facts"]["connection_round_trip_s"])


def test_an_edge_shortens_the_handshakes_and_lengthens_a_warm_trip() -> None:
    far, near = (trip("network.connection=cold", f"network.edge={word}") for word in ("none", "regional"))
    assert near["facts"]["connection_round_trip_s"] < 0.3 * far["facts"]["connection_round_trip_s"]
    assert near["network.route"]["start_s"] < far["network.route"]["start_s"]
    assert trip("network.edge=regional")["facts"]["one_way_s"] > trip()["facts"]["one_way_s"]


def test_a_book_waits_for_the_window_and_a_question_does_not() -> None:
    assert trip()["network.tcp"]["duration_s"] == 0.0
    book = trip(request_B=500e3)
    assert book["network.tcp"]["duration_s"] == pytest.approx(5.0 * book["facts"]["connection_round_trip_s"])


@pytest.mark.parametrize("transport", ["tcp", "quic"])
def test_the_way_back_mirrors_the_way_out(transport: str) -> None:
    spans = list(trip("network.edge=regional", f"network.transport={transport}"))
    window = ("network.tcp", "network.quic.window")
    out = [s for s in spans if s.startswith(("network.", "optics.")) and s not in window]
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


def test_light_over_the_long_haul_waits_microseconds_in_electronics_and_in_the_hall_nanoseconds_a_link() -> None:
    spans = {span.id: span for span in forecast("hi", samples=0).spans}
    long_haul = [spans[f"optics.{name}"].duration_s for name in ("transceiver", "coherent", "fec")]
    sections = spans["optics.fec"].attributes["sections"]
    assert all(5e-7 < duration_s / sections < 2e-5 for duration_s in long_haul)
    links = spans["datacenter.fabric.light"].attributes["conversions"]
    assert 2e-8 < spans["datacenter.fabric.fec"].duration_s / links < 2.5e-7
    # Routers of the internet are counted apart from both.
    assert spans["network.route"].duration_s > 5.0 * sum(long_haul)
