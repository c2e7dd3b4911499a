"""Messages between ranks."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.model import parallel


def test_one_rank_has_nobody_to_talk_to() -> None:
    assert parallel.ring_all_reduce_time_s(1e9, 1.0, 450e9, 0.5, 8e-6) == 0.0
    assert parallel.all_to_all_time_s(1e9, 1.0, 450e9, 0.5, 8e-6) == 0.0


@given(st.floats(2.0, 1000.0), st.floats(1.0, 1e9))
def test_ring_never_beats_its_bytes_nor_doubles_them(ranks: float, size_B: float) -> None:
    t = parallel.ring_all_reduce_time_s(size_B, ranks, 450e9, 1.0, 0.0)
    assert size_B / 450e9 * (1.0 - 1e-12) <= t <= 2.0 * size_B / 450e9


def test_ring_moves_what_a_simulated_ring_moves() -> None:
    """Add chunks around a ring of 4 ranks, count what each sends: 2 (n - 1) / n of the vector."""
    n, size = 4, 8
    data = np.random.default_rng(7).normal(size=(n, n, size // n))
    want = data.sum(axis=0)
    sent = 0
    for phase in range(2):
        for step in range(n - 1):
            before = data.copy()
            for rank in range(n):
                chunk = (rank - step + phase) % n
                after = (rank + 1) % n
                data[after, chunk] = before[rank, chunk] + (0.0 if phase else before[after, chunk])
                sent += size // n
    for rank in range(n):
        np.testing.assert_allclose(data[rank], want)
    t = parallel.ring_all_reduce_time_s(float(size), float(n), 1.0, 1.0, 0.0)
    assert np.isclose(sent / n, t)


def test_messages_follow_tokens_and_experts() -> None:
    assert parallel.expert_message_B(2.0, 7168.0, 8.0, 2.0) == 2.0 * 8.0 * parallel.layer_message_B(1.0, 7168.0, 2.0)


def test_ranks_of_one_group_exchange_nothing() -> None:
    assert parallel.exchange_ranks(8.0, 8.0) == 1.0
    assert parallel.exchange_ranks(144.0, 1.0) == 144.0
