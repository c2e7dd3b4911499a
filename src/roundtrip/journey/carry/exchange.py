"""A request and its streamed reply over a wire: connection, TLS, HTTP, and the reply's events one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from roundtrip.journey.carry.endpoint import Counts, Endpoint
from roundtrip.journey.carry.packet import End
from roundtrip.journey.carry.secure import HOST, Pair, pair
from roundtrip.journey.carry.web import Web, web
from roundtrip.journey.carry.wire import Link, Lost, Path, Seen, Wire
from roundtrip.stages.network.capture import ETHERNET, Interface, encode

# Addresses that are set aside for documentation (RFC 5737) and locally administered link addresses.
CLIENT = ("02:00:00:00:00:01", "192.0.2.10")
SERVER = ("02:00:00:00:00:02", "198.51.100.20")
HTTPS = 443


@dataclass(slots=True)
class Exchanged:
    """What a request and its reply left behind.

    Attributes
    ----------
    request : bytes
        Body that the server received.
    reply : bytes
        Body that the client received.
    arrivals : list of (float, int)
        When the client had so many bytes of the reply [s].
    marks : dict
        When what happened [s]: connected, secured, asked, received, begun, whole.
    seen : dict of list of Seen
        Frames at each side.
    records : list of (str, bytes)
        What TLS put on the stream: ``out`` or ``back``, bytes.
    lost : list of Lost
    counts : dict of Counts
        By side.
    secrets : bytes
        Key log of TLS.
    agreed : dict
        Version, cipher and protocol that TLS agreed on.
    port : int
        Of the client.
    """

    request: bytes = b""
    reply: bytes = b""
    arrivals: list[tuple[float, int]] = field(default_factory=list[tuple[float, int]])
    marks: dict[str, float] = field(default_factory=dict[str, float])
    seen: dict[str, list[Seen]] = field(default_factory=dict[str, list[Seen]])
    records: list[tuple[str, bytes]] = field(default_factory=list[tuple[str, bytes]])
    lost: list[Lost] = field(default_factory=list[Lost])
    counts: dict[str, Counts] = field(default_factory=dict[str, Counts])
    secrets: bytes = b""
    agreed: dict[str, str] = field(default_factory=dict[str, str])
    port: int = 0
    _wire: Wire | None = None

    def capture(self, began_ns: int, with_secrets: bool = True, side: str = "client") -> bytes:
        """Return what one side's interface saw as a pcapng file."""
        packets = self._wire.packets(side, began_ns) if self._wire else []
        return encode([Interface(ETHERNET, side, 4)], packets, self.secrets if with_secrets else b"")


Answer = Callable[[bytes], Sequence[tuple[float, bytes]]]


@dataclass(slots=True)
class _Session:
    wire: Wire
    tls: Pair
    web: dict[str, Web]
    body: bytes
    answer: Answer
    found: Exchanged

    def heard(self, side: str, data: bytes) -> None:
        """Pass bytes of the stream on to TLS, its text to HTTP, and act on what was understood."""
        secure = self.tls.client if side == "client" else self.tls.server
        was_ready = secure.is_ready
        self.put(side, secure.feed(data))
        text = secure.taken()
        if text or (secure.is_ready and not was_ready):
            self.tell(side, self.web[side].feed(text))
        if side == "client":
            self._at_client(not was_ready and secure.is_ready, len(text))
        elif self.web[side].heard.is_whole and "received" not in self.found.marks:
            self._at_server()
        end = self.wire.client if side == "client" else self.wire.server
        if end.is_ended and side == "server" and "closed" not in self.found.marks:
            self.found.marks["closed"] = self.wire.now_s
            self.put("server", self.tls.server.end())
            self.wire.server.close(self.wire.now_s)

    def _at_client(self, is_new: bool, grown: int) -> None:
        heard, now_s = self.web["client"].heard, self.wire.now_s
        if is_new:
            self.found.marks["secured"] = now_s
            self.found.marks["asked"] = now_s
            self.tell("client", self.web["client"].ask(HOST, self.body))
        if grown and len(heard.body) > (self.found.arrivals[-1][1] if self.found.arrivals else 0):
            self.found.arrivals.append((now_s, len(heard.body)))
        if heard.is_whole and "whole" not in self.found.marks:
            self.found.marks["whole"] = now_s
            self.put("client", self.tls.client.end())
            self.wire.client.close(now_s)

    def _at_server(self) -> None:
        heard, now_s = self.web["server"].heard, self.wire.now_s
        self.found.marks["received"] = now_s
        self.found.request = bytes(heard.body)
        server = self.web["server"]
        due = list(self.answer(self.found.request))
        self.wire.at(now_s + (due[0][0] if due else 0.0), lambda: self._begin(server))
        for after_s, event in due:
            self.wire.at(now_s + after_s, lambda e=event: self.tell("server", server.part(e)))
        self.wire.at(now_s + (due[-1][0] if due else 0.0), lambda: self.tell("server", server.finish()))

    def _begin(self, server: Web) -> None:
        self.found.marks["begun"] = self.wire.now_s
        self.tell("server", server.begin())

    def tell(self, side: str, text: bytes) -> None:
        """Send plain text through TLS."""
        if text:
            self.put(side, (self.tls.client if side == "client" else self.tls.server).say(text))

    def put(self, side: str, data: bytes) -> None:
        """Put bytes of TLS on the stream."""
        if data:
            self.found.records.append(("out" if side == "client" else "back", data))
            self.wire.send(side, data)


def exchange(
    body: bytes,
    answer: Answer,
    path: Path,
    *,
    version: str = "http/1.1",
    seed: int = 0,
    link: Link | None = None,
    drop: Callable[[str, int, bytes], str] | None = None,
) -> Exchanged:
    """Carry a request to the server and its reply back.

    Parameters
    ----------
    body : bytes
        Of the request.
    answer : callable
        Given the body that the server received, the parts of the reply and when each is ready after that [s].
    path : Path
        The way between the ends.
    version : str
        ``http/1.1`` or ``h2``.
    seed : int
        Of losses, late frames, ports and the first sequence numbers.
    link : callable, optional
        What carries frames over the long haul.
    drop : callable, optional
        Given direction, number and bytes of a frame, why it is lost; empty if it is not.

    Raises
    ------
    RoundtripError
        If TLS or HTTP refuses what arrived.
    ConnectionLostError
        If an end gave up.
    """
    stream = np.random.default_rng(seed)
    ends = [
        End(bytes.fromhex(mac.replace(":", "")), address, port)
        for (mac, address), port in ((CLIENT, int(stream.integers(49_152, 65_535))), (SERVER, HTTPS))
    ]
    starts = stream.integers(0, 1 << 32, 2).tolist()
    client = Endpoint(ends[0], ends[1], starts[0], is_client=True)
    server = Endpoint(ends[1], ends[0], starts[1], is_client=False)
    wire = Wire(client, server, path, stream, link)
    if drop is not None:
        wire.drop = drop
    found = Exchanged(port=ends[0].port, _wire=wire)
    with pair(version) as tls:
        ends_of_web = {side: web(version, side == "client") for side in ("client", "server")}
        session = _Session(wire, tls, ends_of_web, body, answer, found)
        wire.heard = session.heard
        client.open(0.0)
        wire.run(lambda: client.is_open)
        found.marks["connected"] = wire.now_s
        session.put("client", tls.client.feed(b""))
        wire.run()
        found.secrets, found.agreed = tls.secrets(), tls.client.chosen()
    found.reply = bytes(session.web["client"].heard.body)
    found.seen, found.lost = wire.seen, wire.lost
    found.counts = {"client": client.counts, "server": server.counts}
    return found
