"""USB: the keyboard does not interrupt anybody, it is asked at fixed times.

The host polls the interrupt endpoint at the interval that the device advertises. A device with nothing new answers
NAK, one with a report sends it, with a checksum. A press that falls at a random moment waits a uniform share of the
interval, and then the bus time of the transaction: token, data, handshake, bit stuffing and turnaround, in the
standard's worst case.

References
----------
.. [1] USB 2.0 specification, 2000, section 5.7.4 (intervals), 5.11.3 (bus time), 7.1.9 (bit stuffing), 8.3.5 (CRC).
.. [2] Linux, usb_calc_bus_time in drivers/usb/core/hcd.c: the standard's formula in whole nanoseconds.
.. [3] USB Implementers Forum, "Cyclic redundancy checks in USB": the worked vectors.
.. [4] D. Luu, "Keyboard latency", https://danluu.com/keyboard-latency/: low-speed boards are polled every 8 ms.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1996, "USB 1.0: low speed and full speed; high speed since USB 2.0 in 2000")

LOW_SPEED_BIT_S = 1.5e6
FULL_SPEED_BIT_S = 12e6
HIGH_SPEED_BIT_S = 480e6
IN_TOKEN = 0x69
DATA0, DATA1 = 0xC3, 0x4B
ACK, NAK = 0xD2, 0x5A


def poll_wait_s(poll_interval_s: Number, poll_phase: Number) -> Number:
    """Return the wait of a finished report until the host asks for it, ``u T`` [s].

    Parameters
    ----------
    poll_interval_s : float
        Time between two polls [s].
    poll_phase : float
        Where the report falls between two polls: 0 just before one, 1 just after.
    """
    return poll_interval_s * poll_phase


def full_speed_interval_s(b_interval: Number) -> Number:
    """Return the interval that a full-speed interrupt endpoint asks for: bInterval frames of 1 ms [1]_.

    Parameters
    ----------
    b_interval : float
        The byte bInterval of the endpoint descriptor, 1 to 255.
    """
    return b_interval * 1e-3


def low_speed_interval_s(b_interval: Number) -> Number:
    """Return the interval that a low-speed interrupt endpoint asks for: bInterval frames, at least 10 ms [1]_.

    Parameters
    ----------
    b_interval : float
        The byte bInterval of the endpoint descriptor.
    """
    return np.maximum(b_interval, 10.0) * 1e-3


def high_speed_interval_s(b_interval: Number) -> Number:
    """Return the interval that a high-speed interrupt endpoint asks for: 2^(bInterval - 1) microframes of 125 us [1]_.

    Parameters
    ----------
    b_interval : float
        The byte bInterval of the endpoint descriptor, 1 to 16; larger ones count as 16.
    """
    return np.power(2.0, np.minimum(b_interval, 16.0) - 1.0) * 125e-6


def poll_rate_Hz(poll_interval_s: Number) -> Number:
    """Return the polls a second, nearly all answered with NAK [Hz].

    Parameters
    ----------
    poll_interval_s : float
        Time between two polls [s].
    """
    return 1.0 / poll_interval_s


def bus_time_low_s(report_B: Number) -> Number:
    """Return the bus time of a low-speed interrupt IN transaction behind a hub, in whole nanoseconds as Linux
    counts it [2]_.

    Parameters
    ----------
    report_B : float
        Bytes of the report.
    """
    nanoseconds = (
        64_060.0 + 2.0 * 333.0 + 1_000.0 + np.floor(67_667.0 * (31.0 + 10.0 * _stuffed_bits(report_B)) / 1_000.0)
    )
    return nanoseconds * 1e-9


def bus_time_full_s(report_B: Number) -> Number:
    """Return the bus time of a full-speed interrupt IN transaction [2]_.

    Parameters
    ----------
    report_B : float
        Bytes of the report.
    """
    nanoseconds = 9_107.0 + 1_000.0 + np.floor(8_354.0 * (31.0 + 10.0 * _stuffed_bits(report_B)) / 1_000.0)
    return nanoseconds * 1e-9


def bus_time_high_s(report_B: Number) -> Number:
    """Return the bus time of a high-speed interrupt IN transaction [2]_.

    Parameters
    ----------
    report_B : float
        Bytes of the report.
    """
    nanoseconds = np.floor((55.0 * 8.0 * 2_083.0 + 2_083.0 * (3.0 + _stuffed_bits(report_B))) / 1_000.0) + 5.0
    return nanoseconds * 1e-9


def _stuffed_bits(report_B: Number) -> Number:
    """Return the bits of the data with a stuffed bit after every six, the worst case."""
    return np.floor(7.0 * 8.0 * report_B / 6.0)


def wire_bits(report_B: Number) -> Number:
    """Return the bits of token, data and handshake on the wire before stuffing: SYNC and end of packet for each of
    the three.

    Parameters
    ----------
    report_B : float
        Bytes of the report.
    """
    return 3.0 * (8.0 + 3.0) + 24.0 + (8.0 + 8.0 * report_B + 16.0) + 8.0


def signal_energy_J(line_bits: Number, line_capacitance_F: Number, voltage_V: Number) -> Number:
    """Return the energy to swing the two data lines: NRZI turns half of random bits into a transition, ``n/2 C
    V^2`` [J].

    Parameters
    ----------
    line_bits : float
        Bits on the wire.
    line_capacitance_F : float
        Capacitance of the cable and the transceivers [F].
    voltage_V : float
        Swing of the data lines [V].
    """
    return 0.5 * line_bits * line_capacitance_F * voltage_V * voltage_V


def crc5(value: int, bits: int = 11) -> int:
    """Return the 5-bit checksum of a token (x^5 + x^2 + 1), as the number whose low bit is sent first [3]_."""
    remainder = 0x1F
    for i in range(bits):
        remainder = remainder >> 1 ^ (0x14 if (remainder ^ value >> i) & 1 else 0)
    return remainder ^ 0x1F


def crc16(data: bytes) -> int:
    """Return the 16-bit checksum of a data packet (x^16 + x^15 + x^2 + 1), as the number whose low byte is sent
    first.
    """
    remainder = 0xFFFF
    for byte in data:
        remainder ^= byte
        for _ in range(8):
            remainder = remainder >> 1 ^ (0xA001 if remainder & 1 else 0)
    return remainder ^ 0xFFFF


def reverse_bits(value: int, bits: int) -> int:
    """Return a number with its bits in the opposite order: checksums are written down in both."""
    return int(f"{value:0{bits}b}"[::-1], 2)


def in_token(address: int, endpoint: int) -> bytes:
    """Return the token with which a host asks an endpoint for data: packet id, address, endpoint, CRC5."""
    value = address | endpoint << 7
    word = value | crc5(value) << 11
    return bytes([IN_TOKEN, word & 0xFF, word >> 8])


def read_token(packet: bytes) -> tuple[int, int]:
    """Return the address and the endpoint that a token asks.

    Raises
    ------
    ValueError
        If it is no such token, or its checksum does not hold.
    """
    if len(packet) != 3 or packet[0] != IN_TOKEN:
        raise ValueError(f"{packet[:3].hex() or 'nothing'} is no token that asks for data")
    word = int.from_bytes(packet[1:], "little")
    if crc5(word & 0x7FF) != word >> 11:
        raise ValueError("the checksum of the token does not hold")
    return word & 0x7F, word >> 7 & 0xF


def data_packet(report: bytes, toggle: int) -> bytes:
    """Return the packet with which a device answers: DATA0 or DATA1 in turn, the report, CRC16."""
    return bytes([DATA1 if toggle & 1 else DATA0]) + report + crc16(report).to_bytes(2, "little")


def answer(new_report: bytes | None, toggle: int) -> bytes:
    """Return what a keyboard answers to a poll: its report if there is something new, else NAK."""
    return bytes([NAK]) if new_report is None else data_packet(new_report, toggle)


def read_data(packet: bytes, toggle: int) -> bytes:
    """Return the report in a data packet.

    Raises
    ------
    ValueError
        If it is no data packet, its turn is not due, or its checksum does not hold.
    """
    if len(packet) < 3 or packet[0] not in (DATA0, DATA1):
        raise ValueError(f"{packet[:1].hex() or 'nothing'} is no data packet")
    if packet[0] != (DATA1 if toggle & 1 else DATA0):
        raise ValueError("the data packet is not the one that is due: it was sent again")
    if crc16(packet[1:-2]) != int.from_bytes(packet[-2:], "little"):
        raise ValueError("the checksum of the data packet does not hold")
    return packet[1:-2]


def stuff(bits: str) -> str:
    """Return a string of bits with a 0 after every six 1s in a row, so that the receiver's clock stays locked."""
    return bits.replace("1" * 6, "1" * 6 + "0")


def unstuff(bits: str) -> str:
    """Return a string of bits without the stuffed ones."""
    return bits.replace("1" * 6 + "0", "1" * 6)
