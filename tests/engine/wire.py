"""A server that sends exactly the bytes that a test wrote down."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Step = bytes | float | Callable[[socket.socket], None]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
DONE = "data: [DONE]\n\n"


def piece(data: bytes | str) -> bytes:
    """Return a chunk of HTTP."""
    raw = data.encode() if isinstance(data, str) else data
    return f"{len(raw):x}\r\n".encode() + raw + b"\r\n"


def said(body: Any) -> str:
    """Return an event."""
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n"


def delta(reason: str | None = None, usage: Any = None, **fields: Any) -> str:
    """Return the event of a chat's chunk."""
    body: dict[str, Any] = {"choices": [{"index": 0, "delta": fields, "finish_reason": reason}]}
    return said(body if usage is None else {**body, "usage": usage})


def stream(*events: str | float, done: bool = True) -> list[Step]:
    """Return a streamed reply, each event in a chunk of its own; numbers are pauses [s]."""
    steps: list[Step] = [event if isinstance(event, float) else piece(event) for event in events]
    return [HEAD, *steps, *([piece(DONE)] if done else []), END]


def whole(body: Any, status: int = 200, *headers: str) -> list[Step]:
    """Return a reply of one piece."""
    data = json.dumps(body).encode() if not isinstance(body, bytes) else body
    head = [f"HTTP/1.1 {status} Said", "content-type: application/json", f"content-length: {len(data)}", *headers]
    return ["\r\n".join(head).encode() + b"\r\n\r\n" + data]


@dataclass
class Wire:
    """What came in."""

    port: int
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def body(self, number: int = -1) -> Any:
        return json.loads(self.requests[number].partition(b"\r\n\r\n")[2])


def close(sock: socket.socket) -> None:
    """Close the connection, as a step of a script."""
    sock.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def scripted(*replies: list[Step], tls: ssl.SSLContext | None = None) -> Iterator[Wire]:
    """Serve the replies, one a request, in their order, over whatever connections come."""
    listening = socket.create_server(("127.0.0.1", 0))
    wire, left, lock = Wire(listening.getsockname()[1]), list(replies), threading.Lock()

    def serve(plain: socket.socket) -> None:
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(OSError), plain, tls.wrap_socket(plain, True) if tls else plain as sock:
            while (request := _request(sock)) is not None:
                with lock:
                    wire.requests.append(request)
                    steps = left.pop(0) if left else []
                for step in steps:
                    if isinstance(step, bytes):
                        sock.sendall(step)
                    elif isinstance(step, float):
                        time.sleep(step)
                    else:
                        step(sock)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                sock, _ = listening.accept()
                wire.connections += 1
                threading.Thread(target=serve, args=(sock,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield wire
    finally:
        with contextlib.suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def _request(sock: socket.socket) -> bytes | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = sock.recv(65_536)
        if not more:
            return None
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    size = next(
        (int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")), 0
    )
    while len(body) < size:
        body += sock.recv(65_536)
    return head + b"\r\n\r\n" + body
