"""Samples: medians, percentiles, shared causes, and two kinds of spread on two axes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.errors import DomainError
from roundtrip.figures.figure import Figure
from roundtrip.figures.sampling import Draws

DRAWS = Draws(250_000)


def figure(value: float, low: float, high: float, shape: str = "lognormal", **more: str) -> Figure:
    return Figure(value, low, high, "1", "estimate", "user", shape=shape, **more)


@pytest.mark.parametrize("shape", ["lognormal", "normal"])
@pytest.mark.parametrize(("value", "low", "high"), [(10.0, 8.0, 13.0), (1.0, 0.1, 1.5), (5.0, 5.0, 9.0)])
def test_value_is_the_median_and_the_band_is_p5_and_p95(shape: str, value: float, low: float, high: float) -> None:
    samples = DRAWS.draw(figure(value, low, high, shape), "x")
    got = np.quantile(samples, [0.05, 0.5, 0.95])
    # 250 worlds: a quantile falls on a stratum, a fiftieth of the band away at most.
    np.testing.assert_allclose(got, [low, value, high], rtol=0.0, atol=0.02 * (high - low))


def test_uniform_has_its_ends_and_its_median() -> None:
    samples = DRAWS.draw(figure(0.25, 0.0, 1.0, "uniform"), "x")
    assert 0.0 < samples.min() < 0.002
    assert 0.996 < samples.max() < 1.0
    assert np.median(samples) == pytest.approx(0.25, abs=0.004)


def test_fixed_does_not_spread() -> None:
    drawn = DRAWS.draw(figure(3.0, 3.0, 3.0, "fixed"), "x")
    assert np.ndim(drawn) == 0
    assert drawn == 3.0


def test_what_is_not_known_runs_down_and_what_differs_runs_along() -> None:
    unknown = DRAWS.draw(figure(10.0, 8.0, 13.0), "x")
    varies = DRAWS.draw(figure(10.0, 8.0, 13.0, spread="variability"), "x")
    assert unknown.shape == (250, 1)
    assert varies.shape == (1, 1_000)
    assert DRAWS.shape == (250, 1_000)


def test_a_shared_cause_shares_the_sample_and_others_do_not() -> None:
    one = DRAWS.draw(figure(10.0, 8.0, 13.0, cause="weather"), "first")
    two = DRAWS.draw(figure(20.0, 16.0, 26.0, cause="weather"), "second")
    apart = DRAWS.draw(figure(20.0, 16.0, 26.0), "third")
    np.testing.assert_allclose(two, 2.0 * one)
    assert abs(np.corrcoef(one[:, 0], apart[:, 0])[0, 1]) < 0.15


def test_the_same_seed_gives_the_same_samples_and_another_does_not() -> None:
    wide = figure(10.0, 8.0, 13.0)
    np.testing.assert_array_equal(Draws(10_000).draw(wide, "x"), Draws(10_000).draw(wide, "x"))
    assert np.any(Draws(10_000, seed=2).draw(wide, "x") != Draws(10_000).draw(wide, "x"))


def test_asking_for_one_figure_does_not_move_another() -> None:
    wide = figure(10.0, 8.0, 13.0)
    alone = Draws(10_000).draw(wide, "x")
    busy = Draws(10_000)
    for name in ("a", "b", "c"):
        busy.draw(wide, name)
    np.testing.assert_array_equal(busy.draw(wide, "x"), alone)


def test_sums_of_independent_figures_spread_as_they_should() -> None:
    # Thirty causes of standard deviation 1: the sum has that of sqrt 30, if the permutations do not conspire.
    total = sum(DRAWS.draw(figure(0.0, -1.6448536, 1.6448536, "normal"), f"cause {i}") for i in range(30))
    assert np.std(total) == pytest.approx(30**0.5, rel=0.1)


def test_two_kinds_of_spread_stay_apart_in_the_band() -> None:
    unknown = DRAWS.draw(figure(100.0, 90.0, 111.0), "constant")
    varies = DRAWS.draw(figure(1.0, 0.5, 2.0, spread="variability"), "trip")
    band = DRAWS.band(unknown * varies)
    # Ignorance alone moves the median trip as the constant moves; variability alone makes the slow trip.
    assert band.median == pytest.approx(100.0, rel=0.02)
    assert (band.median_low, band.median_high) == pytest.approx((90.0, 111.0), rel=0.02)
    assert band.slow == pytest.approx(100.0 * 2.0 ** (2.3263 / 1.6449), rel=0.05)
    assert band.low < 90.0 * 0.75
    assert band.high > 111.0 * 1.5


def test_bands_of_one_kind_only() -> None:
    unknown = DRAWS.band(DRAWS.draw(figure(100.0, 90.0, 111.0), "constant"))
    assert (unknown.low, unknown.high) == (unknown.median_low, unknown.median_high)
    assert unknown.slow == unknown.median
    varies = DRAWS.band(DRAWS.draw(figure(1.0, 0.5, 2.0, spread="variability"), "trip"))
    assert varies.median_low == varies.median_high == varies.median
    assert varies.slow > varies.high
    fixed = DRAWS.band(7.0)
    assert fixed.low == fixed.median == fixed.slow == 7.0


@given(st.floats(0.1, 10.0), st.floats(1.0, 5.0), st.floats(1.0, 5.0))
def test_samples_of_a_positive_figure_stay_positive(value: float, down: float, up: float) -> None:
    samples = Draws(400).draw(figure(value, value / down, value * up), "x")
    assert np.all(np.asarray(samples) > 0.0)


def test_too_few_samples_are_refused() -> None:
    with pytest.raises(DomainError, match="allowed: 4"):
        Draws(3)
    assert Draws(10).samples == 10


def test_a_share_stays_a_share_and_keeps_its_band() -> None:
    busy = Figure(0.1, 0.02, 0.4, "1", "estimate", "user", shape="share")
    drawn = np.asarray(Draws(1_000_000).draw(busy, "busy")).reshape(-1)
    assert drawn.min() > 0.0
    assert drawn.max() < 1.0
    assert np.allclose(np.quantile(drawn, (0.05, 0.5, 0.95)), (0.02, 0.1, 0.4), rtol=0.02)


def test_no_sample_leaves_what_the_name_allows() -> None:
    wide = Figure(1.2, 1.0, 2.0, "1", "estimate", "user", shape="lognormal", least=1.0, most=2.5)
    drawn = np.asarray(Draws(1_000_000).draw(wide, "wide"))
    assert drawn.min() == 1.0
    assert drawn.max() <= 2.5
