"""How many bytes the lab is, gzipped: first chunk, 3D chunk, fonts, the whole site."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from tests.lab.rig import SITE, needs_site

pytestmark = needs_site

FIRST = 60_000
SCENE = 170_000
FONTS = 60_000
WHOLE = 1_000_000
# The site holds ready sheets where it was built with WeasyPrint, and names them.
SHEETS = json.loads((SITE / "data" / "lab.json").read_text(encoding="utf-8"))["sheets"] if SITE.is_dir() else []


def zipped(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), 9, mtime=0))


def chunks(name: str) -> list[Path]:
    return sorted((SITE / "assets").glob(name))


def first() -> list[Path]:
    """What the page itself asks for before any of its scripts runs: the page, its script and style."""
    page = SITE / "index.html"
    named = re.findall(r'(?:src|href)="\./(assets/[^"]+\.(?:js|css))"', page.read_text(encoding="utf-8"))
    assert named
    return [page, *(SITE / name for name in named)]


def test_the_first_chunk() -> None:
    assert sum(zipped(path) for path in first()) <= FIRST


def test_no_3d_in_the_first_chunk() -> None:
    for path in first():
        assert "WebGLRenderer" not in path.read_text(encoding="utf-8"), path.name


def test_the_3d_chunk() -> None:
    found = [path for path in chunks("*.js") if "WebGLRenderer" in path.read_text(encoding="utf-8")]
    assert found
    assert sum(zipped(path) for path in found) <= SCENE


def test_the_fonts() -> None:
    assert sum(path.stat().st_size for path in chunks("*.woff2")) <= FONTS


def test_the_whole_site() -> None:
    """Every file counts, the ready PDFs too."""
    sizes = {path.relative_to(SITE).as_posix(): zipped(path) for path in SITE.rglob("*") if path.is_file()}
    assert any(name.endswith(".pdf") for name in sizes) or not SHEETS
    assert sum(sizes.values()) <= WHOLE, sorted(sizes.items(), key=lambda item: -item[1])[:8]


@pytest.mark.parametrize("name", ["lab.json", "word.json", "trips/concept.json"])
def test_what_a_screen_waits_for_is_small(name: str) -> None:
    assert zipped(SITE / "data" / name) <= 20_000
