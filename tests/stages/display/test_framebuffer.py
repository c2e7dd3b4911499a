"""The frame in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.display import framebuffer


def test_a_4k_frame_has_8_294_400_pixels_and_33_MB() -> None:
    pixels = framebuffer.pixel_count(3840.0, 2160.0)
    assert pixels == 8_294_400.0
    assert framebuffer.store_size_B(pixels, 4.0) == pytest.approx(33.18e6, rel=1e-3)


@given(st.floats(1.0, 1e8), st.floats(0.0, 10.0))
def test_each_copy_reads_and_writes_once_more(size_B: float, copies: float) -> None:
    more = framebuffer.traffic_B(size_B, copies + 1.0) - framebuffer.traffic_B(size_B, copies)
    assert np.isclose(more, 2.0 * size_B)


def test_scan_out_does_not_depend_on_what_changed() -> None:
    # 1.99 GB/s for 4K at 60 Hz: the display page, row 4.
    assert framebuffer.scan_rate_B_s(33_177_600.0, 60.0) == pytest.approx(1.99e9, rel=2e-3)


def test_the_patch_of_a_word_moves_ten_thousand_times_faster_than_a_frame() -> None:
    frame_s = framebuffer.transfer_duration_s(33_177_600.0, 2e10)
    patch_s = framebuffer.transfer_duration_s(framebuffer.traffic_B(5_800.0, 1.0), 2e10)
    assert frame_s / patch_s > 1_000.0
    assert patch_s < 1e-6


@given(st.floats(1.0, 1e12))
def test_energy_is_proportional_to_bytes(size_B: float) -> None:
    assert np.isclose(
        framebuffer.memory_energy_J(2.0 * size_B, 1e-10), 2.0 * framebuffer.memory_energy_J(size_B, 1e-10)
    )
