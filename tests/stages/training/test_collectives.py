"""Collective operations, against a ring and a cluster that really pass the numbers on."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.training import collectives


def play_ring(values: np.ndarray) -> tuple[np.ndarray, int, int]:
    """Add up the rows over a ring, chunk by chunk; return the rows, the steps, and the numbers that one member sent."""
    members, length = values.shape
    chunk = length // members
    held = [row.copy() for row in values]
    steps = sent = 0
    for phase in ("reduce", "gather"):
        for turn in range(members - 1):
            moving = []
            for member in range(members):
                part = (member - turn + (phase == "gather")) % members
                moving.append((part, held[member][part * chunk : (part + 1) * chunk].copy()))
            for member, (part, numbers) in enumerate(moving):
                place = slice(part * chunk, (part + 1) * chunk)
                neighbor = held[(member + 1) % members]
                neighbor[place] = neighbor[place] + numbers if phase == "reduce" else numbers
            steps += 1
            sent += chunk
    return np.array(held), steps, sent


@pytest.mark.parametrize("members", [2, 3, 8, 12])
def test_ring_sums_and_sends_what_the_form_says(members: int) -> None:
    values = np.random.default_rng(1).normal(size=(members, members * 5))
    held, steps, sent = play_ring(values)
    np.testing.assert_allclose(held, np.broadcast_to(values.sum(axis=0), held.shape))
    assert sent / values.shape[1] == pytest.approx(collectives.all_reduce_factor(members))
    # With a bandwidth that makes bytes free, the time counts the steps.
    assert collectives.ring_all_reduce_s(1.0, members, 1e15, 1.0, 0.0) == pytest.approx(steps)


@given(st.floats(1e3, 1e10), st.integers(2, 4096))
def test_tree_wins_for_small_messages_ring_for_large(size: float, ranks: int) -> None:
    ring = collectives.ring_all_reduce_s(1.0, ranks, 1e11, 1e-6, 0.0)
    tree = collectives.tree_all_reduce_s(1.0, ranks, 1e11, 1e-6, 0.0)
    assert tree <= ring * 1.0001
    assert collectives.ring_all_reduce_s(size, ranks, 1e11, 0.0, 0.0) <= collectives.tree_all_reduce_s(
        size, ranks, 1e11, 0.0, 0.0
    )


def test_one_server_needs_no_network() -> None:
    alone = collectives.hierarchical_all_reduce_s(1e9, 8, 1, 450e9, 1e3, 1e-6, 1.0)
    assert alone == pytest.approx(collectives.ring_all_reduce_s(1e9, 8, 450e9, 1e-6, 0.0))


def test_rails_carry_a_slice_each() -> None:
    few = collectives.hierarchical_all_reduce_s(1e9, 1, 64, 450e9, 50e9, 0.0, 0.0)
    many = collectives.hierarchical_all_reduce_s(1e9, 8, 64, 1e15, 50e9, 0.0, 0.0)
    assert few / many == pytest.approx(8.0, rel=1e-3)


@given(st.floats(1e3, 1e12), st.integers(2, 1024), st.floats(1e-7, 1e-3))
def test_bus_bandwidth_is_that_of_the_time(size: float, ranks: int, latency: float) -> None:
    duration = collectives.ring_all_reduce_s(size, ranks, 4e11, 0.0, latency)
    measured = collectives.measured_bus_bandwidth_B_s(size, ranks, duration)
    assert measured == pytest.approx(collectives.bus_bandwidth_B_s(size, ranks, 4e11, latency))
    assert measured < 4e11


def test_all_to_all_sends_half_of_an_all_reduce() -> None:
    both = collectives.all_to_all_s(1e9, 16, 1e11, 0.0) * 2.0
    assert both == pytest.approx(collectives.ring_all_reduce_s(1e9, 16, 1e11, 0.0, 0.0))
