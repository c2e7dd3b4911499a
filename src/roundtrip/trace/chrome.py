"""Chrome's trace event format, which Perfetto opens (https://ui.perfetto.dev).

References
----------
.. [1] Trace Event Format, https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import math
from typing import Any

from roundtrip.trace.json import dumps
from roundtrip.trace.lanes import lanes
from roundtrip.trace.model import Trace

# Names of Chrome's palette that come nearest to the carriers' hues.
COLORS = {
    "moving charge": "thread_state_runnable",
    "photons": "thread_state_iowait",
    "stored charge": "good",
    "waiting": "grey",
    "heat": "terrible",
    "motion": "generic_work",
    "chemistry": "olive",
}


def trace_chrome(trace: Trace) -> str:
    """Return complete events ("X") on one track a lane; slices of a track nest or follow, they never overlap."""
    events: list[dict[str, Any]] = [
        {
            "ph": "M",
            "pid": 1,
            "tid": 0,
            "name": "process_name",
            "args": {"name": f"Roundtrip: {trace.scenario.get('title', '')}"},
        }
    ]
    for tid, lane in enumerate(lanes(trace), start=1):
        events.append({"ph": "M", "pid": 1, "tid": tid, "name": "thread_name", "args": {"name": lane.title}})
        events.append({"ph": "M", "pid": 1, "tid": tid, "name": "thread_sort_index", "args": {"sort_index": tid}})
        ends: dict[tuple[str | None, int], float] = {}
        for piece in lane.slices:
            span = piece.span
            start_us, end_us = piece.start_ns / 1e3, piece.end_ns / 1e3
            end_us = ends.get((span.parent, piece.end_ns), end_us)
            duration_us = end_us - start_us
            while start_us + duration_us > end_us:  # a last bit must not reach out of its whole, nor into the next
                duration_us = math.nextafter(duration_us, 0.0)
            ends[span.id, piece.end_ns] = start_us + duration_us
            arguments: dict[str, Any] = {
                "title": span.title,
                "carrier": span.carrier,
                "grade": span.grade,
                "duration_s": span.duration_s,
            }
            arguments |= {f"{head}_J": joules for head, joules in span.energy_J.items()}
            arguments |= {
                n: v for n in ("electrons", "photons", "bytes_in", "bytes_out") if (v := getattr(span, n)) is not None
            }
            arguments |= span.attributes
            events.append(
                {
                    "ph": "X",
                    "pid": 1,
                    "tid": tid,
                    "ts": start_us,
                    "dur": duration_us,
                    "name": span.id,
                    "cat": span.carrier,
                    "cname": COLORS[span.carrier],
                    "args": arguments,
                }
            )
    other = {"schema": "roundtrip.trace/1", "prompt": trace.prompt, "reading": trace.reading}
    return dumps({"displayTimeUnit": "ms", "otherData": other, "traceEvents": events}, indent=None) + "\n"
