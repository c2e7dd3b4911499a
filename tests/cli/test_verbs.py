"""Each verb says what it should, as text and as JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from roundtrip import __version__
from roundtrip.cli.main import VERBS
from tests.cli.run import apart, here

Capture = pytest.CaptureFixture[str]


def test_version_and_help(capsys: Capture) -> None:
    assert here(capsys, "--version").out == f"roundtrip {__version__}\n"
    for arguments in (["--help"], []):
        ran = here(capsys, *arguments)
        assert ran.code == 0
        assert all(verb in ran.out for verb in VERBS)


WITHOUT_JSON = ("lab", "export", "sheet", "serve", "model")  # servers, writers, and a verb with verbs of its own
WITH_JSON = [[verb] for verb in VERBS if verb not in WITHOUT_JSON]


@pytest.mark.parametrize("verb", [*WITH_JSON, ["model", "fetch"], ["model", "where"], ["model", "check"]])
def test_each_verb_has_help_and_json(capsys: Capture, verb: list[str]) -> None:
    ran = here(capsys, *verb, "--help")
    assert ran.code == 0
    assert "--json" in ran.out


@pytest.mark.parametrize(
    "arguments",
    [
        ["trip", "-s", "concept"],
        ["trip", "-s", "concept", "--brief"],
        ["compare", "concept", "concept"],
        ["explain", "keyboard.press"],
        ["explain", "optics"],
        ["explain", "time_to_first_token_s", "-s", "concept"],
        ["explain", "concept.lab", "-s", "concept"],
        ["explain", "length_m"],
        ["explain", "concepts/seed"],
        ["explain", "concepts/seed.distance_m"],
        ["explain", "concepts"],
        ["explain", "A001"],
        ["audit", "A001"],
        ["catalog"],
        ["catalog", "concepts"],
        ["catalog", "concepts", "seed"],
        ["catalog", "concepts/seed"],
        ["scenarios"],
        ["scenarios", "concept"],
    ],
)
def test_text_and_json(capsys: Capture, arguments: list[str]) -> None:
    text = here(capsys, *arguments)
    assert text.code == 0
    assert len(text.out.splitlines()) >= 2
    body = here(capsys, *arguments, "--json")
    assert body.code == 0
    assert isinstance(json.loads(body.out), dict)


def test_the_concept_has_the_figures_of_its_page(capsys: Capture) -> None:
    """Time to the first word 145 ms, to the last 4.31 s: "Your Prompt's Round Trip", the sliders as they open."""
    summary = json.loads(here(capsys, "trip", "-s", "concept", "--json").out)["summary"]
    assert summary["network_s"] == pytest.approx(0.045)
    assert summary["queue_s"] == pytest.approx(0.05)
    assert summary["prefill_s"] == pytest.approx(0.05)
    assert round(summary["decode_s"], 2) == 4.17
    assert summary["time_to_first_token_s"] == pytest.approx(0.145)
    assert round(summary["time_to_last_token_s"], 2) == 4.31


def test_a_setting_changes_the_trip(capsys: Capture) -> None:
    far = here(capsys, "trip", "-s", "concept", "--json", "--set", "concept.lab.distance_m=9000 km").out
    assert json.loads(far)["summary"]["network_s"] == pytest.approx(0.09)


def test_the_prompt_may_come_from_standard_input() -> None:
    ran = apart("trip", "-", "-s", "concept", "--json", stdin="Où est Paris ?\n".encode())
    assert json.loads(ran.out)["prompt"] == "Où est Paris ?"


def test_files_are_written_whole(capsys: Capture, tmp_path: Path) -> None:
    names = {
        "--csv": "t.csv",
        "--chrome": "t.json",
        "--otlp": "t.jsonl",
        "--speedscope": "s.json",
        "--plot": "t.svg",
        "--plot-strip": "s.svg",
        "--plot-wait": "w.svg",
        "--plot-energy": "e.svg",
    }
    arguments = [x for option, name in names.items() for x in (option, str(tmp_path / name))]
    assert here(capsys, "trip", "-s", "concept", *arguments).code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(names.values())
    assert all(p.stat().st_size > 100 for p in tmp_path.iterdir())
    assert (tmp_path / "t.csv").stat().st_mode & 0o777 == 0o666 & ~os.umask(os.umask(0o022)) | 0o600


def test_an_output_may_be_a_device(capsys: Capture) -> None:
    assert here(capsys, "trip", "-s", "concept", "--csv", os.devnull).code == 0


@pytest.mark.parametrize("columns", [40, 60, 72, 80, 100, 200])
def test_the_table_fits_the_terminal(columns: int) -> None:
    ran = apart("trip", "-s", "concept", COLUMNS=str(columns), PYTHONUTF8="1")
    assert max(map(len, ran.out.splitlines())) <= max(columns, 60)


def test_a_pipe_gets_no_color_and_ascii_where_it_must() -> None:
    assert "\x1b" not in apart("trip", "-s", "concept").out
    assert "\x1b" in apart("trip", "-s", "concept", FORCE_COLOR="1", NO_COLOR="", TERM="xterm").out
    assert "\x1b" not in apart("trip", "-s", "concept", FORCE_COLOR="1", NO_COLOR="1").out
    assert "\x1b" not in apart("trip", "-s", "concept", FORCE_COLOR="1", TERM="dumb").out
    plain = apart("trip", "Où ?", "-s", "concept", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert plain.code == 0
    assert plain.out.isascii()


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f'"{sys.executable}" -c "from roundtrip.cli.main import run; run()" catalog places --json | head -c 10'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_validate_leaves_with_1_when_a_check_fails(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    from roundtrip.journey import truth, validate

    good = here(capsys, "validate", "--json")
    assert good.code in (0, 1)
    assert {"name", "metric", "value", "bar", "holds", "n", "coverage", "split", "rivals"} <= set(
        json.loads(good.out)["scores"][0]
    )

    def fails(row: truth.Row) -> truth.Score:
        return truth.Score(row, 0.0, -1.0, False)

    monkeypatch.setattr(validate, "check", fails)
    ran = here(capsys, "validate")
    assert ran.code == 1
    assert "FAILS" in ran.out


def test_files_that_no_one_scores_are_named(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "something_else.csv").write_text("a,b\n1,2\n")
    assert "something_else.csv" in here(capsys, "validate", "--truth", str(tmp_path)).out


@pytest.mark.parametrize(
    ("words", "offers"),
    [
        ("roundtrip tr", "plain,trip"),
        ("roundtrip trip --scenario inter", "plain,intercontinental"),
        ("roundtrip compare cloud de", "plain,device"),
        ("roundtrip explain optics.fi", "plain,optics.fiber"),
        ("roundtrip explain key_switches/sc", "plain,key_switches/scissor"),
        ("roundtrip trip --plot-w", "plain,--plot-wait"),
    ],
)
def test_the_shell_completes(words: str, offers: str) -> None:
    number = str(len(words.split()) - 1)
    ran = apart(_ROUNDTRIP_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=number)
    assert offers in ran.out.split()
