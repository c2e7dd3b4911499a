"""What a forward pass writes down of itself while it runs."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from roundtrip.engine.cache import Cache
from roundtrip.engine.sampling import entropy
from roundtrip.engine.sampling import top as best_tokens
from roundtrip.engine.steps import Blocks, Floats, Look, Room, StepTrace

Span = tuple[Cache, int, int]
"""A part of a forward pass: its cache, its first row and the row after its last."""
Run = tuple[int, int, int]
"""Rows of a part that go through attention together: the first, the one after the last, positions that it can see."""


class Recorder:
    """Times, and as much of the states and of the attention as `look` asks for.

    Parameters
    ----------
    look
        What to keep.
    x
        The vectors of all tokens before the first layer: (rows, width).
    layers, heads
        Of the model.
    spans
        The parts, before their caches have grown.
    runs
        Of each part, how its rows go through attention.
    """

    def __init__(
        self, look: Look, x: Floats, layers: int, heads: int, spans: Sequence[Span], runs: Sequence[list[Run]]
    ) -> None:
        self._began, self._began_cpu = time.perf_counter(), time.thread_time()
        self._spans = spans
        self._rows = len(x)
        self._layer_s: list[float] = []
        room = look.room or Room()
        self._hidden: Floats | None = None
        if look.hidden:
            self._hidden = room.floats("hidden", (layers + 1) * x.size).reshape(layers + 1, *x.shape)
            self._hidden[0] = x
        self.attention = _blocks(room, layers, heads, runs) if look.attention else None
        self._mark = time.perf_counter()

    def after_layer(self, index: int, x: Floats) -> None:
        """Note the time and, if asked for, the state after a layer."""
        if self._hidden is not None:
            self._hidden[index + 1] = x
        now = time.perf_counter()
        self._layer_s.append(now - self._mark)
        self._mark = now

    def trace(self, scores: Sequence[Floats], top: int) -> StepTrace:
        """Return what was seen; `scores` are those of the last token of each part."""
        hidden = self._hidden
        there = {
            "top": top > 0,
            "entropy_nat": top > 0,
            "hidden": hidden is not None,
            "attention": self.attention is not None,
        }
        return StepTrace(
            tokens=self._rows,
            rows=self._rows,
            wall_s=time.perf_counter() - self._began,
            cpu_s=time.thread_time() - self._began_cpu,
            layer_s=self._layer_s,
            top=[best_tokens(logits, top) for logits in scores] if top else [],
            entropy_nat=[entropy(logits) for logits in scores] if top else [],
            cache_B=sum(cache.used_B for cache, _, _ in self._spans),
            hidden=None if hidden is None else [hidden[:, first:end] for _, first, end in self._spans],
            attention_blocks=self.attention,
            missing={name: "not asked for" for name, kept in there.items() if not kept},
        )


def _blocks(room: Room, layers: int, heads: int, runs: Sequence[list[Run]]) -> list[Blocks]:
    """Return where the attention weights of each part, each layer and each run go: (heads, tokens, positions).

    All of it is one array, because the system gives out a large one faster than many small ones. Attention computes
    right into it, so that nothing is copied.
    """
    shapes = [[(heads, b - a, positions) for a, b, positions in part] for part in runs]
    whole = room.floats("attention", layers * sum(math.prod(shape) for part in shapes for shape in part))
    at = 0
    made: list[Blocks] = [[] for _ in shapes]
    for by_layer, part in zip(made, shapes, strict=True):
        for _ in range(layers):
            by_layer.append([])
            for shape in part:
                end = at + math.prod(shape)
                by_layer[-1].append(whole[at:end].reshape(shape))
                at = end
    return made
