"""Latencies from the stimulus."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.eye import cortex

latency = st.floats(0.0, 1.0)


@given(st.lists(latency, min_size=2, max_size=7))
def test_differences_of_a_chain_add_up_to_its_latest_latency(latencies: list[float]) -> None:
    rising = sorted(latencies)
    total = rising[0] + sum(cortex.since_onset_s(later, earlier) for earlier, later in pairwise(rising))
    assert np.isclose(total, rising[-1])


@given(latency, latency)
def test_nothing_is_taken_back(one: float, other: float) -> None:
    assert cortex.since_onset_s(one, other) >= 0.0


def test_adding_the_latencies_would_take_four_times_too_long() -> None:
    measured = [0.055, 0.065, 0.080, 0.120, 0.150, 0.170, 0.200]
    assert sum(measured) > 4.0 * max(measured)


def test_a_feedforward_sweep_is_faster_than_reading_a_word_thorpe_1996() -> None:
    assert cortex.sweep_latency_s(0.055, 3.0, 0.010) < 0.150


def test_power_of_the_brain_clarke_and_sokoloff() -> None:
    power_W = cortex.brain_power_W(1.4, 3.5 / 0.1 / 60.0, 20.9)
    assert power_W == pytest.approx(17.07, rel=1e-3)
    assert cortex.work_of_thought_J(power_W, 0.2) == pytest.approx(3.41, rel=1e-2)
