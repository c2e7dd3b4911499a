"""``roundtrip sensitivity``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roundtrip.cli.main import main


def test_names_what_matters_most(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", "--json", "--rows", "256"]) == 0
    found = json.loads(capsys.readouterr().out)
    totals = [i["total"] for i in found["influences"]]
    assert found["name"] == "time_to_first_token_s"
    assert totals == sorted(totals, reverse=True)
    assert sum(i["first"] for i in found["influences"]) == pytest.approx(1.0, abs=0.25)


def test_draws_a_tornado(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "tornado.svg"
    assert main(["sensitivity", "energy_J.allocated", "--rows", "128", "--plot", str(file)]) == 0
    assert file.read_text(encoding="utf-8").startswith("<svg")
    assert "prompt.reply.output_tokens" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["time_to_first_tokn_s"], "did you mean 'time_to_first_token_s'"),
        (["--rows", "3"], "allowed are 64"),
        (["--plot", "x.png"], "ends in .svg"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
