"""The forecast of every preset holds together."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtrip.errors import PromptError
from roundtrip.journey.forecast import forecast
from roundtrip.journey.scenario import load_scenario, presets
from roundtrip.trace.algebra import starts, summary
from roundtrip.trace.model import CARRIERS, HEADS, Trace

ROOMS = {"keyboard", "computer", "network", "optics", "datacenter", "model", "display", "eye"}


def _holds_together(trace: Trace) -> None:
    begins = starts(trace)
    for span in trace.spans:
        assert span.start_s == pytest.approx(begins[span.id], rel=1e-12, abs=1e-15)
        assert span.duration_s >= 0.0, span.id
        assert math.isfinite(span.duration_s)
        assert span.carrier in CARRIERS
        assert set(span.energy_J) <= set(HEADS)
        assert all(joules >= 0.0 for joules in span.energy_J.values()), span.id
        assert span.sources or span.grade == "derived", span.id
    again = summary(trace)
    assert set(again) == set(trace.summary)
    for name, value in trace.summary.items():
        assert again[name] == pytest.approx(value, rel=1e-9), name


@pytest.mark.parametrize("name", presets())
def test_summary_is_the_algebra_of_the_spans(name: str) -> None:
    _holds_together(forecast(scenario=name, samples=0))


@pytest.mark.parametrize("name", [n for n in presets() if n != "concept"])
def test_parts_lie_inside_their_whole(name: str) -> None:
    trace = forecast(scenario=name, samples=0)
    spans = {s.id: s for s in trace.spans}
    for span in trace.spans:
        if span.parent:
            whole = spans[span.parent]
            slack = 1e-12 * whole.end_s  # rounding of sums
            assert whole.start_s - slack <= span.start_s, span.id
            assert span.end_s <= whole.end_s + slack, span.id


def test_the_default_trip_is_whole() -> None:
    trace = forecast(samples=100)
    assert len(trace.spans) >= 60
    assert {s.room for s in trace.spans} >= ROOMS
    assert any(s.id.startswith("stream.") for s in trace.spans)
    for span in trace.spans:
        band = span.bands["duration_s"]
        assert band["low"] <= band["high"]
        assert band["low"] - 1e-15 <= band["median"] <= band["high"] + 1e-15
        assert set(span.sources) <= set(trace.sources)
    order = ["time_to_first_token_s", "time_to_first_photon_s", "time_to_first_word_s", "time_to_last_word_s"]
    times = [trace.summary[n] for n in order]
    assert times == sorted(times)


@settings(max_examples=25)
@given(st.text(min_size=1, max_size=2_000))
def test_any_prompt_makes_a_trip_or_is_refused(prompt: str) -> None:
    try:
        prompt.encode()
    except UnicodeEncodeError:
        with pytest.raises(PromptError):
            forecast(prompt, samples=0)
        return
    _holds_together(forecast(prompt, samples=0))


def test_a_longer_prompt_takes_longer_to_read() -> None:
    short, long = (forecast("word " * n, samples=0).summary for n in (10, 2_000))
    assert long["prefill_s"] > short["prefill_s"]
    assert long["time_to_first_token_s"] > short["time_to_first_token_s"]


def test_the_same_seed_gives_the_same_bands_and_another_gives_others() -> None:
    a, b, c = (forecast(samples=400, seed=s).summary_bands["time_to_first_token_s"] for s in (1, 1, 2))
    assert a == b
    assert a != c


def test_a_slow_trip_and_an_unknown_constant_are_two_things() -> None:
    band = forecast(samples=2_500).summary_bands["time_to_first_token_s"]
    assert band["slow"] > band["median"]
    assert band["low"] < band["median_low"] < band["median_high"] < band["high"]


def test_scenarios_differ_in_what_they_should() -> None:
    cloud, far, device = (forecast(scenario=n, samples=0) for n in ("cloud", "intercontinental", "device"))
    assert far.summary["time_to_first_token_s"] > cloud.summary["time_to_first_token_s"]
    assert not any(s.room == "optics" for s in device.spans)
    assert load_scenario("device").choices["model.where"] == "device"
