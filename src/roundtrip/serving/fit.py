"""Fit the constants of step times to measured runs: shared ones first, deviations shrunk to them second.

Constants are fitted as logarithms, each held by a prior (`roundtrip.serving.constants`). A deviation is a factor on one
constant for rows that share a word (an engine, an accelerator, a version); its prior is 1, so that it stays there
unless its rows say otherwise, and a word that no row had is 1. Residuals are logarithms of predicted over measured
times; large ones count by their size, not by its square. The solver is Levenberg and Marquardt's: a deviation's column
of the Jacobian is that of its constant on its rows, so that hundreds of them cost no further evaluation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.serving.closed_loop import Loop, closed_loop, split
from roundtrip.serving.constants import NAMES, SHARES, Prior, priors
from roundtrip.serving.measurements import Table

Floats = NDArray[np.float64]
SCALE = np.array([0.7, 0.15])  # residual of the times to first token and per output token from which on rows count less
NUDGE = 1e-3  # of a logarithm, for differences
BENCH = (("wave_share", "bench", 1.5), ("engine_overhead_s", "bench", 0.7), ("client_time_s", "bench", 0.7))
_LAYERS: dict[str, dict[str, float]] = {
    "engine": dict.fromkeys(
        ("step_overhead_s", "layer_time_s", "moe_layer_time_s", "per_stream_time_s", "engine_overhead_s",
         "memory_efficiency", "prefill_efficiency"), 0.5),
    "accelerator": dict.fromkeys(
        ("memory_efficiency", "prefill_efficiency", "cache_efficiency", "layer_time_s", "per_stream_time_s",
         "link_latency_s", "engine_overhead_s", "attention_efficiency"), 0.35),
    "precision": dict.fromkeys(("memory_efficiency", "prefill_efficiency", "layer_time_s"), 0.35),
    "family": dict.fromkeys(("prefill_efficiency", "memory_efficiency", "layer_time_s", "cache_efficiency"), 0.3),
    "version": {
        "wave_share": 0.5, "client_time_s": 0.5, "engine_overhead_s": 0.4, "prefill_efficiency": 0.3,
        "expert_efficiency": 0.3, "activation_copies": 0.3, "per_stream_time_s": 0.3, "link_latency_s": 0.3,
        "moe_layer_time_s": 0.3, "layer_time_s": 0.25, "memory_efficiency": 0.15},
    "variant": {
        "prefill_efficiency": 0.3, "engine_overhead_s": 0.3, "layer_time_s": 0.2, "memory_efficiency": 0.15},
    "spread": {"engine_overhead_s": 0.3, "prefill_efficiency": 0.2, "layer_time_s": 0.2},
}  # fmt: skip
# What a cell has of its own, the spread of its factor in logarithms; measured cells alone have them.
DEVIATIONS = tuple((constant, kind, spread) for kind, layer in _LAYERS.items() for constant, spread in layer.items())


@dataclass(frozen=True, slots=True)
class Effect:
    """A deviation: a constant, the kind of word, the word, and the spread of its prior."""

    constant: str
    kind: str
    word: str
    spread: float


@dataclass(frozen=True, slots=True)
class Fit:
    """Constants that were fitted.

    Attributes
    ----------
    names : tuple of str
        The constants.
    effects : tuple of Effect
        The deviations.
    x : array
        Logarithms: of the constants, then of the deviations' factors.
    start, spread : array
        The priors.
    covariance : array
        Of `x`, from the Jacobian and the priors.
    rows : int
        Rows of the fit.
    """

    names: tuple[str, ...]
    effects: tuple[Effect, ...]
    x: Floats
    start: Floats
    spread: Floats
    covariance: Floats
    rows: int = 0
    notes: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def values(self) -> dict[str, float]:
        """The shared constants by name."""
        return {name: _capped(name, float(np.exp(v))) for name, v in zip(self.names, self.x, strict=False)}

    def constants(self, table: Table) -> dict[str, Any]:
        """Return the constants of each row, with the deviations of its words."""
        return _constants(self.names, self.x, _masks(self.effects, table), self.effects)

    def predict(self, table: Table) -> Floats:
        """Return the logarithms of the times to first token and per output token of each row [s]."""
        return predict(table, self.constants(table))


def predict(table: Table, k: Mapping[str, Any]) -> Floats:
    """Return the logarithms of the times to first token and per output token [s], shape (rows, 2)."""
    made = seen(table, k)
    return np.log(np.stack([made.ttft_s, made.tpot_s], axis=-1))


def seen(table: Table, k: Mapping[str, Any]) -> Loop:
    """Return what the clients of each row see; all rows read and write on one replica, or all apart."""
    clients, prompt, answer = table.load.T
    if table.runs[0].writers:
        readers = np.array([r.readers or 1.0 for r in table.runs])
        writers = np.array([max(r.writers, 1.0) for r in table.runs])
        return split(table.reader, table.case, k, clients, prompt, answer, readers, writers)
    return closed_loop(table.case, k, clients, prompt, answer)


def _capped(name: str, value: Any) -> Any:
    return np.minimum(value, 1.0) if name in SHARES else value


def effects(table: Table, layers: Sequence[tuple[str, str, float]]) -> tuple[Effect, ...]:
    """Return a deviation for each word that the rows have, of each layer (constant, kind of word, spread)."""
    return tuple(
        Effect(constant, kind, str(word), spread)
        for constant, kind, spread in layers
        for word in np.unique(table.labels[kind])
    )


def _masks(found: Sequence[Effect], table: Table) -> Floats:
    if not found:
        return np.zeros((0, len(table)))
    return np.stack([(table.labels[e.kind] == e.word).astype(np.float64) for e in found])


def _constants(names: Sequence[str], x: Floats, masks: Floats, found: Sequence[Effect]) -> dict[str, Any]:
    logs: dict[str, Any] = {name: x[i] for i, name in enumerate(names)}
    for e, value, mask in zip(found, x[len(names) :], masks, strict=True):
        if value:
            logs[e.constant] = logs[e.constant] + value * mask
    return {name: _capped(name, np.exp(v)) for name, v in logs.items()}


def fit(
    table: Table,
    layers: Sequence[tuple[str, str, float]] = BENCH,
    *,
    prior: Mapping[str, Prior] | None = None,
    first: Fit | None = None,
    rounds: int = 14,
    weight: Floats | None = None,
) -> Fit:
    """Fit constants and deviations to the rows of a table.

    Parameters
    ----------
    table : Table
        Measured runs.
    layers : sequence of (constant, kind of word, spread)
        Deviations: `BENCH` alone for what is to hold elsewhere, with `DEVIATIONS` for neighbors of measured runs.
    prior : mapping, optional
        Where the constants start; those of the catalog by default.
    first : Fit, optional
        A fit to start the search from; it does not move the priors.
    rounds : int
        Steps of the solver, at most.
    weight : array, optional
        How often each row counts, as in a bootstrap.
    """
    known = prior or priors()
    names, found = NAMES, effects(table, layers)
    start = np.array([*(np.log(known[n].value) for n in names), *(0.0 for _ in found)])
    spread = np.array([*(known[n].spread for n in names), *(e.spread for e in found)])
    x = start.copy()
    if first is not None:
        x[: len(names)] = first.x[: len(names)]
        old = {(e.constant, e.kind, e.word): v for e, v in zip(first.effects, first.x[len(names) :], strict=True)}
        x[len(names) :] = [old.get((e.constant, e.kind, e.word), 0.0) for e in found]
    masks = _masks(found, table)
    base = np.array([names.index(e.constant) for e in found], dtype=int)
    there = np.isfinite(table.measured)
    goal = np.where(there, table.measured, 0.0)
    count = np.ones(len(table)) if weight is None else weight
    solver = _Solver(table, names, found, masks, base, there, goal, np.sqrt(count)[:, None] / SCALE, start, spread)
    x, hessian = solver.run(x, rounds)
    return Fit(tuple(names), found, x, start, spread, np.asarray(np.linalg.inv(hessian), np.float64), len(table))


@dataclass(slots=True)
class _Solver:
    table: Table
    names: Sequence[str]
    found: Sequence[Effect]
    masks: Floats
    base: NDArray[np.int64]
    there: NDArray[np.bool_]
    goal: Floats
    scale: Floats
    start: Floats
    spread: Floats

    def residuals(self, x: Floats, nudged: int = -1) -> Floats:
        k = _constants(self.names, x, self.masks, self.found)
        if nudged >= 0:
            name = self.names[nudged]
            k[name] = k[name] * np.exp(NUDGE)
        return np.where(self.there, (predict(self.table, k) - self.goal) * self.scale, 0.0)

    def cost(self, r: Floats, x: Floats) -> float:
        return float(np.sum(2.0 * (np.sqrt(1.0 + r * r) - 1.0)) + np.sum(((x - self.start) / self.spread) ** 2))

    def normal(self, r: Floats, x: Floats) -> tuple[Floats, Floats]:
        """Return the matrix and the right side of one step, rows weighed down by their size."""
        n = len(self.names)
        jacobian = np.empty((*r.shape, len(x)))
        for i in range(n):
            jacobian[..., i] = (self.residuals(x, i) - r) / NUDGE
        if self.found:
            jacobian[..., n:] = jacobian[..., self.base] * self.masks.T[:, None, :]
        flat = jacobian.reshape(-1, len(x))
        heavy = (1.0 / np.sqrt(1.0 + r * r)).ravel()[:, None]
        matrix = flat.T @ (flat * heavy) + np.diag(self.spread**-2.0)
        side = flat.T @ (r.ravel()[:, None] * heavy)[:, 0] + (x - self.start) / self.spread**2
        return matrix, side

    def run(self, x: Floats, rounds: int) -> tuple[Floats, Floats]:
        r = self.residuals(x)
        cost, damping = self.cost(r, x), 1e-2
        matrix, side = self.normal(r, x)
        for _ in range(rounds):
            better = False
            tried, found, after = x, r, cost
            for _ in range(8):
                move = np.linalg.solve(matrix + damping * np.diag(np.diag(matrix)), -side)
                tried = x + np.clip(move, -1.0, 1.0)
                found = self.residuals(tried)
                after = self.cost(found, tried)
                if after < cost:
                    better = True
                    break
                damping *= 5.0
            if not better:
                break
            gained, x, r, cost = cost - after, tried, found, after
            damping = max(damping / 5.0, 1e-7)
            matrix, side = self.normal(r, x)
            if gained < 1e-4 * cost:
                break
        return x, matrix
