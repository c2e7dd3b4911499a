"""The computer laid on the way: every host of the catalog."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from roundtrip.catalog.load import load
from roundtrip.figures.print_code import compile_numpy
from roundtrip.journey.rooms import computer, keyboard
from roundtrip.journey.scenario import DEFAULT_PROMPT, load_scenario
from roundtrip.journey.way import Way
from roundtrip.stages.computer import request


def laid(*settings: str, prompt: str = DEFAULT_PROMPT) -> dict[str, dict[str, float]]:
    """Return the numbers of every span by id: there, back, and on."""
    scenario = load_scenario("cloud").with_prompt(prompt).with_settings(settings)
    way = Way(scenario)
    back = computer.lay_back(way, computer.lay(way, keyboard.lay(way)))
    computer.lay_always_on(way, back)
    outputs: list[Any] = [value for plan in way.plans for value in plan.numbers.values()]
    names = list(way.inputs)
    run = compile_numpy(way.graph, [way.graph.lift(value) for value in outputs], names)
    values = iter(run([np.float64(scenario.figure(name).value) for name in names]))
    return {plan.id: {name: float(next(values)) for name in plan.numbers} for plan in way.plans}


@pytest.mark.parametrize("host", load("hosts"))
def test_every_host_brings_the_key_to_the_request(host: str) -> None:
    spans = laid(f"computer.host={host}")
    names = ["interrupt", "key_event", "memory", "layout", "browser", "request"]
    mine = [name for name in spans if name.startswith("computer.")]
    assert mine == [f"computer.{name}" for name in names]
    time_s = sum(spans[name]["duration_s"] for name in mine)
    assert 1e-3 < time_s < 20e-3


def test_the_always_on_energy_is_power_times_the_whole_trip() -> None:
    spans = laid()
    on, back = spans["on.computer.power"], spans["back.computer.browser"]
    assert on["start_s"] == 0.0
    assert np.isclose(on["duration_s"], back["start_s"] + back["duration_s"])
    assert np.isclose(on["always_on"], 5.0 * on["duration_s"])


def test_a_keyboard_of_its_own_is_powered_too() -> None:
    inside = laid("keyboard.board=laptop")["on.computer.power"]["power_W"]
    outside = laid("keyboard.board=desktop-full-speed")["on.computer.power"]["power_W"]
    assert np.isclose(outside - inside, 0.1)


@pytest.mark.parametrize("prompt", [DEFAULT_PROMPT, "Où est la bibliothèque ?", "日本の首都は"])
def test_the_request_has_the_bytes_of_the_codec_and_the_cookie(prompt: str) -> None:
    spans = laid("computer.host.cookie_B=1000", prompt=prompt)
    assert spans["computer.request"]["bytes_out"] == len(request.encode(prompt)) + 1000


def test_typing_is_not_on_the_way() -> None:
    short, long = laid(prompt="a" * 20), laid(prompt="a" * 400)
    assert np.isclose(long["computer.layout"]["typing_time_s"], 20.0 * short["computer.layout"]["typing_time_s"])
    assert np.isclose(long["computer.layout"]["duration_s"], short["computer.layout"]["duration_s"])
