"""``roundtrip fit``: from one's own measurements to constants that a fleet runs with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roundtrip.fleet.machine import kind
from roundtrip.serving import constants as known
from tests.cli.run import here

Capture = pytest.CaptureFixture[str]
HEAD = "clients,prompt_tokens,output_tokens,ttft_ms,tpot_ms"
SERVER = ("--model", "llama-3.1-8b", "--accelerator", "h100-sxm", "--engine", "vllm")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A server that takes 2 ms a step longer than the catalog's constants say."""
    from roundtrip.serving.closed_loop import of
    from roundtrip.serving.step import Setup

    setup = Setup.of("llama-3.1-8b", "h100-sxm")
    lines = [HEAD]
    for clients in (1, 2, 4, 8, 16, 32, 64):
        for prompt, answer in ((256, 256), (2048, 256)):
            seen = of(setup, clients, prompt, answer)
            lines.append(f"{clients},{prompt},{answer},{seen.ttft_s * 1e3 + 2.0},{seen.tpot_s * 1e3 + 2.0}")
    file = tmp_path / "own.csv"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_a_slower_server_is_found_and_a_fleet_takes_it_up(own: Path, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "own.toml"
    made = here(capsys, "fit", str(own), *SERVER, "--refits", "3", "--out", str(out), "--json")
    assert made.code == 0, made.err
    body = json.loads(made.out)
    assert body["rows"] == 14
    assert body["errors"]["rows left out"]["time per output token"] < 0.05
    values = {c["name"]: c["value"] for c in body["constants"]}
    shipped = known.constants("vllm")
    extra = 32 * (values["layer_time_s"] - shipped["layer_time_s"])
    extra += values["step_overhead_s"] - shipped["step_overhead_s"]
    assert extra == pytest.approx(2e-3, rel=0.4)
    assert not {c["name"]: c["identified"] for c in body["constants"]}["expert_efficiency"]
    assert known.read(str(out), "vllm")["layer_time_s"] == pytest.approx(values["layer_time_s"], rel=1e-3)
    plain, fitted = (kind("llama-3.1-8b", "h100-sxm", constants=k) for k in (None, known.read(str(out), "vllm")))
    assert fitted.times.rows_s[8] - plain.times.rows_s[8] == pytest.approx(2e-3, rel=0.4)


def test_the_page_says_what_is_not_known(own: Path, capsys: Capture) -> None:
    made = here(capsys, "fit", str(own), *SERVER, "--refits", "0")
    assert made.code == 0, made.err
    assert "Not identified by these runs" in made.out
    assert "Median error, rows left out" in made.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--format", "xml"), "--format 'xml'"),
        (("--refits", "-1"), "--refits = -1"),
        (("--tensor", "0"), "--tensor = 0"),
        (("--clients", "nan"), "--clients = nan"),
        (("--model", "lama-3.1-8b"), "did you mean 'llama-3.1-8b'"),
        (("--accelerator", "h99"), "no accelerator 'h99'"),
    ],
)
def test_bad_input_is_one_line(arguments: tuple[str, ...], says: str, own: Path, capsys: Capture) -> None:
    assert says in here(capsys, "fit", str(own), *SERVER, *arguments).line


def test_a_file_that_is_not_there_and_one_that_is_none(tmp_path: Path, capsys: Capture) -> None:
    assert "cannot be read" in here(capsys, "fit", str(tmp_path / "none.csv"), *SERVER).line
    (tmp_path / "a.json").write_text("[]", encoding="utf-8")
    assert "neither" in here(capsys, "fit", str(tmp_path / "a.json"), *SERVER).line
