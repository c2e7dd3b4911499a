"""What this machine can do: a measurement of about one second, on one thread, of what the roofline of a pass needs.

Every part is measured by itself, on made-up numbers in arrays of the model's shapes: the rate at which memory yields
matrices to one row (decode), the rate of products of matrices (prefill), what a call into NumPy costs, and what is
done to each row and each score between the products. The model itself is not run, so a forecast from these numbers can
be held to runs of it.

Times are those of this thread on the processor, so that other programs count only by what they do to caches and memory.
The result is kept in the cache folder with the machine that it belongs to and the date; another machine measures anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from roundtrip.engine import weights
from roundtrip.engine.engine import limit_threads
from roundtrip.engine.model import attend, norm
from roundtrip.engine.sampling import log_probability, pick
from roundtrip.engine.steps import Floats

FORM = 7  # of the file; another form is measured anew
POOL_B = 340_000_000  # of matrices: with less, part of them stays in the caches from one round to the next
ROWS = 256  # of a prefill pass
SOME_ROWS = 8  # of a short prompt: the library copies each matrix before it multiplies, and that decides
LONG, SHORT, FEW = 1024, 64, 16  # positions in a cache
BUDGET_S = 1.0


@dataclass(frozen=True)
class Shape:
    """The sizes of the model that the machine is measured for: those of SmolLM2-135M."""

    layers: int = 30
    width: int = 576
    heads: int = 9
    kv_heads: int = 3
    head_width: int = 64
    inner_width: int = 1536
    vocabulary: int = 49_152

    @property
    def matrices(self) -> tuple[tuple[int, int], ...]:
        """Rows and columns of a layer's four matrices."""
        queries, shared = self.heads * self.head_width, self.kv_heads * self.head_width
        return (
            (self.width, queries + 2 * shared),
            (queries, self.width),
            (self.width, 2 * self.inner_width),
            (self.inner_width, self.width),
        )


@dataclass(frozen=True)
class Measured:
    """One number with the spread of its repeats: median, least and most."""

    value: float
    low: float
    high: float
    unit: str


@dataclass(frozen=True)
class Calibration:
    """What a machine can do with one thread.

    Attributes
    ----------
    machine : str
        A fingerprint of the machine and of the software that was measured.
    processor, date : str
        For people: what the system calls the processor; when it was measured (ISO 8601, UTC).
    took_s : float
        Seconds that the measurement took.
    bandwidth_B_s, flop_rate_flop_s : Measured
        Rate at which matrices reach one row, and of products of matrices.
    packing_share : Measured
        What matrices reach of the rate of memory where several rows are multiplied.
    narrow_share, cache_share : Measured
        What attention's narrow products reach of the rate of products, and its cache of the rate of memory.
    call_time_s, layer_time_s, row_time_s, pair_time_s, stream_time_s : Measured
        Time of a call; fixed time of a layer; time between the matrices for a row; for a score; to pick a token.
    """

    machine: str
    processor: str
    date: str
    took_s: float
    bandwidth_B_s: Measured
    flop_rate_flop_s: Measured
    packing_share: Measured
    narrow_share: Measured
    cache_share: Measured
    call_time_s: Measured
    layer_time_s: Measured
    row_time_s: Measured
    pair_time_s: Measured
    stream_time_s: Measured

    def figures(self) -> dict[str, Measured]:
        """Return the inputs of the forecast that it measures, by their place in a scenario."""
        one = Measured(1.0, 1.0, 1.0, "1")
        return {
            "model.accelerator.bandwidth_B_s": self.bandwidth_B_s,
            "model.accelerator.bf16_rate_flop_s": self.flop_rate_flop_s,
            "model.accelerator.kernel_latency_s": self.call_time_s,
            "model.serving.memory_efficiency": one,
            "model.serving.packing_efficiency": self.packing_share,
            "model.serving.prefill_efficiency": one,
            "model.serving.decode_efficiency": one,
            "model.serving.attention_efficiency": self.narrow_share,
            "model.serving.cache_efficiency": self.cache_share,
            "model.serving.layer_time_s": self.layer_time_s,
            "model.serving.row_time_s": self.row_time_s,
            "model.serving.pair_time_s": self.pair_time_s,
            "model.serving.per_stream_time_s": self.stream_time_s,
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"form": FORM, **asdict(self)}


def fingerprint() -> str:
    """Return a hash of what the numbers belong to: host, processor, NumPy and its linear algebra library."""
    library: Any = np.show_config(mode="dicts")
    blas = library.get("Build Dependencies", {}).get("blas", {}) if isinstance(library, dict) else {}
    parts = (
        platform.node(),
        platform.machine(),
        processor(),
        str(os.cpu_count()),
        np.__version__,
        str(blas),
        str(FORM),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def processor() -> str:
    """Return what the system calls its processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def kept() -> Calibration | None:
    """Return what was measured on this machine before, if it was."""
    try:
        body = json.loads(_path().read_text(encoding="utf-8"))
        if body.pop("form") != FORM or body["machine"] != fingerprint():
            return None
        read: dict[str, Any] = {k: Measured(**v) if isinstance(v, dict) else v for k, v in body.items()}
        return Calibration(**read)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def calibration(renew: bool = False) -> Calibration:
    """Return this machine's numbers: those of before, or measured now and kept (a folder that refuses is no error)."""
    found = None if renew else kept()
    if found is None:
        found = calibrate()
        try:
            _path().parent.mkdir(parents=True, exist_ok=True)
            draft = _path().with_suffix(f".{os.getpid()}")
            draft.write_text(json.dumps(found.as_dict(), indent=2), encoding="utf-8")
            draft.replace(_path())
        except OSError:
            pass
    return found


def _path() -> Path:
    return weights.folder() / "calibration.json"


def calibrate(shape: Shape | None = None, budget_s: float = BUDGET_S) -> Calibration:
    """Measure this machine with one thread.

    Parameters
    ----------
    shape : Shape
        The model's sizes.
    budget_s : float
        About how long it may take [s]; a slow machine takes longer, for every part is measured at least three times.
    """
    s = shape or Shape()
    limit_threads(1)
    began = time.perf_counter()
    rng = np.random.default_rng(1)
    layer = sum(a * b for a, b in s.matrices)
    copies = max(POOL_B // (4 * layer), 1)
    # Each by itself, as the model holds them: one large block would lie in larger pages and be read faster.
    matrices = [np.full(shape, 0.01, np.float32) for _ in range(copies) for shape in s.matrices]
    rows = {a: np.full((ROWS, a), 0.5, np.float32) for a, _ in s.matrices}

    def once(m: list[Floats], count: int) -> None:
        for matrix in m:
            _ = rows[matrix.shape[0]][:count] @ matrix

    few = matrices[: len(s.matrices) * 2]
    once(matrices, 1)  # the first touch of a page is the system's time, not the memory's
    stream = _times(lambda: once(matrices, 1), budget_s * 0.1)
    product = _times(lambda: once(few, ROWS), budget_s * 0.35)
    fixed = _fixed(s)

    def layers() -> None:
        for first in range(0, len(matrices), len(s.matrices)):
            once(matrices[first : first + len(s.matrices)], 1)
            fixed()

    # Between matrices that have just swept the caches clean, calls take twice as long as among themselves.
    between_s = [t / copies for t in _minus(_times(layers, budget_s * 0.15), stream)]
    some = _times(lambda: once(matrices, SOME_ROWS), budget_s * 0.15)
    stream += _times(lambda: once(matrices, 1), budget_s * 0.1)  # again: what a machine yields wanders within a second
    bandwidth = _rate(4.0 * copies * layer, stream, "B/s")
    # A product of n rows takes a time for the copy of its matrix, and n times that of a row: a line through two points.
    row_s = float(np.median(product) / 2 - np.median(some) / copies) / (ROWS - SOME_ROWS)
    copy_s = [max(t / copies - SOME_ROWS * row_s, 0.05 * t / copies) for t in some]
    flop_rate = _rate(2.0 * ROWS * layer, [max(t / 2 - copy_s[0], 0.05 * t) for t in product], "flop/s")
    packed = _rate(4.0 * layer, copy_s, "B/s")
    attention = _attention(s, rng, budget_s * 0.2)
    call = _calls(budget_s * 0.03)
    many = [t / ROWS for t in _times(_between(s, ROWS), budget_s * 0.08)]
    logits = rng.standard_normal(s.vocabulary, dtype=np.float32)
    picks = _times(lambda: log_probability(logits, pick(logits)), budget_s * 0.05)
    cache = _minus(attention["cache_long"], attention["cache_short"])
    cache_B = 2.0 * s.kv_heads * s.head_width * 4 * (LONG - SHORT)
    pairs = s.heads * ROWS * ROWS
    flop = 4.0 * pairs * s.head_width
    return Calibration(
        machine=fingerprint(),
        processor=processor(),
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        took_s=time.perf_counter() - began,
        bandwidth_B_s=bandwidth,
        flop_rate_flop_s=flop_rate,
        packing_share=_share(packed, bandwidth),
        narrow_share=_share(_rate(flop, attention["products"], "flop/s"), flop_rate),
        cache_share=_share(_rate(cache_B, cache, "B/s"), bandwidth),
        call_time_s=_spread(call, "s"),
        layer_time_s=_spread(_minus(between_s, many), "s"),
        row_time_s=_spread(many, "s"),
        pair_time_s=_scaled(_spread(_minus(attention["whole"], attention["products"]), "s"), 1.0 / pairs),
        stream_time_s=_spread(picks, "s"),
    )


def _attention(s: Shape, rng: np.random.Generator, budget_s: float) -> dict[str, list[float]]:
    """Return times of attention: whole, its products alone, and those of one query over a short and a long cache."""

    def numbers(*shape: int) -> Floats:
        return rng.standard_normal(shape, dtype=np.float32)

    queries = numbers(ROWS, s.heads, s.head_width)
    keys, values = (numbers(s.kv_heads, LONG, s.head_width) for _ in range(2))
    shared = s.heads // s.kv_heads
    grouped = numbers(s.kv_heads, shared * ROWS, s.head_width)
    fit = numbers(s.kv_heads, shared * ROWS, ROWS)
    single = numbers(s.kv_heads, shared, s.head_width)

    def products() -> None:
        _ = grouped @ keys[:, :ROWS].transpose(0, 2, 1)
        _ = fit @ values[:, :ROWS]

    def reading(positions: int) -> Callable[[], None]:
        weight = numbers(s.kv_heads, shared, positions)

        def run() -> None:
            _ = single @ keys[:, :positions].transpose(0, 2, 1)
            _ = weight @ values[:, :positions]

        return run

    return {
        "whole": _times(lambda: attend(queries, keys[:, :ROWS], values[:, :ROWS]), budget_s * 0.4),
        "products": _times(products, budget_s * 0.4),
        "cache_long": _times(reading(LONG), budget_s * 0.1),
        "cache_short": _times(reading(SHORT), budget_s * 0.1),
    }


def _calls(budget_s: float) -> list[float]:
    """Return times of a call: a product so small that nothing else takes time."""
    row, square = np.ones((1, 8), np.float32), np.ones((8, 8), np.float32)
    return _times(lambda: row @ square, budget_s)


def _fixed(s: Shape) -> Callable[[], None]:
    """Return what a layer does for one row beside its matrices."""
    between = _between(s, 1)
    query = np.full((1, s.heads, s.head_width), 0.1, np.float32)
    cache = np.full((s.kv_heads, FEW, s.head_width), 0.1, np.float32)

    def run() -> None:
        between()
        attend(query, cache, cache)

    return run


def _between(s: Shape, count: int) -> Callable[[], None]:
    """Return what a layer does to rows between its matrices: two norms, the rotation, the gate, two sums."""
    x = np.full((count, s.width), 0.5, np.float32)
    both = np.full((count, 2 * s.inner_width), 0.5, np.float32)
    turned = np.full((count, s.heads + s.kv_heads, s.head_width), 0.5, np.float32)
    turns = np.ones((count, 1, s.head_width // 2), np.complex64)
    weight = np.ones(s.width, np.float32)
    gate, up = both[:, : s.inner_width], both[:, s.inner_width :]

    def run() -> None:
        _ = norm(x, weight, 1e-5) + norm(x, weight, 1e-5)
        _ = (np.ascontiguousarray(turned).view(np.complex64) * turns).view(np.float32)
        _ = gate / (1 + np.exp(-gate)) * up
        _ = x + x

    return run


def _times(run: Callable[[], object], budget_s: float, least: int = 3) -> list[float]:
    """Return the processor time of repeats, as many as the budget allows; short ones are timed some at a time [s]."""
    run()
    start = time.thread_time()
    run()
    once_s = max(time.thread_time() - start, 1e-7)
    together = max(int(2e-4 / once_s), 1)
    repeats = min(max(int(budget_s / (once_s * together)), least), 200)
    found: list[float] = []
    for _ in range(repeats):
        start = time.thread_time()
        for _ in range(together):
            run()
        found.append((time.thread_time() - start) / together)
    return found


def _spread(times: list[float], unit: str) -> Measured:
    middle, low, high = (float(v) for v in np.quantile(times, (0.5, 0.05, 0.95)))
    return Measured(middle, low, high, unit)


def _rate(amount: float, times: list[float], unit: str) -> Measured:
    middle, low, high = (float(v) for v in np.quantile(times, (0.5, 0.05, 0.95)))
    return Measured(amount / middle, amount / high, amount / low, unit)


def _minus(long: list[float], short: list[float]) -> list[float]:
    """Return the times of the longer run without those of the shorter, as far as there is something left."""
    less = float(np.median(short))
    return [max(t - less, 0.02 * t) for t in long]


def _share(part: Measured, whole: Measured) -> Measured:
    value, low, high = (min(v / whole.value, 1.0) for v in (part.value, part.low, part.high))
    return Measured(value, low, high, "1")


def _scaled(measured: Measured, factor: float) -> Measured:
    return Measured(measured.value * factor, measured.low * factor, measured.high * factor, measured.unit)
