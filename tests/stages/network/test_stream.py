"""Token after token."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import stream


@given(st.binary(max_size=300), st.sampled_from([b"", b"\x01\x02\x03\x04"]))
def test_a_frame_returns_and_is_as_long_as_the_formula_says(payload: bytes, mask: bytes) -> None:
    frame = stream.encode_frame(payload, mask=mask)
    assert len(frame) == stream.frame_size_B(float(len(payload)), float(len(mask)))
    assert stream.decode_frame(frame + b"rest") == (1, payload, b"rest")


def test_long_frames_and_bytes_of_rfc_6455_section_5_7() -> None:
    assert stream.encode_frame(b"Hello").hex() == "810548656c6c6f"
    assert stream.encode_frame(b"Hello", mask=bytes.fromhex("37fa213d")).hex() == "818537fa213d7f9f4d5158"
    long = stream.encode_frame(bytes(70_000))
    assert len(long) == stream.frame_size_B(70_000.0)
    assert stream.decode_frame(long)[1] == bytes(70_000)


def test_every_cut_frame_is_refused() -> None:
    frame = stream.encode_frame(b"x" * 130, mask=b"abcd")
    for length in range(len(frame)):
        with pytest.raises(ValueError, match="cut off"):
            stream.decode_frame(frame[:length])


@given(st.floats(0, 1e5), st.floats(1e-4, 1.0))
def test_twice_the_tokens_take_twice_as_long(tokens: float, pace_s: float) -> None:
    assert np.isclose(stream.streaming_time_s(2.0 * tokens, pace_s), 2.0 * stream.streaming_time_s(tokens, pace_s))


def test_a_tandem_is_as_fast_as_its_slowest_server_by_simulation() -> None:
    """Departures of a two-stage pipeline settle on the slower stage (Kleinrock)."""
    for make_s, send_s in ((0.02, 0.001), (0.001, 0.02)):
        made = sent = 0.0
        ends = []
        for _ in range(200):
            made += make_s
            sent = max(made, sent) + send_s
            ends.append(sent)
        assert np.diff(ends)[-1] == pytest.approx(stream.pipeline_interval_s(make_s, send_s))


def test_a_stream_needs_hardly_any_line() -> None:
    assert stream.stream_rate_bit_s(320.0, 0.02) == pytest.approx(128e3)
