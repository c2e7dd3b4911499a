"""Direct memory access: the adapter fetches the packet by itself, over PCI Express.

The driver writes a descriptor and rings a bell; the adapter reads the descriptor, then the packet, each a read across
the bus that costs a round trip of some hundred nanoseconds [1]_, and the bytes come in transactions of at most 256 or
512 bytes with some 24 bytes around each [2]_. No processor touches the bytes in between.

References
----------
.. [1] R. Neugebauer et al., "Understanding PCIe performance for end host networking", SIGCOMM 2018,
   doi:10.1145/3230543.3230560
.. [2] PCI-SIG, PCI Express Base Specification, https://pcisig.com/specifications
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1958, "IBM 709, data channels by the 766 data synchronizer; PCI Express since 2003")


def bus_size_B(size_B: Number, transaction_payload_B: Number, transaction_header_B: Number) -> Number:
    """Return the bytes that cross the bus for some bytes of a packet.

    Parameters
    ----------
    size_B : float
        Bytes of the packet [B].
    transaction_payload_B : float
        Largest payload of one transaction [B].
    transaction_header_B : float
        Header, sequence number, checks and framing of one transaction [B].
    """
    return size_B + np.maximum(np.ceil(size_B / transaction_payload_B), 1.0) * transaction_header_B


def fetch_time_s(bus_B: Number, bus_reads: Number, bus_round_trip_s: Number, bus_rate_B_s: Number) -> Number:
    """Return the time from the bell until the last byte is in the adapter [1]_.

    Parameters
    ----------
    bus_B : float
        Bytes across the bus [B].
    bus_reads : float
        Reads that wait for one another: descriptor, then packet.
    bus_round_trip_s : float
        Time of one small read [s].
    bus_rate_B_s : float
        Bytes that the bus carries in a second [B/s].
    """
    return bus_reads * bus_round_trip_s + bus_B / bus_rate_B_s


def copy_energy_J(bus_B: Number, energy_per_byte_J: Number) -> Number:
    """Return the energy of reading memory and driving the bus.

    Parameters
    ----------
    bus_B : float
        Bytes across the bus [B].
    energy_per_byte_J : float
        Energy of one byte in memory and on the lanes [J].
    """
    return bus_B * energy_per_byte_J
