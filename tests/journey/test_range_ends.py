"""A scenario at the ends of what the glossary allows still gives a finite trip that runs forward."""

from __future__ import annotations

import json

import pytest

from roundtrip.journey.forecast import forecast
from roundtrip.journey.scenario import load_scenario


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("preset", "settings"),
    [
        ("cloud", ["model.name.layers=1"]),
        ("cloud", ["model.name.dense_layers=1000"]),
        ("cloud", ["optics.fiber.dispersion_ps_nm_km=0"]),
        ("cloud", ["optics.fiber.dispersion_ps_nm_km=1e-300"]),
        ("intercontinental", ["optics.fiber.dispersion_ps_nm_km=-300"]),
        ("edge", ["network.route.detour_m=0"]),
        ("edge", ["network.route.detour_m=5e-324"]),
    ],
)
def test_no_stage_runs_backward_or_leaves_the_numbers(preset: str, settings: list[str]) -> None:
    trace = forecast(None, load_scenario(preset).with_settings(settings), samples=16)
    json.dumps(trace.as_dict(), allow_nan=False)
    assert all(span.duration_s >= 0.0 for span in trace.spans)
    assert all(joules >= 0.0 for span in trace.spans for joules in span.energy_J.values())
