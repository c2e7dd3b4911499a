"""The symbolic reading: a graph of exactly the operations that NumPy would do, in NumPy's order.

A stage function called with `Node` arguments records its operations here through NumPy's own
protocols (``__array_ufunc__``, ``__array_function__``). Equal sub-expressions are one node. Nothing is
ever rewritten: were ``x / 0.08`` turned into ``12.5 * x``, a ``ceil`` could jump by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from roundtrip.errors import ReadingError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Number: TypeAlias = float | NDArray[np.float64]
else:
    Number: TypeAlias = "float | NDArray[np.float64] | Node"

INFIX = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "greater": ">",
    "less": "<",
    "greater_equal": ">=",
    "less_equal": "<=",
}
# fmt: off
FUNCTIONS = frozenset(
    {
        "absolute", "arccos", "arcsin", "arcsinh", "arctan", "arctan2", "cbrt", "ceil", "cos", "cosh", "exp",
        "expm1", "floor", "hypot", "log", "log10", "log1p", "log2", "logical_and", "logical_not", "logical_or",
        "maximum", "minimum", "negative", "power", "radians", "sin", "sinh", "sqrt", "square", "tan", "tanh",
        "where", "interp",
    }
)
# fmt: on
LEAVES = frozenset({"input", "number", "table"})

Body = TypeVar("Body", bound=Callable[..., Any])


class Primitive:
    """Mathematics that is not elementary: one NumPy body and one JavaScript body."""

    def __init__(self, name: str, numpy: Callable[..., Any], javascript: str) -> None:
        self.name = name
        self.numpy = numpy
        self.javascript = javascript


PRIMITIVES: dict[str, Primitive] = {}


def primitive(javascript: str) -> Callable[[Body], Body]:
    """Register a function of numbers with a second body in JavaScript. For mathematics, never for physics."""

    def register(body: Body) -> Body:
        name = body.__name__
        PRIMITIVES[name] = Primitive(name, body, javascript)

        @wraps(body)
        def call(*args: Any) -> Any:
            for argument in args:
                if isinstance(argument, Node):
                    graph = argument.graph
                    return graph.add(name, *(graph.lift(a) for a in args))
            return body(*args)

        return call  # type: ignore[return-value]

    return register


class Graph:
    """Nodes in the order in which they were made: every node comes after its arguments."""

    def __init__(self) -> None:
        self.nodes: list[tuple[Any, ...]] = []
        self._index: dict[tuple[Any, ...], int] = {}

    def add(self, *key: Any) -> Node:
        """Return the node of an operation and its argument numbers, made now or before."""
        number = self._index.get(key)
        if number is None:
            number = self._index[key] = len(self.nodes)
            self.nodes.append(key)
        return Node(self, number)

    def input(self, name: str) -> Node:
        """Return the node of a named input."""
        return self.add("input", name)

    def lift(self, x: Any, table: bool = False) -> int:
        """Return the node number of a node, a number, or (with `table`) a sequence of numbers."""
        if isinstance(x, Node):
            if x.graph is not self:
                raise ReadingError("two graphs met in one expression")
            return x.number
        if table:
            return self.add("table", tuple(float(value) for value in x)).number
        if isinstance(x, (bool, int, float, np.generic)) or (
            isinstance(x, np.ndarray) and np.ndim(cast("Any", x)) == 0
        ):
            return self.add("number", float(cast("Any", x))).number
        raise ReadingError(f"{x!r}: only numbers can enter a symbolic reading")

    def arguments(self, number: int) -> tuple[int, ...]:
        """Return the node numbers that a node is computed from."""
        operation, *arguments = self.nodes[number]
        return () if operation in LEAVES else tuple(arguments)

    def live(self, outputs: Iterable[int], stop: frozenset[int] = frozenset()) -> list[int]:
        """Return what `outputs` need, in order; nothing behind the nodes in `stop`."""
        seen: set[int] = set()
        stack = list(outputs)
        while stack:
            number = stack.pop()
            if number not in seen:
                seen.add(number)
                if number not in stop:
                    stack.extend(self.arguments(number))
        return sorted(seen)

    def inputs(self, outputs: Iterable[int]) -> list[str]:
        """Return the names of the inputs that `outputs` depend on."""
        return [self.nodes[n][1] for n in self.live(outputs) if self.nodes[n][0] == "input"]


class Node(NDArrayOperatorsMixin):
    """One value of the graph. It adds and multiplies like a number, and refuses to be tested or converted."""

    __slots__ = ("graph", "number")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, graph: Graph, number: int) -> None:
        self.graph = graph
        self.number = number

    def __repr__(self) -> str:
        return f"<node {self.number}: {self.graph.nodes[self.number]}>"

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **kwargs: Any) -> Node:
        name = ufunc.__name__
        if method != "__call__" or kwargs or (name not in INFIX and name not in FUNCTIONS):
            raise ReadingError(f"np.{name} ({method}) has no symbolic reading")
        return self.graph.add(name, *(self.graph.lift(a) for a in args))

    def __array_function__(
        self, function: Callable[..., Any], types: Sequence[type], args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        if not kwargs and len(args) == 3:
            if function is np.where:
                return self.graph.add("where", *(self.graph.lift(a) for a in args))
            if function is np.clip:
                return np.minimum(np.maximum(args[0], args[1]), args[2])
            if function is np.interp:
                x, xs, ys = args
                lift = self.graph.lift
                return self.graph.add("interp", lift(x), lift(xs, table=True), lift(ys, table=True))
        raise ReadingError(f"np.{function.__name__} has no symbolic reading; arguments must be positional")

    def _refuse(self, *_: Any) -> Any:
        raise ReadingError(
            "a stage function tested or converted a value: use np.where, np.maximum and ufuncs, "
            "never if, max, round, float or math.*"
        )

    __bool__ = __float__ = __int__ = __index__ = __len__ = __iter__ = __array__ = __round__ = _refuse
