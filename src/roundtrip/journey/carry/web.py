"""HTTP at both ends, by the libraries that browsers' and servers' peers use: h11 for version 1.1, h2 for version 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from roundtrip.errors import RoundtripError

PATH = "/v1/chat/completions"
VERSIONS = {"http/1.1": "http/1.1", "h2": "h2"}
Headers = Sequence[tuple[str, str]]
REQUEST: Headers = (("content-type", "application/json"), ("accept", "text/event-stream"))
REPLY: Headers = (("content-type", "text/event-stream"), ("cache-control", "no-cache"))


@dataclass(slots=True)
class Heard:
    """What one end has understood so far."""

    body: bytearray = field(default_factory=bytearray)
    status: int = 0
    path: str = ""
    is_whole: bool = False


class Web(Protocol):
    """One end: text of the other goes in, text for it comes out."""

    heard: Heard

    def feed(self, data: bytes) -> bytes:
        """Take text from the other end, return what is to be sent at once."""
        ...

    def ask(self, host: str, body: bytes) -> bytes:
        """Return the request."""
        ...

    def begin(self) -> bytes:
        """Return the head of the reply."""
        ...

    def part(self, data: bytes) -> bytes:
        """Return a part of the reply's body."""
        ...

    def finish(self) -> bytes:
        """Return the end of the reply."""
        ...


class First:
    """HTTP/1.1: text lines, a body in chunks."""

    def __init__(self, is_client: bool) -> None:
        import h11

        self._h11: Any = h11
        self._connection: Any = h11.Connection(h11.CLIENT if is_client else h11.SERVER)
        self.heard = Heard()

    def feed(self, data: bytes) -> bytes:
        """Take text from the other end."""
        h11 = self._h11
        try:
            if data:
                self._connection.receive_data(data)
            while True:
                event = self._connection.next_event()
                if event is h11.NEED_DATA or event is h11.PAUSED or isinstance(event, h11.ConnectionClosed):
                    return b""
                if isinstance(event, h11.Data):
                    self.heard.body += event.data
                elif isinstance(event, h11.Request):
                    self.heard.path = event.target.decode("ascii", "replace")
                elif isinstance(event, h11.Response):
                    self.heard.status = event.status_code
                elif isinstance(event, h11.EndOfMessage):
                    self.heard.is_whole = True
        except h11.ProtocolError as error:
            raise RoundtripError(f"HTTP/1.1 does not understand what arrived: {_line(error)}") from None

    def ask(self, host: str, body: bytes) -> bytes:
        """Return the request."""
        h11 = self._h11
        headers = [("host", host), *REQUEST, ("content-length", str(len(body)))]
        head = h11.Request(method="POST", target=PATH, headers=headers)
        send = self._connection.send
        return send(head) + send(h11.Data(data=body)) + send(h11.EndOfMessage())

    def begin(self) -> bytes:
        """Return the head of the reply."""
        headers = [*REPLY, ("transfer-encoding", "chunked")]
        return self._connection.send(self._h11.Response(status_code=200, headers=headers))

    def part(self, data: bytes) -> bytes:
        """Return a chunk."""
        return self._connection.send(self._h11.Data(data=data))

    def finish(self) -> bytes:
        """Return the last chunk, of no bytes."""
        return self._connection.send(self._h11.EndOfMessage())


class Second:
    """HTTP/2: frames of a stream, headers as numbers in tables."""

    def __init__(self, is_client: bool) -> None:
        try:
            from h2 import config, connection, events, exceptions
        except ImportError:
            raise RoundtripError("HTTP/2 needs the library h2: pip install 'prompt-roundtrip[carry]'") from None
        self._events: Any = events
        self._broken: Any = exceptions.ProtocolError
        self._connection: Any = connection.H2Connection(config.H2Configuration(client_side=is_client))
        self._connection.initiate_connection()
        self.heard = Heard()

    def feed(self, data: bytes) -> bytes:
        """Take frames from the other end, and return settings, acknowledgments and the like."""
        try:
            self._heed(self._connection.receive_data(data) if data else [])
        except (self._broken, ValueError) as error:
            raise RoundtripError(f"HTTP/2 does not understand what arrived: {_line(error)}") from None
        return self._connection.data_to_send()

    def _heed(self, found: Sequence[Any]) -> None:
        events = self._events
        for event in found:
            if isinstance(event, events.DataReceived):
                self.heard.body += event.data or b""
                self._connection.acknowledge_received_data(event.flow_controlled_length or 0, event.stream_id)
            elif isinstance(event, events.RequestReceived):
                self.heard.path = _text(dict(event.headers or []).get(b":path", b""))
            elif isinstance(event, events.ResponseReceived):
                self.heard.status = int(_text(dict(event.headers or []).get(b":status", b"0")) or 0)
            elif isinstance(event, events.StreamEnded):
                self.heard.is_whole = True

    def ask(self, host: str, body: bytes) -> bytes:
        """Return the request."""
        pseudo = [(":method", "POST"), (":authority", host), (":scheme", "https"), (":path", PATH)]
        self._connection.send_headers(1, [*pseudo, *REQUEST, ("content-length", str(len(body)))])
        self._send(body, ends=True)
        return self._connection.data_to_send()

    def begin(self) -> bytes:
        """Return the head of the reply."""
        self._connection.send_headers(1, [(":status", "200"), *REPLY])
        return self._connection.data_to_send()

    def part(self, data: bytes) -> bytes:
        """Return a frame of the reply's body."""
        self._send(data)
        return self._connection.data_to_send()

    def finish(self) -> bytes:
        """Return the frame that ends the stream."""
        self._connection.end_stream(1)
        return self._connection.data_to_send()

    def _send(self, data: bytes, ends: bool = False) -> None:
        """Put data into frames as large as the other end takes.

        Raises
        ------
        RoundtripError
            If the other end's window is smaller than the data: nobody would open it here.
        """
        if len(data) > self._connection.local_flow_control_window(1):
            raise RoundtripError(f"HTTP/2: {len(data)} bytes do not fit into the other end's window")
        size = self._connection.max_outbound_frame_size
        for i in range(0, max(len(data), 1), size):
            self._connection.send_data(1, data[i : i + size], end_stream=ends and i + size >= len(data))


def _line(error: Exception) -> str:
    """Return what a library says as one short line: it may quote what arrived."""
    return "".join(sign if sign.isprintable() else " " for sign in str(error))[:200]


def _text(value: bytes | str) -> str:
    return value.decode("ascii", "replace") if isinstance(value, bytes) else value


def web(version: str, is_client: bool) -> Web:
    """Return one end of a version of HTTP: ``http/1.1`` or ``h2``."""
    if version not in VERSIONS:
        raise RoundtripError(f"HTTP version {version!r} is not one of {', '.join(VERSIONS)}")
    return First(is_client) if version == "http/1.1" else Second(is_client)
