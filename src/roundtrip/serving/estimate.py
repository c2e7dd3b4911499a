"""An architecture from a name alone: for a model that nobody has described, so that it is not left out.

The name must state sizes (``70B``, ``235B-A22B``, ``8x7B``). The nearest architecture of the catalog, of the same maker
if one is near, lends its shape; depth and widths are stretched until the sizes hold. The result is marked
(`Architecture.is_estimate`) and whoever uses it says so.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace

from roundtrip.catalog.architectures import rows
from roundtrip.errors import DomainError
from roundtrip.serving import counts
from roundtrip.serving.architecture import Architecture, Block, architecture, plain_name

_SIZE = re.compile(r"(?:^|[-_ .])(?:(\d+)x)?(\d+(?:\.\d+)?)(b|m|t)(?=$|[-_ .])")
_ACTIVE = re.compile(r"(?:^|[-_ .])a(\d+(?:\.\d+)?)(b|m)(?=$|[-_ .])")
_UNIT = {"m": 1e6, "b": 1e9, "t": 1e12}
_FAMILIAR = 0.7  # how much nearer (in nats of size) a model of the same family counts
SMALLEST, LARGEST = 1e7, 1e14


def architecture_or_estimate(name: str) -> Architecture:
    """Return what the catalog knows of a model, else an estimate from the sizes in its name, marked as one."""
    try:
        return architecture(name)
    except DomainError:
        if name.endswith(".json") or stated_sizes(name) is None:
            raise
        return architecture_from_name(name)


def stated_sizes(name: str) -> tuple[float, float] | None:
    """Return all weights and the active ones as a name states them; equal for a dense model, None if it states none."""
    word = plain_name(name)
    found = _SIZE.search(word)
    if not found:
        return None
    copies, size, unit = found.groups()
    total = float(size) * _UNIT[unit] * (int(copies) if copies else 1)
    active = _ACTIVE.search(word)
    if active:
        chosen = float(active.group(1)) * _UNIT[active.group(2)]
    else:
        chosen = total * (2.0 / int(copies) if copies and int(copies) > 2 else 1.0)  # 8x7B: two of eight
    if not SMALLEST <= chosen <= total <= LARGEST:
        return None
    return total, chosen


def architecture_from_name(name: str) -> Architecture:
    """Return an estimate of the architecture of a model from the sizes in its name."""
    sizes = stated_sizes(name)
    if sizes is None:
        raise DomainError(f"the name {name!r} states no size, expected one such as 70B or 235B-A22B, from 10M to 100T")
    total, active = sizes
    model = _nearest(plain_name(name), total, active)
    made = _mixture(model, total, active) if active < total else _dense(model, total)
    note = f"estimated from the sizes in its name with the shape of {model.name}"
    return replace(made, name=plain_name(name), is_estimate=True, note=note, other_parameters=0, draft_blocks=())


def _nearest(word: str, total: float, active: float) -> Architecture:
    """Return the catalog's architecture of the same kind that is nearest in size, its own family before others."""
    near = [found.group() for found in (re.match(r"[a-z]+", word), re.match(r"[a-z]+-?\d[\d.]*", word)) if found]

    def distance(a: Architecture) -> float:
        apart = abs(math.log(counts.parameters(a) / total)) + abs(math.log(counts.active_parameters(a) / active))
        return apart - _FAMILIAR * sum(a.name.startswith(start) for start in near)

    every = [architecture(key) for key in rows() if "-vl-" not in key]
    same = [a for a in every if bool(counts.moe_layers(a)) == (active < total)]
    return min(same, key=distance)


def _dense(model: Architecture, total: float) -> Architecture:
    """Return a dense model stretched to a size: depth and width by the cube root, then the inner width to fit."""
    stretch = (total / counts.parameters(model)) ** (1.0 / 3.0)
    wide = replace(model, hidden_width=_rounded(model.hidden_width * stretch, 128), small=0)
    blocks = tuple(_stretched(b, stretch, wide.hidden_width) for b in model.blocks)
    wide = replace(wide, blocks=blocks)
    inner = sum(b.layers * b.inner_width for b in wide.blocks)
    if not inner:
        return wide
    matrices = 3.0 if any(b.gated for b in wide.blocks if b.inner_width) else 2.0
    missing = (total - counts.parameters(wide)) / (matrices * wide.hidden_width * inner)
    return replace(wide, blocks=tuple(
        replace(b, inner_width=_rounded(b.inner_width * max(1.0 + missing, 0.25), 64)) if b.inner_width else b
        for b in wide.blocks
    ))  # fmt: skip


def _stretched(b: Block, stretch: float, hidden: int) -> Block:
    groups = max(b.kv_heads, 1)
    heads = max(groups * max(round(b.heads * stretch / groups), 1), 1) if b.heads else 0
    return replace(
        b, layers=max(round(b.layers * stretch), 1), heads=heads, inner_width=_rounded(b.inner_width * stretch, 64),
        small=2 * hidden, state_elements=round(b.state_elements * heads / b.heads) if b.heads else 0,
    )  # fmt: skip


def _mixture(model: Architecture, total: float, active: float) -> Architecture:
    """Return a mixture stretched to sizes: depth and width by the active weights, then the number of experts to fit."""
    own = counts.active_parameters(model)
    stretch = (active / own) ** (1.0 / 3.0)
    hidden = _rounded(model.hidden_width * stretch, 128)
    blocks = tuple(
        replace(
            _stretched(b, stretch, hidden), expert_width=_rounded(b.expert_width * stretch, 64) if b.experts else 0,
            shared_width=_rounded(b.shared_width * stretch, 64), expert_small=0,
            latent_width=_rounded(b.latent_width * stretch, 64),
        )
        for b in model.blocks
    )  # fmt: skip
    wide = replace(model, hidden_width=hidden, blocks=blocks, small=0)
    share = (total - counts.parameters(wide) + counts.routed_parameters(wide)) / counts.routed_parameters(wide)
    return replace(wide, blocks=tuple(
        replace(b, experts=max(round(b.experts * max(share, 0.0)), b.picked_experts)) if b.experts else b
        for b in wide.blocks
    ))  # fmt: skip


def _rounded(value: float, step: int) -> int:
    return max(round(value / step), 1) * step if value else 0
