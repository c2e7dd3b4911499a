"""Debouncing, held to the timelines of QMK's unit tests (facts of quantum/debounce/tests)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.keyboard import debounce

KEY = "k"
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


def alternating(first: int, last: int) -> Moves:
    return [(t, (t - first) % 2 == 0) for t in range(first, last + 1)]


@pytest.mark.parametrize(
    ("moves", "reports"),
    [
        ([(0, True), (6, False)], [(5, True), (11, False)]),
        ([(0, True), (7, False)], [(5, True), (12, False)]),
        ([(0, True), (5, False)], []),  # released in the very scan in which it would have counted
        (alternating(0, 6), [(11, True)]),
        ([(0, True), (6, False), (7, True), (8, False), (9, True), (10, False)], [(5, True), (15, False)]),
        ([(0, True), (25, False), (50, True)], [(5, True), (30, False), (55, True)]),
        ([(0, True), (6, False), (11, True)], [(5, True)]),
    ],
)
def test_sym_defer_g_timelines(moves: Moves, reports: Moves) -> None:
    assert run(debounce.defer_all, moves) == reports


@pytest.mark.parametrize(
    ("moves", "reports"),
    [
        ([(0, True), (1, False), (11, True)], [(0, True), (10, False), (11, True)]),
        ([(0, True), (4, False), (11, True)], [(0, True), (10, False), (11, True)]),
        ([(0, True), (5, False), (11, True)], [(0, True), (10, False), (11, True)]),
        ([(0, True), (6, False), (12, True)], [(0, True), (11, False), (12, True)]),
        ([(0, True), (7, False), (13, True)], [(0, True), (12, False), (13, True)]),
        ([(0, True), (1, False), (10, True)], [(0, True)]),  # pressed again in the scan that would have released it
        ([*alternating(0, 15), (21, True)], [(0, True), (20, False), (21, True)]),
        ([(0, True), (25, False), (50, True)], [(0, True), (30, False), (50, True)]),
    ],
)
def test_asym_eager_defer_pk_timelines(moves: Moves, reports: Moves) -> None:
    assert run(debounce.eager_press_defer_release, moves) == reports


def test_late_scans_count_by_the_clock_not_by_their_number() -> None:
    late: list[debounce.Scan] = [(0, {KEY: True}), (300, {}), (301, {KEY: False}), (600, {})]
    assert debounce.defer_all(late, 5) == [(300, KEY, True), (600, KEY, False)]
    assert debounce.eager_press_defer_release(late, 5) == [(0, KEY, True), (600, KEY, False)]


def test_one_key_bouncing_holds_up_all_in_the_global_algorithm() -> None:
    both: list[debounce.Scan] = [(0, {"a": True}), (1, {"b": True}), *((t, {}) for t in range(2, 10))]
    assert debounce.defer_all(both, 5) == [(6, "a", True), (6, "b", True)]


def test_a_spike_is_reported_only_by_the_eager() -> None:
    spike = [(0, True), (1, False)]
    assert run(debounce.defer_all, spike) == []
    assert run(debounce.eager_each, spike) == [(0, True), (5, False)]


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
