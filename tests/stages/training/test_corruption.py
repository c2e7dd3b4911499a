"""Silent corruption: memory does not see it, the checksum does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.training import corruption

numbers = st.floats(allow_nan=False, allow_infinity=False)


def _matrices(seed: int, rows: int = 24, inner: int = 40, columns: int = 16) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    return generator.normal(size=(rows, inner)), generator.normal(size=(inner, columns))


@given(numbers, st.integers(0, 63))
def test_memory_sees_every_single_flip_of_what_it_stores(value: float, bit: int) -> None:
    check = corruption.check_bits(value)
    assert not corruption.memory_sees(value, check)
    assert corruption.memory_sees(corruption.flip_bit(value, bit), check)


@given(numbers, st.integers(0, 63), st.integers(0, 63))
def test_memory_sees_every_double_flip_too(value: float, first: int, second: int) -> None:
    check = corruption.check_bits(value)
    twice = corruption.flip_bit(corruption.flip_bit(value, first), second)
    assert corruption.memory_sees(twice, check) == (first != second)


@given(st.integers(0, 10_000), st.integers(0, 23), st.integers(0, 15), st.integers(30, 51))
def test_a_flip_in_the_adder_passes_memory_and_fails_the_checksum(seed: int, row: int, column: int, bit: int) -> None:
    a, b = _matrices(seed)
    product = corruption.multiply_with_fault(a, b, row, column, bit)
    stored = float(product[row, column])
    assert not corruption.memory_sees(stored, corruption.check_bits(stored))
    assert stored != float((a @ b)[row, column])
    # A high mantissa bit of a result of ordinary size; tiny results can hide below rounding.
    if abs(stored) > 0.1:
        assert corruption.checksum_sees(a, b, product)


@given(st.integers(0, 10_000))
def test_honest_products_pass_the_checksum(seed: int) -> None:
    a, b = _matrices(seed)
    assert not corruption.checksum_sees(a, b, a @ b)


def test_the_lowest_bit_hides_in_rounding() -> None:
    a, b = _matrices(1)
    assert not corruption.checksum_sees(a, b, corruption.multiply_with_fault(a, b, 3, 4, 0))


def test_what_is_not_a_number_is_seen() -> None:
    a, b = _matrices(2)
    product = a @ b
    product[0, 0] = math.nan
    assert corruption.checksum_sees(a, b, product)


def test_overhead_counts_the_additions() -> None:
    rows, columns, inner = 100, 300, 200
    extra = rows * inner + 2 * inner * columns + rows * columns
    assert corruption.checksum_overhead(rows, columns, inner) == pytest.approx(extra / (2 * rows * columns * inner))


@given(st.floats(1e-15, 1e-6), st.integers(1, 10**6), st.floats(1.0, 1e7))
def test_chance_is_below_the_expected_number(rate: float, accelerators: int, duration: float) -> None:
    expected = corruption.expected_corruptions(rate, accelerators, duration)
    chance = corruption.corrupted_chance(rate, accelerators, duration)
    assert 0.0 <= chance <= min(expected, 1.0) * (1 + 1e-12)


def test_rate_of_the_llama_log_is_one_in_three_and_a_half_million_hours() -> None:
    rate = corruption.rate_of_events(6, 16_384, 54 * 86_400.0)
    assert 1.0 / rate / 3600 == pytest.approx(3.54e6, rel=0.01)
    assert corruption.time_between_s(rate, 16_384) == pytest.approx(9 * 86_400.0)


def test_late_discovery_costs_the_time_until_it() -> None:
    assert corruption.rollback_loss_s(86_400.0, 600.0, 600.0) == pytest.approx(87_300.0)


def test_honest_rounding_stays_below_the_bound() -> None:
    generator = np.random.default_rng(3)
    worst = 0.0
    for _ in range(50):
        a, b = generator.uniform(size=(64, 64)), generator.uniform(size=(64, 64))
        got, want = (a @ b).sum(axis=0), a.sum(axis=0) @ b
        worst = max(worst, float(np.max(np.abs(got - want) / want)))
    assert 0.0 < worst < corruption.rounding_of_check(2.2e-16, 64, 64)
