"""Numbers for people are the same in the page as in the terminal."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

from roundtrip.trace import numbers
from tests.lab.rig import needs_node, run_node

UNITS = ("s", "m", "g", "L", "J", "W", "Hz", "B", "bit", "bit/s", "flop", "flop/s", "V", "A", "USD", "1", "token", "K")


def test_the_file_of_cases_is_fair() -> None:
    assert {unit for _, unit in cases()} == set(UNITS)


def cases() -> list[tuple[float, str]]:
    rng = random.Random(3)
    made = [(value, unit) for unit in UNITS for value in (0.0, 1.0, 999.4, 999.6, 9_999.4, 1e-3, 0.9996, 1e15, -2.5)]
    drawn = [(10.0 ** rng.uniform(-17, 16) * rng.choice((1, 1, 1, -1)), rng.choice(UNITS)) for _ in range(2_000)]
    return made + drawn


@needs_node
def test_the_page_writes_numbers_as_the_terminal_does(tmp_path: Path) -> None:
    asked = cases()
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(asked), encoding="utf-8")
    told = run_node("units.mjs", str(file))
    wrong = [
        (value, unit, ours, theirs)
        for (value, unit), ours in zip(asked, told["si"], strict=True)
        if ours != (theirs := plain(numbers.si(value, unit))) and not _tie(value)
    ]
    assert not wrong, wrong[:10]
    for (value, unit), ours in zip(asked, told["band"], strict=True):
        low, high = sorted((value * 0.5, value * 3.0))
        assert ours == numbers.band(low, high, value, unit) or _tie(value), (value, unit)


def plain(text: str) -> str:
    return text.replace("-∞", "−∞")


def _tie(value: float) -> bool:
    """Halves are rounded to even by Python and away from zero by JavaScript; no reader sees the difference."""
    mantissa = abs(value) / 10.0 ** math.floor(math.log10(abs(value))) if value else 0.0
    return any(abs(mantissa * scale * 10 % 10 - 5.0) < 1e-6 for scale in (1.0, 10.0, 100.0, 1000.0))
