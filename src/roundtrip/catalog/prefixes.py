"""Which prompts of a published workload begin alike: what a prefix cache finds, where a run's records do not say it.

A workload is named by the SHA-256 of its file, as the record of the run names it. Request and the earlier one that it
is like are counted from 0; the tokens are whole pages of 16.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from roundtrip.catalog.load import read_text
from roundtrip.errors import CatalogError

FILE = "workloads/shared_prefixes.csv"
NAMED = 12  # digits of the digest
PAGE_TOKENS = 16


@cache
def _all() -> dict[str, dict[int, tuple[int, int]]]:
    lines = read_text(files("roundtrip.catalog") / "data" / FILE).splitlines()
    found: dict[str, dict[int, tuple[int, int]]] = {}
    for row in csv.DictReader(lines[1:]):
        try:
            request, like, tokens = int(row["request"]), int(row["like"]), int(row["tokens"])
        except (KeyError, TypeError, ValueError) as error:
            raise CatalogError(f"{FILE}: {row}: expected workload, request, like, tokens: {error}") from None
        if not 0 <= like < request or tokens % PAGE_TOKENS:
            raise CatalogError(f"{FILE}: {row}: a request is like an earlier one, in whole pages of {PAGE_TOKENS}")
        found.setdefault(row["workload"], {})[request] = (like, tokens)
    return found


def shared_prefixes(digest: str) -> dict[int, tuple[int, int]] | None:
    """Return by request which earlier one it begins like and for how many tokens; None for an unknown workload."""
    return _all().get(digest[:NAMED])
