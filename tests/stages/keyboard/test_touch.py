"""A touch screen instead of a keyboard."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.keyboard import touch


def test_delay_is_phase_and_filter_in_readings() -> None:
    assert np.isclose(touch.report_delay_s(8e-3, 0.5, 1.0), 12e-3)


def test_a_reading_fits_between_two_readings_of_a_phone() -> None:
    assert touch.frame_time_s(18.0, 32.0, 2e5) < 1.0 / 120.0


@given(st.floats(1.0, 1e4))
def test_four_times_the_pulses_double_the_signal_over_noise(pulses: float) -> None:
    one = touch.signal_to_noise(2e-13, 3.3, pulses, 1e6)
    assert np.isclose(touch.signal_to_noise(2e-13, 3.3, 4.0 * pulses, 1e6), 2.0 * one)


def test_signal_over_noise_against_simulated_pulses() -> None:
    stream = np.random.default_rng(5)
    signal = 2e-13 * 3.3 / 1.602176634e-19
    sums = np.sum(signal + stream.normal(0.0, 5e6, (20_000, 64)), axis=1)
    assert np.isclose(touch.signal_to_noise(2e-13, 3.3, 64.0, 5e6), np.mean(sums) / np.std(sums), rtol=0.03)
    assert np.isclose(touch.signal_electrons(2e-13, 3.3, 64.0), np.mean(sums), rtol=0.01)


@given(st.floats(1.0, 6.0), st.floats(1.0, 6.0))
def test_center_of_a_finger_is_found_between_the_lines(row: float, column: float) -> None:
    """A bell of 1.2 lines width, as a fingertip makes: its middle comes back within a twentieth of a line."""
    lines = np.arange(-4.0, 12.0)
    deltas = np.exp(-((lines[:, None] - row) ** 2 + (lines[None, :] - column) ** 2) / (2.0 * 1.2**2))
    found = touch.center(deltas.tolist(), 1e-4)
    assert found is not None
    assert abs(found[0] - 4.0 - row) < 0.05
    assert abs(found[1] - 4.0 - column) < 0.05


def test_noise_below_the_threshold_is_no_touch() -> None:
    assert touch.center([[0.1, 0.2], [0.0, 0.1]], 0.3) is None


def test_the_nearest_key_is_meant() -> None:
    keys = {"q": (0.0, 0.0), "w": (0.0, 2.0), "a": (2.0, 0.5)}
    assert touch.key_at((0.3, 1.2), keys) == "w"


def test_energy_of_waiting_readings() -> None:
    assert np.isclose(touch.reading_energy_J(0.05, 8e-3, 1.0), 0.8e-3)
