"""Joules a token against load: the trip at every batch, and the closed form beside it.

The closed form of `roundtrip.stages.datacenter.load` needs five numbers. All are read off the trip: the step's fixed
part and each stream's part at the scenario's own batch, the standing power from the catalog, the weights' fetch and a
token's own joules from the trip's counts. It is a tangent: far from that batch the trip bends away, because a mixture
touches more experts as the batch grows, and because reading weights stops to cost time once arithmetic takes longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import load
from roundtrip.journey.program import program
from roundtrip.journey.scenario import Scenario, load_scenario
from roundtrip.stages.datacenter import load as closed

Array = NDArray[np.float64]

# Tokens a second of one instance, or of one server where an instance is larger.
RATES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 3_000.0, 10_000.0)
BATCHES = tuple(float(2.0**power) for power in np.arange(0.0, 12.01, 0.5))
CURVES = {
    "llama-8b-h100": ("llama-3.1-8b", "h100-sxm", "llama-8b-h100", "bf16", 2.0),
    "deepseek-b200": ("deepseek-v3", "b200", "deepseek-v3-b200", "fp8", 1.0),
    "gpt-oss-b200": ("gpt-oss-120b", "b200", "llama-8b-h100", "bf16", 0.54),
}


@dataclass(frozen=True, slots=True)
class Curve:
    """Joules of accelerators (and hosts) for each output token, at each batch of a server or a copy."""

    title: str
    batches: tuple[float, ...]
    token_J: tuple[float, ...]
    closed_J: tuple[float, ...]
    coefficients: dict[str, float]
    accelerators: float
    rates: tuple[float, ...]
    rate_J: tuple[float, ...]
    points: tuple[tuple[float, float], ...] = ()


def curve(
    scenario: Scenario, batches: Sequence[float] = BATCHES, host: bool = True, changes: dict[str, float] | None = None
) -> Curve:
    """Return the curve of a scenario's machine.

    Parameters
    ----------
    scenario : Scenario
    batches : sequence of float
        Answers that one instance (or one server, if an instance is larger) writes at once.
    host : bool
        Whether the host's power is inside.
    changes : dict, optional
        Values of inputs of the trip that replace those of the scenario.
    """
    compiled = program(scenario)
    figures = dict(zip(compiled.keys, compiled.figures(scenario), strict=True))
    values: dict[str, Any] = {key: np.float64(figure.value) for key, figure in figures.items()} | (changes or {})
    if not host:
        values["model.serving.host_power_W"] = 0.0
    chips = min(scenario.figure(f"model.serving.{n}").value for n in ("accelerators", "accelerators_per_server"))
    streams = np.asarray(batches, dtype=np.float64) / chips

    def run(at: Any) -> dict[str, Any]:
        inputs = [np.asarray(at if key == "model.serving.streams" else values[key]) for key in compiled.keys]
        return dict(zip(compiled.outputs, compiled.arrays(inputs), strict=True))

    out = run(streams)
    written = out["model.decode/tokens"] - 1.0
    joules = (out["model.decode/marginal"] + out["model.decode/allocated"]) / written
    own = float(values["model.serving.streams"])
    near, far = run(np.float64(own)), run(np.float64(1.05 * own))
    step_stream_s = float((far["model.decode/step_s"] - near["model.decode/step_s"]) / (0.05 * own))
    bytes_B = sum(float(near.get(f"step.model.{part}/bytes_in", 0.0)) for part in ("weights", "experts"))
    coefficients = {
        "step_fixed_s": float(near["model.decode/step_s"]) - step_stream_s * own,
        "step_stream_s": step_stream_s,
        "standing_power_W": float(values["model.accelerator.static_power_W"] + values["model.serving.host_power_W"]),
        "fetch_energy_J": bytes_B * float(values["model.accelerator.energy_per_byte_J"]),
        "own_energy_J": float(near["model.decode/marginal"] / (near["model.decode/tokens"] - 1.0)),
    }
    formula = closed.token_J(streams, **coefficients)
    return Curve(
        scenario.entry("model.name").title,
        tuple(map(float, batches)),
        tuple(map(float, np.broadcast_to(joules, streams.shape))),
        tuple(map(float, np.asarray(formula))),
        coefficients,
        chips,
        RATES,
        tuple(float(closed.token_at_rate_J(rate / chips, **coefficients)) for rate in RATES),
    )


def curves() -> list[Curve]:
    """Return the curves of three machines with the measured points of each."""
    made: list[Curve] = []
    for key, (model, chip, serving, arithmetic, weight_B) in CURVES.items():
        scenario = load_scenario("cloud").with_settings(
            (
                f"model.name={model}", f"model.accelerator={chip}", f"model.serving={serving}",
                f"model.serving.arithmetic={arithmetic}",
            ),
            "load_curve",
        )  # fmt: skip
        found = curve(scenario, host=False, changes={"model.serving.weight_B": weight_B})
        entries = [e for e in load("load_points").values() if e.texts["curve"] == key]
        points = tuple((e.figures["batch"].value, e.figures["token_energy_J"].value) for e in entries)
        title = entries[0].title.rpartition(", batch")[0]
        made.append(replace(found, title=title, points=points))
    return made
