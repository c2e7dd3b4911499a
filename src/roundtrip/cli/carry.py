"""``roundtrip carry show``: the bytes of a carried prompt at one stage, and what stands where in them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from roundtrip.cli.inputs import read_prompt, read_scenario, scenario_options
from roundtrip.cli.output import as_json, say_json, say_page, width
from roundtrip.errors import ScenarioError, nearest

if TYPE_CHECKING:
    from roundtrip.journey.carry import Carried
    from roundtrip.journey.carry.artifact import Artifact
    from roundtrip.journey.scenario import Scenario

F = TypeVar("F", bound=Callable[..., Any])
LAYOUTS = ("us", "de", "fr", "gr", "ru")
SHOWN_B, SHOWN_ROWS, SHOWN_CHARACTERS = 1024, 40, 200
PARTS = {"keys": "typing", "way": "sending it as light and back", "eye": "showing and reading the reply"}


def carry_options(function: F) -> F:
    """Give a verb the options of a carried trip."""
    for option in (
        click.option("--break", "breaks", multiple=True, metavar="NAME[=VALUE]",
                     help="Break something on the way; several times at will. --break list shows what can be broken."),
        click.option("--http", "version", type=click.Choice(("1.1", "2")), default="1.1", show_default=True,
                     help="Version of HTTP of a carried trip."),
        click.option("--layout", type=click.Choice(LAYOUTS), default="us", show_default=True,
                     help="Keyboard layout of a carried trip."),
    ):  # fmt: skip
        function = option(function)
    return function


def carried(
    scenario: Scenario, breaks: tuple[str, ...], version: str, layout: str, seed: int, model: str | None,
    max_tokens: int, answers: bool = True,
) -> Carried:  # fmt: skip
    """Carry the scenario's prompt, with a line on a terminal that says which part is under way."""
    from roundtrip.journey.carry import carry, read_breaks

    found = carry(
        scenario.prompt,
        scenario,
        breaks=read_breaks(breaks),
        layout=layout,
        version="h2" if version == "2" else "http/1.1",
        seed=seed,
        answer=None if answers else "(no answer was asked for)",
        model=model,
        max_tokens=max_tokens,
        progress=_line if sys.stderr.isatty() else None,
    )
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    return found


def _line(part: str) -> None:
    sys.stderr.write(f"\r\033[K{PARTS.get(part, part)} …")
    sys.stderr.flush()


def list_breaks() -> None:
    """Print what can be broken."""
    from roundtrip.journey.carry import BREAKS

    rows = ["What can be broken on the way (--break NAME or NAME=VALUE):", ""]
    for name, one in BREAKS.items():
        value = f" [{one.low:g} to {one.high:g}, {one.default:g} if not given]" if one.high > one.low else ""
        rows.append(f"  {name:<17} {one.stage:<19} {one.text}{value}")
    say_page("\n".join(rows) + "\n")


def story(found: Carried) -> str:
    """Return what became of the prompt, in lines."""
    mark = {"fine": " ", "saved": "+", "died": "x"}
    said = found.reply.text if found.reply else ""
    ways = (
        ("meant", found.prompt), ("typed", found.typed.text), ("received", found.received), ("answered", said),
        ("arrived", found.arrived), ("read", found.read),
    )  # fmt: skip
    lines = ["", *(f"  {name:<9} {_one_line(text)}" for name, text in ways), ""]
    for note in found.notes:
        added = f" ({note.added_s * 1e3:+.1f} ms)" if abs(note.added_s) >= 5e-5 else ""
        lines.append(f"  {mark[note.fate]} {note.stage:<20} {note.text}{added}")
    died = found.died
    if died and found.received and found.arrived == said:
        lines += ["", f"  The message died at {died.stage}: what the server read is not what was meant."]
    elif died:
        lines += ["", f"  The message died at {died.stage}."]
    elif found.is_whole:
        lines += ["", "  Prompt and reply came through whole, byte for byte."]
    took = ", ".join(f"{name} {seconds:.2f} s" for name, seconds in found.took_s.items())
    return "\n".join([*lines, "", f"  This computer worked on it: {took}.", ""])


def _one_line(text: str) -> str:
    """Return a text on one line: what a terminal would act on is written out, and what is too long is cut."""
    shown = _shown_safely(text[:SHOWN_CHARACTERS])
    shown = shown.encode(sys.stdout.encoding or "utf-8", "backslashreplace").decode(sys.stdout.encoding or "utf-8")
    cut = f" … ({len(text):,} characters)" if len(text) > SHOWN_CHARACTERS else ""
    return (f"'{shown}'" if shown != shown.strip() else shown or "-") + cut


def _shown_safely(text: str) -> str:
    """Return a text with what a terminal would act on written out."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


@click.group()
def carry() -> None:
    """Look at the bytes and the light of a carried prompt, stage by stage.

    Every command takes --json.
    """


@carry.command()
@click.argument("stage")
@click.argument("prompt", required=False)
@scenario_options
@carry_options
@click.option("--seed", type=int, default=1, show_default=True, help="Of everything that is drawn.")
@click.option("--all", "whole", is_flag=True, help="Print all bytes and rows.")
@as_json
def show(
    stage: str, prompt: str | None, scenario: str, settings: tuple[str, ...], breaks: tuple[str, ...], version: str,
    layout: str, seed: int, whole: bool, as_json: bool,
) -> None:  # fmt: skip
    """Carry PROMPT and print what there is at STAGE, hexadecimal and field by field: keyboard.usb, network.tls, ..."""
    if breaks == ("list",):
        list_breaks()
        return
    chosen = read_scenario(scenario, settings, read_prompt(prompt))
    found = carried(chosen, breaks, version, layout, seed, None, 16)
    stages = list(dict.fromkeys(artifact.stage for artifact in found.artifacts))
    wanted = [a for a in found.artifacts if stage in (a.stage, f"{a.stage}.{a.name}")]
    if not wanted:
        raise ScenarioError(f"{stage!r} is no stage with something to see: {', '.join(stages)}{nearest(stage, stages)}")
    if as_json:
        say_json({"stage": stage, "artifacts": [_body(artifact) for artifact in wanted]})
        return
    say_page("\n\n".join("\n".join(_shown(artifact, whole)) for artifact in wanted) + "\n")


def _body(artifact: Artifact) -> dict[str, Any]:
    head = {"stage": artifact.stage, "name": artifact.name, "title": artifact.title, "kind": artifact.kind}
    if artifact.kind == "bytes":
        fields = [{"name": f.name, "value": f.value, "offset": f.offset, "length": f.length} for f in artifact.fields]
        return {**head, "hex": artifact.data.hex(), "fields": fields}
    if artifact.kind == "table":
        names, *rows = artifact.data
        return {**head, "columns": list(names), "rows": [list(row) for row in rows]}
    if artifact.kind == "text":
        return {**head, "text": artifact.data}
    arrays = artifact.data if artifact.kind == "array" else {"image": artifact.data}
    return {**head, "arrays": {name: {"shape": list(values.shape)} for name, values in arrays.items()}}


def _shown(artifact: Artifact, whole: bool) -> Iterator[str]:
    yield f"{artifact.stage}  {artifact.name}: {artifact.title}"
    yield ""
    if artifact.kind == "text":
        yield from ("  " + _shown_safely(line) for line in artifact.data.split("\n"))
    elif artifact.kind == "bytes":
        data: bytes = artifact.data
        if artifact.fields:
            yield from _fields(artifact, whole)
            yield ""
        yield from hexadecimal(data if whole else data[:SHOWN_B])
        if len(data) > SHOWN_B and not whole:
            yield f"  … {len(data) - SHOWN_B:,} more bytes: --all"
    elif artifact.kind == "table":
        yield from _rows(artifact.data, whole)
    else:
        arrays = artifact.data if artifact.kind == "array" else {"image": artifact.data}
        for name, values in arrays.items():
            yield f"  {name}: array of {' x '.join(map(str, values.shape))}; 'trip --carry --artifacts DIR' writes it"


def _fields(artifact: Artifact, whole: bool) -> Iterator[str]:
    shown = artifact.fields if whole else artifact.fields[:SHOWN_ROWS]
    wide = max(len(field.name) for field in shown)
    for field in shown:
        bytes_there = artifact.data[field.offset : field.offset + min(field.length, 8)].hex(" ")
        more = " …" if field.length > 8 else ""
        yield f"  {field.offset:6d}  {bytes_there + more:<26} {field.name:<{wide}}  {field.value}"[: max(width(), 60)]
    if len(shown) < len(artifact.fields):
        yield f"  … {len(artifact.fields) - len(shown):,} more fields: --all"


def _rows(table: list[tuple[str, ...]], whole: bool) -> Iterator[str]:
    shown = [[_shown_safely(str(cell)) for cell in row] for row in (table if whole else table[: SHOWN_ROWS + 1])]
    wide = [max(len(row[i]) for row in shown if i < len(row)) for i in range(len(shown[0]))]
    for row in shown:
        yield "  " + "  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=False)).rstrip()
    if len(shown) < len(table):
        yield f"  … {len(table) - len(shown):,} more rows: --all"


def hexadecimal(data: bytes) -> Iterator[str]:
    """Yield bytes as lines of sixteen: where, hexadecimal, and as characters."""
    for at in range(0, len(data), 16):
        piece = data[at : at + 16]
        text = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in piece)
        yield f"  {at:06x}  {piece[:8].hex(' '):<23}  {piece[8:].hex(' '):<23}  {text}"
