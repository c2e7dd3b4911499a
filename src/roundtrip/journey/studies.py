"""Studies: small tables that an explanation shows beside the equations, computed when they are asked for.

`study` returns what there is for a name, or nothing. A study is a dictionary that prints as JSON: ``title``,
``columns`` (name and unit), ``rows`` and ``notes``. To add one, write a function that returns such a dictionary and
give it a name in `STUDIES`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import entry
from roundtrip.figures.figure import Figure
from roundtrip.journey.densities import cdf_of, middles
from roundtrip.stages.keyboard import debounce, matrix

Study = dict[str, Any]

SWITCH = "mx-brown"
PRESSES = 300
WINDOWS_MS = (1, 2, 3, 5, 8, 10, 20)
HELD_MS = 40
FIRST_HOP = 0.5  # share of the bounce that its first hop takes: a restitution of one half
KEY: debounce.Key = (0, 0)
FAMILIES = {
    "none": "none",
    "defer": "sym_defer_g, sym_defer_pr, sym_defer_pk",
    "eager": "sym_eager_pr, sym_eager_pk",
    "asymmetric": "asym_eager_defer_pk",
}
SPIKE: list[debounce.Scan] = [(0, {KEY: True}), (1, {KEY: False}), *((t, {}) for t in range(2, 60))]
MEMBER = {"none": "none", "defer": "sym_defer_pk", "eager": "sym_eager_pk"}


def study(name: str) -> Study | None:
    """Return the study of a stage, or None if there is none."""
    made = STUDIES.get(name)
    return made() if made else None


def _column(name: str, unit: str = "1") -> dict[str, str]:
    return {"name": name, "unit": unit}


def latency_against_chatter(samples: int = PRESSES) -> Study:
    """Run each family of debounce algorithms on bouncing presses: how late a press is told, how often twice.

    A press is a bouncing ball: hops that shrink by half, together as long as the bounce time of the catalog's switch.
    The firmware scans every millisecond. One key bounces alone, so the algorithms by key, row and board are one.
    """
    bounce = entry("key_switches", SWITCH).figure("bounce_s")
    rows: list[list[Any]] = []
    presses = _presses(bounce, samples)
    for family, names in FAMILIES.items():
        algorithm = MEMBER.get(family, names)
        for window_ms in (0,) if family == "none" else WINDOWS_MS:
            late_s, twice = _run(algorithm, presses, window_ms)
            longer = 1.0 - float(cdf_of(bounce)(np.array([window_ms * 1e-3]))[0])
            mean_s, slow_s = float(np.mean(late_s)), float(np.quantile(late_s, 0.95))
            spike = "yes" if debounce.ALGORITHMS[algorithm](SPIKE, window_ms) else "no"
            rows.append([family, window_ms * 1e-3, mean_s, slow_s, twice, longer, spike])
    ends = f"{bounce.low * 1e3:g} to {bounce.high * 1e3:g} ms, p5 to p95"
    return {
        "title": "Latency against chatter",
        "columns": [
            _column("algorithm", ""),
            _column("window", "s"),
            _column("late, mean", "s"),
            _column("late, p95", "s"),
            _column("told twice", "%"),
            _column("bounce longer", "%"),
            _column("spike told", ""),
        ],
        "rows": rows,
        "notes": [
            f"{samples} presses of key_switches/{SWITCH} (it bounces for {ends}), scanned every millisecond. "
            "Late: from the first scan that sees the contact closed to the report. Bounce longer: than the window. "
            "Spike: a contact of one scan, which is no press.",
            *(f"{family}: QMK's {names}." for family, names in FAMILIES.items()),
        ],
    }


def _presses(bounce: Figure, samples: int) -> list[tuple[float, float]]:
    """Return bounce times at equal shares of their probability, each with a place between two scans [ms]."""
    values = 1e3 * middles(bounce, samples)
    phases = np.arange(samples) * 0.6180339887498949 % 1.0
    return list(zip(values.tolist(), phases.tolist(), strict=True))


def _closed(time_ms: float, bounce_ms: float) -> bool:
    """Say whether the contact is closed: in the first tenth of every hop, and once the hops have ended."""
    start, hop = 0.0, FIRST_HOP * bounce_ms
    if time_ms < 0.0:
        return False
    while hop > 0.02 and time_ms >= start + hop:
        start, hop = start + hop, hop * (1.0 - FIRST_HOP)
    return hop <= 0.02 or time_ms >= bounce_ms or time_ms - start < 0.1 * hop


def _run(algorithm: str, presses: list[tuple[float, float]], window_ms: int) -> tuple[NDArray[np.float64], float]:
    late: list[float] = []
    twice = 0
    for bounce_ms, phase in presses:
        scans: list[debounce.Scan] = []
        was, first = False, -1
        for scan in range(HELD_MS + int(bounce_ms)):
            closed = _closed(scan + phase, bounce_ms)
            scans.append((scan, {KEY: closed} if closed != was else {}))
            first = scan if closed and first < 0 else first
            was = closed
        told = [time for time, _, closed in debounce.ALGORITHMS[algorithm](scans, window_ms) if closed]
        late.append(float(told[0] - first))
        twice += len(told) > 1
    return 1e-3 * np.array(late), twice / len(presses)


def ghosts_against_held_keys() -> Study:
    """Return the exact chance of a ghost for keys held at random on the catalog's laptop matrix without diodes."""
    board = entry("keyboards", "laptop")
    high, wide = int(board.figure("key_rows").value), int(board.figure("key_columns").value)
    return {
        "title": "Ghosts against held keys",
        "columns": [
            _column("held keys", ""),
            _column("ghost, no diodes", "%"),
            _column("held back, no diodes", "%"),
            _column("ghost, diodes", "%"),
        ],
        "rows": [
            [held, matrix.ghost_chance(high, wide, held), matrix.blocked_chance(high, wide, held), 0.0]
            for held in range(2, 11)
        ],
        "notes": [
            f"Keys at random on {high} rows and {wide} columns, every layout counted. Held back: readings with "
            "two rows that share two columns, which wary boards do not report.",
            "Real boards put Shift, Control and the keys of common chords where they cannot join, so they do better.",
        ],
    }


STUDIES: dict[str, Callable[[], Study]] = {
    "keyboard.debounce": latency_against_chatter,
    "keyboard.matrix": ghosts_against_held_keys,
}
