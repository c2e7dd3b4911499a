"""Looking up the name: where does the server live?

A cold trip starts with a question, for example "api.example.com, type A". The computer's stub asks a recursive
resolver near the reader; if the answer is not in the resolver's cache, the resolver walks down from the root to the
servers that are responsible for the name, one round trip each [1]_, [2]_::

    t = t_resolver + p_miss * n * t_authority

A warm connection needs no question. The question and the answer are a header of 12 bytes and labels with their length
before them; `encode_query` and `decode_question` are the wire form.

References
----------
.. [1] P. Mockapetris, RFC 1034 and RFC 1035, 1987, https://www.rfc-editor.org/rfc/rfc1035
.. [2] J. Jung, E. Sit, H. Balakrishnan and R. Morris, "DNS performance and the effectiveness of caching", IEEE/ACM
   Transactions on Networking 10(5), 2002, doi:10.1109/TNET.2002.803905
"""

from __future__ import annotations

import struct

from roundtrip.figures.graph import Number

SINCE = (1983, "P. Mockapetris, RFC 882 and RFC 883, domain names")

_HEADER = struct.Struct(">HHHHHH")
_RECURSION_DESIRED = 0x0100
TYPES = {"A": 1, "AAAA": 28, "HTTPS": 65}


def lookup_time_s(
    resolver_round_trip_s: Number, miss_share: Number, name_levels: Number, authority_round_trip_s: Number
) -> Number:
    """Return the mean time from the question to the address [1]_.

    Parameters
    ----------
    resolver_round_trip_s : float
        Round trip to the recursive resolver [s].
    miss_share : float
        Share of questions that are not in the resolver's cache.
    name_levels : float
        Servers that are asked in turn on a miss.
    authority_round_trip_s : float
        Round trip from the resolver to one of them [s].
    """
    return resolver_round_trip_s + miss_share * name_levels * authority_round_trip_s


def query_size_B(characters: Number, ip_header_B: Number = 20.0, udp_header_B: Number = 8.0) -> Number:
    """Return the bytes of a question in its UDP datagram: header 12, one byte more than the name at either end, type 4.

    Parameters
    ----------
    characters : float
        Length of the name, dots included.
    ip_header_B, udp_header_B : float
        Headers around it [B].
    """
    return ip_header_B + udp_header_B + 12.0 + (characters + 2.0) + 4.0


def encode_name(name: str) -> bytes:
    """Return a name as labels: each with its length before it, a zero at the end.

    Raises
    ------
    ValueError
        If a label is empty or longer than 63 bytes, or the whole longer than 255.
    """
    labels = [label.encode("idna") for label in name.rstrip(".").split(".")]
    for label in labels:
        if not 1 <= len(label) <= 63:
            raise ValueError(f"label {label!r} has {len(label)} bytes, allowed: 1 to 63")
    wire = b"".join(bytes([len(label)]) + label for label in labels) + b"\0"
    if len(wire) > 255:
        raise ValueError(f"the name has {len(wire)} bytes on the wire, allowed: 255")
    return wire


def encode_query(name: str, kind: str = "A", identifier: int = 0) -> bytes:
    """Return the bytes of a question to a recursive resolver."""
    return (
        _HEADER.pack(identifier, _RECURSION_DESIRED, 1, 0, 0, 0)
        + encode_name(name)
        + struct.pack(">HH", TYPES[kind], 1)
    )


def decode_question(message: bytes) -> tuple[int, str, int]:
    """Return identifier, name and type of the first question in a message.

    Raises
    ------
    ValueError
        If the message is cut off, has no question, or compresses the name of its first question.
    """
    if len(message) < _HEADER.size:
        raise ValueError(f"a DNS message has at least {_HEADER.size} bytes, not {len(message)}")
    identifier, _, questions, *_ = _HEADER.unpack_from(message)
    if not questions:
        raise ValueError("the message has no question")
    labels: list[str] = []
    place = _HEADER.size
    while True:
        if place >= len(message):
            raise ValueError("the name is cut off")
        length = message[place]
        place += 1
        if length == 0:
            break
        if length > 63:
            raise ValueError("the name of the first question is compressed")
        labels.append(message[place : place + length].decode("ascii"))
        place += length
    if place + 4 > len(message):
        raise ValueError("the question is cut off")
    return identifier, ".".join(labels), int.from_bytes(message[place : place + 2], "big")
