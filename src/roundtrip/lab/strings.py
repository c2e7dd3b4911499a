"""The texts of the lab, read by Python: command line and PDF say what the web says, from the same file.

A language is one file, ``web/strings/<language>.json``: a key to one text for all readers, or to three, one for each
reading level. Braces hold the places of figures; no figure is typed in a text (`roundtrip.lab.fills` has them).
A language says under ``lang.levels`` which levels it speaks; at the others there is English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from roundtrip.errors import ScenarioError, nearest

LEVELS = ("child", "student", "engineer")
PLACE = re.compile(r"\{(\w+)\}")

Entry = str | dict[str, str]


def folder(name: str) -> Path:
    """Return a folder of the lab's material: beside this module where installed, in ``web`` in the source tree."""
    installed = Path(str(files("roundtrip.lab"))) / name
    if installed.is_dir():
        return installed
    return Path(__file__).parents[3] / "web" / name


def languages() -> list[str]:
    """Return the languages that there are texts in, English first."""
    found = sorted(path.stem for path in folder("strings").glob("*.json"))
    return sorted(found, key=lambda name: name != "en")


@cache
def load(language: str = "en") -> dict[str, Entry]:
    """Return all texts of a language; where one is missing, English stands."""
    if language not in languages():
        raise ScenarioError(
            f"no texts in language {language!r}{nearest(language, languages())}, allowed: {', '.join(languages())}"
        )
    read: dict[str, Entry] = json.loads((folder("strings") / f"{language}.json").read_text(encoding="utf-8"))
    return read if language == "en" else {key: _over(entry, read.get(key)) for key, entry in load("en").items()}


def _over(english: Entry, own: Entry | None) -> Entry:
    if own is None or isinstance(own, str):
        return english if own is None else own
    return {level: own.get(level, english if isinstance(english, str) else english[level]) for level in LEVELS}


def levels(language: str = "en") -> tuple[str, ...]:
    """Return the reading levels that a language speaks."""
    named = str(load(language)["lang.levels"]).split()
    return tuple(level for level in LEVELS if level in named)


def check_level(level: str) -> str:
    """Return a reading level, or say which there are."""
    if level not in LEVELS:
        raise ScenarioError(f"no reading level {level!r}{nearest(level, LEVELS)}, allowed: {', '.join(LEVELS)}")
    return level


def places(text: str) -> list[str]:
    """Return the names in braces."""
    return PLACE.findall(text)


class Texts:
    """The texts of one language and level, with figures that fill their places."""

    def __init__(self, level: str, fills: Mapping[str, str] | None = None, language: str = "en") -> None:
        self.level = check_level(level)
        self.language = language
        if level not in levels(language):
            spoken = ", ".join(levels(language))
            raise ScenarioError(f"language {language!r} does not speak the level {level!r}, allowed: {spoken}")
        self.fills = dict(fills or {})
        self._entries = load(language)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def raw(self, key: str) -> str:
        """Return a text with its braces."""
        entry = self._entries[key]
        return entry if isinstance(entry, str) else entry[self.level]

    def __call__(self, key: str, **values: Any) -> str:
        """Return a text with its places filled; a place for which nothing is known is an error here."""
        given = {**self.fills, **values}
        return PLACE.sub(lambda place: str(given[place[1]]), self.raw(key))

    def keys(self, prefix: str) -> list[str]:
        """Return the keys that begin so, in the order of the file."""
        return [key for key in self._entries if key.startswith(prefix)]


_ACCENTS = str.maketrans(
    "aceinosuyzACEINOSUYZ",
    "àçéîñöšüýžÀÇÉÎÑÖŠÜÝŽ",
)


def pseudo(entries: Mapping[str, Entry] | None = None) -> dict[str, Entry]:
    """Return a language that nobody speaks: longer, accented, in brackets. A text that stays plain has no key."""

    def strange(text: str) -> str:
        parts = re.split(r"(\{\w+\})", text)
        made = "".join(part if PLACE.fullmatch(part) else part.translate(_ACCENTS) for part in parts)
        return f"[{made}{' ·' * max(1, len(text) // 6)}]"

    return {
        key: strange(entry) if isinstance(entry, str) else {level: strange(text) for level, text in entry.items()}
        for key, entry in (entries or load("en")).items()
    }
