"""The frame clock."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.display import vsync

refresh = st.floats(24.0, 480.0)


@given(refresh)
def test_a_uniform_phase_waits_half_a_frame_kleinrock_section_5_2(refresh_rate_Hz: float) -> None:
    phases = (np.arange(1_000) + 0.5) / 1_000
    assert np.isclose(np.mean(vsync.wait_s(phases, 0.0, refresh_rate_Hz)), 0.5 / refresh_rate_Hz)


@given(refresh, st.floats(0.0, 1.0), st.integers(0, 4))
def test_each_queued_frame_costs_one_interval(refresh_rate_Hz: float, phase: float, queued: int) -> None:
    more = vsync.wait_s(phase, queued + 1.0, refresh_rate_Hz) - vsync.wait_s(phase, float(queued), refresh_rate_Hz)
    assert np.isclose(more, vsync.frame_interval_s(refresh_rate_Hz))


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_the_scan_goes_down(low: float, high: float) -> None:
    above, below = sorted((low, high))
    assert vsync.scan_out_s(above, 2160.0, 60.0, 460e-6) <= vsync.scan_out_s(below, 2160.0, 60.0, 460e-6)


def test_the_last_row_is_drawn_before_the_next_frame() -> None:
    assert vsync.scan_out_s(0.0, 2160.0, 60.0, 460e-6) == 0.0
    assert vsync.scan_out_s(1.0, 2160.0, 60.0, 460e-6) < 1.0 / 60.0 - 460e-6


@given(st.floats(0.0, 100.0), refresh)
def test_what_is_seen_is_never_early_and_less_than_a_frame_late(time_s: float, refresh_rate_Hz: float) -> None:
    seen_s = vsync.next_frame_s(time_s, refresh_rate_Hz)
    assert -1e-9 <= seen_s - time_s < 1.0 / refresh_rate_Hz + 1e-9


def test_words_faster_than_frames_come_several_at_once() -> None:
    assert vsync.seen_rate_Hz(200.0, 60.0) == 60.0
    assert vsync.seen_rate_Hz(30.0, 60.0) == 30.0


def test_a_frame_of_60_Hz_is_16_7_ms() -> None:
    assert vsync.frame_interval_s(60.0) == pytest.approx(16.667e-3, rel=1e-4)


@given(st.floats(1.0, 1e4), st.floats(0.0, 100.0), refresh)
def test_there_are_no_more_updates_than_tokens_or_frames(tokens: float, duration_s: float, rate: float) -> None:
    updates = vsync.update_count(tokens, duration_s, rate)
    assert updates <= tokens
    assert updates <= duration_s * rate + 1.0
