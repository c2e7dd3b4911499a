"""Packet paths."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.catalog.load import entry
from roundtrip.stages.network import ethernet, kernel


@given(st.integers(1, 10_000))
def test_budget_is_the_time_between_frames(frame_B: int) -> None:
    assert kernel.packet_budget_s(float(frame_B), 100e9) * ethernet.frame_rate_Hz(
        100e9, float(frame_B)
    ) == pytest.approx(1)


def test_a_core_that_meets_its_budget_is_one_core() -> None:
    budget = kernel.packet_budget_s(84.0, 10e9)
    assert kernel.cores(10e9, 84.0, budget) == pytest.approx(1.0)
    assert kernel.cores(100e9, 84.0, budget) == pytest.approx(10.0)


def test_bursts_amortize() -> None:
    assert kernel.path_time_s(1.0, 15e-6, 1e-6) == 15e-6
    assert kernel.path_time_s(10.0, 15e-6, 1e-6) == pytest.approx(24e-6)
    assert kernel.compute_energy_J(2.0, 5.0) == 10.0


def test_each_bypass_is_faster_than_the_kernel_in_latency_and_in_rate() -> None:
    paths = [entry("packet_paths", name).figures for name in ("kernel", "af-xdp", "dpdk")]
    for field in ("packet_latency_s", "packet_time_s"):
        values = [path[field].value for path in paths]
        assert values == sorted(values, reverse=True)
