"""Read the catalog: entries of figures, each with unit, band, grade and a source that a reader can open.

A kind is a file in ``data/``: ``keyboards.toml``, or ``places.csv``. It is read on first use and checked
whole: a broken row names the file, the key and the reason.

TOML form::

    [_kind]
    title = "Key switches"

    [scissor]
    title = "Laptop scissor switch"
    mechanism = "scissor"                      # text
    [scissor.travel_m]                         # a figure
    value = 1.5e-3
    low = 1.0e-3                               # optional: without a band the figure is fixed
    high = 2.0e-3
    unit = "m"
    grade = "datasheet"
    source = "key-of-a-source"
    spread = "ignorance"                       # or "variability"; shape, cause and note are optional

CSV form: a header row, a units row, then one entry a line. Columns with a unit are fixed figures with the source
that the first line names in a comment: ``# source: key, grade: derived``.
"""

from __future__ import annotations

import csv
import math
import re
import sys
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, cast

from roundtrip.errors import CatalogError, DomainError, nearest
from roundtrip.figures.figure import Figure, default_shape
from roundtrip.figures.units import UNITS

# [key], [key.figure], ["key with a dot".figure]
_HEADER = re.compile(r'\[(?:([\w-]+)|"([^"\\]+)")\s*[.\]]')
# source: KEY, grade: GRADE
_HEAD = re.compile(r"(source|grade): *([^,]*[^,\s])")
_TERM_COLUMNS = ("name", "unit", "symbol", "low", "high", "meaning")
_FIGURE_KEYS = {"value", "low", "high", "unit", "grade", "source", "spread", "shape", "cause", "note"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing of the catalog, for example one keyboard."""

    kind: str
    key: str
    title: str
    figures: dict[str, Figure] = field(default_factory=dict[str, Figure])
    texts: dict[str, str] = field(default_factory=dict[str, str])
    file: str = ""

    def figure(self, name: str) -> Figure:
        """Return a figure of the entry, or say which is the nearest."""
        if name not in self.figures:
            raise CatalogError(f"{self.kind}/{self.key} has no figure {name!r}{nearest(name, self.figures)}")
        return self.figures[name]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a number comes from: something that a reader can open."""

    key: str
    title: str
    authors: str
    year: int
    url: str
    kind: str
    read: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """One name of the house: its unit, symbol, meaning and allowed range."""

    name: str
    unit: str
    symbol: str
    meaning: str
    low: float
    high: float


def _data() -> Traversable:
    return files("roundtrip.catalog") / "data"


def read_toml(path: Traversable) -> dict[str, Any]:
    """Read a TOML file, or name it and the reason."""
    return _parse(read_text(path), path.name)


def read_text(path: Traversable) -> str:
    """Read a text file, or name it and the reason."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CatalogError(f"{path.name}: no such file") from None
    except UnicodeDecodeError as error:
        raise CatalogError(f"{path.name}: not UTF-8 ({error.reason} at byte {error.start})") from None


def _parse(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # no TOML, a number of 5,000 digits, 10,000 brackets
        raise CatalogError(f"{file}: {error}") from None


@cache
def kinds() -> tuple[str, ...]:
    """Return the names of the kinds."""
    return tuple(sorted(p.name.rpartition(".")[0] for p in _data().iterdir() if p.name.endswith((".toml", ".csv"))))


@cache
def load(kind: str) -> dict[str, Entry]:
    """Return the entries of one kind by key, checked."""
    for ending, reader in ((".toml", read_entries), (".csv", read_rows)):
        path = _data() / f"{kind}{ending}"
        if path.is_file():
            return reader(path, kind)
    raise CatalogError(f"no catalog kind {kind!r}{nearest(kind, kinds())}")


def entry(kind: str, key: str) -> Entry:
    """Return one entry, or say which is the nearest."""
    if key not in keys(kind):
        raise CatalogError(f"{kind} has no entry {key!r}{nearest(key, keys(kind))}; see 'roundtrip catalog {kind}'")
    return _entry(kind, key)


@cache
def keys(kind: str) -> tuple[str, ...]:
    """Return the keys of a kind's entries; a TOML file is not parsed for that."""
    parts = _parts(kind)
    return tuple(key for key in parts if key != "_kind") if parts else tuple(load(kind))


@cache
def _entry(kind: str, key: str) -> Entry:
    parts = _parts(kind)
    if not parts:
        return load(kind)[key]
    file = f"{kind}.toml"
    return _entries(_parse(parts[key], file), kind, file)[key]


@cache
def _parts(kind: str) -> dict[str, str]:
    """Return the text of each entry of a TOML file; nothing if it is no TOML file, or not cut so simply.

    A trip chooses some 30 of several hundred entries: to parse only these is most of what makes it start fast. Lines of
    other entries are left blank, so that an error names the line of the file.
    """
    path = _data() / f"{kind}.toml"
    if not path.is_file():
        return {}
    parts: dict[str, list[str]] = {}
    key = ""
    for number, line in enumerate(read_text(path).split("\n")):
        if line.startswith("["):
            found = _HEADER.match(line)
            if not found:
                return {}
            key = found.group(1) or found.group(2)
        elif not key:
            if line.strip() and not line.lstrip().startswith("#"):
                return {}
            continue
        lines = parts.setdefault(key, [])
        lines += [""] * (number - len(lines))
        lines.append(line)
    return {key: "\n".join(lines) for key, lines in parts.items()}


@cache
def kind_title(kind: str) -> str:
    """Return what a kind is called in prose."""
    path = _data() / f"{kind}.toml"
    if not path.is_file():
        return kind.replace("_", " ").capitalize()
    head = read_toml(path).get("_kind", {})
    if not isinstance(head, dict):
        raise CatalogError(f"{path.name}: _kind = {head!r}, expected a table")
    return str(cast("dict[str, Any]", head).get("title", kind))


def read_entries(path: Traversable, kind: str) -> dict[str, Entry]:
    """Read and check one TOML file of entries."""
    return _entries(read_toml(path), kind, path.name)


def _entries(bodies: dict[str, Any], kind: str, file: str) -> dict[str, Entry]:
    result: dict[str, Entry] = {}
    for key, body in bodies.items():
        if key == "_kind":
            continue
        if not isinstance(body, dict):
            raise CatalogError(f"{file}: {key}: expected a table, not {type(body).__name__}")
        figures: dict[str, Figure] = {}
        texts: dict[str, str] = {}
        for name, value in body.items():
            where = f"{file}: {key}.{name}"
            if isinstance(value, dict):
                figures[name] = _figure(value, name, where)
            elif isinstance(value, str):
                texts[name] = value
            else:
                raise CatalogError(f"{where}: expected a figure or a text, not {value!r}")
        if "title" not in texts:
            raise CatalogError(f"{file}: {key}: the title is missing")
        result[key] = Entry(kind, key, texts.pop("title"), figures, texts, file)
    return result


def _figure(body: dict[str, Any], name: str, where: str) -> Figure:
    unknown = set(body) - _FIGURE_KEYS
    if unknown:
        word = min(unknown)
        raise CatalogError(f"{where}: unknown key {word!r}{nearest(word, _FIGURE_KEYS)}")
    missing = {"value", "unit", "grade", "source"} - set(body)
    if missing:
        raise CatalogError(f"{where}: {min(missing)} is missing")
    for number in ("value", "low", "high"):
        given = body.get(number, 0.0)
        if isinstance(given, bool) or not isinstance(given, (int, float)):
            raise CatalogError(f"{where}: {number} = {given!r} is not a number")
        if abs(given) > sys.float_info.max and isinstance(given, int):
            raise CatalogError(f"{where}: {number} has {len(str(given))} digits, more than a number can hold")
    if ("low" in body) != ("high" in body):
        raise CatalogError(f"{where}: low and high go together")
    value = float(body["value"])
    low, high = float(body.get("low", value)), float(body.get("high", value))
    least, most = range_of(name)
    try:
        figure = Figure(
            value=value, low=low, high=high, unit=str(body["unit"]), grade=str(body["grade"]),
            source=str(body["source"]), spread=str(body.get("spread", "ignorance")),
            shape=str(body.get("shape", default_shape(low, high, least, most))), cause=str(body.get("cause", "")),
            note=str(body.get("note", "")),
            least=least,
            most=most,
        )  # fmt: skip
        check_term(name, figure.unit, (low, value, high))
    except DomainError as error:
        raise CatalogError(f"{where}: {error}") from None
    if figure.source not in sources():
        raise CatalogError(f"{where}: source {figure.source!r} is not in sources/{nearest(figure.source, sources())}")
    return figure


def range_of(name: str) -> tuple[float, float]:
    """Return the range that the glossary allows for a name; no bound where the name is not in it."""
    term = glossary().get(name)
    return (term.low, term.high) if term else (-math.inf, math.inf)


def check_term(name: str, unit: str, values: tuple[float, ...]) -> None:
    """Check a figure against the glossary: its unit, and the range that its name allows."""
    term = glossary().get(name)
    if term is None:
        raise DomainError(f"{name!r} is not in the glossary{nearest(name, glossary())}")
    if unit != term.unit:
        raise DomainError(f"unit {unit!r}, but the glossary gives {name} in {term.unit!r}")
    for value in values:
        if not math.isfinite(value) or not term.low <= value <= term.high:
            raise DomainError(f"{value:g} {unit} is outside what {name} allows: {term.low:g} to {term.high:g} {unit}")


def read_rows(path: Traversable, kind: str) -> dict[str, Entry]:
    """Read and check one CSV file of entries."""
    lines = read_text(path).splitlines()
    head = dict(_HEAD.findall(lines[0])) if lines and lines[0].startswith("#") else {}
    if set(head) != {"source", "grade"}:
        raise CatalogError(f"{path.name}: the first line must be '# source: KEY, grade: GRADE'")
    if head["source"] not in sources():
        raise CatalogError(
            f"{path.name}: source {head['source']!r} is not in sources/{nearest(head['source'], sources())}"
        )
    rows = csv.reader(lines[1:])
    names, units = next(rows, []), next(rows, [])
    if len(units) != len(names):
        raise CatalogError(f"{path.name}: line 3: {len(units)} units, expected {len(names)} ({', '.join(names)})")
    for name in ("key", "title"):
        if name not in names or units[names.index(name)]:
            raise CatalogError(f"{path.name}: line 2: expected a column {name!r} without unit{nearest(name, names)}")
    result: dict[str, Entry] = {}
    for number, row in enumerate(rows, start=4):
        where = f"{path.name}: line {number}"
        if len(row) != len(names):
            raise CatalogError(f"{where}: {len(row)} fields, expected {len(names)} ({', '.join(names)})")
        figures: dict[str, Figure] = {}
        texts: dict[str, str] = {}
        for name, unit, cell in zip(names, units, row, strict=True):
            if not unit:
                texts[name] = cell
                continue
            try:
                value = float(cell)
                check_term(name, unit, (value,))
                figures[name] = Figure(value, value, value, unit, head["grade"], head["source"], shape="fixed")
            except (ValueError, DomainError) as error:
                raise CatalogError(f"{where}: {name}: {error}") from None
        key = texts.pop("key")
        if key in result:
            raise CatalogError(f"{where}: {key!r} stands twice")
        result[key] = Entry(kind, key, texts.pop("title"), figures, texts, path.name)
    return result


@cache
def sources() -> dict[str, Source]:
    """Return all sources by key."""
    result: dict[str, Source] = {}
    for path in sorted((_data() / "sources").iterdir(), key=lambda p: p.name):
        if not path.name.endswith(".toml"):
            continue
        for key, body in read_toml(path).items():
            where = f"sources/{path.name}: {key}"
            if not isinstance(body, dict):
                raise CatalogError(f"{where} = {body!r}, expected a table")
            if key in result:
                raise CatalogError(f"{where}: stands twice")
            missing = {"title", "authors", "year", "url", "kind"} - set(body)
            if missing:
                raise CatalogError(f"{where}: {min(missing)} is missing")
            try:
                result[key] = Source(key=key, **body)
            except TypeError as error:
                raise CatalogError(f"{where}: {error}") from None
    return result


@cache
def glossary() -> dict[str, Term]:
    """Return every name of the house with its unit, symbol, meaning and allowed range."""
    result: dict[str, Term] = {}
    for path in sorted((_data() / "glossary").iterdir(), key=lambda p: p.name):
        if not path.name.endswith(".csv"):
            continue
        table = csv.DictReader(read_text(path).splitlines())
        if tuple(table.fieldnames or ()) != _TERM_COLUMNS:
            raise CatalogError(f"glossary/{path.name}: line 1: expected the columns {', '.join(_TERM_COLUMNS)}")
        for number, row in enumerate(table, start=2):
            where = f"glossary/{path.name}: line {number}"
            if None in row or None in row.values():
                raise CatalogError(f"{where}: expected {len(_TERM_COLUMNS)} fields ({', '.join(_TERM_COLUMNS)})")
            name = row["name"]
            if not name.isidentifier():
                raise CatalogError(f"{where}: {name!r} is no name: expected letters, digits and _")
            if name in result:
                raise CatalogError(f"{where}: {name!r} stands twice")
            try:
                low, high = float(row["low"]), float(row["high"])
            except ValueError:
                raise CatalogError(f"{where}: {name}: low and high must be numbers") from None
            if not low <= high:
                raise CatalogError(f"{where}: {name}: low = {low:g} and high = {high:g}, expected low <= high")
            unit = row["unit"]
            if unit not in UNITS:
                raise CatalogError(f"{where}: {name}: unknown unit {unit!r}{nearest(unit, UNITS)}")
            result[name] = Term(name, unit, row["symbol"], row["meaning"], low, high)
    return result
