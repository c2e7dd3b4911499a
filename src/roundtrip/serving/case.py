"""A case: what a step needs to know of a model on accelerators, as plain numbers or as arrays with one case a row.

Many rows of a table of measurements are one `Case` of arrays, so that a fit evaluates them all at once; one deployment
is a `Case` of numbers. The counts come from `roundtrip.serving.counts`. What grows with the context up to a limit (a
window, a selection) and no further is a sum over a few limits: the last axis of `limits` and its neighbors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import Entry, entry
from roundtrip.serving import counts
from roundtrip.serving.architecture import Architecture
from roundtrip.serving.layout import SERVER, Layout
from roundtrip.serving.precision import Numbers, numbers
from roundtrip.stages.model import experts

FAR = 1e12  # tokens: no limit
CLASSES = 3  # limits that are told apart


@dataclass(frozen=True, slots=True)
class Case:
    """Numbers of a model, its precision, an accelerator and a layout: each a float, or an array with one for each row.

    Attributes
    ----------
    layers, moe_layers, hidden : float
        Layers, those with routed experts, numbers in a token's vector.
    body, head, routed : float
        Weights that all tokens are multiplied with, those of the output head, those of all routed experts.
    experts, picked : float
        Routed experts of a layer, and how many of them a token uses (1 and 1 where there are none).
    limits, reads, held, write_flop, prompt_flop : array, (..., CLASSES)
        Limits of what a layer sees [token]; and for each token of context up to that: numbers of the cache that a
        sequence reads and holds, operations of a new token, operations of a pair of a prompt.
    state_reads, state_held, state_flop : float
        The same whatever the context: numbers and operations of states.
    shards : float
        Ranks over which the cache can be split.
    routed_B, common_B, kv_B, routed_rate, common_rate, rounded : float
        As in `roundtrip.serving.precision.Numbers`; `rounded` is 1 or 0.
    bandwidth_B_s, memory_B, bf16_rate, link_B_s, outer_B_s, outer_latency_s : float
        Of the accelerator.
    tensor, groups, expert, pipeline, parts, overlap, redundant, server : float
        Of the layout.
    busiest : float
        What the busiest expert rank has over the mean at one pick a rank; it falls with the root of the picks.
    """

    layers: Any
    moe_layers: Any
    hidden: Any
    body: Any
    head: Any
    routed: Any
    experts: Any
    picked: Any
    limits: Any
    reads: Any
    held: Any
    write_flop: Any
    prompt_flop: Any
    state_reads: Any
    state_held: Any
    state_flop: Any
    shards: Any
    routed_B: Any
    common_B: Any
    kv_B: Any
    routed_rate: Any
    common_rate: Any
    rounded: Any
    bandwidth_B_s: Any
    memory_B: Any
    bf16_rate: Any
    link_B_s: Any
    outer_B_s: Any
    outer_latency_s: Any
    tensor: Any
    groups: Any
    expert: Any
    pipeline: Any
    parts: Any
    overlap: Any
    redundant: Any
    server: Any
    busiest: Any

    @property
    def ranks(self) -> Any:
        """Accelerators of one stage."""
        return self.tensor * self.groups

    def take(self, rows: Any) -> Case:
        """Return some rows of arrays."""
        return Case(*(getattr(self, f.name)[rows] for f in fields(self)))


def case(
    a: Architecture, accelerator: str, layout: Layout, precision: str, engine: str = "", kv_B: float | None = None
) -> Case:
    """Return the case of one deployment."""
    chip = entry("accelerators", accelerator)
    return _joined(a, chip, numbers(a, chip, precision, engine, kv_B), layout)


def stacked(cases: Sequence[Case]) -> Case:
    """Return many cases as one of arrays, one a row."""
    return Case(*(np.stack([getattr(one, f.name) for one in cases]) for f in fields(Case)))


def _joined(a: Architecture, chip: Entry, n: Numbers, layout: Layout) -> Case:
    figure = {name: one.value for name, one in chip.figures.items()}
    link_B_s = figure.get("link_B_s", 0.0) or figure["bandwidth_B_s"]
    server = layout.server or int(figure.get("accelerators_per_server", SERVER))
    shape = _shape(a)
    return Case(
        **shape,
        routed_B=n.routed_B, common_B=n.common_B, kv_B=n.kv_B, routed_rate=n.routed_rate, common_rate=n.common_rate,
        rounded=float(n.is_rounded),
        bandwidth_B_s=figure["bandwidth_B_s"], memory_B=figure["memory_B"], bf16_rate=figure["bf16_rate_flop_s"],
        link_B_s=link_B_s, outer_B_s=figure.get("outer_bandwidth_B_s", link_B_s),
        outer_latency_s=figure.get("outer_latency_s", 0.0),
        tensor=float(layout.tensor), groups=float(layout.groups), expert=float(layout.expert),
        pipeline=float(layout.pipeline), parts=float(layout.batch_parts), overlap=float(layout.overlap),
        redundant=float(layout.redundant), server=float(server),
        busiest=experts.busiest_load(float(layout.expert), 1.0) - 1.0,
    )  # fmt: skip


@cache
def _shape(a: Architecture) -> dict[str, Any]:
    """Return what follows from the architecture alone; limits and slopes are read off the exact counts."""
    mixed = next((b for b in a.blocks if b.experts), None)
    head = counts.head_parameters(a)
    limits = sorted({float(n) for b in a.blocks for n in (b.window_tokens, b.selected_tokens) if n})[: CLASSES - 1]
    at = np.array([*limits, FAR])

    def line(f: Callable[[Any], Any]) -> NDArray[np.float64]:
        slopes = np.array([float(f(x) - f(x - 1.0)) for x in [*limits, (limits[-1] if limits else 1.0) + 1.0]])
        own = slopes - np.append(slopes[1:], 0.0)
        return _padded(own, 0.0)

    def read(x: Any) -> Any:
        return counts.cache_read_elements(a, x)

    def held(x: Any) -> Any:
        return counts.cache_held_elements(a, x)

    def written(x: Any) -> Any:
        return counts.write_attention_flop(a, x)

    def prompt(x: Any) -> Any:
        return counts.prompt_attention_flop(a, 1.0, x - 1.0)

    return {
        "layers": float(counts.layers(a)), "moe_layers": float(counts.moe_layers(a)), "hidden": float(a.hidden_width),
        "body": counts.common_parameters(a) - head, "head": head, "routed": counts.routed_parameters(a),
        "experts": float(mixed.experts) if mixed else 1.0, "picked": float(mixed.picked_experts) if mixed else 1.0,
        "limits": _padded(at, 1.0), "reads": line(read), "held": line(held), "write_flop": line(written),
        "prompt_flop": line(prompt), "state_reads": 2.0 * counts.state_elements(a),
        "state_held": counts.state_elements(a), "state_flop": float(written(0.0)),
        "shards": float(counts.cache_shards(a)),
    }  # fmt: skip


def _padded(x: NDArray[np.float64], filler: float) -> NDArray[np.float64]:
    return np.append(x, [filler] * (CLASSES - len(x)))
