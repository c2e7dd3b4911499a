"""What the model does and how long it takes, worked out before anything is laid.

A `Pass` is one trip of some tokens through all layers on one accelerator: a prefill pass, or a decode step of the whole
batch. Both are the same sum: launches, common weights, experts, attention, and what is left of the messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from roundtrip.journey.way import Stage, Way
from roundtrip.stages.datacenter import queue
from roundtrip.stages.model import (
    attention,
    decode,
    embedding,
    experts,
    kv_cache,
    parallel,
    prefill,
    speculative,
    tokenizer,
    weights,
)

NAME, CHIP, SERVING, DRAFT, REPLY = "model.name", "model.accelerator", "model.serving", "model.draft", "prompt.reply"


@dataclass(slots=True)
class Shape:
    """What follows from the model alone."""

    common: Any
    table: Any
    used: Any
    expert: Any
    moe_layers: Any
    read_flop: Any
    write_flop: Any
    token_B: Any
    shards: Any


@dataclass(slots=True)
class Pass:
    """One pass over the layers on one accelerator: a prefill pass or a decode step."""

    launch_s: Any
    rows_s: Any
    stream_s: Any
    weights_s: Any
    arithmetic_s: Any
    experts_s: Any
    attention_s: Any
    cache_s: Any
    exposed_s: Any
    total_s: Any
    work_s: Any
    weights_B: Any
    experts_B: Any
    cache_B: Any
    message_B: Any


@dataclass
class Machine:
    """The stages of the room while a way is laid, and what `prepare` leaves for `lay`."""

    way: Way
    stages: dict[str, Stage]
    shape: Shape
    read: Pass
    step: Pass
    prompt: Any
    output: Any
    transfer_s: Any
    join_s: Any
    draft_s: Any
    stall_s: Any
    yielded: Any
    drafted: bool

    def __getitem__(self, module: ModuleType) -> Stage:
        """Return a stage by its module."""
        return self.stages[module.__name__]


def prepare(way: Way) -> None:
    """Work out the tokens, the prefill and the step, and leave them as facts."""
    open_stages: dict[str, Stage] = {}

    def stage(module: ModuleType) -> Stage:
        return open_stages.setdefault(module.__name__, way.stage(module))

    t = stage(tokenizer)
    prompt = t.use(
        tokenizer.token_count, bytes_B=t["prompt.text.bytes_B"], bytes_per_token_B=t[f"{NAME}.bytes_per_token_B"],
        template_tokens=t[f"{NAME}.template_tokens"],
    )  # fmt: skip
    d, f = stage(decode), stage(prefill)
    answer, reasoning = d[f"{REPLY}.output_tokens"], d[f"{REPLY}.reasoning_tokens"]
    output = reasoning + answer

    shape = _shape(way, stage)
    drafted = way.word(DRAFT) != "none"
    p = stage(speculative)
    positions: Any = p.use(speculative.positions, drafted_tokens=p[f"{DRAFT}.drafted_tokens"]) if drafted else 1.0
    read = _read(way, stage, shape, prompt)
    step = _step(way, stage, shape, positions)

    draft_s: Any = 0.0
    yielded: Any = 1.0
    if drafted:
        drafts, kept = p[f"{DRAFT}.drafted_tokens"], p[f"{DRAFT}.acceptance"]
        draft_s = p.use(
            speculative.draft_time_s, drafted_tokens=drafts, draft_cost=p[f"{DRAFT}.draft_cost"], step_s=step.total_s
        )
        yielded = p.use(speculative.expected_tokens, acceptance=kept, drafted_tokens=drafts)
    disaggregated = way.word(f"{SERVING}.disaggregated") == "yes"
    ranks, others = f[f"{SERVING}.tensor_ranks"], f[f"{SERVING}.companion_tokens"]
    stall_s: Any = 0.0
    row_s = read.work_s / (prompt / ranks + others)
    if not disaggregated:
        stall_s = d.use(
            decode.stall_time_s, streams=d[f"{SERVING}.streams"], read_write_ratio=d[f"{SERVING}.read_write_ratio"],
            read_row_s=row_s,
        )  # fmt: skip
    per_token_s = d.use(
        decode.time_per_output_token_s, step_s=step.total_s, expected_tokens=yielded, draft_time_s=draft_s,
        stall_s=stall_s,
    )  # fmt: skip

    whole_s = f[f"{SERVING}.engine_overhead_s"] + read.total_s
    transfer_s: Any = None
    join_s: Any = None
    if disaggregated:
        k, q = stage(kv_cache), stage(queue)
        size_B = k.use(kv_cache.cache_B, context_tokens=prompt, kv_token_B=shape.token_B, streams=1.0)
        transfer_s = k.use(
            kv_cache.transfer_time_s, size_B=size_B, bandwidth_B_s=k[f"{CHIP}.outer_bandwidth_B_s"],
            link_efficiency=k[f"{SERVING}.link_efficiency"], latency_s=k[f"{CHIP}.outer_latency_s"],
        )  # fmt: skip
        # Those that write are in step all the time; a prompt that was read elsewhere joins the next one.
        join_s = q.use(queue.join_wait_s, join_phase=q["datacenter.site.join_phase"], step_duration_s=step.total_s)
        whole_s = whole_s + transfer_s + join_s
        own = f.use(prefill.share_of_pass, tokens=prompt / ranks, companion_tokens=others)
        way.fact("others_pass_s", read.total_s * (1.0 - own))
    else:
        way.fact("others_read_s", f[f"{SERVING}.other_prompt_tokens"] / ranks * row_s)
        way.fact("reading_share", stall_s / per_token_s)
    service_s = d.use(
        decode.service_time_s, prefill_s=whole_s, output_tokens=output, time_per_output_token_s=per_token_s
    )
    for name, value in (
        ("prompt_tokens", prompt),
        ("answer_tokens", answer),
        ("reasoning_tokens", reasoning),
        ("output_tokens", output),
        ("prefill_duration_s", whole_s),
        ("step_s", step.total_s),
        ("time_per_output_token_s", per_token_s),
        ("request_service_s", service_s),
    ):
        way.fact(name, value)
    way.fact(
        "model.machine",
        Machine(
            way, open_stages, shape, read, step, prompt, output, transfer_s, join_s, draft_s, stall_s, yielded, drafted
        ),
    )


def _shape(way: Way, stage: Any) -> Shape:
    """Split the weights into common and routed ones, and find what a token costs in attention and in the cache."""
    w, e, a, k = stage(weights), stage(experts), stage(attention), stage(kv_cache)
    layers, heads = a[f"{NAME}.layers"], a[f"{NAME}.heads"]
    table: Any = 0.0
    if way.word(f"{NAME}.tables") == "separate":
        m = stage(embedding)
        table = m.use(
            embedding.table_parameters, vocabulary=m[f"{NAME}.vocabulary"], hidden_width=m[f"{NAME}.hidden_width"]
        )
    expert: Any = None
    moe_layers: Any = 0.0
    routed: Any = 0.0
    used: Any = 0.0
    if way.word(f"{NAME}.mixture") == "moe":
        expert = e.use(
            experts.expert_parameters, hidden_width=e[f"{NAME}.hidden_width"], expert_width=e[f"{NAME}.expert_width"]
        )
        moe_layers = np.maximum(e[f"{NAME}.layers"] - e[f"{NAME}.dense_layers"], 0.0)
        count, picked = e[f"{NAME}.experts"], e[f"{NAME}.picked_experts"]
        routed = e.use(experts.routed_parameters, moe_layers=moe_layers, experts=count, parameters=expert)
        used = e.use(experts.routed_parameters, moe_layers=moe_layers, experts=picked, parameters=expert)
    common = w.use(
        weights.common_parameters, parameters=w[f"{NAME}.parameters"], routed_parameters=routed, table_parameters=table
    )
    element_B = k[f"{SERVING}.kv_element_B"]
    if way.word(f"{NAME}.attention") == "mla":
        latent, rope = k[f"{NAME}.kv_rank"], k[f"{NAME}.rope_width"]
        key, value = a[f"{NAME}.head_width"] + a[f"{NAME}.rope_width"], a[f"{NAME}.value_width"]
        read_flop = a.use(attention.pair_flop, layers=layers, heads=heads, key_width=key, value_width=value)
        key, value = a[f"{NAME}.kv_rank"] + a[f"{NAME}.rope_width"], a[f"{NAME}.kv_rank"]
        write_flop = a.use(attention.pair_flop, layers=layers, heads=heads, key_width=key, value_width=value)
        token_B = k.use(kv_cache.mla_token_B, layers=layers, kv_rank=latent, rope_width=rope, kv_element_B=element_B)
        shards: Any = 1.0
    else:
        width, shards = a[f"{NAME}.head_width"], k[f"{NAME}.kv_heads"]
        read_flop = a.use(attention.pair_flop, layers=layers, heads=heads, key_width=width, value_width=width)
        write_flop = read_flop
        token_B = k.use(kv_cache.gqa_token_B, layers=layers, kv_heads=shards, head_width=width, kv_element_B=element_B)
    return Shape(common, table, used, expert, moe_layers, read_flop, write_flop, token_B, shards)


def _read(way: Way, stage: Any, shape: Shape, prompt: Any) -> Pass:
    """Return one prefill pass: this prompt, and those of others that are read with it."""
    f, a = stage(prefill), stage(attention)
    ranks, others = f[f"{SERVING}.tensor_ranks"], f[f"{SERVING}.companion_tokens"]
    rows = prompt / ranks + others
    window: dict[str, Any] = {
        "full_attention_share": a[f"{NAME}.full_attention_share"],
        "window_tokens": a[f"{NAME}.window_tokens"],
    }
    own = a.use(attention.windowed_pairs, tokens=prompt, **window)
    seen = a.use(attention.attended_tokens, context_tokens=a[f"{SERVING}.context_tokens"] / 2.0, **window)
    pairs = own / ranks + others * seen
    chunks: Any = None
    if _is_plain(way):
        chunks = f.use(prefill.passes, tokens=rows, chunk_tokens=f[f"{SERVING}.chunk_tokens"])
        pairs = a.use(attention.chunked_pairs, tokens=rows, chunk_tokens=a[f"{SERVING}.query_tokens"])
    attention_s = a.use(
        prefill.compute_time_s, flop=shape.read_flop * pairs, flop_rate_flop_s=a[f"{CHIP}.bf16_rate_flop_s"],
        efficiency=a[f"{SERVING}.attention_efficiency"],
    )  # fmt: skip
    if _is_plain(way):
        attention_s = attention_s + _scores(a, pairs)
    return _pass(
        way, stage, shape, rows, ("prefill_efficiency",), ("prefill_efficiency", "expert_efficiency"),
        f[f"{SERVING}.prefill_expert_ranks"], attention_s, None, None, None, chunks,
    )  # fmt: skip


def _is_plain(way: Way) -> bool:
    """Say whether the kernels are plain library calls: nothing hides what happens between the matrices.

    Elsewhere it is hidden, or part of the efficiencies that were found on measured runs.
    """
    return way.word(f"{SERVING}.kernels") == "plain"


def _scores(a: Stage, pairs: Any) -> Any:
    """Return the time of the softmax over scores that lie whole in memory."""
    return a.use(
        attention.scores_time_s, layers=a[f"{NAME}.layers"], heads=a[f"{NAME}.heads"], pairs=pairs,
        pair_time_s=a[f"{SERVING}.pair_time_s"],
    )  # fmt: skip


def _step(way: Way, stage: Any, shape: Shape, positions: Any) -> Pass:
    """Return one decode step of the whole batch."""
    d, a, k = stage(decode), stage(attention), stage(kv_cache)
    streams, ranks = d[f"{SERVING}.streams"], d[f"{SERVING}.tensor_ranks"]
    rows = streams * positions
    seen = a.use(
        attention.attended_tokens, context_tokens=a[f"{SERVING}.context_tokens"],
        full_attention_share=a[f"{NAME}.full_attention_share"], window_tokens=a[f"{NAME}.window_tokens"],
    )  # fmt: skip
    compute_s = a.use(
        prefill.compute_time_s, flop=shape.write_flop * seen * rows, flop_rate_flop_s=a[f"{CHIP}.bf16_rate_flop_s"],
        efficiency=a[f"{SERVING}.attention_efficiency"],
    )  # fmt: skip
    group_B = k.use(kv_cache.cache_B, context_tokens=seen, kv_token_B=shape.token_B, streams=streams * ranks)
    cache_B = k.use(kv_cache.shard_B, size_B=group_B, tensor_ranks=ranks, kv_shards=shape.shards)
    cache_s = k.use(
        prefill.memory_time_s, size_B=cache_B, bandwidth_B_s=k[f"{CHIP}.bandwidth_B_s"],
        memory_efficiency=k[f"{SERVING}.cache_efficiency"],
    )  # fmt: skip
    attention_s = a.use(prefill.roofline_time_s, compute_s=compute_s, memory_s=cache_s)
    if _is_plain(way):
        attention_s = attention_s + _scores(a, seen * rows)
    stream_s = d.use(decode.stream_time_s, streams=streams, per_stream_time_s=d[f"{SERVING}.per_stream_time_s"])
    return _pass(
        way, stage, shape, rows, ("decode_efficiency",), ("decode_efficiency",), d[f"{SERVING}.expert_ranks"],
        attention_s, cache_s, cache_B, stream_s, None,
    )  # fmt: skip


def _pass(
    way: Way, stage: Any, shape: Shape, rows: Any, common_shares: tuple[str, ...], routed_shares: tuple[str, ...],
    expert_ranks: Any, attention_s: Any, cache_s: Any, cache_B: Any, stream_s: Any, chunks: Any,
) -> Pass:  # fmt: skip
    """Return what a pass of `rows` tokens an accelerator takes: weights, experts, messages, launches.

    The shares name the efficiencies whose product is reached in the common weights and in routed experts; `chunks` are
    the passes in which plain kernels read a prompt.
    """
    w, d = stage(weights), stage(decode)
    arithmetic = way.word(f"{SERVING}.arithmetic")

    reached = "memory_efficiency" if chunks is None else "packing_efficiency"

    def times(s: Stage, flop: Any, size_B: Any, shares: tuple[str, ...]) -> tuple[Any, Any]:
        efficiency = s[f"{SERVING}.{shares[0]}"]
        for name in shares[1:]:
            efficiency = efficiency * s[f"{SERVING}.{name}"]
        compute_s = s.use(
            prefill.compute_time_s, flop=flop, flop_rate_flop_s=s[f"{CHIP}.{arithmetic}_rate_flop_s"],
            efficiency=efficiency,
        )  # fmt: skip
        memory_s = s.use(
            prefill.memory_time_s, size_B=size_B, bandwidth_B_s=s[f"{CHIP}.bandwidth_B_s"],
            memory_efficiency=s[f"{SERVING}.{reached}"],
        )  # fmt: skip
        bound = prefill.roofline_time_s if chunks is None else prefill.serial_time_s
        return compute_s, s.use(bound, compute_s=compute_s, memory_s=memory_s)

    parts, ranks = w[f"{SERVING}.batch_parts"], w[f"{SERVING}.tensor_ranks"]
    weights_B = parts * w.use(
        weights.rank_B, common_parameters=shape.common, tensor_ranks=ranks, weight_B=w[f"{SERVING}.weight_B"]
    )
    rows_s: Any = None
    if chunks is not None:
        weights_B = weights_B * chunks
    if chunks is None:
        flop = w.use(prefill.linear_flop, active_parameters=shape.common, tokens=rows)
    else:  # the head scores the last token of each pass
        m = stage(embedding)
        head = m.use(
            embedding.table_parameters, vocabulary=m[f"{NAME}.vocabulary"], hidden_width=m[f"{NAME}.hidden_width"]
        )
        flop = w.use(
            prefill.scored_flop, active_parameters=shape.common, head_parameters=head, tokens=rows, scored_tokens=chunks
        )
    arithmetic_s, weights_s = times(w, flop, weights_B, common_shares)
    if _is_plain(way):
        rows_s = w.use(
            prefill.rows_time_s, layers=w[f"{NAME}.layers"], tokens=rows, row_time_s=w[f"{SERVING}.row_time_s"]
        )
    work_s = arithmetic_s + attention_s

    experts_s: Any = None
    experts_B: Any = None
    if shape.expert is not None:
        e = stage(experts)
        picked, count = e[f"{NAME}.picked_experts"], e[f"{NAME}.experts"]
        held = e.use(
            experts.held_share, experts=count, redundant_experts=e[f"{SERVING}.redundant_experts"],
            expert_ranks=expert_ranks,
        )  # fmt: skip
        experts_B = parts * e.use(
            experts.touched_B, moe_layers=shape.moe_layers, held_experts=held, experts=count, picked_experts=picked,
            tokens=rows * expert_ranks / parts, parameters=shape.expert, weight_B=e[f"{SERVING}.weight_B"],
        )  # fmt: skip
        busiest = e.use(experts.busiest_load, expert_ranks=expert_ranks, picks_per_rank=rows * picked / parts)
        flop = busiest * e.use(
            experts.routed_flop,
            moe_layers=shape.moe_layers,
            picked_experts=picked,
            parameters=shape.expert,
            tokens=rows,
        )
        compute_s, experts_s = times(e, flop, experts_B, routed_shares)
        work_s = work_s + compute_s

    launch_s = d.use(
        decode.launch_time_s, layers=d[f"{NAME}.layers"], layer_time_s=d[f"{SERVING}.layer_time_s"],
        moe_layers=shape.moe_layers, moe_layer_time_s=d[f"{SERVING}.moe_layer_time_s"], batch_parts=parts,
        step_overhead_s=d[f"{SERVING}.step_overhead_s"],
    )  # fmt: skip
    if chunks is not None:
        launch_s = launch_s * chunks
    talk_s, message_B = _messages(way, stage, shape, rows, expert_ranks)
    work_s = work_s + talk_s
    busy_s = weights_s + attention_s
    if experts_s is not None:
        busy_s = busy_s + experts_s
    exposed_s = d.use(
        decode.exposed_time_s, communication_s=talk_s, busy_s=busy_s,
        communication_overlap=d[f"{SERVING}.communication_overlap"],
    )  # fmt: skip
    total_s = d.use(
        decode.step_time_s, launch_s=launch_s, stream_s=0.0 if stream_s is None else stream_s, weights_s=weights_s,
        experts_s=0.0 if experts_s is None else experts_s, attention_s=attention_s, exposed_s=exposed_s,
    )  # fmt: skip
    if rows_s is not None:
        total_s = total_s + rows_s
    return Pass(
        launch_s, rows_s, stream_s, weights_s, arithmetic_s, experts_s, attention_s, cache_s, exposed_s, total_s,
        work_s, weights_B, experts_B, cache_B, message_B,
    )  # fmt: skip


def _messages(way: Way, stage: Any, shape: Shape, rows: Any, expert_ranks: Any) -> tuple[Any, Any]:
    """Return the time on the links over all layers, and the bytes that one accelerator sends to experts."""
    n = stage(parallel)
    ranks, parts, layers = n[f"{SERVING}.tensor_ranks"], n[f"{SERVING}.batch_parts"], n[f"{NAME}.layers"]
    hidden, efficiency = n[f"{NAME}.hidden_width"], n[f"{SERVING}.link_efficiency"]
    whole_B = n.use(
        parallel.layer_message_B, tokens=rows * ranks, hidden_width=hidden,
        message_element_B=n[f"{SERVING}.combine_element_B"],
    )  # fmt: skip
    reduce_s = n.use(
        parallel.ring_all_reduce_time_s, size_B=whole_B, tensor_ranks=ranks, bandwidth_B_s=n[f"{CHIP}.link_B_s"],
        link_efficiency=efficiency, latency_s=n[f"{CHIP}.link_latency_s"],
    )  # fmt: skip
    talk_s = 2.0 * layers * reduce_s
    if shape.expert is None:
        return talk_s, None
    outer = way.word(f"{SERVING}.expert_link") == "outer"
    groups = n.use(parallel.exchange_ranks, expert_ranks=expert_ranks, tensor_ranks=ranks)
    link = {
        "expert_ranks": groups,
        "bandwidth_B_s": n[f"{CHIP}.{'outer_bandwidth_B_s' if outer else 'link_B_s'}"],
        "link_efficiency": efficiency,
        "latency_s": n[f"{CHIP}.{'outer_latency_s' if outer else 'link_latency_s'}"],
    }
    # A token crosses to a server once, however many of its experts are there.
    servers = np.maximum(expert_ranks / n[f"{SERVING}.accelerators_per_server"], 1.0)
    copies = n[f"{NAME}.picked_experts"]
    if outer:
        copies = np.minimum(copies, servers)
    message_B: Any = 0.0
    for element in ("dispatch_element_B", "combine_element_B"):
        size_B = n.use(
            parallel.expert_message_B, tokens=rows / parts, hidden_width=hidden, picked_experts=copies,
            message_element_B=n[f"{SERVING}.{element}"],
        )  # fmt: skip
        talk_s = talk_s + parts * shape.moe_layers * n.use(parallel.all_to_all_time_s, size_B=size_B, **link)
        message_B = message_B + parts * shape.moe_layers * size_B
    return talk_s, message_B
