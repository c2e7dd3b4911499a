"""The input report: eight bytes that say which keys are held, by position and not by character.

The boot keyboard of the HID standard is known to every BIOS. Its report (the list that one of the audited documents
lost):

====  ==========================================================================================
byte  holds
====  ==========================================================================================
0     eight modifiers, one bit each: left Control, Shift, Alt, GUI, then the four on the right
1     reserved, zero
2-7   usage ids of up to six held keys; zero where there are fewer; six times 1 if there are more
====  ==========================================================================================

References
----------
.. [1] USB Implementers Forum, Device Class Definition for HID 1.11, 2001, appendix B.1 (report descriptor) and C
   (boot protocol).
.. [2] USB Implementers Forum, HID usage tables, chapter 10: keyboard page 0x07.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1996, "USB Implementers Forum, Device Class Definition for HID, version 1.0")

BOOT_DESCRIPTOR = bytes.fromhex(
    "05 01 09 06 a1 01 05 07 19 e0 29 e7 15 00 25 01 75 01 95 08 81 02 95 01 75 08 81 03 95 05 75 01 05 08 19 01"
    "29 05 91 02 95 01 75 03 91 03 95 06 75 08 15 00 25 65 05 07 19 00 29 65 81 00 c0"
)
REPORT_B = 8
BOOT_KEYS = 6
ERROR_ROLL_OVER = 0x01
MODIFIERS = (
    "Left Control",
    "Left Shift",
    "Left Alt",
    "Left GUI",
    "Right Control",
    "Right Shift",
    "Right Alt",
    "Right GUI",
)
NAMED = ("Enter", "Escape", "Backspace", "Tab", "Space", *"-=[]\\#;'`,./", "Caps Lock")
USAGES: dict[str, int] = {
    **{letter: 0x04 + i for i, letter in enumerate("abcdefghijklmnopqrstuvwxyz")},
    **{digit: 0x1E + i for i, digit in enumerate("1234567890")},
    **{name: 0x28 + i for i, name in enumerate(NAMED)},
    **{name: 0xE0 + i for i, name in enumerate(MODIFIERS)},
}


def report_size_B(rollover_keys: Number) -> Number:
    """Return the bytes of a report that names up to `rollover_keys` keys in a byte each: 8 for the boot keyboard's 6.

    Parameters
    ----------
    rollover_keys : float
        Keys that one report can name.
    """
    return rollover_keys + 2.0


def bitmap_size_B(board_keys: Number) -> Number:
    """Return the bytes of a report with one bit for each key and the modifiers (n-key rollover).

    Parameters
    ----------
    board_keys : float
        Keys besides the modifiers.
    """
    return np.ceil(board_keys / 8.0) + 1.0


def assembly_time_s(firmware_cycles: Number, clock_Hz: Number) -> Number:
    """Return the time for the keyboard's controller to write the report [s].

    Parameters
    ----------
    firmware_cycles : float
        Clock cycles from the accepted press to the filled endpoint buffer.
    clock_Hz : float
        Clock of the controller [Hz].
    """
    return firmware_cycles / clock_Hz


def assembly_energy_J(firmware_cycles: Number, energy_per_cycle_J: Number) -> Number:
    """Return the energy of those clock cycles [J].

    Parameters
    ----------
    firmware_cycles : float
        Clock cycles.
    energy_per_cycle_J : float
        Energy of one cycle of the controller [J].
    """
    return firmware_cycles * energy_per_cycle_J


def usage_id(name: str) -> int:
    """Return the usage id of the key that bears this name on a US board: a position, whatever a layout makes of it."""
    return USAGES[name]


def encode(held: Iterable[int]) -> bytes:
    """Return the boot report for the usage ids that are held, in the order in which they went down."""
    modifiers = 0
    keys: list[int] = []
    for usage in held:
        if 0xE0 <= usage <= 0xE7:
            modifiers |= 1 << (usage - 0xE0)
        elif usage not in keys:
            keys.append(usage)
    if len(keys) > BOOT_KEYS:
        keys = [ERROR_ROLL_OVER] * BOOT_KEYS
    return bytes([modifiers, 0, *keys, *[0] * (BOOT_KEYS - len(keys))])


def decode(report: bytes) -> frozenset[int] | None:
    """Return the usage ids that a boot report says are held; None if it says only that there are too many."""
    if len(report) != REPORT_B:
        raise ValueError(f"a boot report has {REPORT_B} bytes, not {len(report)}")
    if report[2:] == bytes([ERROR_ROLL_OVER]) * BOOT_KEYS:
        return None
    modifiers = {0xE0 + bit for bit in range(8) if report[0] >> bit & 1}
    return frozenset(modifiers | {usage for usage in report[2:] if usage})


def changes(before: bytes, after: bytes) -> tuple[frozenset[int], frozenset[int]]:
    """Return the usage ids pressed and released between two reports: all that a report tells is what is held now."""
    old, new = decode(before), decode(after)
    if old is None or new is None:
        return frozenset(), frozenset()
    return new - old, old - new
