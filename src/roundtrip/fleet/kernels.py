"""Step times from measured kernels: the tables of `roundtrip.serving.kernel_tables` for the event loop.

A step's time is composed as the engine runs it: the dense layers by the tokens of the step, attention, experts, the
output head and the sampler by sequences, and what accelerators send each other. Two reductions are needed, since the
event loop knows of a step its rows, the sequences that write and their mean context, and the pairs of tokens of its
prompts:

- **Unequal contexts.** How much longer the longest of n sequences is than their mean is taken from the distribution
  of the contexts in the workload (`Spread`), and the correction of the tables is applied once, when they are filled.
- **Prompts.** The attention of a prompt's part is taken by its pairs; what it adds to the attention of those that
  write in the same step, at `PART` tokens.

Replicas that share their experts wait for each other in every layer. Such a group is one replica here, with the
sequences, tokens and pages of all: each of its ranks has an equal part of those that write, a prompt is read by one
rank while the others wait.

References
----------
.. [1] J. Cho et al., LLMServingSim 2.0, docs/docs/simulator/trace-generation.md,
   https://github.com/casys-kaist/LLMServingSim
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError
from roundtrip.fleet.times import StepTimes
from roundtrip.fleet.workload import Workload
from roundtrip.serving.architecture import Architecture
from roundtrip.serving.kernel_tables import KernelTables
from roundtrip.stages.model import experts, parallel

Floats = NDArray[np.float64]

DRAWS = 16  # of the longest context of a batch
PART = 512.0  # tokens of a prompt's part at which its effect on those that write is read from the tables


@dataclass(frozen=True, slots=True)
class Spread:
    """The contexts of sequences that write at a random moment of a workload.

    Attributes
    ----------
    contexts : array
        Sorted contexts [token].
    weights : array
        How often each is found, as a rising share up to 1.
    """

    contexts: Floats
    weights: Floats

    @property
    def mean(self) -> float:
        """The mean context [token]."""
        return float(np.average(self.contexts, weights=np.diff(self.weights, prepend=0.0)))

    def longest(self, sequences: int) -> Floats:
        """Return the longest context of so many sequences over their mean, at equal steps of its probability."""
        chance = (np.arange(DRAWS) + 0.5) / DRAWS
        return np.maximum(self._quantile(chance ** (1.0 / sequences)) / self.mean, 1.0)

    def shortest(self, sequences: int) -> float:
        """Return the median of the shortest context of so many over their mean."""
        return min(float(self._quantile(1.0 - 0.5 ** (1.0 / sequences))) / self.mean, 1.0)

    def _quantile(self, share: Any) -> Any:
        return np.interp(share, self.weights, self.contexts)


def spread(work: Workload, points: int = 16) -> Spread:
    """Return the contexts of a workload's sequences while they write, each token of an answer counted once."""
    at = (np.arange(points) + 0.5) / points
    contexts = (work.prompt[:, None] + work.output[:, None] * at).ravel()
    often = np.repeat(work.output / points, points)
    order = np.argsort(contexts, kind="stable")
    return Spread(contexts[order], np.cumsum(often[order]) / often.sum())


@dataclass(frozen=True, slots=True)
class Link:
    """What joins the accelerators of a replica: rate in one direction and time of a hop [B/s, s]."""

    bandwidth_B_s: float
    latency_s: float


def step_times(
    tables: KernelTables,
    model: Architecture,
    *,
    token_budget: int,
    max_sequences: int,
    tensor_ranks: int = 1,
    lockstep: int = 1,
    link: Link | None = None,
    contexts: Spread | None = None,
) -> StepTimes:
    """Return the step times of a replica.

    Parameters
    ----------
    tables : KernelTables
        Of the model on one accelerator at this degree of tensor parallelism.
    model : Architecture
        For the number of layers and the shape of the experts.
    token_budget, max_sequences : int
        Limits of the scheduler, those of all ranks in lockstep together.
    tensor_ranks : int
        Accelerators that split every matrix.
    lockstep : int
        Data-parallel ranks that share the experts and therefore step together.
    link : Link, optional
        Between them; needed for more than one accelerator.
    contexts : Spread, optional
        For the correction for unequal contexts; without it all contexts are taken to be equal.

    Raises
    ------
    DomainError
        If a link is needed and none is given, or a mixture of experts has no table of experts.
    """
    if (tensor_ranks > 1 or lockstep > 1) and link is None:
        raise DomainError(f"{tensor_ranks * lockstep} accelerators talk to each other: say over which link")
    pieces = _Pieces(tables, model, tensor_ranks, lockstep, link or Link(1.0, 0.0), contexts)
    rows = np.maximum(np.arange(token_budget + 1.0), 1.0)
    context = np.concatenate([[0.0], tables.decode.axes[1]])
    number = np.arange(1, max_sequences + 1)
    alone = np.stack([pieces.alone_s(int(n), context) for n in number])
    beside = np.stack([pieces.beside_s(int(n), context) for n in number])
    pairs = pieces.pairs(token_budget)
    pairs_s = pieces.pairs_s(pairs)
    nobody = np.zeros((1, len(context)))
    return StepTimes(
        rows_s=pieces.rows_s(rows),
        context=context,
        context_s=np.concatenate([nobody, _rising(alone)]),
        pairs=pairs,
        pairs_s=_rising(pairs_s),
        mixed_s=np.concatenate([nobody, _rising(beside)]),
    )


def _rising(values: Floats) -> Floats:
    """Return times that neither are negative nor fall at the end, as measured ones may by their noise."""
    values = np.maximum(values, 0.0)
    values[..., -1] = np.maximum(values[..., -1], values[..., -2])
    return values


@dataclass(frozen=True)
class _Pieces:
    tables: KernelTables
    model: Architecture
    tensor_ranks: int
    lockstep: int
    link: Link
    contexts: Spread | None

    @property
    def layers(self) -> int:
        return sum(block.layers for block in self.model.blocks)

    def rows_s(self, rows: Any) -> Floats:
        """Return what depends on the rows alone, all of them on one rank [s]."""
        t = self.tables
        total = self.layers * t.block(rows) + t.once(rows) + self._reduce_s(rows)
        for block in self.model.blocks:
            if block.experts:
                total = total + block.layers * (self._experts_s(rows, block) + self._exchange_s(rows, block))
        return total

    def _reduce_s(self, rows: Any) -> Any:
        """Return the all-reduces after each split matrix, two a layer [s]."""
        if self.tensor_ranks == 1:
            return 0.0
        size_B = parallel.layer_message_B(rows, self.model.hidden_width, 2.0)
        return (
            2.0
            * self.layers
            * np.asarray(
                parallel.ring_all_reduce_time_s(
                    size_B, self.tensor_ranks, self.link.bandwidth_B_s, 1.0, self.link.latency_s
                )
            )
        )

    def _experts_s(self, rows: Any, block: Any) -> Any:
        """Return the experts of a layer: each rank has its part of the picks and of the experts [s]."""
        touched = experts.distinct_experts(block.experts, block.picked_experts, rows)
        if self.tables.moe is None:
            raise DomainError(f"{self.tables.where}: {self.model.name} has experts, but there is no moe.csv")
        return self.tables.moe(np.maximum(rows / self.lockstep, 1.0), touched / self.lockstep)

    def _exchange_s(self, rows: Any, block: Any) -> Any:
        """Return how long tokens travel to the experts and back, gathered and scattered by a ring [s]."""
        if self.lockstep == 1:
            return 0.0
        there_B = parallel.layer_message_B(rows, self.model.hidden_width + block.experts, 2.0)
        back_B = parallel.layer_message_B(rows, self.model.hidden_width, 2.0)
        return 0.5 * sum(
            np.asarray(
                parallel.ring_all_reduce_time_s(
                    size_B, self.lockstep, self.link.bandwidth_B_s, 1.0, self.link.latency_s
                )
            )
            for size_B in (there_B, back_B)
        )  # half of an all-reduce each

    def _shared(self, writing: int) -> float:
        """Return the sequences that write on one rank, the fullest."""
        return float(-(-writing // self.lockstep))

    def alone_s(self, writing: int, context: Floats) -> Floats:
        """Return what a step in which so many only write adds to its rows [s]."""
        t, n = self.tables, self._shared(writing)
        spared = self.layers * (t.block(writing) - t.block(n)) + t.once(writing) - t.once(n)
        attention = self._unequal_s(n, context, 0.0)
        return self.layers * attention + t.sequence(n) - spared

    def beside_s(self, writing: int, context: Floats) -> Floats:
        """Return what so many that write add to a step with a prompt, beside their rows [s]."""
        t, n = self.tables, self._shared(writing)
        full, part = PART + writing, PART + n
        spared = self.layers * (t.block(full) - t.block(part)) + t.once(full) - t.once(part)
        attention = self._unequal_s(n, context, PART) - t.prefill(PART, 0.0)
        return self.layers * attention + t.sequence(n + 1.0) - t.sequence(1.0) - spared

    def _unequal_s(self, sequences: float, context: Floats, part: float) -> Floats:
        """Return the attention of sequences of unequal context: a mean over how long the longest of them may be.

        How much of the way to the longest counts is measured for some sizes of a prompt's part; a part is hardly ever
        of just such a size, and then the pooled share counts, as for the tables' authors. Without a prompt it is looked
        up at the workload's mean context: it changes by jumps between buckets, and contexts do not.
        """
        tables, n = self.tables, int(sequences)

        def time_s(at: Floats) -> Floats:
            return tables.mixed(part, 0.0, sequences, at) if part else tables.decode(sequences, at)

        uniform = time_s(context)
        skew = tables.skew
        if skew is None or self.contexts is None or n < 2:
            return uniform
        low, mean, total = self.contexts.shortest(n), self.contexts.mean, np.zeros_like(uniform)
        for high in self.contexts.longest(n).tolist():
            rate = (1.0 - low) / (high - low) if high > low else 0.5
            alpha = skew.default if part else skew(0, n, rate, high * mean, 0.0)
            total = total + tables.skewed(uniform, time_s(high * context), alpha)
        return total / DRAWS

    def pairs(self, token_budget: int) -> Floats:
        """Return the pairs of tokens at which the attention of prompts is read from the tables."""
        chunks = self.tables.prefill.axes[0]
        first = chunks * (chunks + 1.0) / 2.0
        whole = min(chunks[-1], float(token_budget))
        later = whole * (self.tables.prefill.axes[1][1:] + (whole + 1.0) / 2.0)
        return np.unique(np.concatenate([[0.0], first, later[later > first[-1]]]))

    def pairs_s(self, pairs: Floats) -> Floats:
        """Return the attention of prompts, and what the output head takes for one [s]."""
        t = self.tables
        chunks = t.prefill.axes[0]
        last = chunks[-1] * (chunks[-1] + 1.0) / 2.0
        tokens = np.minimum((np.sqrt(8.0 * pairs + 1.0) - 1.0) / 2.0, chunks[-1])
        before = np.maximum(pairs - last, 0.0) / chunks[-1]
        return self.layers * t.prefill(np.maximum(tokens, chunks[0]), before) + t.sequence(1.0)
