"""Reading beside the stream."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.eye import reading

time = st.floats(0.0, 100.0)


@given(time, st.floats(1.0, 1e4), st.floats(1.0, 10.0), time, st.floats(0.0, 1.0))
def test_the_end_is_never_before_reader_or_stream(
    start: float, words: float, rate: float, last: float, lag: float
) -> None:
    end = reading.end_s(start, words, rate, last, lag)
    assert end >= start + words / rate
    assert end >= last + lag
    assert np.isclose(end, start + words / rate) or np.isclose(end, last + lag)


def test_a_word_takes_252_ms_brysbaert_2019() -> None:
    assert reading.duration_s(1.0, 238.0 / 60.0) == pytest.approx(0.252, rel=1e-3)


def test_fixations_and_saccades_explain_the_rate_rayner_1998() -> None:
    assert 60.0 * reading.fixation_rate_1_s(0.225, 0.0275, 1.0) == pytest.approx(238.0, rel=0.02)


@given(st.floats(1.0, 1e6), st.floats(0.5, 2.0))
def test_fixations_are_whole_and_at_least_one(words: float, each: float) -> None:
    count = reading.fixation_count(words, each)
    assert count == np.floor(count) >= 1.0
    assert count * each >= words * (1.0 - 1e-12)


def test_a_stream_of_20_tokens_a_second_outruns_a_reader() -> None:
    words = reading.word_count(500.0, 0.75)
    assert words == 375.0
    assert reading.duration_s(words, 3.97) > 500.0 / 20.0
