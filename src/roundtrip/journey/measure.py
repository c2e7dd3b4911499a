"""Look into a compiled trip: what any of its nodes is worth, how it spreads, and which input moves it most."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from roundtrip.figures.figure import Figure
from roundtrip.figures.graph import Node
from roundtrip.figures.print_code import compile_numpy
from roundtrip.figures.sampling import Draws
from roundtrip.journey.program import program
from roundtrip.journey.scenario import Scenario


class Measure:
    """Values and samples of the nodes of one scenario's trip.

    Parameters
    ----------
    scenario : Scenario
    samples : int
        How many samples bands are taken from.
    """

    def __init__(self, scenario: Scenario, samples: int = 10_000) -> None:
        self.scenario = scenario
        self.program = program(scenario)
        self.graph = self.program.way.graph
        self.keys = self.program.keys
        self.figures: dict[str, Figure] = dict(zip(self.keys, self.program.figures(scenario), strict=True))
        self.draws = Draws(samples)

    def values(self, nodes: Sequence[Any]) -> list[float]:
        """Return the values of nodes or numbers."""
        numbers = [self.graph.lift(node) for node in nodes]
        run = compile_numpy(self.graph, numbers, self.keys)
        return [float(x) for x in run([np.float64(self.figures[k].value) for k in self.keys])]

    def bands(self, nodes: Sequence[Any]) -> list[tuple[float, float]]:
        """Return p5 and p95 of nodes or numbers."""
        return [(b.low, b.high) for b in map(self.draws.band, self._samples(nodes))]

    def _samples(self, nodes: Sequence[Any]) -> tuple[Any, ...]:
        numbers = [self.graph.lift(node) for node in nodes]
        run = compile_numpy(self.graph, numbers, self.keys)
        return run([self._draw(k) for k in self.keys])

    def _draw(self, key: str) -> Any:
        return self.draws.draw(self.figures[key], key)

    def matters(self, node: Any, most: int = 5) -> list[tuple[str, float]]:
        """Return the inputs that move a node most, each with the change from its p5 to its p95, the others held.

        An input without a band moves nothing. What moves less than a hundredth of the strongest is left out.
        """
        number = self.graph.lift(node)
        keys = self.graph.inputs([number])
        run = compile_numpy(self.graph, [number], keys)
        middle = {k: np.float64(self.figures[k].value) for k in keys}

        def at(key: str, value: float) -> float:
            return float(run([np.float64(value) if k == key else middle[k] for k in keys])[0])

        spread = [k for k in keys if self.figures[k].low < self.figures[k].high]
        found = [(k, at(k, self.figures[k].high) - at(k, self.figures[k].low)) for k in spread]
        found.sort(key=lambda item: -abs(item[1]))
        least = abs(found[0][1]) / 100.0 if found else 0.0
        return [(key, change) for key, change in found[:most] if abs(change) > least and change != 0.0]

    def input_key(self, node: Any) -> str | None:
        """Return the input that a node is, or None."""
        if isinstance(node, Node):
            operation, *rest = self.graph.nodes[node.number]
            if operation == "input":
                return str(rest[0])
        return None

    def origin(self, node: Any) -> str:
        """Say where a node that is no input comes from: an earlier stage function, a fact, or the way itself."""
        if not isinstance(node, Node):
            return "a constant of the way"
        if self.graph.nodes[node.number][0] == "number":
            return "a constant of the way"
        for call in self.program.way.calls:
            if isinstance(call.result, Node) and call.result.number == node.number:
                return function_name(call.function)
        for name, value in self.program.way.facts.items():
            if isinstance(value, Node) and value.number == node.number:
                return f"the fact {name!r} of an earlier stage"
        behind = self.graph.inputs([node.number])
        shown = ", ".join(behind[:3]) + (f" and {len(behind) - 3} more" if len(behind) > 3 else "")
        return f"computed on the way from {shown}" if behind else "computed on the way"


def function_name(function: Any) -> str:
    """Return ``optics.fiber.flight_time_s`` for a stage function, also for one whose counts are already given."""
    while isinstance(function, partial):
        function = function.func
    return f"{function.__module__.removeprefix('roundtrip.stages.')}.{function.__name__}"
