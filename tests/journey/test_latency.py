"""Key to packet and key to screen: distributions two ways, and what they cover."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from roundtrip.catalog.load import load
from roundtrip.errors import CatalogError, DomainError
from roundtrip.figures.figure import Figure
from roundtrip.journey import densities as d
from roundtrip.journey import latency
from roundtrip.journey.studies import STUDIES, study
from roundtrip.journey.validate_keyboard import rank_correlation, score

ALL = [f"{kind}/{key}" for kind in latency.KINDS for key in load(kind)]
widths = st.lists(st.floats(2e-3, 20e-3), min_size=1, max_size=4)


def certain(value: float) -> Figure:
    return Figure(value, value, value, "s", "derived", "x", shape="fixed")


@given(widths, st.floats(0.0, 1.0))
def test_convolved_waits_are_the_truncated_powers_feller_i_9(widths_s: list[float], place: float) -> None:
    whole = d.uniform(0.0, widths_s[0])
    for width_s in widths_s[1:]:
        whole = whole + d.uniform(0.0, width_s)
    time_s = place * sum(widths_s)
    slope = 1.0 / max(widths_s)  # no sum of waits is denser than its widest
    assert abs(float(whole.below(time_s)) - d.uniform_sum_cdf(time_s, widths_s)) < 3.0 * d.STEP_S * slope
    assert math.isclose(whole.mass.sum(), 1.0, rel_tol=1e-9)
    assert math.isclose(whole.mean_s, 0.5 * sum(widths_s), abs_tol=d.STEP_S)
    grid = len(widths_s) * d.STEP_S**2  # what the cells may add
    assert math.isclose(whole.deviation_s**2, sum(w * w for w in widths_s) / 12.0, rel_tol=1e-3, abs_tol=grid)


def test_closed_form_of_two_equal_waits_is_the_triangle() -> None:
    assert math.isclose(d.uniform_sum_cdf(1.0, [1.0, 1.0]), 0.5)
    assert math.isclose(d.uniform_sum_cdf(0.5, [1.0, 1.0]), 0.125)
    assert d.uniform_sum_cdf(-1.0, [1.0]) == 0.0
    assert d.uniform_sum_cdf(9.0, [1.0, 2.0, 3.0]) == 1.0
    with pytest.raises(DomainError, match="more than 0 s"):
        d.uniform_sum_cdf(1.0, [1.0, 0.0])


@given(st.floats(1e-4, 0.05), st.floats(1e-4, 0.05))
def test_certain_times_add(one_s: float, other_s: float) -> None:
    whole = d.point(one_s) + d.point(other_s)
    assert math.isclose(whole.mean_s, one_s + other_s, abs_tol=1e-12)


def test_a_known_scan_and_quiet_time_wait_between_whole_scans() -> None:
    pressed, steady = d.scanned(certain(5e-3), certain(2e-3))
    low_s, high_s = pressed.quantiles((0.0005, 0.9995))
    assert math.isclose(low_s, 6e-3, abs_tol=2.0 * d.STEP_S)
    assert math.isclose(high_s, 8e-3, abs_tol=2.0 * d.STEP_S)
    assert math.isclose(steady.mean_s, 7e-3, abs_tol=d.STEP_S)


@pytest.mark.parametrize("name", ALL)
def test_convolution_and_random_numbers_through_the_stages_agree(name: str) -> None:
    found = latency.latency(name)
    samples = 40_000
    drawn = np.sort(latency.sampled(name, samples, seed=5))
    gap = np.max(np.abs(found.whole.below(drawn) - (np.arange(samples) + 0.5) / samples))
    assert gap < 1.95 / math.sqrt(samples) + 0.004  # Kolmogorov at 0.1 %, and what grid and quantiles leave
    assert math.isclose(found.whole.mass.sum(), 1.0, rel_tol=1e-9)
    assert math.isclose(found.whole.mean_s, float(np.mean(drawn)), rel_tol=0.01)


@pytest.mark.parametrize("name", ALL)
def test_the_mean_of_many_presses_spreads_less_and_lies_at_the_same_place(name: str) -> None:
    found = latency.latency(name)
    assert found.average.deviation_s < found.reading.deviation_s
    assert math.isclose(found.average.mean_s, found.whole.mean_s, rel_tol=0.02)
    assert math.isclose(sum(p.press.mean_s for p in found.parts), found.whole.mean_s, rel_tol=1e-6)


def test_issue_3_coverage_of_the_21_keyboards_and_of_the_14_computers() -> None:
    scores = {(s["name"], s["metric"]): s for s in score(Path())}
    keyboards = scores["keyboards, key to packet", "share inside p5 to p95"]
    computers = scores["computers, key to screen", "share inside p5 to p95"]
    assert keyboards["n"] == 21
    assert computers["n"] == 14
    assert keyboards["value"] >= 0.85
    assert computers["value"] >= 0.85
    assert scores["computers, key to screen", "median width of the band, s"]["value"] < 0.08
    assert scores["keyboards, key to packet", "median width of the band, s"]["value"] < 0.05


def test_one_rule_for_all_of_a_class() -> None:
    """Nothing but what was measured, and a refresh rate that stands in the table, belongs to one entry alone."""
    for kind in latency.KINDS:
        for e in load(kind).values():
            assert set(e.figures) <= {"published_latency_s", "refresh_rate_Hz"}, e.key
    assert "published_latency_s" not in {name for e in load("latency_classes").values() for name in e.figures}


def test_less_travel_and_more_frames_tell() -> None:
    median = {key: latency.latency(key).whole.quantiles((0.5,))[0] for key in load("measured_systems")}
    assert median["haswell-165"] < median["haswell-120"] < median["haswell-60"] < median["haswell-24"]
    assert latency.latency("apple-magic-usb").whole.mean_s < latency.latency("logitech-k120").whole.mean_s


def test_an_unknown_name_is_named() -> None:
    with pytest.raises(CatalogError, match="did you mean 'ergodox'"):
        latency.latency("ergodocs")


def test_rank_correlation_of_ties() -> None:
    assert math.isclose(rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 9.0])), 1.0)
    assert math.isclose(rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([3.0, 2.0, 1.0])), -1.0)
    one, other = np.array([1.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.0, 2.0, 3.0])
    assert math.isclose(rank_correlation(one, other), float(spearmanr(one, other).statistic))


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_a_table(name: str) -> None:
    made = study(name)
    assert made is not None
    assert all(len(row) == len(made["columns"]) for row in made["rows"])
    assert study("keyboard.press") is None


def test_the_debounce_study_shows_latency_against_chatter() -> None:
    made = study("keyboard.debounce")
    assert made is not None
    names = [c["name"] for c in made["columns"]]
    rows = [dict(zip(names, row, strict=True)) for row in made["rows"]]
    eager = [r for r in rows if r["algorithm"] == "eager"]
    defer = [r for r in rows if r["algorithm"] == "defer"]
    assert [r["told twice"] for r in eager] == sorted((r["told twice"] for r in eager), reverse=True)
    assert eager[0]["told twice"] > 0.05
    assert eager[-1]["told twice"] == 0.0
    for row in eager:
        assert row["late, mean"] == 0.0
        assert row["spike told"] == "yes"
        assert row["told twice"] <= row["bounce longer"] + 0.01
    for row in defer:
        assert row["late, mean"] >= row["window"]
        assert row["told twice"] == 0.0
        assert row["spike told"] == "no"


def test_the_ghost_study_counts_every_layout() -> None:
    made = study("keyboard.matrix")
    assert made is not None
    assert [row[0] for row in made["rows"]] == list(range(2, 11))
    assert made["rows"][0][1] == 0.0
    assert math.isclose(made["rows"][1][1], 0.03937, rel_tol=1e-3)
