"""The model on the way: tokens in, one pass over the prompt, then a step of the whole batch for every token.

`prepare` (in `model_machine`) works out what the model does and how long it takes before anything is laid, since the
queue in front of it depends on it. `lay` puts it on the time line. Times are those of one accelerator; every one
of an instance does the same at that time. Joules stand on the wholes (prefill and decode); the parts below show
where the time goes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.journey.rooms.model_machine import CHIP, DRAFT, NAME, SERVING, Machine, prepare
from roundtrip.journey.way import Mark, Stage, Way
from roundtrip.stages.model import (
    attention,
    decode,
    embedding,
    experts,
    kv_cache,
    parallel,
    prefill,
    quantization,
    sampling,
    silicon,
    speculative,
    tokenizer,
    weights,
)

__all__ = ["lay", "prepare"]


def lay(way: Way, after: Mark) -> Mark:
    """Lay the model from the text of the prompt to the text of the first token, and beside it all tokens after that."""
    m: Machine = way.facts["model.machine"]
    t, e = m[tokenizer], way.stage(embedding)
    size_B = t["prompt.text.bytes_B"]
    encode_s = t.use(tokenizer.encode_time_s, bytes_B=size_B, tokenizer_rate_B_s=t[f"{NAME}.tokenizer_rate_B_s"])
    ids_B = t.use(tokenizer.id_size_B, tokens=m.prompt)
    cut = t.lay(
        "the text is cut into tokens", encode_s, "moving charge", after=after, bytes_in=size_B, bytes_out=ids_B,
        prompt_tokens=m.prompt,
    )  # fmt: skip
    rows_B = e.use(embedding.lookup_B, tokens=m.prompt, hidden_width=e[f"{NAME}.hidden_width"])
    lookup_s = e.use(
        embedding.lookup_time_s, size_B=rows_B, bandwidth_B_s=e[f"{CHIP}.bandwidth_B_s"],
        latency_s=e[f"{CHIP}.kernel_latency_s"],
    )  # fmt: skip
    looked = e.lay(
        "tokens become vectors", lookup_s, "stored charge", after=cut, bytes_in=ids_B, bytes_out=rows_B,
        hidden_width=e[f"{NAME}.hidden_width"],
    )  # fmt: skip
    read = _lay_read(m, looked)
    picked = _lay_pick(m, read)
    text_B = t.use(tokenizer.text_size_B, tokens=1.0, bytes_per_token_B=t[f"{NAME}.bytes_per_token_B"])
    rate_B_s = t[f"{NAME}.tokenizer_rate_B_s"]
    first = t.lay(
        "the token becomes text", t.use(tokenizer.encode_time_s, bytes_B=text_B, tokenizer_rate_B_s=rate_B_s),
        "moving charge", after=picked, id="back.model.tokenizer",
        bytes_in=t.use(tokenizer.id_size_B, tokens=1.0), bytes_out=text_B,
    )  # fmt: skip
    _lay_write(m, picked)
    return first


def _lay_read(m: Machine, after: Mark) -> Mark:
    """Lay the prefill and its parts; the joules of the prompt stand on the whole."""
    f, s = m[prefill], m.way.stage(silicon)
    ranks, shape, part = f[f"{SERVING}.tensor_ranks"], m.shape, m.read
    flop = f.use(prefill.linear_flop, active_parameters=shape.common + shape.used, tokens=m.prompt)
    pairs_flop = shape.read_flop * f.use(
        attention.windowed_pairs, tokens=m.prompt, full_attention_share=f[f"{NAME}.full_attention_share"],
        window_tokens=f[f"{NAME}.window_tokens"],
    )  # fmt: skip
    marginal_J = _arithmetic_J(m, f, flop, pairs_flop)
    share = ranks * f.use(
        prefill.share_of_pass, tokens=m.prompt / ranks, companion_tokens=f[f"{SERVING}.companion_tokens"]
    )
    fetched_B = part.weights_B if part.experts_B is None else part.weights_B + part.experts_B
    static_J = f.use(
        silicon.static_energy_J, static_power_W=f[f"{CHIP}.static_power_W"], duration_s=part.total_s, streams=1.0
    )
    fetch_J = f.use(silicon.byte_energy_J, size_B=fetched_B, energy_per_byte_J=f[f"{CHIP}.energy_per_byte_J"])
    chip_J = marginal_J + share * (static_J + fetch_J)
    host_J = f.use(
        silicon.static_energy_J, static_power_W=f[f"{SERVING}.host_power_W"], duration_s=part.total_s, streams=1.0
    )
    electrons = s.use(silicon.electrons, energy_J=chip_J, supply_voltage_V=f[f"{CHIP}.supply_voltage_V"])
    extra: dict[str, Any] = {"tokens": m.prompt, "flop": flop + pairs_flop, "share_of_pass": share / ranks}
    if m.way.word("model.where") == "cloud":
        extra["cost_usd"] = share * f.use(
            silicon.rent_usd, price_usd_h=f[f"{CHIP}.price_usd_h"], duration_s=part.total_s, streams=1.0
        )
    whole = f.lay(
        "the model reads the prompt", m.way.facts["prefill_duration_s"], "moving charge", after=after,
        marginal_J=marginal_J, allocated_J=share * (static_J + fetch_J + host_J), electrons=electrons, **extra,
    )  # fmt: skip
    d = m[decode]
    mark = f.lay(
        "the server takes it in", f[f"{SERVING}.engine_overhead_s"], "waiting", after=after, parent=whole,
        id="prefill.engine",
    )  # fmt: skip
    mark = d.lay("kernels start by layers", part.launch_s, "waiting", after=mark, parent=whole, id="prefill.launch")
    mark = m[weights].lay(
        "shared weights multiply", part.weights_s, "moving charge", after=mark, parent=whole,
        id="prefill.model.weights", bytes_in=part.weights_B,
    )  # fmt: skip
    if part.experts_s is not None:
        mark = m[experts].lay(
            "experts do their share", part.experts_s, "moving charge", after=mark, parent=whole,
            id="prefill.model.experts", bytes_in=part.experts_B,
        )  # fmt: skip
    if part.rows_s is not None:
        mark = f.lay(
            "norms, rotations, gates, sums", part.rows_s, "moving charge", after=mark, parent=whole, id="prefill.rows"
        )
    mark = m[attention].lay(
        "each token looks back", part.attention_s, "moving charge", after=mark, parent=whole,
        id="prefill.model.attention", **_tiles(m),
    )  # fmt: skip
    mark = m[parallel].lay(
        "chips wait for each other", part.exposed_s, "moving charge", after=mark, parent=whole,
        id="prefill.model.parallel", bytes_out=part.message_B,
    )  # fmt: skip
    if m.transfer_s is not None:
        mark = m[kv_cache].lay(
            "keys and values move on", m.transfer_s, "moving charge", after=mark,
            parent=whole, id="prefill.model.kv_cache", bytes_out=m.prompt * shape.token_B, kv_token_B=shape.token_B,
        )  # fmt: skip
        d.lay("it joins the next step", m.join_s, "waiting", after=mark, parent=whole, id="prefill.join")
    return whole


def _tiles(m: Machine) -> dict[str, Any]:
    """Return what the prompt's attention moves through memory in tiles, and what it would move without."""
    a = m[attention]
    heads, width = a[f"{NAME}.layers"] * a[f"{NAME}.heads"], a[f"{NAME}.head_width"]
    one: dict[str, Any] = {"tokens": m.prompt, "head_width": width, "element_B": a[f"{SERVING}.combine_element_B"]}
    tiles_B = heads * a.use(attention.flash_traffic_B, sram_B=a[f"{CHIP}.sram_B"], **one)
    return {"traffic_tiles_B": tiles_B, "traffic_naive_B": heads * a.use(attention.naive_traffic_B, **one)}


def _lay_pick(m: Machine, after: Mark) -> Mark:
    """Lay the choice of the first token."""
    s = m.way.stage(sampling)
    scores_B = s.use(
        sampling.scores_B, vocabulary=s[f"{NAME}.vocabulary"], streams=s[f"{SERVING}.streams"],
        score_element_B=s[f"{SERVING}.score_element_B"],
    )  # fmt: skip
    pick_s = s.use(
        sampling.pick_time_s, size_B=scores_B, score_passes=s[f"{SERVING}.score_passes"],
        bandwidth_B_s=s[f"{CHIP}.bandwidth_B_s"], latency_s=s[f"{CHIP}.kernel_latency_s"],
    )  # fmt: skip
    return s.lay(
        "the first token is picked", pick_s, "moving charge", after=after,
        bytes_in=scores_B / s[f"{SERVING}.streams"], bytes_out=m[tokenizer].use(tokenizer.id_size_B, tokens=1.0),
        scores=s[f"{NAME}.vocabulary"],
    )  # fmt: skip


def _arithmetic_J(m: Machine, s: Stage, flop: Any, attention_flop: Any) -> Any:
    """Return the joules of operations in weights, in the format they are served in, and in attention, in 16 bit."""
    format_J = s[f"{CHIP}.{m.way.word(f'{SERVING}.arithmetic')}_energy_J"]
    in_weights = s.use(silicon.flop_energy_J, flop=flop, energy_per_flop_J=format_J)
    return in_weights + s.use(silicon.flop_energy_J, flop=attention_flop, energy_per_flop_J=s[f"{CHIP}.bf16_energy_J"])


def _lay_write(m: Machine, after: Mark) -> None:
    """Lay all tokens after the first, with the joules on the whole, and the parts of one token."""
    d, s, a = m[decode], m.way.stage(silicon), m[attention]
    shape, part = m.shape, m.step
    streams = d[f"{SERVING}.streams"]
    per_token_s = m.way.facts["time_per_output_token_s"]
    whole_s = d.use(decode.rest_time_s, output_tokens=m.output, time_per_output_token_s=per_token_s)
    more = m.output - 1.0
    steps = more / m.yielded
    work: Any = 1.0
    if m.drafted:
        p = m[speculative]
        drafts, kept = p[f"{DRAFT}.drafted_tokens"], p[f"{DRAFT}.acceptance"]
        work = p.use(speculative.work_factor, acceptance=kept, drafted_tokens=drafts)
    seen = a.use(
        attention.attended_tokens, context_tokens=m.prompt + m.output / 2.0,
        full_attention_share=a[f"{NAME}.full_attention_share"], window_tokens=a[f"{NAME}.window_tokens"],
    )  # fmt: skip
    flop = d.use(prefill.linear_flop, active_parameters=shape.common + shape.used, tokens=1.0)
    own_B = d.use(kv_cache.cache_B, context_tokens=seen, kv_token_B=shape.token_B, streams=1.0)
    byte_J = d[f"{CHIP}.energy_per_byte_J"]
    marginal_J = more * work * _arithmetic_J(m, d, flop, shape.write_flop * seen) + steps * d.use(
        silicon.byte_energy_J, size_B=own_B, energy_per_byte_J=byte_J
    )
    fetched_B = part.weights_B if part.experts_B is None else part.weights_B + part.experts_B
    cycle_s = part.total_s + m.draft_s
    static_J = d.use(
        silicon.static_energy_J, static_power_W=d[f"{CHIP}.static_power_W"], duration_s=cycle_s, streams=streams
    )
    fetch_J = d.use(silicon.byte_energy_J, size_B=fetched_B / streams, energy_per_byte_J=byte_J)
    host_J = d.use(
        silicon.static_energy_J, static_power_W=d[f"{SERVING}.host_power_W"], duration_s=cycle_s, streams=streams
    )
    chip_J = marginal_J + steps * (static_J + fetch_J)
    voltage_V = d[f"{CHIP}.supply_voltage_V"]
    electrons = s.use(silicon.electrons, energy_J=chip_J, supply_voltage_V=voltage_V)
    extra: dict[str, Any] = {}
    if m.way.word("model.where") == "cloud":
        extra["cost_usd"] = d.use(
            silicon.rent_usd, price_usd_h=d[f"{CHIP}.price_usd_h"], duration_s=steps * cycle_s, streams=streams
        )
    whole = d.lay(
        "the model writes the answer", whole_s, "moving charge", after=after, marginal_J=marginal_J,
        allocated_J=steps * (static_J + fetch_J + host_J), electrons=electrons, time_per_output_token_s=per_token_s,
        tokens=m.output, step_s=part.total_s, flop_per_token=flop + shape.write_flop * seen, streams=streams, **extra,
    )  # fmt: skip

    # Parts of one token: a step's parts over the tokens that it yields; none if only one token is written.
    one = np.minimum(more, 1.0) / m.yielded
    mark = after
    if m.drafted:
        mark = m[speculative].lay(
            "a drafter proposes tokens", m.draft_s * one, "moving charge", after=mark, parent=whole,
            id="step.model.speculative", tokens_per_step=m.yielded,
        )  # fmt: skip
    mark = launch = d.lay(
        "kernels start by layers",
        part.launch_s * one,
        "waiting",
        after=mark,
        parent=whole,
        id="step.launch",
    )
    _lay_rounding(m, launch, one)
    before = mark
    mark = loaded = m[weights].lay(
        "shared weights multiply", part.weights_s * one, "moving charge", after=mark, parent=whole,
        id="step.model.weights", bytes_in=part.weights_B, memory_share=_memory_share(m),
    )  # fmt: skip
    token_J = chip_J / np.maximum(more, 1.0)
    node: dict[str, Any] = {
        "node_capacitance_F": s[f"{CHIP}.node_capacitance_F"],
        "supply_voltage_V": s[f"{CHIP}.supply_voltage_V"],
    }
    s.lay(
        "transistors toggle", part.arithmetic_s * one, "moving charge", after=before, parent=loaded,
        id="step.model.silicon", toggles_per_token=s.use(silicon.toggles, energy_J=token_J, **node),
        electrons_per_toggle=s.use(silicon.electrons_per_toggle, **node),
        electrons=s.use(silicon.electrons, energy_J=token_J, supply_voltage_V=s[f"{CHIP}.supply_voltage_V"]),
    )  # fmt: skip
    if part.experts_s is not None:
        mark = m[experts].lay(
            "experts do their share", part.experts_s * one, "moving charge", after=mark, parent=whole,
            id="step.model.experts", bytes_in=part.experts_B,
        )  # fmt: skip
    if part.rows_s is not None:
        mark = d.lay(
            "norms, rotations, gates, sums", part.rows_s * one, "moving charge", after=mark, parent=whole,
            id="step.rows",
        )  # fmt: skip
    before = mark
    mark = looked = a.lay(
        "the new token looks back", part.attention_s * one, "moving charge", after=mark, parent=whole,
        id="step.model.attention",
    )  # fmt: skip
    m[kv_cache].lay(
        "keys and values are read", part.cache_s * one, "stored charge", after=before, parent=looked,
        id="step.model.kv_cache", bytes_in=part.cache_B, kv_token_B=shape.token_B,
    )  # fmt: skip
    mark = m[parallel].lay(
        "chips wait for each other", part.exposed_s * one, "moving charge", after=mark, parent=whole,
        id="step.model.parallel", bytes_out=part.message_B,
    )  # fmt: skip
    if m.way.word(f"{SERVING}.disaggregated") == "no":
        mark = m[prefill].lay(
            "others' prompts are read", m.stall_s * np.minimum(more, 1.0), "waiting", after=mark,
            parent=whole, id="step.model.prefill",
        )  # fmt: skip
    d.lay(
        "every stream is sampled", part.stream_s * one, "moving charge", after=mark, parent=whole,
        id="step.streams",
    )  # fmt: skip


def _lay_rounding(m: Machine, launch: Mark, one: Any) -> None:
    """Lay the rounding of activations to 8 bits, a part of each layer's fixed time."""
    if m.way.word(f"{SERVING}.arithmetic") != "fp8":
        return
    q = m.way.stage(quantization)
    size_B = q.use(
        quantization.rounded_B, streams=q[f"{SERVING}.streams"], hidden_width=q[f"{NAME}.hidden_width"],
        layers=q[f"{NAME}.layers"], roundings=q[f"{SERVING}.roundings"],
    )  # fmt: skip
    round_s = q.use(
        prefill.memory_time_s, size_B=size_B, bandwidth_B_s=q[f"{CHIP}.bandwidth_B_s"],
        memory_efficiency=q[f"{SERVING}.memory_efficiency"],
    )  # fmt: skip
    start = m.way.marks[launch.id]
    if m.way.word(f"{SERVING}.rounding") == "float":
        snr_dB = q.use(quantization.float_snr_dB, mantissa_bits=q[f"{SERVING}.mantissa_bits"])
    else:
        snr_dB = q.use(quantization.integer_snr_dB, weight_bits=q[f"{SERVING}.weight_bits"])
    q.lay(
        "activations become 8 bits", np.minimum(round_s * one, launch.duration_s), "moving charge",
        after=_before(m, start), parent=launch, id="step.model.quantization", bytes_in=size_B,
        snr_dB=snr_dB,
    )  # fmt: skip


def _before(m: Machine, mark: Mark) -> list[Mark]:
    """Return the marks after which a span was laid: its parts begin with it."""
    plan = next(p for p in m.way.plans if p.id == mark.id)
    return [m.way.marks[name] for name in plan.after]


def _memory_share(m: Machine) -> Any:
    """Return the share of one accelerator's memory that weights and cache fill; above 1 the choice cannot be served."""
    w, shape = m[weights], m.shape
    ranks, weight_B = w[f"{SERVING}.tensor_ranks"], w[f"{SERVING}.weight_B"]
    held_B = w.use(weights.rank_B, common_parameters=shape.common + shape.table, tensor_ranks=ranks, weight_B=weight_B)
    if shape.expert is not None:
        e = m[experts]
        held = e.use(
            experts.held_share, experts=e[f"{NAME}.experts"], redundant_experts=e[f"{SERVING}.redundant_experts"],
            expert_ranks=e[f"{SERVING}.expert_ranks"],
        )  # fmt: skip
        routed = e.use(experts.routed_parameters, moe_layers=shape.moe_layers, experts=held, parameters=shape.expert)
        held_B = held_B + w.use(weights.held_B, parameters=routed, weight_B=weight_B)
    return w.use(weights.memory_share, held_B=held_B + m.step.cache_B, memory_B=w[f"{CHIP}.memory_B"], accelerators=1.0)
