"""Truth rows: single published figures that a stage function is held to.

A row in ``truth/<room>/<stage>.toml``::

    [[row]]
    id = "travel-slow"                       # unique in the file
    quantity = "time over 2.3 mm at 10 m/s2"
    function = "travel_time_s"               # a function of the stage
    inputs = { travel_m = 2.3e-3, acceleration_m_s2 = 10.0 }
    counts = { servers = 8 }                 # optional keyword-only counts
    value = 21e-3
    tolerance = 0.03                         # relative; or absolute = 0.1
    unit = "s"
    kind = "measured"                        # measured | standard | datasheet | derived | simulated
    source = "key-of-a-source"
    where = "table 2"
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, cast

from roundtrip.catalog.load import sources
from roundtrip.errors import TruthError, nearest
from roundtrip.journey.stages import stage_module

KINDS = ("measured", "standard", "datasheet", "derived", "simulated")
_REQUIRED = {"id", "quantity", "function", "inputs", "value", "unit", "kind", "source", "where"}
_ALLOWED = _REQUIRED | {"tolerance", "absolute", "counts"}
_TYPES: dict[str, type] = {
    **dict.fromkeys(("id", "quantity", "function", "unit", "kind", "source", "where"), str),
    **dict.fromkeys(("inputs", "counts"), dict),
    **dict.fromkeys(("value", "tolerance", "absolute"), float),
}
_CALLED = {str: "a text", dict: "a table", float: "a number"}


@dataclass(frozen=True, slots=True)
class Row:
    """One published figure."""

    stage: str
    id: str
    quantity: str
    function: str
    inputs: Mapping[str, float]
    value: float
    unit: str
    kind: str
    source: str
    where: str
    tolerance: float = 0.0
    absolute: float = 0.0
    counts: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Score:
    """A row with our value beside it."""

    row: Row
    value: float
    error: float
    holds: bool


@cache
def rows() -> tuple[Row, ...]:
    """Return the truth rows of all stages, checked."""
    result: list[Row] = []
    root = files("roundtrip") / "truth"
    for room in sorted(root.iterdir(), key=lambda p: p.name):
        if not room.is_dir():
            continue
        for path in sorted(room.iterdir(), key=lambda p: p.name):
            if path.name.endswith(".toml"):
                result += _read(f"{room.name}.{path.name[:-5]}", path.read_bytes())
    return tuple(result)


def _read(stage: str, data: bytes) -> list[Row]:
    where = f"truth/{stage.replace('.', '/')}.toml"
    try:
        whole = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise TruthError(f"{where}: {error}") from None
    if set(whole) - {"row"}:
        raise TruthError(f"{where}: unknown key {min(whole)!r}, expected [[row]]")
    body: Any = whole.get("row", [])
    if not isinstance(body, list) or not all(isinstance(item, dict) for item in cast("list[Any]", body)):
        raise TruthError(f"{where}: row = {body!r}, expected [[row]]")
    result: list[Row] = []
    for number, item in enumerate(cast("list[dict[str, Any]]", body), start=1):
        name = f"{where}: {item.get('id', f'row {number}')}"
        unknown = set(item) - _ALLOWED
        if unknown:
            raise TruthError(f"{name}: unknown key {min(unknown)!r}{nearest(min(unknown), _ALLOWED)}")
        missing = _REQUIRED - set(item)
        if missing:
            raise TruthError(f"{name}: {min(missing)} is missing")
        for key, wanted in _TYPES.items():
            given = item.get(key, wanted())
            if not isinstance(given, (int, float) if wanted is float else wanted) or isinstance(given, bool):
                raise TruthError(f"{name}: {key} = {given!r}, expected {_CALLED[wanted]}")
            if wanted is float and not math.isfinite(given):
                raise TruthError(f"{name}: {key} = {given!r} is not finite")
        if any(row.id == item["id"] for row in result):
            raise TruthError(f"{name}: stands twice")
        if item["kind"] not in KINDS:
            raise TruthError(f"{name}: kind = {item['kind']!r}, allowed: {', '.join(KINDS)}")
        if item["source"] not in sources():
            raise TruthError(
                f"{name}: source {item['source']!r} is not in sources/{nearest(item['source'], sources())}"
            )
        if ("tolerance" in item) == ("absolute" in item):
            raise TruthError(f"{name}: give tolerance (relative) or absolute, one of them")
        result.append(Row(stage=stage, **item))
    return result


def check(row: Row) -> Score:
    """Compute what a row asks for and hold it against the published value."""
    function = getattr(stage_module(row.stage), row.function, None)
    where = f"truth/{row.stage.replace('.', '/')}.toml: {row.id}"
    if not callable(function):
        raise TruthError(f"{where}: no function {row.function!r} in the stage")
    try:
        value = float(cast("Any", function)(**row.inputs, **row.counts))
    except (TypeError, ArithmeticError) as error:
        raise TruthError(f"{where}: {row.function}: {error}") from None
    if row.absolute:
        return Score(row, value, value - row.value, abs(value - row.value) <= row.absolute)
    error = value / row.value - 1.0 if row.value else value
    return Score(row, value, error, abs(error) <= row.tolerance)
