"""The time of one step of a replica, part by part, and what it moves and computes.

A step takes some rows through the layers: one for each sequence that writes (more where tokens are drafted), and the
tokens of prompts that are being read. The physics is that of `roundtrip.stages.model`; here it is put together for a
layout of ranks. `spans` works on a `Case`, whose numbers may be arrays, and is what a fit calls; the functions below
it take a `Setup`, one deployment by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from roundtrip.errors import DomainError
from roundtrip.serving.architecture import Architecture, architecture
from roundtrip.serving.case import Case, case
from roundtrip.serving.constants import constants
from roundtrip.serving.layout import Layout
from roundtrip.stages.model import attention, decode, experts, kv_cache, parallel, prefill, speculative, weights

VECTOR_B = 2.0  # bytes of a number of a token's vector between the matrices, and in an all-reduce
DISPATCH_B, COMBINE_B = 1.0, 2.0  # on the way to an expert and back, as DeepEP sends them
CHUNK = 8192  # tokens of a prompt in one step, where nothing else is said
PARTS = ("launch", "streams", "weights", "experts", "vectors", "cache", "prompts", "messages")
# What grows with neither rows, sequences nor context: the launches, and the latency of messages.


@dataclass(frozen=True)
class Setup:
    """One deployment: a model on accelerators under an engine.

    Attributes
    ----------
    architecture : Architecture
        Of the model; `of` finds it by name.
    accelerator : str
        Key of the catalog.
    engine : str
        "vllm", "sglang", "trtllm", or another name: then the shared constants serve.
    precision : str
        "bf16", "fp8", "fp4", "mxfp4" or "int4".
    layout : Layout
        Ranks.
    constants : mapping, optional
        Constants by name; those of the catalog for the engine by default.
    kv_B : float, optional
        Bytes of a number of the cache; by precision and engine by default [B].
    drafted_tokens, acceptance, draft_cost : float
        Speculative decoding: drafts a step, probability that one is kept, time of a draft over that of a step.
    """

    architecture: Architecture
    accelerator: str
    engine: str = "vllm"
    precision: str = "bf16"
    layout: Layout = field(default_factory=Layout)
    constants: Mapping[str, Any] | None = None
    kv_B: float | None = None
    drafted_tokens: float = 0.0
    acceptance: float = 0.8
    draft_cost: float = 0.0

    def __post_init__(self) -> None:
        """Refuse drafts that cannot be."""
        if not 0.0 <= self.drafted_tokens <= 64.0 or not 0.0 <= self.acceptance < 1.0 or self.draft_cost < 0.0:
            raise DomainError(
                f"drafts: {self.drafted_tokens:g} a step, kept with {self.acceptance:g}, at a cost of "
                f"{self.draft_cost:g}; expected 0 to 64, 0 to below 1, and 0 or more"
            )

    @classmethod
    def of(cls, model: str, accelerator: str, **more: Any) -> Setup:
        """Return the setup of a model by its name."""
        return cls(architecture(model), accelerator, **more)

    @cached_property
    def case(self) -> Case:
        """The numbers of the deployment."""
        return case(self.architecture, self.accelerator, self.layout, self.precision, self.engine, self.kv_B)

    @cached_property
    def known(self) -> Mapping[str, Any]:
        """The constants by name."""
        return self.constants if self.constants is not None else constants(self.engine)


def spans(c: Case, k: Mapping[str, Any], own: Any, every: Any, streams: Any, context: Any, prompt_flop: Any) -> Any:
    """Return the time of a step by part [s].

    Parameters
    ----------
    c : Case
        The deployment.
    k : mapping
        Constants by name: numbers, or arrays with one for each row of the case.
    own, every : array
        Rows of the group that is looked at, and of all groups together.
    streams, context : array
        Sequences of the group that get a token, and their mean context.
    prompt_flop : array
        Operations of the attention of the prompts that the group reads [flop].
    """
    ranks, parts = c.ranks, c.parts
    rounding_s = c.rounded * k["rounding_time_s"]
    return {
        "launch": decode.launch_time_s(
            c.layers, k["layer_time_s"] + rounding_s, c.moe_layers, k["moe_layer_time_s"], parts, k["step_overhead_s"]
        ),
        "streams": decode.stream_time_s(streams, k["per_stream_time_s"]),
        "weights": _weights_s(c, k, own, streams),
        "experts": _experts_s(c, k, every, ranks),
        "vectors": prefill.memory_time_s(vectors_B(c, k, own, every), c.bandwidth_B_s, 1.0),
        "cache": _cache_s(c, k, streams, context),
        "prompts": prefill.compute_time_s(prompt_flop / c.tensor, c.bf16_rate, k["attention_efficiency"]),
    } | {"messages": _messages_s(c, k, own, every)}


def total_s(c: Case, found: Mapping[str, Any]) -> Any:
    """Return the time of a step from its parts, with what of the messages work hides [s]."""
    busy = sum(found[name] for name in ("weights", "experts", "vectors", "cache", "prompts"))
    exposed = decode.exposed_time_s(found["messages"], busy, c.overlap)
    return decode.step_time_s(
        found["launch"], found["streams"], found["weights"] + found["vectors"], found["experts"],
        found["cache"] + found["prompts"], exposed,
    )  # fmt: skip


def floor_s(c: Case, k: Mapping[str, Any]) -> Any:
    """Return the time of a step with next to nothing to do: launches and the latency of messages [s]."""
    launch = decode.launch_time_s(
        c.layers, k["layer_time_s"] + c.rounded * k["rounding_time_s"], c.moe_layers, k["moe_layer_time_s"], c.parts,
        k["step_overhead_s"],
    )  # fmt: skip
    return launch + decode.exposed_time_s(_messages_s(c, k, 0.0, 0.0), 0.0, c.overlap)


def _weights_s(c: Case, k: Mapping[str, Any], own: Any, streams: Any) -> Any:
    flop = prefill.linear_flop(c.body / c.tensor, own) + prefill.linear_flop(c.head / c.tensor, streams)
    compute_s = prefill.compute_time_s(flop, c.common_rate, k["prefill_efficiency"])
    size_B = c.parts * weights.rank_B(c.body + c.head, c.tensor, c.common_B)
    return prefill.roofline_time_s(compute_s, prefill.memory_time_s(size_B, c.bandwidth_B_s, k["memory_efficiency"]))


def _expert(c: Case) -> Any:
    return c.routed / np.maximum(c.moe_layers * c.experts, 1.0)


def _experts_s(c: Case, k: Mapping[str, Any], every: Any, ranks: Any) -> Any:
    tokens = every / c.parts
    picks = np.maximum(every * c.picked / c.expert, 1e-2)
    busiest = 1.0 + c.busiest / np.sqrt(picks)
    padded = c.parts * experts.padded_tokens(c.experts, c.picked, tokens, k["tile_tokens"])
    flop = busiest * experts.routed_flop(c.moe_layers, c.picked, _expert(c), padded) / ranks
    compute_s = prefill.compute_time_s(flop, c.routed_rate, k["prefill_efficiency"] * k["expert_efficiency"])
    memory_s = prefill.memory_time_s(_touched_B(c, tokens), c.bandwidth_B_s, k["memory_efficiency"])
    return prefill.roofline_time_s(compute_s, memory_s)


def _touched_B(c: Case, tokens: Any) -> Any:
    """Return the bytes of experts that one accelerator reads in a step [B]."""
    held = experts.held_share(c.experts, c.redundant, c.ranks)
    return c.parts * experts.touched_B(c.moe_layers, held, c.experts, c.picked, tokens, _expert(c), c.routed_B)


def vectors_B(c: Case, k: Mapping[str, Any], own: Any, every: Any) -> Any:
    """Return what one accelerator moves between the matrices: vectors of its rows, and their copies by expert [B]."""
    copies = k["activation_copies"]
    plain_B = prefill.between_B(c.layers, own, c.hidden, copies, VECTOR_B)
    sorted_rows = every * c.picked / np.maximum(c.expert, c.groups)
    return plain_B + prefill.between_B(c.moe_layers, sorted_rows, c.hidden, copies, VECTOR_B)


def _cache_s(c: Case, k: Mapping[str, Any], streams: Any, context: Any) -> Any:
    size_B = kv_cache.shard_B(streams * read_elements(c, context) * c.kv_B, c.tensor, c.shards)
    memory_s = prefill.memory_time_s(size_B, c.bandwidth_B_s, k["cache_efficiency"])
    flop = streams * limited(c.write_flop, c.limits, context) / c.tensor
    return prefill.roofline_time_s(memory_s, prefill.compute_time_s(flop, c.bf16_rate, k["attention_efficiency"]))


def read_elements(c: Case, context: Any) -> Any:
    """Return the numbers of the cache and of states that a sequence reads for one token."""
    return limited(c.reads, c.limits, context) + c.state_reads


def held_elements(c: Case, context: Any) -> Any:
    """Return the numbers that a sequence holds."""
    return limited(c.held, c.limits, context) + c.state_held


def limited(slopes: Any, limits: Any, context: Any) -> Any:
    """Return the sum over the limits of a slope times the context up to the limit."""
    return sum(slopes[..., i] * np.minimum(context, limits[..., i]) for i in range(slopes.shape[-1]))


def prompt_flop(c: Case, tokens: Any, context: Any = 0.0) -> Any:
    """Return the operations of the attention of new tokens that follow `context` cached ones [flop]."""
    total = c.state_flop * tokens
    for i in range(c.limits.shape[-1]):
        window = c.limits[..., i]
        pairs = attention.window_pairs(tokens + context, window) - attention.window_pairs(context, window)
        total = total + c.prompt_flop[..., i] * pairs
    return total


def pairs_flop(c: Case, pairs: Any) -> Any:
    """Return the operations of the attention of a prompt by its pairs of tokens, as if none were cached before it."""
    return sum(
        c.prompt_flop[..., i] * attention.limited_pairs(pairs, c.limits[..., i]) for i in range(c.limits.shape[-1])
    )


def _messages_s(c: Case, k: Mapping[str, Any], own: Any, every: Any) -> Any:
    """Return the time of the messages of a step: two all-reduces a layer, around experts an exchange there and back.

    Groups that share experts exchange tokens; beyond a server these go over the outer network, to each server once.
    """
    wide = c.tensor > c.server
    rate = np.where(wide, c.outer_B_s, c.link_B_s)
    latency = np.where(wide, c.outer_latency_s, k["link_latency_s"])
    whole_B = parallel.layer_message_B(own, c.hidden, VECTOR_B)
    reduce_s = parallel.ring_all_reduce_time_s(whole_B, c.tensor, rate, k["link_efficiency"], latency)
    groups = np.where(c.moe_layers > 0.0, c.groups, 1.0)
    far = c.ranks > c.server
    copies = np.where(far, np.minimum(c.picked, np.maximum(c.ranks / c.server, 1.0)), c.picked)
    rate = np.where(far, c.outer_B_s, c.link_B_s)
    latency = np.where(far, np.maximum(c.outer_latency_s, k["exchange_latency_s"]), k["exchange_latency_s"])
    talk_s = 2.0 * c.layers * reduce_s
    for element_B in (DISPATCH_B, COMBINE_B):
        size_B = parallel.expert_message_B(every / c.ranks / c.parts, c.hidden, copies, element_B)
        exchange_s = parallel.all_to_all_time_s(size_B, groups, rate, k["link_efficiency"], latency)
        talk_s = talk_s + c.parts * c.moe_layers * exchange_s
    hand_on_s = (c.pipeline - 1.0) * (
        c.outer_latency_s + own * c.hidden * VECTOR_B / (c.outer_B_s * k["link_efficiency"])
    )
    return talk_s + hand_on_s


def parts(s: Setup, rows: Any, sequences: Any, context: Any, pairs: Any = 0.0) -> dict[str, Any]:
    """Return the time of a step of the whole replica by part [s].

    Parameters
    ----------
    s : Setup
        The deployment.
    rows, sequences : array
        Rows of the step, and sequences that get a token; spread evenly over groups and, as micro-batches, over stages.
    context : array
        Mean context of these sequences [token].
    pairs : array
        Pairs of tokens in the attention of prompts; each group has its share.
    """
    c = s.case
    every = np.asarray(rows, dtype=np.float64) / c.pipeline
    own, streams = every / c.groups, np.asarray(sequences, dtype=np.float64) / c.pipeline / c.groups
    return spans(c, s.known, own, every, streams, context, pairs_flop(c, pairs) / c.groups)


def step_s(s: Setup, rows: Any, sequences: Any, context: Any, pairs: Any = 0.0) -> Any:
    """Return the time of a step [s]; arguments as for `parts`."""
    return total_s(s.case, parts(s, rows, sequences, context, pairs))


def decode_s(s: Setup, batch: Any, context: Any) -> Any:
    """Return the time of a token of each of so many sequences, drafts and their check included [s]."""
    batch = np.asarray(batch, dtype=np.float64)
    if not s.drafted_tokens:
        return step_s(s, batch, batch, context)
    rows = batch * speculative.positions(s.drafted_tokens)
    check_s = step_s(s, rows, batch, context)
    drafts_s = speculative.draft_time_s(s.drafted_tokens, s.draft_cost, step_s(s, batch, batch, context))
    kept = speculative.expected_tokens(s.acceptance, s.drafted_tokens)
    return decode.time_per_output_token_s(check_s, kept, drafts_s, 0.0)


def prefill_s(s: Setup, tokens: Any, context: Any = 0.0, chunk: int = CHUNK) -> Any:
    """Return the time to read a prompt alone, after so many cached tokens [s]."""
    tokens = np.asarray(tokens, dtype=np.float64)
    read, added = read_s(s.case, s.known, tokens, context, chunk)
    return read + added


def read_s(c: Case, k: Mapping[str, Any], tokens: Any, context: Any = 0.0, chunk: float = CHUNK) -> Any:
    """Return the time of reading a prompt on one group: the floor of its steps, and what grows with it [s].

    A prompt is read in chunks; each takes the floor, and reads the weights again.
    """
    times = prefill.passes(tokens, chunk)
    found = spans(c, k, tokens / times, tokens / times, 1.0, 0.0, prompt_flop(c, tokens, context) / times)
    floor = floor_s(c, k)
    return times * floor, times * (total_s(c, found) - floor)


def work(s: Setup, rows: Any, sequences: Any, context: Any, pairs: Any = 0.0) -> tuple[Any, Any]:
    """Return the bytes and the operations of one step over the whole replica [B], [flop].

    What is copied counts as often as it is read: common weights by every group, latent caches by every rank.
    """
    c = s.case
    every = np.asarray(rows, dtype=np.float64)
    streams = np.asarray(sequences, dtype=np.float64)
    tokens = every / c.pipeline / c.parts
    size_B = c.parts * c.pipeline * c.groups * (c.body + c.head) * c.common_B
    size_B = size_B + c.pipeline * c.ranks * _touched_B(c, tokens)
    size_B = size_B + c.ranks * vectors_B(c, s.known, every / c.groups, every)
    cache_B = streams * read_elements(c, context) * c.kv_B
    size_B = size_B + kv_cache.shard_B(cache_B, c.tensor, c.shards) * c.tensor
    flop = prefill.linear_flop(c.body, every) + prefill.linear_flop(c.head, streams)
    flop = flop + experts.routed_flop(c.moe_layers, c.picked, _expert(c), every)
    flop = flop + streams * limited(c.write_flop, c.limits, context) + pairs_flop(c, pairs)
    return size_B, flop


def held_B(s: Setup) -> float:
    """Return the bytes of weights on one accelerator [B]."""
    c = s.case
    table = c.head  # the table of the input, where it is not that of the output
    common = (c.body + c.head + (0.0 if s.architecture.tied else table)) / c.tensor * c.common_B
    routed = experts.held_share(c.experts, c.redundant, c.ranks) * c.moe_layers * _expert(c) * c.routed_B
    return float((common + routed) / c.pipeline)


def cache_token_B(s: Setup, context: float = 4096.0) -> float:
    """Return the bytes that a token of the cache takes on one accelerator, at some length of context [B]."""
    c = s.case
    whole = held_elements(c, context) / context * c.kv_B
    return float(kv_cache.shard_B(whole, c.tensor, c.shards) / c.pipeline)
