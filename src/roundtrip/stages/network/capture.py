"""A capture file: packets with their times, as other tools open them, and with the secrets that decrypt them.

pcapng is a row of blocks [1]_, each of a type, its length, a body that is filled up to four bytes, and the length once
more. One block opens the file, one names each interface (its link type and the unit of its clock), one may hold the
secrets of TLS in the form that browsers log them [2]_, and one holds each packet. Link type 1 is Ethernet; 220 is USB
as Linux sees it, 294 USB on the wire at full speed.

References
----------
.. [1] M. Tuexen et al., "PCAP Next Generation (pcapng) capture file format", Internet-Draft,
   https://datatracker.ietf.org/doc/draft-ietf-opsawg-pcapng/
.. [2] M. Thomson et al., RFC 9850, "The SSLKEYLOGFILE format for TLS", 2025, https://www.rfc-editor.org/info/rfc9850
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2004, "L. Degioanni and F. Risso, PCAP next generation dump file format")

ETHERNET, USB_LINUX, USB_FULL_SPEED = 1, 220, 294
_OPENING, _INTERFACE, _SECRETS, _PACKET = 0x0A0D0D0A, 1, 0x0A, 6
_MAGIC, _TLS = 0x1A2B3C4D, 0x544C534B
_NANOSECONDS = 9
_LARGEST_B = 1 << 18


@dataclass(frozen=True, slots=True)
class Interface:
    """Where packets were seen: the link type, a name, and the bytes of check sequence at the end of each packet."""

    link_type: int
    name: str = ""
    check_B: int = 0


@dataclass(frozen=True, slots=True)
class Packet:
    """One packet: when it was seen, at which interface (by number), and its bytes."""

    time_ns: int
    data: bytes
    interface: int = 0


def block_size_B(body_B: Number) -> Number:
    """Return the bytes of a block: type, twice its length, and the body filled up to four bytes [1]_ [B].

    Parameters
    ----------
    body_B : float
        Bytes of the body [B].
    """
    return 12.0 + 4.0 * np.ceil(0.25 * body_B)


def encode(interfaces: Sequence[Interface], packets: Sequence[Packet], secrets: bytes = b"") -> bytes:
    """Return a capture file.

    Parameters
    ----------
    interfaces : sequence of Interface
    packets : sequence of Packet
        In the order of their times.
    secrets : bytes
        Lines of a TLS key log; empty for none.
    """
    out = [_block(_OPENING, struct.pack("<IHHq", _MAGIC, 1, 0, -1))]
    for one in interfaces:
        options = _option(2, one.name.encode()) if one.name else b""
        options += _option(9, bytes([_NANOSECONDS]))
        if one.check_B:
            options += _option(13, bytes([one.check_B]))
        out.append(_block(_INTERFACE, struct.pack("<HHI", one.link_type, 0, _LARGEST_B) + options + _option(0, b"")))
    if secrets:
        out.append(_block(_SECRETS, struct.pack("<II", _TLS, len(secrets)) + secrets))
    for packet in packets:
        high, low = divmod(packet.time_ns, 1 << 32)
        size = len(packet.data)
        out.append(_block(_PACKET, struct.pack("<IIIII", packet.interface, high, low, size, size) + packet.data))
    return b"".join(out)


def decode(data: bytes) -> tuple[list[Interface], list[Packet], bytes]:
    """Return interfaces, packets and secrets of a file that `encode` made; blocks that are not known are skipped.

    Raises
    ------
    ValueError
        If the file is cut, or a block contradicts itself.
    """
    interfaces: list[Interface] = []
    packets: list[Packet] = []
    secrets = b""
    for number, (kind, body) in enumerate(_blocks(data)):
        if (number == 0) != (kind == _OPENING):
            raise ValueError("a capture begins with one opening block")
        if kind == _OPENING and body[:4] != struct.pack("<I", _MAGIC):
            raise ValueError("the capture is not in the order of bytes that is read here")
        if kind == _INTERFACE:
            interfaces.append(_interface(body))
        elif kind == _SECRETS and len(body) >= 8:
            secrets += body[8 : 8 + struct.unpack_from("<I", body, 4)[0]]
        elif kind == _PACKET:
            packets.append(_packet(body, len(interfaces)))
    return interfaces, packets, secrets


def _option(code: int, value: bytes) -> bytes:
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def _block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def _blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    if not data:
        raise ValueError("the capture is empty")
    at = 0
    while at < len(data):
        if len(data) - at < 12:
            raise ValueError(f"the capture ends in the middle of a block, at byte {at}")
        kind, size = struct.unpack_from("<II", data, at)
        if size < 12 or size % 4 or at + size > len(data):
            raise ValueError(f"the block at byte {at} has the impossible length {size}")
        if struct.unpack_from("<I", data, at + size - 4)[0] != size:
            raise ValueError(f"the two lengths of the block at byte {at} differ")
        yield kind, data[at + 8 : at + size - 4]
        at += size


def _interface(body: bytes) -> Interface:
    if len(body) < 8:
        raise ValueError("an interface's block is cut")
    found: dict[int, bytes] = {}
    at = 8
    while at + 4 <= len(body):
        code, size = struct.unpack_from("<HH", body, at)
        if code == 0:
            break
        found[code] = body[at + 4 : at + 4 + size]
        at += 4 + size + -size % 4
    if found.get(9) != bytes([_NANOSECONDS]):
        raise ValueError("the capture's clock does not count nanoseconds")
    check = found.get(13, b"\0")[:1] or b"\0"
    return Interface(struct.unpack_from("<H", body)[0], found.get(2, b"").decode(errors="replace"), check[0])


def _packet(body: bytes, interfaces: int) -> Packet:
    if len(body) < 20:
        raise ValueError("a packet's block is cut")
    interface, high, low, size, _ = struct.unpack_from("<IIIII", body)
    if interface >= interfaces or 20 + size > len(body):
        raise ValueError(f"a packet of {size} bytes at interface {interface} does not fit its block or its file")
    return Packet(high << 32 | low, body[20 : 20 + size], interface)
