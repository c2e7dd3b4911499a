"""All trips in one module: each operation stands once, and what a trip needs comes before it."""

from __future__ import annotations

from typing import Any

import pytest

from roundtrip.figures.graph import LEAVES
from roundtrip.journey.program import Program, program
from roundtrip.journey.scenario import load_scenario
from roundtrip.lab import formulas, together

Laid = tuple[dict[str, Program], Any, dict[str, Any]]


@pytest.fixture(scope="module")
def laid() -> Laid:
    programs = {name: program(load_scenario(name)) for name in ("cloud", "phone", "device")}
    wanted = {name: formulas.outputs(compiled) for name, compiled in programs.items()}
    return programs, *together.lay(programs, wanted)


def test_every_node_that_is_computed_has_one_function(laid: Laid) -> None:
    _, whole, found = laid
    groups = together.shared(whole, found)
    computed = [number for number, node in enumerate(whole.nodes) if node[0] not in LEAVES]
    assert sorted(number for numbers in groups.values() for number in numbers) == computed
    apart = sum(len([n for n in own["nodes"] if whole.nodes[n][0] not in LEAVES]) for own in found.values())
    assert len(computed) < 0.7 * apart


def test_what_a_function_reads_was_made_before_and_for_all_its_trips(laid: Laid) -> None:
    _, whole, found = laid
    groups = together.shared(whole, found)
    home = {number: (place, group) for place, (group, numbers) in enumerate(groups.items()) for number in numbers}
    for number, (place, group) in home.items():
        for read in whole.arguments(number):
            if read in home:
                assert home[read][0] <= place
                assert set(group) <= set(home[read][1])


def test_the_module_of_all_trips_is_shorter_than_three_of_them_apart(laid: Laid) -> None:
    programs = laid[0]
    names = {formulas.module_name(compiled): compiled for compiled in programs.values()}
    apart = sum(len(formulas.module(compiled)) for compiled in names.values())
    assert len(formulas.trips()) < apart
