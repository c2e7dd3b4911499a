"""TCP: the message is cut into segments, and a new connection may only send a few before it hears back.

The largest segment is what fits into one packet: the MTU less the headers of IP and TCP [1]_, 1,460 bytes on plain
Ethernet, 1,448 with the timestamps that most computers send along. A sender that has not heard anything yet may have
ten segments under way [2]_; each acknowledged round trip doubles that in slow start [3]_. A message of S bytes needs

    r = ceil(log2(S / (w * MSS) + 1))

such rounds, so it waits r - 1 round trips beyond the first: none for a chat message, one for 20 kB, four for 250 kB.
A connection that was idle longer than its retransmission time starts again with ten (RFC 5681, section 4.1), so the
rule holds on a warm connection, too. Windows beyond slow start are not modeled on the way; what a lost packet costs
stands in `roundtrip.stages.network.loss`, and `loss_rate_bit_s` gives the long-run rate under loss [4]_.

References
----------
.. [1] W. Eddy (ed.), RFC 9293, 2022, section 3.7.1, https://www.rfc-editor.org/rfc/rfc9293
.. [2] J. Chu et al., RFC 6928, 2013, https://www.rfc-editor.org/rfc/rfc6928
.. [3] M. Allman, V. Paxson and E. Blanton, RFC 5681, 2009, https://www.rfc-editor.org/rfc/rfc5681
.. [4] M. Mathis, J. Semke, J. Mahdavi and T. Ott, "The macroscopic behavior of the TCP congestion avoidance
   algorithm", Computer Communication Review 27(3), 1997, doi:10.1145/263932.264023
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1974, "V. Cerf and R. Kahn, A protocol for packet network intercommunication")

FLAGS = {"FIN": 1, "SYN": 2, "RST": 4, "PSH": 8, "ACK": 16}
_HEADER = struct.Struct(">HHIIBBHHH")


def segment_size_B(
    mtu_B: Number, ip_header_B: Number = 20.0, tcp_header_B: Number = 20.0, tcp_options_B: Number = 0.0
) -> Number:
    """Return the largest payload of one segment [B].

    Parameters
    ----------
    mtu_B : float
        Largest packet of the link [B].
    ip_header_B, tcp_header_B : float
        Headers inside the packet [B].
    tcp_options_B : float
        Options in each segment: 12 with timestamps [B].
    """
    return mtu_B - ip_header_B - tcp_header_B - tcp_options_B


def segments(size_B: Number, payload_B: Number) -> Number:
    """Return into how many segments a message is cut.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    payload_B : float
        Largest payload of one segment [B].
    """
    return np.maximum(np.ceil(size_B / payload_B), 1.0)


def handshake_time_s(round_trip_s: Number, handshake_round_trips: Number) -> Number:
    """Return the wait until a connection is open: SYN out, SYN and ACK back [1]_.

    Parameters
    ----------
    round_trip_s : float
        Time there and back [s].
    handshake_round_trips : float
        1 for a new connection, 0 for one that is open.
    """
    return round_trip_s * handshake_round_trips


def slow_start_rounds(size_B: Number, payload_B: Number, window_segments: Number = 10.0) -> Number:
    """Return how many flights a message needs when the window doubles after each.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    payload_B : float
        Payload of one segment [B].
    window_segments : float
        Segments that may be under way at first [2]_.
    """
    return np.maximum(np.ceil(np.log2(size_B / (window_segments * payload_B) + 1.0)), 1.0)


def window_wait_s(size_B: Number, payload_B: Number, window_segments: Number, round_trip_s: Number) -> Number:
    """Return how long the last segment waits for the window to open: one round trip for each flight after the first.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    payload_B : float
        Payload of one segment [B].
    window_segments : float
        Segments that may be under way at first.
    round_trip_s : float
        Time there and back [s].
    """
    return (slow_start_rounds(size_B, payload_B, window_segments) - 1.0) * round_trip_s


def loss_rate_bit_s(payload_B: Number, round_trip_s: Number, loss_share: Number) -> Number:
    """Return the long-run rate of one connection under random loss, ``MSS / RTT * sqrt(3 / (2 p))`` [4]_.

    Parameters
    ----------
    payload_B : float
        Payload of one segment [B].
    round_trip_s : float
        Time there and back [s].
    loss_share : float
        Share of segments that are lost.
    """
    return 8.0 * payload_B / round_trip_s * np.sqrt(1.5 / loss_share)


def cut(message: bytes, payload_B: int) -> list[bytes]:
    """Cut a message into segments."""
    if payload_B < 1:
        raise ValueError(f"payload_B = {payload_B}, expected at least 1")
    return [message[i : i + payload_B] for i in range(0, len(message), payload_B)] or [b""]


def join(pieces: list[tuple[int, bytes]], first: int = 0) -> bytes:
    """Put segments back in the order of their sequence numbers; what came twice is dropped.

    Raises
    ------
    ValueError
        If bytes are missing in between.
    """
    whole = b""
    for sequence, payload in sorted(pieces, key=lambda piece: (piece[0] - first) % 2**32):
        offset = (sequence - first) % 2**32
        if offset > len(whole):
            raise ValueError(f"bytes {len(whole)} to {offset} are missing")
        whole += payload[len(whole) - offset :]
    return whole


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment; numbers are those on the wire, modulo 2^32, and the window is not scaled yet."""

    source_port: int
    destination_port: int
    sequence: int
    acknowledged: int
    flags: int
    window: int
    payload: bytes = b""
    largest_B: int | None = None
    scale: int | None = None
    selective: bool = False
    blocks: tuple[tuple[int, int], ...] = ()  # what arrived beyond a gap: first byte, and the one after the last

    def has(self, flag: str) -> bool:
        """Return whether a flag of `FLAGS` is set."""
        return bool(self.flags & FLAGS[flag])


def encode(segment: Segment) -> bytes:
    """Return header, options and payload, the checksum left at zero: it covers addresses that TCP does not know."""
    options = b""
    if segment.largest_B is not None:
        options += struct.pack(">BBH", 2, 4, segment.largest_B)
    if segment.selective:
        options += b"\x04\x02"
    if segment.scale is not None:
        options += struct.pack(">BBB", 3, 3, segment.scale)
    if segment.blocks:
        options += struct.pack(
            f">BB{2 * len(segment.blocks)}I", 5, 2 + 8 * len(segment.blocks), *sum(segment.blocks, ())
        )
    options = b"\x01" * (-len(options) % 4) + options
    ports = (segment.source_port, segment.destination_port, segment.sequence, segment.acknowledged)
    start = _HEADER.pack(*ports, 5 + len(options) // 4 << 4, segment.flags, segment.window, 0, 0)
    return start + options + segment.payload


def decode(data: bytes) -> Segment:
    """Return what `encode` was given; options that are not known are skipped. The checksum is not looked at.

    Raises
    ------
    ValueError
        If the header is cut, or an option's length is impossible.
    """
    if len(data) < 20 or not 20 <= (data[12] >> 4) * 4 <= len(data):
        raise ValueError(f"{len(data)} bytes hold no TCP header")
    source, destination, sequence, acknowledged, offset, flags, window, _, _ = _HEADER.unpack_from(data)
    end = (offset >> 4) * 4
    found: dict[int, bytes] = {}
    i = 20
    while i < end and data[i] != 0:
        if data[i] == 1:
            i += 1
            continue
        length = data[i + 1] if i + 1 < end else 0
        if length < 2 or i + length > end:
            raise ValueError(f"option {data[i]} of a TCP header has the impossible length {length}")
        found[data[i]] = data[i + 2 : i + length]
        i += length
    sizes = {2: (2,), 3: (1,), 4: (0,), 5: (8, 16, 24, 32)}
    for kind, value in found.items():
        if kind in sizes and len(value) not in sizes[kind]:
            raise ValueError(f"option {kind} of a TCP header has the impossible length {len(value) + 2}")
    edges = struct.unpack(f">{len(found.get(5, b'')) // 4}I", found.get(5, b""))
    return Segment(
        source, destination, sequence, acknowledged, flags, window, data[end:],
        int.from_bytes(found[2], "big") if 2 in found else None, found[3][0] if 3 in found else None, 4 in found,
        tuple(zip(edges[::2], edges[1::2], strict=True)),
    )  # fmt: skip
