"""One photon in a rod: what is counted, when it peaks, and the trap of the volume."""

from __future__ import annotations

import numpy as np
import pytest

from roundtrip.stages.eye import retina, rod

LONG_S = 1.2


@pytest.fixture(scope="module")
def photon() -> tuple[np.ndarray, np.ndarray]:
    return rod.trace(LONG_S)


def test_the_response_peaks_at_0_66_pA_after_208_ms_invergo_2014(photon: tuple[np.ndarray, np.ndarray]) -> None:
    times, (current, active, _) = photon
    top = int(np.argmax(current))
    assert current[top] == pytest.approx(0.66, rel=0.01)
    assert current[top] / rod.DARK_PA == pytest.approx(0.045, rel=0.01)
    assert times[top] == pytest.approx(0.208, rel=0.01)
    assert times[top + int(np.argmax(current[top:] < 0.5 * current[top]))] == pytest.approx(0.415, rel=0.01)
    assert np.max(active) == pytest.approx(110.0, rel=0.01)


def test_subunits_wake_at_1108_a_second_between_20_and_40_ms(photon: tuple[np.ndarray, np.ndarray]) -> None:
    times, rows = photon
    early, late = np.interp([0.02, 0.04], times, rows[1])
    assert (late - early) / 0.02 == pytest.approx(1_108.0, rel=0.01)


def test_one_photon_hydrolyzes_18000_cgmp_and_keeps_1_6_million_charges_out(
    photon: tuple[np.ndarray, np.ndarray],
) -> None:
    times, (current, _, hydrolyzed) = photon
    step_s = times[1]
    charges = np.sum(current) * step_s * 1e-12 / 1.602176634e-19
    # 1.2 of the 3 s of the published run: all but a fiftieth of it.
    assert np.sum(hydrolyzed) * step_s == pytest.approx(1.83e4, rel=0.05)
    assert charges == pytest.approx(1.64e6, rel=0.05)
    area_s = np.sum(current) * step_s / np.max(current)
    assert retina.charge_count(14.87e-12, np.max(current) / 14.87, area_s) == pytest.approx(charges, rel=1e-6)


@pytest.mark.parametrize(("from_s", "to_s"), [(0.005, 0.02), (0.01, 0.03), (0.01, 0.04), (0.01, 0.05), (0.02, 0.06)])
def test_the_rise_is_lamb_and_pughs_with_a_positive_delay(
    photon: tuple[np.ndarray, np.ndarray], from_s: float, to_s: float
) -> None:
    amplification, delay_s = rod.lamb_pugh(photon[0], photon[1][0], from_s, to_s)
    assert 5.0 < amplification < 8.5
    assert 0.5e-3 < delay_s < 4e-3


def test_dividing_by_the_volume_makes_a_response_that_starts_before_the_light() -> None:
    times, rows = rod.trace(0.3, volume=rod.VOLUME_PL)
    _, delay_s = rod.lamb_pugh(times, rows[0])
    assert np.max(rows[0]) == pytest.approx(0.52, rel=0.01)
    assert delay_s < -5e-3


def test_the_table_agrees_with_the_solver_within_a_thousandth_of_the_peak(
    photon: tuple[np.ndarray, np.ndarray],
) -> None:
    times, rows = photon
    error = np.abs(1e12 * rod.single_photon_A(times) - rows[0])
    assert np.max(error) < 1e-3 * np.max(rows[0])


def test_half_the_step_changes_nothing() -> None:
    _, coarse = rod.trace(0.1)
    _, fine = rod.trace(0.1, step_s=5e-5)
    np.testing.assert_allclose(coarse[0], fine[0, ::2], atol=1e-5 * np.max(fine[0]))


def test_rhodopsin_is_neither_made_nor_lost_but_by_decay() -> None:
    state = rod._start()
    slope = rod.derivative(state)
    assert np.sum(slope[:49]) == pytest.approx(-rod.K_THERM, rel=1e-9)


def test_the_dark_rests() -> None:
    state = rod._start()
    state[0] = 0.0
    slope = rod.derivative(state)
    # The published start is off by less than two thousandths a second.
    assert np.max(np.abs(slope[56:] / state[56:])) < 2e-3
