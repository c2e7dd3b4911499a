"""One answer on its way out: from the engine's thread to the wire, until it ends or its reader is gone."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from typing import Any

from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from roundtrip.engine.messages import Ask, RequestError
from roundtrip.engine.replies import DONE, Body, Writer, dumps, event
from roundtrip.engine.scheduler import Scheduler
from roundtrip.engine.sequence import Began, Ended, Job, Made, Output, Sequence
from roundtrip.engine.spans import Span, new_trace_id, now_ns, parse_traceparent

KEEP_ALIVE_S = 10.0
KEEP_ALIVE = b": the request waits or is computed\n\n"
STATUS = {"timeout": 504, "abort": 503, "error": 500}


class Answer:
    """The reply to one request that was understood.

    Parameters
    ----------
    asked : Ask
    headers : Headers
        Of the request: ``traceparent`` and ``x-roundtrip-spans``.
    arrived_ns, received_ns, read_ns : int
        When its head had come, when its body had come, and when it was cut into tokens.
    """

    def __init__(self, asked: Ask, headers: Headers, arrived_ns: int, received_ns: int, read_ns: int) -> None:
        self.asked = asked
        self.id = f"{'chatcmpl' if asked.chat else 'cmpl'}-{secrets.token_hex(12)}"
        self.arrived_ns, self.received_ns, self.read_ns = arrived_ns, received_ns, read_ns
        self.context = parse_traceparent(headers.get("traceparent"))
        self.tells_spans = asked.spans or headers.get("x-roundtrip-spans", "0") not in ("", "0", "false")
        self._outputs: asyncio.Queue[Output] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self._scheduler: Scheduler
        self._sequence: Sequence
        self._writer: Writer

    def begin(self, scheduler: Scheduler, job: Job, model: str, fingerprint: str) -> None:
        """Hand the request to the engine.

        Raises
        ------
        Refused
            If it does not take it.
        """
        self._scheduler = scheduler
        self._sequence = scheduler.submit(job, self._deliver)
        self._writer = Writer(self.asked, self.id, model, scheduler.engine.tokenizer, self._sequence, fingerprint)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer, and stop the engine's work on it when nobody is there any more."""
        gone = asyncio.create_task(_gone(receive))
        sent = asyncio.create_task(self._stream(send) if self.asked.stream else self._whole(send))
        try:
            await asyncio.wait({gone, sent}, return_when=asyncio.FIRST_COMPLETED)
            if sent.done():
                sent.result()
        finally:
            if self._sequence.ended_ns is None:
                self._scheduler.cancel(self._sequence)
            for task in (gone, sent):
                task.cancel()
            await asyncio.gather(gone, sent, return_exceptions=True)

    def _deliver(self, output: Output) -> None:
        """Bring an output from the engine's thread to the loop's."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: the server has stopped, and nobody reads
            self._loop.call_soon_threadsafe(self._outputs.put_nowait, output)

    async def _stream(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self._head("text/event-stream")})

        async def say(*bodies: Body | None) -> None:
            data = b"".join(event(body) for body in bodies if body is not None)
            if data:
                await send({"type": "http.response.body", "body": data, "more_body": True})

        while True:
            try:
                async with asyncio.timeout(KEEP_ALIVE_S):
                    output = await self._outputs.get()
            except TimeoutError:
                await send({"type": "http.response.body", "body": KEEP_ALIVE, "more_body": True})
                continue
            if isinstance(output, Made):
                await say(self._writer.take(output))
            elif isinstance(output, Began):
                await say(self._writer.role() if self.asked.chat else None)
            else:
                await say(*self._closing(output))
                await send({"type": "http.response.body", "body": DONE, "more_body": False})
                return

    def _closing(self, ended: Ended) -> list[Body | None]:
        if ended.problem is not None:
            return [_problem(ended).body()]
        last = self._writer.last(ended.reason)
        rest = self._writer.rest(ended.text)
        if self.asked.include_usage:
            return [rest, last, self._writer.counts(self._told())]
        return [rest, {**last, **self._told()}]

    async def _whole(self, send: Send) -> None:
        while True:
            output = await self._outputs.get()
            if isinstance(output, Made):
                self._writer.add(output)
            elif isinstance(output, Ended):
                break
        status, headers = 200, self._head("application/json")
        if output.problem is not None:
            error = _problem(output)
            status, body = error.status, error.body()
        else:
            self._writer.text.append(output.text)
            told = self._told()
            headers.append((b"server-timing", _server_timing(told["timings"]).encode()))
            body = self._writer.whole(output.reason, told)
        data = dumps(body).encode()
        headers.append((b"content-length", str(len(data)).encode()))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": data, "more_body": False})

    def _head(self, kind: str) -> list[tuple[bytes, bytes]]:
        found = [(b"content-type", kind.encode()), (b"cache-control", b"no-store"), (b"x-request-id", self.id.encode())]
        if self.asked.stream:  # the other times are not known yet: they stand in the last chunk
            found.append((b"server-timing", f"tokenize;dur={self._tokenize_ms():.3f}".encode()))
            found.append((b"x-accel-buffering", b"no"))
        return found

    def _tokenize_ms(self) -> float:
        return (self.read_ns - self.received_ns) / 1e6

    def _told(self) -> Body:
        """Return what the server tells of itself: times, and spans if they were asked for."""
        timings = self._sequence.timings(self.asked.timings_per_token)
        timings = {"receive_ms": (self.received_ns - self.arrived_ns) / 1e6, "tokenize_ms": self._tokenize_ms(),
                   **timings}  # fmt: skip
        told: dict[str, Any] = {"timings": timings}
        if self.tells_spans:
            told["spans"] = [span.as_dict() for span in self.spans()]
            told["clock"] = {"monotonic_ns": now_ns(), "unix_ns": time.time_ns()}
        return told

    def spans(self) -> list[Span]:
        """Return the server's spans, the whole first."""
        trace_id = self.context.trace_id if self.context else new_trace_id()
        parent = self.context.span_id if self.context else None
        whole = Span("server.request", self.arrived_ns, now_ns(), trace_id, parent)
        whole.attributes = {"id": self.id, "stream": self.asked.stream}
        return [
            whole,
            whole.child("server.receive", self.arrived_ns, self.received_ns),
            whole.child("server.tokenize", self.received_ns, self.read_ns, tokens=len(self._sequence.job.ids)),
            *self._sequence.spans(whole),
        ]


def _problem(ended: Ended) -> RequestError:
    kind = "timeout_error" if ended.reason == "timeout" else "server_error"
    return RequestError(ended.problem or "aborted", code=ended.reason, status=STATUS[ended.reason], kind=kind)


def _server_timing(timings: Body) -> str:
    names = (("queue", "queue_ms"), ("tokenize", "tokenize_ms"), ("prefill", "prompt_ms"), ("decode", "predicted_ms"))
    return ", ".join(f"{name};dur={timings[key]:.3f}" for name, key in names)


async def _gone(receive: Receive) -> None:
    """Return when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass
