"""The constants of energy: fitted to measured runs, scored on models that were left out, kept with their band.

Joules, step times and their quotient (the power) are fitted together on logarithms, every model with the weight of the
root of its runs, and constants stay near a start unless rows say otherwise. What a fit says of a model that it has not
seen is off by more than its constants are: the spread of those errors is a figure of its own (`energy_spread`).

``roundtrip validate --fit FOLDER --json`` lists what stands in ``catalog/data/power_constants.toml``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import entry, load
from roundtrip.figures.sampling import Z95
from roundtrip.serving.energy_runs import DEVIATION, DEVIATION_SPREAD, START, Floats, Runs, predict
from roundtrip.serving.robust import least

KIND = "power_constants"
SHARED = "shared"
TOLERANCE = 0.15  # residual from which on a run counts less than by its square
WEIGHTS = (1.0, 0.4, 0.6)  # of joules, of step times and of power
Z90 = (0.05, 0.95)
FEWEST = 4  # models from which a spread is told
BEYOND = 0.02  # how far a share may go beyond 1, on a logarithm
SHARES = (
    "memory_efficiency", "expert_memory_efficiency", "cache_efficiency", "prefill_efficiency", "expert_efficiency",
    "standing_share", "host_wait_share", "independence_exponent",
)  # fmt: skip


def fit(r: Runs) -> dict[str, float]:
    """Return the constants of `START` and of each accelerator, fitted to runs.

    Runs without a step time count by their joules alone.
    """
    own = sorted(set(r.accelerators))
    deviations = [f"{DEVIATION}/{key}" for key in own] if len(own) > 1 else []
    names = list(START)
    shares = np.array([names.index(name) for name in SHARES])
    start = np.array([*(np.log(START[name][0]) for name in names), *(0.0 for _ in deviations)])
    spread = np.array([*(START[name][1] for name in names), *(DEVIATION_SPREAD for _ in deviations)])
    _, number, count = np.unique(np.array(r.models), return_inverse=True, return_counts=True)
    weight = 1.0 / np.sqrt(count)[number]
    weight = weight / weight.mean() / TOLERANCE
    timed = np.isfinite(r.measured_s)

    def values(x: Floats) -> dict[str, float]:
        shared = {name: float(np.exp(min(x[i], 0.0) if name in SHARES else x[i])) for i, name in enumerate(names)}
        own = {name: shared[DEVIATION] * float(np.exp(x[len(names) + i])) for i, name in enumerate(deviations)}
        return shared | own

    def residuals(x: Floats) -> Floats:
        joules, step_s = predict(r, values(x))
        energy = np.log(joules / r.measured_J)
        time = np.where(timed, np.log(step_s / np.where(timed, r.measured_s, 1.0)), 0.0)
        watts = np.where(timed, energy - time, 0.0)
        parts = (weight * w * error for w, error in zip(WEIGHTS, (energy, time, watts), strict=True))
        beyond = np.maximum(x[shares], 0.0) / BEYOND  # a share of a peak is at most 1
        return np.concatenate([*parts, beyond])

    return values(least(residuals, start, spread))


def left_out(r: Runs, group: Callable[[str], str] = str) -> Floats:
    """Return joules a token of each run by constants that were fitted without its model, or without its group [J].

    Runs of the only group there is have no such constants and come back as NaN.
    """
    return _without(r, np.array([group(model) for model in r.models]))


def accelerator_left_out(r: Runs) -> Floats:
    """Return joules a token of each run by constants that were fitted without its accelerator [J]."""
    return _without(r, np.array(r.accelerators))


def _without(r: Runs, groups: NDArray[Any]) -> Floats:
    joules = np.full(len(r), np.nan)
    for one in sorted(set(groups)):
        mine = groups == one
        if not mine.all():
            joules[mine] = predict(r.only(mine), fit(r.only(~mine)))[0]
    return joules


def spread(r: Runs, joules: Floats, without: str = "", accelerator: str = "") -> tuple[float, float]:
    """Return p5 and p95 of measured over predicted joules of models left out, for a model that comes next.

    Models are few, so the distance of both from 1 is stretched by Student's t of a new value, ``t (1 + 1/m)^0.5 / z``,
    with t to the first order in 1/m.

    Parameters
    ----------
    r, joules : Runs and array
        Runs and what was predicted of them without their models.
    without : str
        A model whose own errors are not to be known.
    accelerator : str
        One whose errors alone count; all by default.
    """
    models = np.array(r.models)
    known = (models != without) & np.isfinite(joules)
    if accelerator:
        known &= np.array(r.accelerators) == accelerator
    number = len(set(models[known]))
    if number < FEWEST:  # too few to say: what the catalog says of any accelerator
        figure = entry(KIND, SHARED).figure("energy_spread")
        return figure.low, figure.high
    low, high = _quantiles(np.log(r.measured_J[known] / joules[known]), models[known])
    stretch = (1.0 + (Z95**2 + 1.0) / (4.0 * (number - 1))) * np.sqrt(1.0 + 1.0 / number)
    return float(np.exp(stretch * low)), float(np.exp(stretch * high))


def _quantiles(errors: Floats, models: NDArray[Any]) -> Floats:
    """Return p5 and p95 of errors in which every model counts alike, however many runs it has."""
    _, number, count = np.unique(models, return_inverse=True, return_counts=True)
    order = np.argsort(errors)
    weight = 1.0 / count[number][order]
    reached = (np.cumsum(weight) - 0.5 * weight) / weight.sum()
    return np.interp(Z90, reached, errors[order])


@cache
def shipped() -> dict[str, float]:
    """Return the constants of the catalog in the form that `predict` takes."""
    found = {name: figure.value for name, figure in entry(KIND, SHARED).figures.items() if name in START}
    found |= {name: figure.value for name, figure in entry(KIND, "vllm-steps").figures.items()}
    found |= {name: figure.value for name, figure in entry(KIND, "ml-energy-runs").figures.items() if name in START}
    for task in ("lm-arena-chat", "sourcegraph-fim"):
        found[task] = entry(KIND, task).figure("prompt_tokens").value
    for key, one in load(KIND).items():
        if DEVIATION in one.figures and key != SHARED:
            found[f"{DEVIATION}/{key}"] = one.figures[DEVIATION].value
    return found


@cache
def fitted_models() -> frozenset[str]:
    """Return the models whose runs the constants of the catalog were fitted to."""
    return frozenset(entry(KIND, SHARED).texts["fitted_models"].split())


def family(model: str) -> str:
    """Return the group of models that share a shape or a maker's recipe: left out together in the stricter score."""
    word = model.lower()
    for name in ("qwen3-235b", "qwen3-coder-480b", "llama-3.1-405b", "llama-4", "nemotron-nano", "gemma-3", "gpt-oss",
                 "deepseek", "qwen3-30b", "qwen3-coder-30b"):  # fmt: skip
        if name in word:
            return "qwen3-30b" if name == "qwen3-coder-30b" else name
    return word


def bootstrap(r: Runs, times: int = 40, seed: int = 1) -> dict[str, NDArray[np.float64]]:
    """Return p5 and p95 of each constant over fits to models that are drawn with replacement."""
    models = sorted(set(r.models))
    draw = np.random.default_rng(seed)
    found: dict[str, list[float]] = {}
    for _ in range(times):
        chosen = draw.integers(len(models), size=len(models))
        rows = np.concatenate([np.flatnonzero(np.array(r.models) == models[i]) for i in chosen])
        for name, value in fit(r.only(rows)).items():
            found.setdefault(name, []).append(value)
    return {name: np.quantile(values, Z90) for name, values in found.items()}
