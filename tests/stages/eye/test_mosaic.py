"""The mosaic of cones."""

from __future__ import annotations

import numpy as np
import pytest

from roundtrip.stages.eye import mosaic

PEAK, FOCAL_M = 1.99e11, 0.01667


def test_density_falls_from_its_peak() -> None:
    r = np.linspace(0.0, 10.0, 200)
    density = np.asarray(mosaic.density_1_m2(PEAK, r))
    assert density[0] == pytest.approx(PEAK)
    assert np.all(np.diff(density) < 0.0)


@pytest.mark.parametrize("radius", [0.3, 0.8, 1.5])
def test_as_many_cones_as_the_density_says(radius: float) -> None:
    places, kinds = mosaic.pattern(PEAK, FOCAL_M, 1.6, np.random.default_rng(1))
    r = np.linspace(0.0, radius, 4000)
    scale = (np.radians(1.0) * FOCAL_M) ** 2
    expected = np.trapezoid(2.0 * np.pi * r * np.asarray(mosaic.density_1_m2(PEAK, r)) * scale, r)
    assert np.sum(np.hypot(*places.T) < radius) == pytest.approx(expected, rel=0.02)
    assert len(kinds) == len(places)


def test_kinds_and_the_zone_without_short_cones() -> None:
    places, kinds = mosaic.pattern(PEAK, FOCAL_M, 1.5, np.random.default_rng(2))
    far = np.hypot(*places.T) > 0.3
    assert np.mean(kinds[far] == 2) == pytest.approx(mosaic.SHORT_SHARE, abs=0.01)
    assert np.sum(kinds == 0) / np.sum(kinds == 1) == pytest.approx(mosaic.LONG_PER_MIDDLE, rel=0.1)
    assert not np.any(kinds[np.hypot(*places.T) < 0.15] == 2)


def test_no_two_cones_in_one_place_and_the_same_seed_the_same_eye() -> None:
    one, _ = mosaic.pattern(PEAK, FOCAL_M, 0.2, np.random.default_rng(3))
    again, _ = mosaic.pattern(PEAK, FOCAL_M, 0.2, np.random.default_rng(3))
    assert np.array_equal(one, again)
    away = np.hypot(*(one[:, None] - one[None]).transpose(2, 0, 1)) + np.eye(len(one))
    assert away.min() > 0.004  # degrees; the distance in a row is 0.0083
