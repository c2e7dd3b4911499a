"""Measured times of the kernels of a model's layers, and the time of a step composed from them.

A folder holds the tables of one model on one accelerator at one degree of tensor parallelism, in the form that
LLMServingSim's profiler writes:

- ``dense.csv`` (layer, tokens, time_us): what is applied to every token;
- ``per_sequence.csv`` (layer, sequences, time_us): output head and sampler, once a sequence;
- ``attention.csv`` (prefill_chunk, kv_prefill, n_decode, kv_decode, time_us): one layer's attention;
- ``moe.csv`` (tokens, activated_experts, time_us), if the model has experts: one layer's, all picks on one accelerator;
- ``skew_fit.csv`` (pc, n_label, skew_rate_label, kv_big_label, kp_label, alpha, n_samples), if it was measured: how far
  sequences of unequal context lie on the way from the time at their mean to the time at their longest. Where
  ``meta.yaml`` beside the folder says that this fit is not enabled, it is left out.

Between measured points times are straight lines, beyond the last two the line goes on.

References
----------
.. [1] J. Cho et al., LLMServingSim 2.0, docs/docs/profiler/output-bundle.md,
   https://github.com/casys-kaist/LLMServingSim
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError

Floats = NDArray[np.float64]

ONCE = ("embedding", "final_layernorm")  # the other dense layers are those of a block
TWICE = ("layernorm",)  # before the attention and before the feed-forward part
MICRO = 1e-6


@dataclass(frozen=True, slots=True)
class Line:
    """A measured function of one whole number."""

    x: Floats
    y: Floats

    def __call__(self, x: Any) -> Any:
        """Return the value on the straight lines, and beyond the ends on the last ones (never below zero)."""
        return np.maximum(_line(self.x, self.y, np.asarray(x, np.float64)), 0.0)


@dataclass(frozen=True, slots=True)
class Grid:
    """A measured function of several numbers on a full grid."""

    axes: tuple[Floats, ...]
    values: Floats

    def __call__(self, *at: Any) -> Any:
        """Return the multilinear interpolation; below an axis its first value holds, beyond its end the last line."""
        points = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in at))
        total = np.zeros(points[0].shape)
        lows, shares = zip(*(_bracket(axis, x) for axis, x in zip(self.axes, points, strict=True)), strict=True)
        for corner in range(1 << len(self.axes)):
            weight = np.ones(points[0].shape)
            index = []
            for k, (low, share) in enumerate(zip(lows, shares, strict=True)):
                upper = corner >> k & 1
                weight = weight * (share if upper else 1.0 - share)
                index.append(np.minimum(low + upper, len(self.axes[k]) - 1))
            total = total + weight * self.values[tuple(index)]
        return np.maximum(total, 0.0)


@dataclass(frozen=True, slots=True)
class Skew:
    """How much unequal contexts cost, by buckets."""

    edges: dict[str, Floats]
    labels: dict[str, tuple[str, ...]]
    alpha: dict[tuple[str, ...], float]
    default: float

    def __call__(self, chunk: int, sequences: int, rate: float, longest: float, prior: float) -> float:
        """Return the share of the way from the time at the mean context to that at the longest."""
        key = (
            str(chunk),
            self._label("n", sequences),
            self._label("skew_rate", min(max(rate, 0.0), 1.0)),
            self._label("kv_big", longest),
            self._label("kp", prior),
        )
        return self.alpha.get(key, self.default)

    def _label(self, name: str, value: float) -> str:
        labels = self.labels[name]
        at = int(np.searchsorted(self.edges[name], value, side="left")) - 1
        return labels[min(max(at, 0), len(labels) - 1)]


@dataclass(frozen=True, slots=True)
class KernelTables:
    """Times of the kernels of one layer [s], as functions.

    Attributes
    ----------
    where : str
        The folder, for messages.
    block, once : Line
        Dense layers of one block, and those of the whole model, by tokens.
    sequence : Line
        Output head and sampler by sequences.
    decode : Grid
        Attention of a step that only writes, by sequences and context.
    prefill : Grid
        Attention of a prompt's part alone, by its tokens and those before it.
    mixed : Grid
        Attention by the tokens of a prompt's part, those before it, sequences that write and their context.
    moe : Grid, optional
        Experts of one layer by tokens (each with all of its picks here) and distinct experts.
    skew : Skew, optional
        Correction for unequal contexts.
    """

    where: str
    block: Line
    once: Line
    sequence: Line
    decode: Grid
    prefill: Grid
    mixed: Grid
    moe: Grid | None = None
    skew: Skew | None = field(default=None)

    def skewed(self, uniform_s: Any, longest_s: Any, alpha: float) -> Any:
        """Return the time of sequences of unequal context between those at their mean and at their longest."""
        return uniform_s + alpha * np.maximum(longest_s - uniform_s, 0.0)


def find(folder: Path, hardware: str, model: str, variant: str, ranks: int) -> Path:
    """Return the folder of a model's tables on a hardware at a degree of tensor parallelism.

    Raises
    ------
    DomainError
        If it is not there; the message names the degrees that are.
    """
    root = folder / hardware / model / variant
    path = root / f"tp{ranks}"
    if (path / "attention.csv").is_file():
        return path
    there = sorted(p.name for p in root.glob("tp*")) or sorted(
        str(p.relative_to(folder)) for p in folder.glob("*/*/*/*")
    )
    raise DomainError(f"kernel tables: no {path}; there are {', '.join(there) or 'none'}")


def read(path: Path) -> KernelTables:
    """Read the tables of one folder.

    Raises
    ------
    DomainError
        If a table is missing, has other columns, or no full grid can be found in it.
    """
    dense = _by_layer(path / "dense.csv", "tokens")
    by_sequence = _by_layer(path / "per_sequence.csv", "sequences")
    block = {name: line for name, line in dense.items() if name not in ONCE}
    rows = _table(path / "attention.csv", ("prefill_chunk", "kv_prefill", "n_decode", "kv_decode", "time_us"))
    alone = (rows[:, 0] == 0.0) & (rows[:, 2] > 0.0)
    reads = (rows[:, 2] == 0.0) & (rows[:, 0] > 0.0)
    both = (rows[:, 0] > 0.0) & (rows[:, 2] > 0.0)
    where = str(path / "attention.csv")
    moe = None
    if (path / "moe.csv").is_file():
        experts = _table(path / "moe.csv", ("tokens", "activated_experts", "time_us"))
        moe = _moe_grid(experts, str(path / "moe.csv"))
    return KernelTables(
        where=str(path),
        block=_sum(block, TWICE),
        once=_sum({name: line for name, line in dense.items() if name in ONCE}),
        sequence=_sum(by_sequence),
        decode=_grid(rows[alone][:, (2, 3, 4)], where),
        prefill=_grid(rows[reads][:, (0, 1, 4)], where),
        mixed=_grid(rows[both], where),
        moe=moe,
        skew=_skew(path),
    )


def _line(x: Floats, y: Floats, at: Floats) -> Floats:
    if len(x) == 1:
        return np.full(at.shape, y[0])
    low = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(x) - 2)
    slope = (y[low + 1] - y[low]) / (x[low + 1] - x[low])
    return np.where(at < x[0], y[0], y[low] + slope * (at - x[low]))


def _bracket(axis: Floats, at: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Return the lower neighbor on an axis and how far a value lies towards the upper one (beyond the end: over 1)."""
    if len(axis) == 1:
        return np.zeros(at.shape, np.int64), np.zeros(at.shape)
    low = np.clip(np.searchsorted(axis, at, side="right") - 1, 0, len(axis) - 2)
    share = (np.maximum(at, axis[0]) - axis[low]) / (axis[low + 1] - axis[low])
    return low.astype(np.int64), share


def _table(path: Path, columns: tuple[str, ...]) -> Floats:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        table = np.array([[float(row[name]) for name in columns] for row in rows], np.float64).reshape(-1, len(columns))
    except (OSError, KeyError, TypeError, ValueError, csv.Error) as error:
        raise DomainError(
            f"{path}: expected the columns {', '.join(columns)} with numbers: {type(error).__name__}: {error}"
        ) from None
    if not np.isfinite(table).all() or (table < 0.0).any():
        raise DomainError(f"{path}: numbers must be finite and not negative")
    return table


def _by_layer(path: Path, key: str) -> dict[str, Line]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [(row["layer"], float(row[key]), float(row["time_us"])) for row in csv.DictReader(file)]
    except (OSError, KeyError, TypeError, ValueError, csv.Error) as error:
        raise DomainError(
            f"{path}: expected the columns layer, {key}, time_us: {type(error).__name__}: {error}"
        ) from None
    if not rows or not np.isfinite([row[1:] for row in rows]).all() or min(min(row[1:]) for row in rows) < 0.0:
        raise DomainError(f"{path}: rows with finite numbers that are not negative are expected")
    lines: dict[str, Line] = {}
    for name in sorted({row[0] for row in rows}):
        points = np.array(sorted({x: y for layer, x, y in rows if layer == name}.items()))
        lines[name] = Line(points[:, 0], points[:, 1] * MICRO)
    return lines


def _sum(lines: dict[str, Line], twice: tuple[str, ...] = ()) -> Line:
    """Return the sum of measured lines on all of their points."""
    x = np.unique(np.concatenate([line.x for line in lines.values()] or [np.array([1.0, 2.0])]))
    y = np.zeros(len(x))
    for name, line in lines.items():
        y = y + (2.0 if name in twice else 1.0) * np.asarray(line(x))
    return Line(x, y)


def _grid(rows: Floats, where: str) -> Grid:
    """Return the largest full grid of scattered measurements: thin values of an axis are left out until it is full."""
    keys, times = rows[:, :-1], rows[:, -1] * MICRO
    keep = np.ones(len(rows), bool)
    while keep.any():
        used = keys[keep]
        axes = [np.unique(column) for column in used.T]
        if len(used) == np.prod([len(axis) for axis in axes]):
            break
        # The value that has the smallest part of what a full grid would give it.
        worst = min(
            ((np.sum(used[:, k] == value) * len(axis) / len(used), k, value)
             for k, axis in enumerate(axes) for value in axis),
        )  # fmt: skip
        keep &= keys[:, worst[1]] != worst[2]
    if not keep.any():
        raise DomainError(f"{where}: no full grid of measurements")
    axes = tuple(np.unique(column) for column in keys[keep].T)
    values = np.full([len(axis) for axis in axes], np.nan)
    index = tuple(np.searchsorted(axis, column) for axis, column in zip(axes, keys[keep].T, strict=True))
    values[index] = times[keep]
    return Grid(axes, values)


def _moe_grid(rows: Floats, where: str) -> Grid:
    """Return the experts' times on a full grid; more experts than the tokens can pick cost what they can pick."""
    tokens, experts = np.unique(rows[:, 0]), np.unique(rows[:, 1])
    if not len(rows):
        raise DomainError(f"{where}: no rows")
    values = np.empty((len(tokens), len(experts)))
    for i, token in enumerate(tokens):
        mine = rows[rows[:, 0] == token]
        mine = mine[np.argsort(mine[:, 1])]
        values[i] = np.interp(experts, mine[:, 1], mine[:, 2]) * MICRO
    return Grid((tokens, experts), values)


AXES = {  # where the profiler's notes do not name them
    "n": (0, 2, 4, 8, 16, 32, 64, 128, 256, 1_000_000),
    "skew_rate": (-0.01, 0.05, 0.15, 0.4, 0.7, 1.01),
    "kv_big": (0, 1024, 4096, 16_384, 1_000_000_000),
    "kp": (-1, 0, 512, 1024, 2048, 4096, 8192, 1_000_000_000),
}
LABELS = {
    "n": ("n<=2", "n<=4", "n<=8", "n<=16", "n<=32", "n<=64", "n<=128", "n<=256", "n>256"),
    "skew_rate": ("sr<=5%", "sr<=15%", "sr<=40%", "sr<=70%", "sr>70%"),
    "kv_big": ("kvB<=1k", "kvB<=4k", "kvB<=16k", "kvB>16k"),
    "kp": ("kp=0", "kp<=512", "kp<=1k", "kp<=2k", "kp<=4k", "kp<=8k", "kp>8k"),
}


def _skew(path: Path) -> Skew | None:
    file = path / "skew_fit.csv"
    if not file.is_file():
        return None
    names = ("pc", "n_label", "skew_rate_label", "kv_big_label", "kp_label")
    alpha: dict[tuple[str, ...], float] = {}
    weights: list[tuple[float, float]] = []
    try:
        with file.open(encoding="utf-8", newline="") as sheet:
            for row in csv.DictReader(sheet):
                value, count = float(row["alpha"]), float(row["n_samples"])
                alpha[tuple(row[name] for name in names)] = value
                weights.append((value, count))
    except (KeyError, TypeError, ValueError) as error:
        raise DomainError(f"{file}: expected {', '.join(names)}, alpha, n_samples: {error}") from None
    pooled = np.array(weights).reshape(-1, 2)
    default = float(np.average(pooled[:, 0], weights=pooled[:, 1])) if len(pooled) else 0.0
    edges: dict[str, tuple[float, ...]] = dict(AXES)
    labels: dict[str, tuple[str, ...]] = dict(LABELS)
    notes = path.parent / "meta.yaml"
    if notes.is_file():
        text = notes.read_text(encoding="utf-8")
        if re.search(r"^skew_fit:\s*\n\s+enabled:\s*false\s*$", text, re.M):
            return None
        for name in AXES:
            found = re.search(rf"^\s*{name}_bins:\s*\[(.+)\]\s*$", text, re.M)
            words = re.search(rf"^\s*{name}_labels:\s*\[(.+)\]\s*$", text, re.M)
            if found and words:
                edges[name] = tuple(float(x) for x in found[1].split(","))
                labels[name] = tuple(x.strip() for x in words[1].split(","))
        pool = re.search(r"alpha_default:\s*([-\d.]+)", text)
        default = float(pool[1]) if pool else default
    return Skew({name: np.array(x, np.float64) for name, x in edges.items()}, labels, alpha, default)
