"""Text becomes lines of cells: what is invisible goes, what the font has not is a box, long lines are broken."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

BOX = "\u25a1"
TAB = 4
_JOINERS = ("\u200d", "\ufe0e", "\ufe0f")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of characters; whether it opens a paragraph."""

    text: str
    opens: bool


@dataclass(slots=True)
class Lines:
    """A text in lines.

    Attributes
    ----------
    lines : list of Line
    shown : str
        What can be read on the screen at best: boxes in place of what the font has not, no invisible characters.
    missing : list of str
        What the font has not.
    """

    lines: list[Line] = field(default_factory=list[Line])
    shown: str = ""
    missing: list[str] = field(default_factory=list[str])


def clean(text: str, has: frozenset[str]) -> tuple[str, list[str]]:
    """Return the text as cells, one character each, and what the font has not."""
    missing: list[str] = []
    cells: list[str] = []
    joined = False
    for c in unicodedata.normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")):
        kind = unicodedata.category(c)
        if c == "\n":
            cells.append(c)
        elif c == "\t":
            cells.extend(" " * TAB)
        elif kind == "Zs":
            cells.append(" ")
        elif kind in ("Zl", "Zp"):
            cells.append("\n")
        elif c in _JOINERS:
            joined = c == _JOINERS[0]
            continue
        elif kind in ("Cc", "Cf"):
            continue
        elif joined or (kind[0] == "M" and cells and cells[-1] not in " \n") or 0x1F3FB <= ord(c) <= 0x1F3FF:
            missing.append(c)  # it would change the character before it, which the font has not in that form
            if cells:
                cells[-1] = BOX
        elif c in has:
            cells.append(c)
        else:
            missing.append(c)
            cells.append(BOX)
        joined = False
    return "".join(cells), missing


def break_lines(text: str, columns: int, has: frozenset[str], alike: Mapping[str, str] | None = None) -> Lines:
    """Return the lines of a text; words longer than a line are cut where it is full, and only those fill it."""
    found = Lines()
    whole, found.missing = clean(unicodedata.normalize("NFC", text).translate(str.maketrans(dict(alike or {}))), has)
    paragraphs = [p.rstrip(" ") for p in whole.split("\n")]
    while paragraphs and not paragraphs[-1]:
        paragraphs.pop()
    for paragraph in paragraphs:
        found.lines.extend(_paragraph(paragraph, max(columns, 4)))
    found.shown = join([line.text for line in found.lines], [line.opens for line in found.lines], max(columns, 4))
    return found


def _paragraph(text: str, columns: int) -> list[Line]:
    lines: list[str] = []
    rest = text
    while len(rest) > columns - 1:
        at = rest.rfind(" ", 1, columns)
        if at > 0 and rest[:at].strip(" "):
            lines.append(rest[:at].rstrip(" "))
            rest = rest[at:].lstrip(" ")
        else:
            lines.append(rest[:columns])
            rest = rest[columns:]
    if rest or not lines:
        lines.append(rest)
    return [Line(line, i == 0) for i, line in enumerate(lines)]


def join(texts: list[str], opens: list[bool], columns: int) -> str:
    """Return the text of lines: a new paragraph where one opens, a space at each other end but that of a full line."""
    out = ""
    for i, (text, first) in enumerate(zip(texts, opens, strict=True)):
        if i:
            out += "\n" if first else ("" if len(texts[i - 1]) >= columns else " ")
        out += text.rstrip(" ")
    return out
