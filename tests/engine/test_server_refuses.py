"""What the server refuses, and how it says so: always one line in the form that OpenAI's clients know."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest

from roundtrip.engine.messages import NOT_DONE
from roundtrip.engine.scheduler import Limits
from tests.engine.service import Service, serving

MODEL = "tiny"


@pytest.fixture(scope="module")
def service():
    with serving() as running:
        yield running


WRONG: list[tuple[str, Any, str | None]] = [
    ("messages", None, "messages"),
    ("messages", [], "messages"),
    ("messages", "Hi", "messages"),
    ("messages", [7], "messages"),
    ("messages", [{"content": "Hi"}], "messages[0].role"),
    ("messages", [{"role": "king", "content": "Hi"}], "messages[0].role"),
    ("messages", [{"role": "user"}], "messages[0].content"),
    ("messages", [{"role": "user", "content": 7}], "messages[0].content"),
    ("messages", [{"role": "user", "content": [{"type": "image_url"}]}], "messages[0].content"),
    ("messages", [{"role": "user", "content": "a\ud800"}], "messages[0].content"),
    ("messages", [{"role": "user", "content": "Hi"}] * 1_025, "messages"),
    ("model", 7, "model"),
    ("max_tokens", 0, "max_tokens"),
    ("max_tokens", -5, "max_tokens"),
    ("max_tokens", 10**9, "max_tokens"),
    ("max_tokens", 10**300, "max_tokens"),
    ("max_tokens", 1.5, "max_tokens"),
    ("max_tokens", "many", "max_tokens"),
    ("max_tokens", True, "max_tokens"),
    ("max_completion_tokens", 0, "max_completion_tokens"),
    ("temperature", "hot", "temperature"),
    ("temperature", -0.1, "temperature"),
    ("temperature", 1e9, "temperature"),
    ("temperature", [], "temperature"),
    ("top_p", 0, "top_p"),
    ("top_p", 1.01, "top_p"),
    ("top_k", 1.5, "top_k"),
    ("top_k", -2, "top_k"),
    ("seed", 1.5, "seed"),
    ("seed", 2**70, "seed"),
    ("stop", 7, "stop"),
    ("stop", [7], "stop"),
    ("stop", "", "stop"),
    ("stop", ["a"] * 17, "stop"),
    ("stop", "a" * 2_000, "stop"),
    ("n", 2, "n"),
    ("n", 0, "n"),
    ("n", "1", "n"),
    ("stream", "yes", "stream"),
    ("stream", 1, "stream"),
    ("stream_options", 7, "stream_options"),
    ("logprobs", 5, "logprobs"),
    ("top_logprobs", 3, "top_logprobs"),
    ("top_logprobs", 99, "top_logprobs"),
    ("spans", "all", "spans"),
    ("tools", [{"type": "function"}], "tools"),
    ("response_format", {"type": "json_object"}, "response_format"),
    ("logit_bias", {"5": 1}, "logit_bias"),
    ("presence_penalty", 0.5, "presence_penalty"),
    ("best_of", 3, "best_of"),
]


@pytest.mark.parametrize(("name", "value", "param"), WRONG)
def test_a_wrong_field_is_named(service: Service, name: str, value: Any, param: str | None) -> None:
    body = {"messages": [{"role": "user", "content": "Hi"}], name: value}
    error = service.ask("POST", "/v1/chat/completions", body).error
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
    assert len(error["message"]) < 300
    assert service.ask("POST", "/v1/chat/completions", body).status == 400


@pytest.mark.parametrize("name", NOT_DONE)
def test_what_is_not_done_may_be_asked_for_with_its_empty_value(service: Service, name: str) -> None:
    for value in NOT_DONE[name]:
        assert service.chat(max_tokens=1, **{name: value}).status == 200


@pytest.mark.parametrize(
    "prompt", [None, 7, "", [], [[]], ["a", "b"], [[1], [2]], [1.5], [300], [-1], [True], [10, "a"], {}]
)
def test_a_prompt_that_is_none(service: Service, prompt: Any) -> None:
    assert service.complete(prompt).error["param"] == "prompt"


def test_a_prompt_is_needed(service: Service) -> None:
    assert service.ask("POST", "/v1/completions", {}).error["code"] == "missing_required_parameter"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"7",
        b"null",
        b"\xff\xfe",
        b'{"a": NaN}',
        b"[" * 100_000,
        b'{"a": ' * 50_000,
        b'{"max_tokens": ' + b"9" * 5_000 + b"}",
    ],
)
def test_a_body_that_is_no_request(service: Service, data: bytes) -> None:
    reply = service.ask("POST", "/v1/chat/completions", data)
    assert (reply.status, reply.error["code"]) == (400, "invalid_json")
    assert service.ask("POST", "/tokenize", data).status == 400


def test_an_unknown_model(service: Service) -> None:
    reply = service.chat(model="gpt-5")
    assert (reply.status, reply.error["code"], reply.error["param"]) == (404, "model_not_found", "model")
    assert service.chat(model=MODEL, max_tokens=1).status == 200


def test_a_prompt_over_the_context(service: Service) -> None:
    for prompt in ("word " * 300, "x" * 1_900_000, [10] * 256):
        reply = service.complete(prompt)
        assert (reply.status, reply.error["code"], reply.error["param"]) == (400, "context_length_exceeded", "prompt")
    assert service.chat("word " * 300).error["param"] == "messages"


def test_a_request_larger_than_the_whole_cache() -> None:
    with serving(limits=Limits(pages=4)) as small:
        reply = small.complete([10] * 60, max_tokens=100)
        assert (reply.status, reply.error["code"]) == (400, "context_length_exceeded")
        assert small.complete([10] * 60, ignore_eos=True).json["usage"]["completion_tokens"] == 4, "as many as fit"


def test_a_large_body(service: Service) -> None:
    large = json.dumps({"prompt": "x" * 20_000_000}).encode()
    reply = service.ask("POST", "/v1/completions", large)
    assert (reply.status, reply.error["code"]) == (413, "body_too_large")
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as sock:  # it says so, and sends nothing
        sock.sendall(
            b"POST /v1/completions HTTP/1.1\r\nhost: localhost\r\n"
            b"content-length: 20000000\r\nexpect: 100-continue\r\n\r\n"
        )
        assert sock.recv(65_536).startswith(b"HTTP/1.1 413 ")
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as sock:  # it does not say how large
        sock.sendall(b"POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n")
        for _ in range(40):
            sock.sendall(b"10000\r\n" + b"x" * 65_536 + b"\r\n")
        sock.sendall(b"0\r\n\r\n")
        assert sock.recv(65_536).startswith(b"HTTP/1.1 413 ")


def test_what_is_not_here(service: Service) -> None:
    assert service.ask("GET", "/v1/embeddings").status == 404
    assert service.ask("GET", "/v1/embeddings").error["code"] == "not_found"
    assert service.ask("GET", "/v1/chat/completions").status == 405
    assert service.ask("GET", "/v1/chat/completions").error["type"] == "invalid_request_error"


def test_pages_of_other_sites_and_other_names_get_nothing(service: Service) -> None:
    body = {"prompt": "Hi", "max_tokens": 1}
    assert service.ask("POST", "/v1/completions", body, {"origin": "https://elsewhere.example"}).status == 403
    assert service.ask("GET", "/v1/models", None, {"host": "elsewhere.example"}).status == 421
    own = {"origin": f"http://127.0.0.1:{service.port}"}
    reply = service.ask("POST", "/v1/completions", body, own)
    assert reply.status == 200
    assert not [name for name in reply.headers if name.startswith("access-control")]


def test_an_api_key() -> None:
    with serving(api_key="secret") as closed:
        for headers in (
            {},
            {"authorization": "Bearer wrong"},
            {"authorization": "secret"},
            {"authorization": "Bearer sécret"},
        ):
            sent = {name: value.encode("latin-1").decode("latin-1") for name, value in headers.items()}
            reply = closed.ask("POST", "/v1/completions", {"prompt": "Hi"}, sent)
            assert (reply.status, reply.error["code"]) == (401, "invalid_api_key")
            assert closed.ask("GET", "/metrics", None, sent).status == 401
        assert closed.ask("GET", "/health").status == 200
        with closed.client(api_key="secret") as client:
            assert client.complete("Hi", max_tokens=1).status == 200
