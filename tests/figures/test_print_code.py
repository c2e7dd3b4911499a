"""Printed code: every operation means the same in NumPy, for one value, and in JavaScript."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from roundtrip.figures.graph import FUNCTIONS, INFIX, Graph
from roundtrip.figures.primitives import erfc
from roundtrip.figures.print_code import JAVASCRIPT_SUPPORT, compile_numpy, javascript, javascript_library

TWO = {"arctan2", "hypot", "logical_and", "logical_or", "maximum", "minimum", "power", *INFIX}


def of_two(name: str) -> Callable[..., Any]:
    """Return a ufunc as a function of two values; one of one value leaves the second alone."""
    ufunc = getattr(np, name)
    return ufunc if name in TWO else lambda x, _: ufunc(x)


OPERATIONS = {name: of_two(name) for name in sorted((FUNCTIONS | set(INFIX)) - {"where", "interp"})}
# Logic joins comparisons; JavaScript's && of two numbers is a number.
OPERATIONS["logical_and"] = lambda x, y: np.logical_and(x > 0.2, y < 0.6)
OPERATIONS["logical_or"] = lambda x, y: np.logical_or(x > 0.6, y < 0.15)
OPERATIONS["logical_not"] = lambda x, y: np.logical_not(x > y)
OPERATIONS["where"] = lambda x, y: np.where(x > y, x, -y)
OPERATIONS["interp"] = lambda x, y: np.interp(x, (0.1, 0.3, 0.8), (2.0, -1.0, 5.0)) * y
OPERATIONS["clip"] = lambda x, y: np.clip(x, 0.3, 0.6) + y
OPERATIONS["square by power"] = lambda x, y: x**2.0 - y**2.0
OPERATIONS["literals"] = lambda x, y: x * 1e-30 + y / 3e200 - 0.1 + -2.5 * x
X = np.array([0.05, 0.1, 0.3, 0.5, 0.77, 0.999])
Y = np.array([0.9, 0.1, 0.5, 0.5, 0.2, 0.001])


def printed(name: str) -> tuple[Graph, Any]:
    graph = Graph()
    return graph, OPERATIONS[name](graph.input("x"), graph.input("y"))


@pytest.mark.parametrize("name", OPERATIONS)
def test_arrays_and_single_values_print_the_same(name: str) -> None:
    graph, node = printed(name)
    expected = np.asarray(OPERATIONS[name](X, Y), dtype=float)
    (arrays,) = compile_numpy(graph, [node.number], ("x", "y"))((X, Y))
    np.testing.assert_array_equal(np.asarray(arrays, dtype=float), expected)
    one = compile_numpy(graph, [node.number], ("x", "y"), scalar=True)
    singles = [float(one((x, y))[0]) for x, y in zip(X, Y, strict=True)]
    np.testing.assert_allclose(singles, expected, rtol=1e-15, atol=0.0)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on this machine: JavaScript parity not run")
def test_javascript_means_the_same() -> None:
    script = [javascript_library(), "const d=JSON.parse(require('fs').readFileSync(0)),o={};"]
    for i, name in enumerate(OPERATIONS):
        script.append(javascript({"r": printed(name)[1]}, f"f{i}"))
        script.append(f"o[{name!r}]=d.x.map((x,j)=>Number(f{i}({{x,y:d.y[j]}}).r));")
    script.append("process.stdout.write(JSON.stringify(o));")
    run = subprocess.run(
        ["node", "-e", "\n".join(script)], input=json.dumps({"x": X.tolist(), "y": Y.tolist()}), capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    got = json.loads(run.stdout)
    for name, function in OPERATIONS.items():
        expected = np.asarray(function(X, Y), dtype=float)
        np.testing.assert_allclose(got[name], expected, rtol=1e-14, atol=1e-15, err_msg=name)


def test_what_is_used_twice_is_computed_once() -> None:
    graph = Graph()
    x: Any = graph.input("x")
    shared = np.exp(x)
    code = javascript({"a": shared + 1.0, "b": shared * 2.0}, "f")
    assert code.count("Math.exp") == 1


def test_not_finite_literals_are_spelled() -> None:
    graph = Graph()
    x: Any = graph.input("x")
    node = np.minimum(x, math.inf)
    assert "Infinity" in javascript({"y": node}, "f")
    assert compile_numpy(graph, [node.number], ("x",))((3.0,))[0] == 3.0


def test_the_library_can_be_cut_to_what_is_used() -> None:
    assert javascript_library([]) == JAVASCRIPT_SUPPORT
    assert "erlang_c" not in javascript_library([erfc.__name__])
