"""Spans of one request, joined across the wire by the W3C trace context [1]_.

The client makes a trace and a span of its own and says both in the header ``traceparent``; the server's spans become
children of the client's. Each side measures on its own monotonic clock, in nanoseconds; `Offset` says how far the two
clocks lie apart, and how well that is known.

References
----------
.. [1] W3C, Trace Context, https://www.w3.org/TR/trace-context/
"""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

# version - trace - parent - flags; a later version may have more after the flags
TRACEPARENT = re.compile(r"^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$")

Value = float | int | str | bool

now_ns = time.perf_counter_ns  # the one monotonic clock of a process; on Linux and macOS of the machine


def new_trace_id() -> str:
    """Return 16 random bytes as hexadecimal digits."""
    return secrets.token_hex(16)


def new_span_id() -> str:
    """Return 8 random bytes as hexadecimal digits."""
    return secrets.token_hex(8)


@dataclass(frozen=True, slots=True)
class Context:
    """Which span of which trace something belongs to."""

    trace_id: str
    span_id: str
    sampled: bool = True

    @property
    def header(self) -> str:
        """The value of ``traceparent``."""
        return f"00-{self.trace_id}-{self.span_id}-{'01' if self.sampled else '00'}"


def parse_traceparent(text: str | None) -> Context | None:
    """Return the context of a header; None where it is missing or broken: it is then ignored, as the standard asks."""
    found = TRACEPARENT.match(text.strip()) if text else None
    if found is None:
        return None
    version, trace_id, span_id, flags, more = found.groups()
    if version == "ff" or (version == "00" and more) or not int(trace_id, 16) or not int(span_id, 16):
        return None
    return Context(trace_id, span_id, bool(int(flags, 16) & 1))


@dataclass(slots=True)
class Span:
    """A stretch of time of one side.

    Attributes
    ----------
    name : str
        For example ``server.prefill``.
    start_ns, end_ns : int
        On the monotonic clock of the side that measured it.
    parent_id : str or None
        Id of the span that it is a part of.
    """

    name: str
    start_ns: int
    end_ns: int
    trace_id: str
    parent_id: str | None = None
    span_id: str = field(default_factory=new_span_id)
    attributes: dict[str, Value] = field(default_factory=dict[str, Value])

    def child(self, name: str, start_ns: int, end_ns: int, **attributes: Value) -> Span:
        """Return a part of this span."""
        return Span(name, start_ns, end_ns, self.trace_id, self.span_id, attributes=attributes)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "trace_id": self.trace_id,
            "span_id": self.span_id,
            "parent_span_id": self.parent_id,
            "name": self.name,
            "start_ns": self.start_ns,
            "end_ns": self.end_ns,
            "attributes": dict(self.attributes),
        }


def span_of(body: Any) -> Span:
    """Return the span of a JSON form.

    Raises
    ------
    ValueError
        If it is none.
    """
    try:
        return Span(
            str(body["name"]), int(body["start_ns"]), int(body["end_ns"]), str(body["trace_id"]),
            body.get("parent_span_id"), str(body["span_id"]), dict(body.get("attributes") or {}),
        )  # fmt: skip
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a span: {error}") from None


@dataclass(frozen=True, slots=True)
class Offset:
    """How far another clock is ahead of ours.

    Attributes
    ----------
    ahead_ns : int
        What the other clock shows minus what ours shows.
    error_ns : int
        The true offset lies within this of `ahead_ns`: half of the fastest round trip.
    rounds : int
        Round trips measured.
    """

    ahead_ns: int
    error_ns: int
    rounds: int

    def here_ns(self, there_ns: int) -> int:
        """Return what our clock showed when the other one showed `there_ns`."""
        return there_ns - self.ahead_ns


def offset(exchanges: Iterable[tuple[int, int, int, int]]) -> Offset | None:
    """Return the offset that the fastest of some exchanges shows; None without one.

    Parameters
    ----------
    exchanges : iterable of (sent_ns, received_there_ns, answered_there_ns, received_ns)
        The first and the last on our clock, the others on the other clock.
    """
    best: tuple[int, int] | None = None
    rounds = 0
    for sent, received_there, answered_there, received in exchanges:
        rounds += 1
        trip_ns = (received - sent) - (answered_there - received_there)
        ahead_ns = ((received_there - sent) + (answered_there - received)) // 2
        if best is None or trip_ns < best[0]:
            best = trip_ns, ahead_ns
    return None if best is None else Offset(best[1], max(best[0], 0) // 2 + 1, rounds)


def tree(spans: Iterable[Span]) -> dict[str | None, list[Span]]:
    """Return the spans by the id of their parent, each list in the order of time; roots stand under None.

    A span whose parent is not among the spans is a root.
    """
    held = list(spans)
    known = {span.span_id for span in held}
    found: dict[str | None, list[Span]] = {}
    for span in sorted(held, key=lambda s: (s.start_ns, -s.end_ns)):
        found.setdefault(span.parent_id if span.parent_id in known else None, []).append(span)
    return found
