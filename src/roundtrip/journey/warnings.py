"""What a reader should be told about a trip that can be computed but would not be made so."""

from __future__ import annotations

from roundtrip.catalog.load import load
from roundtrip.journey.scenario import Scenario
from roundtrip.trace.model import Trace


def warnings(scenario: Scenario, trace: Trace) -> list[str]:
    """Return one sentence for each choice that does not go with the others."""
    if scenario.way != "full":
        return []
    return [*_serving(scenario), *_memory(trace)]


def _serving(scenario: Scenario) -> list[str]:
    chosen = scenario.entry("model.serving")
    model, accelerator = scenario.choices["model.name"], scenario.choices["model.accelerator"]
    belongs = chosen.texts.get("of_model"), chosen.texts.get("on_accelerator")
    if belongs == (model, accelerator) or None in belongs:
        return []
    fitting = [e.key for e in load("servings").values() if e.texts.get("of_model") == model]
    hint = f"; --set model.serving={fitting[0]} is how this model is served" if fitting else ""
    return [
        f"batch, parallelism and load are those of {belongs[0]} on {belongs[1]} (model.serving={chosen.key}), "
        f"not of {model} on {accelerator}{hint}"
    ]


def _memory(trace: Trace) -> list[str]:
    for span in trace.spans:
        share = span.attributes.get("memory_share")
        if isinstance(share, float) and share > 1.0:
            return [f"weights and cache need {share:.2g} times the memory that the accelerators have: it would not run"]
    return []
