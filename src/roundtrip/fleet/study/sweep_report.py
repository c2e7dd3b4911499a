"""A sweep as a page of text, and as JSON: what was run, and its front."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from roundtrip.fleet.report import time
from roundtrip.fleet.study.figures import SPEED, THROUGHPUT
from roundtrip.fleet.study.front import DONE
from roundtrip.trace.numbers import digits
from roundtrip.trace.table import clip, wrap

Paint = Callable[..., str]
SCHEMA = "roundtrip.fleet.sweep/1"
NAMED = 3  # reasons that a page names
SHOWN = 24  # points of the front


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is told of a sweep.

    Attributes
    ----------
    folder, results : str
        Where it lies; the file with all rows, empty until the last case is done.
    cases, found : int
        Cases of the grid, and those that were there when it was started.
    rows : list of dict
        Of the cases that are done, in order.
    points : list of dict
        Means over seeds, with ``is_front``.
    axes : tuple of str
        Options with several values.
    interrupted : bool
    """

    folder: str
    results: str
    cases: int
    found: int
    rows: list[dict[str, Any]]
    points: list[dict[str, Any]]
    axes: tuple[str, ...]
    interrupted: bool = False

    @property
    def impossible(self) -> list[dict[str, Any]]:
        """Rows of cases that cannot be."""
        return [row for row in self.rows if row["status"] != DONE]

    def front(self) -> list[dict[str, Any]]:
        """Return the points of the front, by model, from the fastest for a user."""
        on = [point for point in self.points if point["is_front"]]
        return sorted(on, key=lambda p: (str(p.get("model", "")), -p[SPEED]))

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "schema": SCHEMA,
            "folder": self.folder,
            "results": self.results or None,
            "cases": self.cases,
            "found": self.found,
            "run": len(self.rows) - self.found,
            "left": self.cases - len(self.rows),
            "impossible": [{"case": row["case"], "reason": row["reason"]} for row in self.impossible],
            "interrupted": self.interrupted,
            "axes": list(self.axes),
            "front": self.front(),
        }


def report(found: Sweep, columns: int, paint: Paint) -> str:
    """Return what was run, where it lies, and the front."""
    left = found.cases - len(found.rows)
    new = len(found.rows) - found.found
    counts = f"{found.cases:,} fleets: {len(found.rows):,} done" + (f" ({new:,} now)" if found.found else "")
    lines = [paint(counts + (f", {left:,} left" if left else ""), "bold")]
    if found.interrupted:
        lines += wrap("Interrupted: the same command goes on from here.", min(columns, 100))
    bad = found.impossible
    if bad:
        reasons = Counter(row["reason"] for row in bad).most_common(NAMED)
        lines.append(f"{len(bad):,} of them cannot be:")
        lines += [clip(f"  {count:,} × {reason}", columns) for reason, count in reasons]
    for model in dict.fromkeys(str(p.get("model", "")) for p in found.front()):
        of = [p for p in found.front() if str(p.get("model", "")) == model]
        title = "The front: no other fleet is faster for a user and writes more tokens an accelerator"
        lines += ["", paint(f"{title} ({model})" if model else title, "bold"), *_table(of, found.axes, columns)]
    lines += ["", f"All rows: {found.results}" if found.results else f"Rows so far: {found.folder}/parts/*.parquet"]
    return "\n".join(lines)


def _table(points: Sequence[dict[str, Any]], axes: tuple[str, ...], columns: int) -> list[str]:
    head = [
        "tokens/s for a user",
        "tokens/s an accelerator",
        "$ a million output tokens",
        "J an output token",
        "first token p99",
    ]
    points = [p for i, p in enumerate(points) if not i or _place(p) != _place(points[i - 1])]  # of equals the first
    names = [axis for axis in axes if axis not in ("seed", "model")]
    body = [
        [
            digits(p[SPEED]), digits(p[THROUGHPUT]),
            "-" if p["usd_per_million_output_tokens"] is None else digits(p["usd_per_million_output_tokens"]),
            "-" if p["energy_J_per_output_token"] is None else digits(p["energy_J_per_output_token"]),
            "-" if p["ttft_p99_s"] is None else time(p["ttft_p99_s"]),
            *(str(p[name]) for name in names),
        ]
        for p in points[:SHOWN]
    ]  # fmt: skip
    heads = [_halves(words) for words in (*head, *(name.replace("_", " ") for name in names))]
    rows = [[first for first, _ in heads], [second for _, second in heads], *body]
    wide = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [clip("  " + "  ".join(f"{cell:>{w}}" for cell, w in zip(row, wide, strict=True)), columns) for row in rows]
    return lines + ([f"  and {len(points) - SHOWN} more"] if len(points) > SHOWN else [])


def _place(point: dict[str, Any]) -> tuple[str, str]:
    return digits(point[SPEED], 4), digits(point[THROUGHPUT], 4)


def _halves(words: str) -> tuple[str, str]:
    """Return the words of a column's head in two lines of about the same length."""
    parts = words.split()
    cuts = [(" ".join(parts[:k]), " ".join(parts[k:])) for k in range(1, len(parts))]
    return min(cuts, key=lambda cut: max(map(len, cut)), default=("", words))
