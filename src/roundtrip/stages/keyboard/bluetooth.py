"""A wireless keyboard: a radio event every few milliseconds, and a retry at the next when one fails.

In Bluetooth Low Energy host and keyboard meet at connection events, a whole multiple of 1.25 ms apart. A press waits
a uniform share of that interval. The keyboard may sleep through events while it has nothing to say (peripheral
latency): this saves its battery and delays what the host wants to tell it, but not a key press. A failed event is
repeated at the next: on average ``p / (1 - p)`` intervals are lost.

References
----------
.. [1] Bluetooth SIG, Core specification 5.4, volume 6 part B, sections 2.1 (packet), 4.5.1 (connection events).
.. [2] Apple's rules for accessories, lists.apple.com bluetooth-dev 2013: from 20 ms, for HID down to 11.25 ms.
.. [3] Silicon Labs, "Selecting suitable connection parameters": 7.5 ms is the least of the standard, 15 ms of Apple's
   rules.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (2010, "Bluetooth 4.0: Low Energy; its HID over GATT profile in 2011; classic HID since 2003")

OVERHEAD_B = 1 + 4 + 2 + 4 + 3  # preamble, access address, header, integrity check, CRC
ATT_B = 4 + 3  # L2CAP header; opcode and handle of a notification
NOTIFY = 0x1B


def event_wait_s(connection_interval_s: Number, poll_phase: Number) -> Number:
    """Return the wait of a report for the next connection event, ``u T`` [s].

    Parameters
    ----------
    connection_interval_s : float
        Time between two connection events [s].
    poll_phase : float
        Where the report falls between two events.
    """
    return connection_interval_s * poll_phase


def retry_wait_s(connection_interval_s: Number, radio_loss: Number) -> Number:
    """Return the mean time lost to failed events, ``T p / (1 - p)`` [s].

    Parameters
    ----------
    connection_interval_s : float
        Time between two connection events [s].
    radio_loss : float
        Chance that an event fails.
    """
    return connection_interval_s * radio_loss / (1.0 - radio_loss)


def air_time_s(report_B: Number, rate_bit_s: Number) -> Number:
    """Return the time of one encrypted notification on the air: 21 bytes around the report [1]_.

    Parameters
    ----------
    report_B : float
        Bytes of the report.
    rate_bit_s : float
        Bits a second of the radio [bit/s].
    """
    return 8.0 * (report_B + float(OVERHEAD_B + ATT_B)) / rate_bit_s


def host_wait_s(connection_interval_s: Number, peripheral_latency: Number) -> Number:
    """Return the longest wait of a message to a sleeping keyboard (a lamp), ``T (1 + l)`` [s].

    Parameters
    ----------
    connection_interval_s : float
        Time between two connection events [s].
    peripheral_latency : float
        Events that the keyboard may sleep through.
    """
    return connection_interval_s * (1.0 + peripheral_latency)


def radio_energy_J(radio_power_W: Number, report_B: Number, rate_bit_s: Number, radio_loss: Number) -> Number:
    """Return the energy of the radio for one delivered report: its air time, and 150 us and 80 bits of the answer,
    for each try [J].

    Parameters
    ----------
    radio_power_W : float
        Power while sending or listening [W].
    report_B : float
        Bytes of the report.
    rate_bit_s : float
        Bits a second of the radio [bit/s].
    radio_loss : float
        Chance that a try fails.
    """
    return (
        radio_power_W
        * (8.0 * (report_B + float(OVERHEAD_B + ATT_B)) / rate_bit_s + 150e-6 + 80.0 / rate_bit_s)
        / (1.0 - radio_loss)
    )


def interval_units(connection_interval_s: Number) -> Number:
    """Return a connection interval in the standard's units of 1.25 ms, rounded down.

    Parameters
    ----------
    connection_interval_s : float
        Time between two connection events [s].
    """
    return np.floor(connection_interval_s / 1.25e-3 + 1e-9)


def crc24(data: bytes, start: int = 0x555555) -> int:
    """Return the 24-bit checksum of a packet (x^24 + x^10 + x^9 + x^6 + x^4 + x^3 + x + 1), lowest bit of each byte
    first.
    """
    register = start
    for byte in data:
        for bit in range(8):
            top = (register >> 23 ^ byte >> bit) & 1
            register = register << 1 & 0xFFFFFF ^ (0x00065B if top else 0)
    return register


def notification(handle: int, report: bytes) -> bytes:
    """Return a report as an attribute notification inside its L2CAP frame, as it goes into the radio packet."""
    attribute = bytes([NOTIFY]) + handle.to_bytes(2, "little") + report
    return len(attribute).to_bytes(2, "little") + (4).to_bytes(2, "little") + attribute


def read_notification(frame: bytes) -> tuple[int, bytes]:
    """Return the handle and the report of such a frame.

    Raises
    ------
    ValueError
        If it is cut, or something else.
    """
    if len(frame) < ATT_B:
        raise ValueError(f"a notification has at least {ATT_B} bytes, not {len(frame)}")
    size, channel = int.from_bytes(frame[:2], "little"), int.from_bytes(frame[2:4], "little")
    if channel != 4 or size != len(frame) - 4 or frame[4] != NOTIFY:
        raise ValueError("not a notification on the attribute channel")
    return int.from_bytes(frame[5:7], "little"), frame[7:]
