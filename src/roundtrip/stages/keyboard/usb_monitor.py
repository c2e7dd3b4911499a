"""What the computer sees of a keyboard's transfers: the records that Linux' USB monitor writes.

Each transfer is seen twice: when it is submitted and when it completes [1]_. A record is 64 bytes of what and when,
then the data that moved. Before any key, the host has asked the device who it is: its device descriptor, its
configuration, and the report descriptor that says what the bits of a report mean [2]_; without it nobody could name a
key in the capture.

References
----------
.. [1] Linux, Documentation/usb/usbmon.rst, https://docs.kernel.org/usb/usbmon.html
.. [2] USB Implementers Forum, Device Class Definition for HID 1.11, 2001, section 7.1 and appendix E,
   https://www.usb.org/document-library/device-class-definition-hid-111
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from roundtrip.figures.graph import Number

SINCE = (2005, "P. Zaitcev, usbmon in Linux 2.6.11")

_HEAD = struct.Struct("<QBBBBHBBqiiII8siiII")
INTERRUPT, CONTROL = 1, 2
_IN_PROGRESS = -115
DEVICE = bytes.fromhex("12 01 00 02 00 00 00 08 09 12 01 00 00 01 01 02 00 01")  # vendor 0x1209: pid.codes, for tests
ADDRESS, ENDPOINT = 5, 1


def record_size_B(transferred_B: Number) -> Number:
    """Return the bytes of a record: 64, and what was transferred [1]_ [B].

    Parameters
    ----------
    transferred_B : float
        Bytes of data in the transfer [B].
    """
    return 64.0 + transferred_B


def configuration(report_descriptor_B: int, interval_ms: int) -> bytes:
    """Return the configuration of a boot keyboard: one interface, its HID descriptor, one interrupt endpoint [2]_."""
    interface = bytes([9, 4, 0, 0, 1, 3, 1, 1, 0])
    hid = struct.pack("<BBHBBBH", 9, 0x21, 0x0111, 0, 1, 0x22, report_descriptor_B)
    endpoint = struct.pack("<BBBBHB", 7, 5, 0x80 | ENDPOINT, 3, 8, interval_ms)
    body = interface + hid + endpoint
    return struct.pack("<BBHBBBBB", 9, 2, 9 + len(body), 1, 1, 0, 0xA0, 50) + body


def record(
    number: int, kind: str, transfer: int, endpoint: int, time_us: int, data: bytes = b"", wanted_B: int = 0,
    setup: bytes = b"", interval_ms: int = 0,
) -> bytes:  # fmt: skip
    """Return one record.

    Parameters
    ----------
    number : int
        Of the transfer: both of its records have it.
    kind : str
        ``S``: submitted, ``C``: completed.
    transfer : int
        `INTERRUPT` or `CONTROL`.
    endpoint : int
        With 0x80 for towards the host.
    time_us : int
        Since 1970 [us].
    data : bytes
        What was transferred.
    wanted_B : int
        Bytes that were asked for.
    setup : bytes
        The eight bytes of a control transfer's question.
    interval_ms : int
        Of polls [ms].
    """
    seconds, microseconds = divmod(time_us, 1_000_000)
    status = _IN_PROGRESS if kind == "S" else 0
    no_setup, no_data = (0 if setup else ord("-")), (0 if data else ord("<") if kind == "S" else ord("-"))
    size = wanted_B if kind == "S" else len(data)
    head = _HEAD.pack(
        number, ord(kind), transfer, endpoint, ADDRESS, 1, no_setup, no_data, seconds, microseconds, status, size,
        len(data), setup.ljust(8, b"\0"), interval_ms, 0, 0x204 if transfer == INTERRUPT else 0, 0,
    )  # fmt: skip
    return head + data


def introduction(report_descriptor: bytes, time_us: int, interval_ms: int = 8) -> list[tuple[int, bytes]]:
    """Return times and records of what host and keyboard say to each other before the first key."""
    config = configuration(len(report_descriptor), interval_ms)
    questions: Sequence[tuple[bytes, bytes]] = (
        (struct.pack("<BBHHH", 0x80, 6, 0x0100, 0, len(DEVICE)), DEVICE),
        (struct.pack("<BBHHH", 0x80, 6, 0x0200, 0, len(config)), config),
        (struct.pack("<BBHHH", 0x00, 9, 1, 0, 0), b""),
        (struct.pack("<BBHHH", 0x81, 6, 0x2200, 0, len(report_descriptor)), report_descriptor),
    )
    found: list[tuple[int, bytes]] = []
    for number, (setup, data) in enumerate(questions, 1):
        endpoint = setup[0] & 0x80
        asked_us = time_us + 2_000 * (number - 1)
        asked = record(number, "S", CONTROL, endpoint, asked_us, wanted_B=len(data), setup=setup)
        found.append((asked_us, asked))
        found.append((asked_us + 1_000, record(number, "C", CONTROL, endpoint, asked_us + 1_000, data)))
    return found


def report(number: int, data: bytes, asked_us: int, time_us: int, interval_ms: int = 8) -> list[tuple[int, bytes]]:
    """Return times and records of a report: the host's standing question, and the keyboard's answer."""
    where = 0x80 | ENDPOINT
    asked = record(number, "S", INTERRUPT, where, asked_us, wanted_B=8, interval_ms=interval_ms)
    return [(asked_us, asked), (time_us, record(number, "C", INTERRUPT, where, time_us, data, interval_ms=interval_ms))]


def read(record: bytes) -> tuple[str, int, int, bytes]:
    """Return kind, transfer, endpoint and data of a record.

    Raises
    ------
    ValueError
        If it is cut, its lengths contradict each other, or it is of no known kind.
    """
    if len(record) < _HEAD.size:
        raise ValueError(f"a record has at least {_HEAD.size} bytes, not {len(record)}")
    fields = _HEAD.unpack_from(record)
    data = record[_HEAD.size :]
    if fields[12] != len(data):
        raise ValueError(f"the record says that it has {fields[12]} bytes of data, and has {len(data)}")
    if chr(fields[1]) not in "SCE":
        raise ValueError(f"a record is of kind S, C or E, not {fields[1]:#04x}")
    return chr(fields[1]), fields[2], fields[3], data
