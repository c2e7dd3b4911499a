"""The server of the tests: the tiny model behind the real server, and what is asked of it without the client."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from roundtrip.engine.backends import running
from roundtrip.engine.client import Client
from roundtrip.engine.engine import Engine, load
from roundtrip.engine.generate import generate
from roundtrip.engine.sampling import GREEDY, Sampling
from roundtrip.engine.scheduler import Limits, Scheduler
from roundtrip.engine.server import Settings, model_name
from tests.engine.tiny import tiny_gguf


@cache
def tiny() -> Engine:
    """Return the tiny model, loaded once."""
    with tempfile.TemporaryDirectory(prefix="roundtrip-test-") as folder:
        return load(tiny_gguf(Path(folder) / "tiny.gguf"))


@dataclass
class Service:
    """A server that runs."""

    base_url: str
    scheduler: Scheduler
    model: str

    @property
    def port(self) -> int:
        return int(self.base_url.rsplit(":", 1)[1].split("/")[0])

    def client(self, **settings: Any) -> Client:
        return Client(self.base_url, **{"timeout_s": 60.0, **settings})

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Reply:
        """Send what the client would not: `body` is JSON, or bytes as they are."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            connection.request(method, path, data, {"content-type": "application/json", **(headers or {})})
            response = connection.getresponse()
            return Reply(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
        finally:
            connection.close()

    def chat(self, content: Any = "Hello", **fields: Any) -> Reply:
        return self.ask("POST", "/v1/chat/completions", {"messages": [{"role": "user", "content": content}], **fields})

    def complete(self, prompt: Any = "Hello", **fields: Any) -> Reply:
        return self.ask("POST", "/v1/completions", {"prompt": prompt, **fields})

    def free_pages(self) -> int:
        """Return the pages that nobody holds, once all that is only kept has been given up."""
        self.scheduler.forget()
        return self.scheduler.pool.free


@dataclass
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    data: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.data)

    @property
    def events(self) -> list[Any]:
        lines = self.data.decode().split("\n\n")
        found = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        assert found[-1] == "[DONE]"
        return [json.loads(line) for line in found[:-1]]

    @property
    def error(self) -> dict[str, Any]:
        """The error of a refusal, in the one form that all of them have."""
        assert self.status >= 400, self.data
        assert self.headers["content-type"] == "application/json"
        assert list(self.json) == ["error"]
        error = self.json["error"]
        assert sorted(error) == ["code", "message", "param", "type"]
        assert "\n" not in error["message"]
        assert "Traceback" not in error["message"]
        return error


@contextlib.contextmanager
def serving(engine: Engine | None = None, limits: Limits | None = None, **settings: Any) -> Iterator[Service]:
    """Serve the tiny model, or another."""
    engine = engine or tiny()
    chosen = Settings(limits=limits or Limits(), **settings)
    with running(engine, chosen) as (base_url, scheduler):
        yield Service(base_url, scheduler, model_name(engine))


def alone(engine: Engine, ids: list[int], most: int, sampling: Sampling = GREEDY) -> list[int]:
    """Return what the plain loop makes of a prompt, without the token that ends it."""
    made = [token.id for token in generate(engine, ids, sampling, most)]
    return made[:-1] if made and made[-1] in engine.ends() else made


def close_call(engine: Engine, ids: list[int], made: list[int], place: int) -> float:
    """Return how far apart the two best scores are for the token at `place` of an answer."""
    with engine.model.cache() as held:
        logits = engine.model.forward([(held, [*ids, *made[:place]])]).logits[0]
    first, second = sorted(logits.tolist())[-2:][::-1]
    return first - second


def ties(engine: Engine, ids: list[int], expected: list[int], found: list[int]) -> float | None:
    """Return None where two answers are equal, else how close the call was where they part."""
    if expected == found:
        return None
    place = next(
        (i for i, (a, b) in enumerate(zip(expected, found, strict=False)) if a != b), min(len(expected), len(found))
    )
    return close_call(engine, ids, expected, place)
