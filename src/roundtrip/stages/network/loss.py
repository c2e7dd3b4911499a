"""Loss: a packet that does not arrive is sent again, once the sender knows.

How it finds out decides how long the reader waits. A packet that others follow is missed by their acknowledgments: one
round trip and the tolerance for reordering later it goes again (fast retransmit [1]_, [2]_). The last packet of a
message is missed by nobody; after two round trips, and the time for which a lone acknowledgment may be held back, a
tail loss probe asks [2]_. What is lost again waits for the retransmission timeout, which doubles each time [3]_::

    E[wait] = p (T_tail + W) + (1 - p) (1 - (1 - p)^(n-1)) (T_fast + W),    W = sum_k p^k 2^(k-1) RTO

with losses that fall independently with probability p on each of n packets. A streamed token is a message of one
packet: its loss always falls on the tail. Real losses come in bursts, which makes fewer messages suffer more; the mean
is close, the tail is not. A lost acknowledgment costs nothing where a later one covers it, and is left out.

References
----------
.. [1] M. Allman, V. Paxson and E. Blanton, RFC 5681, 2009, section 3.2, https://www.rfc-editor.org/rfc/rfc5681
.. [2] Y. Cheng, N. Cardwell, N. Dukkipati and P. Jha, RFC 8985, 2021, sections 6.2 and 7.2,
   https://www.rfc-editor.org/rfc/rfc8985
.. [3] V. Paxson, M. Allman, J. Chu and M. Sargent, RFC 6298, 2011, https://www.rfc-editor.org/rfc/rfc6298
.. [4] T. Flach et al., "Reducing web latency: the virtue of gentle aggression", SIGCOMM 2013,
   doi:10.1145/2486001.2486014: with timeouts alone, transfers with a loss take five times as long.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1988, "V. Jacobson, Congestion avoidance and control, SIGCOMM 1988")

# Beyond this the logarithm of what arrives would leave the numbers of the machine.
_CERTAIN = 1.0 - 1e-12


def retransmission_timeout_s(
    round_trip_s: Number, round_trip_variation_s: Number, least_variation_s: Number = 0.2
) -> Number:
    """Return the time after which a sender that has heard nothing sends again: ``RTT + max(4 var, least)`` [3]_.

    Parameters
    ----------
    round_trip_s : float
        Smoothed round trip [s].
    round_trip_variation_s : float
        Smoothed deviation of the round trip [s].
    least_variation_s : float
        Least room above the round trip: 200 ms on Linux; the standard asks for a whole second in all [s].
    """
    return round_trip_s + np.maximum(4.0 * round_trip_variation_s, least_variation_s)


def probe_timeout_s(round_trip_s: Number, packets: Number, lone_wait_s: Number = 0.2) -> Number:
    """Return the time after which TCP probes for the loss of a tail: two round trips, more for a lone packet [2]_.

    Parameters
    ----------
    round_trip_s : float
        Smoothed round trip [s].
    packets : float
        Packets under way.
    lone_wait_s : float
        What is added when one packet alone is under way, whose acknowledgment may be held back [s].
    """
    return 2.0 * round_trip_s + np.where(packets < 1.5, lone_wait_s, 0.0)


def tail_wait_s(probe_s: Number, timeout_s: Number) -> Number:
    """Return when a lost tail goes again: at the probe, or at the timeout if that comes first [2]_.

    Parameters
    ----------
    probe_s : float
        Time of the probe [s].
    timeout_s : float
        Time of the retransmission timeout [s].
    """
    return np.minimum(probe_s, timeout_s)


def fast_wait_s(round_trip_s: Number, reordering_share: Number = 0.25) -> Number:
    """Return how much later a packet arrives that acknowledgments of later ones have missed [2]_.

    Parameters
    ----------
    round_trip_s : float
        Round trip [s].
    reordering_share : float
        Tolerance for packets that overtake each other, in round trips: 1/4 for TCP, 1/8 for QUIC.
    """
    return round_trip_s * (1.0 + reordering_share)


def further_wait_s(loss_share: Number, timeout_s: Number, *, retries: int = 6) -> Number:
    """Return the mean wait for losses of what was sent again: the timeout, twice, four times [3]_.

    Parameters
    ----------
    loss_share : float
        Chance that a packet is lost.
    timeout_s : float
        First timeout [s].
    retries : int
        How often it is tried.
    """
    total: Number = loss_share
    chance: Number = loss_share
    for _ in range(retries - 1):
        chance = chance * 2.0 * loss_share
        total = total + chance
    return total * timeout_s


def some_lost_share(loss_share: Number, packets: Number) -> Number:
    """Return the chance that at least one of some packets is lost.

    Parameters
    ----------
    loss_share : float
        Chance that a packet is lost.
    packets : float
        How many there are.
    """
    return -np.expm1(packets * np.log1p(-np.minimum(loss_share, _CERTAIN)))


def message_wait_s(
    packets: Number, loss_share: Number, fast_s: Number, tail_s: Number, timeout_s: Number, *, retries: int = 6
) -> Number:
    """Return the mean time by which loss delays the whole of a message (equation above).

    Parameters
    ----------
    packets : float
        Packets of the message.
    loss_share : float
        Chance that a packet is lost.
    fast_s : float
        Delay when acknowledgments of later packets miss it, see `fast_wait_s` [s].
    tail_s : float
        Delay when it is the last, see `tail_wait_s` [s].
    timeout_s : float
        Retransmission timeout [s].
    retries : int
        How often it is tried.
    """
    further_s = further_wait_s(loss_share, timeout_s, retries=retries)
    before = (1.0 - loss_share) * some_lost_share(loss_share, np.maximum(packets - 1.0, 0.0))
    return loss_share * (tail_s + further_s) + before * (fast_s + further_s)


def opening_wait_s(loss_share: Number, first_timeout_s: Number = 1.0, *, retries: int = 6) -> Number:
    """Return the mean time by which loss delays one exchange of an opening connection, of which no time is known yet.

    Parameters
    ----------
    loss_share : float
        Chance that a packet is lost; either the question or its answer may be.
    first_timeout_s : float
        First timeout: one second [3]_ [s].
    retries : int
        How often it is tried.
    """
    return further_wait_s(some_lost_share(loss_share, 2.0), first_timeout_s, retries=retries)


def sends(loss_share: Number, *, retries: int = 6) -> Number:
    """Return how often a packet is sent in the mean.

    Parameters
    ----------
    loss_share : float
        Chance that a packet is lost.
    retries : int
        How often it is tried again.
    """
    total: Number = 1.0 + loss_share
    chance: Number = loss_share
    for _ in range(retries - 1):
        chance = chance * loss_share
        total = total + chance
    return total
