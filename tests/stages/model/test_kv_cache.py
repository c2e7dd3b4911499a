"""Keys and values that are kept."""

from __future__ import annotations

import numpy as np

from roundtrip.stages.model import attention, kv_cache


def test_step_by_step_equals_the_whole_pass() -> None:
    q, k, v = np.random.default_rng(6).normal(size=(3, 20, 8))
    cache = kv_cache.Cache()
    steps = np.stack([cache.step(q[i], k[i], v[i]) for i in range(20)])
    np.testing.assert_allclose(steps, attention.attend(q, k, v), rtol=1e-12)


def test_latent_against_grouped_heads_zhao_2025_table_1() -> None:
    latent = kv_cache.mla_token_B(61.0, 512.0, 64.0, 2.0)
    assert np.isclose(kv_cache.gqa_token_B(126.0, 8.0, 128.0, 2.0) / latent, 7.34, rtol=1e-3)
    assert np.isclose(kv_cache.gqa_token_B(80.0, 8.0, 128.0, 2.0) / latent, 4.66, rtol=1e-3)


def test_heads_can_be_split_but_one_latent_is_copied() -> None:
    assert kv_cache.shard_B(800.0, 8.0, 8.0) == 100.0
    assert kv_cache.shard_B(800.0, 16.0, 8.0) == 100.0
    assert kv_cache.shard_B(800.0, 8.0, 1.0) == 800.0


def test_no_room_where_the_weights_fill_the_memory() -> None:
    assert kv_cache.capacity_tokens(80e9, 0.9, 671e9, 70272.0) == 0.0
    assert kv_cache.capacity_tokens(80e9, 0.9, 16e9, 131072.0) == (72e9 - 16e9) / 131072.0


def test_last_page_is_partly_empty() -> None:
    assert kv_cache.pages(33.0, 16.0) == 3.0


def test_transfer_of_nothing_takes_the_latency() -> None:
    assert kv_cache.transfer_time_s(0.0, 50e9, 0.8, 1e-5) == 1e-5
    assert np.isclose(kv_cache.transfer_time_s(kv_cache.cache_B(1000.0, 70272.0, 1.0), 50e9, 0.8, 0.0), 70272e3 / 40e9)
