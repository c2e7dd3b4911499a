"""The edge: a server near the reader that ends the TLS session and passes the request on.

A content network answers the handshakes of TCP and TLS from the reader's own region and keeps warm connections to the
origin, so a cold trip pays the long way once instead of three times [1]_, [2]_. What it adds is the time of a proxy,
and a second pair of records.

References
----------
.. [1] E. Nygren, R. Sitaraman and J. Sun, "The Akamai network", ACM SIGOPS Operating Systems Review 44(3), 2010,
   doi:10.1145/1842733.1842736
.. [2] B. Schlinker et al., "Engineering egress with Edge Fabric", SIGCOMM 2017, doi:10.1145/3098822.3098853
"""

from __future__ import annotations

from roundtrip.figures.graph import Number

SINCE = (1998, "D. Lewin and F. T. Leighton, Akamai: consistent hashing in a content network")


def near_round_trip_s(
    access_there_s: Number, access_back_s: Number, edge_cable_m: Number, group_index: Number = 1.468,
    speed_of_light_m_s: Number = 299_792_458.0,
) -> Number:  # fmt: skip
    """Return the round trip to the edge: both ways over the access line, and light to the edge and back.

    Parameters
    ----------
    access_there_s, access_back_s : float
        One-way times of the access line [s].
    edge_cable_m : float
        Fiber from the provider's router to the edge [m].
    group_index : float
        Group index of the glass.
    speed_of_light_m_s : float
        Speed of light in vacuum [m/s].
    """
    return access_there_s + access_back_s + 2.0 * edge_cable_m * group_index / speed_of_light_m_s


def proxy_time_s(size_B: Number, proxy_latency_s: Number, cipher_rate_B_s: Number) -> Number:
    """Return the time in the edge: routing of the request, opening one record and sealing the next.

    Parameters
    ----------
    size_B : float
        Bytes of the message [B].
    proxy_latency_s : float
        Time whatever the length [s].
    cipher_rate_B_s : float
        Bytes that one core enciphers in a second [B/s].
    """
    return proxy_latency_s + 2.0 * size_B / cipher_rate_B_s


def saved_s(handshake_round_trips: Number, round_trip_s: Number, near_trip_s: Number) -> Number:
    """Return what the edge saves on a cold trip: each handshake goes the short way.

    Parameters
    ----------
    handshake_round_trips : float
        Round trips of all handshakes.
    round_trip_s : float
        Round trip to the origin [s].
    near_trip_s : float
        Round trip to the edge [s].
    """
    return handshake_round_trips * (round_trip_s - near_trip_s)
