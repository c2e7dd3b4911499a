"""``roundtrip catalog``: what there is to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from roundtrip.cli.output import as_json, say, say_json, width

if TYPE_CHECKING:
    from roundtrip.catalog.load import Entry


@click.command()
@click.argument("kind", required=False)
@click.argument("key", metavar="[ENTRY]", required=False)
@as_json
def catalog(kind: str | None, key: str | None, as_json: bool) -> None:
    """List the kinds of things, the entries of one KIND, or the figures of one ENTRY (also as KIND/ENTRY)."""
    from roundtrip.catalog.load import entry, kind_title, kinds, load
    from roundtrip.journey.slots import SLOTS

    if kind is not None and "/" in kind and key is None:
        kind, _, key = kind.partition("/")
    if kind is None:
        slots = {s.kind: name for name, s in SLOTS.items() if s.kind}
        rows = [{"kind": k, "title": kind_title(k), "entries": len(load(k)), "slot": slots.get(k, "")} for k in kinds()]
        if as_json:
            say_json({"kinds": rows})
            return
        lines = [f"{'kind':<20} {'entries':>7}  {'chosen with --set':<22} title"]
        lines += [
            f"{r['kind']:<20} {r['entries']:>7}  {str(r['slot']) + '=' if r['slot'] else '':<22} {r['title']}"
            for r in rows
        ]
        say("\n".join(lines))
        return
    if key is None:
        entries = load(kind)
        if as_json:
            say_json({"kind": kind, "title": kind_title(kind), "entries": [_as_dict(e) for e in entries.values()]})
            return
        wide = max((len(k) for k in entries), default=8)
        lines = [kind_title(kind), "", *(f"{k:<{wide}}  {e.title}" for k, e in entries.items())]
        say("\n".join(lines))
        return
    found = entry(kind, key)
    if as_json:
        say_json(_as_dict(found))
    else:
        say(describe(found, width()))


def _as_dict(entry: Entry) -> dict[str, Any]:
    figures = {name: figure.as_dict() for name, figure in entry.figures.items()}
    return {"kind": entry.kind, "key": entry.key, "title": entry.title, "texts": dict(entry.texts), "figures": figures}


def describe(entry: Entry, columns: int) -> str:
    """Return an entry as text: its figures with band, grade and source, then the sources."""
    from roundtrip.catalog.load import glossary, sources
    from roundtrip.trace.numbers import band, si
    from roundtrip.trace.table import clip, wrap

    numbers = {key: n for n, key in enumerate(dict.fromkeys(f.source for f in entry.figures.values()), start=1)}
    lines = [entry.title, f"{entry.kind}/{entry.key}", ""]
    for name, text in entry.texts.items():
        lines += wrap(f"{name}: {text}", columns, "  ")
    wide = max((len(n) for n in entry.figures), default=0)
    for name, f in entry.figures.items():
        term = glossary().get(name)
        spread = band(f.low, f.high, f.value, f.unit)
        kind = f.spread if spread else ""
        value = si(f.value, f.unit)
        lines.append(f"{name:<{wide}} {value:>12}  {spread:<13} {f.grade:<9} {kind:<11} [{numbers[f.source]}]")
        meaning = "; ".join(part for part in (term.meaning if term else "", f.note) if part)
        lines += [f"    {line}" for line in wrap(meaning, max(columns - 4, 40))] if meaning else []
    lines.append("")
    known = sources()
    for key, number in numbers.items():
        if key in known:
            lines += [clip(f"[{number}] {known[key].title} ({known[key].year})", columns), f"    {known[key].url}"]
        else:
            lines.append(f"[{number}] {key}")
    return "\n".join(lines)
