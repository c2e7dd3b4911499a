"""What a forward pass writes down of itself while it runs."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from roundtrip.engine.cache import Cache
from roundtrip.engine.sampling import entropy
from roundtrip.engine.sampling import top as best_tokens
from roundtrip.engine.steps import Floats, Look, StepTrace

Span = tuple[Cache, int, int]
"""A part of a forward pass: its cache, its first row and the row after its last."""


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
    """

    def __init__(self, look: Look, x: Floats, layers: int, heads: int, spans: Sequence[Span]) -> None:
        self._began, self._began_cpu = time.perf_counter(), time.thread_time()
        self._spans = spans
        self._rows = len(x)
        self._layer_s: list[float] = []
        self._hidden = np.empty((layers + 1, *x.shape), np.float32) if look.hidden else None
        if self._hidden is not None:
            self._hidden[0] = x
        self.attention: list[Floats] | None = None
        if look.attention:
            sizes = [(end - first, cache.length + end - first) for cache, first, end in spans]
            self.attention = [np.zeros((layers, heads, tokens, positions), np.float32) for tokens, positions in sizes]
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
            attention=self.attention,
            missing={name: "not asked for" for name, kept in there.items() if not kept},
        )
