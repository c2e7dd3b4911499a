"""The figures of the three documents, as they state them."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from roundtrip.catalog.load import read_text
from roundtrip.errors import CatalogError, nearest

COLUMNS = ("id", "document", "system", "quantity", "low", "high", "unit", "note")
DOCUMENTS = {"finger-to-photon": "seed-finger-to-photon", "round-trip": "seed-round-trip", "one-word": "seed-one-word"}


@dataclass(frozen=True, slots=True)
class Claim:
    """One figure of a document. `low` or `high` is None where the document leaves that end open."""

    id: str
    document: str
    system: str
    quantity: str
    low: float | None
    high: float | None
    digits: int
    unit: str
    note: str


@cache
def claims() -> dict[str, Claim]:
    """Return every claim by id."""
    result: dict[str, Claim] = {}
    path = files("roundtrip.catalog") / "data" / "claims" / "claims.csv"
    table = csv.DictReader(read_text(path).splitlines())
    if tuple(table.fieldnames or ()) != COLUMNS:
        raise CatalogError(f"claims/claims.csv: line 1: expected the columns {', '.join(COLUMNS)}")
    for number, row in enumerate(table, start=2):
        where = f"claims/claims.csv: line {number}"
        if None in row or None in row.values():
            raise CatalogError(f"{where}: expected {len(COLUMNS)} fields ({', '.join(COLUMNS)})")
        if row["id"] in result:
            raise CatalogError(f"{where}: {row['id']!r} stands twice")
        try:
            low, high = (float(row[name]) if row[name] else None for name in ("low", "high"))
        except ValueError as error:
            raise CatalogError(f"{where}: {row['id']}: {error}") from None
        if not all(math.isfinite(value) for value in (low, high) if value is not None):
            raise CatalogError(f"{where}: {row['id']}: low and high must be finite")
        result[row["id"]] = Claim(
            id=row["id"],
            document=row["document"],
            system=row["system"],
            quantity=row["quantity"],
            low=low,
            high=high,
            digits=max(_digits(row["low"]), _digits(row["high"])),
            unit=row["unit"],
            note=row["note"],
        )
    return result


def claim(claim_id: str) -> Claim:
    """Return one claim, or say which is the nearest."""
    if claim_id not in claims():
        raise CatalogError(f"no claim {claim_id!r}{nearest(claim_id, claims())}; claims run from A001 to C024")
    return claims()[claim_id]


def _digits(text: str) -> int:
    """Return how many significant digits a number is printed with: 38.4e12 has 3, 0.30 has 2, 8e-3 has 1."""
    mantissa = text.lower().partition("e")[0].lstrip("-+").replace(".", "").lstrip("0")
    return max(len(mantissa), 1)
