"""A segment on its way: TCP's bytes with their checksum, an IP packet, an Ethernet frame, and back."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from ipaddress import IPv4Address

from roundtrip.stages.network import ethernet, ip, tcp

_TCP = 6


@dataclass(frozen=True, slots=True)
class End:
    """One end of a connection: its addresses on the link and in the net, and its port."""

    mac: bytes
    address: str
    port: int


def seal(segment: tcp.Segment, source: str, destination: str) -> bytes:
    """Return the bytes of a segment with their checksum, which covers the addresses too."""
    data = tcp.encode(segment)
    return data[:16] + struct.pack(">H", ip.checksum(_pseudo(source, destination, len(data)) + data)) + data[18:]


def packet(segment: tcp.Segment, source: str, destination: str, identifier: int, time_to_live: int = 64) -> bytes:
    """Return the IP packet of a segment."""
    data = seal(segment, source, destination)
    return ip.encode_header(len(data), source, destination, time_to_live, _TCP, identifier & 0xFFFF) + data


def frame(packet: bytes, source_mac: bytes, destination_mac: bytes) -> bytes:
    """Return the Ethernet frame of a packet, with its check sequence."""
    return ethernet.encode_frame(destination_mac, source_mac, packet)


def routed(packet: bytes, hops: int) -> bytes:
    """Return a packet after so many routers: each takes one from its time to live and mends the checksum."""
    header = packet[:20]
    for _ in range(hops):
        header = ip.forward(header)
    return header + packet[20:]


def unframed(frame: bytes) -> bytes:
    """Return the packet in a frame, without its padding.

    Raises
    ------
    ValueError
        If the check sequence does not hold, or what is inside is no IPv4 packet of this length.
    """
    _, _, kind, payload = ethernet.decode_frame(frame)
    if kind != 0x0800 or len(payload) < 20 or payload[0] != 0x45:
        raise ValueError("the frame holds no IPv4 packet")
    total = int.from_bytes(payload[2:4], "big")
    if not 20 <= total <= len(payload):
        raise ValueError(f"the packet says that it has {total} bytes, the frame holds {len(payload)}")
    return payload[:total]


def opened(packet: bytes) -> tcp.Segment:
    """Return the segment in a packet.

    Raises
    ------
    ValueError
        If a checksum does not hold, or it is no TCP.
    """
    if len(packet) < 20 or packet[0] != 0x45:
        raise ValueError(f"{len(packet)} bytes hold no IPv4 header of 20 bytes")
    if ip.checksum(packet[:20]) != 0:
        raise ValueError("the checksum of the IP header does not hold")
    if packet[9] != _TCP:
        raise ValueError(f"protocol {packet[9]} is not TCP")
    source, destination = str(IPv4Address(packet[12:16])), str(IPv4Address(packet[16:20]))
    if ip.checksum(_pseudo(source, destination, len(packet) - 20) + packet[20:]) != 0:
        raise ValueError("the checksum of the TCP segment does not hold")
    return tcp.decode(packet[20:])


def _pseudo(source: str, destination: str, size: int) -> bytes:
    return struct.pack(">IIBBH", ip.address(source), ip.address(destination), 0, _TCP, size)
