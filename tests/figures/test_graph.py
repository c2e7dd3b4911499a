"""The symbolic graph: what NumPy would do, recorded and never rewritten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.errors import ReadingError
from roundtrip.figures.graph import FUNCTIONS, INFIX, Graph
from roundtrip.figures.print_code import compile_numpy, javascript

UNARY = sorted(FUNCTIONS - {
    "arctan2", "hypot", "logical_and", "logical_or", "maximum", "minimum", "power", "where", "interp"
})  # fmt: skip


def trace(function: Callable[..., Any], *names: str) -> tuple[Graph, Any]:
    graph = Graph()
    return graph, function(*(graph.input(name) for name in names))


def evaluate(graph: Graph, node: Any, names: tuple[str, ...], values: tuple[Any, ...], scalar: bool = False) -> Any:
    return compile_numpy(graph, [node.number], names, scalar)(values)[0]


@pytest.mark.parametrize("name", UNARY)
def test_every_ufunc_is_read_and_printed_as_itself(name: str) -> None:
    ufunc = getattr(np, name)
    x = np.array([0.1, 0.25, 0.5, 0.9])
    graph, node = trace(ufunc, "x")
    np.testing.assert_array_equal(evaluate(graph, node, ("x",), (x,)), ufunc(x))
    assert "v['x']" in javascript({"y": node}, "f")


@pytest.mark.parametrize("name", [*sorted(INFIX), "arctan2", "hypot", "logical_and", "maximum", "minimum", "power"])
def test_every_operation_of_two_is_read_as_itself(name: str) -> None:
    ufunc = getattr(np, name)
    x, y = np.array([0.5, 1.0, 2.0]), np.array([2.0, 1.0, 0.25])
    graph, node = trace(ufunc, "x", "y")
    np.testing.assert_array_equal(evaluate(graph, node, ("x", "y"), (x, y)), ufunc(x, y))


def test_equal_expressions_are_one_node() -> None:
    graph = Graph()
    x, y = graph.input("x"), graph.input("y")
    assert (x * y + 1.0).number == (x * y + 1.0).number
    assert (x * y).number != (y * x).number


def test_nothing_is_rewritten() -> None:
    # 12.5 * x and x / 0.08 differ in the last bit, and a ceil over them by one.
    graph, node = trace(lambda x: np.ceil(x / 0.08) * 1.0 + 0.0, "x")
    operations = [graph.nodes[n][0] for n in graph.live([node.number])]
    assert operations.count("divide") == 1
    assert operations.count("multiply") == 1
    assert operations.count("add") == 1


def test_dead_code_is_not_printed() -> None:
    graph = Graph()
    x, y = graph.input("x"), graph.input("y")
    np.exp(y)
    assert graph.inputs([(x + 1.0).number]) == ["x"]


def test_clip_where_and_interp_take_positional_arguments_only() -> None:
    x = np.linspace(-1.0, 2.0, 31)

    def function(value: Any) -> Any:
        low = np.where(value > 0.5, np.clip(value, 0.0, 1.0), -value)
        return low + np.interp(value, (0.0, 1.0, 2.0), (5.0, 7.0, 6.0))

    graph, node = trace(function, "x")
    np.testing.assert_array_equal(evaluate(graph, node, ("x",), (x,)), function(x))
    with pytest.raises(ReadingError, match="positional"):
        trace(lambda v: np.clip(v, a_min=0.0, a_max=1.0), "x")


@pytest.mark.parametrize(
    "function",
    [
        lambda x: 1.0 if x > 0.0 else 2.0, lambda x: max(x, 1.0), float, int, round, lambda x: list(x),
        lambda x: np.asarray(x), lambda x: np.sum([x, x]), lambda x: np.add.reduce([x, x]), lambda x: np.float64(x),
        lambda x: np.add(x, 1.0, where=True), lambda x: np.round(x), lambda x: np.mean(x),
        lambda x: np.bitwise_and(x, x),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises((ReadingError, TypeError)):
        trace(function, "x")


def test_a_node_is_no_key_and_no_text_enters() -> None:
    graph = Graph()
    with pytest.raises(TypeError):
        hash(graph.input("x"))
    with pytest.raises(ReadingError):
        graph.lift("1")


def test_two_graphs_do_not_mix() -> None:
    with pytest.raises(ReadingError, match="two graphs"):
        Graph().input("x") + Graph().input("x")


@given(st.lists(st.tuples(st.sampled_from("+-*/m"), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60))
def test_compiled_code_equals_the_interpreter(steps: list[tuple[str, int, int]]) -> None:
    def function(*start: Any) -> Any:
        values = list(start)
        for operation, a, b in steps:
            x, y = values[-1 - a], values[-1 - b]
            if operation == "+":
                values.append(x + y)
            elif operation == "-":
                values.append(x - y)
            elif operation == "*":
                values.append(np.sin(x) * y)
            elif operation == "/":
                values.append(x / (1.5 + np.cos(y)))
            else:
                values.append(np.where(x > y, np.maximum(x, 0.5), np.minimum(y, 2.0)))
        return values[-1]

    names = ("a", "b", "c", "d")
    numbers = (0.3, -1.7, 2.5, 0.9)
    graph, node = trace(function, *names)
    arrays = tuple(np.array([v, v + 0.1]) for v in numbers)
    np.testing.assert_array_equal(
        np.broadcast_to(evaluate(graph, node, names, arrays), (2,)), np.broadcast_to(function(*arrays), (2,))
    )
    single = tuple(np.float64(v) for v in numbers)
    assert evaluate(graph, node, names, single, scalar=True) == function(*single)


def test_a_long_chain_does_not_break_the_parser() -> None:
    graph, node = trace(lambda x: sum((x for _ in range(2_000)), 0.0 * x), "x")
    assert evaluate(graph, node, ("x",), (np.float64(1.0),)) == 2_000.0
