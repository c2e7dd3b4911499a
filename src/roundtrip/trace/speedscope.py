"""Speedscope's evented profiles, one a lane (https://www.speedscope.app).

References
----------
.. [1] speedscope file format schema, https://www.speedscope.app/file-format-schema.json
"""

from __future__ import annotations

from typing import Any

from roundtrip.trace.json import dumps
from roundtrip.trace.lanes import Lane, Slice, lanes
from roundtrip.trace.model import Trace


def trace_speedscope(trace: Trace) -> str:
    """Return the trace as one evented profile for each lane, in seconds."""
    frames = [{"name": f"{span.id}: {span.title}"} for span in trace.spans]
    number = {span.id: i for i, span in enumerate(trace.spans)}
    body: dict[str, Any] = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "name": trace.prompt[:80],
        "exporter": "roundtrip",
        "activeProfileIndex": 0,
        "shared": {"frames": frames},
        "profiles": [_profile(lane, number) for lane in lanes(trace)],
    }
    return dumps(body, indent=None) + "\n"


def _profile(lane: Lane, number: dict[str, int]) -> dict[str, Any]:
    events: list[dict[str, Any]] = []
    stack: list[Slice] = []

    def close(until_ns: int | None) -> None:
        while stack and (until_ns is None or stack[-1].end_ns <= until_ns):
            piece = stack.pop()
            events.append({"type": "C", "frame": number[piece.span.id], "at": piece.end_ns / 1e9})

    for piece in lane.slices:
        close(piece.start_ns)
        events.append({"type": "O", "frame": number[piece.span.id], "at": piece.start_ns / 1e9})
        stack.append(piece)
    close(None)
    last = max((piece.end_ns for piece in lane.slices), default=0) / 1e9
    return {
        "type": "evented",
        "name": lane.title,
        "unit": "seconds",
        "startValue": 0.0,
        "endValue": last,
        "events": events,
    }
