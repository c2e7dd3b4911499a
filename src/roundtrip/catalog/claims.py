"""The figures of the three documents, as they state them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from roundtrip.errors import CatalogError, nearest

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
    path = files("roundtrip.catalog") / "data" / "claims" / "claims.csv"
    result: dict[str, Claim] = {}
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
        result[row["id"]] = Claim(
            id=row["id"],
            document=row["document"],
            system=row["system"],
            quantity=row["quantity"],
            low=float(row["low"]) if row["low"] else None,
            high=float(row["high"]) if row["high"] else None,
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
