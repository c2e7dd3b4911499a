"""Typeset equations, read back by SymPy and held against what NumPy computes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy

from roundtrip.figures.graph import Graph
from roundtrip.figures.typeset import tex, text

VALUES = {"a": 0.7, "b": 1.3, "c": 2.9, "d": 4.1}

CASES: dict[str, Callable[..., Any]] = {
    "sums": lambda a, b, c, d: a - (b - c) - (d + a),
    "quotients": lambda a, b, c, d: a / (b / c) / d,
    "products": lambda a, b, c, d: (a + b) * (c - d) * a,
    "product of a quotient": lambda a, b, c, d: a * (b / c) / (d * a),
    "powers": lambda a, b, c, d: (a**b) ** c + a ** (b * c) - (a + d) ** 2.0,
    "negatives": lambda a, b, c, d: -a * b - -(c + d),
    "power of a negative": lambda a, b, c, d: (-a) ** 2.0 * -b + c / -d,
    "roots": lambda a, b, c, d: np.sqrt(2.0 * a / b) + np.cbrt(c * d),
    "exponentials": lambda a, b, c, d: np.exp(-a / b) * np.log(c + d) + np.expm1(a) / np.log1p(b * c),
    "logarithms": lambda a, b, c, d: 10.0 * np.log10(a / b) + np.log2(c) ** 2.0 / np.log10(d),
    "powers of ten": lambda a, b, c, d: 3.2e-19 * a / 1e-19 + 6e5 * b / (1e5 * c) - 2.5e8 / 1e8,
    "steps": lambda a, b, c, d: np.ceil(a * c) - np.floor(d / b) + np.absolute(a - d),
    "quotient of a power": lambda a, b, c, d: (a / b) ** 2.0 / (c**2.0 + d),
    "power of a root": lambda a, b, c, d: np.sqrt(a + b) ** 3.0 + (1.0 / np.cbrt(c)) ** d,
    "sines": lambda a, b, c, d: np.sin(a + b) * np.cos(c) ** 2.0 - np.tan(a) / np.arctan(d),
}


# What a power or a quotient binds to when the thing itself is printed with a power in it.
TIGHT: dict[str, Callable[..., Any]] = {
    "power of an exponential": lambda a, b, c, d: np.exp(a) ** 2.0 + np.exp(b + c) ** d,
    "quotient by a small number": lambda a, b, c, d: a / 1.7e-19 + b * c / (2.5e12 * d),
    "power of a large number": lambda a, b, c, d: np.power(1.7e19, a) + (3e8 * b) ** 2.0,
    "quotient by an exponential": lambda a, b, c, d: a / np.exp(b) / np.expm1(c) - d,
}
CASES |= TIGHT
PARAMETERS = list(CASES)


def made(function: Callable[..., Any]) -> tuple[Any, float]:
    graph = Graph()
    node = function(*(graph.input(name) for name in VALUES))
    return node, float(function(*(np.float64(v) for v in VALUES.values())))


def read(expression: str) -> float:
    """Evaluate what SymPy understands of an expression, with precedence as SymPy sees it."""
    names = {n: sympy.Symbol(n) for n in VALUES}
    functions = {
        "ln": sympy.log, "cbrt": sympy.cbrt, "ceil": sympy.ceiling, "log2": lambda x: sympy.log(x, 2),
        "log10": lambda x: sympy.log(x, 10), "arctan": sympy.atan,
    }  # fmt: skip
    parsed = sympy.sympify(expression, locals={**names, **functions})
    return float(parsed.evalf(30, subs={names[n]: sympy.Float(v) for n, v in VALUES.items()}))


def from_text(line: str) -> str:
    for old, new in {
        "·": "*", "^": "**", "√(": "sqrt(", "∛(": "cbrt(", "⌈": "ceil(", "⌉": ")", "⌊": "floor(", "⌋": ")",
        "log₂": "log2", "log₁₀": "log10",
    }.items():  # fmt: skip
        line = line.replace(old, new)
    return re.sub(r"\|([^|]*)\|", r"Abs(\1)", line)


def _braces(s: str, start: int) -> int:
    """Return the place after the group that opens at `start`."""
    depth = 0
    for i in range(start, len(s)):
        depth += (s[i] == "{") - (s[i] == "}")
        if depth == 0:
            return i + 1
    raise AssertionError(f"unbalanced braces in {s}")


def from_tex(s: str) -> str:
    """Turn the TeX that we print into Python: fractions, roots, powers, implied products."""
    for old, new in {
        r"\left\lceil": "ceil(", r"\right\rceil": ")", r"\left\lfloor": "floor(", r"\right\rfloor": ")",
        r"\left|": "Abs(", r"\right|": ")", r"\left(": "(", r"\right)": ")", r"\times": "*", r"\,": "*",
        r"\ln": "ln", r"\log_{10}": "log10", r"\log_2": "log2", r"\sqrt[3]": r"\cbrt",
    }.items():  # fmt: skip
        s = s.replace(old, new)
    s = re.sub(r"\\operatorname\{(\w+)\}", r"\1", re.sub(r"\\mathrm\{(\w+)\}", r"\1", s))
    while r"\frac" in s:
        i = s.rindex(r"\frac")
        j = _braces(s, i + 5)
        k = _braces(s, j)
        s = f"{s[:i]}(({s[i + 6 : j - 1]})/({s[j + 1 : k - 1]})){s[k:]}"
    for root in ("sqrt", "cbrt"):
        while f"\\{root}{{" in s:
            i = s.rindex(f"\\{root}{{")
            j = _braces(s, i + len(root) + 1)
            s = f"{s[:i]}{root}({s[i + len(root) + 2 : j - 1]}){s[j:]}"
    while "^{" in s:
        i = s.rindex("^{")
        j = _braces(s, i + 1)
        base = "E" if i and s[i - 1] == "e" and not (i > 1 and s[i - 2].isalnum()) else None
        s = f"{s[: i - 1] if base else s[:i]}{base or ''}**({s[i + 2 : j - 1]}){s[j:]}"
    return s


@pytest.mark.parametrize("name", PARAMETERS)
def test_terminal_form_means_what_numpy_does(name: str) -> None:
    node, value = made(CASES[name])
    assert read(from_text(text(node))) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("name", PARAMETERS)
def test_tex_means_what_numpy_does(name: str) -> None:
    node, value = made(CASES[name])
    printed = tex(node)
    assert printed.count("{") == printed.count("}")
    assert printed.count(r"\left") == printed.count(r"\right")
    assert read(from_tex(printed)) == pytest.approx(value, rel=1e-12)


def test_symbols_stand_for_names_and_constants_for_digits() -> None:
    graph = Graph()
    node = 6.62607015e-34 * 299_792_458.0 * graph.input("x_m") / graph.input("wavelength_m")
    assert tex(node, {"wavelength_m": r"\lambda"}).endswith(r"{\lambda}")
    assert r"\mathrm{x\_m}" in tex(node)
    assert "wavelength_m" in text(node)


def test_cases_and_tables_are_said() -> None:
    graph = Graph()
    x: Any = graph.input("x")
    node: Any = np.where(x > 1.0, x, np.interp(x, (0.0, 1.0), (2.0, 3.0)))
    assert r"\begin{cases}" in tex(node)
    assert "else" in text(node)
    assert "table" in text(node)
