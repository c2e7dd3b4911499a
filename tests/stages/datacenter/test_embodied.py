"""Embodied: a life of work carries the whole machine, no more and no less."""

from __future__ import annotations

import pytest

from roundtrip.stages.datacenter import embodied


def test_a_whole_life_carries_the_whole_machine() -> None:
    life_s = 1.5e8
    share_g = embodied.accelerator_g(8.0 * life_s * 0.7, 164.0, 5700.0, 8.0, life_s, 0.7)
    assert share_g == pytest.approx(1e3 * (8 * 164.0 + 5700.0))


def test_a_longer_life_and_a_busier_one_carry_less() -> None:
    base = embodied.accelerator_g(1.0, 164.0, 5700.0, 8.0, 1e8, 0.5)
    assert embodied.accelerator_g(1.0, 164.0, 5700.0, 8.0, 2e8, 0.5) == pytest.approx(base / 2.0)
    assert embodied.accelerator_g(1.0, 164.0, 5700.0, 8.0, 1e8, 1.0) == pytest.approx(base / 2.0)


def test_reading_for_the_whole_use_carries_the_laptop() -> None:
    assert embodied.client_g(3.15e7, 450.0, 3.15e7) == pytest.approx(450e3)
