"""The field, the drift and the loss."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import copper


@given(st.floats(1.0, 20.0))
def test_never_faster_than_light(permittivity: float) -> None:
    assert copper.propagation_speed_m_s(permittivity) <= 299_792_458.0


def test_copper_and_glass_are_equally_fast_but_for_the_loss() -> None:
    assert copper.propagation_speed_m_s(1.468**2) == pytest.approx(299_792_458.0 / 1.468)
    assert copper.delay_s(1.0, 4.0) == pytest.approx(6.67e-9, rel=1e-3)


def test_skin_is_half_as_deep_at_four_times_the_frequency() -> None:
    assert copper.skin_depth_m(4e9) == pytest.approx(0.5 * copper.skin_depth_m(1e9))
    assert copper.skin_depth_m(60.0) == pytest.approx(8.43e-3, rel=2e-3)


@given(st.floats(1e8, 5e10), st.floats(1.5, 4.0))
def test_loss_grows_between_the_root_and_the_first_power_of_frequency(frequency_Hz: float, factor: float) -> None:
    def loss(f: float) -> float:
        return float(copper.loss_dB_m(f, 2.5e-4, 50.0, 4.1, 0.02))

    growth = loss(factor * frequency_Hz) / loss(frequency_Hz)
    assert np.sqrt(factor) - 1e-9 <= growth <= factor + 1e-9


def test_dielectric_alone_is_pi_f_tan_delta_over_v() -> None:
    loss = copper.loss_dB_m(1e10, 1.0, 1e4, 4.0, 0.02)
    assert loss == pytest.approx(8.686 * np.pi * 1e10 * 0.02 / (299_792_458.0 / 2.0), rel=1e-3)


def test_a_board_reaches_decimeters_and_a_cable_meters_at_25_gigabit() -> None:
    board = copper.reach_m(22.48, copper.loss_dB_m(12.89e9, 2.5e-4, 50.0, 4.1, 0.02))
    cable = copper.reach_m(22.48, copper.loss_dB_m(12.89e9, 0.8e-3, 50.0, 1.9, 4e-4))
    assert 0.2 < board < 0.8
    assert 4.0 < cable < 8.0


def test_electrons_crawl_while_the_field_runs() -> None:
    drift = copper.drift_speed_m_s(8e-3, 35e-6 * 125e-6)
    assert 1e-5 < drift < 1e-2
    assert copper.propagation_speed_m_s(3.0) / drift > 1e10
