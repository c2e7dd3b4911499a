"""The critical path: the spans that one after the other decide when a span can end."""

from __future__ import annotations

from roundtrip.trace.model import Span, Trace


def critical_path(trace: Trace, figure: str = "time_to_first_token_s") -> list[Span]:
    """Return the spans on the way to a figure of the kind ``end_of``, first to last; empty if it is of another kind."""
    spans = {span.id: span for span in trace.spans}
    span = spans.get(trace.algebra.get(figure, {}).get("end_of", ""))
    path: list[Span] = []
    while span is not None:
        path.append(span)
        before = [spans[i] for i in span.after if i in spans]
        span = max(before, key=lambda s: s.end_s) if before else None
    return path[::-1]
