"""Equations as SVG."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from roundtrip.errors import ScenarioError
from roundtrip.figures.graph import Graph
from roundtrip.figures.svg_equation import Typesetter, equation, fraction, word
from roundtrip.journey.equation_picture import picture
from roundtrip.journey.stages import closed_forms, stage_module, stage_names


@pytest.mark.parametrize("stage", stage_names())
def test_every_stage_can_be_drawn(stage: str) -> None:
    names = [f"{stage}.{name}" for name in closed_forms(stage_module(stage))]
    root = ElementTree.fromstring(picture(names))
    said = "".join(root.itertext())
    assert all(name in said for name in names)
    assert float(root.attrib["width"]) > 0.0
    assert not re.search(r"\bnan\b", ElementTree.tostring(root, encoding="unicode"))


def test_a_fraction_is_as_wide_as_its_wider_part_and_higher_than_both() -> None:
    top, bottom = word("a", 20.0), word("abcdef", 20.0)
    box = fraction(top, bottom, 20.0)
    assert box.width >= bottom.width
    assert box.height + box.depth > top.height + top.depth + bottom.height + bottom.depth


def test_brackets_stand_where_they_must() -> None:
    graph = Graph()
    a, b = graph.input("a"), graph.input("b")
    plain = Typesetter(graph, {}).box((a * b).number, 0, 20.0)
    bracketed = Typesetter(graph, {}).box((a * (a + b)).number, 0, 20.0)
    letters = [mark for _, _, mark in bracketed.marks]
    assert any(">(<" in mark for mark in letters)
    assert not any(">(<" in mark for _, _, mark in plain.marks)


def test_a_dot_stands_between_two_numbers() -> None:
    graph = Graph()
    node = np.multiply(graph.input("a") * 2.0, 10.0 ** graph.input("b"))
    assert any(">·<" in mark for _, _, mark in equation(node, ("y", ""), {}).marks)


def test_nothing_to_draw_is_said() -> None:
    with pytest.raises(ScenarioError, match="equation"):
        picture([])
