"""Step times and room for the cache of a model on an accelerator under an engine: `roundtrip.serving` as tables.

The functions of `roundtrip.serving.step` are read once a deployment with arrays: all rows of a step, all numbers of
sequences at some mean contexts, some numbers of pairs. A replica is one group of accelerators that split every matrix;
where several groups share experts, the others are taken to be as busy as this one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from roundtrip.errors import DomainError
from roundtrip.fleet.deployment import Kind
from roundtrip.fleet.servings import check_pages, served
from roundtrip.fleet.times import StepTimes, tabulated
from roundtrip.serving import step
from roundtrip.serving.architecture import Architecture, architecture
from roundtrip.serving.layout import Layout
from roundtrip.serving.step import Setup
from roundtrip.stages.model import kv_cache, prefill

USABLE_SHARE = 0.9  # of an accelerator's memory, as vLLM's gpu_memory_utilization
CONTEXT = (0.0, 64.0, 256.0, 1024.0, 4096.0, 16_384.0, 131_072.0)
PAIRS = (0.0, 1e4, 1e6, 1e7, 1e9)
MOST_RANKS = 1024
ROOMY = 0.6  # share of the memory that weights may take where nobody says how many accelerators share them


def kind(
    model: str,
    accelerator: str,
    *,
    engine: str = "vllm",
    precision: str = "",
    layout: Layout | None = None,
    constants: Mapping[str, Any] | None = None,
    serving: str | None = None,
    token_budget: int = 2048,
    max_sequences: int = 256,
    page_tokens: int = 16,
    usable_share: float = USABLE_SHARE,
    tensor_ranks: int | None = None,
    pages: int | None = None,
) -> Kind:
    """Return a kind of replica from the catalog.

    Parameters
    ----------
    model : str
        Key of the catalog, name on the hub, or path of a ``config.json``.
    accelerator : str
        Key of the catalog.
    engine, precision : str
        Whose constants, and in how many bits; as published by default.
    layout : Layout, optional
        Ranks; `tensor_ranks` of them, or as many as leave room, by default.
    constants : mapping, optional
        Constants by name, as `roundtrip.serving.constants.read` returns them; those of the catalog by default.
    serving : str, optional
        Key of the catalog's servings: then its own constants and layout serve, as in a trip.
    token_budget, max_sequences, page_tokens : int
        Limits of the scheduler, and tokens of a page.
    usable_share : float
        Share of the memory that may be filled.
    tensor_ranks : int, optional
        Accelerators that split every matrix.
    pages : int, optional
        Pages of the cache; what fits beside the weights by default.
    """
    if not 0.01 <= usable_share <= 1.0:
        raise DomainError(f"usable share = {usable_share:g}, expected 0.01 to 1")
    if tensor_ranks is not None and not 1 <= tensor_ranks <= MOST_RANKS:
        raise DomainError(f"tensor ranks = {tensor_ranks}, expected 1 to {MOST_RANKS}")
    if serving is not None:
        for name, value in (("precision", precision), ("layout", layout), ("constants", constants)):
            if value:
                raise DomainError(f"serving = {serving!r} has a {name} of its own: expected one of both")
        return served(
            model, accelerator, serving, token_budget, max_sequences, page_tokens, usable_share, tensor_ranks, pages
        )
    a = architecture(model)
    setup = Setup(a, accelerator, engine, precision or published(a), layout or Layout(tensor=tensor_ranks or 1),
                  constants)  # fmt: skip
    if layout is None and tensor_ranks is None:
        setup = _roomy(setup)
    return of(setup, token_budget, max_sequences, page_tokens, usable_share, pages)


def of(
    setup: Setup,
    token_budget: int = 2048,
    max_sequences: int = 256,
    page_tokens: int = 16,
    usable_share: float = USABLE_SHARE,
    pages: int | None = None,
) -> Kind:
    """Return the kind of replica of a setup: one of its groups; other arguments as for `kind`."""
    memory_B = float(setup.case.memory_B)
    held_B = step.held_B(setup)
    if pages is None:
        room = kv_cache.capacity_tokens(memory_B, usable_share, held_B, step.cache_token_B(setup))
        pages = int(room // page_tokens)
    ranks = setup.layout.tensor * setup.layout.pipeline
    name = f"{setup.architecture.name} on {ranks} {setup.accelerator}" if ranks > 1 else (
        f"{setup.architecture.name} on {setup.accelerator}"
    )  # fmt: skip
    check_pages(name, pages, held_B, usable_share * memory_B)
    token_B = step.cache_token_B(setup)
    return Kind(name, times(setup, token_budget, max_sequences), pages, ranks, token_B, setup)


def times(setup: Setup, token_budget: int, max_sequences: int) -> StepTimes:
    """Return the step times of one group of a setup."""
    c, k = setup.case, setup.known
    zero = np.float64(0.0)

    def rows_s(rows: Any) -> Any:
        own = rows / c.pipeline
        found = step.spans(c, k, own, own * c.groups, zero, zero, zero)
        return step.total_s(c, found)

    def context_s(sequences: Any, context: Any) -> Any:
        return step.spans(c, k, zero, zero, sequences / c.pipeline, context, zero)["cache"]

    def pairs_s(pairs: Any) -> Any:
        return prefill.compute_time_s(step.pairs_flop(c, pairs) / c.tensor, c.bf16_rate, k["attention_efficiency"])

    head_s = prefill.compute_time_s(prefill.linear_flop(c.head / c.tensor, 1.0), c.common_rate, k["prefill_efficiency"])
    windows = [float(w) for w in c.limits if w < CONTEXT[-1] and w > 1.0]
    context = np.array(sorted({*CONTEXT, *windows}))
    sequence_s = float(k["per_stream_time_s"] + head_s) / float(c.pipeline)
    return tabulated(token_budget, max_sequences, rows_s, context_s, pairs_s, sequence_s, context, np.array(PAIRS))


def published(a: Architecture) -> str:
    """Return the precision in which a model's weights are published."""
    return "fp4" if a.routed_precision in ("fp4", "mxfp4") else "int4" if a.routed_precision == "int4" else (
        a.precision if a.precision in ("bf16", "fp8", "fp4", "int4") else "bf16"
    )  # fmt: skip


def _roomy(setup: Setup) -> Setup:
    """Return the setup with the fewest ranks, a power of two, that leave room for the cache."""
    from dataclasses import replace

    memory_B = float(setup.case.memory_B)
    ranks = 1
    while step.held_B(setup) > ROOMY * memory_B and ranks < MOST_RANKS:
        ranks *= 2
        setup = replace(setup, layout=Layout(tensor=ranks))
    return setup
