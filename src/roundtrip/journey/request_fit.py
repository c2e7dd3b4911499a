"""Step times of a recorded run from datasheet values and three constants, fitted on the first half of its requests.

The model is that of `roundtrip.serving.step`. Three of its constants are this accelerator's and engine's own: the
shares of the datasheet's rates of memory and of arithmetic that are reached, and the time of a layer apart from both.
All others are the shared ones of the catalog. The search simulates the whole run for each guess and looks at the times
of the first requests alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import keys
from roundtrip.errors import DomainError, nearest
from roundtrip.fleet.times import StepTimes
from roundtrip.journey.request_runs import Recorded
from roundtrip.serving.architecture import architecture
from roundtrip.serving.case import Case
from roundtrip.serving.constants import constants, priors
from roundtrip.serving.layout import Layout
from roundtrip.serving.step import Setup, pairs_flop, spans, total_s

Floats = NDArray[np.float64]

FITTED = ("memory_efficiency", "prefill_efficiency", "layer_time_s")
TIED = {"cache_efficiency": "memory_efficiency"}  # runs of this kind cannot tell them apart
CONTEXT = np.array([0.0, 64.0, 256.0, 1024.0, 4096.0, 16_384.0, 131_072.0])
PAIRS = np.array([0.0, 1e4, 1e6, 1e7, 1e9])
PART = 512.0  # tokens of a prompt's part at which what it adds to those that write is looked up
WIDTHS = (0.4, 0.15)  # of the simplex at the start and when it starts again, in the logarithm
FINEST = 3e-3  # width at which it ends
MOST_MOVES = 80
LIMITS = {"memory_efficiency": (0.05, 1.0), "prefill_efficiency": (0.02, 1.0), "layer_time_s": (1e-6, 1e-2)}


def accelerator(hardware: str) -> str:
    """Return the catalog's key for an accelerator's name, whatever its spelling."""

    def plain(name: str) -> str:
        return "".join(c for c in name.lower() if c.isalnum())

    word = plain(hardware)
    known = keys("accelerators")
    found = [key for key in known if plain(key) == word] or [key for key in known if plain(key).startswith(word)]
    if not word or not found:
        raise DomainError(f"no accelerator {hardware!r} in the catalog{nearest(hardware.lower(), known)}")
    return found[0]


def setup(run: Recorded) -> Setup:
    """Return the deployment of one replica: the copies in lockstep are groups that share their experts."""
    ranks = run.tensor_ranks * run.lockstep
    layout = Layout(tensor=run.tensor_ranks, groups=run.lockstep, expert=ranks if run.shares_experts else 1)
    precision = {"bf16": "bf16", "fp16": "bf16"}.get(run.variant, run.variant)
    return Setup(
        architecture(run.model), accelerator(run.hardware), engine="vllm", precision=precision, layout=layout
    )  # fmt: skip


def known(values: Mapping[str, float]) -> dict[str, float]:
    """Return all constants, with these values of the fitted ones."""
    found = constants("vllm") | dict(values)
    return found | {name: found[of] for name, of in TIED.items()}


def times(c: Case, k: Mapping[str, Any], run: Recorded) -> StepTimes:
    """Return the step times of a replica.

    Of the groups in lockstep one reads a prompt while the others wait; those that write are spread evenly.
    """
    budget, most = run.token_budget * run.lockstep, run.max_sequences * run.lockstep
    groups = float(run.lockstep)

    def step_s(own: Any, every: Any, streams: Any, context: Any) -> Any:
        return total_s(c, spans(c, k, own, every, streams, context, 0.0))

    rows = np.maximum(np.arange(budget + 1.0), 1.0)
    rows_s = step_s(rows, rows, 0.0, 0.0)
    n = np.arange(1.0, most + 1.0)[:, None]
    alone = step_s(n / groups, n, n / groups, CONTEXT) - step_s(n, n, 0.0, 0.0)
    beside = step_s(PART + n / groups, PART + n, n / groups, CONTEXT) - step_s(PART + n, PART + n, 0.0, 0.0)
    pairs_s = spans(c, k, 1.0, 1.0, 0.0, 0.0, pairs_flop(c, PAIRS))["prompts"]
    nobody = np.zeros((1, len(CONTEXT)))
    return StepTimes(
        rows_s=np.asarray(rows_s),
        context=CONTEXT,
        context_s=np.concatenate([nobody, np.maximum(alone, 0.0)]),
        pairs=PAIRS,
        pairs_s=np.asarray(pairs_s),
        mixed_s=np.concatenate([nobody, np.maximum(beside, 0.0)]),
    )


def search(loss: Callable[[dict[str, float]], float]) -> dict[str, float]:
    """Return the constants with the smallest loss: a simplex of guesses that walks downhill (Nelder and Mead, 1965).

    It walks in the logarithms, from the middle of the priors; when it has drawn together it starts once more around
    the best guess, since it may have done so on a slope.
    """
    lows, highs = (np.log([LIMITS[name][end] for name in FITTED]) for end in (0, 1))

    def at(x: Floats) -> dict[str, float]:
        return dict(zip(FITTED, np.exp(np.clip(x, lows, highs)).tolist(), strict=True))

    best = np.log([priors()[name].value for name in FITTED])
    for width in WIDTHS:
        best = _downhill(lambda x: loss(at(x)), best, width)
    return at(best)


def _downhill(value: Callable[[Floats], float], start: Floats, width: float) -> Floats:
    count = len(start)
    points = np.concatenate([start[None, :], start + width * np.eye(count)])
    values = np.array([value(x) for x in points])
    for _ in range(MOST_MOVES):
        order = np.argsort(values)
        points, values = points[order], values[order]
        if np.ptp(points, axis=0).max() < FINEST:
            break
        middle = points[:-1].mean(axis=0)

        def tried(factor: float, middle: Floats = middle, worst: Floats = points[-1]) -> tuple[Floats, float]:
            x = middle + factor * (middle - worst)
            return x, value(x)

        point, found = tried(1.0)
        if found < values[0]:
            further, beyond = tried(2.0)
            point, found = (further, beyond) if beyond < found else (point, found)
        elif found >= values[-2]:
            point, found = tried(0.5 if found < values[-1] else -0.5)
        if found < values[-1]:
            points[-1], values[-1] = point, found
        else:
            points[1:] = points[0] + 0.5 * (points[1:] - points[0])
            values[1:] = [value(x) for x in points[1:]]
    return points[int(np.argmin(values))]
