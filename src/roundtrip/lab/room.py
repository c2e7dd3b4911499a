"""The model inside the lab's server: the engine's own interface under the lab's address, and the live trace.

Nothing is loaded until somebody asks: the first question loads the weights in a thread, so the lab starts as fast as
without them. Where there are none the answer is one line that says how to get them. Requests are bounded as those of
``roundtrip serve``, only for fewer people.

Of each answer the room keeps, in memory and for a while, when each piece was handed to the connection: numbers without
a word of text. The page sends its own times to ``/live/trip`` and gets both joined to one tree.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from roundtrip.engine import engine as engine_room
from roundtrip.engine.engine import Engine
from roundtrip.engine.messages import RequestError, load
from roundtrip.engine.sampling import GREEDY
from roundtrip.engine.scheduler import Limits, Scheduler
from roundtrip.engine.sequence import Ended, Job, Output
from roundtrip.engine.server import Door, Settings, app, model_name, read_body, refusal, reply
from roundtrip.engine.spans import now_ns, parse_traceparent
from roundtrip.engine.weights import ModelMissing
from roundtrip.errors import ModelError, RoundtripError

LIMITS = Limits(queue=8, slots=4, pages=256)
TIMEOUT_S = 120.0
MOST_KEPT = 64  # answers whose times of writing are kept
WARM_S = 20.0
MOST_LOOKS = 2  # looks inside that are computed or wait
OFF = "the model is switched off (roundtrip lab --no-model)"

Body = dict[str, Any]


@dataclass(slots=True)
class Writing:
    """When the server took a request and handed out each piece of the answer, on its monotonic clock [ns].

    Attributes
    ----------
    pieces : list of (start_ns, end_ns, bytes)
        `bytes` is how many of the answer's body had been handed out at its end.
    """

    arrived_ns: int
    started_ns: int | None = None
    pieces: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])

    def as_dict(self) -> Body:
        """Return the JSON form."""
        return {"arrived_ns": self.arrived_ns, "started_ns": self.started_ns, "pieces": [list(p) for p in self.pieces]}


class Timed:
    """Notes when the pieces of an answer are handed to the connection, by the trace that its request names."""

    def __init__(self, inner: ASGIApp) -> None:
        self.inner = inner
        self._kept: OrderedDict[str, Writing] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        header = next((value for key, value in scope["headers"] if key == b"traceparent"), b"").decode("latin-1")
        context = parse_traceparent(header) if scope["method"] == "POST" else None
        if context is None:
            await self.inner(scope, receive, send)
            return
        writing = Writing(now_ns())
        self._kept[context.trace_id] = writing
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)
        sent_B = 0

        async def timed(message: Message) -> None:
            nonlocal sent_B
            start_ns = now_ns()
            await send(message)
            if message["type"] == "http.response.start":
                writing.started_ns = start_ns
            elif message.get("body"):
                sent_B += len(message["body"])
                writing.pieces.append((start_ns, now_ns(), sent_B))

        await self.inner(scope, receive, timed)

    def of(self, trace_id: str) -> Writing | None:
        """Return the times of an answer, if they are still kept."""
        return self._kept.get(trace_id)


@dataclass(frozen=True)
class Loaded:
    """A model that answers."""

    engine: Engine
    scheduler: Scheduler
    timed: Timed

    @property
    def name(self) -> str:
        """The name by which a page asks for it."""
        return model_name(self.engine)


class Room:
    """Where the model is, once somebody asks for it.

    Parameters
    ----------
    on : bool
        False answers every question with one line.
    path : Path, optional
        Weights of one's own; by default those that this machine has.
    """

    def __init__(self, on: bool = True, path: Path | None = None, limits: Limits = LIMITS) -> None:
        self.on = on
        self._path = path
        self._limits = limits
        self._lock = threading.Lock()
        self._loaded: Loaded | None = None
        self._looks = 0

    @property
    def awake(self) -> bool:
        """Whether the weights are loaded."""
        return self._loaded is not None

    def loaded(self) -> Loaded:
        """Return the model; the first time it is loaded, which takes about a second.

        Raises
        ------
        RequestError
            If it is switched off, or there are no weights; the message says how to get them.
        """
        if not self.on:
            raise RequestError(OFF, code="model_off", status=503, kind="server_error")
        with self._lock:
            if self._loaded is None:
                try:
                    engine = engine_room.load(self._path)
                except ModelMissing as error:
                    raise RequestError(str(error), code="model_missing", status=503, kind="server_error") from None
                except ModelError as error:
                    raise RequestError(str(error), code="model_broken", status=503, kind="server_error") from None
                scheduler = Scheduler(engine, self._limits)
                _warm(engine, scheduler)
                inner = app(engine, scheduler, Settings(limits=self._limits, timeout_s=TIMEOUT_S))
                self._loaded = Loaded(engine, scheduler, Timed(inner))
            return self._loaded

    def close(self) -> None:
        """Stop what is computed."""
        with self._lock:
            if self._loaded is not None:
                self._loaded.scheduler.close()
                self._loaded = None

    def routes(self) -> list[BaseRoute]:
        """Return what the lab's server answers with the model."""
        open_to = Settings(limits=self._limits)

        def inner(path: str) -> BaseRoute:
            return Route(path, Raw(Door(self._pass, open_to)))

        def own(path: str, method: str, answer: Callable[[Request], Awaitable[Response]]) -> BaseRoute:
            async def serve(scope: Scope, receive: Receive, send: Send) -> None:
                try:
                    found = await answer(Request(scope, receive))
                except ClientDisconnect:
                    return
                except RoundtripError as error:
                    found = refusal(error)
                await found(scope, receive, send)

            return Route(path, Raw(Door(serve, open_to)), methods=[method])

        return [
            *(inner(path) for path in ("/v1/{rest:path}", "/tokenize", "/detokenize", "/clock")),
            own("/live/model", "GET", self._model),
            own("/live/trip", "POST", self._trip),
            own("/live/export/{form}", "POST", self._export),
            own("/inside", "POST", self._inside),
        ]

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request to the engine's own application."""
        try:
            found = self._loaded or await asyncio.to_thread(self.loaded)
        except RoundtripError as error:
            await refusal(error)(scope, receive, send)
            return
        await found.timed(scope, receive, send)

    async def _model(self, _: Request) -> Response:
        """Say which model answers here, or why none does.

        Who asks is about to talk to it, so it is loaded, and the machine is measured once.
        """

        def told() -> Body:
            from roundtrip.engine.calibrate import calibration

            try:
                found = self.loaded()
            except RoundtripError as error:
                return {"missing": str(error)}
            numbers = calibration()
            card = found.engine.card
            return {
                "model": found.name,
                "parameters": card.parameters,
                "license": card.license,
                "context_token": card.context,
                "chat": found.engine.chat is not None,
                "processor": numbers.processor,
                "calibrated": numbers.date,
            }

        return reply(await asyncio.to_thread(told))

    async def _trip(self, request: Request) -> Response:
        """Join what the page measured with what the server measured."""
        from roundtrip.lab.live import trip

        body = load(await read_body(request))
        return reply(await asyncio.to_thread(lambda: trip(self.whole(body), self._engine)))

    async def _export(self, request: Request) -> Response:
        """Return a trip as a file of another program's format."""
        from roundtrip.lab.live import exported

        form = str(request.path_params["form"])
        body = load(await read_body(request))
        text, kind = await asyncio.to_thread(lambda: exported(self.whole(body), form, self._engine))
        return Response(text, headers={"content-type": kind, "cache-control": "no-store"})

    async def _inside(self, request: Request) -> Response:
        """Look inside the model at the reader's own prompt."""
        from roundtrip.lab.own import own

        body = load(await read_body(request))
        if self._looks >= MOST_LOOKS:
            raise RequestError("the machine looks inside for others already", code="queue_full", status=429,
                               kind="overloaded_error", retry_after_s=2.0)  # fmt: skip
        self._looks += 1
        try:
            return reply(await asyncio.to_thread(lambda: own(self.loaded().engine, body.get("prompt"))))
        finally:
            self._looks -= 1

    @property
    def _engine(self) -> Engine | None:
        return self._loaded.engine if self._loaded else None

    def whole(self, body: Body) -> Body:
        """Return what a page measured with what the server kept of the same trace beside it."""
        if body.get("writing") is not None or self._loaded is None:
            return body
        writing = self._loaded.timed.of(str(body.get("trace_id", ""))[:64])
        card = self._loaded.engine.card
        model = {"name": self._loaded.name, "parameters": card.parameters, "license": card.license}
        return {**body, "writing": writing.as_dict() if writing else None, "model": model}


def _warm(engine: Engine, scheduler: Scheduler) -> None:
    """Let the model make two tokens that nobody sees: the first answer shall not pay for what happens once."""
    done = threading.Event()

    def take(output: Output) -> None:
        if isinstance(output, Ended):
            done.set()

    ids = engine.tokenizer.encode("warm")
    scheduler.submit(Job(ids, GREEDY, 2, frozenset(), top=1, reuse=False), take)
    done.wait(WARM_S)


class Raw:
    """An endpoint that speaks to the wire itself."""

    def __init__(self, serve: ASGIApp) -> None:
        self.serve = serve

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.serve(scope, receive, send)
