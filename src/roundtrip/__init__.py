"""Roundtrip follows one prompt from the finger to the language model and back to the eye."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from roundtrip.journey.compare import compare
    from roundtrip.journey.forecast import forecast
    from roundtrip.journey.record import record
    from roundtrip.journey.scenario import Scenario, load_scenario
    from roundtrip.trace.model import Span, Trace

_LAZY = {
    "forecast": "roundtrip.journey.forecast",
    "compare": "roundtrip.journey.compare",
    "Scenario": "roundtrip.journey.scenario",
    "load_scenario": "roundtrip.journey.scenario",
    "record": "roundtrip.journey.record",
    "Span": "roundtrip.trace.model",
    "Trace": "roundtrip.trace.model",
}

__all__ = ["Scenario", "Span", "Trace", "__version__", "compare", "forecast", "load_scenario", "record"]


def __getattr__(name: str) -> Any:
    """Import a public name on first use, so that ``import roundtrip`` loads nothing heavy."""
    if name not in _LAZY:
        raise AttributeError(f"module 'roundtrip' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LAZY[name]), name)
