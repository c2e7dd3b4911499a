"""The interrupt and the work that it puts off."""

from __future__ import annotations

import numpy as np

from roundtrip.stages.computer import interrupt


def test_an_awake_core_enters_in_under_a_microsecond_a_sleeping_one_in_hundreds() -> None:
    assert interrupt.entry_time_s(0.0, 1000.0, 3e9) < 1e-6
    assert interrupt.entry_time_s(300e-6, 1000.0, 3e9) > 300e-6


def test_half_the_clock_doubles_the_work_but_not_the_waking() -> None:
    fast = interrupt.handling_time_s(6e3, 2e4, 3e9)
    assert np.isclose(interrupt.handling_time_s(6e3, 2e4, 1.5e9), 2.0 * fast)
    waking = interrupt.entry_time_s(1e-4, 1e3, 1.5e9) - interrupt.entry_time_s(1e-4, 1e3, 3e9)
    assert np.isclose(waking, 1e3 / 3e9)


def test_moderation_default_xhci_section_5_5_2_2() -> None:
    assert np.isclose(interrupt.moderation_s(4000.0), 1e-3)


def test_8000_reports_a_second_take_a_part_of_a_core() -> None:
    share = interrupt.interrupt_load(6e3, 2e4, 3e9, 125e-6)
    assert 0.01 < share < 0.2
    assert interrupt.interrupt_load(1e9, 1e9, 1e9, 1e-3) == 1.0
