"""The real answer below a trip, the recorded trip, and the look inside, from the command line."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from roundtrip.engine import calibrate
from tests.cli.run import Ran, apart, here
from tests.engine.test_calibrate import calibrate_fake
from tests.engine.tiny import tiny_gguf

PROMPT = "The capital of France is"


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tiny_gguf(tmp_path_factory.mktemp("weights") / "tiny.gguf"))


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(calibrate, "calibrate", calibrate_fake)


def _trip(capsys: pytest.CaptureFixture[str], *more: str) -> Ran:
    return here(capsys, "trip", PROMPT, "--samples", "0", "--max-tokens", "5", *more)


def test_the_answer_stands_below_the_forecast(capsys: pytest.CaptureFixture[str], weights: str) -> None:
    ran = _trip(capsys, "--brief", "--model", weights)
    assert ran.code == 0
    assert "The answer, for real" in ran.out
    assert "recorded   forecast" in ran.out
    assert ran.out.index("whole answer") < ran.out.index("The answer, for real")
    assert "The answer, for real" not in _trip(capsys, "--brief", "--model", weights, "--no-answer").out


def test_without_weights_one_line_says_how_to_get_them(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROUNDTRIP_MODEL", "")
    monkeypatch.setattr("roundtrip.engine.weights._in_package", lambda: None)
    ran = _trip(capsys, "--brief")
    assert ran.code == 0
    last = ran.out.rstrip().splitlines()[-1]
    assert last.startswith("No real answer: no language model on this machine; 'roundtrip model fetch'")
    body = json.loads(_trip(capsys, "--json").out)
    assert body["answer"] is None
    assert body["answered"] is None
    assert "roundtrip model fetch" in body["not_answered"]


def test_the_answer_as_json(capsys: pytest.CaptureFixture[str], weights: str) -> None:
    body = json.loads(_trip(capsys, "--json", "--model", weights).out)
    assert body["reading"] == "forecast"
    assert body["answer"] == body["answered"]["text"]
    assert body["answered"]["form"] == "text"
    assert body["answered"]["beside"][0]["id"] == "model.tokenizer"
    assert "answered" not in json.loads(_trip(capsys, "--json", "--no-answer").out)


def test_the_preset_here_is_this_computer_as_it_was_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def step_s(*more: str) -> float:
        ran = here(capsys, "trip", "--scenario", "here", "--samples", "0", "--json", "--no-answer", *more)
        body = json.loads(ran.out)
        return float(body["summary"]["time_per_output_token_s"])

    guessed = step_s()
    monkeypatch.setenv("ROUNDTRIP_MODEL", "")
    assert step_s() == pytest.approx(134_515_008 * 4 / 3e10, rel=0.15)
    assert step_s("--set", "model.accelerator.bandwidth_B_s=6e9") > 2.0 * step_s()
    assert step_s() != guessed


def test_tokens_are_printed_as_they_come(capsys: pytest.CaptureFixture[str], weights: str) -> None:
    text = json.loads(_trip(capsys, "--json", "--model", weights).out)["answer"]
    heard = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    live = _trip(capsys, "--brief", "--live", "--model", weights).out.partition("The answer, for real")[0]
    quiet = _trip(capsys, "--brief", "--model", weights).out.partition("The answer, for real")[0]
    assert heard.strip()
    assert heard in live[len(quiet) - 2 :]


def test_a_record_is_printed_and_written(capsys: pytest.CaptureFixture[str], weights: str, tmp_path: Path) -> None:
    files = {name: tmp_path / f"a.{name}" for name in ("csv", "chrome", "otlp", "speedscope")}
    options = [part for name, path in files.items() for part in (f"--{name}", str(path))]
    plot = tmp_path / "a.svg"
    ran = _trip(capsys, "--record", "--model", weights, *options, "--plot", str(plot))
    assert ran.code == 0, ran.err
    assert "~: not recorded, stands in from the forecast" in ran.out
    assert "stages were recorded" in ran.out
    assert "decode.step_1" not in ran.out
    assert all("decode.step_1" in path.read_text() for path in (files["csv"], files["chrome"], files["otlp"]))
    assert plot.read_text().startswith("<svg")
    resources = json.loads(files["otlp"].read_text())["resourceSpans"]
    root = resources[0]["scopeSpans"][0]["spans"][0]
    assert abs(int(root["startTimeUnixNano"]) - time.time_ns()) < 600e9
    again = tmp_path / "again.otlp"
    assert _trip(capsys, "--record", "--model", weights, "--otlp", str(again)).code == 0
    other = json.loads(again.read_text())["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    assert other["traceId"] != root["traceId"]


def test_a_record_as_json(capsys: pytest.CaptureFixture[str], weights: str) -> None:
    body = json.loads(_trip(capsys, "--record", "--json", "--live", "--model", weights).out)
    assert body["reading"] == "record"
    assert body["schema"] == "roundtrip.trace/1"
    assert body["record"]["backend"] == "numpy"
    assert body["record"]["card"]["layers"] == 2
    assert body["forecast"]["summary"]["prefill_s"] > 0.0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--record", "--scenario", "phone"], "leave --scenario and --set out"),
        (["--record", "--set", "network.access=5g"], "leave --scenario and --set out"),
        (["--record"], "no language model"),
        (["--record", "--model", "/no/such.gguf"], "no such file"),
        (["--record", "--base-url", "http://127.0.0.1:9/v1", "--model", "m"], "no answer"),
        (["--record", "--backend", "http"], "expected --base-url"),
        (["--base-url", "http://127.0.0.1:9/v1"], "answers with --record"),
        (["--backend", "llamacpp"], "answers with --record"),
        (["--model", "/no/such.gguf"], "no such file"),
        (["--model", __file__], "not a GGUF file"),
        (["--tls"], "goes with --record"),
        (["--record", "--tls", "--base-url", "http://127.0.0.1:9/v1"], "own server"),
        (["--form", "song"], "song"),
        (["--max-tokens", "0"], "max-tokens"),
    ],
)
def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    assert says in here(capsys, "trip", PROMPT, *arguments).line


def test_a_prompt_too_long_for_the_model_still_has_its_forecast(
    capsys: pytest.CaptureFixture[str], weights: str
) -> None:
    ran = here(capsys, "trip", "word " * 900, "--samples", "0", "--brief", "--model", weights)
    assert ran.code == 0
    assert "No real answer: the prompt has" in ran.out


def test_inside_prints_its_six_parts_and_draws(
    capsys: pytest.CaptureFixture[str], weights: str, tmp_path: Path
) -> None:
    ran = here(
        capsys, "inside", PROMPT, "--model", weights, "--words", "Paris,Rome,carrot", "--plot", str(tmp_path / "p")
    )
    assert ran.code == 0
    for part in range(1, 7):
        assert f"\n{part}. " in ran.out
    assert "Cosine to Paris" in ran.out
    assert {p.name for p in (tmp_path / "p").iterdir()} == {"lens.svg", "attention.svg", "neighbors.svg", "states.svg"}
    body = json.loads(here(capsys, "inside", PROMPT, "--model", weights, "--json", "--chat").out)
    assert body["schema"] == "roundtrip.inside/1"
    assert body["tokens"][0]["text"] == "<|im_start|>"
    assert {size["model"] for size in body["cache_sizes"]} >= {"deepseek-v3"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([""], "the prompt is empty"),
        (["x", "--plot", "a.png"], "ends in .svg"),
        (["x", "--plot", "/dev/null"], "expected a folder"),
        (["x", "--words", "Paris"], "two words or more"),
        (["x", "--words", "Paris,,Rome"], "two words or more"),
        (["x", "--model", ""], "'': no such file"),
        (["x", "--best", "0"], "best"),
        (["x"], "no language model"),
    ],
)
def test_inside_refuses_in_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    assert says in here(capsys, "inside", *arguments).line


def test_help_and_version_load_no_engine() -> None:
    code = (
        "import sys; from roundtrip.cli.main import main; main(['trip', '--help']); main(['--help']); "
        "bad = [m for m in sys.modules if m.startswith(('roundtrip.engine', 'numpy', 'starlette'))]; "
        "assert not bad, bad"
    )
    import subprocess

    done = subprocess.run([__import__("sys").executable, "-c", code], capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    assert apart("--version").code == 0
