"""``roundtrip fleet run``: text, JSON, CSV, a picture, and one line for what it refuses."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from roundtrip.fleet import simulate as runs
from tests.cli.run import here

Capture = pytest.CaptureFixture[str]
MADE = ["fleet", "run", "--load", "poisson", "--requests", "300", "--rate", "20", "--prompt", "lognormal:300,0.7",
        "--output", "geometric:40"]  # fmt: skip


def test_text_names_the_wait(capsys: Capture) -> None:
    ran = here(capsys, *MADE, "--slo", "ttft_p99=1s,tpot_p50=1us")
    assert ran.code == 0
    for words in ("time to first token", "others' prompts are read", "300 requests", "does not hold", "holds"):
        assert words in ran.out
    assert ran.err == "", "no bar in a pipe"


def test_json_csv_and_picture_agree(capsys: Capture, tmp_path: Path) -> None:
    sheet, picture = tmp_path / "requests.csv", tmp_path / "run.svg"
    ran = here(capsys, *MADE, "--json", "--csv", str(sheet), "--plot", str(picture), "--replicas", "2",
               "--router", "least work", "--slo", "e2e=10s")  # fmt: skip
    body = json.loads(ran.out)
    assert body["schema"] == "roundtrip.fleet/1"
    assert body["summary"]["done"] == 300
    assert body["summary"]["slo"][0]["holds"]
    with sheet.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 300
    for row in rows:
        parts = sum(float(row[f"{cause}_s"]) for cause in body["summary"]["waits_s"])
        assert parts == pytest.approx(float(row["last_token_s"]) - float(row["arrival_s"]), abs=1e-7)
    mean_s = sum(float(row["ttft_s"]) for row in rows) / 300
    assert body["summary"]["ttft_s"]["mean"] == pytest.approx(mean_s, rel=1e-6)
    assert ET.parse(picture).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected --trace FILE, or --load"),
        (["--trace", "x.csv", "--load", "poisson"], "both --trace and --load"),
        (["--trace", "nowhere.csv"], "nowhere.csv: No such file"),
        (["--load", "poisson", "--clients", "4"], "--clients has no meaning for --load poisson"),
        (["--load", "clients", "--rate", "4"], "--rate has no meaning for --load clients"),
        (["--load", "poisson", "--sort"], "--sort has no meaning"),
        (["--load", "poisson", "--policy", "priority"], "has no priorities"),
        (["--load", "poisson", "--prefix-cache"], "names no blocks"),
        (["--load", "poisson", "--router", "prefix-aware"], "needs the prefix cache"),
        (["--load", "poisson", "--router", "sticky"], "goes by session"),
        (["--load", "poisson", "--step-times", "step=1ms"], "expected --pages"),
        (["--load", "poisson", "--step-times", "step=1ms", "--pages", "9", "--model", "x"], "beside --step-times"),
        (["--load", "poisson", "--step-times", "stop=1ms", "--pages", "9"], "did you mean 'step'"),
        (["--load", "poisson", "--model", "llama-4"], "no architecture 'llama-4'"),
        (
            ["--load", "poisson", "--model", "llama-3.1-405b", "--accelerator", "l4", "--tensor-ranks", "1"],
            "leave no page",
        ),
        (["--load", "poisson", "--precision", "fp7"], "did you mean 'fp8'"),
        (["--load", "poisson", "--serving", "llama-8b-h100", "--precision", "fp8"], "has a precision of its own"),
        (["--load", "poisson", "--serving", "llama-8b-h100", "--engine", "vllm"], "beside --serving"),
        (["--load", "poisson", "--token-budget", "100"], "less than max_sequences"),
        (["--load", "poisson", "--token-budget", "-1"], "--token-budget = -1"),
        (["--load", "poisson", "--slo", "fast"], "expected for example"),
        (["--load", "poisson", "--plot", "x.png"], "written as SVG"),
        (["--load", "poisson", "--replicas", "0"], "0 replicas"),
        (["--load", "poisson", "--seed", "-1"], "--seed = -1"),
    ],
)
def test_bad_input_is_one_line(capsys: Capture, arguments: list[str], message: str) -> None:
    ran = here(capsys, "fleet", "run", *arguments)
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("\n") == 1


def test_an_interruption_reports_what_is_done(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    whole = json.loads(here(capsys, *MADE, "--json").out)
    step, slices = runs.Run.step, []

    def interrupted(self: runs.Run, events: int) -> bool:
        slices.append(events)
        if len(slices) > 3:
            raise KeyboardInterrupt
        return step(self, 200)

    monkeypatch.setattr(runs.Run, "step", interrupted)
    sheet = tmp_path / "part.csv"
    ran = here(capsys, *MADE, "--json", "--csv", str(sheet))
    assert ran.code == 130
    body = json.loads(ran.out)
    assert body["interrupted"]
    assert 0 < body["summary"]["done"] < whole["summary"]["done"]
    with sheet.open() as file:
        states = [row["state"] for row in csv.DictReader(file)]
    assert states.count("done") == body["summary"]["done"]
    assert len(states) == 300


def test_the_same_without_numba(capsys: Capture) -> None:
    arguments = [*MADE, "--json", "--replicas", "2", "--router", "two choices", "--pages", "300"]
    compiled = json.loads(here(capsys, *arguments).out)
    done = subprocess.run(
        [sys.executable, "-m", "roundtrip", *arguments], capture_output=True, text=True, check=True,
        env=os.environ | {"ROUNDTRIP_FLEET": "python"},
    )  # fmt: skip
    plain = json.loads(done.stdout)
    assert plain["replicas"] == compiled["replicas"]
    assert plain["summary"]["e2e_s"] == pytest.approx(compiled["summary"]["e2e_s"], rel=1e-12)
    assert plain["summary"]["preemptions"] == compiled["summary"]["preemptions"]
