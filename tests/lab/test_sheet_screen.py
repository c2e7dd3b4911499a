"""The question sheet in a real Chromium: the reader's own sliders in its answers, and on paper what was seen."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from roundtrip.journey.forecast import forecast
from roundtrip.journey.scenario import load_scenario
from roundtrip.lab.strings import Texts
from roundtrip.trace.numbers import digits
from tests.lab.rig import needs_browser, needs_site, run_node, serving

pytestmark = [needs_browser, needs_site]

SETTINGS = ("distance_m=9000000", "queue_wait_s=0.2", "prompt_tokens=800", "output_tokens=120")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("sheet")
    with serving() as port:
        yield {**run_node("sheet.mjs", f"http://127.0.0.1:{port}/", str(folder)), "folder": folder}


def test_the_answers_have_the_readers_own_sliders_and_the_numbers_of_python(told: dict[str, Any]) -> None:
    chosen = load_scenario("concept").with_settings(tuple(f"concept.lab.{setting}" for setting in SETTINGS))
    summary = forecast(scenario=chosen, samples=0).summary
    answers = told["answers"].replace("\xa0", " ")
    for words in ("9,000 km", "800 tokens to read", "120 tokens to write", "Your guess in the lab was 1.2 s"):
        assert words in answers, words
    assert f"{digits(1e3 * summary['time_to_first_token_s'])} ms" in answers
    assert re.search(rf"whole answer after\s+{digits(summary['time_to_last_token_s'], 2)} s", answers)
    assert "km=9000" in told["back"]
    assert "reply=120" in told["back"]
    assert not told["errors"]


def test_a_page_is_chosen_by_keyboard(told: dict[str, Any]) -> None:
    say = Texts("student")
    assert say("sheet.teacher.title") in told["teacher"]
    assert say("sheet.answer.title") not in told["teacher"]
    assert told["announced"] == say("sheet.now", pages=say("sheet.teacher.tab"))


def test_the_link_to_the_pdf_has_level_and_sliders(told: dict[str, Any]) -> None:
    for part in ("sheet.pdf?", "level=student", "km=9000", "reply=120", "lang=en"):
        assert part in told["pdf"]


def test_the_answers_speak_german_with_german_figures(told: dict[str, Any]) -> None:
    german = told["german"].replace("\xa0", " ")
    assert Texts("child", language="de")("sheet.answer.title") in german
    assert "45 Tausendstel einer Sekunde" in german
    assert "4,3 Sekunden" in german
    assert "seconds" not in german


def test_it_fits_the_narrowest_phone(told: dict[str, Any]) -> None:
    assert told["wide"] <= 320


@pytest.mark.skipif(not shutil.which("pdfinfo"), reason="poppler-utils is missing")
def test_print_has_the_chosen_paper_a_page_for_each_part_and_no_controls(told: dict[str, Any]) -> None:
    folder: Path = told["folder"]
    for paper, size in (("a4", (595, 842)), ("letter", (612, 792))):
        about = subprocess.run(["pdfinfo", folder / f"{paper}.pdf"], capture_output=True, text=True, check=True).stdout
        found = re.search(r"Page size:\s+([\d.]+) x ([\d.]+)", about)
        assert found
        assert all(abs(float(a) - b) < 2 for a, b in zip(found.groups(), size, strict=True)), about
        assert re.search(r"Pages:\s+6\b", about), about
        text = subprocess.run(
            ["pdftotext", folder / f"{paper}.pdf", "-"], capture_output=True, text=True, check=True, encoding="utf-8"
        ).stdout
        say = Texts("child")
        assert say("sheet.picker") not in text
        assert say("sheet.child.title") in text
