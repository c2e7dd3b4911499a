"""Frames, chunks and events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import http

line = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=40)


@given(st.lists(st.lists(line, min_size=1, max_size=3), max_size=5), st.data())
def test_events_survive_any_cut_of_the_stream(texts: list[list[str]], data: st.DataObject) -> None:
    events = ["\n".join(lines) for lines in texts]
    wire = b"".join(http.encode_event(text) for text in events)
    cut = data.draw(st.integers(0, len(wire)))
    first, rest = http.decode_events(wire[:cut])
    second, left = http.decode_events(rest + wire[cut:])
    assert [text for _, text in first + second] == events
    assert left == b""


def test_comments_kinds_and_line_ends_whatwg_9_2_6() -> None:
    wire = b": keep-alive\n\nevent: delta\r\ndata:one\r\ndata: two\r\n\r\ndata\n\nid: 7\n\n"
    assert http.decode_events(wire)[0] == [("delta", "one\ntwo"), ("message", "")]


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=6))
def test_chunks_return(bodies: list[bytes]) -> None:
    wire = b"".join(map(http.encode_chunk, bodies)) + http.encode_chunk(b"")
    assert http.decode_chunks(wire) == ([*bodies, b""], b"")


def test_a_chunk_that_lies_about_its_length() -> None:
    with pytest.raises(ValueError, match="does not end"):
        http.decode_chunks(b"3\r\nabcd\r\n")


@given(st.binary(max_size=2_000))
def test_a_data_frame_is_as_long_as_the_formula_says(body: bytes) -> None:
    frame = http.data_frame(1, body, last=True)
    assert len(frame) == http.framed_size_B(float(len(body)))
    assert int.from_bytes(frame[:3], "big") == len(body)
    assert frame[3:5] == b"\x00\x01"


def test_the_envelope_outweighs_the_token() -> None:
    assert http.event_size_B(192.0, 4.5) == 205.5
    assert http.framing_time_s(8e9, 0.0, 8e9) == 1.0
