"""One request of a run as a `Trace`: the same schema as a trip, so that whatever reads a trip reads it.

Time begins when the request arrives. Up to the first token its spans follow one another; after it, the parts of the
answer are sums over the answer's steps, laid one after the other as the parts of a token are in a trip: decode, what
prompts of others add, and what takes it out of the steps. They add up exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from roundtrip.errors import DomainError
from roundtrip.fleet.layout import DONE, REFUSED
from roundtrip.fleet.records import TITLES, Records
from roundtrip.trace.json import dumps
from roundtrip.trace.model import Span, Trace
from roundtrip.trace.otlp import EPOCH_NS, trace_otlp

# What a cause is a stage of, and what carries it; a cause that is not here is a wait of the queue.
STAGES = {
    "queue": ("datacenter.queue", "waiting"),
    "prefill": ("model.prefill", "moving charge"),
    "preemption": ("model.kv_cache", "waiting"),
    "swap": ("model.kv_cache", "waiting"),
    "transfer": ("model.kv_cache", "moving charge"),
    "others_prefill": ("model.prefill", "waiting"),
    "decode": ("model.decode", "moving charge"),
    "network": ("network.route", "photons"),
}
EARLY = ("queue", "prefill")  # causes that end with the first token
LATE = ("decode", "others_prefill")  # causes that begin with it; others may lie on both sides, the network around all
WAY = "network"
BESIDE = ("answer", "network.first")  # a whole, and the first token's way while others are written: in no sum


def check_requests(found: Records, numbers: Sequence[int]) -> list[int]:
    """Return the requests with these numbers, counted from 1, or name the one that is not there."""
    for number in numbers:
        if not 1 <= number <= len(found.work):
            raise DomainError(f"--request {number}: {found.work.name} has requests 1 to {len(found.work)}")
        state = int(found.state.requests["state"][number - 1])
        if state != DONE:
            why = "was refused" if state == REFUSED else "is not done"
            raise DomainError(f"--request {number}: it {why}, so it has no trace")
    return [number - 1 for number in numbers]


def request_trace(found: Records, i: int) -> Trace:
    """Return the trace of a request that is done.

    Parameters
    ----------
    found : Records
    i : int
        Its number, from 0.
    """
    row = found.state.requests[i]
    waits = {cause: float(x[0]) for cause, x in found.waits(np.array([i])).items()}
    if waits["others_prefill"] < 0.0:  # kernels of mixed steps may be quicker; no span lasts less than nothing
        waits["decode"] += waits["others_prefill"]
        waits["others_prefill"] = 0.0
    early_s = float(row["early_s"])
    replica = int(row["replica"])
    kind = found.deployment.kinds[found.deployment.replicas[replica]].name
    facts: dict[str, float | str] = {
        "request": float(i + 1), "replica": float(replica), "kind": kind, "arrival_s": float(row["arrived_s"]),
        "prompt_tokens": float(found.work.prompt[i]), "output_tokens": float(found.work.output[i]),
        "cached_tokens": float(row["cached"]), "preemptions": float(row["preemptions"]),
    }  # fmt: skip
    early: dict[str, float] = {cause: waits[cause] for cause in EARLY if cause in waits}
    late: dict[str, float] = {cause: waits[cause] for cause in LATE}
    for cause in (cause for cause in waits if cause not in early and cause not in late and cause != WAY):
        before_s = min(waits[cause], early_s)  # of several such causes, the first in the list come first
        early_s -= before_s
        early[cause], late[cause] = before_s, waits[cause] - before_s
    half_s = waits.get(WAY, 0.0) / 2.0
    spans = [_span(WAY, WAY, 0.0, half_s, None)] if half_s else []
    before = WAY if half_s else None
    at_s = half_s
    for cause, duration_s in early.items():
        if duration_s > 0.0 or cause in ("queue", "prefill"):
            spans.append(_span(cause, cause, at_s, duration_s, before))
            at_s += duration_s
            before = cause
    spans[0].attributes |= facts
    read = before
    if half_s:
        spans.append(_span("network.first", WAY, at_s, half_s, read))
    first = spans[-1].id
    answer = _span("answer", "decode", at_s, float(row["last_s"] - row["first_s"]), read)
    answer.title = "the answer, after its first token"
    answer.attributes["tokens"] = float(found.work.output[i] - 1)
    spans.append(answer)
    for cause, duration_s in late.items():
        if duration_s > 0.0 or cause == "decode":
            id = f"{cause}.late" if any(span.id == cause for span in spans) else cause
            part = _span(id, cause, at_s, duration_s, before, "answer")
            part.attributes["laid"] = "as a sum"
            spans.append(part)
            at_s += duration_s
            before = id
    if half_s:
        spans.append(_span("network.back", WAY, answer.end_s, half_s, "answer"))
    return _with_summary(found, i, spans, waits, facts, first)


def _span(id: str, cause: str, start_s: float, duration_s: float, after: str | None, parent: str | None = None) -> Span:
    stage, carrier = STAGES.get(cause, STAGES["queue"])
    title = TITLES.get(cause, cause.replace("_", " "))
    span = Span(id, stage, title, start_s, duration_s, carrier, parent, (after,) if after else ())
    span.grade, span.attributes = "derived", {"cause": cause}
    return span


def _with_summary(
    found: Records, i: int, spans: list[Span], waits: dict[str, float], facts: dict[str, float | str], first: str
) -> Trace:
    last = "network.back" if spans[-1].id == "network.back" else "answer"
    algebra: dict[str, dict[str, Any]] = {
        "time_to_first_token_s": {"end_of": first},
        "time_to_last_token_s": {"end_of": last},
    }
    summary: dict[str, Any] = {
        "time_to_first_token_s": next(s for s in spans if s.id == first).end_s,
        "time_to_last_token_s": next(s for s in spans if s.id == last).end_s,
    }
    for cause in waits:
        ids = [s.id for s in spans if s.attributes["cause"] == cause and s.id not in BESIDE]
        if not ids:
            continue
        algebra[f"{cause}_s"] = {"sum_of": ids}
        summary[f"{cause}_s"] = sum(s.duration_s for s in spans if s.id in ids)
    scenario = {"name": "fleet", "title": f"Request {i + 1} of {found.work.name}", **facts}
    return Trace(f"{found.work.name}, request {i + 1}", scenario, spans, summary, algebra, reading="forecast")


def trace_lines(found: Records, chosen: Sequence[int]) -> Iterator[str]:
    """Yield the traces of requests as JSON lines (schema ``roundtrip.trace/1``)."""
    for i in chosen:
        yield dumps(request_trace(found, i).as_dict(), indent=None) + "\n"


def otlp_lines(found: Records, chosen: Sequence[int]) -> Iterator[str]:
    """Yield the traces of requests as OTLP JSON lines, each at its own arrival."""
    for i in chosen:
        arrival_ns = round(float(found.state.requests["arrived_s"][i]) * 1e9)
        yield trace_otlp(request_trace(found, i), EPOCH_NS + arrival_ns)
