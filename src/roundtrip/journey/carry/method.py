"""From key events to text: levels, dead keys, and an input method that puts any character by its number."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from roundtrip.journey.carry.keymaps import Keymap
from roundtrip.stages.computer import key_event, layout
from roundtrip.stages.keyboard import hid_report

_U = key_event.key_code(hid_report.usage_id("u"))
_CONTROLS = frozenset(key_event.key_code(hid_report.usage_id(f"{side} Control")) for side in ("Left", "Right"))
_SHIFTS = frozenset(key_event.key_code(hid_report.usage_id(f"{side} Shift")) for side in ("Left", "Right"))


def understood(events: Iterable[key_event.Event], keys: Keymap) -> tuple[str, list[str], list[tuple[str, ...]]]:
    """Return the text of key events, what the input method put, and what each press gave."""
    held: set[int] = set()
    pieces: list[str] = []
    committed: list[str] = []
    listed: list[tuple[str, ...]] = []
    number: str | None = None
    dead = ""
    for event in events:
        if event.type != key_event.EV_KEY:
            continue
        if event.value == 0:
            held.discard(event.code)
            continue
        held.add(event.code)
        if event.code in _CONTROLS | _SHIFTS:
            continue
        shift = bool(held & _SHIFTS)
        sign = keys.character(event.code, shift)
        if held & _CONTROLS:
            if shift and event.code == _U:
                number = ""
                listed.append((str(event.code), "Control+Shift+U", "the input method listens"))
            continue
        if number is not None:
            sign = layout.character("us", event.code)  # whatever the layout, as on a US board
            if sign in (" ", "\n"):
                put = _character(number)
                committed.append(put)
                pieces.append(put)
                listed.append((str(event.code), repr(sign), f"U+{number.upper()} is put: {put}"))
                number = None
            else:
                number += sign
                listed.append((str(event.code), sign, f"the input method has {number}"))
            continue
        joined, dead = _joined(dead, sign)
        pieces.append(joined)
        listed.append((str(event.code), sign if sign not in layout.ALONE else "dead " + layout.ALONE[sign], joined))
    return "".join(pieces), committed, listed


def _character(number: str) -> str:
    """Return the character of a hexadecimal number; what is none is put as it was typed."""
    try:
        value = int(number, 16)
    except ValueError:
        return number
    return chr(value) if 0 <= value < 0x110000 and not 0xD800 <= value < 0xE000 else number


def _joined(dead: str, sign: str) -> tuple[str, str]:
    """Return what a key puts, given the dead key before it, and the dead key that is waiting now."""
    if sign in layout.ALONE and not dead:
        return "", sign
    if not dead or not sign:
        return sign, dead if not sign else ""
    one = unicodedata.normalize("NFC", sign + dead)
    return (one if len(one) == 1 else layout.ALONE[dead] + layout.ALONE.get(sign, sign).strip()), ""
