"""The lab's server: the built site, and trips computed on demand over one WebSocket. For this machine alone.

A page asks ``{"id": 7, "op": "trip", "scenario": "cloud", "set": {"network.access": "starlink"}, "samples": 2500}``
and gets ``{"id": 7, "trace": {...}}`` or ``{"id": 7, "error": "one line"}``. While a client waits for an answer its
newest question of each kind is kept and older ones are told ``{"id": 6, "dropped": true}``: a slider asks faster than
anybody can compute.

Only names of presets are taken, never paths. Messages are small, answers are computed one after the other in one
thread. Who is not on this machine, or comes from a page of another site, is not answered.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from roundtrip.errors import DomainError, RoundtripError, ScenarioError, nearest
from roundtrip.journey.scenario import Scenario, load_scenario, presets
from roundtrip.lab.carry import Carrying, Line
from roundtrip.lab.fleet_stream import Runs, Stream
from roundtrip.lab.printer import Printer
from roundtrip.lab.room import Room

LARGEST_B = 65_536
MOST_CLIENTS = 256
MOST_SETTINGS = 64
MOST_SAMPLES = 10_000
LONGEST_PROMPT = 32_768
PATIENCE = 20  # broken messages of one client, then it is sent away
HOSTS = ("127.0.0.1", "localhost", "::1")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
LIVE = '<meta name="roundtrip-live" content="ws">'
HASHED = re.compile(r"^/assets/.*-[\w-]{8}\.\w+$")

Body = dict[str, Any]


def scenario_of(message: Body, key: str = "scenario") -> Scenario:
    """Return the scenario that a message names and sets.

    Raises
    ------
    ScenarioError, DomainError, PromptError
        If it is no preset, or a setting cannot be.
    """
    name = message.get(key, "cloud")
    known = presets()
    if not isinstance(name, str) or name not in known:
        raise ScenarioError(f"no preset {str(name)[:60]!r}{nearest(str(name)[:60], known)}")
    scenario = load_scenario(name)
    settings: Any = message.get("set") or {}
    if not isinstance(settings, dict) or len(cast("dict[Any, Any]", settings)) > MOST_SETTINGS:
        raise ScenarioError(f"set: expected at most {MOST_SETTINGS} keys with their values")
    chosen = [f"{k}={v}" for k, v in cast("dict[str, Any]", settings).items()]
    if chosen:
        scenario = scenario.with_settings(chosen, "the page")
    prompt = message.get("prompt")
    if prompt is not None:
        if not isinstance(prompt, str) or len(prompt) > LONGEST_PROMPT:
            raise DomainError(f"the prompt: expected text of at most {LONGEST_PROMPT:,} characters")
        scenario = scenario.with_prompt(prompt)
    return scenario


def samples_of(message: Body) -> int:
    """Return how many samples a message asks for.

    Raises
    ------
    DomainError
        If it is no whole number, or too many.
    """
    samples = message.get("samples", 2_500)
    if isinstance(samples, bool) or not isinstance(samples, int) or not (samples == 0 or 4 <= samples <= MOST_SAMPLES):
        raise DomainError(f"samples = {str(samples)[:40]}, allowed: 0, or 4 to {MOST_SAMPLES:,}")
    return samples


def _trip(message: Body) -> Body:
    from roundtrip.journey.forecast import forecast

    return {"trace": forecast(scenario=scenario_of(message), samples=samples_of(message)).as_dict()}


def _compare(message: Body) -> Body:
    from roundtrip.journey.compare import compare

    a, b = scenario_of(message, "a"), scenario_of({**message, "set": message.get("set_b", message.get("set"))}, "b")
    return {"comparison": compare(a, b, samples=samples_of(message)).as_dict()}


def _energy(message: Body) -> Body:
    from roundtrip.journey.boundary import PARTS, Rules, account, parse_boundary

    boundary: Any = message.get("boundary", list(PARTS))
    if not isinstance(boundary, list):
        raise ScenarioError("boundary: expected a list of parts")
    rules = Rules(hour_h=_number(message, "hour_h"), method=str(message.get("method", "location")),
                  reservoirs=message.get("reservoirs") is not False)  # fmt: skip
    parts = parse_boundary(",".join(str(part)[:40] for part in cast("list[Any]", boundary)[:20]))
    return {"account": account(scenario_of(message), parts, rules, samples_of(message)).as_dict()}


def _number(message: Body, name: str) -> float | None:
    value = message.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 <= value <= 24.0:
        raise DomainError(f"{name} = {str(value)[:40]}, allowed: 0 to 24")
    return float(value)


OPERATIONS: dict[str, Callable[[Body], Body]] = {"trip": _trip, "compare": _compare, "energy": _energy}
STREAMED = ("fleet", "carry")  # many answers to one question: `fleet_stream`, `carry`


def answer(message: Body) -> Body:
    """Return the answer to one message; what is wrong with it as one line."""
    number = message.get("id")
    try:
        return {"id": number, **OPERATIONS[message["op"]](message)}
    except RoundtripError as error:
        return {"id": number, "error": " ".join(str(error).split())[:600]}
    except (ArithmeticError, ValueError, KeyError, TypeError, RecursionError) as error:
        return {"id": number, "error": f"this could not be computed ({type(error).__name__})"}


def read(text: str) -> Body | str:
    """Return a message, or what is wrong with it."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return "this is no JSON"
    if not isinstance(body, dict):
        return "expected a JSON object"
    message = cast("Body", body)
    number = message.get("id")
    if isinstance(number, bool) or not isinstance(number, (int, str, type(None))) or len(str(number)) > 40:
        return "id: expected a number or a short text"
    operations = (*OPERATIONS, *STREAMED)
    if not isinstance(message.get("op"), str) or message["op"] not in operations:
        return f"op: expected one of {', '.join(operations)}"
    return message


class Hub:
    """All clients of one server: how many there are, and the thread that computes for them."""

    def __init__(self) -> None:
        self.clients = 0
        self.thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="lab")
        self.runs = Runs()
        self.line = Line()

    async def serve(self, socket: WebSocket) -> None:
        """Talk to one client until it leaves."""
        if self.clients >= MOST_CLIENTS or not _from_here(socket):
            await socket.close(1013 if self.clients >= MOST_CLIENTS else 1008)
            return
        self.clients += 1
        client = Client(socket, self.thread, self.runs, self.line)
        try:
            await socket.accept()
            await client.talk()
        except (WebSocketDisconnect, RuntimeError, OSError):
            pass  # it vanished: there is nobody to tell
        finally:
            self.clients -= 1
            await client.leave()


class Client:
    """One page: its newest question of each kind, the task that answers, its run of a cluster, its carried prompt."""

    def __init__(self, socket: WebSocket, thread: ThreadPoolExecutor, runs: Runs, line: Line) -> None:
        self.socket = socket
        self.thread = thread
        self.waiting: dict[str, Body] = {}
        self.asked = asyncio.Event()
        self.sending = asyncio.Lock()
        self.task: asyncio.Task[None] | None = None
        self.stream = Stream(self._send_text, runs)
        self.carrying = Carrying(self._send_text, line)

    async def talk(self) -> None:
        """Read messages until the client leaves, or has sent too much that cannot be read."""
        self.task = asyncio.create_task(self._answer())
        broken = 0
        while True:
            received = await self.socket.receive()
            if received["type"] != "websocket.receive":
                return
            text = received.get("text")
            message = read(text) if isinstance(text, str) else "expected text"
            if isinstance(message, str):
                broken += 1
                await self._send({"id": None, "error": message})
                if broken >= PATIENCE:
                    await self.socket.close(1008)
                    return
                continue
            if message["op"] in STREAMED:
                await (self.stream if message["op"] == "fleet" else self.carrying).take(message)
                continue
            older = self.waiting.pop(message["op"], None)
            self.waiting[message["op"]] = message
            self.asked.set()
            if older is not None:
                await self._send({"id": older.get("id"), "dropped": True})

    async def leave(self) -> None:
        """Stop answering."""
        await self.stream.stop(tell=False)
        await self.carrying.stop(tell=False)
        if self.task is not None:
            self.task.cancel()
            await asyncio.gather(self.task, return_exceptions=True)

    async def _answer(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self.asked.wait()
            while self.waiting:
                message = self.waiting.pop(next(iter(self.waiting)))
                text = await loop.run_in_executor(self.thread, _answered, message)
                await self._send_text(text)
            self.asked.clear()

    async def _send(self, body: Body) -> None:
        await self._send_text(json.dumps(body))

    async def _send_text(self, text: str) -> None:
        async with self.sending:
            await self.socket.send_text(text)


def _answered(message: Body) -> str:
    try:
        return json.dumps(answer(message), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return json.dumps({"id": message.get("id"), "error": "a figure of this trip is not finite"})


def _name(authority: str) -> str:
    try:
        return urlsplit(f"//{authority}").hostname or ""
    except ValueError:
        return ""


def _from_here(socket: WebSocket) -> bool:
    """Say whether the page that asks was served by this server: a browser names it as the origin."""
    origin = socket.headers.get("origin")
    host = socket.headers.get("host", "")
    return origin is None or origin in (f"http://{host}", f"https://{host}")


class Guard:
    """Adds the headers to every answer, and answers nobody who calls this machine by another name."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = HOSTS) -> None:
        self.app = app
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        host = next((value for key, value in scope["headers"] if key == b"host"), b"").decode("latin-1")
        if _name(host) not in self.hosts:
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await PlainTextResponse("this server answers on this machine only\n", 421)(scope, receive, send)
            return
        path: str = scope.get("path", "")

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                kept = b"public, max-age=31536000, immutable" if HASHED.match(path) else b"no-cache"
                if (b"cache-control", b"no-store") in message["headers"]:
                    kept = b"no-store"  # what somebody said to the model
                own = {name for name, _ in HEADERS} | {b"cache-control"}
                head = [(k, v) for k, v in message["headers"] if k.lower() not in own]
                message["headers"] = [*head, *HEADERS, (b"cache-control", kept)]
            await send(message)

        await self.app(scope, receive, with_headers)


def site() -> Path:
    """Return the folder of the built site."""
    return Path(__file__).parent / "site"


def app(folder: Path | None = None, hosts: Iterable[str] = HOSTS, room: Room | None = None) -> ASGIApp:
    """Return the application.

    Parameters
    ----------
    folder : Path, optional
        The built site; by default the one that comes with this package.
    hosts : iterable of str
        Names of this machine that are answered.
    room : Room, optional
        Where the model is; by default one that loads this machine's weights when it is first asked. The caller who
        gives one closes it.
    """
    root = folder or site()
    hub = Hub()
    room = room or Room()

    async def page(_: Any) -> Response:
        text = (root / "index.html").read_text(encoding="utf-8")
        return HTMLResponse(text.replace("</head>", f"{LIVE}</head>", 1))

    async def socket(websocket: WebSocket) -> None:
        await hub.serve(websocket)

    async def missing(request: Any, _: Exception) -> Response:
        return HTMLResponse(
            f"<!doctype html><title>Not here</title><p>There is no {html.escape(request.url.path[:200])} here. "
            '<a href="/">The lab</a></p>',
            404,
        )

    routes = [
        Route("/", page),
        Route("/index.html", page),
        WebSocketRoute("/ws", socket),
        Route("/sheet.pdf", Printer().sheet),
        *room.routes(),
        Mount("/", StaticFiles(directory=root, follow_symlink=False)),
    ]
    return Guard(Starlette(routes=routes, exception_handlers={404: missing}), hosts)
