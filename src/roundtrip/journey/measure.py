"""Look into a compiled trip: what any of its nodes is worth, how it spreads, and which input moves it most."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        How many samples bands and rank correlations are taken from.
    """

    def __init__(self, scenario: Scenario, samples: int = 2_500) -> None:
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
        """Return the inputs that move a node most, with the rank correlation (Spearman) of each over the samples.

        An input without a band moves nothing; inputs that share a cause move together and are all named.
        """
        number = self.graph.lift(node)
        keys = [k for k in self.graph.inputs([number]) if self.figures[k].low < self.figures[k].high]
        if not keys:
            return []
        result = np.broadcast_to(self._samples([node])[0], (self.draws.side, self.draws.side))
        if np.ptp(result) == 0.0:
            return []
        ranked = _ranks(result)
        found = [(key, _correlation(_ranks(np.broadcast_to(self._draw(key), result.shape)), ranked)) for key in keys]
        found.sort(key=lambda item: -abs(item[1]))
        return [(key, rho) for key, rho in found[:most] if abs(rho) >= 0.05]

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


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ranks from 0, ties sharing their mean: the samples of an input repeat along an axis."""
    _, inverse, counts = np.unique(values.reshape(-1), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts + 1) / 2.0)[inverse]


def _correlation(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    a, b = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((a @ a) * (b @ b)))
    return float(a @ b) / scale if scale else 0.0
