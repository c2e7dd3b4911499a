"""What the carried prompt leaves behind at a stage: bytes with their fields, tables, images, arrays, text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["bytes", "table", "image", "array", "text"]


@dataclass(frozen=True, slots=True)
class Field:
    """A stretch of bytes with its name and what it says."""

    name: str
    value: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class Artifact:
    """One thing to look at.

    Attributes
    ----------
    stage : str
        Where it was taken: ``keyboard.usb``.
    name : str
        Name of its file without the ending.
    title : str
        One line that says what it is.
    kind : str
        ``bytes``: data is bytes; ``table``: a list of rows, the first one names; ``image``: an array (rows, columns) or
        (rows, columns, 3) of 0 to 1; ``array``: a dict of arrays; ``text``: a string.
    data : object
    fields : tuple of Field
        Of bytes: what stands where.
    file : str
        Ending of the file, without the point.
    """

    stage: str
    name: str
    title: str
    kind: Kind
    data: Any
    fields: tuple[Field, ...] = ()
    file: str = "bin"


@dataclass(slots=True)
class Note:
    """What happened at a stage: ``fine``, ``saved`` (a layer repaired what was broken), or ``died``."""

    stage: str
    fate: Literal["fine", "saved", "died"]
    text: str
    added_s: float = 0.0


@dataclass(slots=True)
class Leg:
    """What one part of the way gives to the next."""

    artifacts: list[Artifact] = field(default_factory=list[Artifact])
    notes: list[Note] = field(default_factory=list[Note])
