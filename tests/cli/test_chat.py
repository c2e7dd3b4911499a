"""``roundtrip chat``: turns, what the cache saves, and how it ends."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from roundtrip.cli import chat as verb
from roundtrip.engine.backends import NumpyBackend
from tests.cli.run import Ran, apart, here
from tests.engine.service import tiny


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run the verb with the tiny model on what is typed."""

    def run(typed: bytes, *options: str) -> Ran:
        monkeypatch.setattr(verb, "choose", lambda *_: NumpyBackend(engine=tiny()))
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)))
        return here(capsys, "chat", *options)

    return run


def _turns(ran: Ran) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ran.out.splitlines()]


def test_each_turn_reads_only_what_is_new(say: Callable[..., Ran]) -> None:
    ran = say(b"Hello\n\nAnd again\n", "--json", "--max-tokens", "4")
    assert ran.code == 0
    first, second = _turns(ran)
    assert first["role"] == "assistant"
    assert first["cached_tokens"] == 0
    assert second["prompt_tokens"] > first["prompt_tokens"]
    assert second["cached_tokens"] >= first["prompt_tokens"] - 1
    assert first["completion_tokens"] <= 4
    assert 0.0 < first["time_to_first_token_s"] <= first["time_to_last_token_s"]


def test_the_wait_stands_under_each_answer(say: Callable[..., Ran]) -> None:
    ran = say(b"Hello\nYou\n", "--max-tokens", "3")
    below = [line for line in ran.out.splitlines() if line.startswith("[first token")]
    assert len(below) == 2
    assert "of them cached" in below[1]
    assert "often wrong" in ran.out


def test_the_same_seed_says_the_same(say: Callable[..., Ran]) -> None:
    options = ("--json", "--max-tokens", "8", "--temperature", "1", "--seed", "5")
    one, two = (_turns(say(b"Hello\n", *options))[0]["content"] for _ in range(2))
    assert one == two


def test_a_system_line_is_told_first(say: Callable[..., Ran]) -> None:
    plain, told = (
        _turns(say(b"Hello\n", "--json", "--max-tokens", "2", *more))[0]["prompt_tokens"]
        for more in ((), ("--system", "Say little, and say it well, whatever they ask"))
    )
    assert told > plain


def test_ctrl_c_stops_an_answer_and_keeps_the_chat(say: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []

    def printer() -> Callable[[str], None]:
        def write(text: str) -> None:
            heard.append(text)
            if len(heard) == 2:
                raise KeyboardInterrupt

        return write

    monkeypatch.setattr(verb, "printer", printer)
    ran = say(b"Hello\nAgain\n", "--max-tokens", "6")
    assert ran.code == 0
    lines = [line for line in ran.out.splitlines() if line.startswith("[")]
    assert "stopped" in lines[0]
    assert "stopped" not in lines[1]
    assert "tokens/s" in lines[1] or "tokens;" in lines[1]


def test_the_oldest_turns_are_forgotten_where_the_context_ends(say: Callable[..., Ran]) -> None:
    long = b"the capital of France is what and what and what is the answer " * 2 + b"\n"
    turns = _turns(say(long * 4, "--json", "--max-tokens", "8"))
    assert len(turns) == 4
    assert all(turn["outcome"] == "complete" for turn in turns)
    assert turns[0]["forgotten_messages"] == 0
    assert any(turn["forgotten_messages"] for turn in turns)


def test_a_turn_that_cannot_fit_is_said_and_the_chat_goes_on(say: Callable[..., Ran]) -> None:
    ran = say(b"x" * 2_000 + b"\nHello\n", "--json", "--max-tokens", "2")
    turns = _turns(ran)
    assert ran.code == 1
    assert turns[0]["outcome"] == "refused"
    assert "context" in turns[0]["error"]
    assert turns[1]["outcome"] == "complete"


def test_no_input_no_turn(say: Callable[..., Ran]) -> None:
    assert say(b"", "--json").out == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--backend", "http"], "expected --base-url"),
        (["--api-key-env", "KEY"], "goes with --base-url"),
        (["--model", ""], "no such file"),
        (["--model", "no/such.gguf"], "no such file"),
        (["--base-url", "ftp://x"], "expected http://"),
        (["--base-url", "http://127.0.0.1:9/v1", "--api-key-env", "NO_SUCH_KEY_HERE"], "is not set"),
        (["--temperature", "-1"], "temperature"),
        (["--temperature", "nan"], "temperature"),
        ([], "no language model"),
    ],
)
def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    assert says in here(capsys, "chat", *arguments).line


def test_bytes_that_are_no_text_are_one_line(say: Callable[..., Ran]) -> None:
    assert "not valid UTF-8" in say(b"\xff\xfe\n", "--json").line


def test_a_chat_without_a_model_in_a_process_of_its_own() -> None:
    assert "roundtrip model fetch" in apart("chat", stdin=b"Hi\n", ROUNDTRIP_MODEL="", XDG_CACHE_HOME="/nowhere").line
