"""Every backend is a base URL while it serves; what is not known of it is said."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from roundtrip.engine import backends
from roundtrip.engine.backends import HttpBackend, LlamaCppBackend, NumpyBackend
from roundtrip.engine.client import Client
from roundtrip.errors import ModelError, RoundtripError
from tests.engine.service import tiny
from tests.engine.tiny import tiny_gguf
from tests.engine.wire import scripted, whole

HELLO = [{"role": "user", "content": "Hello"}]


def test_numpy_serves_while_its_context_lasts() -> None:
    with NumpyBackend(tiny()).serving() as endpoint:
        assert (endpoint.model, endpoint.api_key, endpoint.missing) == ("tiny", None, {})
        assert endpoint.card is tiny().card
        assert endpoint.engine is tiny()
        with Client(endpoint.base_url) as client:
            assert client.chat(HELLO, model=endpoint.model, max_tokens=3).outcome == "complete"
            assert client.offset() is not None
    with Client(endpoint.base_url) as client:
        assert client.chat(HELLO).outcome == "unreachable", "nobody serves any more"


def test_numpy_loads_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tiny_gguf(tmp_path / "own.gguf", seed=9)
    with NumpyBackend(path=path, context=64).serving() as endpoint, Client(endpoint.base_url) as client:
        assert endpoint.model == "own"
        assert client.complete("Hi", ignore_eos=True).usage["total_tokens"] == 64  # type: ignore[index]


def test_an_address_is_asked_what_it_has() -> None:
    with scripted(whole({"data": [{"id": "first"}, {"id": "second"}]})) as server:
        with HttpBackend(server.url).serving() as endpoint:
            assert (endpoint.base_url, endpoint.model) == (server.url, "first")
            assert set(endpoint.missing) == {"card", "engine"}
            assert endpoint.engine is None
        assert server.requests[0].startswith(b"GET /v1/models ")
    with HttpBackend(server.url, "mine").serving() as endpoint:
        assert endpoint.model == "mine", "not asked: the server is gone"


@pytest.mark.parametrize("reply", [whole({"data": []}), whole({"error": {"message": "no key"}}, 401), whole(b"hello")])
def test_an_address_that_does_not_say_what_it_has(reply: Any) -> None:
    with (
        scripted(reply) as server,
        pytest.raises(RoundtripError, match="give one with --model"),
        HttpBackend(server.url).serving(),
    ):
        pass


def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "secret")
    with (
        scripted(whole({"data": [{"id": "m"}]})) as server,
        HttpBackend(server.url, None, "SOME_KEY").serving() as found,
    ):
        assert found.api_key == "secret"
        assert b"authorization: Bearer secret" in server.requests[0]
    monkeypatch.delenv("SOME_KEY")
    with (
        pytest.raises(RoundtripError, match="SOME_KEY is not set"),
        HttpBackend("http://x/v1", "m", "SOME_KEY").serving(),
    ):
        pass


class _Params:
    def __init__(self) -> None:
        self.model = types.SimpleNamespace(path="")
        self.cpuparams, self.cpuparams_batch = types.SimpleNamespace(), types.SimpleNamespace()


def _llama(monkeypatch: pytest.MonkeyPatch, server: Any) -> list[_Params]:
    """Put a stand-in for the package in its place; it notes what it is started with."""
    seen: list[_Params] = []

    def start(params: _Params) -> Any:
        seen.append(params)
        return server(params)

    module = types.SimpleNamespace(CommonParams=_Params, Server=start)
    monkeypatch.setitem(sys.modules, "xllamacpp", module)  # type: ignore[arg-type]
    return seen


def test_llamacpp_is_started_on_one_thread_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen = _llama(monkeypatch, lambda _: types.SimpleNamespace(listening_address="http://127.0.0.1:5"))
    path = tiny_gguf(tmp_path / "own.gguf")
    with LlamaCppBackend(path, context=128, slots=2).serving() as endpoint:
        assert (endpoint.base_url, endpoint.model) == ("http://127.0.0.1:5/v1", "own")
        assert set(endpoint.missing) == {"card", "engine"}
    (params,) = seen
    assert params.model.path == str(path)
    assert (params.hostnames, params.n_ctx, params.n_parallel) == (["127.0.0.1"], 256, 2)  # type: ignore[attr-defined]
    assert params.cpuparams.n_threads == params.cpuparams_batch.n_threads == 1


def test_llamacpp_that_cannot_read_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def refuse(_: Any) -> None:
        raise RuntimeError("unknown model architecture")

    _llama(monkeypatch, refuse)
    path = tiny_gguf(tmp_path / "own.gguf")
    with pytest.raises(ModelError, match=r"llama\.cpp says unknown model"), LlamaCppBackend(path).serving():
        pass


def test_llamacpp_that_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)  # type: ignore[arg-type]
    with (
        pytest.raises(RoundtripError, match=r"pip install 'prompt-roundtrip\[llamacpp\]'"),
        LlamaCppBackend().serving(),
    ):
        pass


def test_llamacpp_itself(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    from tests.engine.judging import weights_path

    with LlamaCppBackend(weights_path(), context=512).serving() as endpoint, Client(endpoint.base_url) as client:
        for _ in range(2):  # its server closes the connection after a stream
            record = client.chat(HELLO, model=endpoint.model, max_tokens=4, temperature=0)
            assert record.outcome == "complete"
            assert record.completion_tokens == 4
            assert record.timings is not None


def test_the_names_of_the_backends() -> None:
    made = [NumpyBackend(), LlamaCppBackend(), HttpBackend("http://localhost/v1")]
    assert tuple(backend.name for backend in made) == backends.NAMES
