"""A tiny language model with random weights, written as a GGUF file, and a forward pass in plain loops to hold ours to.

It knows nothing; it has the form of the real one: 2 layers, width 64, 4 heads over 2 for keys and values, 300 tokens
(256 bytes, a few merges, the markup of ChatML). Every test that needs a model and no sense uses it.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from roundtrip.engine.bpe import CHARACTERS

LAYERS, WIDTH, HEADS, KV_HEADS, INNER, CONTEXT = 2, 64, 4, 2, 96, 256
MARKUP = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
EPSILON, BASE = 1e-5, 10_000.0
TEMPLATE = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\nYou are tiny<|im_end|>\n' }}{% endif %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
)


def vocabulary() -> tuple[list[str], list[str]]:
    """Return 300 tokens and the merges that make the last 41 of them."""
    tokens = [*MARKUP, *(CHARACTERS[b] for b in range(256))]
    merges: list[str] = []
    for word in (
        "Ġthe",
        "Ġcapital",
        "Ġof",
        "ĠFrance",
        "Ġis",
        "ĠParis",
        "Ġand",
        "ing",
        "Ġtoken",
        "Ġwhat",
        "Ġanswer",
        "Ġlayer",
    ):
        made = word[0]
        for character in word[1:]:
            if made + character not in tokens and len(tokens) < 300:
                merges.append(f"{made} {character}")
                tokens.append(made + character)
            made += character
    assert len(tokens) == 300
    return tokens, merges


def weights(seed: int = 7, layers: int = LAYERS, tied: bool = True) -> dict[str, np.ndarray]:
    """Return random weights by name, (rows, columns)."""
    rng = np.random.default_rng(seed)
    head = WIDTH // HEADS

    def matrix(rows: int, columns: int, size: float = 1.0) -> np.ndarray:
        return (rng.normal(size=(rows, columns)) * size / math.sqrt(columns)).astype(np.float32)

    made = {
        "token_embd.weight": matrix(300, WIDTH, 8.0),
        "output_norm.weight": rng.uniform(0.5, 1.5, WIDTH).astype(np.float32),
    }
    if not tied:
        made["output.weight"] = matrix(300, WIDTH, 2.0)
    for i in range(layers):
        shapes = {
            "attn_q": (HEADS * head, WIDTH),
            "attn_k": (KV_HEADS * head, WIDTH),
            "attn_v": (KV_HEADS * head, WIDTH),
            "attn_output": (WIDTH, HEADS * head),
            "ffn_gate": (INNER, WIDTH),
            "ffn_up": (INNER, WIDTH),
            "ffn_down": (WIDTH, INNER),
        }
        for name in ("attn_norm", "ffn_norm"):
            made[f"blk.{i}.{name}.weight"] = rng.uniform(0.5, 1.5, WIDTH).astype(np.float32)
        for name, shape in shapes.items():
            made[f"blk.{i}.{name}.weight"] = matrix(*shape, 2.0)
    return made


def metadata(layers: int = LAYERS) -> dict[str, Any]:
    """Return what a real file says about itself."""
    tokens, merges = vocabulary()
    return {
        "general.architecture": "llama",
        "general.name": "Tiny random model",
        "general.license": "none",
        "llama.block_count": layers,
        "llama.context_length": CONTEXT,
        "llama.embedding_length": WIDTH,
        "llama.feed_forward_length": INNER,
        "llama.attention.head_count": HEADS,
        "llama.attention.head_count_kv": KV_HEADS,
        "llama.rope.freq_base": BASE,
        "llama.attention.layer_norm_rms_epsilon": EPSILON,
        "llama.rope.dimension_count": WIDTH // HEADS,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3] * len(MARKUP) + [1] * (300 - len(MARKUP)),
        "tokenizer.ggml.merges": merges,
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.chat_template": TEMPLATE,
    }


def _text(value: str) -> bytes:
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def _value(value: Any) -> bytes:
    """Return type and value; numbers of a list are 4 bytes wide."""
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    first = _value(value[0])
    return struct.pack("<I", 9) + first[:4] + struct.pack("<Q", len(value)) + b"".join(_value(v)[4:] for v in value)


def quantize(numbers: np.ndarray, kind: str) -> bytes:
    """Return numbers as a GGUF file stores them."""
    if kind == "F32":
        return numbers.astype("<f4").tobytes()
    if kind == "F16":
        return numbers.astype("<f2").tobytes()
    blocks = numbers.astype(np.float32).reshape(-1, 32)
    out = b""
    for block in blocks:
        low, high = float(block.min()), float(block.max())
        if kind == "Q8_0":
            scale = np.float16(max(abs(low), abs(high)) / 127 or 1)
            out += scale.tobytes() + np.clip(np.rint(block / scale), -127, 127).astype(np.int8).tobytes()
            continue
        if kind == "Q4_0":
            scale = np.float16(max(abs(low), abs(high)) / 7 or 1)
            quants, head = np.clip(np.rint(block / scale) + 8, 0, 15), scale.tobytes()
        else:
            scale, offset = np.float16((high - low) / 15 or 1), np.float16(low)
            quants, head = np.clip(np.rint((block - offset) / scale), 0, 15), scale.tobytes() + offset.tobytes()
        nibbles = quants.astype(np.uint8)
        out += head + (nibbles[:16] | nibbles[16:] << 4).tobytes()
    return out


NUMBERS = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q8_0": 8}


def gguf_bytes(
    meta: Mapping[str, Any], tensors: Mapping[str, np.ndarray], kinds: Mapping[str, str] | None = None, version: int = 3
) -> bytes:
    """Return a GGUF file; `kinds` says how a tensor is stored where that is not F32."""
    kinds = kinds or {}
    head = b"GGUF" + struct.pack("<IQQ", version, len(tensors), len(meta))
    head += b"".join(_text(name) + _value(value) for name, value in meta.items())
    body = b""
    for name, numbers in tensors.items():
        kind = kinds.get(name, "F32")
        head += _text(name) + struct.pack("<I", numbers.ndim)
        head += b"".join(struct.pack("<Q", axis) for axis in reversed(numbers.shape))
        head += struct.pack("<IQ", NUMBERS[kind], len(body))
        body += quantize(numbers, kind)
        body += b"\0" * (-len(body) % 32)
    return head + b"\0" * (-len(head) % 32) + body


def tiny_gguf(path: Path, seed: int = 7, kind: str = "F32", tied: bool = True) -> Path:
    """Write the tiny model, its matrices stored as `kind`, and return the path."""
    made = weights(seed, tied=tied)
    kinds = {name: kind for name, numbers in made.items() if numbers.ndim == 2}
    path.write_bytes(gguf_bytes(metadata(), made, kinds))
    return path


def naive_logits(made: Mapping[str, np.ndarray], ids: Sequence[int], layers: int = LAYERS) -> list[list[float]]:
    """Return the scores after each token, by loops over single numbers in double precision."""
    head, shared = WIDTH // HEADS, HEADS // KV_HEADS

    def times(name: str, x: list[float]) -> list[float]:
        return [sum(float(w) * v for w, v in zip(row, x, strict=True)) for row in made[name]]

    def scaled(x: list[float], name: str) -> list[float]:
        root = math.sqrt(sum(v * v for v in x) / len(x) + EPSILON)
        return [v / root * float(w) for v, w in zip(x, made[name], strict=True)]

    def turned(x: list[float], position: int) -> list[float]:
        out = list(x)
        for start in range(0, len(x), head):
            for pair in range(head // 2):
                angle = position * BASE ** (-2 * pair / head)
                a, b = x[start + 2 * pair], x[start + 2 * pair + 1]
                out[start + 2 * pair] = a * math.cos(angle) - b * math.sin(angle)
                out[start + 2 * pair + 1] = a * math.sin(angle) + b * math.cos(angle)
        return out

    states = [[float(v) for v in made["token_embd.weight"][i]] for i in ids]
    for layer in range(layers):
        name = f"blk.{layer}.{{}}.weight".format
        normal = [scaled(x, name("attn_norm")) for x in states]
        queries = [turned(times(name("attn_q"), x), p) for p, x in enumerate(normal)]
        keys = [turned(times(name("attn_k"), x), p) for p, x in enumerate(normal)]
        values = [times(name("attn_v"), x) for x in normal]
        for p, x in enumerate(states):
            mixed: list[float] = []
            for h in range(HEADS):
                q, at = queries[p][h * head : (h + 1) * head], h // shared * head
                fit = [sum(a * b for a, b in zip(q, keys[j][at : at + head], strict=True)) for j in range(p + 1)]
                powers = [math.exp((f - max(fit)) / math.sqrt(head)) for f in fit]
                total = sum(powers)
                mixed += [sum(w * values[j][at + d] for j, w in enumerate(powers)) / total for d in range(head)]
            states[p] = [a + b for a, b in zip(x, times(name("attn_output"), mixed), strict=True)]
        for p, x in enumerate(states):
            normal_x = scaled(x, name("ffn_norm"))
            gate, up = times(name("ffn_gate"), normal_x), times(name("ffn_up"), normal_x)
            inner = [g / (1 + math.exp(-g)) * u for g, u in zip(gate, up, strict=True)]
            states[p] = [a + b for a, b in zip(x, times(name("ffn_down"), inner), strict=True)]
    output = "output.weight" if "output.weight" in made else "token_embd.weight"
    return [times(output, scaled(x, "output_norm.weight")) for x in states]
