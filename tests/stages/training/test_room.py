"""The training room on the way: a fact beside the time line."""

from __future__ import annotations

import pytest

from roundtrip.catalog.load import load
from roundtrip.figures.print_code import compile_numpy
from roundtrip.journey.rooms import training
from roundtrip.journey.scenario import load_scenario
from roundtrip.journey.way import Way


@pytest.mark.parametrize("run", sorted(load("training_runs")))
def test_every_run_has_what_a_share_needs(run: str) -> None:
    figures = load("training_runs")[run].figures
    joules = figures["accelerator_time_h"].value * 3600 * figures["accelerator_power_W"].value * figures["pue"].value
    assert 1e9 < joules < 1e15
    reached = 6 * figures["active_parameters"].value * figures["training_tokens"].value
    reached /= figures["pretraining_time_h"].value * 3600 * figures["flop_rate_flop_s"].value
    # Small models that larger ones taught spend most of their hours elsewhere (1B: 5 %); OPT counts useful steps only.
    assert 0.04 < reached < 0.6, f"{run} would have reached {reached:.2f} of its peak"


def test_share_is_a_fact_and_no_span() -> None:
    way = Way(load_scenario("cloud"))
    token = training.share(way)
    names = way.graph.inputs([token.number])
    figures = [way.scenario.figure(name).value for name in names]
    (value,) = compile_numpy(way.graph, [token.number], names)(figures)
    assert not way.plans
    assert way.facts["training_token_J"] is token
    assert 1e-4 < float(value) < 1.0
