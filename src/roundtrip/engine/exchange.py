"""The record of one request: when everything happened, what came back, and what cannot be known."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, cast

from roundtrip.engine.spans import Context, Span, span_of
from roundtrip.engine.sse import DONE, Event

# Names under which servers send the thoughts of a model that reasons.
REASONING = ("reasoning", "reasoning_content", "thinking")
STREAMED_SHARE = 0.01  # tokens that all come within this share of the wait were not streamed
FEW = 4  # of so few tokens nobody can say

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Token:
    """What one event brought: one token or several, which only the server knows.

    Attributes
    ----------
    at_ns : int
        When the read returned that brought it.
    text : str
        Empty where the server only says that something was made.
    channel : str
        ``content``, ``reasoning``, ``tool``, or ``hidden``.
    read : int
        Number of the read.
    tokens : int or None
        Tokens so far, where the server counts along.
    """

    at_ns: int
    text: str
    channel: str
    read: int
    tokens: int | None = None


@dataclass(slots=True)
class Exchange:
    """One request and its reply. Times are monotonic [ns]; None is what did not happen.

    Attributes
    ----------
    outcome : str
        ``complete``; ``empty`` (no token came); ``refused`` (a status of 400 or more); ``error`` (inside a stream that
        began well); ``cut`` (the stream broke off); ``stale`` (a kept connection had been closed); ``timeout``;
        ``unreachable``.
    names_ns, tcp_ns, tls_ns : (int, int) or None
        Start and end; None where a kept connection was used, or no TLS.
    headers_ns : int or None
        When the status line came: no token is in it.
    first_event_ns : int or None
        The first event of data, which may be empty.
    tokens : list of Token
        Every event that brought something.
    usage : dict or None
        As the server counted; None means that the tokens are not known.
    timings : dict or None
        The server's own times, where it tells them.
    server_spans : list of Span
        The server's spans, on its own clock.
    """

    context: Context
    start_ns: int
    outcome: str = "pending"
    error: str | None = None
    error_code: str | None = None
    status: int | None = None
    http_version: str = ""
    tls: str | None = None
    address: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    connection: int = 0
    reused: bool = False
    resent: bool = False
    connection_age_ns: int = 0
    names_ns: tuple[int, int] | None = None
    tcp_ns: tuple[int, int] | None = None
    tls_ns: tuple[int, int] | None = None
    request_start_ns: int | None = None
    request_head_ns: int | None = None
    request_end_ns: int | None = None
    headers_ns: int | None = None
    first_event_ns: int | None = None
    done_ns: int | None = None
    last_byte_ns: int | None = None
    end_ns: int = 0
    tokens: list[Token] = field(default_factory=list[Token])
    events: int = 0
    unreadable: int = 0
    reads: int = 0
    comments_ns: list[int] = field(default_factory=list[int])
    finish_reason: str | None = None
    usage: Body | None = None
    timings: Body | None = None
    clock: Body | None = None
    server_spans: list[Span] = field(default_factory=list[Span])
    logprobs: list[Body] = field(default_factory=list[Body])
    sent_B: int = 0
    received_B: int = 0
    body: bytes = b""
    message: Body = field(default_factory=dict[str, Any])

    @property
    def text(self) -> str:
        """The answer."""
        return "".join(token.text for token in self.tokens if token.channel == "content")

    @property
    def reasoning(self) -> str:
        """The thoughts before the answer."""
        return "".join(token.text for token in self.tokens if token.channel == "reasoning")

    @property
    def first_token_ns(self) -> int | None:
        """When the first token came, on any channel."""
        return self.tokens[0].at_ns if self.tokens else None

    @property
    def first_answer_ns(self) -> int | None:
        """When the first token of the answer itself came."""
        return next((token.at_ns for token in self.tokens if token.channel == "content"), None)

    @property
    def prompt_tokens(self) -> int | None:
        """Tokens of the prompt as the server counted."""
        return _count(self.usage, "prompt_tokens")

    @property
    def completion_tokens(self) -> int | None:
        """Tokens of the reply as the server counted."""
        return _count(self.usage, "completion_tokens")

    @property
    def cached_tokens(self) -> int | None:
        """Tokens of the prompt that the server did not need to compute again."""
        details = (self.usage or {}).get("prompt_tokens_details")
        return _count(cast("Body", details), "cached_tokens") if isinstance(details, dict) else None

    @property
    def tokens_per_event(self) -> float | None:
        """Tokens of the reply for each event that brought something."""
        count = self.completion_tokens
        return count / len(self.tokens) if count is not None and self.tokens else None

    @property
    def time_per_output_token_s(self) -> float | None:
        """Seconds for each token after those of the first event; None where the server does not say how many they were.

        As many events as tokens (or one fewer: the token that ends a reply has no text) means one token an event.
        """
        count = self.completion_tokens
        if count is None or len(self.tokens) < 2:
            return None
        first = self.tokens[0].tokens
        if first is None and len(self.tokens) in (count, count - 1):
            first, count = 1, len(self.tokens)
        if first is None or count <= first:
            return None
        return (self.tokens[-1].at_ns - self.tokens[0].at_ns) / 1e9 / (count - first)

    @property
    def streamed(self) -> bool | None:
        """Whether the tokens came as they were made: False if all came at once at the end; None with too few to say."""
        if len(self.tokens) <= FEW:
            return None
        spread_ns = self.tokens[-1].at_ns - self.tokens[0].at_ns
        return spread_ns > STREAMED_SHARE * max(self.tokens[-1].at_ns - (self.request_end_ns or self.start_ns), 1)

    @property
    def retry_after_s(self) -> float | None:
        """How long the server asked to wait."""
        text = self.headers.get("retry-after")
        if text is None:
            return None
        try:
            return float(text)
        except ValueError:
            pass
        try:
            return max(parsedate_to_datetime(text).timestamp() - time(), 0.0)
        except ValueError:
            return None

    def fail(self, outcome: str, message: str, code: str | None = None) -> None:
        """Say what went wrong; the first thing counts."""
        if self.outcome == "pending":
            self.outcome, self.error, self.error_code = outcome, message, code

    def settle(self) -> None:
        """Say how it ended, once it has."""
        if self.outcome == "pending":
            self.outcome = "complete" if self.tokens or self.message or self.body else "empty"

    def spans(self) -> list[Span]:
        """Return the client's spans: the request, and its parts in the order of time."""
        root = Span("client.request", self.start_ns, self.end_ns, self.context.trace_id, None, self.context.span_id)
        root.attributes = {"outcome": self.outcome, "status": self.status or 0, "connection": self.connection,
                           "reused": self.reused, "sent_B": self.sent_B, "received_B": self.received_B}  # fmt: skip
        found = [root]
        for name, times in (("names", self.names_ns), ("tcp", self.tcp_ns), ("tls", self.tls_ns)):
            if times is not None:
                found.append(root.child(f"client.{name}", *times))
        last_ns = self.tokens[-1].at_ns if self.tokens else None
        cuts = (
            ("client.send", self.request_start_ns, self.request_end_ns),
            ("client.wait_headers", self.request_end_ns, self.headers_ns),
            ("client.wait_first_token", self.headers_ns, self.first_token_ns),
            ("client.tokens", self.first_token_ns, last_ns),
            ("client.end", last_ns or self.headers_ns, self.last_byte_ns),
        )
        found += [root.child(name, a, b) for name, a, b in cuts if a is not None and b is not None and b >= a]
        return found


def _count(body: Body | None, name: str) -> int | None:
    value = (body or {}).get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _object(text: str | bytes) -> Body | None:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("Body", body) if isinstance(body, dict) else None


def read_chunk(record: Exchange, event: Event, on_token: Callable[[Token], None] | None) -> None:
    """Take one event of a stream."""
    if event.data.strip() == DONE:
        record.done_ns = event.at_ns
        return
    record.events += 1
    if record.first_event_ns is None:
        record.first_event_ns = event.at_ns
    chunk = _object(event.data)
    if chunk is None:
        record.unreadable += 1
        return
    if chunk.get("error") or event.name == "error":
        message, code = _error(chunk)
        record.fail("error", message, code)
        return
    before = record.completion_tokens or 0
    _told(record, chunk)
    choices = chunk.get("choices")
    choice: Any = cast("list[Any]", choices)[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return  # usage alone, a filter's result: no token
    ended = cast("Body", choice).get("finish_reason")
    if isinstance(ended, str):
        record.finish_reason = ended
    counted = record.completion_tokens if isinstance(chunk.get("usage"), dict) else None
    parts = _parts(cast("Body", choice))
    if not parts and counted is not None and counted > before and record.finish_reason is None:
        parts = [("hidden", "")]  # a parser of the server holds the text back; the count says that a token came
    for channel, text in parts:
        token = Token(event.at_ns, text, channel, event.read, counted)
        record.tokens.append(token)
        if on_token is not None:
            on_token(token)


def read_whole(record: Exchange) -> None:
    """Take a reply that was not streamed."""
    body = _object(record.body)
    if record.status is not None and record.status >= 300:
        message, code = _error(body) if body is not None else (record.body[:300].decode("utf-8", "replace"), None)
        record.fail("refused", f"{record.status}: {message}", code)
        return
    if body is None:
        return
    if body.get("error"):
        record.fail("error", *_error(body))
        return
    _told(record, body)
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return
    choice = cast("Body", choices[0])
    record.message = body
    record.finish_reason = choice.get("finish_reason")
    at_ns = record.last_byte_ns or record.start_ns
    record.tokens = [Token(at_ns, text, channel, 0) for channel, text in _parts(choice)]


def _told(record: Exchange, body: Body) -> None:
    """Keep what a server tells beside the tokens; it never moves a clock."""
    for name in ("usage", "timings", "clock"):
        if isinstance(body.get(name), dict):
            setattr(record, name, body[name])
    spans: Any = body.get("spans")
    if isinstance(spans, list):
        try:
            record.server_spans = [span_of(span) for span in cast("list[Any]", spans)]
        except ValueError:
            record.unreadable += 1
    choices: Any = body.get("choices")
    for choice in cast("list[Any]", choices)[:1] if isinstance(choices, list) else []:
        told: Any = cast("Body", choice).get("logprobs") if isinstance(choice, dict) else None
        content: Any = cast("Body", told).get("content") if isinstance(told, dict) else None
        if isinstance(content, list):
            record.logprobs += cast("list[Body]", content)


def _parts(choice: Body) -> list[tuple[str, str]]:
    """Return what a choice brings, by channel, in the order in which a model makes it."""
    delta: Any = choice.get("delta", choice.get("message"))
    if not isinstance(delta, dict):
        text = choice.get("text")
        return [("content", text)] if isinstance(text, str) and text else []
    found: list[tuple[str, str]] = []
    body = cast("Body", delta)
    thought = next((body[name] for name in REASONING if isinstance(body.get(name), str) and body[name]), None)
    if thought is not None:
        found.append(("reasoning", thought))
    content = body.get("content")
    if isinstance(content, str) and content:
        found.append(("content", content))
    if body.get("tool_calls"):
        found.append(("tool", json.dumps(body["tool_calls"], ensure_ascii=False)))
    return found


def _error(body: Body) -> tuple[str, str | None]:
    error: Any = body.get("error", body)
    if isinstance(error, dict):
        found = cast("Body", error)
        code = found.get("code") or found.get("type")
        return str(found.get("message") or found.get("type") or found)[:600], None if code is None else str(code)
    return str(error)[:600], None
