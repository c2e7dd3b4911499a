"""``roundtrip serve``: started as a user would, stopped as a system would, and bad input in one line."""

from __future__ import annotations

import os
import signal
import socket
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.cli.run import apart, here
from tests.engine.abuse import started
from tests.engine.tiny import tiny_gguf


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_gguf(tmp_path_factory.mktemp("serve") / "tiny.gguf")


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_it_starts_answers_and_stops(model: Path, sign: int) -> None:
    with started(model, "--context", "64") as running:
        assert running.model == "tiny"
        status, body = running.post("/v1/completions", {"prompt": "Hi", "ignore_eos": True})
        assert (status, body["usage"]["total_tokens"]) == (200, 64)
        os.kill(running.process.pid, sign)
        assert running.process.wait(30) == 0
        assert running.process.stderr is not None
        assert running.process.stderr.read() == ""


def test_it_is_reached_from_this_machine_only(model: Path) -> None:
    with started(model) as running:
        assert running.base_url.startswith("http://127.0.0.1:")
        connection = HTTPConnection("127.0.0.1", running.port, timeout=30)
        connection.request("GET", "/v1/models", headers={"host": "elsewhere.example"})
        assert connection.getresponse().status == 421
        connection.close()


def test_a_port_that_is_taken(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        line = here(capsys, "serve", "--model", str(model), "--port", str(port)).line
    assert line == f"roundtrip: port {port} is taken; --port 0 takes any that is free"


@pytest.mark.parametrize(("arguments", "said"), [
    (("--port", "70000"), "70000"),
    (("--queue", "0"), "0"),
    (("--host", "no such host"), "--host 'no such host'"),
    (("--host", "192.0.2.1"), "192.0.2.1"),
    (("--api-key-env", "ROUNDTRIP_NO_SUCH_KEY"), "ROUNDTRIP_NO_SUCH_KEY is not set"),
    (("--model", "nowhere.gguf"), "nowhere.gguf: no such file"),
    (("--timeout", "0"), "0"),
    (("--timeout", "nan"), "expected seconds"),
    (("--pages", "many"), "many"),
])  # fmt: skip
def test_bad_input_is_one_line(
    model: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, str], said: str
) -> None:
    given = ("--model", str(model), "--port", "0", *arguments)
    assert said in here(capsys, "serve", *given).line


def test_a_context_that_the_model_has_not(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "1 to 256" in here(capsys, "serve", "--model", str(model), "--port", "0", "--context", "257").line


def test_without_a_model() -> None:
    assert "ROUNDTRIP_MODEL is 'none'" in apart("serve", "--port", "0", ROUNDTRIP_MODEL="none").line
