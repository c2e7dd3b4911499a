"""Ethernet: the packet in a frame, with a sum that finds every burst of errors up to 32 bits.

Before the frame stand 8 bytes of preamble, after it 12 bytes of silence; inside are 14 bytes of header, at least 46 of
payload and 4 of check sequence [1]_. A frame of 64 bytes thus takes 84 on the wire: 148.8 million a second at 100 Gb/s.
The check sequence is the remainder of a division by a polynomial of degree 32 [2]_.

References
----------
.. [1] IEEE Std 802.3-2022, clauses 3 and 4, https://standards.ieee.org/ieee/802.3/10422/
.. [2] W. Peterson and D. Brown, "Cyclic codes for error detection", Proceedings of the IRE 49(1), 1961,
   doi:10.1109/JRPROC.1961.287814
"""

from __future__ import annotations

import zlib

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1973, "R. Metcalfe, Ether acquisition, Xerox PARC; IEEE 802.3 since 1983")

_POLYNOMIAL = 0xEDB88320  # x^32+x^26+x^23+...+1 with its bits in reverse, as they leave on the wire


def frame_wire_B(
    packet_B: Number, frame_header_and_check_B: Number = 18.0, preamble_B: Number = 8.0, gap_B: Number = 12.0
) -> Number:
    """Return the bytes that one packet occupies on the wire [1]_.

    Parameters
    ----------
    packet_B : float
        Bytes of the packet; below 46 it is padded [B].
    frame_header_and_check_B : float
        Addresses, type and check sequence [B].
    preamble_B, gap_B : float
        Before and after the frame [B].
    """
    return np.maximum(packet_B, 46.0) + frame_header_and_check_B + preamble_B + gap_B


def frame_overhead_B(frame_header_and_check_B: Number = 18.0, preamble_B: Number = 8.0, gap_B: Number = 12.0) -> Number:
    """Return the bytes that a frame adds to its packet on the wire: 38.

    Parameters
    ----------
    frame_header_and_check_B : float
        Addresses, type and check sequence [B].
    preamble_B, gap_B : float
        Before and after the frame [B].
    """
    return frame_header_and_check_B + preamble_B + gap_B


def message_wire_B(size_B: Number, packets: Number, packet_header_B: Number, frame_overhead_B: Number) -> Number:
    """Return the bytes that a message occupies on the wire in its packets.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    packets : float
        Packets that carry it.
    packet_header_B : float
        Headers of IP and TCP in each [B].
    frame_overhead_B : float
        Header, check sequence, preamble and gap of each frame [B].
    """
    return np.maximum(size_B, packets * (46.0 - np.minimum(packet_header_B, 46.0))) + packets * (
        packet_header_B + frame_overhead_B
    )


def frame_rate_Hz(rate_bit_s: Number, frame_on_wire_B: Number) -> Number:
    """Return how many frames a second fill a line.

    Parameters
    ----------
    rate_bit_s : float
        Rate of the line [bit/s].
    frame_on_wire_B : float
        Bytes of one frame with preamble and gap [B].
    """
    return rate_bit_s / (8.0 * frame_on_wire_B)


def goodput_share(payload_B: Number, frame_on_wire_B: Number) -> Number:
    """Return which share of the line carries payload.

    Parameters
    ----------
    payload_B : float
        Payload of one frame [B].
    frame_on_wire_B : float
        Bytes of that frame with preamble and gap [B].
    """
    return payload_B / frame_on_wire_B


def line_time_s(wire_B: Number, rate_bit_s: Number) -> Number:
    """Return the time that some bytes occupy a line.

    Parameters
    ----------
    wire_B : float
        Bytes on the wire [B].
    rate_bit_s : float
        Rate of the line [bit/s].
    """
    return 8.0 * wire_B / rate_bit_s


def check_sequence(data: bytes) -> int:
    """Return the CRC-32 of some bytes: the remainder of the division that `remainder` does bit by bit [2]_."""
    return zlib.crc32(data)


def remainder(data: bytes) -> int:
    """Return the same, bit by bit, as the shift register of a card does it: to be read, not to be fast."""
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = register >> 1 ^ (_POLYNOMIAL if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def encode_frame(destination: bytes, source: bytes, payload: bytes, kind: int = 0x0800) -> bytes:
    """Return a frame from destination address to check sequence, padded to 64 bytes."""
    if len(destination) != 6 or len(source) != 6 or len(payload) > 1500:
        raise ValueError("addresses have 6 bytes and the payload at most 1,500")
    body = destination + source + kind.to_bytes(2, "big") + payload.ljust(46, b"\0")
    return body + check_sequence(body).to_bytes(4, "little")


def decode_frame(frame: bytes) -> tuple[bytes, bytes, int, bytes]:
    """Return destination, source, type and payload (with its padding).

    Raises
    ------
    ValueError
        If the frame is shorter than 64 bytes or its check sequence does not hold.
    """
    if len(frame) < 64:
        raise ValueError(f"a frame has at least 64 bytes, not {len(frame)}")
    if check_sequence(frame[:-4]) != int.from_bytes(frame[-4:], "little"):
        raise ValueError("the check sequence does not hold")
    return frame[:6], frame[6:12], int.from_bytes(frame[12:14], "big"), frame[14:-4]
