"""The constants of the trip's queue, from runs of the fleet: what `tools/make_queue.py` writes into the catalog.

The closed form knows how long the running step takes and how much of the time goes into prompts of others. What it does
not know is how these prompts come together: that is one factor for each way of serving, the mean wait that the fleet
found over the closed form's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import load
from roundtrip.fleet import preset
from roundtrip.fleet.preset import Waits
from roundtrip.journey import queue_fleet
from roundtrip.journey.forecast import forecast
from roundtrip.journey.program import program
from roundtrip.journey.scenario import Scenario, load_scenario

SERVING = queue_fleet.SERVING
# When a prompt arrives: places in the queue, in the running step and in the running pass.
LUCK = ("datacenter.site.queue_phase", "datacenter.site.join_phase", "model.serving.pass_phase")


@dataclass(frozen=True, slots=True)
class Constant:
    """A figure of a way of serving as the fleet found it: mean, least and largest over the seeds."""

    value: float
    low: float
    high: float
    note: str


@dataclass(frozen=True, eq=False)
class Preset:
    """The constants of one way of serving, the run behind them, and the closed form's mean wait with them."""

    serving: str
    constants: dict[str, Constant]
    waits: Waits
    closed_s: float


def servings() -> list[str]:
    """Return the ways of serving that have a queue."""
    return [key for key, one in load("servings").items() if one.figures["slots"].value > 1.0]


def scenario_of(serving: str) -> Scenario:
    """Return the default trip with a way of serving, its model and its accelerator."""
    one = load("servings")[serving]
    return load_scenario("cloud").with_settings(
        (
            f"model.name={one.texts['of_model']}",
            f"model.accelerator={one.texts['on_accelerator']}",
            f"{SERVING}={serving}",
        ),
        "queue_preset",
    )


def closed_mean_s(scenario: Scenario, factor: float = 1.0) -> tuple[float, float]:
    """Return the mean wait of the closed form without the factor's part, and that part at a factor [s].

    Means over the luck of arrivals: of a phase between 0 and 1 it is the half, of the exponential tail its mean.
    """
    span = forecast(None, scenario, samples=0).span("datacenter.queue").attributes
    fixed_s = float(span["mean_place_wait_s"])
    if queue_fleet.is_split(scenario):
        busy = scenario.figure(f"{SERVING}.read_utilization").value
        return fixed_s, factor * 0.5 * busy * float(span["others_pass_s"])
    reading = float(span["reading_share"])
    return fixed_s + float(span["join_wait_s"]), factor * reading / (1.0 - reading) * float(span["others_read_s"])


def compute(serving: str, requests: int = queue_fleet.REQUESTS, seeds: Sequence[int] = preset.SEEDS) -> Preset:
    """Run the fleet and return the constants of a way of serving."""
    scenario = scenario_of(serving)
    waits = queue_fleet.run(scenario, requests, seeds)
    note = (
        f"{waits.name} at {waits.rate_per_s:.3g} prompts a second, {waits.running:.3g} under way: mean wait "
        f"{1e3 * waits.mean_s:.3g} ms; {len(seeds)} seeds of {requests} requests"
    )
    constants: dict[str, Constant] = {}
    if queue_fleet.is_split(scenario):
        busy = min(waits.busy, 1.0)
        constants["read_utilization"] = Constant(busy, busy, busy, note)
        scenario = _with(scenario, read_utilization=busy)
    fixed_s, part_s = closed_mean_s(scenario)
    factors = [max(mean_s - fixed_s, 0.0) / part_s for mean_s in waits.means_s]
    value = sum(factors) / len(factors)
    constants["read_wait_factor"] = Constant(value, min(factors), max(factors), note)
    return Preset(serving, constants, waits, fixed_s + part_s * value)


def _with(scenario: Scenario, **values: float) -> Scenario:
    return scenario.with_settings([f"{SERVING}.{name}={value!r}" for name, value in values.items()], "queue_preset")


def closed_waits_s(scenario: Scenario, count: int = 200_000, seed: int = 5) -> NDArray[np.float64]:
    """Return the wait for the engine of many trips that differ by the moment of their arrival alone [s]."""
    compiled = program(scenario)
    figures = dict(zip(compiled.keys, compiled.figures(scenario), strict=True))
    values: dict[str, Any] = {key: np.float64(figure.value) for key, figure in figures.items()}
    rng = np.random.default_rng(seed)
    for key in LUCK:
        if key in values:
            values[key] = rng.random(count)
    keys, run = compiled.slice("datacenter.queue/engine_wait_s")
    return np.asarray(run([values[key] for key in keys])[0])
