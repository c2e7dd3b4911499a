"""The serializer and its charge."""

from __future__ import annotations

import pytest

from roundtrip.stages.network import serdes


def test_code_and_rate_are_inverse() -> None:
    rate = serdes.signaling_rate_bit_s(10e9, 64.0, 66.0)
    assert serdes.data_rate_bit_s(rate, 64.0, 66.0) == pytest.approx(10e9)
    assert serdes.serialization_time_s(1_250.0, rate, 64.0, 66.0, 0.0) == pytest.approx(1e-6)


def test_electrons_are_current_times_bit_time() -> None:
    count = serdes.electrons_per_bit(0.8, 100.0, 10.3125e9)
    assert count * 1.602176634e-19 * 10.3125e9 == pytest.approx(8e-3)
    assert 1e6 < count < 1e7
    assert serdes.lane_energy_J(1e3, 1e-11) == pytest.approx(8e-8)
