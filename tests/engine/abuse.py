"""Many clients at once, of which a third hang up, among others that send rubbish: run by `test_abuse`.

The server is a process of its own, started as a user would; what it holds of memory is read from the system. Solo
answers come from the same server, one at a time and without reuse, with the two best scores of each token: where an
answer in company parts from the solo one, the difference of the two best says whether it was a tie.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from roundtrip.engine.client import Client
from roundtrip.engine.exchange import Exchange, Token

TIE = 1e-3
HANG_UP_EVERY = 3
DROPPED_S = 20.0

RUBBISH: list[tuple[Any, int, str]] = [
    (b"{", 400, "invalid_json"),
    (b"[" * 200_000, 400, "invalid_json"),
    (b"\x00\xff\xfe", 400, "invalid_json"),
    ({"messages": "Hi"}, 400, "invalid_type"),
    ({"messages": [{"role": "user", "content": 7}]}, 400, "invalid_type"),
    ({"messages": [{"role": "user", "content": "Hi"}], "temperature": "hot"}, 400, "invalid_type"),
    ({"messages": [{"role": "user", "content": "Hi"}], "model": "gpt-5"}, 404, "model_not_found"),
    ({"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 0}, 400, "invalid_value"),
    ({"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 10**9}, 400, "context_length_exceeded"),
    ({"messages": [{"role": "user", "content": "Hi"}], "n": 2}, 400, "unsupported_value"),
    ({"messages": [{"role": "user", "content": "word " * 20_000}]}, 400, "context_length_exceeded"),
    ({"messages": [{"role": "user", "content": "x" * 20_000_000}]}, 413, "body_too_large"),
]


@dataclass
class Running:
    """A server in a process of its own."""

    process: subprocess.Popen[str]
    base_url: str
    model: str

    @property
    def port(self) -> int:
        return int(self.base_url.rsplit(":", 1)[1].split("/")[0])

    def resident_MB(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            connection.request("POST", path, data, {"content-type": "application/json"})
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def free_pages(self) -> int:
        """Return the pages that nobody holds, once who hung up has been dropped and what is only kept given up."""
        end = time.monotonic() + DROPPED_S
        while time.monotonic() < end and self.get("/health")["pages_used"]:
            time.sleep(0.05)  # a step of the model may be under way
        return self.post("/reset_prefix_cache", {})[1]["pages_free"]

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.base_url.removesuffix("/v1") + path, timeout=60) as reply:
            return json.load(reply)


@contextlib.contextmanager
def started(model: Path, *options: str) -> Iterator[Running]:
    """Start ``roundtrip serve`` and wait for its address."""
    command = [
        sys.executable,
        "-c",
        "from roundtrip.cli.main import run; run()",
        "serve",
        "--model",
        str(model),
        "--port",
        "0",
    ]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=environment)  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = process.stdout.readline()
        assert " answers at http" in line, process.stderr.read()
        yield Running(process, line.split(" answers at ")[1].split()[0], line.split(" answers at ")[0])
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(30)
        process.stdout.close()
        process.stderr.close()


@dataclass
class Found:
    """What three rounds left.

    Attributes
    ----------
    parted : list of str
        Every answer that was not the solo one, with how close the call was.
    not_ties : list of str
        Those where it was not close.
    """

    free: list[int] = field(default_factory=list)
    resident_MB: list[float] = field(default_factory=list)
    survivors: int = 0
    hung_up: int = 0
    parted: list[str] = field(default_factory=list)
    not_ties: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


class _HangUp(Exception):  # noqa: N818
    pass


def questions(count: int) -> list[str]:
    """Return prompts of different lengths, some of which begin alike."""
    things = ("France", "Italy", "a carrot", "the sea", "iron", "a poem", "the moon", "rain", "seven", "a clock")
    forms = (
        "What is the capital of {}?",
        "Tell me about {}.",
        "Why is {} there, and who says so?",
        "{}",
        "Write one line: {} and {}",
    )
    return [f"{i}. {forms[i % len(forms)]}".replace("{}", things[i * 7 % len(things)]) for i in range(count)]


def ask(running: Running, question: str, most: int, hang_up_after: int = 0, **fields: Any) -> Exchange | None:
    """Ask one question; None if the client hung up."""
    heard = 0

    def hear(_: Token) -> None:
        nonlocal heard
        heard += 1
        if hang_up_after and heard >= hang_up_after:
            raise _HangUp

    with Client(running.base_url, timeout_s=600) as client:
        try:
            return client.chat([{"role": "user", "content": question}], on_token=hear, max_tokens=most, temperature=0,
                               logprobs=True, top_logprobs=2, **fields)  # fmt: skip
        except _HangUp:
            return None


def _parts(solo: Exchange, found: Exchange) -> tuple[int, float] | None:
    """Return where two answers part and how close the call was there; None where they are equal."""
    for place, (a, b) in enumerate(zip(solo.logprobs, found.logprobs, strict=False)):
        if a["bytes"] != b["bytes"]:
            first, second = (entry["logprob"] for entry in a["top_logprobs"])
            return place, first - second
    if solo.completion_tokens != found.completion_tokens:
        return min(len(solo.logprobs), len(found.logprobs)), float("inf")
    return None


def abused(running: Running, clients: int, rounds: int, most: int) -> Found:
    """Run the rounds."""
    found = Found()
    asked = questions(clients)
    solo = [ask(running, question, most, cache_prompt=False) for question in asked]
    found.free.append(running.free_pages())
    for number in range(rounds):
        answers: list[Exchange | None] = [None] * clients
        barrier = threading.Barrier(clients)

        def one(place: int, answers: list[Exchange | None] = answers, barrier: threading.Barrier = barrier) -> None:
            leaves = place % HANG_UP_EVERY == 0
            barrier.wait()
            answers[place] = ask(running, asked[place], most, 1 + place % (most // 2) if leaves else 0)

        threads = [threading.Thread(target=one, args=(place,)) for place in range(clients)]
        lorises = [socket.create_connection(("127.0.0.1", running.port), timeout=60) for _ in range(5)]
        for thread in threads:
            thread.start()
        for loris in lorises:
            loris.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nhost: loc")
        _rubbish(running, found)
        for thread in threads:
            thread.join(600)
        for place, answer in enumerate(answers):
            if place % HANG_UP_EVERY == 0:
                found.hung_up += answer is None
                continue
            if answer is None or answer.outcome != "complete":
                said = f"{answer.outcome}: {answer.error}" if answer else "nothing"
                found.problems.append(f"round {number}, client {place}: {said}")
                continue
            found.survivors += 1
            reference = solo[place]
            assert reference is not None
            parting = _parts(reference, answer)
            if parting is not None:
                line = f"round {number}, client {place}: token {parting[0]}, {parting[1]:.6f} apart"
                found.parted.append(line)
                if not parting[1] < TIE:
                    found.not_ties.append(line)
            elif reference.text != answer.text:
                found.problems.append(f"round {number}, client {place}: the same tokens, another text")
        for loris in lorises:
            loris.close()
        found.free.append(running.free_pages())
        found.resident_MB.append(running.resident_MB())
    return found


def _rubbish(running: Running, found: Found) -> None:
    for body, status, code in RUBBISH:
        got, reply = running.post("/v1/chat/completions", body)
        error = reply.get("error", {})
        if (got, error.get("code")) != (status, code):
            shown = str(body)[:60]
            found.problems.append(f"{shown}: {got} {error}")


def drained(running: Running, most: int) -> tuple[Exchange | None, int, str, int]:
    """Send SIGTERM while an answer is made: the answer, what a newcomer got (status, code), and the exit code."""
    began = threading.Event()
    answers: list[Exchange] = []

    def one() -> None:
        with Client(running.base_url, timeout_s=600) as client:
            answers.append(client.chat([{"role": "user", "content": "Count to ten."}], on_token=lambda _: began.set(),
                                       max_tokens=most, ignore_eos=True))  # fmt: skip

    thread = threading.Thread(target=one)
    thread.start()
    assert began.wait(60)
    os.kill(running.process.pid, signal.SIGTERM)
    status, code = 0, ""
    while not status or status == 200:  # until the signal has been taken
        status, reply = running.post("/v1/completions", {"prompt": "Hi", "max_tokens": 1})
        code = reply.get("error", {}).get("code", "")
    thread.join(600)
    return (answers[0] if answers else None), status, code, running.process.wait(60)
