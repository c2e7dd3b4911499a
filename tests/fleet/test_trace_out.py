"""Traces of a run: a parser of our own for Chrome's format, and parts that add up."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from roundtrip.fleet.layout import LOST, PREEMPTED, SENT
from roundtrip.fleet.records import CAUSES, RARE_CAUSES, TITLES, Records
from roundtrip.fleet.request_trace import otlp_lines, request_trace, trace_lines
from roundtrip.fleet.simulate import simulate
from roundtrip.fleet.trace_out import CLUSTER, FIRST, OTHERS, STEPS, notes, perfetto, sample
from roundtrip.fleet.watch import watch
from roundtrip.trace.algebra import starts, summary
from tests.cli.run import here
from tests.fleet.cases import build, cases
from tests.fleet.made import cluster, load

Capture = pytest.CaptureFixture[str]
NS = 1e-9
few = settings(max_examples=80, deadline=None)


def pressed(seed: int = 4, **choices: Any) -> Records:
    """Return a run in which pages are short."""
    chosen: dict[str, Any] = {
        "page": 4, "pressure": True, "mode": "open", "policy": "fcfs", "router": "round robin", "admission": "chunk",
        "chunked_prefill": True, "prefix_cache": False,
    }  # fmt: skip
    return simulate(*build(seed, 60, 1, 2, **(chosen | choices)))


def parsed(found: Records, **more: Any) -> list[dict[str, Any]]:
    """Return the events of a file of every request that is done."""
    chosen = np.flatnonzero(found.done).tolist()
    log = watch(found, chosen, **more)
    text = "".join(perfetto(found, log, chosen, notes(found, log, chosen)))
    return json.loads(text)["traceEvents"]


def tracks(events: list[dict[str, Any]]) -> dict[tuple[int, int], list[dict[str, Any]]]:
    """Return the slices of each track in whole nanoseconds, in the order in which a viewer draws them."""
    made: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            start, duration = (round(1000.0 * event[key]) for key in ("ts", "dur"))
            made[event["pid"], event["tid"]].append({**event, "start": start, "end": start + duration})
    for slices in made.values():
        slices.sort(key=lambda e: (e["start"], -e["end"]))
    return made


def nested(slices: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give each slice the slice that it lies in, as a viewer does; one that reaches out of it is an error."""
    stack: list[dict[str, Any]] = []
    for one in slices:
        while stack and stack[-1]["end"] <= one["start"]:
            stack.pop()
        if stack:
            assert one["end"] <= stack[-1]["end"], (one, stack[-1])
        one["in"] = stack[-1] if stack else None
        stack.append(one)
    return slices


@few
@given(cases())
def test_watching_changes_nothing_and_misses_nothing(case: Any) -> None:
    found = simulate(*case)
    log = watch(found, range(len(found.work)))
    rows, replicas = found.state.requests, found.state.replicas
    more = found.state.more
    taken = {PREEMPTED: rows["lost_s"]}
    if len(more):
        taken |= {SENT: more["transfer_s"], LOST: more["failed_s"]}
    for cause, whole_s in taken.items():
        those = log.breaks[log.breaks["cause"] == cause]
        seen_s = np.bincount(those["request"], those["end_s"] - those["start_s"], minlength=len(rows))
        assert seen_s[found.done] == pytest.approx(whole_s[found.done], abs=1e-9)
    steps = np.bincount(log.plans["replica"], log.plans["steps"], minlength=len(replicas))
    if not (found.deployment.failures or found.deployment.mtbf_s):  # a plan that a failure cuts off has no row
        assert steps.tolist() == replicas["step"].tolist()
        assert log.plans["added_s"].sum() == pytest.approx(replicas["extra_s"].sum(), abs=1e-9)


@few
@given(cases())
def test_tracks_nest_and_add_up(case: Any) -> None:
    found = simulate(*case)
    slices = tracks(parsed(found))
    for (pid, tid), those in slices.items():
        assert pid >= FIRST
        if tid == STEPS:
            assert all(a["end"] <= b["start"] for a, b in itertools.pairwise(those)), "steps follow each other"
            continue
        nested(those)
        for whole in (one for one in those if one["in"] is None):
            inside = [one for one in those if one["in"] is whole]
            assert [one["name"] for one in inside if one["end"] > one["start"]] == [
                TITLES[cause] for cause in ("queue", "prefill", "decode")
                if any(one["name"] == TITLES[cause] and one["end"] > one["start"] for one in inside)
            ]  # fmt: skip
            assert sum(one["end"] - one["start"] for one in inside) == whole["end"] - whole["start"]


def test_what_is_inside_a_request_is_what_its_record_says() -> None:
    found = pressed()
    assert found.state.requests["preemptions"].sum() > 0
    seen = 0
    for (_, tid), those in tracks(parsed(found)).items():
        if tid == STEPS:
            continue
        nested(those)
        for whole in (one for one in those if one["in"] is None):
            inside = [one for one in those if one["in"] and one["in"]["in"] is whole]
            for name, cause in ((TITLES["preemption"], "preemption"), (OTHERS, "others_prefill")):
                total_s = NS * sum(one["end"] - one["start"] for one in inside if one["name"] == name)
                assert total_s == pytest.approx(whole["args"][f"{cause}_s"], abs=NS * (len(inside) + 1))
                seen += total_s > 0.0
            parts = [whole["args"][f"{cause}_s"] for cause in CAUSES]
            assert sum(parts) == pytest.approx(whole["args"]["e2e_s"], abs=1e-12)
    assert seen > 10


def test_counters_come_to_rest_and_stay_within_the_machine() -> None:
    found = pressed()
    last: dict[tuple[int, str], float] = {}
    for event in parsed(found):
        if event["ph"] == "C" and event["pid"] != CLUSTER:
            value = event["args"]["value"]
            last[event["pid"], event["name"]] = value
            pages = int(found.state.replicas["pages"][event["pid"] - FIRST])
            assert 0 <= value <= (pages if event["name"] == "pages" else len(found.work))
    assert len(last) == 6
    assert set(last.values()) == {0}, "nothing runs, waits or is kept at the end"


@few
@given(cases())
def test_a_request_as_a_trace_adds_up_exactly(case: Any) -> None:
    found = simulate(*case)
    for i in np.flatnonzero(found.done):
        trace, row = request_trace(found, int(i)), found.state.requests[i]
        spans = {span.id: span for span in trace.spans}
        for id, start_s in starts(trace).items():
            assert spans[id].start_s == pytest.approx(start_s, abs=1e-9)
        rtt_s = found.deployment.network_rtt_s
        ttft_s, e2e_s = (float(row[name] - row["arrived_s"]) + rtt_s for name in ("first_s", "last_s"))
        assert trace.summary["time_to_first_token_s"] == pytest.approx(ttft_s, abs=1e-9)
        assert trace.summary["time_to_last_token_s"] == pytest.approx(e2e_s, abs=1e-9)
        assert summary(trace) == trace.summary
        causes = [trace.summary.get(f"{cause}_s", 0.0) for cause in (*CAUSES, *RARE_CAUSES)]
        assert sum(causes) == pytest.approx(e2e_s, abs=1e-9)
        parts = [s for s in trace.spans if s.parent == "answer"]
        assert sum(s.duration_s for s in parts) == pytest.approx(spans["answer"].duration_s, abs=1e-9)


def test_lines_are_traces_and_otlp_that_others_read() -> None:
    from google.protobuf.json_format import ParseDict
    from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

    found = pressed()
    chosen = sample(found, 5)
    bodies = [json.loads(line) for line in trace_lines(found, chosen)]
    assert [body["scenario"]["request"] for body in bodies] == [i + 1 for i in chosen]
    assert {body["schema"] for body in bodies} == {"roundtrip.trace/1"}
    for i, line in zip(chosen, otlp_lines(found, chosen), strict=True):
        body = json.loads(line)
        for span in (s for r in body["resourceSpans"] for s in r["scopeSpans"][0]["spans"]):
            for key in ("traceId", "spanId", "parentSpanId"):
                if key in span:
                    span[key] = "AAAA"
            for link in span.get("links", ()):
                link["traceId"] = link["spanId"] = "AAAA"
        ParseDict(body, TracesData())
        root = body["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
        took_s = NS * (int(root["endTimeUnixNano"]) - int(root["startTimeUnixNano"]))
        row = found.state.requests[i]
        assert took_s == pytest.approx(row["last_s"] - row["arrived_s"], abs=2 * NS)


def test_a_sample_has_the_slowest_and_the_window_is_kept() -> None:
    found = simulate(load(np.arange(400) * 0.01, 50, 20), cluster())
    chosen = sample(found, 40)
    ttft_s = found.state.requests["first_s"] - found.state.requests["arrived_s"]
    assert len(set(chosen)) == 40
    assert int(np.argmax(ttft_s)) in chosen
    log = watch(found, chosen, (1.0, 2.0))
    assert log.plans["end_s"].min() >= 1.0
    assert log.plans["start_s"].max() < 2.0
    inside = sample(found, 400, (1.0, 2.0))
    rows = found.state.requests[inside]
    assert rows["last_s"].min() >= 1.0
    assert rows["arrived_s"].max() < 2.0
    assert len(inside) < 200
    short = watch(found, chosen, most=10)
    assert len(short.plans) == 10
    assert "the first 10 groups of steps" in " ".join(notes(found, short, chosen))


MADE = ["fleet", "run", "--load", "poisson", "--requests", "300", "--rate", "20", "--prompt", "300", "--output", "40"]


def test_the_verb_writes_what_was_asked_for(capsys: Capture, tmp_path: Path) -> None:
    files = {name: str(tmp_path / name) for name in ("perfetto", "trace-out", "otlp")}
    ran = here(capsys, *MADE, "--sample", "20", *(x for name, path in files.items() for x in (f"--{name}", path)))
    assert ran.code == 0
    assert "20 of 300 requests" in ran.err
    assert "20 of 300 requests" in json.loads(Path(files["perfetto"]).read_text())["otherData"]["shown"]
    for name in ("trace-out", "otlp"):
        assert len(Path(files[name]).read_text().splitlines()) == 20
    ran = here(capsys, *MADE, "--request", "17")
    assert "Request 17 of poisson" in ran.out
    assert "others' prompts are read" in ran.out
    body = json.loads(here(capsys, *MADE, "--request", "17", "--request", "3", "--json").out)
    assert [trace["scenario"]["request"] for trace in body["traces"]] == [17, 3]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--request", "301", "--trace-out", "x"], "--request 301: poisson, 20/s has requests 1 to 300"),
        (["--request", "0"], "--request 0"),
        (["--request", "1", "--sample", "5", "--otlp", "x"], "beside --request"),
        (["--sample", "5"], "--sample has no meaning without"),
        (["--sample", "0", "--otlp", "x"], "--sample = 0, expected 1 to 100000"),
        (["--window", "1s,2s"], "--window has no meaning without"),
        (["--perfetto", "x", "--window", "2s,1s"], "expected a start of 0 or more, and an end after it"),
        (["--perfetto", "x", "--window", "2s"], "expected two times"),
        (["--perfetto", "nowhere/x.json"], "nowhere/x.json: cannot be written"),
        (["--perfetto", "x.json", "--otlp", "x.json"], "expected a file for each"),
    ],
)
def test_bad_input_is_one_line(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = here(capsys, *MADE, *arguments)
    assert ran.code == 2
    assert message in ran.err.splitlines()[-1]
    assert "Traceback" not in ran.err
    assert not list(tmp_path.iterdir()), "nothing is left behind"


def test_a_full_disk_leaves_no_half_file(capsys: Capture, tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full here")
    ran = here(capsys, *MADE, "--perfetto", str(full))
    assert ran.code == 2
    assert "/dev/full: cannot be written" in ran.err
