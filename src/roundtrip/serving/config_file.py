"""Read a model's ``config.json`` as the hub has it, and make an architecture of it.

The keys of some twenty families are known; any other file with the keys of Llama is read like one, and the note of
the result says so. What a file does not say is taken from the family's own default where there is one, and is
otherwise an error that names the key. Layers are made one by one in `roundtrip.serving.config_layers`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from roundtrip.catalog.load import read_text
from roundtrip.errors import DomainError
from roundtrip.serving.architecture import Architecture, Block, made

MOST_B = 20_000_000  # no config.json is larger
MOST_LAYERS = 10_000
# Among the modules that are not rounded: attention as a whole, or one of its large matrices.
_ATTENTION = re.compile(r"self_attn(\W*$|.*(o_proj|q_proj|q_b_proj|qkv))")
_BITS = {16: "bf16", 8: "int8", 4: "int4"}


class Config:
    """The keys of a file, read with their type and range checked."""

    def __init__(self, body: Mapping[str, Any], where: str) -> None:
        self.body, self.where = body, where

    def has(self, key: str) -> bool:
        """Return whether a key is there and not null."""
        return self.body.get(key) is not None

    def whole(self, *names: str, default: int | None = None, least: int = 0, most: int = 10**9) -> int:
        """Return the first whole number of these names that is there, or the default, or say that it is missing."""
        for name in names:
            if not self.has(name):
                continue
            value: Any = self.body[name]
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
                self.fail(name, f"a whole number from {least:,} to {most:,}")
            return cast("int", value)
        if default is None:
            raise DomainError(f"{self.where}: {names[0]} is missing, expected a whole number from {least:,}")
        return default

    def flag(self, name: str, default: bool = False) -> bool:
        """Return a key that is true or false."""
        value = self.body.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            self.fail(name, "true or false")
        return cast("bool", value)

    def text(self, name: str, default: str = "") -> str:
        """Return a text."""
        value = self.body.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            self.fail(name, "a text")
        return cast("str", value)

    def items(self, name: str, count: int | None = None) -> list[Any]:
        """Return a list, of at least `count` items if that is given; empty where there is none."""
        value = self.body.get(name)
        if value is None:
            return []
        if not isinstance(value, list):
            self.fail(name, "a list")
        found = cast("list[Any]", value)
        if count is not None and found and len(found) < count:
            raise DomainError(f"{self.where}: {name} has {len(found)} items, expected one for each of {count} layers")
        return found

    def part(self, name: str) -> Config | None:
        """Return a table inside."""
        value = self.body.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.fail(name, "a table")
        return Config(cast("dict[str, Any]", value), f"{self.where}: {name}")

    def fail(self, name: str, allowed: str) -> None:
        """Say what stands there and what is allowed."""
        raise DomainError(f"{self.where}: {name} = {_short(self.body.get(name))}, expected {allowed}")


def read_config(path: str | Path) -> Architecture:
    """Return the architecture of a ``config.json``, or of the folder that holds one.

    Where the file does not say how weights are rounded, an ``hf_quant_config.json`` beside it may.
    """
    file = Path(path)
    file = file / "config.json" if os.path.isdir(path) else file
    body = _keys(file)
    beside = file.with_name("hf_quant_config.json")
    if "quantization_config" not in body and file.name == "config.json" and beside.is_file():
        found = Config(_keys(beside), str(beside)).part("quantization")
        if found:
            ignored = found.items("exclude_modules")
            body["quantization_config"] = {"quant_method": "modelopt", **found.body, "ignore": ignored}
    return from_config(body, str(file))


def _keys(file: Path) -> dict[str, Any]:
    """Return the keys of a JSON file, or say in one line what is wrong with it."""
    try:
        if file.stat().st_size > MOST_B:
            raise DomainError(f"{file}: {file.stat().st_size:,} B, expected a config.json of at most {MOST_B:,} B")
        text = read_text(file)
    except FileNotFoundError:
        raise DomainError(f"{file}: no such file, expected a config.json") from None
    except (OSError, ValueError) as error:
        raise DomainError(f"{str(file)[:80]}: cannot be read ({str(error)[:80]})") from None
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DomainError(f"{file}: not JSON ({str(error)[:80]})") from None
    if not isinstance(body, dict):
        raise DomainError(f"{file}: expected a table of keys, not {type(body).__name__}")
    return cast("dict[str, Any]", body)


def from_config(body: Mapping[str, Any], where: str = "config.json") -> Architecture:
    """Return the architecture of the keys of a ``config.json``.

    Raises
    ------
    DomainError
        A key is missing, of the wrong type or out of range; the message names it.
    """
    from roundtrip.serving import config_eyes, config_layers

    whole = Config(body, where)
    inner = whole.part("text_config") or whole.part("llm_config") or whole.part("language_config") or whole
    c = Config({**({"tie_word_embeddings": body["tie_word_embeddings"]} if "tie_word_embeddings" in body else {}),
                **inner.body}, inner.where)  # fmt: skip
    kind = c.text("model_type") or whole.text("model_type")
    layered = config_layers.read(c, kind)
    precision, routed = precisions(whole, c)
    return made(
        {
            "hidden_width": layered.hidden,
            "vocabulary": c.whole("vocab_size", default=layered.vocabulary, least=1, most=10**8),
            "tied": c.flag("tie_word_embeddings", layered.tied),
            "blocks": [_body(b) for b in joined(layered.blocks)],
            "draft_blocks": [_body(b) for b in joined(layered.drafts)],
            "small": layered.small,
            "other_parameters": config_eyes.vision_parameters(whole, layered.hidden),
            "precision": precision,
            "routed_precision": routed,
            "context_limit_tokens": c.whole(
                "max_position_embeddings", "n_positions", "max_seq_len", default=0, most=10**9
            ),
            "note": layered.note,
        },
        whole.text("_name_or_path") or where,
        where,
    )


def joined(layers: list[Block]) -> list[Block]:
    """Return equal layers as one block each, in the order in which they first come."""
    counts: dict[Block, int] = {}
    for one in layers:
        alone = replace(one, layers=1)
        counts[alone] = counts.get(alone, 0) + one.layers
    return [replace(block, layers=count) for block, count in counts.items()]


def precisions(whole: Config, inner: Config) -> tuple[str, str]:
    """Return in which precision weights are published, and routed experts where they differ."""
    plain = inner.text("dtype") or inner.text("torch_dtype") or whole.text("torch_dtype") or whole.text("dtype")
    base = "fp32" if plain == "float32" else "bf16"
    found = whole.part("quantization_config") or inner.part("quantization_config")
    if found is None:
        return base, _experts(inner)
    method = found.text("quant_method").lower()
    algorithm = found.text("quant_algo").upper()
    if "NVFP4" in algorithm or "FP4" in algorithm:
        low = "fp4"
    elif "fp8" in method or algorithm == "FP8":
        low = "fp8"
    elif method == "mxfp4":
        low = "mxfp4"
    elif method == "bitsandbytes":
        low = "int4" if found.flag("load_in_4bit") or found.flag("_load_in_4bit") else "int8"
    elif method == "compressed-tensors":
        low = _of_group(found)
    elif found.has("bits") or found.has("w_bit"):
        low = _BITS.get(found.whole("bits", "w_bit", least=1, most=32), base)
    else:
        return base, ""
    left_out = [word for key in ("ignore", "modules_to_not_convert") for word in found.items(key)]
    if any(isinstance(word, str) and _ATTENTION.search(word) for word in left_out):
        return base, low
    return low, _experts(inner)


def _experts(inner: Config) -> str:
    """Return the precision of the routed experts where the file names it apart: DeepSeek-V4's have scales of 32."""
    return "mxfp4" if inner.text("expert_dtype") == "fp4" else ""


def _of_group(found: Config) -> str:
    groups = found.part("config_groups")
    for name in groups.body if groups else ():
        weights = cast("Config", groups).part(name)
        weights = weights.part("weights") if weights else None
        if weights:
            bits, kind = weights.whole("num_bits", default=8, least=1, most=32), weights.text("type", "int")
            if kind == "float":
                return {8: "fp8", 4: "mxfp4" if "mxfp4" in found.text("format") else "fp4"}.get(bits, "bf16")
            return _BITS.get(bits, "bf16")
    return "bf16"


def _body(block: Block) -> dict[str, Any]:
    return {name: getattr(block, name) for name in Block.__dataclass_fields__}


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # a number of 5,000 digits
        text = type(value).__name__
    return text if len(text) <= 40 else text[:40] + "…"
