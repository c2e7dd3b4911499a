"""The equations of a stage as one picture, for a slide or a page: what ``explain --plot`` writes."""

from __future__ import annotations

from collections.abc import Sequence

from roundtrip.catalog.load import glossary
from roundtrip.errors import ScenarioError
from roundtrip.figures.svg_equation import Box, draw, equation
from roundtrip.journey.stages import closed_forms, parameters, stage_module
from roundtrip.journey.stages import equation as traced
from roundtrip.journey.symbols import plain
from roundtrip.trace.svg import document, label

MARGIN, GAP, CAPTION = 28.0, 26.0, 20.0


def picture(functions: Sequence[str]) -> str:
    """Return stage functions (``optics.fiber.flight_time_s``) as SVG, one equation below the other.

    Raises
    ------
    ScenarioError
        If there is nothing with an equation.
    """
    boxes = [(name, _box(name)) for name in functions]
    if not boxes:
        raise ScenarioError("nothing here has an equation to draw; name a stage or a function of a stage")
    width = max(box.width for _, box in boxes) + 2.0 * MARGIN
    width = max(width, 360.0)
    y = MARGIN
    body: list[str] = ["<style>.stroke{fill:none;stroke:currentColor}</style>"]
    body.append('<g class="text" style="color:inherit">')
    for name, box in boxes:
        body.append(label(MARGIN, y + 10.0, name, "muted small"))
        y += CAPTION + box.height
        body += draw(box, MARGIN, y)
        y += box.depth + GAP
    body.append("</g>")
    return document(width, y, "Equations: " + ", ".join(functions), body)


def _box(name: str) -> Box:
    stage, _, function_name = name.rpartition(".")
    function = closed_forms(stage_module(stage))[function_name]
    terms = glossary()
    symbols = {p: _letters(terms[p].symbol) for p in parameters(function)}
    result = terms.get(function_name)
    left = _letters(result.symbol) if result else (function_name.replace("_", " "), "")
    return equation(traced(function), left, symbols)


def _letters(symbol: str) -> tuple[str, str]:
    base, _, index = plain(symbol).partition("_")
    return base, index
