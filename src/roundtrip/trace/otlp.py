"""OTLP JSON lines, which Jaeger, Tempo and every OpenTelemetry collector read: one line, one trace.

Each span names the service of its room and carries Roundtrip's own attributes under ``roundtrip.``; what had to end
first is a link. Ids are hexadecimal and times are strings of nanoseconds, as the JSON encoding asks for [1]_.

References
----------
.. [1] OpenTelemetry Protocol, JSON Protobuf encoding, https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
"""

from __future__ import annotations

import hashlib
from typing import Any

from roundtrip import __version__
from roundtrip.trace.json import dumps
from roundtrip.trace.model import Span, Trace

# A forecast has no date; all start here (2026-01-01T00:00:00Z) unless the caller says when.
EPOCH_NS = 1_767_225_600_000_000_000
INTERNAL = 1


def trace_otlp(trace: Trace, start_ns: int = EPOCH_NS, trace_id: str | None = None) -> str:
    """Return the trace as one line of OTLP JSON (``TracesData``).

    Parameters
    ----------
    trace : Trace
    start_ns : int
        Unix time at which the finger began to move [ns].
    trace_id : str, optional
        32 hexadecimal digits: that of a recorded trip, under which its server may have spans elsewhere. By default the
        same trip always has the same.
    """
    name = f"{trace.prompt}\0{trace.scenario}\0{trace.reading}"
    trace_id = trace_id or _hex(name, 16)
    rooms: dict[str, list[dict[str, Any]]] = {"roundtrip": [_root(trace, trace_id, start_ns)]}
    for span in trace.spans:
        rooms.setdefault(span.room, []).append(_span(span, trace_id, start_ns))
    body = {
        "resourceSpans": [
            {
                "resource": {"attributes": [_attribute("service.name", room)]},
                "scopeSpans": [{"scope": {"name": "roundtrip", "version": __version__}, "spans": spans}],
            }
            for room, spans in rooms.items()
        ]
    }
    return dumps(body, indent=None) + "\n"


def _root(trace: Trace, trace_id: str, start_ns: int) -> dict[str, Any]:
    end_s = max((span.end_s for span in trace.spans), default=0.0)
    attributes = [
        _attribute("roundtrip.prompt", trace.prompt),
        _attribute("roundtrip.scenario", str(trace.scenario.get("name", ""))),
    ]
    return {
        "traceId": trace_id,
        "spanId": _hex(trace_id, 8),
        "name": "trip",
        "kind": INTERNAL,
        "startTimeUnixNano": str(start_ns),
        "endTimeUnixNano": str(start_ns + round(end_s * 1e9)),
        "attributes": attributes,
    }


def _span(span: Span, trace_id: str, start_ns: int) -> dict[str, Any]:
    facts: dict[str, float | str | None] = {
        "title": span.title,
        "stage": span.name,
        "carrier": span.carrier,
        "grade": span.grade,
        "reading": span.reading,
        "electrons": span.electrons,
        "photons": span.photons,
        "bytes_in": span.bytes_in,
        "bytes_out": span.bytes_out,
        "sources": " ".join(span.sources),
        **{f"{head}_J": joules for head, joules in span.energy_J.items()},
        **span.attributes,
    }
    parent = f"{trace_id}{span.parent}" if span.parent else trace_id
    return {
        "traceId": trace_id,
        "spanId": _hex(trace_id + span.id, 8),
        "parentSpanId": _hex(parent, 8),
        "name": span.id,
        "kind": INTERNAL,
        "startTimeUnixNano": str(start_ns + round(span.start_s * 1e9)),
        "endTimeUnixNano": str(start_ns + round(span.end_s * 1e9)),
        "attributes": [_attribute(f"roundtrip.{name}", value) for name, value in facts.items() if value is not None],
        "links": [{"traceId": trace_id, "spanId": _hex(trace_id + before, 8)} for before in span.after],
    }


def _attribute(key: str, value: float | str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": value} if isinstance(value, str) else {"doubleValue": float(value)}}


def _hex(text: str, size: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[: 2 * size]
