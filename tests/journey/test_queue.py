"""The trip's queue beside the fleet that it came from."""

from __future__ import annotations

import json

import numpy as np
import pytest

from roundtrip.errors import ScenarioError
from roundtrip.figures.sampling import Draws
from roundtrip.journey import queue_fleet, queue_preset
from roundtrip.journey.forecast import forecast, sample
from roundtrip.journey.program import program
from roundtrip.journey.scenario import load_scenario
from tests.cli.run import here

Capture = pytest.CaptureFixture[str]
SEEDS = (11, 12, 13, 14)  # others than those that the catalog was made with


@pytest.mark.parametrize("serving", queue_preset.servings())
def test_the_fleet_run_again_agrees_with_the_catalog(serving: str) -> None:
    scenario = queue_preset.scenario_of(serving)
    waits = queue_fleet.run(scenario, requests=40_000, seeds=SEEDS)
    factor = scenario.figure("model.serving.read_wait_factor").value
    fixed_s, part_s = queue_preset.closed_mean_s(scenario, factor)
    assert fixed_s + part_s == pytest.approx(waits.mean_s, rel=0.1)
    if queue_fleet.is_split(scenario):
        assert scenario.figure("model.serving.read_utilization").value == pytest.approx(waits.busy, rel=0.1)
    else:
        streams = scenario.figure("model.serving.streams").value * scenario.figure("model.serving.tensor_ranks").value
        assert waits.running == pytest.approx(streams, rel=0.1)


@pytest.mark.parametrize("serving", ["llama-8b-h100", "deepseek-v3-h800"])
def test_percentiles_of_the_closed_form_are_those_of_the_fleet(serving: str) -> None:
    scenario = queue_preset.scenario_of(serving)
    ours_s, waits = queue_preset.closed_waits_s(scenario), queue_fleet.run(scenario, requests=40_000, seeds=SEEDS)
    assert ours_s.mean() == pytest.approx(waits.mean_s, rel=0.1)
    assert np.percentile(ours_s, 95) == pytest.approx(waits.percentile_s(95), rel=0.25)


def test_a_simulated_trip_draws_the_waits_of_the_run() -> None:
    found = queue_fleet.simulated(load_scenario("edge"))
    waits, scenario = found.waits, found.scenario
    compiled = program(scenario)
    drawn = sample(compiled, compiled.figures(scenario), Draws(40_000, 3))["datacenter.queue/engine_wait_s"]
    for q in (5, 50, 95, 99):
        assert np.percentile(drawn, q) == pytest.approx(waits.percentile_s(q), rel=0.05)
    trace = forecast(None, scenario, samples=0)
    span = trace.span("datacenter.queue")
    assert span.duration_s - scenario.figure("datacenter.site.handover_s").value == pytest.approx(
        waits.percentile_s(50)
    )
    assert "fleet" in span.sources
    stall_s = trace.span("step.model.prefill").duration_s
    assert stall_s == pytest.approx(float(np.median(waits.others_s)), rel=1e-6), "what others' prompts add to a token"


@pytest.mark.parametrize("name", ["edge", "cloud", "intercontinental", "speculative"])
def test_both_ways_give_the_same_trip(name: str) -> None:
    scenario = load_scenario(name)
    closed, run = forecast(None, scenario), forecast(None, queue_fleet.simulated(scenario).scenario)
    assert run.summary["time_to_first_token_s"] == pytest.approx(closed.summary["time_to_first_token_s"], rel=0.1)
    assert run.summary["decode_s"] == pytest.approx(closed.summary["decode_s"], rel=0.15)


def test_a_run_takes_the_readers_own_values() -> None:
    edge = load_scenario("edge")
    usual = queue_fleet.run(edge, requests=4_000, seeds=(1,))
    for setting in ("model.serving.layer_time_s=200us", "model.accelerator.bandwidth_B_s=1e12 B/s"):
        slow = queue_fleet.run(edge.with_settings((setting,)), requests=4_000, seeds=(1,))
        assert slow.rate_per_s < 0.9 * usual.rate_per_s, f"{setting}: fewer requests keep as many under way"
    busy = queue_fleet.run(edge.with_settings(("model.serving.streams=64",)), requests=4_000, seeds=(1,))
    assert busy.mean_s > 1.5 * usual.mean_s


def test_nobody_waits_twice_for_the_same_engine() -> None:
    both = forecast(None, load_scenario("edge"), samples=0)
    assert not [s.id for s in both.spans if s.name.startswith("model.") and s.id.startswith("prefill.join")]
    split = forecast(None, load_scenario("cloud"), samples=0)
    join = split.span("prefill.join")
    assert join.start_s >= split.span("prefill.model.kv_cache").end_s - 1e-9, "it joins where it was carried to"
    assert join.end_s == pytest.approx(split.span("model.prefill").end_s)


def test_more_load_means_more_waiting_and_none_on_ones_own_device() -> None:
    waits_s = [
        forecast(None, load_scenario("edge").with_settings((f"model.serving.streams={n}",)), samples=0)
        .span("datacenter.queue").attributes["reading_share"]
        for n in (4, 16, 64)
    ]  # fmt: skip
    assert waits_s == sorted(waits_s)
    alone = forecast(None, load_scenario("device"), samples=0).span("datacenter.queue")
    assert alone.attributes["engine_wait_s"] == 0.0


def test_the_verb_says_what_ran(capsys: Capture) -> None:
    ran = here(capsys, "trip", "--scenario", "edge", "--queue", "simulate", "--no-answer", "--json", "--samples", "400")
    body = json.loads(ran.out)
    assert body["queue"]["method"] == "simulated"
    assert body["queue"]["fleet"].startswith("llama-3.1-8b")
    assert body["scenario"]["values"]["model.serving.queue"] == "simulated"
    span = next(s for s in body["spans"] if s["id"] == "datacenter.queue")
    assert span["bands"]["duration_s"]["high"] > body["queue"]["engine_wait_s"]["p50_s"]
    text = here(capsys, "trip", "--scenario", "edge", "--queue", "simulate", "--no-answer", "--brief").out
    assert "The queue is a run of the fleet" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--scenario", "device"], "serves one reader"),
        (["--scenario", "concept"], "as a slider"),
        (["--record"], "has waited for real"),
        (["--set", "model.serving.arithmetic=bf16"], "leave --set model.serving.arithmetic out"),
        (["--scenario", "edge", "--set", "model.draft=mtp-1"], "steps with drafts"),
        (["--scenario", "edge", "--set", "model.serving.streams=200"], "fewer than the places"),
        (["--scenario", "edge", "--set", "model.serving.read_write_ratio=0"], "nobody else asks"),
    ],
)
def test_what_no_run_could_answer_is_refused(capsys: Capture, arguments: list[str], message: str) -> None:
    ran = here(capsys, "trip", "--queue", "simulate", "--no-answer", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_a_reader_cannot_ask_for_a_run_by_setting_a_word() -> None:
    with pytest.raises(ScenarioError, match="allowed: closed form"):
        load_scenario("edge").with_settings(("model.serving.queue=simulated",))
