"""How long one step of a replica takes, as tables that the event loop reads.

The time of a step with r rows (tokens that go through the matrices), n sequences that write with mean context c, m
sequences in all and p pairs of tokens in the attention of prompts is

    rows_s[r] + m * sequence_s + context_s[n](c) + pairs_s(p)

Rows and sequences are whole numbers: their tables are exact. Contexts and pairs are straight lines between knots, and
beyond the last knot the last line goes on. While the same n sequences write, c grows by one a step, so that the time
of many steps is a sum of an arithmetic series, up to the next knot. Where kernels for steps that also read a prompt are
others, ``mixed_s`` takes the place of ``context_s`` in those steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError
from roundtrip.fleet.compiled import compiled

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class StepTimes:
    """Tables of the time of a step.

    Attributes
    ----------
    rows_s : array, (token budget + 1,)
        Time by the rows of a step: weights, launches, messages [s].
    context : array, (knots,)
        Mean context of the sequences that write, at least two knots, the first 0 [token].
    context_s : array, (max sequences + 1, knots)
        Time of their attention by their number and mean context [s].
    pairs : array, (knots,)
        Pairs of tokens that the prompts of a step attend to, at least two knots, the first 0.
    pairs_s : array, (knots,)
        Time of that; the value at 0 is what any prompt adds to a step [s].
    sequence_s : float
        Time for each sequence in the step: its bookkeeping, sampling and text [s].
    mixed_s : array, (max sequences + 1, knots)
        Time of the attention of those that write in a step that also reads a prompt; `context_s` by default [s].
    """

    rows_s: Floats
    context: Floats
    context_s: Floats
    pairs: Floats
    pairs_s: Floats
    sequence_s: float = 0.0
    mixed_s: Floats = field(default_factory=lambda: np.empty((0, 0)))

    def __post_init__(self) -> None:
        """Check shapes, order and values."""
        knots = len(self.context)
        if not self.mixed_s.size:
            object.__setattr__(self, "mixed_s", self.context_s)
        if self.mixed_s.shape != self.context_s.shape:
            raise DomainError("step times: the tables with and without a prompt have different shapes")
        if self.context_s.ndim != 2 or self.context_s.shape[1] != knots or len(self.pairs) != len(self.pairs_s):
            raise DomainError("step times: the tables do not fit their knots")
        for name, x in (("context", self.context), ("pairs", self.pairs)):
            if len(x) < 2 or x[0] != 0.0 or not (np.diff(x) > 0.0).all():
                raise DomainError(f"step times: the knots of {name} must be two or more that rise from 0, got {x}")
        for name, x in (
            ("rows", self.rows_s), ("context", self.context_s), ("context beside a prompt", self.mixed_s),
            ("pairs", self.pairs_s),
        ):  # fmt: skip
            if not np.isfinite(x).all() or (x < 0.0).any():
                raise DomainError(f"step times: the time by {name} must be finite and not negative")
        if not (self.rows_s[1:] > 0.0).all() or self.sequence_s < 0.0:
            raise DomainError("step times: a step with rows must take time, a sequence none below zero")
        falls = any((x[:, -1] < x[:, -2]).any() for x in (self.context_s, self.mixed_s))
        if falls or self.pairs_s[-1] < self.pairs_s[-2]:
            raise DomainError("step times: beyond the last knot a time must not fall")

    def fits(self, token_budget: int, max_sequences: int) -> StepTimes:
        """Return the tables cut to a scheduler's limits, or say that they end too early."""
        if len(self.rows_s) <= token_budget or len(self.context_s) <= max_sequences:
            raise DomainError(
                f"step times: tables up to {len(self.rows_s) - 1} rows and {len(self.context_s) - 1} sequences, "
                f"but the scheduler may use {token_budget} and {max_sequences}"
            )
        most = max_sequences + 1
        return replace(
            self,
            rows_s=self.rows_s[: token_budget + 1],
            context_s=self.context_s[:most],
            mixed_s=self.mixed_s[:most],
        )

    def padded(self, knots: int, pair_knots: int) -> StepTimes:
        """Return the same times with more knots, on the last line: so that tables of several kinds stack."""
        context, context_s = _extended(self.context, self.context_s, knots)
        mixed_s = _extended(self.context, self.mixed_s, knots)[1]
        pairs, pairs_s = _extended(self.pairs, self.pairs_s, pair_knots)
        return replace(self, context=context, context_s=context_s, mixed_s=mixed_s, pairs=pairs, pairs_s=pairs_s)


def _extended(x: Floats, y: Floats, knots: int) -> tuple[Floats, Floats]:
    more = knots - len(x)
    if not more:
        return x, y
    far = x[-1] + (x[-1] - x[-2]) * np.arange(1, more + 1)
    slope = (y[..., -1:] - y[..., -2:-1]) / (x[-1] - x[-2])
    return np.concatenate([x, far]), np.concatenate([y, y[..., -1:] + slope * (far - x[-1])], axis=-1)


def polynomial(
    token_budget: int,
    max_sequences: int,
    *,
    step_s: float,
    row_s: float = 0.0,
    sequence_s: float = 0.0,
    context_s: float = 0.0,
    pair_s: float = 0.0,
) -> StepTimes:
    """Return the affine step time ``step_s + rows row_s + sequences sequence_s + context context_s + pairs pair_s``.

    Parameters
    ----------
    token_budget, max_sequences : int
        Largest rows and sequences of a step.
    step_s, row_s, sequence_s : float
        Time of a step, and for each row and sequence in it [s].
    context_s, pair_s : float
        Time for each token of context of those that write, and for each pair of a prompt [s].
    """
    context = np.array([0.0, 1024.0])
    pairs = np.array([0.0, 1e6])
    return StepTimes(
        rows_s=step_s + row_s * np.arange(token_budget + 1.0),
        context=context,
        context_s=context_s * np.arange(max_sequences + 1.0)[:, None] * context[None, :],
        pairs=pairs,
        pairs_s=pair_s * pairs,
        sequence_s=sequence_s,
    )


def tabulated(
    token_budget: int,
    max_sequences: int,
    rows_s: Callable[[Floats], Any],
    context_s: Callable[[Floats, Floats], Any],
    pairs_s: Callable[[Floats], Any],
    sequence_s: float,
    context: Floats,
    pairs: Floats,
) -> StepTimes:
    """Return tables filled by functions of arrays: rows; sequences and mean context; pairs."""
    rows = np.arange(token_budget + 1.0)
    sequences = np.arange(max_sequences + 1.0)[:, None]
    by_rows = np.broadcast_to(np.asarray(rows_s(np.maximum(rows, 1.0)), np.float64), rows.shape).copy()
    by_context = np.asarray(context_s(np.maximum(sequences, 1.0), context[None, :]), np.float64)
    by_context = np.broadcast_to(by_context, (max_sequences + 1, len(context))).copy()
    by_context[0] = 0.0
    by_pairs = np.broadcast_to(np.asarray(pairs_s(pairs), np.float64), pairs.shape).copy()
    return StepTimes(by_rows, context, by_context, pairs, by_pairs, sequence_s)


@compiled
def piece(knots: Any, x: float) -> int:
    """Return the number of the line that x lies on; the last goes on for ever."""
    low, high = 0, len(knots) - 2
    while low < high:
        middle = (low + high + 1) >> 1
        if knots[middle] <= x:
            low = middle
        else:
            high = middle - 1
    return low


@compiled
def line(knots: Any, values: Any, x: float) -> float:
    """Return the value on the line through the knots around x."""
    at = piece(knots, x)
    slope = (values[at + 1] - values[at]) / (knots[at + 1] - knots[at])
    return values[at] + slope * (x - knots[at])
