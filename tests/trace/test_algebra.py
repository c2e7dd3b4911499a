"""A trace holds together: starts follow from ends, and the summary from the spans."""

from __future__ import annotations

import pytest
from hypothesis import given

from roundtrip.trace.algebra import starts, summary
from roundtrip.trace.model import Trace
from tests.trace.made import trip
from tests.trace.strategies import few, traces


@few
@given(traces())
def test_no_span_starts_before_what_it_waits_for(trace: Trace) -> None:
    begins = starts(trace)
    ends = {s.id: begins[s.id] + s.duration_s for s in trace.spans}
    for span in trace.spans:
        assert all(begins[span.id] >= ends[a] for a in span.after)
        assert span.start_s == begins[span.id]


@few
@given(traces())
def test_energy_is_the_sum_under_each_head(trace: Trace) -> None:
    heads = summary(trace)["energy_J"]
    total = sum(s.total_J or 0.0 for s in trace.spans)
    assert sum(heads.values()) == pytest.approx(total)


def test_every_rule_by_hand() -> None:
    made = summary(trip())
    assert made["time_to_first_token_s"] == pytest.approx(0.0101 + 0.004 + 8e-6 + 0.0081 + 0.05 + 0.08 + 0.0081 + 0.002)
    assert made["time_to_last_token_s"] == pytest.approx(made["time_to_first_token_s"] + 4.0)
    assert made["queue_s"] == 0.05
    assert made["energy_J"] == pytest.approx({"marginal": 5e-3, "allocated": 7.4, "always_on": 6.0})
    assert made["energy_per_token_J"] == pytest.approx(13.405 / 120.0)
