"""The verb latency: a table, one way part by part, JSON, a picture; and the page that shows them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from roundtrip.journey.validate_keyboard import score
from tests.cli.run import here

NUMBER = re.compile(r"\d+\.\d+")
ROOMS = Path(__file__).parents[2] / "docs" / "explanation" / "rooms"


def test_the_table_has_every_keyboard_and_computer(capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "latency")
    assert ran.code == 0
    assert "19 of 21 inside" in ran.out
    assert "ErgoDox" in ran.out
    assert max(map(len, ran.out.splitlines())) <= 100


def test_one_way_is_shown_part_by_part(capsys: pytest.CaptureFixture[str]) -> None:
    ran = here(capsys, "latency", "haswell-60")
    assert ran.code == 0
    assert all(part in ran.out for part in ("travel", "contact", "poll", "frames", "pixels", "^ measured", "80 ms"))


def test_json_holds_bands_and_parts(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = json.loads(here(capsys, "latency", "measured_keyboards/ergodox", "--json").out)["latencies"]
    assert found["published_s"] == 0.04
    assert found["inside"] is (found["reading_s"]["p5"] <= 0.04 <= found["reading_s"]["p95"])
    assert list(found["reading_s"].values()) == sorted(found["reading_s"].values())
    assert [p["name"] for p in found["parts"]] == ["travel", "contact", "poll", "bus"]


def test_an_unknown_name_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean 'pok3r-vortex'" in here(capsys, "latency", "pok3r").line


def test_the_picture_of_the_page_is_the_one_that_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = tmp_path / "made.svg"
    assert here(capsys, "latency", "--plot", str(made)).code == 0
    root = ElementTree.fromstring(made.read_text(encoding="utf-8"))
    dots = [c for c in root.iter() if c.tag.endswith("circle")]
    assert len(dots) == 42 + 2  # and the two of the key
    stored = (ROOMS / "key-latency.svg").read_text(encoding="utf-8")
    new = made.read_text(encoding="utf-8")
    advice = "if meant, run: roundtrip latency --plot docs/explanation/rooms/key-latency.svg"
    assert NUMBER.sub("#", new) == NUMBER.sub("#", stored), advice
    places = [[float(x) for x in NUMBER.findall(text)] for text in (new, stored)]
    assert places[0] == pytest.approx(places[1], abs=0.3), advice


def test_the_page_says_what_the_scores_say() -> None:
    page = " ".join((ROOMS / "keyboard-and-display.md").read_text(encoding="utf-8").split())
    scores = {(s["name"], s["metric"]): s for s in score(Path())}
    shown = {
        m.group(1): (m.group(2), m.group(3)) for m in re.finditer(r"\| ([a-z][^|]+?) \| ([^|]+?) \| ([^|]+?) \|", page)
    }
    for place, name in enumerate(("keyboards, key to packet", "computers, key to screen")):
        inside = scores[name, "share inside p5 to p95"]
        width_s = scores[name, "median width of the band, s"]
        error = scores[name, "median error of the predicted median"]
        rank = scores[name, "rank correlation of predicted and measured"]
        n = inside["n"]
        assert shown["inside p5 to p95 of one press"][place] == f"{round(inside['value'] * n)} of {n}"
        average = next(iter(inside["rivals"].values()))
        assert shown["inside p5 to p95 of the mean of many presses"][place] == f"{round(average * n)} of {n}"
        assert shown["median width of the band"][place] == f"{1e3 * width_s['value']:.0f} ms"
        assert shown["median error of the predicted median"][place] == f"{100 * error['value']:.0f} %"
        assert shown["rank correlation of predicted and measured"][place].replace("−", "-") == f"{rank['value']:.2f}"
