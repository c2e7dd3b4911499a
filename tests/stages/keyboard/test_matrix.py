"""The key matrix, with and without diodes."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.keyboard import matrix

positions = st.frozensets(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=8)


def test_three_corners_show_a_fourth() -> None:
    held = {(0, 0), (0, 3), (2, 0)}
    assert matrix.ghosts(held, diodes=False) == {(2, 3)}
    assert matrix.ghosts(held, diodes=True) == frozenset()


@pytest.mark.parametrize("missing", list(product((1, 4), (2, 5))))
def test_any_corner_may_be_the_ghost(missing: tuple[int, int]) -> None:
    held = set(product((1, 4), (2, 5))) - {missing}
    assert matrix.ghosts(held) == {missing}


@given(positions)
def test_diodes_never_show_a_ghost(held: frozenset[tuple[int, int]]) -> None:
    assert matrix.read_matrix(held, diodes=True) == held


@given(positions)
def test_without_diodes_the_reading_is_every_joined_group_filled(held: frozenset[tuple[int, int]]) -> None:
    read = matrix.read_matrix(held, diodes=False)
    assert held <= read
    assert matrix.read_matrix(read, diodes=False) == read
    for (r1, c1), (r2, c2) in product(read, read):
        if (r1, c2) in read:
            assert (r2, c1) in read


@given(st.tuples(st.integers(0, 7), st.integers(0, 15)), st.tuples(st.integers(0, 7), st.integers(0, 15)))
def test_two_keys_are_always_read_rightly(one: tuple[int, int], two: tuple[int, int]) -> None:
    assert not matrix.ghosts({one, two})


@given(positions)
def test_a_board_that_holds_back_ambiguous_readings_never_reports_a_ghost(held: frozenset[tuple[int, int]]) -> None:
    if not matrix.ambiguous(matrix.read_matrix(held, diodes=False)):
        assert not matrix.ghosts(held)
    if matrix.ghosts(held):
        assert matrix.ambiguous(matrix.read_matrix(held, diodes=False))


def test_keys_of_one_row_are_never_ambiguous() -> None:
    assert not matrix.ambiguous((3, column) for column in range(16))
    assert matrix.ambiguous(product((0, 1), (0, 1)))


@pytest.mark.parametrize("held", range(8))
def test_the_chance_of_a_ghost_is_the_count_of_all_layouts(held: int) -> None:
    layouts = [frozenset(chosen) for chosen in combinations(product(range(3), range(4)), held)]
    ghostly = sum(bool(matrix.ghosts(keys)) for keys in layouts) / len(layouts)
    blocked = sum(matrix.ambiguous(matrix.read_matrix(keys, diodes=False)) for keys in layouts) / len(layouts)
    assert np.isclose(matrix.ghost_chance(3, 4, held), ghostly)
    assert np.isclose(matrix.blocked_chance(3, 4, held), blocked)


def test_three_of_128_keys_make_a_corner_in_four_of_a_hundred() -> None:
    corners = 4 * (8 * 7 // 2) * (16 * 15 // 2)
    assert np.isclose(matrix.ghost_chance(8, 16, 3), corners / (128 * 127 * 126 / 6))
    assert matrix.ghost_chance(8, 16, 2) == 0.0


def test_more_keys_show_more_ghosts_and_a_wary_board_holds_back_no_less() -> None:
    ghostly = [matrix.ghost_chance(8, 16, held) for held in range(2, 20)]
    assert ghostly == sorted(ghostly)
    for held, chance in enumerate(ghostly, start=2):
        assert matrix.blocked_chance(8, 16, held) >= chance


def test_electrons_are_the_current_over_the_time() -> None:
    current_A = matrix.pull_up_current_A(5.0, 10e3)
    assert np.isclose(current_A, 500e-6)
    electrons = matrix.pull_up_electrons(5.0, 10e3, 0.1, 1.0)
    assert np.isclose(electrons * 1.602176634e-19, current_A * 0.1)
    assert np.isclose(electrons, 3.1e14, rtol=0.01)
    assert np.isclose(matrix.pull_up_energy_J(5.0, 10e3, 0.1, 1.0), 5.0 * current_A * 0.1)


@given(st.floats(0.05, 0.9))
def test_a_released_row_has_risen_to_the_threshold(threshold: float) -> None:
    time_s = matrix.recovery_time_s(35e3, 1e-10, threshold)
    assert np.isclose(1.0 - np.exp(-time_s / (35e3 * 1e-10)), threshold)


def test_a_random_press_waits_half_a_scan_on_average() -> None:
    phases = np.random.default_rng(1).uniform(size=100_000)
    assert np.isclose(np.mean(matrix.scan_wait_s(7e-3, phases)), 3.5e-3, rtol=0.01)


def test_a_matrix_saves_wires() -> None:
    assert matrix.direct_wires(104.0) == 105.0
    assert matrix.matrix_wires(8.0, 16.0) == 24.0


def test_duty_never_exceeds_the_whole_time() -> None:
    assert np.isclose(matrix.scan_duty(30e-6, 1e-3), 0.03)
    assert matrix.scan_duty(1e-3, 1e-4) == 1.0
    assert np.isclose(matrix.scan_time_s(16.0, 30e-6, 520e-6), 1e-3)
