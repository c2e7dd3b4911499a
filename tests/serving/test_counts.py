"""Exact counts, held to what is published: weights, operations a token, bytes of the cache."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from roundtrip.catalog.architectures import rows
from roundtrip.catalog.load import load
from roundtrip.journey.validate_counts import NVIDIA, flop
from roundtrip.serving import counts
from roundtrip.serving.architecture import Architecture, Block, architecture

EVERY = sorted(rows())
UNSAID = {"nemotron-nano-12b-v2"}  # its maker says 12 billion and no more
EVERY_KIND = [
    "llama-3.1-8b",
    "gpt-oss-120b",
    "gemma-3-27b",
    "glm-5",
    "qwen3.5-397b-a17b",
    "deepseek-v4-flash",
    "kimi-k3",
]
# How the entries of the two catalogs are called in each; figures of both must agree.
BOTH = sorted(set(EVERY) & set(load("models")))


@pytest.mark.parametrize("key", EVERY)
def test_the_weights_are_those_that_are_published(key: str) -> None:
    said, a = rows()[key].published, architecture(key)
    assert (not said.parameters) == (key in UNSAID)
    if said.parameters:
        counted = counts.parameters(a) + (counts.draft_parameters(a) if said.drafts else 0.0)
        assert abs(counted / said.parameters - 1.0) < 0.005
        if said.parameters % 10**6:  # no rounded number: to a few thousand, which are no weights of a layer
            assert abs(counted / said.parameters - 1.0) < 2e-5 or key == "kimi-k2.5"
    if said.active_parameters:  # makers round; some count the table that is only looked up, some not even the head
        beside = (0.0, counts.table_parameters(a), -counts.head_parameters(a))
        near = min(abs((counts.active_parameters(a) + part) / said.active_parameters - 1.0) for part in beside)
        assert near < 0.11


def test_most_published_numbers_are_met_to_the_unit() -> None:
    exact = 0
    for key in EVERY:
        said, a = rows()[key].published, architecture(key)
        drafts = counts.draft_parameters(a) if said.drafts else 0.0
        exact += counts.parameters(a) + drafts == said.parameters
    assert exact >= 50


@pytest.mark.parametrize(("name", "tokens", "rate", "length", "drafts"), NVIDIA)
def test_operations_of_training_megatron_bridge(
    name: str, tokens: float, rate: float, length: float, drafts: bool
) -> None:
    assert abs(flop(architecture(name), length, drafts) / (rate * 1e12 / tokens) - 1.0) < 0.007


def test_operations_of_deepseek_v3_zhao_2025_table_2() -> None:
    assert abs(counts.training_flop_per_token(architecture("deepseek-v3"), 4096.0) / 250e9 - 1.0) < 0.007


def test_bytes_of_the_cache_zhao_2025_table_1() -> None:
    for name, size_B in (("deepseek-v3", 70_272), ("llama-3.1-405b", 516_096), ("qwen2.5-72b", 327_680)):
        assert 2.0 * counts.cache_elements(architecture(name)) == size_B


@pytest.mark.parametrize("key", EVERY)
def test_heaps_add_up_and_grow(key: str) -> None:
    a = architecture(key)
    heaps = counts.table_parameters(a), counts.common_parameters(a), counts.routed_parameters(a), a.other_parameters
    assert sum(heaps) == counts.parameters(a)
    assert counts.common_parameters(a) <= counts.active_parameters(a) <= counts.parameters(a)
    tokens = np.array([1.0, 2.0, 16.0, 256.0, 1e5])
    touched = counts.touched_parameters(a, tokens)
    assert np.isclose(touched[0], counts.active_parameters(a), rtol=1e-12)
    assert np.all(np.diff(touched) >= 0.0)
    assert np.isclose(touched[-1], counts.common_parameters(a) + counts.routed_parameters(a), rtol=1e-9)
    context = np.array([1.0, 100.0, 128.0, 1000.0, 5000.0, 1e5])
    for read in (counts.cache_held_elements, counts.cache_read_elements, counts.write_attention_flop):
        values = read(a, context)
        assert values.shape == context.shape
        assert np.all(np.diff(values) >= 0.0)
    assert np.all(
        counts.cache_held_elements(a, context) <= counts.cache_elements(a) * context + counts.state_elements(a)
    )
    assert 1 <= counts.cache_shards(a) <= 128
    assert counts.moe_layers(a) <= counts.layers(a)
    assert counts.half_layers(a) <= 2 * counts.layers(a)


@pytest.mark.parametrize("key", EVERY_KIND)
def test_a_prompt_is_the_sum_of_its_tokens_and_of_its_chunks(key: str) -> None:
    a = architecture(key)
    whole = counts.prompt_attention_flop(a, 3000.0)
    chunks = sum(counts.prompt_attention_flop(a, 500.0, 500.0 * i) for i in range(6))
    assert np.isclose(whole, chunks, rtol=1e-12)
    one_by_one = counts.prompt_attention_flop(a, 1.0, np.arange(3000.0)).sum()
    assert np.isclose(whole, one_by_one, rtol=1e-12)
    if all(b.attention != "mla" for b in a.blocks):  # latent attention is computed otherwise when it writes
        assert np.isclose(whole, counts.write_attention_flop(a, np.arange(1.0, 3001.0)).sum(), rtol=1e-12)


def test_windows_selection_and_state_bound_what_is_read() -> None:
    windowed, sparse, hybrid = (architecture(key) for key in ("gpt-oss-120b", "glm-5", "qwen3-next-80b-a3b"))
    near, far = (counts.cache_read_elements(windowed, x) for x in (128.0, 12_800.0))
    assert far == near / 2.0 * (1.0 + 100.0)  # half of the layers see 128 tokens
    near, far = (counts.cache_read_elements(sparse, x) for x in (2048.0, 20_480.0))
    assert far - near == 78 * 128 * (20_480 - 2048)  # beyond the selected tokens only the indexer's keys are read
    assert counts.cache_elements(hybrid) == 12 * 2 * 2 * 256
    assert counts.state_elements(hybrid) == 36 * (32 * 128 * 128 + 3 * (2 * 16 * 128 + 32 * 128))
    assert counts.cache_read_elements(hybrid, 0.0) == 2.0 * counts.state_elements(hybrid)


def test_joined_vectors_stand_for_what_lies_beyond_the_window() -> None:
    a = architecture(
        "deepseek-v4-flash"
    )  # 2 layers with a window alone, 21 that join 4 tokens and select, 20 that join 128
    e, window = 512, 128
    far = 1e6
    held = 43 * window * e + 21 * far / 4 * (e + 128) + 20 * far / 128 * e
    assert np.isclose(counts.cache_held_elements(a, far), held, rtol=1e-12)
    read = 43 * window * e + 21 * (512 * e + far / 4 * 128) + 20 * far / 128 * e
    assert np.isclose(counts.cache_read_elements(a, far), read, rtol=1e-12)
    assert counts.cache_read_elements(a, far) < 0.03 * counts.cache_read_elements(architecture("deepseek-v3"), far)


def test_a_shared_table_is_counted_once() -> None:
    block = Block(1, "gqa", 2, 1, 8, 8, inner_width=64)
    apart = Architecture("x", 16, 100, False, (block,))
    tied = replace(apart, tied=True)
    assert counts.parameters(apart) - counts.parameters(tied) == 1600.0
    assert counts.active_parameters(apart) == counts.active_parameters(tied)
    assert counts.parameters(tied) == 1600.0 + 16 * 8 * (2 * 2 + 2 * 1) + 3 * 16 * 64


def test_drafts_are_counted_beside_the_model() -> None:
    a = architecture("deepseek-v3")
    assert counts.draft_parameters(replace(a, draft_blocks=())) == 0.0
    assert np.all(counts.draft_flop_per_token(replace(a, draft_blocks=()), np.ones(3)) == 0.0)
    assert counts.parameters(replace(a, draft_blocks=())) == counts.parameters(a)
    assert 11e9 < counts.draft_parameters(a) < 12e9


@pytest.mark.parametrize("key", BOTH)
def test_both_catalogs_agree(key: str) -> None:
    a, model = architecture(key), load("models")[key]
    blocks, said = a.blocks, {name: figure.value for name, figure in model.figures.items()}
    widest = {
        "layers": counts.layers(a), "hidden_width": a.hidden_width, "vocabulary": a.vocabulary,
        "heads": blocks[0].heads, "head_width": blocks[0].head_width,
        "kv_heads": blocks[0].heads if blocks[0].attention == "mla" else blocks[0].kv_heads,
        "experts": max(b.experts for b in blocks), "picked_experts": max(b.picked_experts for b in blocks),
        "expert_width": max(b.expert_width for b in blocks), "query_rank": blocks[0].query_rank,
        "kv_rank": blocks[0].kv_rank, "rope_width": blocks[0].rope_width,
    }  # fmt: skip
    for name, value in widest.items():
        if name in said and value:
            assert said[name] == value, name
    assert abs(said["parameters"] / counts.parameters(a) - 1.0) < 0.03  # rounded, or without the eye
    assert (model.texts["tables"] == "shared") == a.tied
    assert (model.texts["mixture"] == "moe") == bool(counts.moe_layers(a))


def test_both_catalogs_overlap() -> None:
    assert {"deepseek-v3", "llama-3.1-8b", "llama-3.1-70b", "qwen3-32b", "gpt-oss-120b", "gemma-3-27b"} <= set(BOTH)
