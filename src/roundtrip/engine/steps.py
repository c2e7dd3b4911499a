"""What one forward pass leaves behind: the scores, and what could be seen on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Blocks = list[list[Floats]]
"""Attention of a part, by layer, as it was computed: a run of tokens at a time, (heads, tokens, positions)."""


class Room:
    """Memory for what forward passes keep, taken once and used again by each pass that is given it.

    The states and the attention of 500 tokens take 200 MB. What they cost is not to be written but to be given out by
    the system, page by page. A trace that lies here holds until the next pass.
    """

    def __init__(self) -> None:
        self._taken: dict[str, Floats] = {}

    def floats(self, name: str, count: int) -> Floats:
        """Return so many numbers of any value; those that were asked for under this name before are used again."""
        taken = self._taken.get(name)
        if taken is None or taken.size < count:
            taken = self._taken[name] = np.empty(count, np.float32)
        return taken[:count]


@dataclass(frozen=True)
class Look:
    """What a forward pass shall keep, besides its scores: hidden states, attention weights.

    With a `room` they are written there, over what the last pass left.
    """

    hidden: bool = False
    attention: bool = False
    room: Room | None = None


@dataclass(frozen=True)
class Candidate:
    """One token that could come next: its score and its probability among all tokens."""

    id: int
    logit: float
    probability: float


@dataclass(frozen=True)
class StepTrace:
    """What was seen of one forward pass. What was not looked at is None, and `missing` says why.

    Parameters
    ----------
    tokens
        Tokens of all parts together.
    rows
        Rows that went through the matrices together.
    wall_s, cpu_s
        Time on the clock, and of this thread on the processor (with one thread for the matrices, that is all of it).
    layer_s
        Time on the clock of each layer.
    top
        One list a part: the most probable next tokens.
    entropy_nat
        One number a part: how undecided the model is about the next token.
    cache_B
        Bytes that are filled in the caches of all parts, after the step.
    hidden
        One array a part, (layers + 1, tokens, width): the embedding, then the state after each layer.
    attention_blocks
        One entry a part: the attention weights as they were computed; `attention` puts them together.
    missing
        Name of what is None, and the reason.
    """

    tokens: int
    rows: int
    wall_s: float
    cpu_s: float
    layer_s: list[float] | None
    top: list[list[Candidate]]
    entropy_nat: list[float]
    cache_B: int
    hidden: list[Floats] | None = None
    attention_blocks: list[Blocks] | None = None
    missing: dict[str, str] = field(default_factory=dict[str, str])

    @cached_property
    def attention(self) -> list[Floats] | None:
        """How much each token looks at each position: one array a part, (layers, heads, tokens, positions).

        It is put together when it is first read, which takes time and memory that the pass itself did not need.
        """
        return None if self.attention_blocks is None else [_together(layers) for layers in self.attention_blocks]


def _together(layers: Blocks) -> Floats:
    """Return the blocks of all layers as one array; what a block does not reach is the future, and zero."""
    heads, _, positions = layers[0][-1].shape
    tokens = sum(block.shape[1] for block in layers[0])
    whole = np.zeros((len(layers), heads, tokens, positions), np.float32)
    for layer, blocks in zip(whole, layers, strict=True):
        first = 0
        for block in blocks:
            layer[:, first : first + block.shape[1], : block.shape[2]] = block
            first += block.shape[1]
    return whole


@dataclass(frozen=True)
class Step:
    """The scores of a forward pass, one array a part, and its trace.

    `logits` are (vocabulary,) of the last token of a part, or (tokens, vocabulary) where every token was asked for.
    """

    logits: list[Floats]
    trace: StepTrace
