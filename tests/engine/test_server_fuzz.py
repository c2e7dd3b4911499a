"""Whatever is sent, the answer is an answer or an error in the one form, and the server goes on."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.service import Service, serving

FIELDS = (
    "messages",
    "prompt",
    "model",
    "max_tokens",
    "max_completion_tokens",
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "stop",
    "stream",
    "stream_options",
    "logprobs",
    "top_logprobs",
    "n",
    "spans",
    "timings_per_token",
    "cache_prompt",
    "user",
    "tools",
    "response_format",
    "logit_bias",
    "presence_penalty",
    "echo",
    "best_of",
    "suffix",
)
NAMES = ("role", "content", "type", "text", "include_usage", "name")
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 30),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.sampled_from(("tiny", "user", "system", "Hello", "<|im_end|>", "\ud800")),
)


def _nested(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)


ANY = st.recursive(PLAIN, _nested, max_leaves=8)
MESSAGE = st.fixed_dictionaries({"role": st.sampled_from(("system", "user", "assistant", "tool")), "content": ANY})
BODY = st.dictionaries(st.sampled_from(FIELDS), ANY, max_size=5)
GOOD = st.fixed_dictionaries({"messages": st.lists(MESSAGE, min_size=1, max_size=3), "prompt": PLAIN,
                              "max_tokens": st.integers(0, 4)})  # fmt: skip


@pytest.fixture(scope="module")
def service():
    with serving() as running:
        yield running
        assert running.free_pages() == running.scheduler.pool.pages
        assert running.scheduler.metrics.failed.count("error") == 0


def sound(status: int, headers: dict[str, str], data: bytes) -> None:
    """Hold a reply to the two forms that there are."""
    assert status in (200, 400, 404), data[:300]
    if status != 200:
        error = json.loads(data)["error"]
        assert sorted(error) == ["code", "message", "param", "type"]
        assert 0 < len(error["message"]) <= 600
    elif headers["content-type"] == "text/event-stream":
        assert data.endswith(b"data: [DONE]\n\n")
    else:
        assert json.loads(data)["usage"]["completion_tokens"] >= 1


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/completions"])
@settings(max_examples=150)
@given(good=GOOD, body=BODY)
def test_any_fields(service: Service, path: str, good: dict[str, Any], body: dict[str, Any]) -> None:
    asked = {**good, **body}
    if asked.get("max_tokens") is None and asked.get("max_completion_tokens") is None:
        asked["max_tokens"] = 3
    reply = service.ask("POST", path, asked)
    sound(reply.status, reply.headers, reply.data)


@settings(max_examples=60)
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_as_a_body(service: Service, data: bytes) -> None:
    for path in ("/v1/chat/completions", "/v1/completions", "/tokenize", "/detokenize"):
        assert service.ask("POST", path, data).status == 400


@settings(max_examples=60)
@given(
    body=ANY,
    path=st.sampled_from(("/tokenize", "/detokenize")),
    key=st.sampled_from(("prompt", "content", "tokens", "messages")),
)
def test_anything_to_tokenize(service: Service, path: str, key: str, body: Any) -> None:
    reply = service.ask("POST", path, {key: body})
    assert reply.status in (200, 400), reply.data[:300]


@settings(max_examples=60)
@given(data=st.binary(min_size=1, max_size=400), end=st.sampled_from((b"", b"\r\n\r\n")))
def test_any_bytes_on_the_wire(service: Service, data: bytes, end: bytes) -> None:
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as sock:
        sock.sendall(data + end)
        sock.shutdown(socket.SHUT_WR)
        got = b""
        while more := sock.recv(65_536):
            got += more
    assert got == b"" or got.startswith(b"HTTP/1.1 ")
    assert service.ask("GET", "/health").status == 200
