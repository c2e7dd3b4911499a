"""An answer whose every moment is known: what page and server would have measured of it, by two clocks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

TRACE, SPAN, SERVER = "ab" * 16, "cd" * 8, "ef" * 8


@dataclass
class World:
    """Moments in milliseconds after the key press; the server's clock is `ahead_ms` ahead of the page's.

    A gap of `lost_ms` lies between tokenizing and the queue: nobody measures it.
    """

    ahead_ms: float = 987_654.321
    page_ms: float = 5_000.0
    lost_ms: float = 3.0
    prefill_ms: float = 100.0
    token_ms: float = 20.0
    tokens: tuple[str, ...] = (" Paris", " is", " it", ".")
    wire_ms: float = 0.4
    probes: tuple[tuple[float, float], ...] = ((2.0, 1.0), (0.5, 0.5), (0.3, 3.0))
    body_B: list[int] = field(default_factory=list)

    def server_ns(self, ms: float) -> int:
        return round((self.page_ms + ms + self.ahead_ms) * 1e6)

    def raw(self) -> dict[str, Any]:
        """Return the page's measurement with the server's writing."""
        at = 4.0  # arrival
        spans: list[dict[str, Any]] = []

        def span(name: str, start: float, end: float, parent: str, id: str, **attributes: Any) -> None:
            spans.append({"trace_id": TRACE, "span_id": id, "parent_span_id": parent, "name": name,
                          "start_ns": self.server_ns(start), "end_ns": self.server_ns(end),
                          "attributes": attributes})  # fmt: skip

        queue = at + 1.0 + self.lost_ms
        began = queue + 2.0
        first = began + self.prefill_ms
        last = first + (len(self.tokens) - 1) * self.token_ms
        span("server.receive", at, at + 0.5, SERVER, "01" * 8)
        span("server.tokenize", at + 0.5, at + 1.0, SERVER, "02" * 8, tokens=9)
        span("server.queue", queue, began, SERVER, "03" * 8)
        span("server.prefill", began, first, SERVER, "04" * 8, tokens=9, cached=0)
        span("server.step", began + 0.1, first, "04" * 8, "05" * 8, tokens=9, all_tokens=9, requests=1)
        span("server.decode", first, last, SERVER, "06" * 8, tokens=len(self.tokens))
        reads: list[list[float]] = []
        commits: list[list[float]] = []
        frames: list[list[float]] = []
        tokens: list[list[Any]] = []
        pieces: list[list[int]] = []
        size = 0
        made = first
        for number, text in enumerate(self.tokens):
            if number:
                span("server.step", made + 0.2, made + self.token_ms, "06" * 8, f"{16 + number:016x}", tokens=1,
                     all_tokens=1, requests=1)  # fmt: skip
                made += self.token_ms
            size += 100 + len(text)
            pieces.append([self.server_ns(made + 0.3), self.server_ns(made + 0.4), size])
            read = made + 0.4 + self.wire_ms
            reads.append([self.page_ms + read, size])
            commits.append([self.page_ms + read + 0.2, self.page_ms + read + 0.3, number])
            frames.append([self.page_ms + read + 5.0, self.page_ms + read + 7.0, number])
            tokens.append([text, -0.5, [[text, -0.5], [" x", -2.0]], size])
        self.end_ms = made + 0.4 + self.wire_ms + 7.0
        span("server.request", at, made + 0.4, SPAN, SERVER)
        clock: list[list[float]] = []
        for number, (there, back) in enumerate(self.probes):
            sent = 400.0 + 10.0 * number
            clock.append([self.page_ms + sent, self.server_ns(sent + there), self.server_ns(sent + there + 0.1),
                          self.page_ms + sent + there + 0.1 + back])  # fmt: skip
        return {
            "schema": "roundtrip.live/1", "trace_id": TRACE, "span_id": SPAN, "prompt": "The capital of France is",
            "answer": "".join(self.tokens), "unix_ms": 1_790_000_000_000.0, "by": "key", "key_ms": self.page_ms,
            "handle_ms": self.page_ms + 1.0, "call_ms": self.page_ms + 2.0,
            "resource": {"fetchStart": self.page_ms + 2.1, "requestStart": self.page_ms + 3.5},
            "reads": reads, "commits": commits, "frames": frames, "clock": clock, "tokens": tokens, "spans": spans,
            "usage": {"prompt_tokens": 9, "completion_tokens": len(self.tokens)}, "finish": "stop",
            "writing": {"pieces": pieces}, "model": {"name": "tiny", "parameters": 1000, "license": "none"},
        }  # fmt: skip
