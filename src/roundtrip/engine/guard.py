"""What stands in front of the application: limits on connections that uvicorn does not have, and a stop that drains.

A connection has `HEAD_S` to say what it wants, a client that does not read is cut off after `STALL_S`, and there are
never more than `MOST_CONNECTIONS`. On SIGTERM (or Ctrl+C) the server takes nothing new, answers 503, finishes what it
began, and leaves; a second signal aborts what runs, and its readers are told.
"""

from __future__ import annotations

import asyncio
import errno
import json
import socket
from pathlib import Path
from types import FrameType
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from roundtrip.engine.scheduler import Scheduler
from roundtrip.errors import RoundtripError

HEAD_S = 10.0
STALL_S = 30.0
IDLE_S = 75.0
MOST_CONNECTIONS = 512
LARGEST_HEAD_B = 16_384
DRAIN_TICK_S = 0.02


class Guarded(H11Protocol):
    """uvicorn's protocol with the three limits."""

    _late: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, or close it where there are too many."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            self._refuse(503, "too many connections", "overloaded")
        else:
            self._late = self.loop.call_later(HEAD_S, self._too_late)

    def data_received(self, data: bytes) -> None:
        """Take bytes: the first of a request start its clock, its last header stops it."""
        if self._late is None and self._between():
            self._late = self.loop.call_later(HEAD_S, self._too_late)
        super().data_received(data)
        if self._late is not None and not self._between():
            self._late.cancel()
            self._late = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the clocks."""
        for timer in (self._late, self._stalled):
            if timer is not None:
                timer.cancel()
        self._late = self._stalled = None
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read: give it a while."""
        super().pause_writing()
        if self._stalled is None:
            self._stalled = self.loop.call_later(STALL_S, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, in the form of all other errors."""
        self._refuse(400, "this is no HTTP request, or its head is too large", "invalid_http")

    def _between(self) -> bool:
        cycle: Any = self.cycle  # None before the first request
        return cycle is None or bool(cycle.response_complete)

    def _too_late(self) -> None:
        self._late = None
        if self._between() and not self.transport.is_closing():
            self._refuse(408, f"no complete request within {HEAD_S:g} s", "request_timeout")

    def _refuse(self, status: int, message: str, code: str) -> None:
        body = json.dumps(
            {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}
        ).encode()
        headers = [("content-type", "application/json"), ("content-length", str(len(body))), ("connection", "close")]
        try:
            wire = self.conn.send(h11.Response(status_code=status, headers=headers)) or b""
            wire += self.conn.send(h11.Data(data=body)) or b""
            self.transport.write(wire + (self.conn.send(h11.EndOfMessage()) or b""))
        except h11.LocalProtocolError:
            pass  # an answer is under way: nothing can be said any more
        self.transport.close()


class Server(uvicorn.Server):
    """A server that drains before it stops.

    Parameters
    ----------
    config : uvicorn.Config
    scheduler : Scheduler
    drain_s : float
        How long it waits for what it began [s].
    """

    def __init__(self, config: uvicorn.Config, scheduler: Scheduler, drain_s: float) -> None:
        super().__init__(config)
        self.scheduler = scheduler
        self.drain_s = drain_s
        self._loop: asyncio.AbstractEventLoop | None = None
        self._drain: asyncio.Task[None] | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening."""
        self._loop = asyncio.get_running_loop()
        await super().startup(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Drain on the first signal, abort what runs on the second, leave at once on the third."""
        if self._loop is None or self.should_exit:
            self.should_exit = self.force_exit = True
        elif self.scheduler.draining:
            self.should_exit = True
            self._loop.call_soon_threadsafe(self.scheduler.stop)
        else:
            self.scheduler.drain()
            self._loop.call_soon_threadsafe(self._start_draining)

    def _start_draining(self) -> None:
        self._drain = asyncio.ensure_future(self._until_idle())

    async def _until_idle(self) -> None:
        end = asyncio.get_running_loop().time() + self.drain_s
        while asyncio.get_running_loop().time() < end:
            if self.scheduler.idle and not self.server_state.tasks:
                break
            await asyncio.sleep(DRAIN_TICK_S)
        self.should_exit = True


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises
    ------
    RoundtripError
        If the address is taken, or is none of this machine's.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise RoundtripError(f"--host {host[:100]!r}: {error.strerror}") from None
    made = socket.socket(family, kind, protocol)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(512)
    except OSError as error:
        made.close()
        if error.errno == errno.EADDRINUSE:
            raise RoundtripError(f"port {port} is taken; --port 0 takes any that is free") from None
        raise RoundtripError(f"{host}, port {port}: {error.strerror}") from None
    return made


def config(application: Any, certificate: tuple[Path, Path] | None = None) -> uvicorn.Config:
    """Return uvicorn's settings; with a certificate and its key, for TLS."""
    cert, key = certificate or (None, None)
    return uvicorn.Config(
        application, ssl_certfile=cert, ssl_keyfile=key,
        http=Guarded, ws="none", lifespan="off", log_level="error", access_log=False,
        timeout_keep_alive=round(IDLE_S), timeout_graceful_shutdown=5, h11_max_incomplete_event_size=LARGEST_HEAD_B,
        server_header=False, date_header=False,
    )  # fmt: skip
