"""A stage is one name in four places: module, test, truth rows, docs (made from the first and the third)."""

from __future__ import annotations

import inspect
from importlib.resources import files
from pathlib import Path

import pytest

from roundtrip.catalog.load import glossary, sources
from roundtrip.journey.stages import closed_forms, parameters, stage_module, stage_names
from roundtrip.journey.truth import rows

ROOT = Path(__file__).parents[2]
LINES = 250


@pytest.mark.parametrize("stage", stage_names())
def test_stage_is_complete(stage: str) -> None:
    module = stage_module(stage)
    room, name = stage.split(".")
    document = module.__doc__ or ""
    assert document.strip(), "a stage opens with a docstring: what it is, its equation, its references"
    assert "References" in document, "the docstring names its references"
    year, what = module.SINCE
    assert 1600 < year <= 2026
    assert what
    assert closed_forms(module), "a stage has at least one closed form"
    assert (ROOT / "tests" / "stages" / room / f"test_{name}.py").is_file(), "the test is missing"
    assert (files("roundtrip") / "truth" / room / f"{name}.toml").is_file(), "the truth rows are missing"
    assert any(row.stage == stage for row in rows()), "no truth row"
    assert len(inspect.getsource(module).splitlines()) <= LINES


@pytest.mark.parametrize("stage", stage_names())
def test_functions_are_documented_and_named(stage: str) -> None:
    for name, function in closed_forms(stage_module(stage)).items():
        assert (function.__doc__ or "").strip(), f"{stage}.{name} has no docstring"
        for parameter in parameters(function):
            assert parameter in glossary(), f"{stage}.{name}: {parameter} is not in the glossary"


def test_glossary_and_sources_read() -> None:
    assert glossary()
    assert all(source.url for source in sources().values())
