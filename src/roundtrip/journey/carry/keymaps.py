"""From key code to character: libxkbcommon where the system has it, else the tables of the layout stage.

The library is called as it is (ctypes): no package has to be built. It decides what a key gives at its two levels; dead
keys are joined to what follows by the rules of Unicode, as compose tables do for these marks.
"""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any

from roundtrip.errors import ScenarioError, nearest
from roundtrip.stages.computer import key_event, layout

LAYOUTS = {"us": "us", "de": "de", "fr": "fr", "gr": "gr", "ru": "ru"}
_DEAD = {"dead_acute": layout.ACUTE, "dead_grave": layout.GRAVE, "dead_circumflex": layout.CIRCUMFLEX,
         "dead_diaeresis": layout.DIAERESIS}  # fmt: skip
Table = dict[int, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Keymap:
    """What the keys of a layout give: by key code, plain and with Shift; a combining mark stands for a dead key."""

    name: str
    origin: str
    keys: Table

    def key_of(self, wanted: str) -> tuple[int, bool] | None:
        """Return the key code, and whether Shift is held, that gives a character or dead mark; None without one."""
        special = {" ": layout.SPACE, "\n": layout.ENTER}
        if wanted in special:
            return special[wanted], False
        for level in (0, 1):
            for code, levels in self.keys.items():
                if levels[level] == wanted:
                    return code, bool(level)
        return None

    def strokes(self, wanted: str) -> list[tuple[int, bool]] | None:
        """Return the key presses that give a character: one key, or a dead key and one; None if no keys do."""
        one = self.key_of(wanted)
        if one is not None:
            return [one]
        parts = unicodedata.normalize("NFD", wanted)
        if len(parts) == 2:
            mark, base = self.key_of(parts[1]), self.key_of(parts[0])
            if mark is not None and base is not None:
                return [mark, base]
        return None

    def character(self, code: int, shift: bool) -> str:
        """Return what a key gives; an empty string where it gives nothing."""
        if code in (layout.SPACE, layout.ENTER):
            return " " if code == layout.SPACE else "\n"
        levels = self.keys.get(code)
        return levels[shift] if levels else ""


def keymap(name: str, built_in: bool = False) -> Keymap:
    """Return the keymap of a layout.

    Parameters
    ----------
    name : str
        One of `LAYOUTS`.
    built_in : bool
        Do not ask the system's library.

    Raises
    ------
    ScenarioError
        If there is no such layout.
    """
    if name not in LAYOUTS:
        raise ScenarioError(f"layout {name!r} is not one of {', '.join(LAYOUTS)}{nearest(name, LAYOUTS)}")
    found = None if built_in else from_system(name)
    if found is not None:
        return Keymap(name, "libxkbcommon", found)
    return Keymap(name, "built in", dict(layout.LAYOUTS[name]))


@cache
def _library() -> Any:
    """Return the system's library, or None."""
    path = ctypes.util.find_library("xkbcommon") or "libxkbcommon.so.0"
    with contextlib.suppress(OSError, AttributeError):
        found = ctypes.CDLL(path)
        pointer, word = ctypes.c_void_p, ctypes.c_uint32
        symbols = ctypes.POINTER(ctypes.POINTER(word))
        for name, result, arguments in (
            ("xkb_context_new", pointer, [ctypes.c_int]),
            ("xkb_keymap_new_from_names", pointer, [pointer, pointer, ctypes.c_int]),
            ("xkb_keymap_key_get_syms_by_level", ctypes.c_int, [pointer, word, word, word, symbols]),
            ("xkb_keysym_to_utf8", ctypes.c_int, [word, ctypes.c_char_p, ctypes.c_size_t]),
            ("xkb_keysym_get_name", ctypes.c_int, [word, ctypes.c_char_p, ctypes.c_size_t]),
            ("xkb_keymap_unref", None, [pointer]),
            ("xkb_context_unref", None, [pointer]),
        ):  # fmt: skip
            function = getattr(found, name)
            function.restype, function.argtypes = result, arguments
        return found
    return None


class _Names(ctypes.Structure):
    _fields_ = [(name, ctypes.c_char_p) for name in ("rules", "model", "layout", "variant", "options")]


@cache
def from_system(name: str) -> Table | None:
    """Return what the system's library says of a layout's keys; None where there is no library or no such layout."""
    library = _library()
    if library is None:
        return None
    context = library.xkb_context_new(0)
    if not context:
        return None
    names = _Names(b"evdev", b"pc105", LAYOUTS[name].encode(), b"", b"")
    keys = library.xkb_keymap_new_from_names(context, ctypes.byref(names), 0)
    try:
        if not keys:
            return None
        return {code: (_level(library, keys, code, 0), _level(library, keys, code, 1)) for code in layout.CODES}
    finally:
        if keys:
            library.xkb_keymap_unref(keys)
        library.xkb_context_unref(context)


def _level(library: Any, keys: Any, code: int, level: int) -> str:
    symbols = ctypes.POINTER(ctypes.c_uint32)()
    count = library.xkb_keymap_key_get_syms_by_level(
        keys, key_event.x11_key_code(code), 0, level, ctypes.byref(symbols)
    )
    if count != 1:
        return ""
    text = ctypes.create_string_buffer(64)
    library.xkb_keysym_get_name(symbols[0], text, 64)
    dead = _DEAD.get(text.value.decode())
    if dead:
        return dead
    return text.value.decode() if library.xkb_keysym_to_utf8(symbols[0], text, 64) > 1 else ""
