"""The gateway: the bucket's closed form beside the bucket that runs, and a key that no table gives away."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.datacenter import gateway


@given(
    st.floats(10.0, 1e4),
    st.floats(0.1, 100.0),
    st.lists(st.tuples(st.floats(0.0, 10.0), st.floats(0.0, 500.0)), max_size=60),
)
def test_no_window_passes_more_than_depth_and_rate_allow(
    depth: float, rate: float, asked: list[tuple[float, float]]
) -> None:
    bucket = gateway.TokenBucket(depth, rate, depth)
    now, taken = 0.0, 0.0
    for wait, demand in asked:
        now += wait
        if bucket.take(now, demand):
            taken += demand
        assert taken <= depth + rate * now + 1e-6
        assert 0.0 <= bucket.level <= depth


@given(st.floats(0.0, 1000.0), st.floats(0.1, 100.0), st.floats(0.0, 1000.0))
def test_who_waits_as_long_as_the_closed_form_says_is_let_through(level: float, rate: float, demand: float) -> None:
    wait = float(gateway.bucket_wait_s(demand, level, rate))
    assert gateway.TokenBucket(2000.0, rate, level).take(wait + 1e-6, demand)
    if wait > 1e-3:
        assert not gateway.TokenBucket(2000.0, rate, level).take(wait * 0.999 - 1e-6, demand)


def test_a_flood_is_stopped_after_the_burst_that_the_closed_form_gives() -> None:
    depth, rate, step = 1000.0, 50.0, 1e-3
    bucket = gateway.TokenBucket(depth, rate, depth)
    now = 0.0
    while bucket.take(now, 3.0 * rate * step):
        now += step
    assert now == pytest.approx(float(gateway.burst_s(depth, rate, 3.0)), rel=0.01)


def test_the_level_spills_at_the_depth_and_adds_up_over_time() -> None:
    assert gateway.bucket_level_after(10.0, 100.0, 5.0, 4.0) == 30.0
    assert gateway.bucket_level_after(10.0, 100.0, 5.0, 1e6) == 100.0
    assert gateway.bucket_level_after(500.0, 100.0, 5.0, 0.0) == 100.0
    once = gateway.bucket_level_after(gateway.bucket_level_after(3.0, 100.0, 5.0, 2.0), 100.0, 5.0, 7.0)
    assert once == pytest.approx(gateway.bucket_level_after(3.0, 100.0, 5.0, 9.0))


def test_a_key_is_found_by_its_hash_and_the_table_does_not_hold_it() -> None:
    accounts = {name: hashlib.sha256(f"sk-{name}".encode()).digest() for name in ("ada", "bob")}
    assert gateway.authenticate("sk-bob", accounts) == "bob"
    assert gateway.authenticate("sk-eve", accounts) is None
    assert gateway.authenticate("", {}) is None
    assert not any(b"sk-" in stored for stored in accounts.values())


def test_screening_grows_with_prompt_and_model_above_its_fixed_part() -> None:
    tokens = np.array([1.0, 100.0, 10_000.0])
    small = gateway.screening_s(tokens, 22e6, 312e12, 0.05, 0.015)
    large = gateway.screening_s(tokens, 86e6, 312e12, 0.05, 0.015)
    assert np.all(np.diff(small) > 0.0)
    np.testing.assert_allclose((large - 0.015) / (small - 0.015), 86.0 / 22.0)


def test_opening_costs_time_and_energy_in_proportion() -> None:
    assert gateway.decrypt_s(3e9, 1.0, 3e9) == 1.0
    assert gateway.work_J(gateway.decrypt_s(2048.0, 0.64, 3e9), 6.0) == pytest.approx(2048 * 0.64 / 3e9 * 6)
