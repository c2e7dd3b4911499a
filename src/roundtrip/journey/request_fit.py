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
STEPS = (0.3, 0.15, 0.07, 0.03, 0.015)  # of the search, in the logarithm
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
    """Return the constants with the smallest loss, by steps along each axis that grow finer."""
    at = {name: priors()[name].value for name in FITTED}
    best = loss(at)
    for step in STEPS:
        moved = True
        while moved:
            moved = False
            for name in FITTED:
                for factor in (np.exp(step), np.exp(-step)):
                    guess = at | {name: float(at[name] * factor)}
                    if not LIMITS[name][0] <= guess[name] <= LIMITS[name][1]:
                        continue
                    value = loss(guess)
                    if value < best - 1e-9:
                        at, best, moved = guess, value, True
    return at
