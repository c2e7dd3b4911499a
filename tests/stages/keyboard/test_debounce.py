"""Debouncing, held to the timelines of QMK's unit tests."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.keyboard import debounce
from tests.stages.keyboard.qmk_timelines import DEBOUNCE_MS, TIMELINES, steps

KEY = (0, 1)
Moves = list[tuple[int, bool]]


def scans(moves: Moves, until: int = 60) -> list[debounce.Scan]:
    """Return a scan for every millisecond, with the moves of one key; several at one time are several scans."""
    result: list[debounce.Scan] = []
    for time in range(until + 1):
        here = [down for at, down in moves if at == time]
        result += [(time, {KEY: down}) for down in here] or [(time, {})]
    return result


def run(algorithm: Callable[..., list[debounce.Report]], moves: Moves) -> Moves:
    return [(time, down) for time, _, down in algorithm(scans(moves), 5)]


def played(timeline: str, smooth: bool, again: int) -> tuple[list[debounce.Scan], set[debounce.Report]]:
    """Return the scans of a timeline and what must be reported, as QMK's own harness runs it.

    Between the steps there is a scan every millisecond if `smooth`, none otherwise; every step is followed by `again`
    more scans at the same time without a change, and at the end by a second of quiet.
    """
    made: list[debounce.Scan] = []
    told: set[debounce.Report] = set()
    before = None
    for time, moves, reports in steps(timeline):
        if smooth and before is not None and time > before + 1:
            made += [(t, {}) for t in range(before, time)]
        made.append((time, moves))
        made += [(time, {})] * again
        told |= {(time, key, closed) for key, closed in reports.items()}
        before = time
    return made + [(t, {}) for t in range(before or 0, (before or 0) + 1_000)], told


@pytest.mark.parametrize("again", [0, 1, 9])
@pytest.mark.parametrize(
    ("algorithm", "name"), [(algorithm, name) for algorithm, made in TIMELINES.items() for name in made]
)
def test_the_timelines_of_qmk_are_met_exactly(algorithm: str, name: str, again: int) -> None:
    timeline = TIMELINES[algorithm][name]
    for smooth in (False,) if timeline.startswith("late") else (False, True):
        made, told = played(timeline, smooth, again)
        reports = debounce.ALGORITHMS[algorithm](made, DEBOUNCE_MS)
        assert len(reports) == len(told)
        assert set(reports) == told
        assert [r[0] for r in reports] == sorted(r[0] for r in reports)


def test_all_seven_algorithms_of_qmk_are_there() -> None:
    assert set(debounce.ALGORITHMS) == set(TIMELINES)
    assert len(TIMELINES) == 7
    assert sum(len(made) for made in TIMELINES.values()) == 116


@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from([(0, 1), (0, 2), (2, 0)])), max_size=12))
def test_once_it_is_quiet_every_algorithm_tells_what_is_held(moves: list[tuple[int, tuple[int, int]]]) -> None:
    held: dict[tuple[int, int], bool] = {}
    made: list[debounce.Scan] = []
    time = 0
    for gap, key in moves:
        time += gap
        held[key] = not held.get(key, False)
        made.append((time, {key: held[key]}))
    made += [(t, {}) for t in range(time, time + 50)]
    for algorithm in debounce.ALGORITHMS.values():
        told: dict[tuple[int, int], bool] = {}
        for _, key, closed in algorithm(made, DEBOUNCE_MS):
            assert told.get(key, False) != closed, "a report says something new"
            told[key] = closed
        assert {k for k, v in told.items() if v} == {k for k, v in held.items() if v}


def test_late_scans_count_by_the_clock_not_by_their_number() -> None:
    late: list[debounce.Scan] = [(0, {KEY: True}), (300, {}), (301, {KEY: False}), (600, {})]
    assert debounce.defer_all(late, 5) == [(300, KEY, True), (600, KEY, False)]
    assert debounce.eager_press_defer_release(late, 5) == [(0, KEY, True), (600, KEY, False)]


def test_one_key_bouncing_holds_up_all_in_the_global_algorithm() -> None:
    both: list[debounce.Scan] = [(0, {(0, 0): True}), (1, {(1, 1): True}), *((t, {}) for t in range(2, 10))]
    assert debounce.defer_all(both, 5) == [(6, (0, 0), True), (6, (1, 1), True)]
    assert debounce.defer_row(both, 5) == [(5, (0, 0), True), (6, (1, 1), True)]


def test_a_spike_is_reported_only_by_the_eager() -> None:
    spike = [(0, True), (1, False)]
    assert run(debounce.defer_all, spike) == []
    assert run(debounce.eager_each, spike) == [(0, True), (5, False)]


def test_a_slow_scan_rounds_the_quiet_time_up() -> None:
    assert np.isclose(debounce.whole_scans_s(5e-3, 7e-3), 7e-3)
    assert np.isclose(debounce.whole_scans_s(10e-3, 6e-3), 12e-3)
    slow: list[debounce.Scan] = [(0, {KEY: True}), (7, {}), (14, {})]
    assert debounce.defer_all(slow, 5) == [(7, KEY, True)]


@given(st.lists(st.integers(1, 4), max_size=8))
def test_deferring_is_late_by_the_bounce_and_the_quiet_time(gaps: list[int]) -> None:
    times = np.concatenate([[0], np.cumsum(gaps, dtype=int)]) if gaps else np.array([0])
    moves = [(int(t), i % 2 == 0) for i, t in enumerate(times)]
    if not moves[-1][1]:
        moves.append((moves[-1][0] + 1, True))
    last = moves[-1][0]
    assert run(debounce.defer_all, moves) == [(last + 5, True)]
    assert np.isclose(debounce.defer_delay_s(last * 1e-3, 5e-3), (last + 5) * 1e-3)


def test_chatter_is_the_tail_of_the_bounce() -> None:
    bounces = np.random.default_rng(2).exponential(1.5e-3, 200_000)
    assert np.isclose(debounce.chatter_chance(1.5e-3, 5e-3), np.mean(bounces > 5e-3), rtol=0.05)


def test_tapping_is_limited_by_two_quiet_times() -> None:
    assert np.isclose(debounce.fastest_taps_Hz(1e-3, 4e-3), 100.0)
