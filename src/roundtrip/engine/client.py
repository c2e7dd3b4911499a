"""A client of any OpenAI-compatible endpoint that says when everything happened, on one monotonic clock.

One request at a time over one connection that is kept open: names, TCP, TLS, the request's bytes, the reply's headers,
every event and every token have their time. Nothing is retried: a status of 429 is an outcome. What is sent once more
is a request that met a kept connection which the server had closed, and the record says so. The stream is read to its
end, so that the next request finds the connection open.

A role-only chunk is no token, nor is a keep-alive, nor the chunk that carries the usage. Counts of tokens come from the
server or are not known. HTTP is h11's, over a plain socket: no proxy is used, and no redirection followed.
"""

from __future__ import annotations

import json
import select
import socket
import ssl
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

import h11

from roundtrip.engine.exchange import Exchange, Token, read_chunk, read_whole
from roundtrip.engine.spans import Context, Offset, new_span_id, new_trace_id, now_ns, offset
from roundtrip.engine.sse import EventReader
from roundtrip.errors import RoundtripError

READ_B = 65_536
LARGEST_REPLY_B = 64_000_000
AGENT = "roundtrip"


class ClientError(RoundtripError):
    """An endpoint cannot be reached, or the address is none."""


class Connection:
    """One TCP connection, with TLS where the address asks for it."""

    def __init__(self, sock: socket.socket, number: int, opened_ns: int) -> None:
        self.sock = sock
        self.number = number
        self.opened_ns = opened_ns
        self.h11 = h11.Connection(h11.CLIENT)
        self.served = 0

    def usable(self) -> bool:
        """Say whether nothing came while it was idle: an idle connection that is readable was closed by the server."""
        try:
            return not select.select([self.sock], [], [], 0.0)[0]
        except (OSError, ValueError):
            return False

    def close(self) -> None:
        """Close it."""
        self.sock.close()


class Client:
    """A client of one endpoint.

    Parameters
    ----------
    base_url : str
        With its path, for example ``http://127.0.0.1:8322/v1``.
    api_key : str, optional
        Sent as bearer token.
    timeout_s : float
        For one whole request [s].
    connect_s : float
        For the connection [s].
    ca : Path, optional
        Certificates to trust instead of the system's.

    Raises
    ------
    ClientError
        If the address is none.
    """

    def __init__(self, base_url: str, api_key: str | None = None, timeout_s: float = 120.0, connect_s: float = 10.0,
                 ca: Path | None = None) -> None:  # fmt: skip
        try:
            parts = urlsplit(base_url)
            port = parts.port
        except ValueError as error:
            raise ClientError(f"base URL {base_url[:200]!r}: {error}") from None
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ClientError(f"base URL {base_url[:200]!r}: expected http://HOST[:PORT]/v1 or https://…")
        self.base_url = base_url.rstrip("/")
        self.host = parts.hostname
        self.port = port or (443 if parts.scheme == "https" else 80)
        self.path = parts.path.rstrip("/")
        self.root = self.path.removesuffix("/v1")  # where /clock and /metrics are, beside /v1
        self.authority = parts.netloc.rpartition("@")[2]
        self.api_key = api_key
        self.timeout_s, self.connect_s = timeout_s, connect_s
        self.tls = ssl.create_default_context(cafile=str(ca) if ca else None) if parts.scheme == "https" else None
        self._connection: Connection | None = None
        self._opened = 0

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def chat(self, messages: Sequence[Mapping[str, str]], *, on_token: Callable[[Token], None] | None = None,
             **fields: Any) -> Exchange:  # fmt: skip
        """Send a chat, and read the answer as it comes; `fields` are further fields of the request."""
        body = {"messages": [dict(message) for message in messages], "stream": True, **fields}
        return self.post("/chat/completions", body, on_token=on_token)

    def complete(self, prompt: str, *, on_token: Callable[[Token], None] | None = None, **fields: Any) -> Exchange:
        """Send a text to go on with."""
        return self.post("/completions", {"prompt": prompt, "stream": True, **fields}, on_token=on_token)

    def post(self, path: str, body: dict[str, Any], *, on_token: Callable[[Token], None] | None = None,
             headers: Mapping[str, str] | None = None, context: Context | None = None,
             resend: bool = True) -> Exchange:  # fmt: skip
        """Send one request and record it; what goes wrong is in the record, not raised.

        Parameters
        ----------
        path : str
            Below the base URL.
        body : dict
            If it asks for a stream, the usage is asked for too, unless `body` says otherwise.
        on_token : callable, optional
            Called with each token as it comes; what it raises ends the request and passes through.
        context : Context, optional
            The trace and the span of this request; by default new ones.
        resend : bool
            Send once more, over a new connection, if the server had closed the one that was kept: not a byte of an
            answer came. The record says so, and its times are those of the second sending.
        """
        if body.get("stream"):
            body = {"stream_options": {"include_usage": True}, **body}
        data = json.dumps(body, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")
        stream = bool(body.get("stream"))
        return self._sent("POST", self.path + path, data, stream, on_token, headers, context, resend)

    def get(self, path: str, *, below_base: bool = True) -> tuple[Exchange, bytes]:
        """Fetch a page, from beside ``/v1`` if it is not `below_base`; its record and its bytes."""
        found = self._sent("GET", (self.path if below_base else self.root) + path, b"", False, None, None, None, True)
        return found, found.body

    def offset(self, rounds: int = 8) -> Offset | None:
        """Estimate how far the server's monotonic clock is ahead; None where it does not tell it."""
        exchanges: list[tuple[int, int, int, int]] = []
        for _ in range(rounds):
            record, data = self.get("/clock", below_base=False)
            try:
                shown = json.loads(data)
                there = int(shown["received_ns"]), int(shown["answered_ns"])
            except (ValueError, KeyError, TypeError):
                return None
            if record.request_end_ns is None or record.headers_ns is None or record.request_start_ns is None:
                return None
            exchanges.append((record.request_start_ns, *there, record.headers_ns))
        return offset(exchanges)

    # -- one request ------------------------------------------------------------------------------------------------

    def _sent(
        self,
        method: str,
        path: str,
        data: bytes,
        stream: bool,
        on_token: Callable[[Token], None] | None,
        headers: Mapping[str, str] | None,
        context: Context | None,
        resend: bool,
    ) -> Exchange:
        found = self._once(method, path, data, stream, on_token, headers, context)
        if resend and found.outcome == "stale":
            found = self._once(method, path, data, stream, on_token, headers, context)
            found.resent = True
        return found

    def _once(
        self,
        method: str,
        path: str,
        data: bytes,
        stream: bool,
        on_token: Callable[[Token], None] | None,
        headers: Mapping[str, str] | None,
        context: Context | None,
    ) -> Exchange:
        context = context or Context(new_trace_id(), new_span_id())
        record = Exchange(context, now_ns())
        deadline_ns = record.start_ns + round(self.timeout_s * 1e9)
        whole = False
        try:
            connection = self._connect(record)
            self._send(connection, record, method, path, data, headers, deadline_ns)
            self._receive(connection, record, stream, on_token, deadline_ns)
            whole = self._kept(connection)
        except TimeoutError:
            record.fail("timeout", f"no more after {self.timeout_s:g} s")
        except (OSError, h11.ProtocolError, ValueError) as error:
            stale = record.reused and record.received_B == 0
            name = "stale" if stale else "cut" if record.headers_ns else "unreachable"
            said = "the server had closed the connection that was kept" if stale else f"{type(error).__name__}: {error}"
            record.fail(name, said[:300])
        finally:  # a stream that was left in the middle cannot be used again, nor after Ctrl+C
            record.end_ns = now_ns()
            if not whole:
                self.close()
        record.settle()
        return record

    def _connect(self, record: Exchange) -> Connection:
        kept = self._connection
        if kept is not None and kept.usable():
            record.connection, record.reused = kept.number, True
            record.connection_age_ns = record.start_ns - kept.opened_ns
            return kept
        self.close()
        start_ns = now_ns()
        found = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
        record.names_ns = (start_ns, now_ns())
        problem: OSError = OSError("the name has no address")
        for family, kind, protocol, _, address in found:
            sock = socket.socket(family, kind, protocol)
            sock.settimeout(self.connect_s)
            try:
                start_ns = now_ns()
                sock.connect(address)
                record.tcp_ns = (start_ns, now_ns())
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if self.tls is not None:
                    start_ns = now_ns()
                    sock = self.tls.wrap_socket(sock, server_hostname=self.host)
                    record.tls_ns = (start_ns, now_ns())
                    record.tls = str(cast("ssl.SSLSocket", sock).version())
            except OSError as error:
                sock.close()
                problem = error
                continue
            self._opened += 1
            self._connection = Connection(sock, self._opened, record.tcp_ns[1])
            record.connection = self._opened
            record.address = str(address[0])
            return self._connection
        raise problem

    def _send(self, connection: Connection, record: Exchange, method: str, target: str, data: bytes,
              headers: Mapping[str, str] | None, deadline_ns: int) -> None:  # fmt: skip
        head = [
            ("host", self.authority),
            ("user-agent", AGENT),
            ("accept", "text/event-stream, application/json"),
            ("traceparent", record.context.header),
        ]
        if method == "POST":
            head += [("content-type", "application/json"), ("content-length", str(len(data)))]
        if self.api_key:
            head.append(("authorization", f"Bearer {self.api_key}"))
        head += list((headers or {}).items())
        sock = connection.sock
        sock.settimeout(max((deadline_ns - now_ns()) / 1e9, 0.001))
        record.request_start_ns = now_ns()
        wire = connection.h11.send(h11.Request(method=method, target=target or "/", headers=head)) or b""
        sock.sendall(wire)
        record.request_head_ns = now_ns()
        record.sent_B += len(wire)
        for event in (h11.Data(data=data), h11.EndOfMessage()) if data else (h11.EndOfMessage(),):
            wire = connection.h11.send(event) or b""
            if wire:
                sock.sendall(wire)
                record.sent_B += len(wire)
        record.request_end_ns = now_ns()

    def _receive(self, connection: Connection, record: Exchange, stream: bool,
                 on_token: Callable[[Token], None] | None, deadline_ns: int) -> None:  # fmt: skip
        reader: EventReader | None = None
        at_ns = record.request_end_ns or record.start_ns
        while True:
            event = connection.h11.next_event()
            if event is h11.NEED_DATA:
                connection.sock.settimeout(max((deadline_ns - now_ns()) / 1e9, 0.001))
                if now_ns() > deadline_ns:
                    raise TimeoutError
                data = connection.sock.recv(READ_B)
                at_ns = now_ns()
                record.received_B += len(data)
                connection.h11.receive_data(data)
                if record.received_B > LARGEST_REPLY_B:
                    raise ValueError(f"a reply of more than {LARGEST_REPLY_B:,} bytes")
            elif isinstance(event, h11.Response):
                record.headers_ns = at_ns
                record.status = event.status_code
                record.http_version = event.http_version.decode("ascii", "replace")
                record.headers = {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in event.headers}
                kind = record.headers.get("content-type", "")
                if event.status_code == 200 and (kind.startswith("text/event-stream") or (stream and not kind)):
                    reader = EventReader()
                    record.comments_ns = reader.comments
            elif isinstance(event, h11.Data):
                if reader is None:
                    record.body += bytes(event.data)
                    continue
                for item in reader.feed(bytes(event.data), at_ns):
                    read_chunk(record, item, on_token)
            elif isinstance(event, h11.EndOfMessage):
                for item in reader.end(at_ns) if reader is not None else ():
                    read_chunk(record, item, on_token)
                record.reads = reader.reads if reader is not None else 0
                record.last_byte_ns = at_ns
                if reader is None:
                    read_whole(record)
                return
            elif isinstance(event, h11.ConnectionClosed):
                raise OSError("the server closed the connection without a reply")

    def _kept(self, connection: Connection) -> bool:
        connection.served += 1
        if connection.h11.our_state is h11.DONE and connection.h11.their_state is h11.DONE:
            connection.h11.start_next_cycle()
            return True
        return False
