"""The thin PDF says, reads aloud and draws what the one that WeasyPrint writes does."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from roundtrip.lab import sheet

weasyprint = pytest.importorskip("weasyprint")
needs_poppler = pytest.mark.skipif(not shutil.which("pdfinfo"), reason="poppler-utils is missing")
# Gray levels of edges may move by a hundredth of a pixel.
EDGE = 80


def run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True, encoding="utf-8").stdout


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("thin")
    found = {"thin": folder / "thin.pdf", "fat": folder / "fat.pdf"}
    found["thin"].write_bytes(sheet.pdf_sheet("child", "letter").pdf)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sheet, "thin", None)
        found["fat"].write_bytes(sheet.pdf_sheet("child", "letter").pdf)
    return found


def test_it_is_smaller(both: dict[str, Path]) -> None:
    assert both["thin"].stat().st_size <= 0.9 * both["fat"].stat().st_size


@needs_poppler
def test_its_text_and_its_links_are_the_same(both: dict[str, Path]) -> None:
    for options in (["-layout"], ["-raw"]):
        thin, fat = (run("pdftotext", *options, str(path), "-") for path in both.values())
        assert thin == fat
    thin, fat = (run("pdfinfo", "-url", str(path)) for path in both.values())
    assert thin == fat
    assert "http" in thin


@needs_poppler
def test_a_reader_hears_the_same_words_under_the_same_headings(both: dict[str, Path]) -> None:
    trees = [run("pdfinfo", "-struct-text", str(path)) for path in both.values()]
    said = [" ".join(" ".join(re.findall(r'^\s*"(.*)"$', tree, re.M)).split()) for tree in trees]
    assert said[0] == said[1]
    assert len(said[0]) > 5_000
    for tag in ("H1", "H2", "P", "LI", "LBody", "Table", "TR", "TH", "TD", "Figure", "Link"):
        found = [len(re.findall(rf"^\s*{tag}\b", tree, re.M)) for tree in trees]
        assert found[0] == found[1] > 0, tag


@needs_poppler
@pytest.mark.skipif(not shutil.which("pdftoppm"), reason="poppler-utils is missing")
def test_it_looks_the_same(both: dict[str, Path], tmp_path: Path) -> None:
    for name, path in both.items():
        run("pdftoppm", "-r", "60", "-gray", str(path), str(tmp_path / name))
    pages = sorted(tmp_path.glob("thin-*.pgm"))
    assert len(pages) >= 6
    for page in pages:
        thin, fat = page.read_bytes(), (tmp_path / page.name.replace("thin", "fat")).read_bytes()
        assert max(abs(a - b) for a, b in zip(thin, fat, strict=True)) <= EDGE, page.name
