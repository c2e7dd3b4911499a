"""The request in bytes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.catalog.load import entry
from roundtrip.stages.computer import request

plain = st.text(st.characters(codec="utf-8", exclude_characters='"\\', exclude_categories=("Cc", "Cs")), max_size=200)


@given(plain)
def test_closed_form_equals_the_bytes(prompt: str) -> None:
    header_B = len(request.encode("")) - len(request.body(""))
    size_B = request.body_size_B(float(len(prompt.encode())), 1.0, float(len(request.body(""))), 0.0)
    assert size_B == len(request.body(prompt))
    whole_B = request.request_size_B(float(len(prompt.encode())), 1.0, float(len(request.body(""))), 0.0, header_B, 0.0)
    assert whole_B == len(request.encode(prompt))


def test_the_catalog_counts_what_the_codec_writes() -> None:
    host = entry("hosts", "laptop")
    assert host.figure("envelope_B").value == len(request.body(""))
    assert host.figure("header_B").value == len(request.encode("")) - len(request.body(""))


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=200))
def test_any_prompt_is_read_back(prompt: str) -> None:
    headers, body = request.decode(request.encode(prompt, cookie="session=1"))
    assert body["messages"][-1] == {"role": "user", "content": prompt}
    assert body["stream"] is True
    assert headers["Cookie"] == "session=1"


def test_escapes_make_a_prompt_longer() -> None:
    prompt = 'say "no"\n'
    assert len(request.body(prompt)) == len(request.body("")) + len(prompt) + 3


def test_earlier_turns_are_sent_again() -> None:
    history = [{"role": "user", "content": "a" * 100}, {"role": "assistant", "content": "b" * 400}]
    added_B = sum(len(json.dumps(turn, separators=(",", ":"))) + 1 for turn in history)
    assert len(request.body("c", history=history)) == len(request.body("c")) + added_B


def test_a_wrong_length_is_refused() -> None:
    with pytest.raises(ValueError, match="Content-Length"):
        request.decode(request.encode("hello") + b" ")


def test_a_longer_request_takes_longer() -> None:
    assert request.build_time_s(2e3, 2e8, 1e-3) == pytest.approx(1.01e-3)
