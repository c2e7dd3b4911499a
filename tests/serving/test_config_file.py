"""Files of the hub: written from published values, equal to the catalog; broken ones told in one line."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.errors import DomainError, RoundtripError
from roundtrip.serving import counts
from roundtrip.serving.architecture import architecture
from roundtrip.serving.config_file import from_config, read_config

DATA = Path(__file__).parent / "data"
LLAMA: dict[str, Any] = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "vocab_size": 100,
    "num_attention_heads": 4, "num_key_value_heads": 2,
}  # fmt: skip


@pytest.mark.parametrize(
    ("folder", "key"),
    [
        ("dense", "llama-3.1-70b"), ("latent", "deepseek-v3"), ("windowed", "gemma-3-27b"),
        ("hybrid", "qwen3-next-80b-a3b"),
    ],
)  # fmt: skip
def test_files_written_from_published_values_equal_the_catalog(folder: str, key: str) -> None:
    read, known = read_config(DATA / folder), architecture(key)
    assert replace(read, name=key) == known
    assert architecture(str(DATA / folder / "config.json")) == read


def test_an_unknown_family_is_read_by_the_keys_of_llama_and_says_so() -> None:
    a = from_config(LLAMA | {"model_type": "newcomer"})
    assert "model_type 'newcomer' is not known: read like Llama" in a.note
    assert a.blocks == from_config(LLAMA).blocks


@pytest.mark.parametrize(
    ("found", "precision", "routed"),
    [
        (None, "bf16", ""),
        ({"quant_method": "fp8"}, "fp8", ""),
        ({"quant_method": "fbgemm_fp8"}, "fp8", ""),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "fp4", ""),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["layers.0.self_attn*"]}, "bf16", "fp4"),
        ({"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]}, "bf16", "mxfp4"),
        ({"quant_method": "fp8", "modules_to_not_convert": ["model.layers.3.self_attn.q_a_layernorm"]}, "fp8", ""),
        ({"quant_method": "awq", "bits": 4}, "int4", ""),
        ({"quant_method": "gptq", "bits": 8}, "int8", ""),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "int4", ""),
        ({"quant_method": "compressed-tensors",
          "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float"}}}}, "fp8", ""),
        ({"quant_method": "compressed-tensors", "ignore": ["re:.*self_attn.*"],
          "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int"}}}}, "bf16", "int4"),
    ],
)  # fmt: skip
def test_the_precision_of_the_weights(found: Any, precision: str, routed: str) -> None:
    a = from_config(LLAMA | {"quantization_config": found})
    assert (a.precision, a.routed_precision) == (precision, routed)


def test_a_file_beside_it_may_say_how_weights_are_rounded(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    (tmp_path / "hf_quant_config.json").write_text(
        '{"quantization": {"quant_algo": "FP8", "exclude_modules": ["lm_head"]}}'
    )
    assert read_config(tmp_path).precision == "fp8"
    (tmp_path / "hf_quant_config.json").write_text('{"quantization": 3}')
    with pytest.raises(DomainError, match=r"hf_quant_config.json: quantization = 3, expected a table"):
        read_config(tmp_path)


def test_windows_of_each_family() -> None:
    def windows(**keys: Any) -> list[tuple[int, int]]:
        body = LLAMA | {"num_hidden_layers": 12, "max_position_embeddings": 8192, **keys}
        return [(b.layers, b.window_tokens) for b in from_config(body).blocks]

    assert windows(model_type="mistral", sliding_window=4096) == [(12, 4096)]
    assert windows(model_type="mistral", sliding_window=None) == [(12, 0)]
    assert windows(model_type="phi3", sliding_window=262_144) == [(12, 0)]
    assert windows(model_type="qwen2", sliding_window=4096, use_sliding_window=False) == [(12, 0)]
    assert windows(model_type="gemma2", sliding_window=4096) == [(6, 4096), (6, 0)]
    assert windows(model_type="gemma3_text", sliding_window=512) == [(10, 512), (2, 0)]
    types = ["full_attention", "sliding_attention", "sliding_attention"] * 4
    assert windows(model_type="step3p7", sliding_window=512, layer_types=types) == [(4, 0), (8, 512)]
    assert windows(model_type="llama4_text", attention_chunk_size=8192, intermediate_size_mlp=96) == [(9, 8192), (3, 0)]


def test_hybrids_searched_and_plain_models() -> None:
    hybrid = from_config({
        "model_type": "nemotron_h", "hidden_size": 64, "intermediate_size": 96, "vocab_size": 100, "head_dim": 16,
        "hybrid_override_pattern": "M-M*ME", "num_attention_heads": 4, "num_key_value_heads": 2, "mamba_num_heads": 8,
        "mamba_head_dim": 16, "n_groups": 2, "ssm_state_size": 32, "conv_kernel": 4, "n_routed_experts": 4,
        "num_experts_per_tok": 2, "moe_intermediate_size": 32, "moe_shared_expert_intermediate_size": 48,
    })  # fmt: skip
    assert [(b.layers, b.attention) for b in hybrid.blocks] == [(3, "linear"), (1, "none"), (1, "gqa"), (1, "none")]
    assert counts.layers(hybrid) == counts.half_layers(hybrid) == 6
    assert counts.state_elements(hybrid) == 3 * (8 * 16 * 32 + 3 * (8 * 16 + 2 * 2 * 32))
    searched = from_config(LLAMA | {"model_type": "nemotron-nas", "block_configs": [
        {"attention": {"n_heads_in_group": 2}, "ffn": {"ffn_mult": 6.0}},
        {"attention": {"no_op": True}, "ffn": {"ffn_mult": 12.0}},
    ]})  # fmt: skip
    assert [(b.attention, b.kv_heads, b.inner_width) for b in searched.blocks] == [("gqa", 2, 256), ("none", 0, 512)]
    gpt = from_config({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024,
                       "vocab_size": 50_257})  # fmt: skip
    assert counts.parameters(gpt) == 124_439_808.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"), ("{", "not JSON"), ("[" * 100_000, "not JSON"), ("[1]", "expected a table of keys, not list"),
        ("{}", "hidden_size is missing"), ('{"hidden_size": "64"}', "hidden_size = '64', expected a whole number"),
        ('{"hidden_size": -64}', "hidden_size = -64"), ('{"hidden_size": true}', "hidden_size = True"),
        ('{"hidden_size": 1e300}', "hidden_size = "), ('{"hidden_size": NaN}', "hidden_size = nan"),
        ('{"hidden_size": ' + "9" * 5000 + "}", "not JSON"), ('{"model_type": 3}', "model_type = 3, expected a text"),
        ('{"text_config": 3}', "text_config = 3, expected a table"),
    ],
)  # fmt: skip
def test_broken_files_are_told_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(DomainError, match=said) as error:
        read_config(path)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)
    assert len(str(error.value)) < 400


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match="no such file"):
        read_config(tmp_path / "config.json")
    (tmp_path / "config.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(RoundtripError, match="not UTF-8"):
        read_config(tmp_path)


@pytest.mark.parametrize(
    "key", ["hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "vocab_size"]
)
def test_a_missing_key_is_named(key: str) -> None:
    with pytest.raises(DomainError, match=f"{key} is missing"):
        from_config({k: v for k, v in LLAMA.items() if k != key})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"num_hidden_layers": 10**9}, "num_hidden_layers = 1000000000, expected a whole number from 1 to 10,000"),
        ({"num_key_value_heads": 3}, "heads = 4 is no multiple of kv_heads = 3"),
        ({"num_experts": 8}, "num_experts_per_tok is missing"),
        ({"num_experts": 8, "num_experts_per_tok": 9}, "num_experts_per_tok = 9, expected a whole number from 1 to 8"),
        (
            {"sliding_window": 8, "layer_types": ["full_attention"]},
            "layer_types has 1 items, expected one for each of 2",
        ),
        ({"layer_types": 3, "sliding_window": 8}, "layer_types = 3, expected a list"),
        ({"kv_lora_rank": 8}, "qk_rope_head_dim is missing|qk_nope_head_dim is missing"),
        ({"tie_word_embeddings": "no"}, "tie_word_embeddings = 'no', expected true or false"),
        ({"quantization_config": [1]}, r"quantization_config = \[1\], expected a table"),
    ],
)
def test_wrong_values_are_named(change: dict[str, Any], said: str) -> None:
    with pytest.raises(DomainError, match=said):
        from_config(LLAMA | change)


_LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(), st.text(max_size=5),
    st.lists(st.integers(-2, 200), max_size=3), st.dictionaries(st.text(max_size=5), st.integers(0, 9), max_size=2),
)  # fmt: skip
_KEYS = st.sampled_from([
    *LLAMA, "head_dim", "kv_lora_rank", "q_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim",
    "num_experts", "num_experts_per_tok", "moe_intermediate_size", "n_shared_experts", "first_k_dense_replace",
    "layer_types", "sliding_window", "text_config", "vision_config", "quantization_config", "block_configs",
    "hybrid_override_pattern", "tie_word_embeddings", "index_topk", "moe_layer_freq", "mlp_only_layers",
    "sparse_attention_config", "num_nextn_predict_layers", "torch_dtype", "max_position_embeddings", "indexer_types",
])  # fmt: skip
_TYPES = st.sampled_from([
    "llama", "qwen3_moe", "qwen3_next", "deepseek_v3", "gpt_oss", "gemma3_text", "gemma4_text", "llama4_text",
    "nemotron_h", "nemotron-nas", "gpt2", "mimo_v2_flash", "minimax_m3", "granitemoehybrid", "mistral3", "x",
])  # fmt: skip


@given(kind=_TYPES, change=st.dictionaries(_KEYS, _LEAVES, max_size=4))
def test_any_file_is_read_or_told(kind: str, change: dict[str, Any]) -> None:
    text = json.dumps(LLAMA | {"model_type": kind} | change)
    with suppress(DomainError):
        a = from_config(json.loads(text))
        assert counts.parameters(a) >= counts.active_parameters(a) > 0.0
