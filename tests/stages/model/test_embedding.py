"""Rows of the embedding table."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.model import embedding


@given(st.integers(1, 1000), st.integers(16, 8192))
def test_bytes_grow_with_tokens_and_width(tokens: int, width: int) -> None:
    assert embedding.lookup_B(float(tokens), float(width)) == tokens * embedding.lookup_B(1.0, float(width))


def test_lookup_equals_one_hot_times_table() -> None:
    table = np.random.default_rng(1).normal(size=(11, 4))
    ids = np.array([3, 0, 3])
    np.testing.assert_array_equal(embedding.look_up(table, ids), np.eye(11)[ids] @ table)


def test_cosine_of_a_vector_with_itself_its_opposite_and_a_right_angle() -> None:
    x, y = np.array([3.0, 4.0]), np.array([-4.0, 3.0])
    assert np.allclose(
        [embedding.cosine(x, 2.0 * x), embedding.cosine(x, -x), embedding.cosine(x, y)], [1.0, -1.0, 0.0]
    )


def test_lookup_takes_at_least_its_latency() -> None:
    assert embedding.lookup_time_s(0.0, 1e12, 4e-6) == 4e-6
    assert embedding.lookup_time_s(1e6, 1e12, 4e-6) > 4e-6
