"""What there is to say of an architecture in numbers: weights, operations, cache, and on how much memory it fits."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from roundtrip.catalog.architectures import Published, rows
from roundtrip.catalog.load import entry, load
from roundtrip.errors import DomainError
from roundtrip.serving import counts
from roundtrip.serving.architecture import Architecture, Block, architecture, catalog_key
from roundtrip.serving.estimate import architecture_or_estimate
from roundtrip.serving.precision import numbers
from roundtrip.stages.model import weights

SHOWN = ("bf16", "fp8", "fp4")
USABLE_SHARE = 0.9  # of an accelerator's memory, as vLLM's gpu_memory_utilization
LIKE = "b200"  # multiplies in all precisions, so that bytes follow from the precision alone
LONGEST = 10**8
KEPT_B, STATE_B = 2.0, 4.0  # of a number of the cache, and of a state, which is added to at every token [B]
RENTED = ("phone-soc", "this-machine")  # not these: they are no accelerators of a cluster


@dataclass(frozen=True, slots=True)
class Fit:
    """How many accelerators of a kind hold the weights and the cache of one sequence, by precision."""

    accelerator: str
    memory_B: float
    needed: dict[str, int]


@dataclass(frozen=True, slots=True)
class Card:
    """An architecture in numbers; what each is says `roundtrip.serving.counts`."""

    architecture: Architecture
    title: str
    source: str
    note: str
    published: Published
    context: float
    parameters: float
    active_parameters: float
    routed_parameters: float
    draft_parameters: float
    layers: int
    layer_kinds: list[str]
    flop_per_token: float
    training_flop_per_token: float
    write_flop: float
    cache_token_B: float
    cache_held_B: float
    weights_B: dict[str, float]
    fits: list[Fit]


def card(name: str, context: float = 4096.0, may_estimate: bool = False) -> Card:
    """Return the card of a catalog key, a name on the hub, or a ``config.json``; or an estimate, if that is wanted."""
    if not 1 <= context <= LONGEST:
        raise DomainError(f"context = {context:g}, expected 1 to {LONGEST:,} tokens")
    a = architecture_or_estimate(name) if may_estimate else architecture(name)
    key = None if a.is_estimate or name.endswith(".json") else catalog_key(name)
    row = rows().get(key or "")
    sizes = {precision: size_B(a, precision) for precision in SHOWN}
    state = counts.state_elements(a)
    held_B = KEPT_B * (float(counts.cache_held_elements(a, context)) - state) + STATE_B * state
    return Card(
        architecture=a, title=row.title if row else a.name, source=row.source if row else "",
        note=a.note or (row.note if row else ""), published=row.published if row else Published(), context=context,
        parameters=counts.parameters(a), active_parameters=counts.active_parameters(a),
        routed_parameters=counts.routed_parameters(a), draft_parameters=counts.draft_parameters(a),
        layers=counts.layers(a), layer_kinds=_kinds(a), flop_per_token=float(counts.flop_per_token(a, context)),
        training_flop_per_token=float(counts.training_flop_per_token(a, context)),
        write_flop=2.0 * counts.active_parameters(a) + float(counts.write_attention_flop(a, context)),
        cache_token_B=KEPT_B * counts.cache_elements(a), cache_held_B=held_B, weights_B=sizes,
        fits=[_fit(key, sizes, held_B) for key in load("accelerators") if key not in RENTED],
    )  # fmt: skip


def size_B(a: Architecture, precision: str) -> float:
    """Return the bytes of all weights in a precision, where common practice leaves some in more bits [B]."""
    n = numbers(a, entry("accelerators", LIKE), precision)
    routed = counts.routed_parameters(a)
    return routed * n.routed_B + (counts.parameters(a) - routed) * n.common_B


def _fit(accelerator: str, sizes: dict[str, float], held_B: float) -> Fit:
    memory_B = entry("accelerators", accelerator).figure("memory_B").value
    needed = {p: int(weights.accelerators_needed(size + held_B, memory_B, USABLE_SHARE)) for p, size in sizes.items()}  # pyright: ignore[reportArgumentType]
    return Fit(accelerator, memory_B, needed)


def _kinds(a: Architecture) -> list[str]:
    """Return what the layers are, in words, those of a kind together."""
    found: Counter[str] = Counter()
    for b in a.blocks:
        found[_kind(b)] += b.layers
    return [f"{count} of {words}" for words, count in found.items()]


def _kind(b: Block) -> str:
    if b.attention == "gqa":
        mixer = f"{b.heads} heads on {b.kv_heads} of keys and values, {b.head_width} wide"
    elif b.attention == "mla":
        mixer = f"{b.heads} heads on one latent vector of {b.kv_rank} and {b.rope_width} numbers"
    elif b.attention == "linear":
        rule = "the gated delta rule" if b.is_delta else "Mamba-2"
        mixer = f"{rule}, {b.heads} states of {b.head_width} by {b.value_width}"
    else:
        mixer = "no attention"
    if b.window_tokens:
        mixer += f", that see {b.window_tokens:,} tokens"
    if b.selected_tokens:
        mixer += f", that select {b.selected_tokens:,} tokens"
    parts = [mixer]
    if b.inner_width:
        parts.append(f"a network {b.inner_width:,} wide")
    if b.experts:
        parts.append(f"{b.picked_experts} of {b.experts} experts {b.expert_width:,} wide")
    if b.shared_width:
        parts.append(f"a shared one {b.shared_width:,} wide")
    return "; ".join(parts)


def as_body(made: Card) -> dict[str, Any]:
    """Return a card as plain values, for JSON."""
    a, said = made.architecture, made.published
    return {
        "name": a.name, "title": made.title, "is_estimate": a.is_estimate, "source": made.source, "note": made.note,
        "parameters": int(made.parameters), "active_parameters": int(made.active_parameters),
        "routed_parameters": int(made.routed_parameters), "draft_parameters": int(made.draft_parameters),
        "other_parameters": a.other_parameters,
        "published": {
            "parameters": said.parameters, "active_parameters": said.active_parameters, "drafts": said.drafts,
            "source": said.source, "note": said.note,
        } if said.source else None,
        "layers": made.layers, "hidden_width": a.hidden_width, "vocabulary": a.vocabulary, "tied": a.tied,
        "precision": a.precision, "routed_precision": a.routed_precision or a.precision,
        "context_limit_tokens": a.context_limit_tokens or None, "context_tokens": made.context,
        "flop_per_token": made.flop_per_token, "training_flop_per_token": made.training_flop_per_token,
        "write_flop": made.write_flop, "cache_token_B": made.cache_token_B, "cache_held_B": made.cache_held_B,
        "weights_B": made.weights_B,
        "fits": [{"accelerator": f.accelerator, "memory_B": f.memory_B, "needed": f.needed} for f in made.fits],
    }  # fmt: skip
