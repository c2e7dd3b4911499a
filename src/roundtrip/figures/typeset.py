"""Typeset one equation from the graph: TeX for the docs, Unicode for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from roundtrip.figures.graph import Graph, Node

SUM, PRODUCT, POWER = 1, 2, 4

# Exact or CODATA constants are shown by their symbol, not by their digits.
CONSTANTS = {
    299_792_458.0: ("c", "c"),
    6.62607015e-34: ("h", "h"),
    1.602176634e-19: ("e", "e"),
    1.380649e-23: (r"k_\mathrm{B}", "k_B"),
}

_TEX = {
    "exp": r"e^{%s}", "sqrt": r"\sqrt{%s}", "cbrt": r"\sqrt[3]{%s}", "floor": r"\left\lfloor %s \right\rfloor",
    "ceil": r"\left\lceil %s \right\rceil", "absolute": r"\left|%s\right|", "log": r"\ln\left(%s\right)",
    "log2": r"\log_2\left(%s\right)", "log10": r"\log_{10}\left(%s\right)", "log1p": r"\ln\left(1+%s\right)",
    "expm1": r"\left(e^{%s}-1\right)", "radians": r"%s^\circ", "logical_not": r"\lnot %s",
}  # fmt: skip
_TEXT = {
    "exp": "exp(%s)", "sqrt": "√(%s)", "cbrt": "∛(%s)", "floor": "⌊%s⌋", "ceil": "⌈%s⌉", "absolute": "|%s|",
    "log": "ln(%s)", "log2": "log₂(%s)", "log10": "log₁₀(%s)", "log1p": "ln(1 + %s)", "expm1": "(exp(%s) - 1)",
    "radians": "%s°", "logical_not": "not %s",
}  # fmt: skip
_INFIX_TEX = {"greater": ">", "less": "<", "greater_equal": r"\ge", "less_equal": r"\le",
              "logical_and": r"\land", "logical_or": r"\lor"}  # fmt: skip
_INFIX_TEXT = {
    "greater": ">",
    "less": "<",
    "greater_equal": "≥",
    "less_equal": "≤",
    "logical_and": "and",
    "logical_or": "or",
}
_SHORT = {"maximum": "max", "minimum": "min", "power": "pow"}


class Typesetter:
    """Walks from one node down to its leaves.

    Parameters
    ----------
    graph : Graph
    symbols : mapping of str to str
        What to print for an input; an input without a symbol is printed by its name.
    tex : bool
        TeX, or Unicode text for a terminal.
    """

    def __init__(self, graph: Graph, symbols: Mapping[str, str] | None = None, tex: bool = True) -> None:
        self.graph = graph
        self.symbols = symbols or {}
        self.tex = tex

    def __call__(self, node: Node) -> str:
        return self._go(node.number, 0)

    def _wrap(self, text: str, precedence: int, outer: int) -> str:
        if precedence >= outer:
            return text
        return rf"\left({text}\right)" if self.tex else f"({text})"

    def _number(self, x: float) -> tuple[str, int]:
        """Return a literal and how firmly it holds together: 2·10^5 is a product, 10^5 a power."""
        if x in CONSTANTS:
            return CONSTANTS[x][0 if self.tex else 1], 9
        mantissa, _, exponent = f"{x:.6g}".partition("e")
        if not exponent:
            return mantissa, 0 if x < 0 else 9
        power = rf"10^{{{int(exponent)}}}" if self.tex else f"10^{int(exponent)}"
        if mantissa == "1":
            return power, POWER
        return mantissa + (r"\times " if self.tex else "·") + power, 0 if x < 0 else PRODUCT

    def _input(self, name: str) -> str:
        if name in self.symbols:
            return self.symbols[name]
        return rf"\mathrm{{{_escape(name)}}}" if self.tex else name

    def _go(self, number: int, outer: int) -> str:
        operation, *a = self.graph.nodes[number]
        go: Callable[[int, int], str] = self._go
        if operation == "input":
            return self._input(a[0])
        if operation == "number":
            return self._wrap(*self._number(a[0]), outer)
        if operation == "table":
            return r"\text{table}" if self.tex else "table"
        if operation == "add":
            return self._wrap(f"{go(a[0], SUM)} + {go(a[1], SUM)}", SUM, outer)
        if operation == "subtract":
            return self._wrap(f"{go(a[0], SUM)} - {go(a[1], SUM + 1)}", SUM, outer)
        if operation == "multiply":
            dot = (r"\times " if self._is_number(a[1]) else r"\,") if self.tex else "·"
            return self._wrap(go(a[0], PRODUCT) + dot + go(a[1], PRODUCT), PRODUCT, outer)
        if operation == "divide":
            if self.tex:
                return self._wrap(rf"\frac{{{go(a[0], 0)}}}{{{go(a[1], 0)}}}", PRODUCT, 0 if outer < POWER else outer)
            return self._wrap(f"{go(a[0], PRODUCT)} / {go(a[1], PRODUCT + 1)}", PRODUCT, outer)
        if operation == "negative":
            return self._wrap("-" + go(a[0], PRODUCT), SUM, outer)
        if operation in ("power", "square"):
            exponent = go(a[1], 0 if self.tex else POWER) if operation == "power" else "2"
            power = "^{" + exponent + "}" if self.tex else "^" + exponent
            return self._wrap(go(a[0], POWER + 1) + power, POWER, outer)
        if operation == "where":
            return self._wrap(self._cases(a), 0 if self.tex else 9, outer)
        return self._call(operation, a, outer)

    def _is_number(self, number: int) -> bool:
        return self.graph.nodes[number][0] == "number"

    def _cases(self, a: list[Any]) -> str:
        yes, test, no = self._go(a[1], 0), self._go(a[0], 0), self._go(a[2], 0)
        if self.tex:
            return rf"\begin{{cases}}{yes} & {test}\\{no} & \text{{else}}\end{{cases}}"
        return f"[{yes} if {test}, else {no}]"

    def _call(self, operation: str, a: list[Any], outer: int) -> str:
        infix = _INFIX_TEX if self.tex else _INFIX_TEXT
        if operation in infix:
            return self._wrap(f"{self._go(a[0], SUM)} {infix[operation]} {self._go(a[1], SUM)}", 0, outer)
        pattern = (_TEX if self.tex else _TEXT).get(operation)
        if pattern:
            inside = self._go(a[0], POWER if operation in ("radians", "log1p") else 0)
            return self._wrap(pattern % inside, POWER if self.tex and operation in ("exp", "radians") else 9, outer)
        name = _SHORT.get(operation, operation)
        inside = ", ".join(self._go(n, 0) for n in a)
        if self.tex:
            return rf"\operatorname{{{_escape(name)}}}\left({inside}\right)"
        return f"{name}({inside})"


def _escape(name: str) -> str:
    return name.replace("_", r"\_")


def tex(node: Node, symbols: Mapping[str, str] | None = None) -> str:
    """Return the TeX of one node's equation."""
    return Typesetter(node.graph, symbols, tex=True)(node)


def text(node: Node, symbols: Mapping[str, str] | None = None) -> str:
    """Return one node's equation in Unicode, for a terminal."""
    return Typesetter(node.graph, symbols, tex=False)(node)
