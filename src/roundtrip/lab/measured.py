"""What a page measured of one answer, read and checked: its own clock, its own marks, and what the server told it.

A page sends milliseconds of ``performance.now()``; here they are whole nanoseconds of the same clock. The server's
times are nanoseconds of its monotonic clock. Nothing is believed: what cannot be is refused in one line.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import Any, cast

from roundtrip.engine.spans import Span, span_of
from roundtrip.errors import DomainError

MOST = 20_000  # entries of one list
LONGEST = 200_000  # characters of one text
LATEST_MS = 1e11
SCHEMA = "roundtrip.live/1"

Body = dict[str, Any]


class MeasureError(DomainError):
    """What a page sent is no measurement of an answer."""


@dataclass(frozen=True, slots=True)
class Said:
    """A token of the answer: its text, how likely it was, the likeliest others, and where its event ended in the body.

    Attributes
    ----------
    logprob : float or None
        Natural logarithm of its probability; None where the server did not tell.
    end_B : int
        Bytes of the answer's body up to the end of the event that brought it.
    """

    text: str
    logprob: float | None
    top: tuple[tuple[str, float], ...]
    end_B: int


@dataclass(frozen=True, slots=True)
class Measured:
    """One answer as the page saw it.

    Attributes
    ----------
    key_ns, handle_ns, call_ns : int
        The key press by its own time stamp; the first line of the page's code; when the request was handed to the
        browser.
    resource : dict
        Marks of the browser's own resource timing [ns]; empty where it told none.
    reads : list of (at_ns, bytes)
        When a read returned, and how many bytes of the body there were then.
    commits : list of (start_ns, end_ns, read)
        When text was put into the page, and of which read.
    frames : list of (start_ns, end_ns, commit)
        When a picture was drawn, and the last commit that it shows.
    clock : list of (sent_ns, received_ns, answered_ns, back_ns)
        Round trips to the server's clock.
    pieces : list of (start_ns, end_ns, bytes)
        When the server handed out the pieces of the body, on its clock; empty where it is not known.
    """

    trace_id: str
    span_id: str
    prompt: str
    answer: str
    unix_ms: float
    key_ns: int
    handle_ns: int
    call_ns: int
    by: str = "key"
    resource: dict[str, int] = field(default_factory=dict[str, int])
    reads: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    commits: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    frames: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    clock: list[tuple[int, int, int, int]] = field(default_factory=list[tuple[int, int, int, int]])
    spans: list[Span] = field(default_factory=list[Span])
    tokens: list[Said] = field(default_factory=list[Said])
    pieces: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int = 0
    finish: str = ""
    model: Body = field(default_factory=dict[str, Any])
    browser: str = ""
    recorded: Body = field(default_factory=dict[str, Any])


def read(body: Body) -> Measured:
    """Return a measurement out of its JSON form.

    Raises
    ------
    MeasureError
        If it is none.
    """
    if body.get("schema") != SCHEMA:
        raise MeasureError(f"schema: expected {SCHEMA}")
    trace_id = _text(body, "trace_id", 32)
    span_id = _text(body, "span_id", 16)
    if not re.fullmatch(r"[0-9a-f]{32}", trace_id) or not re.fullmatch(r"[0-9a-f]{16}", span_id):
        raise MeasureError("trace_id and span_id: expected hexadecimal digits")
    usage = _object(body.get("usage"))
    details = _object(usage.get("prompt_tokens_details"))
    found = Measured(
        trace_id=trace_id,
        span_id=span_id,
        prompt=_text(body, "prompt"),
        answer=_text(body, "answer"),
        unix_ms=_number(body.get("unix_ms", 0.0), "unix_ms", 1e14),
        key_ns=_ns(body.get("key_ms"), "key_ms"),
        handle_ns=_ns(body.get("handle_ms"), "handle_ms"),
        call_ns=_ns(body.get("call_ms"), "call_ms"),
        by="pointer" if body.get("by") == "pointer" else "key",
        resource={name[:40]: _ns(ms, name) for name, ms in _object(body.get("resource")).items() if ms},
        reads=[(_ns(at, "reads"), _count(size, "reads")) for at, size in _rows(body, "reads", 2)],
        commits=[(_ns(a, "commits"), _ns(b, "commits"), _count(n, "commits")) for a, b, n in _rows(body, "commits", 3)],
        frames=[(_ns(a, "frames"), _ns(b, "frames"), _count(n, "frames")) for a, b, n in _rows(body, "frames", 3)],
        clock=[
            (_ns(a, "clock"), _count(b, "clock"), _count(c, "clock"), _ns(d, "clock"))
            for a, b, c, d in _rows(body, "clock", 4)
        ],
        spans=_spans(body, trace_id),
        tokens=[_said(row) for row in _rows(body, "tokens", 4)],
        pieces=_pieces(body.get("writing")),
        prompt_tokens=_maybe(usage.get("prompt_tokens")),
        output_tokens=_maybe(usage.get("completion_tokens")),
        cached_tokens=_maybe(details.get("cached_tokens")) or 0,
        finish=_text(body, "finish", 40) if body.get("finish") else "",
        model=_object(body.get("model")),
        browser=_text(body, "browser", 300) if body.get("browser") else "",
        recorded=_object(body.get("recorded")),
    )
    _ordered(found)
    return found


def _ordered(m: Measured) -> None:
    """Refuse times that go backwards, and indexes that point nowhere."""
    if not m.key_ns <= m.handle_ns <= m.call_ns:
        raise MeasureError("key_ms, handle_ms, call_ms: expected one after the other")
    for name, starts in (("reads", [r[0] for r in m.reads]), ("commits", [c[0] for c in m.commits]),
                         ("frames", [f[0] for f in m.frames])):  # fmt: skip
        if any(a > b for a, b in zip([m.call_ns, *starts], starts, strict=False)):
            raise MeasureError(f"{name}: times go backwards")
    for name, rows, most in (("commits", m.commits, len(m.reads)), ("frames", m.frames, len(m.commits))):
        if any(not (a <= b and n < most) for a, b, n in rows):
            raise MeasureError(f"{name}: an end before its start, or an index of nothing")
    if any(a > b for a, b, _ in m.pieces) or any(not (a <= d and b <= c) for a, b, c, d in m.clock):
        raise MeasureError("writing, clock: an end before its start")


def _object(value: Any) -> Body:
    return cast("Body", value) if isinstance(value, dict) else {}


def _rows(body: Body, name: str, width: int) -> list[list[Any]]:
    rows: Any = body.get(name, [])
    if not isinstance(rows, list) or len(cast("list[Any]", rows)) > MOST:
        raise MeasureError(f"{name}: expected a list of at most {MOST:,}")
    for row in cast("list[Any]", rows):
        if not isinstance(row, list) or len(cast("list[Any]", row)) != width:
            raise MeasureError(f"{name}: expected {width} values in each")
    return cast("list[list[Any]]", rows)


def _text(body: Body, name: str, longest: int = LONGEST) -> str:
    value = body.get(name)
    if not isinstance(value, str) or len(value) > longest:
        raise MeasureError(f"{name}: expected text of at most {longest:,} characters")
    return value


def _number(value: Any, name: str, most: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or abs(value) > most:
        raise MeasureError(f"{name}: expected a number")
    return float(value)


def _ns(value: Any, name: str) -> int:
    ms = _number(value, name, LATEST_MS)
    if ms < 0.0:
        raise MeasureError(f"{name}: expected no negative time")
    return round(ms * 1e6)


def _count(value: Any, name: str) -> int:
    number = _number(value, name, 1e19)
    if number < 0.0 or number != int(number):
        raise MeasureError(f"{name}: expected a whole number")
    return int(value)


def _maybe(value: Any) -> int | None:
    return None if value is None else _count(value, "usage")


def _said(row: list[Any]) -> Said:
    text, logprob, top, end_B = row
    if not isinstance(text, str) or not isinstance(top, list):
        raise MeasureError("tokens: expected text, logarithm, others and bytes")
    others: list[tuple[str, float]] = []
    for other in cast("list[Any]", top)[:10]:
        if not isinstance(other, list) or len(cast("list[Any]", other)) != 2:
            raise MeasureError("tokens: expected each other as text and logarithm")
        others.append((str(other[0])[:200], _number(other[1], "tokens", 1e6)))
    known = None if logprob is None else _number(logprob, "tokens", 1e6)
    return Said(text[:400], known, tuple(others), _count(end_B, "tokens"))


def _spans(body: Body, trace_id: str) -> list[Span]:
    """Return the server's spans of this very trace; those of another are not ours."""
    rows: Any = body.get("spans", [])
    if not isinstance(rows, list) or len(cast("list[Any]", rows)) > MOST:
        raise MeasureError("spans: expected a list")
    try:
        found = [span_of(row) for row in cast("list[Any]", rows)]
    except ValueError as error:
        raise MeasureError(f"spans: {error}") from None
    if any(span.end_ns < span.start_ns for span in found):
        raise MeasureError("spans: an end before its start")
    return [span for span in found if span.trace_id == trace_id]


def _pieces(writing: Any) -> list[tuple[int, int, int]]:
    rows = _rows(_object(writing), "pieces", 3)
    return [(_count(a, "writing"), _count(b, "writing"), _count(c, "writing")) for a, b, c in rows]
