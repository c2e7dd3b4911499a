"""Forecast: closed forms of every stage, composed into one `Trace`."""

from __future__ import annotations

from typing import Any

from roundtrip.figures.figure import Figure
from roundtrip.figures.sampling import Band, Draws
from roundtrip.journey.program import Program, Settings, program
from roundtrip.journey.scenario import Scenario, load_scenario
from roundtrip.journey.warnings import warnings
from roundtrip.trace.model import HEADS, Span, Trace

DEFAULT_SAMPLES = 10_000


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
    settings = compiled.settings(chosen)
    # A single trip with bands needs the array form anyway: to compile the other as well would cost a tenth of its time.
    run = compiled.arrays if samples and not compiled.is_warm else compiled.scalar
    trace = _assemble(compiled, settings, chosen.prompt, [*map(float, run(settings.values))])
    compiled.is_warm = True
    trace.warnings = warnings(chosen, trace)
    if samples:
        add_bands(trace, compiled, settings.figures, Draws(samples, seed))
    return trace


def _assemble(compiled: Program, settings: Settings, prompt: str, results: list[float]) -> Trace:
    spans: list[Span] = []
    for place, grade, cited in zip(compiled.places, settings.grades, settings.sources, strict=True):
        plan = place.plan
        span = Span(
            plan.id,
            plan.name,
            plan.title,
            results[place.start_s],
            results[place.duration_s],
            plan.carrier,
            plan.parent,
            plan.after,
            results[place.lag_s],
            {head: results[i] for head, i in place.heads},
            grade=grade,
            sources=cited,
            since=plan.since,
            attributes={name: results[i] for name, i in place.attributes},
        )
        for name, i in place.counts:
            setattr(span, name, results[i])
        spans.append(span)
    summary: dict[str, Any] = {
        name: results[i] if isinstance(i, int) else {head: results[j] for head, j in i.items()}
        for name, i in compiled.summary_places
    }
    return Trace(
        prompt=prompt,
        scenario=settings.scenario,
        spans=spans,
        summary=summary,
        algebra=compiled.way.algebra,
        sources=settings.cited,
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
