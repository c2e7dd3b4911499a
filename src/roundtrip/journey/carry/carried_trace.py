"""A carried trip as a trace: the forecast's time line, with what was carried in the place of what was counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from roundtrip.journey.carry.carried import Carried
from roundtrip.trace.algebra import summary
from roundtrip.trace.model import Span, Trace

LOSS = "network.loss"  # where the forecast has the mean wait for what is lost, and a carried trip its own


def trace_of(found: Carried) -> Trace:
    """Return the trace of a carried trip.

    A span whose stage has handled real bytes has the reading ``carry``, and how many bytes there are to look at. Times
    are the forecast's, but for what is lost on the way: there stands what this trip really waited.
    """
    forecast = found.where.trace
    real = _bytes_by_stage(found)
    spans = [_carried(span, real) for span in forecast.spans]
    waits = {span.id: span for span in spans if span.id in (LOSS, f"back.{LOSS}")}
    spans = _with_wait(spans, waits.get(LOSS), max(found.added_s, 0.0))
    spans = _with_wait(spans, waits.get(f"back.{LOSS}"), 0.0)
    trace = replace(forecast, spans=spans, reading="carry", answer=found.arrived or None, summary_bands={}, samples=0)
    trace.summary = summary(trace)
    return trace


def _bytes_by_stage(found: Carried) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for artifact in found.artifacts:
        size = len(artifact.data) if artifact.kind == "bytes" else 0
        sizes[artifact.stage] = max(sizes.get(artifact.stage, 0), size)
    return sizes


def _carried(span: Span, real: dict[str, int]) -> Span:
    if span.name not in real:
        return replace(span, bands={})
    more: dict[str, Any] = {"carried_B": float(real[span.name])} if real[span.name] else {}
    return replace(span, reading="carry", bands={}, attributes={**span.attributes, **more})


def _with_wait(spans: list[Span], wait: Span | None, duration_s: float) -> list[Span]:
    """Return the spans with another duration of one of them: what comes after it comes as much later."""
    if wait is None:
        return spans
    end_s, change_s = wait.end_s, duration_s - wait.duration_s
    moved: list[Span] = []
    for span in spans:
        if span.id == wait.id:
            moved.append(replace(span, duration_s=duration_s, reading="carry"))
        elif span.start_s >= end_s - 1e-12:
            moved.append(replace(span, start_s=span.start_s + change_s))
        elif span.end_s >= end_s and span.start_s < wait.start_s and span.parent is None:
            moved.append(replace(span, duration_s=span.duration_s + change_s))
        else:
            moved.append(span)
    return moved
