"""What the exchange leaves behind to look at: captures, one frame taken apart, TLS records, HTTP."""

from __future__ import annotations

from collections.abc import Iterator

from roundtrip.journey.carry import packet
from roundtrip.journey.carry.artifact import Artifact, Field
from roundtrip.journey.carry.exchange import Exchanged
from roundtrip.stages.network import tcp

_TYPES = {20: "change of cipher", 21: "alert", 22: "handshake", 23: "application data"}


def artifacts(found: Exchanged, began_us: int) -> list[Artifact]:
    """Return captures at both sides and bytes at each layer."""
    made = [
        Artifact("network.tcp", "client", "What the computer's interface saw, with the secrets of TLS", "bytes",
                 found.capture(began_us * 1_000), file="pcapng"),
        Artifact("network.tcp", "server", "What the server's interface saw, with the secrets of TLS", "bytes",
                 found.capture(began_us * 1_000, side="server"), file="pcapng"),
        Artifact("network.http", "reply", "The reply's body: server-sent events", "bytes", found.reply, file="txt"),
    ]  # fmt: skip
    frames = [one.frame for one in found.seen["client"] if one.direction == "out" and len(one.frame) > 150]
    if frames:
        frame = frames[-1] if len(frames) == 1 else max(frames[1:], key=len)
        title = "The request's frame, byte by byte"
        made.append(Artifact("network.ethernet", "frame", title, "bytes", frame, tuple(fields(frame))))
    sent = b"".join(data for direction, data in found.records if direction == "out")
    title = "Records that the computer sent"
    made.append(Artifact("network.tls", "records", title, "bytes", sent, tuple(records(sent))))
    return made


def fields(frame: bytes) -> Iterator[Field]:
    """Yield what stands where in a frame: Ethernet, IP, TCP, payload, check sequence."""
    inner = packet.unframed(frame)
    segment = packet.opened(inner)
    yield Field("ethernet.destination", frame[0:6].hex(":"), 0, 6)
    yield Field("ethernet.source", frame[6:12].hex(":"), 6, 6)
    yield Field("ethernet.type", "0x0800, IPv4", 12, 2)
    yield Field("ip.version and header", f"{inner[0] >> 4}, {(inner[0] & 15) * 4} bytes", 14, 1)
    yield Field("ip.length", str(int.from_bytes(inner[2:4], "big")), 16, 2)
    yield Field("ip.identifier", str(int.from_bytes(inner[4:6], "big")), 18, 2)
    yield Field("ip.time_to_live", str(inner[8]), 22, 1)
    yield Field("ip.protocol", "6, TCP", 23, 1)
    yield Field("ip.checksum", f"0x{inner[10:12].hex()}", 24, 2)
    yield Field("ip.source", ".".join(map(str, inner[12:16])), 26, 4)
    yield Field("ip.destination", ".".join(map(str, inner[16:20])), 30, 4)
    yield Field("tcp.ports", f"{segment.source_port} to {segment.destination_port}", 34, 4)
    yield Field("tcp.sequence", str(segment.sequence), 38, 4)
    yield Field("tcp.acknowledged", str(segment.acknowledged), 42, 4)
    yield Field("tcp.flags", " ".join(name for name in tcp.FLAGS if segment.has(name)), 47, 1)
    yield Field("tcp.window", str(segment.window), 48, 2)
    yield Field("tcp.checksum", f"0x{inner[36:38].hex()}", 50, 2)
    size = len(segment.payload)
    if size:
        yield Field("tcp.payload", f"{size} bytes", 14 + len(inner) - size, size)
    yield Field("ethernet.check_sequence", frame[-4:].hex(), len(frame) - 4, 4)


def records(stream: bytes) -> Iterator[Field]:
    """Yield the records in a stream of TLS: their type and length stand in clear."""
    at = 0
    while at + 5 <= len(stream):
        size = int.from_bytes(stream[at + 3 : at + 5], "big")
        yield Field(_TYPES.get(stream[at], f"type {stream[at]}"), f"{size} bytes", at, 5 + size)
        at += 5 + size
