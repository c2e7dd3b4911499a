"""What one forward pass leaves behind: the scores, and what could be seen on the way."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Look:
    """What a forward pass shall keep, besides its scores: hidden states, attention weights."""

    hidden: bool = False
    attention: bool = False


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
    attention
        One array a part, (layers, heads, tokens, positions): how much each token looks at each position.
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
    attention: list[Floats] | None = None
    missing: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Step:
    """The scores of a forward pass, one array a part, and its trace.

    `logits` are (vocabulary,) of the last token of a part, or (tokens, vocabulary) where every token was asked for.
    """

    logits: list[Floats]
    trace: StepTrace
