"""Figures that were measured on this machine, laid over the catalog's."""

from __future__ import annotations

import pytest

from roundtrip.errors import DomainError
from roundtrip.figures.figure import Figure
from roundtrip.journey.forecast import forecast
from roundtrip.journey.scenario import load_scenario

KEY = "model.accelerator.bandwidth_B_s"


def _rate(value: float) -> Figure:
    return Figure(value, value * 0.9, value * 1.1, "B/s", "measured", "this-machine")


def test_a_measured_figure_stands_over_the_catalog_and_under_the_readers_own() -> None:
    here = load_scenario("here")
    assert here.with_measured({KEY: _rate(5e10)}).figure(KEY).value == 5e10
    both = here.with_settings([f"{KEY}=2e10"]).with_measured({KEY: _rate(5e10)})
    assert both.figure(KEY).source == "user"
    assert both.figure(KEY).value == 2e10


def test_a_faster_memory_shortens_the_step_and_the_source_is_named() -> None:
    here = load_scenario("here")
    slow, fast = (forecast(None, here.with_measured({KEY: _rate(r)}), samples=100) for r in (1e10, 4e10))
    step = "time_per_output_token_s"
    assert fast.summary[step] < 0.5 * slow.summary[step]
    assert "this-machine" in fast.sources
    assert fast.scenario["measured"] == {KEY: 4e10}
    assert fast.summary_bands[step]["low"] < fast.summary[step] < fast.summary_bands[step]["high"]


def test_a_measured_figure_outside_its_range_is_refused() -> None:
    with pytest.raises(DomainError):
        load_scenario("here").with_measured({KEY: Figure(1e30, 1e30, 1e30, "B/s", "measured", "this-machine")})


def test_plain_kernels_score_the_last_token_of_a_chunk_alone() -> None:
    here = load_scenario("here").with_prompt("word " * 400)
    trace = forecast(None, here, samples=0)
    assert trace.span("prefill.rows").duration_s > 0.0
    assert trace.span("step.rows").duration_s > 0.0
    assert "prefill.rows" not in {s.id for s in forecast(None, "device", samples=0).spans}
    whole = trace.span("model.prefill")
    parts = sum(s.duration_s for s in trace.spans if s.parent == "model.prefill")
    assert parts == pytest.approx(whole.duration_s, rel=1e-9)
