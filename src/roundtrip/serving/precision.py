"""In how many bits a model is served: bytes of its weights and cache, and the rate at which they are multiplied.

A name such as "fp4" stands for a habit, not for one format, so the rules are written out here: what common practice
leaves in more bits, and what an accelerator without arithmetic in few bits does (it makes 16 bits of them first).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from roundtrip.catalog.load import Entry
from roundtrip.errors import DomainError, nearest
from roundtrip.serving.architecture import Architecture
from roundtrip.stages.model import quantization

NAMES = ("bf16", "fp8", "fp4", "mxfp4", "int4")
SAME = {"bfloat16": "bf16", "fp16": "bf16", "float16": "bf16", "w8a8": "fp8", "nvfp4": "fp4", "w4a16": "int4",
        "awq": "int4", "gptq": "int4", "int8": "fp8"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a precision means for one model on one accelerator.

    Attributes
    ----------
    routed_B, common_B : float
        Bytes of a weight of the routed experts, and of the others [B].
    routed_rate, common_rate : float
        Peak rate at which they are multiplied [flop/s].
    kv_B : float
        Bytes of a number of the cache [B].
    is_rounded : bool
        Whether vectors are rounded to few bits before they are multiplied.
    """

    routed_B: float
    common_B: float
    routed_rate: float
    common_rate: float
    kv_B: float
    is_rounded: bool


def plain(name: str) -> str:
    """Return one of `NAMES` for a name as people write it."""
    word = name.strip().lower()
    word = SAME.get(word, word)
    if word not in NAMES:
        raise DomainError(f"precision {name!r} is not one of {', '.join(NAMES)}{nearest(word, NAMES)}")
    return word


def numbers(a: Architecture, chip: Entry, precision: str, engine: str = "", kv_B: float | None = None) -> Numbers:
    """Return what a precision means.

    Parameters
    ----------
    a : Architecture
        Whether it has experts matters, and whether its own are published in MXFP4.
    chip : Entry
        An accelerator of the catalog.
    precision : str
        One of `NAMES`, or a name that `SAME` knows.
    engine : str
        For the default of the cache: TensorRT-LLM keeps it in 8 bits, the others do where the accelerator
        multiplies in 4 (as published recipes for Blackwell set it), and in 16 bits elsewhere. This was inferred
        from measured runs.
    kv_B : float, optional
        Bytes of a number of the cache, if it is known [B].
    """
    word = plain(precision)
    mixture = any(b.experts for b in a.blocks)
    if word == "fp4" and a.routed_precision == "mxfp4":
        word = "mxfp4"
    rates = {name: rate(chip, name) for name in ("bf16", "fp8", "fp4")}
    wide = rates["bf16"] or rates["fp8"] or 0.0
    eight = rates["fp8"] or wide
    cache = kv_B if kv_B is not None else _kv_B(word, engine, bool(rates["fp4"]))
    if word == "bf16":
        return Numbers(2.0, 2.0, wide, wide, cache, False)
    if word == "fp8":
        return Numbers(1.0, 1.0, eight, eight, cache, eight > wide)
    few_B = bits_B(word)
    if word == "int4":  # weights alone
        return Numbers(few_B, 2.0 if mixture else few_B, wide, wide, cache, False)
    if word == "mxfp4":  # experts alone; vectors in 8 bits where the accelerator can, as measured runs on Hopper ask
        return Numbers(few_B, 2.0 if mixture else few_B, eight, wide, cache, eight > wide)
    four = rates["fp4"] or wide
    return Numbers(
        few_B, 1.0 if mixture else few_B, four, (eight if mixture else four) if rates["fp4"] else wide, cache,
        bool(rates["fp4"]),
    )  # fmt: skip


def bits_B(word: str) -> Any:
    """Return the bytes of a weight in 4 bits with its share of the scale [B].

    NVFP4 has 8 bits of scale for 16 weights, MXFP4 for 32; of whole numbers 16 bits for 128 are common.
    """
    scale, group = {"fp4": (8.0, 16.0), "mxfp4": (8.0, 32.0), "int4": (16.0, 128.0)}[word]
    return quantization.group_weight_B(4.0, scale, group)


def rate(chip: Entry, name: str) -> float:
    """Return an accelerator's peak rate in a format, 0 where it has none [flop/s]."""
    figure = chip.figures.get(f"{name}_rate_flop_s")
    return figure.value if figure else 0.0


def _kv_B(word: str, engine: str, is_new: bool) -> float:
    if engine == "trtllm":
        return 1.0
    return 1.0 if is_new and word != "bf16" else 2.0
