"""The closed forms of several trips as one module: what they share is printed once.

The graphs are laid into one. Nodes that the same trips need are a function of their own, which leaves what others read
in a list; a trip runs its functions, those of the most trips first, for a node is needed wherever its result is. Each
operation stays what it was, so each value stays the same to the last bit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from roundtrip.figures.graph import LEAVES, Graph
from roundtrip.figures.print_code import JavascriptDialect, statements
from roundtrip.journey.program import Program

# A node of another function, as an input of this one.
BEFORE = "before "


def lay(programs: Mapping[str, Program], wanted: Mapping[str, Mapping[str, int]]) -> tuple[Graph, dict[str, Any]]:
    """Return one graph of all programs, and for each its outputs and the nodes that it needs."""
    whole = Graph()
    found: dict[str, Any] = {}
    for name, compiled in programs.items():
        graph = compiled.way.graph
        moved: dict[int, int] = {}
        for number in graph.live(wanted[name].values()):
            operation, *arguments = graph.nodes[number]
            own = arguments if operation in LEAVES else [moved[each] for each in arguments]
            moved[number] = whole.add(operation, *own).number
        ends = {output: moved[number] for output, number in wanted[name].items()}
        found[name] = {"outputs": ends, "nodes": set(moved.values())}
    return whole, found


def shared(whole: Graph, found: Mapping[str, Any]) -> dict[tuple[str, ...], list[int]]:
    """Return the nodes that are computed, by the programs that need them; those that most need come first."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, (operation, *_) in enumerate(whole.nodes):
        if operation not in LEAVES:
            groups.setdefault(tuple(name for name in found if number in found[name]["nodes"]), []).append(number)
    return dict(sorted(groups.items(), key=lambda item: -len(item[0])))


def _handed_on(whole: Graph, groups: Iterable[list[int]], found: Mapping[str, Any]) -> dict[int, int]:
    """Return the place in the list of each node that another function or a result reads."""
    home = {number: place for place, numbers in enumerate(groups) for number in numbers}
    read = {number for own in found.values() for number in own["outputs"].values() if number in home}
    for number, place in home.items():
        read |= {each for each in whole.arguments(number) if each in home and home[each] != place}
    return {number: place for place, number in enumerate(sorted(read))}


def _part(whole: Graph, numbers: list[int], places: Mapping[int, int]) -> str:
    """Return one function; a table that it reads is made once, not at every call."""
    part = Graph()
    moved: dict[int, int] = {}

    def place(number: int) -> int:
        if number not in moved:
            operation, *arguments = whole.nodes[number]
            moved[number] = (part.add(operation, *arguments) if operation in LEAVES else
                             part.input(f"{BEFORE}{places[number]}")).number  # fmt: skip
        return moved[number]

    for number in numbers:
        operation, *arguments = whole.nodes[number]
        moved[number] = part.add(operation, *map(place, arguments)).number
    left = [number for number in numbers if number in places]
    lines, results, tables = statements(
        part,
        [moved[number] for number in left],
        JavascriptDialect(),
        lambda key: f"n[{key.removeprefix(BEFORE)}]" if key.startswith(BEFORE) else f"v[{key!r}]",
        "const {name}={value};",
    )
    number = JavascriptDialect().number
    head = [f"const {key}=[{','.join(map(number, values))}];" for key, values in tables]
    body = [*lines, *(f"n[{places[each]}]={result};" for each, result in zip(left, results, strict=True))]
    made = "(v,n)=>{\n" + "\n".join(body) + "\n}"
    return f"(()=>{{{''.join(head)}return {made};}})()" if head else made


def together(programs: Mapping[str, Program], wanted: Mapping[str, Mapping[str, int]]) -> str:
    """Return the body of a module that exports each program under its name: its inputs, its outputs, its function."""
    whole, found = lay(programs, wanted)
    groups = shared(whole, found)
    places = _handed_on(whole, groups.values(), found)
    names = [node[1] for node in whole.nodes if node[0] == "input"]
    text = [f"const k={_json(names)};\n"]
    text += [f"const f{n}={_part(whole, numbers, places)};\n" for n, numbers in enumerate(groups.values())]
    for name, own in found.items():
        keys = [names.index(key) for key in programs[name].way.graph.inputs(list(wanted[name].values()))]
        runs = "".join(f"f{n}(v,n);" for n, group in enumerate(groups) if name in group)
        ends = ",".join(f"{output!r}:{_end(whole, number, places)}" for output, number in own["outputs"].items())
        text.append(
            f"export const {name}={{keys:{_json(keys)}.map((i)=>k[i]),outputs:{_json(list(own['outputs']))},\n"
            f"evaluate(v){{const n=new Array({len(places)});{runs}\nreturn {{{ends}}};}}}};\n"
        )
    return "".join(text)


def _end(whole: Graph, number: int, places: Mapping[int, int]) -> str:
    operation, *arguments = whole.nodes[number]
    if operation == "input":
        return f"v[{arguments[0]!r}]"
    return JavascriptDialect().number(arguments[0]) if operation == "number" else f"n[{places[number]}]"


def _json(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
