"""Forecast: closed forms of every stage, composed into one `Trace`."""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtrip.catalog.load import sources
from roundtrip.figures.figure import Figure
from roundtrip.figures.sampling import Band, Draws
from roundtrip.journey.program import Program, program
from roundtrip.journey.scenario import Scenario, load_scenario
from roundtrip.journey.way import GRADE_ORDER, Plan
from roundtrip.trace.model import HEADS, Span, Trace

FIXED = frozenset({"start_s", "duration_s", "lag_s", "electrons", "photons", "bytes_in", "bytes_out", *HEADS})
DEFAULT_SAMPLES = 2_500


def forecast(
    prompt: str | None = None,
    scenario: Scenario | str = "cloud",
    samples: int = DEFAULT_SAMPLES,
    seed: int = 1,
) -> Trace:
    """Forecast the trip of a prompt.

    Parameters
    ----------
    prompt : str, optional
        What is typed; by default the scenario's own.
    scenario : Scenario or str
        A scenario, or the name of a preset, or the path of a scenario file.
    samples : int
        How many samples the bands are drawn from; 0 for a trace without bands.
    seed : int
        Of the samples.

    Returns
    -------
    Trace

    Raises
    ------
    ScenarioError, PromptError, DomainError
    """
    chosen = load_scenario(scenario) if isinstance(scenario, str) else scenario
    if prompt is not None:
        chosen = chosen.with_prompt(prompt)
    compiled = program(chosen)
    figures = compiled.figures(chosen)
    results = compiled.scalar([np.float64(f.value) for f in figures])
    values = dict(zip(compiled.outputs, map(float, results), strict=True))
    trace = _assemble(compiled, chosen, figures, values)
    if samples:
        add_bands(trace, compiled, figures, Draws(samples, seed))
    return trace


def _assemble(compiled: Program, scenario: Scenario, figures: tuple[Figure, ...], values: dict[str, float]) -> Trace:
    by_key = dict(zip(compiled.keys, figures, strict=True))
    spans = [_span(plan, values, by_key) for plan in compiled.plans]
    summary: dict[str, Any] = {}
    for name, rule in compiled.way.algebra.items():
        if "heads" in rule:
            summary[name] = {head: values[f"{name}.{head}"] for head in HEADS}
        else:
            summary[name] = values[name]
    used = sorted({key for span in spans for key in span.sources})
    known = sources()
    return Trace(
        prompt=scenario.prompt,
        scenario=scenario.as_dict(),
        spans=spans,
        summary=summary,
        algebra=compiled.way.algebra,
        sources={k: {"title": known[k].title, "year": known[k].year, "url": known[k].url} for k in used if k in known},
    )


def _span(plan: Plan, values: dict[str, float], by_key: dict[str, Figure]) -> Span:
    prefix = plan.id + "/"
    numbers = {name: values[prefix + name] for name in plan.numbers}
    read = [by_key[key] for key in plan.inputs]
    grades = {f.grade for f in read} or {"derived"}
    return Span(
        id=plan.id,
        name=plan.name,
        title=plan.title,
        start_s=numbers["start_s"],
        duration_s=numbers["duration_s"],
        carrier=plan.carrier,
        parent=plan.parent,
        after=plan.after,
        lag_s=numbers["lag_s"],
        energy_J={head: numbers[head] for head in HEADS if head in numbers},
        electrons=numbers.get("electrons"),
        photons=numbers.get("photons"),
        bytes_in=numbers.get("bytes_in"),
        bytes_out=numbers.get("bytes_out"),
        grade=max(grades, key=GRADE_ORDER.index),
        sources=tuple(dict.fromkeys(f.source for f in read)),
        since=plan.since,
        attributes={name: number for name, number in numbers.items() if name not in FIXED},
    )


def sample(compiled: Program, figures: tuple[Figure, ...], draws: Draws) -> dict[str, Any]:
    """Return samples of every output of a program."""
    inputs = [draws.draw(figure, key) for key, figure in zip(compiled.keys, figures, strict=True)]
    return dict(zip(compiled.outputs, compiled.arrays(inputs), strict=True))


def add_bands(trace: Trace, compiled: Program, figures: tuple[Figure, ...], draws: Draws) -> None:
    """Add p5 to p95 of every span and of the summary, with the two kinds of spread apart."""
    drawn = sample(compiled, figures, draws)
    for span in trace.spans:
        prefix = span.id + "/"
        span.bands["duration_s"] = _band(draws.band(drawn[prefix + "duration_s"]))
        if span.energy_J:
            span.bands["energy_J"] = _band(draws.band(sum(drawn[prefix + head] for head in span.energy_J)))
        for name in ("electrons", "photons", *span.attributes):
            if prefix + name in drawn:
                span.bands[name] = _band(draws.band(drawn[prefix + name]))
    for name, value in trace.summary.items():
        if isinstance(value, dict):
            for head in HEADS:
                trace.summary_bands[f"{name}.{head}"] = _band(draws.band(drawn[f"{name}.{head}"]))
            trace.summary_bands[name] = _band(draws.band(sum(drawn[f"{name}.{head}"] for head in HEADS)))
        else:
            trace.summary_bands[name] = _band(draws.band(drawn[name]))
    trace.samples = draws.samples


def _band(band: Band) -> dict[str, float]:
    return {name: getattr(band, name) for name in Band.__slots__}
