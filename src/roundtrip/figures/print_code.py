"""Print a graph as straight-line code: NumPy for arrays, NumPy for one value, JavaScript for the browser."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

# Imported for what it registers: without it PRIMITIVES is empty.
from roundtrip.figures import primitives as _primitives  # noqa: F401 # pyright: ignore[reportUnusedImport]
from roundtrip.figures.graph import FUNCTIONS, INFIX, PRIMITIVES, Graph, Node

# A longer nest of brackets is cut into a line of its own: Python's parser has a limit, readers too.
DEPTH = 12

JAVASCRIPT = {
    "absolute": "abs", "arccos": "acos", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctan2": "atan2", "maximum": "max", "minimum": "min",
}  # fmt: skip
JAVASCRIPT_SUPPORT = """\
const sq=(x)=>x*x;
const interp=(x,xs,ys)=>{const n=xs.length-1;if(!(x>xs[0]))return x!==x?x:ys[0];if(x>=xs[n])return ys[n];
let a=0,b=n;while(b-a>1){const m=(a+b)>>1;if(xs[m]<=x)a=m;else b=m;}
return (ys[b]-ys[a])/(xs[b]-xs[a])*(x-xs[a])+ys[a];};
"""


class Dialect:
    """How one target language spells the operations of the graph."""

    def number(self, x: float) -> str:
        """Spell a literal so that it reads back as the same float."""
        return {"inf": "inf", "-inf": "(-inf)", "nan": "nan"}.get(repr(x)) or (f"({x!r})" if x < 0 else repr(x))

    def call(self, operation: str, x: list[str], graph: Graph, arguments: Sequence[int]) -> str:
        """Spell one operation."""
        raise NotImplementedError


class NumpyDialect(Dialect):
    """The same ufuncs that the stage function named."""

    def call(self, operation: str, x: list[str], graph: Graph, arguments: Sequence[int]) -> str:
        if operation in INFIX:
            return f"({x[0]}{INFIX[operation]}{x[1]})"
        if operation == "negative":
            return f"(-{x[0]})"
        return f"{operation}({','.join(x)})"


class ScalarDialect(NumpyDialect):
    """One value at a time: a branch costs a tenth of a ``np.where``."""

    def call(self, operation: str, x: list[str], graph: Graph, arguments: Sequence[int]) -> str:
        if operation == "where":
            return f"({x[1]} if {x[0]} else {x[2]})"
        return super().call(operation, x, graph, arguments)


class JavascriptDialect(Dialect):
    """Plain JavaScript; `JAVASCRIPT_SUPPORT` and the used primitives go before it."""

    def number(self, x: float) -> str:
        return {"inf": "Infinity", "-inf": "(-Infinity)", "nan": "NaN"}.get(repr(x)) or super().number(x)

    def call(self, operation: str, x: list[str], graph: Graph, arguments: Sequence[int]) -> str:
        if operation in INFIX:
            return f"({x[0]}{INFIX[operation]}{x[1]})"
        if operation == "negative":
            return f"(-{x[0]})"
        if operation == "where":
            return f"({x[0]}?{x[1]}:{x[2]})"
        if operation == "radians":
            return f"({x[0]}*{math.pi / 180!r})"
        if operation == "square" or (operation == "power" and graph.nodes[arguments[1]] == ("number", 2.0)):
            return f"sq({x[0]})"
        if operation == "power":
            return f"Math.pow({x[0]},{x[1]})"
        if operation == "logical_and":
            return f"(({x[0]})&&({x[1]}))"
        if operation == "logical_or":
            return f"(({x[0]})||({x[1]}))"
        if operation == "logical_not":
            return f"(!({x[0]}))"
        if operation == "interp" or operation in PRIMITIVES:
            return f"{operation}({','.join(x)})"
        return f"Math.{JAVASCRIPT.get(operation, operation)}({','.join(x)})"


def statements(
    graph: Graph, outputs: Sequence[int], dialect: Dialect, leaf: Callable[[str], str], assign: str
) -> tuple[list[str], list[str], list[tuple[str, tuple[float, ...]]]]:
    """Return the lines of code, the expression of each output, and the tables that they use.

    What is used once is written in place; what is used twice gets a line and a name.
    """
    live = graph.live(outputs)
    uses = dict.fromkeys(live, 0)
    for number in live:
        for argument in graph.arguments(number):
            uses[argument] += 1
    for number in outputs:
        uses[number] += 1
    text: dict[int, str] = {}
    depth: dict[int, int] = {}
    lines: list[str] = []
    tables: list[tuple[str, tuple[float, ...]]] = []
    for number in live:
        operation, *arguments = graph.nodes[number]
        depth[number] = 0
        if operation == "input":
            text[number] = leaf(arguments[0])
        elif operation == "number":
            text[number] = dialect.number(arguments[0])
        elif operation == "table":
            text[number] = f"t{number}"
            tables.append((text[number], arguments[0]))
        else:
            text[number] = dialect.call(operation, [text[a] for a in arguments], graph, arguments)
            depth[number] = 1 + max(depth[a] for a in arguments)
            if uses[number] > 1 or depth[number] >= DEPTH:
                lines.append(assign.format(name=f"n{number}", value=text[number]))
                text[number] = f"n{number}"
                depth[number] = 0
    return lines, [text[number] for number in outputs], tables


def javascript(outputs: Mapping[str, Node], name: str) -> str:
    """Print ``function name(v)`` that takes ``{input: value}`` and returns ``{output: value}``."""
    graph = next(iter(outputs.values())).graph
    lines, results, tables = statements(
        graph,
        [n.number for n in outputs.values()],
        JavascriptDialect(),
        lambda key: f"v[{key!r}]",
        "const {name}={value};",
    )
    number = JavascriptDialect().number
    head = [f"const {key}=[{','.join(map(number, values))}];" for key, values in tables]
    body = "\n".join([*head, *lines])
    pairs = ",".join(f"{key!r}:{value}" for key, value in zip(outputs, results, strict=True))
    return f"function {name}(v){{\n{body}\nreturn {{{pairs}}};}}\n"


def javascript_library(names: Sequence[str] | None = None) -> str:
    """Print the support code and the primitives (all, or those named)."""
    chosen = PRIMITIVES if names is None else {n: PRIMITIVES[n] for n in names}
    return JAVASCRIPT_SUPPORT + "".join(p.javascript.strip() + "\n" for p in chosen.values())


def compile_numpy(
    graph: Graph, outputs: Sequence[int], inputs: Sequence[str], scalar: bool = False
) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Compile a function from the values of `inputs`, in that order, to the values of `outputs`.

    Parameters
    ----------
    graph : Graph
    outputs : sequence of int
        Node numbers.
    inputs : sequence of str
        Names of the inputs; values may be floats or arrays that broadcast together.
    scalar : bool
        Print branches instead of ``np.where``: faster for single values, wrong for arrays.
    """
    place = {name: f"v[{i}]" for i, name in enumerate(inputs)}
    dialect = ScalarDialect() if scalar else NumpyDialect()
    lines, results, tables = statements(graph, outputs, dialect, place.__getitem__, "{name}={value}")
    space: dict[str, Any] = {name: getattr(np, name) for name in FUNCTIONS}
    space.update({key: np.array(values) for key, values in tables})
    space.update({name: p.numpy for name, p in PRIMITIVES.items()})
    space.update(inf=math.inf, nan=math.nan)
    source = "def f(v):\n " + "\n ".join([*lines, f"return ({','.join(results)},)"])
    exec(compile(source, "<graph>", "exec"), space)  # noqa: S102 - our own printer made the text
    return space["f"]
