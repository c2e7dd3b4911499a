"""The layers of a ``config.json``, one by one: the families of the hub and what each adds to the keys of Llama."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from roundtrip.errors import DomainError
from roundtrip.serving.architecture import Block
from roundtrip.serving.config_file import MOST_LAYERS, Config


@dataclass(frozen=True, slots=True)
class Family:
    """What a family does without saying so in its file."""

    norms: int = 2  # vectors of the hidden width in a layer
    head_norm: bool = False  # a norm over each head of queries and keys
    whole_norm: bool = False  # a norm over all heads of queries, and over all of keys
    qkv_bias: bool = False
    tied: bool = False
    gated_output: bool = False
    gated: bool = True
    window_every: int = 0  # of so many layers, the last sees everything
    defaults: dict[str, int] = field(default_factory=dict[str, int])


GEMMA_3 = {"vocab_size": 262_208, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256}
FAMILIES = {
    "llama": Family(), "mistral": Family(), "mistral3": Family(), "mixtral": Family(), "nemotron-nas": Family(),
    "qwen2": Family(qkv_bias=True), "qwen2_moe": Family(qkv_bias=True), "qwen2_5_vl": Family(qkv_bias=True),
    "qwen3": Family(head_norm=True), "qwen3_moe": Family(head_norm=True),
    "qwen3_vl_text": Family(head_norm=True), "qwen3_vl_moe_text": Family(head_norm=True),
    "qwen3_next": Family(head_norm=True, gated_output=True),
    "qwen3_5_text": Family(head_norm=True, gated_output=True),
    "qwen3_5_moe_text": Family(head_norm=True, gated_output=True),
    "deepseek_v2": Family(), "deepseek_v3": Family(), "deepseek_v32": Family(), "deepseek_v4": Family(),
    "kimi_k2": Family(), "kimi_linear": Family(),
    "glm_moe_dsa": Family(), "gpt_oss": Family(qkv_bias=True),
    "gemma": Family(tied=True), "gemma2": Family(norms=4, tied=True, window_every=2),
    "gemma3_text": Family(norms=4, head_norm=True, tied=True, window_every=6, defaults=GEMMA_3),
    "gemma4_text": Family(norms=4, head_norm=True, tied=True, window_every=6),
    "llama4_text": Family(), "phi3": Family(), "glm4": Family(norms=4), "glm4_moe": Family(),
    "minimax_m2": Family(whole_norm=True), "minimax_m3": Family(head_norm=True),
    "olmo2": Family(whole_norm=True), "cohere": Family(norms=1, tied=True), "cohere2": Family(norms=1, tied=True),
    "mimo": Family(qkv_bias=True), "mimo_v2_flash": Family(), "granite": Family(tied=True),
    "smollm3": Family(tied=True),
    "seed_oss": Family(), "ernie4_5_moe": Family(), "starcoder2": Family(tied=True, gated=False),
    "step3p7": Family(head_norm=True), "granitemoehybrid": Family(tied=True), "glm4_moe_lite": Family(),
}  # fmt: skip
PLAIN = {"gpt2", "gpt_neox", "phi", "opt", "gptj", "gpt_bigcode"}
FINE = 4  # tokens that DeepSeek-V4 joins to one where it selects among the joined ones
DRAFT_NORMS = 3  # of the token, of the state, and the last one
SIGMOID = ("glm4_moe", "glm4_moe_lite", "minimax_m2", "glm_moe_dsa", "deepseek_v4")
LINEAR = {"qwen3_next", "qwen3_5_text", "qwen3_5_moe_text"}


@dataclass(slots=True)
class Layered:
    """Layers of a file, and what stands beside them."""

    hidden: int
    blocks: list[Block]
    drafts: list[Block] = field(default_factory=list[Block])
    small: int = 0
    tied: bool = False
    vocabulary: int | None = None
    note: str = ""


def read(c: Config, kind: str) -> Layered:
    """Return the layers of a file by its ``model_type``."""
    if kind in PLAIN:
        return _plain(c, kind)
    if kind == "nemotron_h":
        return _nemotron_h(c)
    family = FAMILIES.get(kind, Family())
    note = "" if kind in FAMILIES else f"model_type {kind!r} is not known: read like Llama, by its keys"
    c = Config({**family.defaults, **{k: v for k, v in c.body.items() if v is not None}}, c.where)
    hidden = c.whole("hidden_size", "n_embd", "d_model", least=1, most=10**6)
    count = _layers(c)
    blocks = [_layer(c, kind, family, hidden, index, count) for index in range(count)]
    drafts: list[Block] = []
    if c.whole("num_nextn_predict_layers", "mtp_num_hidden_layers", default=0, most=64):
        full = [b for b in blocks if b.attention != "linear"]
        last = full[-1] if full else blocks[-1]
        if len(c.items("compress_ratios")) > count:
            last = _layer(c, kind, family, hidden, count, count)
        drafts = [replace(last, layers=1, small=last.small + DRAFT_NORMS * hidden)]
    return Layered(hidden, blocks, drafts, hidden, family.tied, family.defaults.get("vocab_size"), note)


def _layers(c: Config) -> int:
    return c.whole("num_hidden_layers", "n_layer", "num_layers", least=1, most=MOST_LAYERS)


def _layer(c: Config, kind: str, family: Family, hidden: int, index: int, count: int) -> Block:
    small = family.norms * hidden
    if kind == "granitemoehybrid" and c.items("layer_types", count)[index : index + 1] == ["mamba"]:
        mixer = linear(c, "mamba_n_heads", "mamba_n_groups", "mamba_d_state", "mamba_d_head", "mamba_d_conv", False)
    elif kind in LINEAR and _is_linear(c, index, count):
        mixer = linear(c, "linear_num_value_heads", "linear_num_key_heads", "linear_key_head_dim",
                       "linear_value_head_dim", "linear_conv_kernel_dim")  # fmt: skip
    elif kind == "kimi_linear" and _is_delta(c, index):
        mixer = delta(c, hidden)
    elif c.has("compress_ratios"):
        mixer = compressed(c, hidden, index, count)
    elif c.has("kv_lora_rank"):
        mixer = latent(c, index, count)
    elif c.has("block_configs"):
        return _searched(c, hidden, index, count)
    else:
        mixer = sparse(c, grouped(c, kind, family, hidden, index, count), index, count)
    return replace(mixer, **feed_forward(c, kind, hidden, index, count, mixer.small + small))


def _is_linear(c: Config, index: int, count: int) -> bool:
    types = c.items("layer_types", count)
    if types:
        return types[index] == "linear_attention"
    return bool((index + 1) % c.whole("full_attention_interval", default=4, least=1))


def linear(c: Config, heads: str, groups: str, key: str, value: str, kernel: str, is_delta: bool = True) -> Block:
    """Return a linear layer: gated delta rule, or Mamba-2."""
    n, k = c.whole(heads, least=1, most=10**5), c.whole(groups, least=1, most=10**5)
    d, w = c.whole(key, least=1, most=10**5), c.whole(value, least=1, most=10**5)
    taps = c.whole(kernel, default=4, least=1, most=1000)
    channels = 2 * k * d + n * w
    small = channels * taps + 2 * n + w  # convolution, fading, its bias, norm of a head
    if not is_delta:
        small = channels * (taps + c.flag("use_conv_bias", True)) + 3 * n + n * w
    return Block(
        1, "linear", n, k, d, w, is_delta=is_delta, state_elements=n * d * w + channels * (taps - 1), small=small
    )  # fmt: skip


def latent(c: Config, index: int, count: int) -> Block:
    """Return a layer with latent attention, sparse where the file has an indexer; some layers share another's."""
    heads, rank = c.whole("num_attention_heads", least=1, most=10**5), c.whole("kv_lora_rank", least=1, most=10**6)
    query = c.whole("q_lora_rank", default=0, most=10**6)
    key, rope = c.whole("qk_nope_head_dim", least=1, most=10**5), c.whole("qk_rope_head_dim", most=10**5)
    block = Block(
        1, "mla", heads, 1, key, c.whole("v_head_dim", least=1, most=10**5), query_rank=query, kv_rank=rank,
        rope_width=rope, small=query + rank, is_gated_output=c.flag("mla_use_output_gate"),
    )  # fmt: skip
    if not c.has("index_topk"):
        return block
    block = replace(block, selected_tokens=c.whole("index_topk", least=1))
    types = c.items("indexer_types", count)
    if types and types[index] == "shared":
        return block
    width = c.whole("index_head_dim", least=1, most=10**5)
    heads = c.whole("index_n_heads", least=1, most=10**5)
    return replace(block, index_width=width, index_heads=heads, small=block.small + 2 * width)


def _is_delta(c: Config, index: int) -> bool:
    part = c.part("linear_attn_config")
    return part is not None and index + 1 in part.items("kda_layers")  # counted from one


def delta(c: Config, hidden: int) -> Block:
    """Return a layer of Kimi's delta attention: a gated delta rule whose every channel fades at its own rate.

    The rates come through a small matrix of one head's width; it is counted with the small parts.
    """
    part = c.part("linear_attn_config") or c
    heads, width = part.whole("num_heads", least=1, most=10**5), part.whole("head_dim", least=1, most=10**5)
    taps = part.whole("short_conv_kernel_size", default=4, least=1, most=1000)
    channels = 3 * heads * width
    rates = width * (hidden + heads * width) - heads * hidden  # beside the one gate a head that the matrices count
    small = channels * taps + 2 * heads * width + heads + width + max(rates, 0)
    state = heads * width * width + channels * (taps - 1)
    return Block(1, "linear", heads, heads, width, width, is_delta=True, state_elements=state, small=small)


def compressed(c: Config, hidden: int, index: int, count: int) -> Block:
    """Return a layer of DeepSeek-V4: one vector is key and value; a window, and beyond it joined vectors."""
    heads, width = c.whole("num_attention_heads", least=1, most=10**5), c.whole("head_dim", least=1, most=10**5)
    query = c.whole("q_lora_rank", least=1, most=10**6)
    streams = c.whole("hc_mult", default=0, most=64)
    mixed = 2 * ((2 + streams) * streams * (streams * hidden + 1) + 3) if streams else 0  # hyper-connections
    block = Block(
        1, "mla", heads, 1, width, width, query_rank=query, kv_rank=width, window_tokens=c.whole("sliding_window"),
        output_rank=c.whole("o_lora_rank", least=1, most=10**6), output_groups=c.whole("o_groups", least=1, most=10**4),
        small=query + width + heads + mixed,
    )  # fmt: skip
    ratio = c.items("compress_ratios", count)[index]
    if isinstance(ratio, bool) or not isinstance(ratio, int) or not 0 <= ratio <= 10**6:
        c.fail("compress_ratios", "whole numbers from 0 to 1,000,000")
    if not ratio:
        return block
    if ratio != FINE:
        return replace(block, compress_tokens=ratio, small=block.small + (ratio + 1) * width)
    key = c.whole("index_head_dim", least=1, most=10**5)
    return replace(
        block, compress_tokens=ratio, selected_tokens=ratio * c.whole("index_topk", least=1), index_width=key,
        index_heads=c.whole("index_n_heads", least=1, most=10**5),
        small=block.small + (2 * ratio + 1) * (width + key),
    )  # fmt: skip


def sparse(c: Config, block: Block, index: int, count: int) -> Block:
    """Return a layer with grouped heads that looks at selected blocks of tokens, where the file says so."""
    part = c.part("sparse_attention_config")
    if part is None or not part.flag("use_sparse_attention"):
        return block
    which = part.items("sparse_attention_freq", count)
    if which and not which[index]:
        return block
    tokens = part.whole("sparse_topk_blocks", least=1, most=10**6) * part.whole(
        "sparse_block_size", least=1, most=10**6
    )
    width = part.whole("sparse_index_dim", least=1, most=10**5)
    heads = part.whole("sparse_num_index_heads", least=1, most=10**5)
    return replace(block, selected_tokens=tokens, index_heads=heads, index_width=width)


def grouped(c: Config, kind: str, family: Family, hidden: int, index: int, count: int) -> Block:
    """Return a layer with grouped heads, with a window where the file gives it one."""
    window = _window(c, kind, family, index, count)
    prefix = "swa_" if window and c.has("swa_num_key_value_heads") else ""
    heads = c.whole(f"{prefix}num_attention_heads", "n_head", least=1, most=10**5)
    groups = c.whole(f"{prefix}num_key_value_heads", "num_attention_groups", default=heads, least=1, most=10**5)
    width = c.whole(f"{prefix}head_dim", default=max(hidden // heads, 1), least=1, most=10**5)
    is_value_key = False
    if kind == "gemma4_text" and not window:
        width = c.whole("global_head_dim", default=width, least=1, most=10**5)
        groups = c.whole("num_global_key_value_heads", default=groups, least=1, most=10**5)
        is_value_key = c.flag("attention_k_eq_v")
    value = c.whole(f"{prefix}v_head_dim", default=width, least=1, most=10**5)
    small = 2 * width if family.head_norm or (kind == "glm4_moe" and c.flag("use_qk_norm")) else 0
    if family.whole_norm:
        small += (heads + groups) * width
    queries, keys = heads * width, groups * (width + value)
    if c.flag("attention_bias", family.qkv_bias):
        small += queries + keys
        if family.qkv_bias == (kind == "gpt_oss") and kind != "glm4_moe":
            small += hidden
    if kind == "gpt_oss":
        small += heads  # a sink for each head
    return Block(
        1, "gqa", heads, groups, width, value, window_tokens=window, is_value_key=is_value_key, small=small,
        is_gated_output=family.gated_output and c.flag("attn_output_gate", True),
    )  # fmt: skip


def _window(c: Config, kind: str, family: Family, index: int, count: int) -> int:
    if kind == "llama4_text":
        turns = c.items("no_rope_layers", count)
        near = bool(turns[index]) if turns else bool((index + 1) % 4)
        return c.whole("attention_chunk_size", default=8192) if near else 0
    if not c.has("sliding_window") or not c.flag("use_sliding_window", True):
        return 0
    window = c.whole("sliding_window")
    types, pattern = c.items("layer_types", count), c.items("hybrid_layer_pattern", count)
    if types:
        return window if types[index] == "sliding_attention" else 0
    if pattern:
        return window if pattern[index] == 1 else 0
    every = c.whole("sliding_window_pattern", "_sliding_window_pattern", default=family.window_every)
    if every:
        return window if (index + 1) % every else 0
    if kind in ("qwen2", "qwen3") and index < c.whole("max_window_layers", default=0):
        return 0
    return window if window < c.whole("max_position_embeddings", default=window + 1) else 0


def feed_forward(c: Config, kind: str, hidden: int, index: int, count: int, small: int) -> dict[str, Any]:
    """Return the fields of a block that describe its feed-forward network."""
    experts = c.whole("n_routed_experts", "num_experts", "num_local_experts", "moe_num_experts", default=0, most=10**6)
    gated = FAMILIES.get(kind, Family()).gated
    if kind == "gemma4_text" and c.flag("enable_moe_block"):
        return {
            "inner_width": c.whole("intermediate_size", least=1), "experts": experts, "small": small + 3 * hidden,
            "picked_experts": c.whole("top_k_experts", least=1), "expert_width": c.whole("moe_intermediate_size"),
        }  # fmt: skip
    if not experts or not _has_experts(c, kind, index, count):
        width = c.whole(*(("intermediate_size_mlp",) if kind == "llama4_text" else ()), "dense_intermediate_size",
                        "intermediate_size", "ffn_dim", "n_inner", least=1)  # fmt: skip
        bias = c.flag("mlp_bias") or kind == "starcoder2"
        return {"inner_width": width, "gated": gated, "small": small + bias * ((1 + gated) * width + hidden)}
    width = c.whole("moe_intermediate_size", "expert_ffn_hidden_size", "intermediate_size", least=1)
    found: dict[str, Any] = {
        "experts": experts, "expert_width": width, "gated": gated, "shared_width": _shared(c, kind, width),
        "picked_experts": c.whole(
            "num_experts_per_tok", "num_experts_per_token", "experts_per_token", "moe_k", least=1, most=experts
        ),
        "small": small, "latent_width": c.whole("routed_expert_hidden_size", default=0, most=10**6),
    }  # fmt: skip
    if kind == "gpt_oss":
        found |= {"small": small + experts, "expert_small": 2 * width + hidden}
    elif kind in LINEAR or kind == "qwen2_moe":
        found["small"] = small + (hidden if found["shared_width"] else 0)
    elif c.text("scoring_func") == "sigmoid" or kind in SIGMOID:
        found["small"] = small + experts  # a bias of the router for each expert
    return found


def _shared(c: Config, kind: str, width: int) -> int:
    if c.has("shared_expert_intermediate_size"):
        return c.whole("shared_expert_intermediate_size")
    if c.has("share_expert_dim"):
        return c.whole("share_expert_dim")
    if kind == "llama4_text":
        return width
    if c.has("shared_intermediate_size"):
        return c.whole("shared_intermediate_size") * c.whole("n_shared_experts", default=1, most=1000)
    return width * c.whole("n_shared_experts", "num_shared_experts", default=0, most=1000)


def _has_experts(c: Config, kind: str, index: int, count: int) -> bool:
    types = c.items("mlp_layer_types", count)
    if types:
        return types[index] != "dense"
    if index < c.whole("first_k_dense_replace", default=0) or index in c.items("mlp_only_layers"):
        return False
    if kind == "llama4_text":
        layers = c.items("moe_layers")
        step = c.whole("interleave_moe_layer_step", default=1, least=1)
        return index in layers if layers else (index + 1) % step == 0
    if isinstance(c.body.get("moe_layer_freq"), list):
        return c.items("moe_layer_freq", count)[index] == 1
    step = c.whole("decoder_sparse_step", default=1, least=1)
    return (index + 1) % step == 0 and index % c.whole("moe_layer_freq", default=1, least=1) == 0


def _searched(c: Config, hidden: int, index: int, count: int) -> Block:
    """Return a layer of a searched model (Nemotron Super): parts of it may be missing, widths differ."""
    listed = c.items("block_configs", count)
    raw = listed[index] if listed else None
    if not isinstance(raw, dict):
        raise DomainError(f"{c.where}: block_configs[{index}]: expected a table")
    one = Config(raw, f"{c.where}: block_configs[{index}]")  # pyright: ignore[reportUnknownArgumentType]
    mixing, network = one.part("attention"), one.part("ffn")
    if mixing is None or network is None:
        raise DomainError(f"{one.where}: attention or ffn is missing")
    block = Block(1, "none")
    if not mixing.flag("no_op"):
        heads = c.whole("num_attention_heads", least=1, most=10**5)
        groups = heads // mixing.whole("n_heads_in_group", least=1, most=heads)
        width = c.whole("head_dim", default=max(hidden // heads, 1), least=1, most=10**5)
        block = Block(1, "gqa", heads, groups, width, width, small=hidden)
    if network.flag("no_op"):
        return block
    scale = network.body.get("ffn_mult")
    if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not 0 < scale < 1000:
        network.fail("ffn_mult", "a number from 0 to 1,000")
    inner = int(2 * float(scale) * hidden / 3)  # pyright: ignore[reportArgumentType]
    return replace(block, inner_width=-(-inner // 256) * 256, small=block.small + hidden)


def _nemotron_h(c: Config) -> Layered:
    """Return the layers of a hybrid in which each is a state space, attention, a network, or experts."""
    names = {"M": "mamba", "*": "attention", "-": "mlp", "E": "moe"}
    hidden = c.whole("hidden_size", least=1, most=10**6)
    listed = c.items("layers_block_type") or [names.get(sign) for sign in c.text("hybrid_override_pattern")]
    if not listed:
        raise DomainError(f"{c.where}: hybrid_override_pattern is missing, expected a sign for each layer")
    if len(listed) > MOST_LAYERS or any(word not in names.values() for word in listed):
        raise DomainError(f"{c.where}: hybrid_override_pattern: expected at most {MOST_LAYERS:,} of {' '.join(names)}")
    blocks = [_hybrid(c, str(word), hidden) for word in listed]
    drafts: list[Block] = []
    if c.whole("num_nextn_predict_layers", default=0, most=64):
        parts = c.items("mtp_layers_block_type") or [names.get(s) for s in c.text("mtp_hybrid_override_pattern")]
        if any(word not in names.values() for word in parts):
            raise DomainError(f"{c.where}: mtp_hybrid_override_pattern: expected signs of {' '.join(names)}")
        drafts = [_hybrid(c, str(word), hidden) for word in parts]
    return Layered(hidden, blocks, drafts, hidden)


def _hybrid(c: Config, word: str, hidden: int) -> Block:
    if word == "mamba":
        found = linear(c, "mamba_num_heads", "n_groups", "ssm_state_size", "mamba_head_dim", "conv_kernel", False)
        return replace(found, small=found.small + hidden)
    if word == "attention":
        heads = c.whole("num_attention_heads", least=1, most=10**5)
        groups = c.whole("num_key_value_heads", default=heads, least=1, most=10**5)
        width = c.whole("head_dim", "attention_head_dim", default=max(hidden // heads, 1), least=1, most=10**5)
        return Block(1, "gqa", heads, groups, width, width, small=hidden)
    gated = c.text("mlp_hidden_act", "relu2") == "silu"
    if word == "mlp":
        return Block(1, "none", inner_width=c.whole("intermediate_size", least=1), gated=gated, small=hidden)
    experts = c.whole("n_routed_experts", least=1, most=10**6)
    return Block(
        1, "none", experts=experts, picked_experts=c.whole("num_experts_per_tok", least=1, most=experts), gated=gated,
        expert_width=c.whole("moe_intermediate_size", least=1), small=hidden + experts,
        shared_width=c.whole("moe_shared_expert_intermediate_size", default=0) * c.whole("n_shared_experts", default=1),
        latent_width=c.whole("moe_latent_size", default=0),
    )  # fmt: skip


def _plain(c: Config, kind: str) -> Layered:
    """Return the layers of the older form: no gate, biases everywhere, a table of positions."""
    hidden = c.whole("hidden_size", "n_embd", least=1, most=10**6)
    heads = c.whole("num_attention_heads", "n_head", least=1, most=10**5)
    groups = 1 if c.flag("multi_query") else c.whole("num_key_value_heads", default=heads, least=1, most=10**5)
    width = max(hidden // heads, 1)
    inner = c.whole("intermediate_size", "n_inner", "ffn_dim", default=4 * hidden, least=1)
    small = (2 if kind in ("phi", "gptj") else 4) * hidden + inner + hidden
    if kind != "gptj":
        small += heads * width + 2 * groups * width + hidden
    block = Block(1, "gqa", heads, groups, width, width, inner_width=inner, gated=False, small=small)
    beside = 2 * hidden
    if kind in ("gpt2", "opt", "gpt_bigcode"):
        places = c.whole("n_positions", "max_position_embeddings", least=1, most=10**8) + 2 * (kind == "opt")
        beside += places * hidden
    elif kind in ("phi", "gptj"):
        beside += c.whole("vocab_size", least=1, most=10**8)
    return Layered(hidden, [block] * _layers(c), [], beside, kind in ("gpt2", "opt", "gpt_bigcode"))
