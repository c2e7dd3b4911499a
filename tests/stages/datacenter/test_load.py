"""Load: a hyperbola from solitude to a floor, and Little's law between rate and batch."""

from __future__ import annotations

import numpy as np
import pytest

from roundtrip.stages.datacenter import load

STEP = {"step_fixed_s": 0.02, "step_stream_s": 1e-4}
POWERS = {"standing_power_W": 565.0, "fetch_energy_J": 2.0, "own_energy_J": 0.05}


def test_energy_of_a_token_falls_with_the_batch_to_a_floor() -> None:
    streams = np.array([1.0, 8.0, 64.0, 512.0, 4096.0])
    energy = load.token_J(streams, **STEP, **POWERS)
    assert np.all(np.diff(energy) < 0.0)
    assert energy[-1] == pytest.approx(565.0 * 1e-4 + 0.05, rel=0.05)


def test_the_excess_over_the_floor_halves_when_the_batch_doubles() -> None:
    floor = 565.0 * 1e-4 + 0.05
    one, two = load.token_J(np.array([16.0, 32.0]), **STEP, **POWERS) - floor
    assert one == pytest.approx(2.0 * two)


def test_little_rate_times_step_is_the_batch() -> None:
    rate = 2000.0
    streams = load.batch_at_rate(rate, **STEP)
    assert rate * (0.02 + 1e-4 * streams) == pytest.approx(float(streams))


def test_rate_and_batch_tell_the_same_energy_once_the_machine_is_busy() -> None:
    rate = 3000.0
    streams = load.batch_at_rate(rate, **STEP)
    assert load.token_at_rate_J(rate, **STEP, **POWERS) == pytest.approx(float(load.token_J(streams, **STEP, **POWERS)))


def test_a_machine_that_waits_pays_its_standing_power_by_the_second() -> None:
    slow = load.token_at_rate_J(1.0, **STEP, **POWERS)
    assert slow == pytest.approx(565.0 + 2.0 + 0.05)


def test_a_kept_token_costs_less_than_a_computed_one() -> None:
    kept = load.cached_token_J(70_272.0, 3.4e-11, 4e-11)
    assert kept < 1e-3 * 0.137


def test_a_share_of_a_server_is_linear_in_time_and_falls_with_the_batch() -> None:
    one = load.node_share_J(10.0, 5600.0, 0.7, 4600.0, 0.5, 1.0, 1.2)
    assert one == pytest.approx(10.0 * (3920.0 + 2300.0) * 1.2)
    assert load.node_share_J(20.0, 5600.0, 0.7, 4600.0, 0.5, 8.0, 1.2) == pytest.approx(one / 4.0)
