"""Typeset one equation from the graph as SVG: fractions, roots, powers and cases, without a font to load.

Each part is a `Box` with a width, a height above the baseline and a depth below it, as in TeX. Widths are estimated
from a serif face, and ``textLength`` makes whatever face the reader has keep to them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from roundtrip.figures.graph import Graph, Node
from roundtrip.figures.typeset import CONSTANTS, POWER, PRODUCT, SUM

SIZE = 22.0
SMALL = 0.72
NARROW, WIDE = frozenset("iljt.,;:|'()[]!/ "), frozenset("mwMW%∞≥≤")
_NAMES = {"log": "ln", "log10": "log₁₀", "log2": "log₂", "maximum": "max", "minimum": "min", "arcsin": "arcsin",
          "power": "pow"}  # fmt: skip
_SIGNS = {
    "greater": ">",
    "less": "<",
    "greater_equal": "≥",
    "less_equal": "≤",
    "logical_and": "and",
    "logical_or": "or",
}


@dataclass(slots=True)
class Box:
    """A piece of an equation; `marks` are SVG elements around the baseline at x = 0, each with its shift."""

    width: float
    height: float
    depth: float
    marks: list[tuple[float, float, str]] = field(default_factory=list[tuple[float, float, str]])

    def at(self, x: float, y: float) -> list[tuple[float, float, str]]:
        """Return the marks, shifted."""
        return [(dx + x, dy + y, text) for dx, dy, text in self.marks]


def word(text: str, size: float, italic: bool = False) -> Box:
    """Return a run of letters."""
    share = sum(0.3 if c in NARROW else 0.82 if c in WIDE else 0.66 if c.isupper() else 0.5 for c in text)
    width = max(share * size, 0.1)
    style = f"font:{'italic ' if italic else ''}{size:.1f}px Georgia,'Times New Roman',serif"
    mark = (
        f'<text class="text" style="{style}" textLength="{width:.1f}" lengthAdjust="spacingAndGlyphs" '
        f'transform="translate(%.2f %.2f)">{escape(text).replace("%", "%%")}</text>'
    )
    return Box(width, 0.72 * size, 0.22 * size, [(0.0, 0.0, mark)])


def sign(text: str, size: float, space: float = 0.26) -> Box:
    """Return an operator with room around it (blanks at the ends of an SVG text do not count)."""
    inner = word(text, size)
    pad = space * size
    return Box(inner.width + 2.0 * pad, inner.height, inner.depth, inner.at(pad, 0.0))


def row(boxes: Sequence[Box], gap: float = 0.0) -> Box:
    """Return boxes side by side on one baseline."""
    marks: list[tuple[float, float, str]] = []
    x = 0.0
    for box in boxes:
        marks += box.at(x, 0.0)
        x += box.width + gap
    return Box(x - gap, max(b.height for b in boxes), max(b.depth for b in boxes), marks)


def _line(x: float, y: float, dx: float, dy: float, width: float = 1.2) -> tuple[float, float, str]:
    path = f'<path class="stroke" d="M0 0 l{dx:.2f} {dy:.2f}" stroke-width="{width}" transform="translate(%.2f %.2f)"/>'
    return (x, y, path)


def fraction(top: Box, bottom: Box, size: float) -> Box:
    """Return one box over another with a bar between."""
    width = max(top.width, bottom.width) + 0.3 * size
    axis, gap = 0.26 * size, 0.16 * size
    up, down = -(axis + gap + top.depth), -axis + gap + bottom.height
    marks = [*top.at((width - top.width) / 2.0, up), *bottom.at((width - bottom.width) / 2.0, down)]
    return Box(width, -up + top.height, down + bottom.depth, [*marks, _line(0.0, -axis, width, 0.0)])


def raised(base: Box, exponent: Box, size: float) -> Box:
    """Return a power."""
    lift = max(base.height - 0.35 * size, 0.36 * size)
    marks = [*base.at(0.0, 0.0), *exponent.at(base.width + 1.0, -lift)]
    return Box(base.width + exponent.width + 2.0, max(base.height, lift + exponent.height), base.depth, marks)


def lowered(base: Box, index: Box, size: float) -> Box:
    """Return a symbol with an index."""
    drop = 0.2 * size
    marks = [*base.at(0.0, 0.0), *index.at(base.width + 0.5, drop)]
    return Box(base.width + index.width + 1.5, base.height, max(base.depth, drop + index.depth), marks)


def root(inner: Box, size: float, degree: str = "") -> Box:
    """Return a root."""
    hook, over = 0.55 * size, 0.14 * size
    high, low = inner.height + over, inner.depth
    path = (
        f"M0 {-0.3 * size:.2f} l{0.15 * size:.2f} {-0.06 * size:.2f} L{0.3 * size:.2f} {low:.2f} "
        f"L{hook:.2f} {-high:.2f} h{inner.width + 4.0:.2f}"
    )
    sign = f'<path class="stroke" d="{path}" stroke-width="1.2" transform="translate(%.2f %.2f)"/>'
    marks = [(0.0, 0.0, sign), *inner.at(hook + 2.0, 0.0)]
    if degree:
        marks += word(degree, size * 0.5).at(0.0, -0.5 * size)
    return Box(hook + inner.width + 6.0, high + 1.0, low, marks)


def fenced(inner: Box, size: float, left: str = "(", right: str = ")") -> Box:
    """Return a box between brackets as high as it is."""
    scale = max((inner.height + inner.depth) / (0.94 * size), 1.0)
    tall = size * min(scale, 4.0)
    middle = (inner.depth - inner.height) / 2.0 + 0.25 * tall
    open_, close = word(left, tall), word(right, tall) if right else None
    marks = [*open_.at(0.0, middle), *inner.at(open_.width + 1.0, 0.0)]
    width = open_.width + inner.width + 2.0
    if close is not None:
        marks += close.at(width, middle)
        width += close.width
    return Box(width, inner.height + 1.0, inner.depth + 1.0, marks)


class Typesetter:
    """Walks from one node down to its leaves; `symbols` gives each input its letters and its index."""

    def __init__(self, graph: Graph, symbols: Mapping[str, tuple[str, str]]) -> None:
        self.graph = graph
        self.symbols = symbols

    def box(self, number: int, outer: int, size: float) -> Box:
        """Return the box of a node; brackets where `outer` binds tighter."""
        operation, *a = self.graph.nodes[number]
        if operation == "input":
            letters, index = self.symbols.get(a[0], (a[0], ""))
            base = word(letters, size, italic=letters.isalpha())
            return lowered(base, word(index, size * SMALL), size) if index else base
        if operation == "number":
            box, precedence = self._number(a[0], size)
            return self._wrap(box, precedence, outer, size)
        if operation == "table":
            return word("table", size)
        if operation in ("add", "subtract"):
            operator = sign("+" if operation == "add" else "−", size)
            right = SUM if operation == "add" else SUM + 1
            return self._wrap(row([self.box(a[0], SUM, size), operator, self.box(a[1], right, size)]), SUM, outer, size)
        if operation == "multiply":
            dot = sign("·", size, 0.06) if self._digit_first(a[1]) else Box(0.14 * size, 0.0, 0.0)
            return self._wrap(
                row([self.box(a[0], PRODUCT, size), dot, self.box(a[1], PRODUCT, size)]), PRODUCT, outer, size
            )
        if operation == "divide":
            box = fraction(self.box(a[0], 0, size), self.box(a[1], 0, size), size)
            return self._wrap(box, PRODUCT, outer if outer > POWER else 0, size)
        if operation == "negative":
            return self._wrap(row([word("−", size), self.box(a[0], PRODUCT, size)]), SUM, outer, size)
        if operation in ("power", "square"):
            small = size * SMALL
            exponent = self.box(a[1], 0, small) if operation == "power" else word("2", small)
            return self._wrap(raised(self.box(a[0], POWER + 1, size), exponent, size), POWER, outer, size)
        if operation == "where":
            return self._cases(a, size)
        return self._call(operation, a, outer, size)

    def _digit_first(self, number: int) -> bool:
        """Say whether the printed node begins with a digit: then a dot must stand before it."""
        operation, *a = self.graph.nodes[number]
        if operation == "number":
            return a[0] not in CONSTANTS
        return operation in ("power", "square", "multiply") and self._digit_first(a[0])

    def _wrap(self, box: Box, precedence: int, outer: int, size: float) -> Box:
        return box if precedence >= outer else fenced(box, size)

    def _number(self, x: float, size: float) -> tuple[Box, int]:
        if x in CONSTANTS:
            letters, _, index = CONSTANTS[x][1].partition("_")
            base = word(letters, size, italic=True)
            return (lowered(base, word(index, size * SMALL), size) if index else base), 9
        mantissa, _, exponent = f"{x:.6g}".replace("-", "−", 1 if x < 0 else 0).partition("e")
        if not exponent:
            return word(mantissa, size), 0 if x < 0 else 9
        power = raised(word("10", size), word(str(int(exponent)).replace("-", "−"), size * SMALL), size)
        if mantissa == "1":
            return power, POWER
        return row([word(mantissa + "·", size), power]), PRODUCT

    def _cases(self, a: Sequence[int], size: float) -> Box:
        test, yes, no = (self.box(n, 0, size) for n in a)
        lines = [row([yes, sign("if", size, 0.5), test]), row([no, sign("else", size, 0.5)])]
        gap = 0.4 * size
        total = sum(b.height + b.depth for b in lines) + gap
        y = -total / 2.0 - 0.25 * size
        marks: list[tuple[float, float, str]] = []
        for box in lines:
            y += box.height
            marks += box.at(0.0, y)
            y += box.depth + gap
        inner = Box(max(b.width for b in lines), total / 2.0 + 0.25 * size, total / 2.0 - 0.25 * size, marks)
        return fenced(inner, size, "{", "")

    def _call(self, operation: str, a: Sequence[int], outer: int, size: float) -> Box:
        if operation in _SIGNS:
            operator = sign(_SIGNS[operation], size)
            return self._wrap(row([self.box(a[0], SUM, size), operator, self.box(a[1], SUM, size)]), 0, outer, size)
        if operation == "exp":
            return self._wrap(
                raised(word("e", size, italic=True), self.box(a[0], 0, size * SMALL), size), POWER, outer, size
            )
        if operation == "expm1":
            power = raised(word("e", size, italic=True), self.box(a[0], 0, size * SMALL), size)
            return self._wrap(row([power, sign("−", size), word("1", size)]), SUM, outer, size)
        if operation in ("sqrt", "cbrt"):
            return root(self.box(a[0], 0, size), size, "3" if operation == "cbrt" else "")
        if operation in ("floor", "ceil", "absolute"):
            left, right = {"floor": "⌊⌋", "ceil": "⌈⌉", "absolute": "||"}[operation]
            return fenced(self.box(a[0], 0, size), size, left, right)
        if operation == "radians":
            return row([self.box(a[0], POWER, size), word("°", size)])
        inside = [self.box(a[0], 0, size)]
        if operation == "log1p":
            inside = [word("1", size), sign("+", size), self.box(a[0], SUM, size)]
        for number in a[1:]:
            inside += [word(",", size), Box(0.2 * size, 0.0, 0.0), self.box(number, 0, size)]
        name = {"log1p": "ln"}.get(operation, _NAMES.get(operation, operation.replace("_", " ")))
        return row([word(name, size), fenced(row(inside), size)])


def equation(node: Node, name: tuple[str, str], symbols: Mapping[str, tuple[str, str]], size: float = SIZE) -> Box:
    """Return the box of ``name = right-hand side``."""
    letters, index = name
    base = word(letters, size, italic=letters.isalpha())
    left = lowered(base, word(index, size * SMALL), size) if index else base
    return row([left, sign("=", size), Typesetter(node.graph, symbols).box(node.number, 0, size)])


def draw(box: Box, x: float, y: float) -> list[str]:
    """Return the SVG elements of a box with its baseline at (x, y)."""
    return [text % (dx, dy) for dx, dy, text in box.at(x, y)]
