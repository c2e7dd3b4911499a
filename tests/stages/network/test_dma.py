"""The adapter fetches by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import dma


@given(st.integers(1, 100_000))
def test_overhead_is_a_header_for_each_transaction(size_B: int) -> None:
    assert dma.bus_size_B(float(size_B), 256.0, 24.0) == size_B + 24 * -(-size_B // 256)


def test_small_packets_waste_the_bus_neugebauer_2018_section_3() -> None:
    shares = [size / dma.bus_size_B(size, 256.0, 24.0) for size in (64.0, 256.0, 1024.0)]
    assert shares[0] == pytest.approx(0.727, abs=1e-3)
    assert shares[1] == pytest.approx(0.914, abs=1e-3)
    assert shares[2] == pytest.approx(shares[1])


def test_round_trips_dominate_a_small_fetch() -> None:
    assert dma.fetch_time_s(88.0, 2.0, 0.5e-6, 1e9) == pytest.approx(1.088e-6)
    assert dma.copy_energy_J(1e3, 2e-10) == pytest.approx(2e-7)
