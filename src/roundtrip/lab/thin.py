"""The same PDF in fewer bytes: nothing that is drawn, read aloud or taken out as text changes.

WeasyPrint writes each glyph with a kern of its own, coordinates to a millionth of a pixel, a structure element for
every line of text and for every box without any, and fonts with the tables of a file. Here kerns of nothing go,
coordinates keep a hundredth of a pixel, a line belongs to its paragraph, and a font keeps what a PDF asks of it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from typing import Any

# Elements that may hold text themselves, and those that say nothing of the text inside them.
HOLDERS = frozenset({"/P", "/H1", "/H2", "/H3", "/TD", "/TH", "/LBody", "/Lbl", "/Link", "/Span", "/NonStruct"})
SILENT = frozenset({"/Span", "/NonStruct"})
EMPTY = frozenset({"/Div", *SILENT})
PLAIN = frozenset({"Type", "S", "K", "Pg", "P"})
# Operators whose numbers are all places; of a text matrix the last two are.
DRAWN = frozenset({b"re", b"m", b"l", b"c", b"v", b"y", b"w"})
# What an embedded TrueType font needs where text is spelled in glyphs (ISO 32000-1, 9.9), and what hinting needs.
TABLES = frozenset({"glyf", "head", "hhea", "hmtx", "loca", "maxp", "cvt ", "fpgm", "prep"})
LONG = re.compile(rb"-?\d*\.\d{3,}")


def thin(document: Any, pdf: Any) -> None:
    """Make a PDF of pydyf smaller, before it is written."""
    for stream in _pictures(pdf):
        stream.stream = [b"\n".join(_line(line) for line in _lines(stream.stream))]
    for stream in pdf.objects:
        if "Length1" in getattr(stream, "extra", ()):
            _bare(stream)
    _gather(pdf)


def _bare(stream: Any) -> None:
    """Leave out of a font what only a font file needs: names, the map of characters, styles."""
    from fontTools.ttLib import TTFont

    font = TTFont(io.BytesIO(b"".join(stream.stream)), recalcTimestamp=False)
    for name in set(font.keys()) - TABLES - {"GlyphOrder"}:
        del font[name]
    made = io.BytesIO()
    font.save(made)
    stream.stream = [made.getvalue()]
    stream.extra["Length1"] = len(made.getvalue())


def _pictures(pdf: Any) -> Iterable[Any]:
    """Return the streams that draw: those of the pages, and the pictures in them."""
    pages = {bytes(each["Contents"]) for each in pdf.objects if _is(each, "/Page")}
    for each in pdf.objects:
        drawn = each.free == "n" and hasattr(each, "stream")
        if drawn and (each.reference in pages or each.extra.get("Subtype") == "/Form"):
            yield each


def _is(thing: Any, kind: str) -> bool:
    return isinstance(thing, dict) and thing.get("Type") == kind


def _lines(items: Iterable[Any]) -> list[bytes]:
    text = b"\n".join(
        item if isinstance(item, bytes) else item.data if hasattr(item, "data") else str(item).encode("ascii")
        for item in items
    )
    return text.split(b"\n")


def _line(line: bytes) -> bytes:
    if line.endswith(b"] TJ"):
        return line.replace(b">0<", b"").replace(b">0]", b">]")
    *numbers, operator = line.split(b" ")
    if operator in DRAWN:
        return b" ".join([*map(_short, numbers), operator])
    if operator == b"Tm":
        return b" ".join([*numbers[:4], *map(_short, numbers[4:]), operator])
    return line


def _short(number: bytes) -> bytes:
    return f"{float(number):.2f}".rstrip("0").rstrip(".").encode() if LONG.fullmatch(number) else number


def _gather(pdf: Any) -> None:
    """Give text to the element around it, where the one between says nothing."""
    known = {each.reference: each for each in pdf.objects if _is(each, "/StructElem")}
    heirs: dict[bytes, bytes] = {}
    bare: set[bytes] = set()
    # Children are made after their parents.
    for element in reversed(list(known.values())):
        kids: list[Any] = []
        for kid in element["K"]:
            child = known.get(kid) if isinstance(kid, bytes) else None
            if child is not None and _may_go(child, element):
                kids += child["K"]
                heirs[kid] = element.reference
            elif child is not None and not child["K"] and child["S"] in EMPTY:
                bare.add(kid)
            else:
                kids.append(kid)
        element["K"][:] = kids
    for own, tree in ((each, each["Nums"]) for each in pdf.objects if isinstance(each, dict) and "Nums" in each):
        own["Nums"] = type(tree)(
            type(part)(_heir(each, heirs) for each in part) if isinstance(part, list) else _heir(part, heirs)
            for part in tree
        )
    for gone in bare.union(heirs):
        place = known[gone].number
        # What is left is an entry of the list of free objects.
        pdf.objects[place] = type(pdf.objects[0])()
        pdf.objects[place].number, pdf.objects[place].generation, pdf.objects[place].free = 0, 65535, "f"
    for reference, element in known.items():
        if reference not in bare and reference not in heirs:
            del element["Type"]


def _may_go(child: Any, parent: Any) -> bool:
    return (
        child["S"] in SILENT
        and parent["S"] in HOLDERS
        and child.keys() <= PLAIN
        and child.get("Pg") == parent.get("Pg")
        and all(isinstance(kid, int) for kid in child["K"])
    )


def _heir(reference: Any, heirs: dict[bytes, bytes]) -> Any:
    while reference in heirs:
        reference = heirs[reference]
    return reference
