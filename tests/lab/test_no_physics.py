"""No physics is typed in TypeScript: numbers come from the data and from the printed closed forms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.lab.rig import WEB

SOURCES = sorted(
    path for path in (WEB / "src").rglob("*") if path.suffix in (".ts", ".tsx") and "generated" not in path.parts
)
CONSTANTS = {
    "speed of light": r"\b2?99[_,]?792|\b3e8\b|\b2e8\b|\b200[_]?000[_]?000\b",
    "Planck": r"\b6\.62\d*e-?34",
    "elementary charge": r"\b1\.60\d*e-?19",
    "Boltzmann": r"\b1\.38\d*e-?23",
    "Avogadro": r"\b6\.02\d*e\+?23",
    "gravity": r"\b9\.80?6?6?5?\b(?!\d)",
    "group index": r"\b1\.46[78]?\b",
    "joules of a watt-hour": r"\b3\.6e[36]\b|\b3[_]?600[_]?000\b|\b3600\b",
    "parameters of a model": r"\b(?:671|37|74)e9\b",
}
UNIT = r"(?:s|J|W|L|g|B|m|Hz|usd|bit|flop|token|kWh|m_s|bit_s|B_s|token_s|flop_s|L_kWh|g_kWh|W_m|J_B)"
# A name that ends in a unit: span.duration_s, summary["energy_J"], energy_J.
QUANTITY = rf"(?:[\w.\]\[\"'?!]*_{UNIT}\b[\"'\]!)]*)"
NUMBER = r"(?:\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)"
POWER_OF_TEN = re.compile(r"1(?:0*|e[+-]?\d+)$")
# The primitives file: numbers for people, where a watt-hour may be known.
PRIMITIVES = {"core/units.ts"}


def code(path: Path) -> list[tuple[int, str]]:
    """Lines without comments and without texts that are no keys."""
    text = re.sub(r"/\*.*?\*/", lambda m: "\n" * m[0].count("\n"), path.read_text(encoding="utf-8"), flags=re.S)
    lines = [re.sub(r"(^|\s)//.*$", "", line) for line in text.splitlines()]
    # Text with spaces or signs is prose, colors or a path of a drawing: not a key of a figure.
    return [(n, re.sub(r"([\"'`])(?![\w.]+\1)[^\"'`]*\1", '""', line)) for n, line in enumerate(lines, 1)]


def name(path: Path) -> str:
    return path.relative_to(WEB / "src").as_posix()


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_no_constant_of_nature(path: Path) -> None:
    if name(path) in PRIMITIVES:
        return
    found = [
        f"{name(path)}:{n}: {what}: {line.strip()[:100]}"
        for n, line in code(path)
        for what, pattern in CONSTANTS.items()
        if re.search(pattern, line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", SOURCES, ids=name)
def test_no_product_or_quotient_of_quantities(path: Path) -> None:
    """Seconds times watts is physics; seconds over seconds is a share of a picture, and a power of ten is a prefix."""
    found: list[str] = []
    for n, line in code(path):
        for left, sign, right in re.findall(rf"({QUANTITY})\s*([*/])\s*({QUANTITY})", line):
            if sign == "*" or _unit(left) != _unit(right):
                found.append(f"{name(path)}:{n}: {line.strip()[:120]}")
        for number in re.findall(rf"{QUANTITY}\s*[*/]\s*({NUMBER})", line):
            plain = number.replace("_", "")
            if not POWER_OF_TEN.match(plain) and name(path) not in PRIMITIVES:
                found.append(f"{name(path)}:{n}: {line.strip()[:120]}")
    assert not found, "\n".join(found)


def _unit(text: str) -> str:
    found = re.search(rf"_({UNIT})\b[\"'\]!)]*$", text)
    return found[1] if found else ""


def test_the_rule_would_find_physics() -> None:
    for line in (
        "const e = span.power_W * span.duration_s;",
        "x = trip.energy_J / summary.water_L",
        'a["length_m"] * 4.9',
    ):
        assert re.search(rf"{QUANTITY}\s*[*/]\s*(?:{QUANTITY}|{NUMBER})", line), line
    assert any(re.search(pattern, "const c = 299_792_458;") for pattern in CONSTANTS.values())


def test_three_stands_only_in_the_scene() -> None:
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if not name(path).startswith("scene/"):
            assert not re.search(r"""(?:from|import\()\s*["']three""", text), name(path)


def test_no_address_outside_is_asked_for() -> None:
    for path in SOURCES:
        for n, line in code(path):
            assert not re.search(r"\b(?:fetch|import|WebSocket|EventSource|sendBeacon)\(\s*[\"'`]https?:", line), (
                f"{name(path)}:{n}"
            )
