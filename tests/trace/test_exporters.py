"""What other programs read: CSV, Chrome, OTLP, speedscope, JSON."""

from __future__ import annotations

import base64
import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given

from roundtrip.trace.chrome import trace_chrome
from roundtrip.trace.csv import COLUMNS, trace_csv
from roundtrip.trace.json import dumps, trace_json
from roundtrip.trace.lanes import lanes
from roundtrip.trace.model import SCHEMA, Trace
from roundtrip.trace.otlp import trace_otlp
from roundtrip.trace.speedscope import trace_speedscope
from tests.trace.made import trip
from tests.trace.strategies import few, traces


def test_json_reads_back() -> None:
    body = json.loads(trace_json(trip()))
    assert body["schema"] == SCHEMA
    assert [s["id"] for s in body["spans"]] == [s.id for s in trip().spans]
    with pytest.raises(ValueError, match="JSON"):
        dumps({"x": float("nan")})


@few
@given(traces())
def test_csv_has_one_line_a_span_and_reads_back(trace: Trace) -> None:
    rows = list(csv.DictReader(io.StringIO(trace_csv(trace), newline="")))
    assert tuple(rows[0]) == COLUMNS
    assert [row["id"] for row in rows] == [s.id for s in trace.spans]
    for row, span in zip(rows, trace.spans, strict=True):
        assert float(row["start_s"]) == span.start_s
        assert float(row["duration_s"]) == span.duration_s
        assert (row["photons"] == "") == (span.photons is None)
        assert (row["energy_J"] == "") == (span.total_J is None)


def _check_no_overlap(events: list[dict[str, Any]], parents: dict[str, str | None]) -> None:
    """On one track, a slice begins at or after the end of the last, or lies inside one that is open and its whole."""
    for tid in {e["tid"] for e in events}:
        stack: list[dict[str, Any]] = []
        for event in (e for e in events if e["tid"] == tid):
            while stack and stack[-1]["ts"] + stack[-1]["dur"] <= event["ts"]:
                stack.pop()
            if stack:
                assert event["ts"] + event["dur"] <= stack[-1]["ts"] + stack[-1]["dur"]
                assert parents[event["name"]] == stack[-1]["name"]
            stack.append(event)


@few
@given(traces())
def test_chrome_has_no_overlap_on_a_track(trace: Trace) -> None:
    body = json.loads(trace_chrome(trace))
    slices = [e for e in body["traceEvents"] if e["ph"] == "X"]
    assert {e["name"] for e in slices} == {s.id for s in trace.spans}
    _check_no_overlap(slices, {s.id: s.parent for s in trace.spans})


@few
@given(traces())
def test_chrome_keeps_times_to_the_nanosecond(trace: Trace) -> None:
    slices = {e["name"]: e for e in json.loads(trace_chrome(trace))["traceEvents"] if e["ph"] == "X"}
    for span in trace.spans:
        assert slices[span.id]["ts"] == pytest.approx(span.start_s * 1e6, abs=1e-3)
        assert slices[span.id]["dur"] == pytest.approx(span.duration_s * 1e6, abs=2e-3)


@few
@given(traces())
def test_speedscope_opens_and_closes_each_frame_in_order(trace: Trace) -> None:
    body = json.loads(trace_speedscope(trace))
    seen = set()
    for profile in body["profiles"]:
        stack, last = [], 0.0
        for event in profile["events"]:
            assert event["at"] >= last
            last = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
                seen.add(event["frame"])
            else:
                assert stack.pop() == event["frame"]
        assert not stack
        assert profile["endValue"] >= last
    assert seen == set(range(len(trace.spans)))


def test_parts_share_the_lane_of_their_whole() -> None:
    model = next(lane for lane in lanes(trip()) if lane.title == "model")
    assert [s.span.id for s in model.slices][:3] == ["model.prefill", "model.attention", "model.experts"]


def _proto_json(body: Any) -> Any:
    """OTLP writes ids in hexadecimal where protobuf's own JSON has base64."""
    if isinstance(body, dict):
        return {
            k: base64.b64encode(bytes.fromhex(v)).decode()
            if k in ("traceId", "spanId", "parentSpanId")
            else _proto_json(v)
            for k, v in body.items()
        }
    return [_proto_json(x) for x in body] if isinstance(body, list) else body


@few
@given(traces())
def test_otlp_is_what_the_protocol_defines(trace: Trace) -> None:
    from google.protobuf.json_format import ParseDict
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

    text = trace_otlp(trace)
    assert text.endswith("\n")
    assert text.count("\n") == 1
    data = ParseDict(_proto_json(json.loads(text)), TracesData())
    spans = {s.name: s for r in data.resource_spans for scope in r.scope_spans for s in scope.spans}
    assert set(spans) == {"trip", *(s.id for s in trace.spans)}
    ids = {s.span_id for s in spans.values()}
    assert len(ids) == len(spans)
    assert {len(s.span_id) for s in spans.values()} == {8}
    assert {len(s.trace_id) for s in spans.values()} == {16}
    for span in trace.spans:
        made = spans[span.id]
        assert made.end_time_unix_nano - made.start_time_unix_nano == pytest.approx(span.duration_s * 1e9, abs=1.0)
        assert made.parent_span_id == spans[span.parent or "trip"].span_id
        assert [link.span_id for link in made.links] == [spans[a].span_id for a in span.after]
