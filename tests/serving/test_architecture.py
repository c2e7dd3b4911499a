"""Names that lead to an architecture, and what a description must hold."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.catalog.architectures import rows
from roundtrip.errors import DomainError
from roundtrip.serving import counts
from roundtrip.serving.architecture import architecture, catalog_key, known_names, made
from roundtrip.serving.estimate import architecture_from_name, architecture_or_estimate, stated_sizes

BLOCK = {"layers": 2, "attention": "gqa", "heads": 4, "kv_heads": 2, "head_width": 8, "inner_width": 64}
SMALL: dict[str, Any] = {"hidden_width": 32, "vocabulary": 100, "blocks": [BLOCK]}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("meta-llama/Llama-3.1-70B", "llama-3.1-70b"),
        ("META-LLAMA/Meta-Llama-3.1-70B-Instruct", "llama-3.1-70b"),
        ("RedHatAI/Llama-3.1-8B-Instruct-FP8-dynamic", "llama-3.1-8b"),
        ("nvidia/DeepSeek-R1-0528-NVFP4-v2", "deepseek-r1"),
        ("nvidia/DeepSeek-V3.1-NVFP4", "deepseek-v3"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-v3.2"),
        ("Qwen/Qwen3-235B-A22B-Instruct-2507-FP8", "qwen3-235b-a22b"),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", "qwen3-30b-a3b"),
        ("Qwen/Qwen3-32B-AWQ", "qwen3-32b"),
        ("zhipuai/GLM-5", "glm-5"),
        ("zai-org/GLM-5.2-FP8", "glm-5.2"),
        ("nvidia/Kimi-K2.5-NVFP4", "kimi-k2.5"),
        ("openai/gpt-oss-120b", "gpt-oss-120b"),
        ("google/gemma-3-27b-it", "gemma-3-27b"),
        ("mistralai/Mistral-7B-Instruct-v0.1", "mistral-7b-v0.1"),
        ("mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b-v0.3"),
        ("/models/Qwen3-8B/", "qwen3-8b"),
    ],
)
def test_names_of_the_hub_lead_to_the_catalog(name: str, key: str) -> None:
    assert catalog_key(name) == key
    assert architecture(name).name == key


def test_every_name_in_the_catalog_leads_to_its_own_entry() -> None:
    for key, row in rows().items():
        assert architecture(key).name == key
        for hub in row.hubs:
            assert catalog_key(hub) == key, hub
            assert catalog_key(f"someone/{hub.rpartition('/')[2]}-FP8") is not None
    assert set(known_names().values()) == set(rows())


def test_an_unknown_name_is_told_the_nearest() -> None:
    with pytest.raises(DomainError, match=r"no architecture 'lama-3.1-8b'; did you mean 'llama-3.1-8b'"):
        architecture("lama-3.1-8b")
    for name in ("a" * 5000, "x" * 5000 + ".json", "\0", "~"):
        with pytest.raises(DomainError) as error:
            architecture(name)
        assert len(str(error.value)) < 400
    with pytest.raises(DomainError, match=r"config\.json"):
        architecture("/no/such/config.json")


@given(st.text(max_size=40))
def test_any_text_is_a_name_or_a_clear_error(name: str) -> None:
    with suppress(DomainError):
        architecture_or_estimate(name)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("a/Foo-70B", (70e9, 70e9)), ("Foo-1.5B-Chat", (1.5e9, 1.5e9)), ("Foo-480B-A35B-Instruct", (480e9, 35e9)),
        ("Foo-8x7B-v0.1", (56e9, 14e9)), ("Foo-1T-A50B", (1e12, 50e9)), ("Foo-350m", (350e6, 350e6)),
        ("Foo-Large", None), ("Foo-v2", None), ("Foo-5B-A7B", None),
    ],
)  # fmt: skip
def test_sizes_that_a_name_states(name: str, sizes: tuple[float, float] | None) -> None:
    assert stated_sizes(name) == sizes


@pytest.mark.parametrize("name", ["Foo-70B", "Foo-33B", "Foo-700m", "Foo-300B-A20B", "Foo-2T-A60B", "Qwen7-60B-A4B"])
def test_an_estimate_has_the_stated_sizes_and_says_that_it_is_one(name: str) -> None:
    a = architecture_or_estimate(f"maker/{name}")
    total, active = stated_sizes(name) or (0.0, 0.0)
    assert a.is_estimate
    assert "estimated" in a.note
    assert abs(counts.parameters(a) / total - 1.0) < 0.06
    assert abs(counts.active_parameters(a) / active - 1.0) < 0.12
    assert not architecture("llama-3.1-70b").is_estimate


def test_an_estimate_needs_a_size() -> None:
    with pytest.raises(DomainError, match="states no size"):
        architecture_from_name("maker/Foo-Large")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"hidden_with": 32}, "unknown key 'hidden_with'; did you mean 'hidden_width'"),
        ({"hidden_width": 0}, "hidden_width is missing"),
        ({"hidden_width": 1.5}, r"hidden_width = 1.5, expected a whole number"),
        ({"vocabulary": -1}, "vocabulary = -1"),
        ({"tied": 1}, "tied = 1, expected true or false"),
        ({"precision": "fp7"}, "precision = 'fp7', expected one of"),
        ({"blocks": []}, "blocks is empty"),
        ({"blocks": 3}, "blocks = 3, expected a list"),
        ({"blocks": [3]}, r"blocks\[0\]: expected a table, not int"),
        ({"blocks": [BLOCK | {"attention": "full"}]}, "attention = 'full', expected one of gqa, mla"),
        ({"blocks": [BLOCK | {"kv_heads": 3}]}, "heads = 4 is no multiple of kv_heads = 3"),
        ({"blocks": [BLOCK | {"layers": 0}]}, "layers = 0"),
        ({"blocks": [BLOCK | {"head_width": 0}]}, "head_width is missing"),
        ({"blocks": [BLOCK | {"experts": 8}]}, "picked_experts is missing"),
        ({"blocks": [BLOCK | {"experts": 8, "picked_experts": 9, "expert_width": 8}]}, "at most experts = 8"),
        ({"blocks": [BLOCK | {"experts": 10**20}]}, "experts = 100000000000000000000, expected a whole number"),
    ],
)
def test_what_a_description_must_hold(change: dict[str, Any], said: str) -> None:
    assert made(SMALL, "small", "here").blocks[0].value_width == 8
    with pytest.raises(DomainError, match=said):
        made(SMALL | change, "small", "here")
