"""An architecture as data: what a model is made of, layer by layer, so that everything else can be counted.

Equal layers that follow each other (or are spread evenly) are one `Block`. The names are those of the glossary; whole
numbers throughout, since they are counts. `architecture` finds one by the catalog's key, by a name on the hub in any
spelling and precision, or reads a ``config.json``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, cast

from roundtrip.catalog.architectures import Row, rows
from roundtrip.errors import CatalogError, DomainError, nearest

ATTENTIONS = ("gqa", "mla", "linear", "none")
PRECISIONS = ("fp32", "bf16", "fp8", "int8", "fp4", "mxfp4", "int4")
MOST = 10**13  # no count of an architecture is larger; what is larger is a slip

# What a name on the hub says of precision and tuning, not of shape: Llama-3.1-8B-Instruct-FP8 is Llama-3.1-8B.
_SUFFIXES = re.compile(
    r"[-_.](fp8|fp4|nvfp4|mxfp4|mxfp8|int4|int8|w4a16|w8a8|awq|gptq|bf16|fp16|gguf|dynamic|static|pertensor|per-tensor|"
    r"block|instruct|chat|it|base|hf|thinking|reasoning|preview|\d{4}|kv|quantized|bnb|4bit|8bit|eagle3?|nvfp4-v\d+)$"
)


@dataclass(frozen=True, slots=True)
class Block:
    """A run of equal layers.

    Attributes
    ----------
    layers : int
        How many.
    attention : str
        "gqa" (heads that share keys and values in groups; one group: MQA, as many as heads: MHA), "mla" (latent),
        "linear" (gated delta rule or Mamba-2: a state of fixed size) or "none" (a feed-forward network alone).
    heads, kv_heads : int
        Query heads, and groups with keys and values of their own. Linear: heads of values, and of keys.
    head_width, value_width : int
        Numbers in a head's key without its rotary part (linear: rows of the state), and in its value.
    query_rank, kv_rank, rope_width : int
        Latent attention: numbers in the latent query (0: none) and key-value, and in the rotary key.
    window_tokens : int
        Latest tokens that the layer sees; 0: all.
    selected_tokens, index_heads, index_width : int
        Sparse attention: tokens that the indexer selects at most (0: all), and the indexer's heads and their width.
    compress_tokens : int
        Latent attention: tokens beyond the window that are kept as one joined vector; 0: each its own.
    output_rank, output_groups : int
        Latent attention whose one vector is key and value: an output in two steps.
    state_elements : int
        Linear: numbers kept for a sequence in one layer, whatever its length.
    is_delta : bool
        Linear: the delta rule (reads its state before it writes, two gates a head); otherwise Mamba-2.
    is_gated_output : bool
        Whether the output of attention passes a gate that is as large as it.
    is_value_key : bool
        Whether the value is made by the key's own matrix (both are kept).
    inner_width : int
        Inner width of the feed-forward network; 0: none.
    experts, picked_experts, expert_width : int
        Routed experts, how many of them a token uses, and their inner width.
    shared_width : int
        Inner width of what all tokens use beside them.
    latent_width : int
        Width in which routed experts work; 0: the hidden width.
    expert_small : int
        Biases of one routed expert.
    gated : bool
        Three matrices in a feed-forward network, not two.
    small : int
        Norms, biases, short convolutions of one layer: held, but not multiplied with as a matrix.
    """

    layers: int
    attention: str
    heads: int = 0
    kv_heads: int = 0
    head_width: int = 0
    value_width: int = 0
    query_rank: int = 0
    kv_rank: int = 0
    rope_width: int = 0
    window_tokens: int = 0
    selected_tokens: int = 0
    index_heads: int = 0
    index_width: int = 0
    compress_tokens: int = 0
    output_rank: int = 0
    output_groups: int = 0
    state_elements: int = 0
    is_delta: bool = False
    is_gated_output: bool = False
    is_value_key: bool = False
    inner_width: int = 0
    experts: int = 0
    picked_experts: int = 0
    expert_width: int = 0
    shared_width: int = 0
    latent_width: int = 0
    expert_small: int = 0
    gated: bool = True
    small: int = 0


@dataclass(frozen=True, slots=True)
class Architecture:
    """A model's shape.

    Attributes
    ----------
    name : str
        The catalog's key, or where it was read.
    hidden_width, vocabulary : int
        Numbers in the vector of a token, and rows of the tables.
    tied : bool
        Whether one table serves both ends.
    blocks, draft_blocks : tuple of Block
        Layers; and those that predict further tokens, which no count of weights includes.
    small : int
        Weights beside the layers and tables, such as the last norm.
    other_parameters : int
        Weights that a token of text never meets: an eye, an ear.
    precision, routed_precision : str
        In which the weights are published, and the routed experts where that differs.
    context_limit_tokens : int
        Longest context; 0: not known.
    is_estimate : bool
        Whether the shape was guessed from the sizes in a name.
    note : str
        What a reader should know, in a sentence.
    """

    name: str
    hidden_width: int
    vocabulary: int
    tied: bool
    blocks: tuple[Block, ...]
    draft_blocks: tuple[Block, ...] = ()
    small: int = 0
    other_parameters: int = 0
    precision: str = "bf16"
    routed_precision: str = ""
    context_limit_tokens: int = 0
    is_estimate: bool = False
    note: str = ""


def architecture(name: str) -> Architecture:
    """Return the architecture of a catalog key, of a name on the hub, or of a ``config.json`` by its path."""
    if name in rows():
        return _of_catalog(name)
    if name.endswith(".json") or os.path.isdir(name):  # not Path: that fails for a name no file can have
        from roundtrip.serving.config_file import read_config

        return read_config(name)
    key = catalog_key(name)
    if key is None:
        raise DomainError(
            f"no architecture {name[:80]!r}{nearest(plain_name(name), known_names())}; a key of the catalog, a name on "
            "the hub or the path of a config.json is expected"
        )
    return _of_catalog(key)


def catalog_key(name: str) -> str | None:
    """Return the catalog's key for a name on the hub, whatever its maker, spelling, tuning and precision say."""
    names = known_names()
    word = plain_name(name)
    while word not in names:
        shorter = _SUFFIXES.sub("", word)
        if shorter == word:
            return None
        word = shorter
    return names[word]


@cache
def known_names() -> dict[str, str]:
    """Return the catalog's keys by every name that leads to them."""
    result: dict[str, str] = {}
    for key, row in rows().items():
        for name in (key, *row.hubs):
            word = plain_name(name)
            while True:
                result.setdefault(word, key)
                shorter = _SUFFIXES.sub("", word)
                if shorter == word:
                    break
                word = shorter
    exact = {plain_name(name): key for key, row in rows().items() for name in (key, *row.hubs)}
    return result | exact


def plain_name(name: str) -> str:
    """Return a name without its maker, in small letters, with one kind of dash."""
    return re.sub(r"[\s_]+", "-", name.strip().rstrip("/").rpartition("/")[2].lower())


@cache
def _of_catalog(key: str) -> Architecture:
    row = rows()[key]
    return made(row.body, key, f"architectures/{row.file}: {key}", CatalogError)


def catalog_row(key: str) -> Row:
    """Return the catalog's row of an architecture: title, sources, published counts."""
    return rows()[key]


def made(body: Mapping[str, Any], name: str, where: str, error: type[Exception] = DomainError) -> Architecture:
    """Make an architecture from plain values, checked: whole numbers in range, known names, experts that fit."""
    values = _checked(body, Architecture, where, error)
    for part in ("blocks", "draft_blocks"):
        lines = values.get(part, [])
        if not isinstance(lines, (list, tuple)):
            raise error(f"{where}: {part} = {lines!r}, expected a list of tables")
        values[part] = tuple(
            _block(line, f"{where}: {part}[{number}]", error) for number, line in enumerate(cast("list[Any]", lines))
        )
    for needed in ("hidden_width", "vocabulary"):
        if values.get(needed, 0) < 1:
            raise error(f"{where}: {needed} is missing, expected a whole number from 1")
    if not values["blocks"]:
        raise error(f"{where}: blocks is empty, expected at least one layer")
    for word in ("precision", "routed_precision"):
        if values.get(word) and values[word] not in PRECISIONS:
            raise error(f"{where}: {word} = {values[word]!r}, expected one of {', '.join(PRECISIONS)}")
    values.setdefault("tied", False)
    values["name"] = name
    return Architecture(**values)


def _block(line: Any, where: str, error: type[Exception]) -> Block:
    if not isinstance(line, Mapping):
        raise error(f"{where}: expected a table, not {type(line).__name__}")
    values = _checked(cast("Mapping[str, Any]", line), Block, where, error)
    if values.get("attention") not in ATTENTIONS:
        raise error(f"{where}: attention = {values.get('attention')!r}, expected one of {', '.join(ATTENTIONS)}")
    if values.get("layers", 0) < 1:
        raise error(f"{where}: layers = {values.get('layers', 0)}, expected a whole number from 1")
    needed = {
        "gqa": ("heads", "kv_heads", "head_width"), "mla": ("heads", "head_width", "value_width", "kv_rank"),
        "linear": ("heads", "kv_heads", "head_width", "value_width", "state_elements"), "none": (),
    }[values["attention"]]  # fmt: skip
    for name in (*needed, *(("picked_experts", "expert_width") if values.get("experts") else ())):
        if values.get(name, 0) < 1:
            raise error(f"{where}: {name} is missing, expected a whole number from 1")
    if values["attention"] == "gqa":
        values.setdefault("value_width", values["head_width"])
    block = Block(**values)
    if block.picked_experts > block.experts:
        raise error(f"{where}: picked_experts = {block.picked_experts}, expected at most experts = {block.experts}")
    if block.heads and block.kv_heads and block.heads % block.kv_heads:
        raise error(f"{where}: heads = {block.heads} is no multiple of kv_heads = {block.kv_heads}")
    return block


def _checked(body: Mapping[str, Any], kind: Any, where: str, error: type[Exception]) -> dict[str, Any]:
    types = {f.name: f.type for f in fields(kind)}
    for name, value in body.items():
        if name not in types:
            raise error(f"{where}: unknown key {name!r}{nearest(name, types)}")
        wanted = types[name]
        if wanted == "int" and (isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST):
            raise error(f"{where}: {name} = {str(value)[:40]}, expected a whole number from 0 to {MOST:,}")
        if wanted == "bool" and not isinstance(value, bool):
            raise error(f"{where}: {name} = {str(value)[:40]}, expected true or false")
        if wanted == "str" and not isinstance(value, str):
            raise error(f"{where}: {name} = {str(value)[:40]}, expected a text")
    return dict(body)
