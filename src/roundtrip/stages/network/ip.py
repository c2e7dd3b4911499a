"""IP: an address on every packet, and a number that says how many routers it may still pass.

The header has 20 bytes [1]_. Its checksum is the one's complement of the one's complement sum of its 16-bit words, so a
receiver that sums the whole header gets ones everywhere [2]_. Each router lowers the time to live by one and mends the
sum; a packet that reaches zero is dropped. At home the router also exchanges the private address for the public one
(NAT), which costs it a look-up in a table.

References
----------
.. [1] J. Postel, RFC 791, 1981, https://www.rfc-editor.org/rfc/rfc791
.. [2] R. Braden, D. Borman and C. Partridge, RFC 1071, 1988, https://www.rfc-editor.org/rfc/rfc1071
.. [3] A. Rijsinghani, RFC 1624, 1994, https://www.rfc-editor.org/rfc/rfc1624
"""

from __future__ import annotations

import struct
from functools import lru_cache
from ipaddress import IPv4Address

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1981, "J. Postel, RFC 791")

_HEADER = struct.Struct(">BBHHHBBHII")


def packet_size_B(
    payload_B: Number, ip_header_B: Number = 20.0, tcp_header_B: Number = 20.0, tcp_options_B: Number = 0.0
) -> Number:
    """Return the bytes of one packet.

    Parameters
    ----------
    payload_B : float
        Bytes of the segment's payload [B].
    ip_header_B, tcp_header_B, tcp_options_B : float
        Headers [B].
    """
    return payload_B + ip_header_B + tcp_header_B + tcp_options_B


def packet_header_B(tcp_options_B: Number, ip_header_B: Number = 20.0, tcp_header_B: Number = 20.0) -> Number:
    """Return the bytes of header in one packet: 40, or 52 with timestamps.

    Parameters
    ----------
    tcp_options_B : float
        Options of TCP [B].
    ip_header_B, tcp_header_B : float
        Headers without options [B].
    """
    return ip_header_B + tcp_header_B + tcp_options_B


def checksum_time_s(size_B: Number, copy_rate_B_s: Number) -> Number:
    """Return the time to sum a packet in software, as fast as memory is read.

    Parameters
    ----------
    size_B : float
        Bytes summed [B].
    copy_rate_B_s : float
        Bytes read and summed in a second [B/s].
    """
    return size_B / copy_rate_B_s


def translation_time_s(packets: Number, forward_latency_s: Number, forward_packet_s: Number) -> Number:
    """Return the time in which the home router translates and forwards a train of packets.

    Parameters
    ----------
    packets : float
        Packets in the train.
    forward_latency_s : float
        Time for the first: interrupt, table, queue [s].
    forward_packet_s : float
        Time for each further one [s].
    """
    return forward_latency_s + np.maximum(packets - 1.0, 0.0) * forward_packet_s


def hops_left(time_to_live: Number, hops: Number) -> Number:
    """Return the time to live that is left when a packet arrives; zero means that it was dropped on the way.

    Parameters
    ----------
    time_to_live : float
        What the sender writes: 64 on Linux and macOS, 128 on Windows.
    hops : float
        Routers on the way.
    """
    return np.maximum(time_to_live - hops, 0.0)


def checksum(data: bytes) -> int:
    """Return the Internet checksum of some bytes [2]_."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


@lru_cache(1024)
def address(text: str) -> int:
    """Return an address written with dots as a number; it is read once."""
    return int(IPv4Address(text))


def encode_header(
    payload_B: int, source: str, destination: str, time_to_live: int = 64, protocol: int = 6, identifier: int = 0
) -> bytes:
    """Return a header of 20 bytes with its checksum; "do not fragment" is set, as TCP does."""
    fields = (0x45, 0, 20 + payload_B, identifier, 0x4000, time_to_live, protocol)
    ends = (address(source), address(destination))
    return _HEADER.pack(*fields, checksum(_HEADER.pack(*fields, 0, *ends)), *ends)


def forward(header: bytes) -> bytes:
    """Return the header as the next router sends it: time to live one less, checksum mended [3]_.

    Raises
    ------
    ValueError
        If the header is no whole one, its checksum does not hold, or the time to live runs out.
    """
    if len(header) < 20:
        raise ValueError(f"a header has at least 20 bytes, not {len(header)}")
    if checksum(header) != 0:
        raise ValueError("the checksum of the header does not hold")
    if header[8] <= 1:
        raise ValueError("the time to live has run out")
    old, kept = struct.unpack_from(">H", header, 8)[0], struct.unpack_from(">H", header, 10)[0]
    total = (~kept & 0xFFFF) + (~old & 0xFFFF) + (old - 0x100)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return header[:8] + struct.pack(">HH", old - 0x100, ~total & 0xFFFF) + header[12:]
