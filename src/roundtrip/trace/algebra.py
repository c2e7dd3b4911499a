"""The rules by which a trace holds together, and the summary recomputed from its spans alone."""

from __future__ import annotations

from typing import Any, cast

from roundtrip.trace.model import HEADS, Trace


def starts(trace: Trace) -> dict[str, float]:
    """Return when each span must start: at the latest end of what it comes after, plus its lag."""
    ends: dict[str, float] = {}
    begins: dict[str, float] = {}
    for span in trace.spans:
        begins[span.id] = max((ends[a] for a in span.after), default=0.0) + span.lag_s
        ends[span.id] = begins[span.id] + span.duration_s
    return begins


def summary(trace: Trace) -> dict[str, Any]:
    """Return the summary figures that follow from the spans by the trace's own ``algebra``.

    Each rule is one of ``{"end_of": id}``, ``{"sum_of": [ids]}`` (durations), ``{"heads": true}`` (energy by head),
    ``{"attribute_of": [id, name]}``, ``{"attribute_sum": name}``, ``{"sum_figures": [names]}``,
    ``{"rooms": [rooms]}`` (joules of their spans) or
    ``{"ratio": [name, name]}``.
    """
    spans = {span.id: span for span in trace.spans}
    result: dict[str, Any] = {}
    for name, rule in trace.algebra.items():
        if "end_of" in rule:
            result[name] = spans[rule["end_of"]].end_s
        elif "sum_of" in rule:
            result[name] = sum(spans[i].duration_s for i in rule["sum_of"])
        elif "heads" in rule:
            result[name] = {head: sum(s.energy_J.get(head, 0.0) for s in trace.spans) for head in HEADS}
        elif "attribute_of" in rule:
            span_id, attribute = rule["attribute_of"]
            result[name] = spans[span_id].attributes[attribute]
        elif "attribute_sum" in rule:
            result[name] = sum(float(s.attributes.get(rule["attribute_sum"], 0.0)) for s in trace.spans)
        elif "rooms" in rule:
            result[name] = sum(s.total_J or 0.0 for s in trace.spans if s.room in rule["rooms"])
        elif "sum_figures" in rule:
            result[name] = sum(float(result[part]) for part in rule["sum_figures"])
        elif "ratio" in rule:
            top, bottom = (_total(result[part]) for part in rule["ratio"])
            result[name] = top / bottom
    return result


def _total(value: Any) -> float:
    return sum(cast("dict[str, float]", value).values()) if isinstance(value, dict) else float(value)
