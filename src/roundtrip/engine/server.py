"""The HTTP server of the engine: the OpenAI interface, streamed and whole, and what it tells of itself.

``/v1/chat/completions``, ``/v1/completions``, ``/v1/models``, ``/tokenize``, ``/detokenize``, ``/health``,
``/metrics``, ``/clock``, ``/reset_prefix_cache``. The last chunk of an answer carries ``timings``; with ``"spans":
true`` (or the header ``x-roundtrip-spans: 1``) it carries the server's spans too, children of the span in the header
``traceparent``. Their times are nanoseconds of this server's monotonic clock; ``clock`` says what that clock and the
wall clock showed at one moment, and ``/clock`` lets a client measure how far its own is off.

The headers of a stream are sent when the request is taken on, the role-only chunk when it leaves the queue, the first
token when there is one. Pages of other sites get nothing: there are no CORS headers, and a foreign ``Origin`` is
refused.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from roundtrip import __version__
from roundtrip.engine import metrics
from roundtrip.engine.answer import Answer
from roundtrip.engine.engine import Engine
from roundtrip.engine.messages import Ask, Body, RequestError, ask, check_model, ids_of, load, read_messages, text_of
from roundtrip.engine.replies import dumps
from roundtrip.engine.sampling import GREEDY
from roundtrip.engine.scheduler import Limits, Refused, Scheduler
from roundtrip.engine.sequence import Job
from roundtrip.engine.spans import now_ns
from roundtrip.errors import RoundtripError

LARGEST_BODY_B = 2_000_000
LARGEST_DRAINED_B = 64_000_000  # of a body that is too large: read and dropped, so that its sender reads the answer
BODY_S = 30.0
LOOPBACK = ("127.0.0.1", "localhost", "::1")
STATUS = {"queue_full": 429, "draining": 503, "too_long": 400}


@dataclass(frozen=True)
class Settings:
    """How a server behaves.

    Attributes
    ----------
    limits : Limits
    api_key : str or None
        What a client must send as bearer token; None asks for nothing.
    timeout_s : float
        For one answer, from arrival to end [s].
    hosts : tuple of str or None
        Names of this machine that are answered; None answers to any.
    """

    limits: Limits = field(default_factory=Limits)
    api_key: str | None = None
    timeout_s: float = 120.0
    hosts: tuple[str, ...] | None = LOOPBACK


def model_name(engine: Engine) -> str:
    """Return the name by which clients ask for the model: its file's, without the ending."""
    return engine.card.file.removesuffix(".gguf")


class Api:
    """The endpoints of one engine."""

    def __init__(self, engine: Engine, scheduler: Scheduler, settings: Settings) -> None:
        self.engine, self.scheduler, self.settings = engine, scheduler, settings
        self.name = model_name(engine)
        self.created = int(time.time())
        self.context = engine.model.sizes.context
        self.longest_token_B = max(len(engine.tokenizer.token_bytes(i)) for i in range(engine.tokenizer.size))
        self.fingerprint = f"roundtrip-{__version__}-{engine.card.sha256[:8]}"

    # -- answers ----------------------------------------------------------------------------------------------------

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve ``/v1/chat/completions`` and ``/v1/completions``."""
        arrived_ns = now_ns()
        request = Request(scope, receive)
        try:
            body = load(await read_body(request))
            received_ns = now_ns()
            asked = ask(body, scope["path"].endswith("/chat/completions"), self.name)
            ids = await asyncio.to_thread(self._ids, asked)
            job = self._job(asked, ids)
            answer = Answer(asked, request.headers, arrived_ns, received_ns, now_ns())
            answer.begin(self.scheduler, job, self.name, self.fingerprint)
        except ClientDisconnect:
            return
        except (RoundtripError, Refused) as error:
            await self._refused(error)(scope, receive, send)
            return
        await answer(scope, receive, send)

    def _refused(self, error: RoundtripError) -> Response:
        if isinstance(error, Refused):
            self.scheduler.metrics.failed.add(1, error.reason if error.reason != "too_long" else "invalid")
            kind = "invalid_request_error" if error.reason == "too_long" else "overloaded_error"
            code = "context_length_exceeded" if error.reason == "too_long" else error.reason
            error = RequestError(str(error), code=code, status=STATUS[error.reason], kind=kind,
                                 retry_after_s=error.retry_after_s)  # fmt: skip
        else:
            self.scheduler.metrics.failed.add(1, "invalid")
        return refusal(error)

    def _ids(self, asked: Ask) -> list[int]:
        prompt = asked.prompt
        if isinstance(prompt, list):
            return ids_of(prompt, "prompt", self.engine.tokenizer.size)
        texts = [message["content"] for message in asked.messages] if asked.chat else [prompt]
        self._not_hopeless(sum(len(text.encode()) for text in texts), "messages" if asked.chat else "prompt")
        if not asked.chat:
            return self.engine.tokenizer.encode(prompt)
        if self.engine.chat is None:
            raise RequestError("this model has no chat template; /v1/completions goes on with a text", "messages",
                               "no_chat_template")  # fmt: skip
        return self.engine.chat.ids(asked.messages)

    def _not_hopeless(self, size_B: int, param: str) -> None:
        """Refuse a text that no tokenizer could fit into the context, before it is cut into tokens."""
        least = -(-size_B // self.longest_token_B)
        if least > self.context:
            raise RequestError(f"the text of {size_B:,} bytes has more than {self.context:,} tokens, the context "
                               "of this server", param, "context_length_exceeded")  # fmt: skip

    def _job(self, asked: Ask, ids: list[int]) -> Job:
        param = "messages" if asked.chat else "prompt"
        room = self.context - len(ids)
        if not ids:
            raise RequestError(f"{param}: there is no token in it", param, "invalid_value")
        if room < 1:
            raise RequestError(f"the prompt has {len(ids):,} tokens, and the context of this server {self.context:,}, "
                               "with the answer", param, "context_length_exceeded")  # fmt: skip
        most = asked.max_tokens
        if most is None:
            most = max(min(room, 16 * self.scheduler.pool.pages - len(ids)), 1)
        elif most > room:
            raise RequestError(f"max_tokens = {str(most)[:40]}: the context has {self.context:,} tokens and the prompt "
                               f"{len(ids):,}, allowed: 1 to {room:,}", "max_tokens",
                               "context_length_exceeded")  # fmt: skip
        ends = frozenset[int]() if asked.ignore_end else self.engine.ends()
        return Job(ids, asked.sampling, most, ends, asked.top, asked.reuse, self.settings.timeout_s)

    # -- the rest ---------------------------------------------------------------------------------------------------

    async def models(self, request: Request) -> Response:
        """Serve ``/v1/models`` and ``/v1/models/NAME``."""
        card = self.engine.card
        meta = {"name": card.name, "license": card.license, "architecture": card.architecture,
                "parameters": card.parameters, "quantization": card.quantization, "sha256": card.sha256,
                "size_B": card.file_B}  # fmt: skip
        model = {"id": self.name, "object": "model", "created": self.created, "owned_by": "roundtrip",
                 "max_model_len": self.context, "meta": meta}  # fmt: skip
        named = request.path_params.get("name")
        if named is None:
            return reply({"object": "list", "data": [model]})
        check_model({"model": named}, self.name)
        return reply(model)

    async def tokenize(self, request: Request) -> Response:
        """Serve ``/tokenize``: a ``prompt`` (or ``content``) or ``messages``, to ids."""
        body = load(await read_body(request))
        check_model(body, self.name)
        special, pieces = body.get("parse_special", True) is not False, bool(body.get("with_pieces"))
        if "messages" in body:
            messages = read_messages(body["messages"])
            ids = await asyncio.to_thread(self._ids, Ask(True, GREEDY, messages))
        else:
            name = "prompt" if "prompt" in body else "content"
            text = text_of(body.get(name), name)
            self._not_hopeless(len(text.encode()), name)
            ids = await asyncio.to_thread(self.engine.tokenizer.encode, text, special)
        found: Body = {"tokens": ids, "count": len(ids), "max_model_len": self.context}
        if pieces:
            found["tokens"] = [{"id": i, "piece": _piece(self.engine.tokenizer.token_bytes(i))} for i in ids]
        return reply(found)

    async def detokenize(self, request: Request) -> Response:
        """Serve ``/detokenize``: ``tokens`` to text, under the name that vLLM gives it and that of llama.cpp."""
        body = load(await read_body(request))
        check_model(body, self.name)
        text = self.engine.tokenizer.decode(ids_of(body.get("tokens"), "tokens", self.engine.tokenizer.size))
        return reply({"prompt": text, "content": text})

    async def health(self, _: Request) -> Response:
        """Serve ``/health``: 200 while requests are taken, 503 while the server drains."""
        limits, scheduler = self.settings.limits, self.scheduler
        body = {
            "status": "draining" if scheduler.draining else "ok",
            "model": self.name,
            "pages": scheduler.pool.pages,
            "pages_free": scheduler.pool.free,
            "pages_used": scheduler.pages_used,
            "pages_kept": scheduler.pages_kept,
            "slots": limits.slots,
            "queue": limits.queue,
        }
        return reply(body, 503 if scheduler.draining else 200)

    async def forget(self, _: Request) -> Response:
        """Serve ``/reset_prefix_cache`` (vLLM's name): give up what is kept for prompts that begin alike."""
        await asyncio.to_thread(self.scheduler.forget)
        return reply({"pages_free": self.scheduler.pool.free, "pages": self.scheduler.pool.pages})

    async def metrics(self, _: Request) -> Response:
        """Serve ``/metrics``."""
        return Response(self.scheduler.metrics.text(), headers={"content-type": metrics.CONTENT_TYPE})

    async def clock(self, _: Request) -> Response:
        """Serve ``/clock``: what this server's clocks show."""
        received_ns = now_ns()
        return reply({"received_ns": received_ns, "unix_ns": time.time_ns(), "answered_ns": now_ns()})


class Door:
    """Lets in who may come: by the name that he calls this machine, the page that he comes from, and his key."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app, self.settings = app, settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = {key: value.decode("latin-1") for key, value in scope["headers"]}
        problem = self._problem(headers, scope["path"])
        if problem is None:
            await self.app(scope, receive, send)
        else:
            await refusal(problem)(scope, receive, send)

    def _problem(self, headers: dict[bytes, str], path: str) -> RequestError | None:
        host = headers.get(b"host", "")
        if self.settings.hosts is not None and _name(host) not in self.settings.hosts:
            return RequestError("this server answers on its own machine only", code="wrong_host", status=421)
        origin = headers.get(b"origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return RequestError("pages of other sites are not answered", code="wrong_origin", status=403)
        key = self.settings.api_key
        if key is not None and path != "/health":
            scheme, _, token = headers.get(b"authorization", "").partition(" ")
            if scheme.lower() != "bearer" or not hmac.compare_digest(token.strip().encode(), key.encode()):
                return RequestError("no API key, or a wrong one: Authorization: Bearer KEY", code="invalid_api_key",
                                    status=401, kind="authentication_error")  # fmt: skip
        return None


def app(engine: Engine, scheduler: Scheduler, settings: Settings | None = None) -> ASGIApp:
    """Return the application.

    Parameters
    ----------
    engine : Engine
    scheduler : Scheduler
        It belongs to the caller, who closes it.
    settings : Settings, optional
    """
    settings = settings or Settings()
    api = Api(engine, scheduler, settings)
    routes = [
        Route("/v1/chat/completions", Endpoint(api.answer), methods=["POST"]),
        Route("/v1/completions", Endpoint(api.answer), methods=["POST"]),
        Route("/v1/models", api.models),
        Route("/v1/models/{name:path}", api.models),
        Route("/tokenize", api.tokenize, methods=["POST"]),
        Route("/detokenize", api.detokenize, methods=["POST"]),
        Route("/health", api.health),
        Route("/metrics", api.metrics),
        Route("/clock", api.clock),
        Route("/reset_prefix_cache", api.forget, methods=["POST"]),
    ]

    async def missing(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        said = "there is no" if status == 404 else f"{request.method[:20]} is not for"
        return refusal(RequestError(f"{said} {request.url.path[:100]} here", code="not_found", status=status))

    async def wrong(_: Request, error: Exception) -> Response:
        return refusal(error if isinstance(error, RoundtripError) else RoundtripError("bad request"))

    async def gone(_: Request, __: Exception) -> Response:
        return Response(status_code=499)

    async def failed(_: Request, __: Exception) -> Response:
        return refusal(RequestError("the server failed", code="internal_error", status=500, kind="server_error"))

    handlers: Any = {HTTPException: missing, RoundtripError: wrong, ClientDisconnect: gone, Exception: failed}
    return Door(Starlette(routes=routes, exception_handlers=handlers), settings)


class Endpoint:
    """An endpoint that speaks to the wire itself: it must see that a client goes away."""

    def __init__(self, serve: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self.serve = serve

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.serve(scope, receive, send)


async def read_body(request: Request) -> bytes:
    """Return the body of a request.

    Raises
    ------
    RequestError
        If it is too large, or does not come in time.
    """
    declared = request.headers.get("content-length", "0")
    large = declared.isdigit() and int(declared) > LARGEST_BODY_B
    if large and ("expect" in request.headers or int(declared) > LARGEST_DRAINED_B):
        raise _too_large()
    parts: list[bytes] = []
    size_B = 0
    try:
        async with asyncio.timeout(BODY_S):
            async for part in request.stream():
                size_B += len(part)
                if size_B <= LARGEST_BODY_B and not large:
                    parts.append(part)
                elif size_B > LARGEST_DRAINED_B:
                    break
    except TimeoutError:
        raise RequestError(f"the body did not come within {BODY_S:g} s", code="request_timeout", status=408) from None
    if large or size_B > LARGEST_BODY_B:
        raise _too_large()
    return b"".join(parts)


def _too_large() -> RequestError:
    return RequestError(f"the body is too large, allowed: {LARGEST_BODY_B:,} bytes", code="body_too_large", status=413)


def reply(body: Body, status: int = 200, **headers: str) -> Response:
    """Return a JSON reply."""
    return Response(dumps(body), status, {"content-type": "application/json", "cache-control": "no-store", **headers})


def refusal(error: RoundtripError) -> Response:
    """Return an error as clients of the OpenAI interface know it."""
    found = error if isinstance(error, RequestError) else RequestError(str(error), code="invalid_value")
    headers: dict[str, str] = {}
    if found.retry_after_s is not None:
        headers["retry-after"] = str(max(round(found.retry_after_s), 1))
    if found.status == 401:
        headers["www-authenticate"] = "Bearer"
    if found.status in (408, 413, 503):
        headers["connection"] = "close"
    return reply(found.body(), found.status, **headers)


def _name(authority: str) -> str:
    try:
        return urlsplit(f"//{authority}").hostname or ""
    except ValueError:
        return ""


def _piece(data: bytes) -> str | list[int]:
    """Return the text of a token, or its bytes where they are not a text (as llama.cpp does)."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return list(data)
