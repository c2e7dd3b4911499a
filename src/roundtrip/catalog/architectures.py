"""The architectures of the catalog: `data/architectures/*.toml`, a file for each maker, read on first use.

They are counts, not figures with a band, so they have a compact form of their own::

    ["llama-3.1-8b"]
    title = "Llama 3.1 8B"
    hubs = ["meta-llama/Llama-3.1-8B"]         # names on the hub
    hidden_width = 4096
    vocabulary = 128256
    blocks = [{ layers = 32, attention = "gqa", heads = 32, kv_heads = 8, head_width = 128, inner_width = 14336 }]
    source = "key-of-a-source"
    note = "where in the source"
    published = { parameters = 8030261248, source = "key-of-a-source", note = "where in the source" }

What the keys mean says `roundtrip.serving.architecture`, which makes its values from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, cast

from roundtrip.catalog.load import read_toml, sources
from roundtrip.errors import CatalogError, nearest


@dataclass(frozen=True, slots=True)
class Published:
    """What is published of a model: all weights and those of one token (0: not said); what `parameters` includes."""

    parameters: int = 0
    active_parameters: int = 0
    drafts: bool = False
    source: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One architecture as it stands in its file."""

    key: str
    title: str
    hubs: tuple[str, ...]
    source: str
    note: str
    published: Published
    body: dict[str, Any] = field(default_factory=dict[str, Any])
    file: str = ""


@cache
def rows() -> dict[str, Row]:
    """Return all architectures by key, with sources that exist; whether they make sense the reader's maker checks."""
    result: dict[str, Row] = {}
    folder = files("roundtrip.catalog") / "data" / "architectures"
    for path in sorted((p for p in folder.iterdir() if p.name.endswith(".toml")), key=lambda p: p.name):
        for key, body in read_toml(path).items():
            where = f"architectures/{path.name}: {key}"
            if not isinstance(body, dict):
                raise CatalogError(f"{where}: expected a table, not {type(body).__name__}")
            if key in result:
                raise CatalogError(f"{where}: stands in {result[key].file} too")
            result[key] = _row(key, cast("dict[str, Any]", body), path.name, where)
    return result


def _row(key: str, body: dict[str, Any], file: str, where: str) -> Row:
    rest = dict(body)
    texts: dict[str, str] = {}
    for name in ("title", "source", "note"):
        text = rest.pop(name, "")
        if not isinstance(text, str) or not text:
            raise CatalogError(f"{where}: {name} = {text!r}, expected a text")
        texts[name] = text
    hubs = rest.pop("hubs", [])
    if not isinstance(hubs, list) or not all(isinstance(hub, str) for hub in cast("list[Any]", hubs)):
        raise CatalogError(f"{where}: hubs = {hubs!r}, expected a list of names")
    said = rest.pop("published", {})
    try:
        published = Published(**said)
    except TypeError as error:
        raise CatalogError(f"{where}: published: {error}") from None
    for source in (texts["source"], published.source):
        if source and source not in sources():
            raise CatalogError(f"{where}: source {source!r} is not in sources/{nearest(source, sources())}")
    if (published.parameters or published.active_parameters) and not published.source:
        raise CatalogError(f"{where}: published: the source is missing")
    return Row(
        key, texts["title"], tuple(cast("list[str]", hubs)), texts["source"], texts["note"], published, rest, file
    )
