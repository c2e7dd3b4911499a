"""Bad input is answered with one line that names the thing, the value and what is allowed; exit code 2."""

from __future__ import annotations

import os
import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from roundtrip.catalog import load as catalog
from tests.cli.run import apart, here

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["trpi"], "did you mean 'trip'?"),
        (["trip", "--nonsense"], "--nonsense"),
        (["trip", "--samples", "many"], "'many' is not a valid integer"),
        (["trip", "--samples", "-5"], "--samples = -5"),
        (["trip", "--samples", "2"], "--samples = 2"),
        (["trip", ""], "the prompt is empty"),
        (["trip", "--scenario", "clod"], "did you mean 'cloud'?"),
        (["trip", "--scenario", "no/such.toml"], "no scenario"),
        (["trip", "--scenario", "a" * 5_000], "name too long"),
        (["trip", "-s", "concept", "--csv", ""], "'': cannot be written"),
        (["trip", "--set", "network.acess=starlink"], "did you mean 'network.access'?"),
        (["trip", "--set", "network.access=starlnk"], "is not in access_networks"),
        (["trip", "--set", "nonsense"], "expected KEY=VALUE"),
        (["trip", "-s", "concept", "--set", "concept.lab.distance_m=5 s"], "of the dimension time, expected length"),
        (["trip", "-s", "concept", "--set", "concept.lab.distance_m=5 furlongs"], "unknown unit 'furlongs'"),
        (["trip", "-s", "concept", "--set", "concept.lab.distance_m=-5 km"], "outside what distance_m allows"),
        (["trip", "-s", "concept", "--set", "concept.lab.distance_m=nan"], "not finite"),
        (["trip", "-s", "concept", "--set", "concept.lab.distance_m=inf"], "not finite"),
        (["trip", "-s", "concept", "--set", "concept.lab.distance_m=far"], "is not a number"),
        (["trip", "-s", "concept", "--set", "concept.lab.distnce_m=5"], "did you mean 'concept.lab.distance_m'?"),
        (["trip", "-s", "concept", "--plot", "trip.png"], "ends in .svg"),
        (["compare", "cloud"], "Missing argument"),
        (["compare", "cloud", "clod"], "did you mean 'cloud'?"),
        (["explain"], "Missing argument"),
        (["explain", "optics.fibr"], "did you mean 'optics.fiber'?"),
        (["audit", "A999"], "no claim 'A999'"),
        (["catalog", "keybords"], "did you mean 'keyboards'?"),
        (["catalog", "keyboards", "latop"], "did you mean 'laptop'?"),
        (["validate", "--truth", "/no/such/folder"], "no such folder"),
        (["validate", "--fit", "/no/such/folder"], "no such folder"),
        (["scenarios", "clod"], "did you mean 'cloud'?"),
        (["lab"], "comes with its own release"),
    ],
)
def test_one_line(capsys: Capture, arguments: list[str], says: str) -> None:
    assert says in here(capsys, *arguments).line


def test_a_prompt_of_two_megabytes_on_standard_input() -> None:
    assert "1,000,000" in apart("trip", "-", stdin=b"a" * 2_000_000).line


def test_bytes_that_are_no_text() -> None:
    assert "not valid UTF-8" in apart("trip", b"caf\xe9", PYTHONUTF8="1").line
    assert "not valid UTF-8 (at byte 3)" in apart("trip", "-", stdin=b"caf\xe9").line
    assert "caf" in apart("explain", b"caf\xe9", PYTHONUTF8="1").line
    assert "\\xe9" in apart(b"caf\xe9", PYTHONUTF8="1").line


@pytest.mark.parametrize("option", ["--csv", "--chrome", "--otlp", "--speedscope"])
def test_an_output_that_cannot_be_written(capsys: Capture, tmp_path: Path, option: str) -> None:
    assert "cannot be written" in here(capsys, "trip", "-s", "concept", option, str(tmp_path / "no" / "such")).line
    assert "is a folder" in here(capsys, "trip", "-s", "concept", option, str(tmp_path)).line
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_left_as_it_was_when_writing_fails(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "trip.csv"
    target.write_text("what was there")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert "No space left on device" in here(capsys, "trip", "-s", "concept", "--csv", str(target)).line
    assert [p.name for p in tmp_path.iterdir()] == ["trip.csv"]
    assert target.read_text() == "what was there"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("title = [", "mine.toml"),
        ("[choices]\nnetwork.acces = 'starlink'", "did you mean 'network.access'?"),
        ("[choises]\n", "did you mean 'choices'?"),
        ("extends = 'clod'", "did you mean 'cloud'?"),
    ],
)
def test_a_scenario_file_with_a_mistake(capsys: Capture, tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    line = here(capsys, "trip", "--scenario", str(file)).line
    assert says in line
    assert "mine" in line


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the catalog that a test may break."""
    data = tmp_path / "data"
    shutil.copytree(str(files("roundtrip.catalog") / "data"), data)
    monkeypatch.setattr(catalog, "_data", lambda: data)
    cached = [f for f in vars(catalog).values() if hasattr(f, "cache_clear")]
    for function in cached:
        function.cache_clear()
    yield data  # type: ignore[misc]
    for function in cached:
        function.cache_clear()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("value = 4.5e6", "value = nan", "distance_m"),
        ("value = 4.5e6", "value = -4.5e6", "outside what distance_m allows"),
        ("value = 4.5e6", "value = 'far'", "is not a number"),
        ("value = 4.5e6", "", "value is missing"),
        ('unit = "m"', 'unit = "km"', "the glossary gives distance_m in 'm'"),
        ('grade = "estimate"', 'grade = "guess"', "allowed: measured"),
        ('source = "seed-round-trip"', 'source = "seed-round-tri"', "did you mean 'seed-round-trip'?"),
        ("[seed.distance_m]", "[seed.distanc_m]", "did you mean 'distance_m'?"),
        ("[seed.distance_m]", "[seed.distance_m", "concepts.toml"),
    ],
)
def test_a_broken_row_of_the_catalog(capsys: Capture, copied: Path, old: str, new: str, says: str) -> None:
    file = copied / "concepts.toml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    line = here(capsys, "catalog", "concepts", "seed").line
    assert "concepts.toml" in line
    assert says in line


def test_a_catalog_file_that_is_no_text(capsys: Capture, copied: Path) -> None:
    (copied / "concepts.toml").write_bytes(b"[seed]\ntitle = '\xff'")
    assert "concepts.toml: not UTF-8" in here(capsys, "catalog", "concepts").line
