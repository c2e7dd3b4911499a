"""From usage id to key event: the kernel renames the key and stamps it with the time.

The HID driver compares the new report with the last, looks each changed usage id up in a table, and queues three
events of 24 bytes: the scan code (page and usage), the key with 1 for down or 0 for up, and a mark that says that
this was all. What leaves the kernel is still a position: key code 30 is the key beside Caps Lock, whatever is printed
on it.

References
----------
.. [1] Linux, drivers/hid/hid-input.c: hid_keyboard, the table from usage id to key code.
.. [2] Linux, include/uapi/linux/input.h: struct input_event; 24 bytes where long has 64 bits.
.. [3] X Window System protocol 11: an event is 32 bytes, and its key code is the kernel's plus 8.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import NamedTuple

from roundtrip.figures.graph import Number

SINCE = (1999, "Linux 2.3: V. Pavlik's input subsystem and evdev")

EVENT = struct.Struct("<qqHHi")
EV_SYN, EV_KEY, EV_MSC = 0x00, 0x01, 0x04
SYN_REPORT, MSC_SCAN = 0x00, 0x04
KEYBOARD_PAGE = 0x07
X11_OFFSET = 8

# Key codes of the usage ids from 0x00 to 0x65, then of the modifiers 0xE0 to 0xE7 [1]_.
_KEY_CODES = (
    0, 0, 0, 0, 30, 48, 46, 32, 18, 33, 34, 35, 23, 36, 37, 38, 50, 49, 24, 25, 16, 19, 31, 20, 22, 47, 17, 45,
    21, 44, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 28, 1, 14, 15, 57, 12, 13, 26, 27, 43, 43, 39, 40, 41, 51, 52, 53, 58,
    59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 87, 88, 99, 70, 119, 110, 102, 104, 111, 107, 109, 106, 105, 108, 103,
    69, 98, 55, 74, 78, 96, 79, 80, 81, 75, 76, 77, 71, 72, 73, 82, 83, 86, 127,
)  # fmt: skip
_MODIFIER_CODES = (29, 42, 56, 125, 97, 54, 100, 126)


class Event(NamedTuple):
    """One event as evdev hands it out."""

    time_us: int
    type: int
    code: int
    value: int


def event_size_B(input_events: Number) -> Number:
    """Return the bytes of a number of input events: two 64-bit times, type, code, value, 24 together [B].

    Parameters
    ----------
    input_events : float
        Events; three for one key that goes down.
    """
    return 24.0 * input_events


def state_size_B(input_events: Number, window_event_B: Number, event_object_B: Number) -> Number:
    """Return the bytes that hold one key press in memory: the kernel's events, the window system's message, the
    browser's object [B].

    Parameters
    ----------
    input_events : float
        Input events of the press.
    window_event_B : float
        Bytes between the window system and the program [B].
    event_object_B : float
        Bytes of the browser's own event [B].
    """
    return 24.0 * input_events + window_event_B + event_object_B


def delivery_time_s(dispatch_cycles: Number, clock_Hz: Number, scheduler_s: Number) -> Number:
    """Return the time from the queued event to its reader running [s].

    Parameters
    ----------
    dispatch_cycles : float
        Clock cycles to queue the events and wake the reader.
    clock_Hz : float
        Clock of the core [Hz].
    scheduler_s : float
        Time until the woken reader runs [s].
    """
    return dispatch_cycles / clock_Hz + scheduler_s


def key_code(usage: int) -> int:
    """Return the kernel's key code of a usage id of the keyboard page; 0 where there is none."""
    if 0xE0 <= usage <= 0xE7:
        return _MODIFIER_CODES[usage - 0xE0]
    return _KEY_CODES[usage] if 0 <= usage < len(_KEY_CODES) else 0


def x11_key_code(code: int) -> int:
    """Return the key code that X11 and xkb use: 8 more, because X leaves the first 8 unused."""
    return code + X11_OFFSET


def events_of(usage: int, pressed: bool, time_us: int) -> list[Event]:
    """Return the events of one key that went down or up."""
    return [
        Event(time_us, EV_MSC, MSC_SCAN, KEYBOARD_PAGE << 16 | usage),
        Event(time_us, EV_KEY, key_code(usage), int(pressed)),
        Event(time_us, EV_SYN, SYN_REPORT, 0),
    ]


def encode(events: Iterable[Event]) -> bytes:
    """Return events as the bytes that a reader of /dev/input gets."""
    return b"".join(EVENT.pack(*divmod(e.time_us, 1_000_000), e.type, e.code, e.value) for e in events)


def decode(data: bytes) -> list[Event]:
    """Return the events in such bytes."""
    if len(data) % EVENT.size:
        raise ValueError(f"{len(data)} bytes are not a whole number of {EVENT.size}-byte events")
    return [Event(s * 1_000_000 + us, kind, code, value) for s, us, kind, code, value in EVENT.iter_unpack(data)]
