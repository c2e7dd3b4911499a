"""Bad input is answered with one line that names the thing, the value and what is allowed; exit code 2."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree

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
        (["trip", "--samples", "1000001"], "4 to 1,000,000"),
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
        (["trip", "-s", "concept", "--set", "concept.lab.distance_m=5_"], "unknown unit '_'"),
        (["trip", "-s", "concept", "--set", "concept.lab.distance_m=5__0"], "(from --set)"),
        (["trip", "--set", "keyboard.switch=touch-glass"], "these have it: scissor"),
        (["trip", "--set", "display.panel.kind=lc"], "allowed: lcd, oled; did you mean 'lcd'?"),
        (["trip", "--set", "network.place.country=Elbonia"], "is in no entry of places"),
        (["trip", "-s", "concept", "--csv", "-"], "for example /dev/stdout"),
        (["latency", "--plot", "latency.png"], "ends in .svg"),
        (["link", "--set", "launch_power_dBm=1"], "need a NAME"),
        (["link", "80-km", "--gnpy", ""], "--gnpy"),
        (["validate", "--truth", ""], "no such folder"),
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
        (["lab", "--port", "70000"], "65535"),
        (["export"], "one of --site DIR and --single-file FILE"),
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
        ("extends = '../presets/cloud'", "which is no preset"),
        ("extends = 5", "expected a text"),
        ("title = ['a']", "expected a text"),
        ("choices = 5", "expected a table"),
        ("values = 'x'", "expected a table"),
        ("way = 'nope'", "allowed: full, concept"),
        ("[values]\nnetwork.route = 5", "is a choice, expected under [choices]"),
        ("[choices]\nnetwork.route.detour_m = '5 km'", "is no choice, expected under [values]"),
        ("[values]\nnetwork.route.detour_m = '5 furlongs'", "unknown unit 'furlongs'"),
        ("[values]\nnetwork.route.detour_m = nan", "not finite"),
        ("[values]\nnetwork.route.detour_m = -5", "outside what detour_m allows"),
        ("[values]\nnetwork.route.detour_m = " + "9" * 5_000, "4300 digits"),
        ("title = " + "[" * 20_000, "recursion"),
        ("title = '" + "x" * 1_000_000 + "'", "1,000,000 bytes"),
    ],
)
def test_a_scenario_file_with_a_mistake(capsys: Capture, tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    line = here(capsys, "trip", "--scenario", str(file)).line
    assert says in line
    assert "mine" in line


def test_a_scenario_that_is_no_file_of_text(capsys: Capture, tmp_path: Path) -> None:
    assert "is a folder" in here(capsys, "scenarios", str(tmp_path)).line
    os.mkfifo(tmp_path / "pipe")
    assert "is no file" in here(capsys, "scenarios", str(tmp_path / "pipe")).line
    (tmp_path / "latin.toml").write_bytes(b"title = 'caf\xe9'")
    assert "latin.toml: not UTF-8" in here(capsys, "scenarios", str(tmp_path / "latin.toml")).line


def test_a_scenario_file_may_have_the_name_of_a_preset_and_a_byte_order_mark(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "cloud.toml").write_bytes(b"\xef\xbb\xbftitle = 'mine'")
    ran = here(capsys, "scenarios", str(tmp_path / "cloud.toml"))
    assert (ran.code, ran.out.splitlines()[0]) == (0, "mine")


def test_what_a_scenario_says_cannot_steer_the_terminal(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('title = "a\\u001b[31mb\\nc"\nsentence = "x\\u0000y"')
    for verb in (["scenarios"], ["trip", "--samples", "0", "--scenario"]):
        out = here(capsys, *verb, str(tmp_path / "mine.toml")).out
        assert "a [31mb c" in out
        assert "\x1b" not in out
        assert "\0" not in out


def test_one_file_for_two_outputs(capsys: Capture, tmp_path: Path) -> None:
    path = str(tmp_path / "trip")
    line = here(capsys, "trip", "-s", "concept", "--csv", path, "--chrome", str(tmp_path / "." / "trip")).line
    assert "given for --csv and --chrome" in line
    assert list(tmp_path.iterdir()) == []


def test_the_strip_is_drawn_for_characters_that_xml_forbids(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "strip.svg"
    assert here(capsys, "trip", "a\x1b\ufffe", "--samples", "0", "--plot-strip", str(path)).code == 0
    ElementTree.fromstring(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [
        (">&-", "trip -s concept", 0),
        (">&-", "trip -s concept --json", 0),
        (">&-", "--help", 0),
        ("2>&- >/dev/null", "trip --samples 1", 2),
        ("<&- >/dev/null", "trip x -s concept", 0),
        ("<&- >/dev/null", "trip -", 2),
        ("| true", "trip --json", 0),
        ("| true", "trip -s concept --csv /dev/stdout", 0),
    ],
)
def test_a_stream_that_is_closed(closed: str, arguments: str, code: int) -> None:
    program = f"{sys.executable} -W error -c 'from roundtrip.cli.main import run; run()'"
    command = f"{program} {arguments} {closed}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False, timeout=120)
    assert done.returncode == code
    assert done.stderr.count(b"\n") == (1 if code == 2 and "2>" not in closed else 0)


def test_a_full_disk_behind_standard_output() -> None:
    command = [sys.executable, "-c", "from roundtrip.cli.main import run; run()", "trip", "-s", "concept"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (2, b"roundtrip: standard output: No space left on device\n")


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


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        ("glossary/keyboard.csv", "meaning", "meening", "expected the columns name, unit"),
        ("glossary/keyboard.csv", "", "foo,m\n", "expected 6 fields"),
        ("glossary/keyboard.csv", "", "foo,m,x,0,1,meaning,more\n", "expected 6 fields"),
        ("glossary/keyboard.csv", "", "foo,m,x,nan,1,meaning\n", "expected low <= high"),
        ("glossary/keyboard.csv", "", "foo,m,x,5,1,meaning\n", "expected low <= high"),
        ("glossary/keyboard.csv", "", "foo,furlong,x,0,1,meaning\n", "unknown unit 'furlong'"),
        ("glossary/keyboard.csv", "", "travel_m,m,x,0,1,meaning\n", "stands twice"),
        ("glossary/keyboard.csv", "", "f oo,m,x,0,1,meaning\n", "is no name"),
        ("corridors.csv", "grade:", "grad:", "the first line must be"),
        ("corridors.csv", "# ", "", "the first line must be"),
        ("corridors.csv", "title", "titel", "expected a column 'title'"),
        ("sources/keyboard.toml", None, "x = 5\n", "expected a table"),
        ("concepts.toml", "value = 4.5e6", "value = " + "9" * 400, "400 digits"),
        ("concepts.toml", None, "a = " + "[" * 20_000, "recursion"),
    ],
)
def test_a_file_of_the_catalog_that_is_broken(
    capsys: Capture, copied: Path, file: str, old: str | None, new: str, says: str
) -> None:
    text = (copied / file).read_text()
    (copied / file).write_text(new + text if old is None else text.replace(old, new, 1) if old else text + new)
    catalog.load.cache_clear()
    if file == "corridors.csv":
        line = here(capsys, "catalog", "corridors").line
    else:
        line = here(capsys, "catalog", "concepts", "seed").line
    assert file in line
    assert says in line
