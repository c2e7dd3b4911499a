"""The display link and its clock."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.display import link

rows = st.integers(480, 4320).map(float)
columns = st.integers(640, 7680).map(float)
refresh = st.sampled_from([24.0, 30.0, 60.0, 75.0, 120.0, 144.0, 240.0])


@given(rows, refresh)
def test_blanking_lasts_at_least_460_us_vesa_cvt(height: float, refresh_rate_Hz: float) -> None:
    total = link.total_rows(height, refresh_rate_Hz, 460e-6)
    blank_s = (total - height) / total / refresh_rate_Hz
    assert blank_s >= 460e-6
    assert total == np.floor(total)


@given(columns, rows, refresh)
def test_the_clock_is_a_multiple_of_its_step_and_carries_the_picture(
    width: float, height: float, refresh_rate_Hz: float
) -> None:
    clock = link.clock_Hz(width, height, refresh_rate_Hz, 160.0, 460e-6, 250e3)
    assert clock % 250e3 == 0.0
    needed = refresh_rate_Hz * (width + 160.0) * link.total_rows(height, refresh_rate_Hz, 460e-6)
    assert needed - 250e3 < clock <= needed


@pytest.mark.parametrize(
    ("blank", "step", "clock"), [(160.0, 250e3, 533.25e6), (80.0, 1e3, 522.614e6)], ids=["rb1", "rb2"]
)
def test_4k60_by_cvt_reduced_blanking(blank: float, step: float, clock: float) -> None:
    assert link.clock_Hz(3840.0, 2160.0, 60.0, blank, 460e-6, step) == clock


def test_4k60_fits_hbr2_and_4k120_needs_hbr3_or_compression() -> None:
    hbr2 = link.payload_rate_bit_s(4.0, 5.4e9, 0.8)
    hbr3 = link.payload_rate_bit_s(4.0, 8.1e9, 0.8)
    at60 = link.stream_rate_bit_s(link.clock_Hz(3840.0, 2160.0, 60.0, 80.0, 460e-6, 1e3), 24.0, 1.0)
    at120 = link.stream_rate_bit_s(link.clock_Hz(3840.0, 2160.0, 120.0, 80.0, 460e-6, 1e3), 24.0, 1.0)
    assert at60 < hbr2 < at120
    assert at120 > hbr3 * 0.98
    assert at120 / 3.0 < hbr2


@given(columns, rows, refresh)
def test_blanking_only_adds(width: float, height: float, refresh_rate_Hz: float) -> None:
    clock = link.clock_Hz(width, height, refresh_rate_Hz, 160.0, 460e-6, 250e3)
    assert link.stream_rate_bit_s(clock, 24.0, 1.0) > link.active_rate_bit_s(width, height, refresh_rate_Hz, 24.0)


def test_rows_make_up_the_frame() -> None:
    clock = link.clock_Hz(3840.0, 2160.0, 60.0, 160.0, 460e-6, 250e3)
    assert 2222.0 * link.row_time_s(3840.0, 160.0, clock) == pytest.approx(1.0 / 60.0, rel=1e-3)
    assert link.row_time_s(3840.0, 160.0, clock) == pytest.approx(7.50e-6, rel=1e-3)


def test_the_cable_is_a_thousandth_of_a_row() -> None:
    assert link.cable_delay_s(2.0, 2.1e8) < 7.5e-6 / 500.0


def test_compression_saves_energy_in_proportion() -> None:
    assert link.line_energy_J(1e3, 24.0, 3.0, 2e-11) == pytest.approx(link.line_energy_J(1e3, 8.0, 1.0, 2e-11))
