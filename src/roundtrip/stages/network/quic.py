"""QUIC: one handshake for the connection and its keys, in datagrams that any loss spares the others.

TCP and TLS 1.3 open one after the other, two round trips before the request may leave. QUIC carries the keys in its
first datagrams, so one round trip does; who has met the server before sends the request at once (0-RTT) [1]_, [2]_.
Two rules blunt this. The first datagram is filled up to 1,200 bytes, and until the server has heard twice from an
address it may send at most three times what it received: a certificate chain beyond 3,600 bytes costs one round trip
more [1]_, which happens to a third of the chains in use [4]_. Each packet has its own header and tag, where TCP pays
for a record of up to 16 kB.

Timers are those of RFC 9002 [3]_: a probe after ``RTT + max(4 var, 1 ms) + 25 ms``, a packet taken for lost when a
later one is acknowledged and 9/8 of a round trip have passed. There is no floor of 200 ms, so a lost tail is mended
sooner than by TCP.

References
----------
.. [1] J. Iyengar and M. Thomson, RFC 9000, 2021, sections 8.1, 14.1, 16 and 17, https://www.rfc-editor.org/rfc/rfc9000
.. [2] M. Thomson and S. Turner, RFC 9001, 2021, https://www.rfc-editor.org/rfc/rfc9001
.. [3] J. Iyengar and I. Swett, RFC 9002, 2021, section 6, https://www.rfc-editor.org/rfc/rfc9002
.. [4] M. Nawrocki et al., "On the interplay between TLS certificates and QUIC performance", CoNEXT 2022,
   arXiv:2211.02421: sizes of 35 % of the certificates exceed the limit.
.. [5] M. Bishop, RFC 9114, HTTP/3, 2022, section 7.1, https://www.rfc-editor.org/rfc/rfc9114
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2012, "J. Roskind, QUIC: design document and specification rationale; RFC 9000 is of 2021")

# Salt of the first keys of version 1 (RFC 9001, section 5.2).
INITIAL_SALT = bytes.fromhex("38762cf7f55934b34d179ae6a4c80cadccbb7f0a")


def amplification_rounds(
    certificate_B: Number, first_datagram_B: Number = 1200.0, amplification: Number = 3.0
) -> Number:
    """Return the round trips that a long certificate chain adds: one beyond three times the first datagram [1]_.

    Parameters
    ----------
    certificate_B : float
        Bytes of the server's first flight, the certificate chain most of it [B].
    first_datagram_B : float
        Bytes of the client's first datagram, filled up [B].
    amplification : float
        How many times that a server may send to an address that it has not verified.
    """
    return np.where(certificate_B > amplification * first_datagram_B, 1.0, 0.0)


def handshake_time_s(
    round_trip_s: Number, handshake_round_trips: Number, more_rounds: Number, handshake_compute_s: Number
) -> Number:
    """Return the wait until the request may leave.

    Parameters
    ----------
    round_trip_s : float
        Time there and back to whoever terminates the connection [s].
    handshake_round_trips : float
        1 for a new connection, 0 for one that is resumed with early data.
    more_rounds : float
        Round trips that a long certificate chain adds.
    handshake_compute_s : float
        Time in which both ends compute keys and signatures [s].
    """
    return round_trip_s * (handshake_round_trips + more_rounds) + handshake_compute_s


def packet_overhead_B(
    packet_flags_B: Number = 1.0, connection_B: Number = 8.0, packet_number_B: Number = 2.0, tag_B: Number = 16.0,
    stream_header_B: Number = 6.0,
) -> Number:  # fmt: skip
    """Return what QUIC adds inside each datagram [1]_.

    Parameters
    ----------
    packet_flags_B, connection_B, packet_number_B : float
        Short header: flags, connection identifier, packet number [B].
    tag_B : float
        Authentication tag [B].
    stream_header_B : float
        Type, identifier, offset and length of the stream's frame [B].
    """
    return packet_flags_B + connection_B + packet_number_B + tag_B + stream_header_B


def packet_payload_B(datagram_B: Number, packet_overhead_B: Number) -> Number:
    """Return the bytes of a message in one full datagram.

    Parameters
    ----------
    datagram_B : float
        Payload of a UDP datagram [B].
    packet_overhead_B : float
        See the function of that name [B].
    """
    return np.maximum(datagram_B - packet_overhead_B, 1.0)


def sealed_size_B(size_B: Number, packets: Number, packet_overhead_B: Number) -> Number:
    """Return the bytes of a message in its packets.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    packets : float
        Packets that carry it.
    packet_overhead_B : float
        What QUIC adds in each [B].
    """
    return size_B + packets * packet_overhead_B


def datagram_header_B(ip_header_B: Number = 20.0, udp_header_B: Number = 8.0) -> Number:
    """Return the headers around each datagram.

    Parameters
    ----------
    ip_header_B, udp_header_B : float
        Headers of IP and UDP [B].
    """
    return ip_header_B + udp_header_B


def framed_size_B(size_B: Number, frame_type_B: Number = 1.0) -> Number:
    """Return the bytes of a message in one frame of HTTP/3: a type, and a length of 1, 2 or 4 bytes [5]_.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    frame_type_B : float
        Type of the frame [B].
    """
    return size_B + frame_type_B + np.where(size_B < 64.0, 1.0, np.where(size_B < 16_384.0, 2.0, 4.0))


def seal_time_s(size_B: Number, packets: Number, record_setup_s: Number, cipher_rate_B_s: Number) -> Number:
    """Return the time to encipher or decipher a message packet by packet.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    packets : float
        Packets that carry it.
    record_setup_s : float
        Time for one packet whatever its length [s].
    cipher_rate_B_s : float
        Bytes that one core enciphers in a second [B/s].
    """
    return packets * record_setup_s + size_B / cipher_rate_B_s


def probe_timeout_s(
    round_trip_s: Number, round_trip_variation_s: Number, held_back_s: Number = 0.025, granularity_s: Number = 1e-3
) -> Number:
    """Return the time after which QUIC probes: ``RTT + max(4 var, granularity) + held back`` [3]_.

    Parameters
    ----------
    round_trip_s, round_trip_variation_s : float
        Smoothed round trip and its deviation [s].
    held_back_s : float
        For how long the peer may hold an acknowledgment back [s].
    granularity_s : float
        Of the timer [s].
    """
    return round_trip_s + np.maximum(4.0 * round_trip_variation_s, granularity_s) + held_back_s


def later_packet_wait_s(round_trip_s: Number, reordering_share: Number = 0.125) -> Number:
    """Return how much later a packet arrives that acknowledgments of later ones have missed: 9/8 round trips [3]_.

    Parameters
    ----------
    round_trip_s : float
        Round trip [s].
    reordering_share : float
        Tolerance for packets that overtake each other, in round trips.
    """
    return round_trip_s * (1.0 + reordering_share)


def first_timeout_s(first_round_trip_s: Number = 0.333) -> Number:
    """Return the probe timeout before any round trip is known: three times the assumed one, 1 s as for TCP [3]_.

    Parameters
    ----------
    first_round_trip_s : float
        Round trip that is assumed; half of it is its deviation [s].
    """
    return first_round_trip_s + 4.0 * 0.5 * first_round_trip_s


def encode_integer(value: int) -> bytes:
    """Return a whole number in 1, 2, 4 or 8 bytes; two bits tell which (section 16)."""
    for bits, length in ((6, 1), (14, 2), (30, 4), (62, 8)):
        if 0 <= value < 1 << bits:
            return (value | (length.bit_length() - 1) << (8 * length - 2)).to_bytes(length, "big")
    raise ValueError(f"value = {value}, allowed: 0 to 2^62 - 1")


def decode_integer(data: bytes) -> tuple[int, bytes]:
    """Return the number at the start of some bytes, and what follows it.

    Raises
    ------
    ValueError
        If the number is cut off.
    """
    length = 1 << (data[0] >> 6) if data else 1
    if len(data) < length:
        raise ValueError(f"the number has {length} bytes, of which {len(data)} are there")
    return int.from_bytes(data[:length], "big") & ((1 << (8 * length - 2)) - 1), data[length:]
