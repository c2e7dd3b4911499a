"""The closed forms for the browser: the expressions that the stage functions themselves produce, as modules.

Each set of words (a touch screen or a keyboard, a model of experts or a plain one) has one closed form; presets that
share their words share it, and all trips stand in one module. A form says what its inputs are (value, band, unit,
range) and evaluates the summary figures from them. `vectors` draws inputs from the catalog's bands, far around them and
at slider stops, with the outputs that Python gives: the tests in node and in Chromium hold the forms to them.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import glossary
from roundtrip.figures.figure import Figure
from roundtrip.figures.graph import PRIMITIVES, Graph, Node, Number
from roundtrip.figures.primitives import ndtri
from roundtrip.figures.print_code import JAVASCRIPT_SUPPORT, javascript
from roundtrip.figures.sampling import Z95
from roundtrip.journey.program import Program, program
from roundtrip.journey.scenario import Scenario, load_scenario, presets
from roundtrip.journey.slots import SLOTS
from roundtrip.lab.together import together

SAMPLES = 200
STOPS = 500
LIBRARY = "library.js"
TRIPS = "trips.js"
HEAD = "// Printed from the stage functions by roundtrip.lab.formulas; not written by hand.\n"

Array = NDArray[np.float64]


def signature(compiled: Program) -> str:
    """Return a short name for the words of a program."""
    words = json.dumps([compiled.way.scenario.way, sorted(compiled.way.words.items())])
    return f"{zlib.crc32(words.encode()):08x}"


def module_name(compiled: Program) -> str:
    """Return the name of a program's module: ``concept``, or ``trip_`` and its signature."""
    return "concept" if compiled.way.scenario.way == "concept" else f"trip_{signature(compiled)}"


def outputs(compiled: Program) -> dict[str, int]:
    """Return the summary figures of a program with their node numbers, and the time line of the reader's wait."""
    return {name: number for name, number in compiled.outputs.items() if "/" not in name}


def inputs(compiled: Program) -> list[str]:
    """Return the inputs that the summary depends on."""
    return compiled.way.graph.inputs(list(outputs(compiled).values()))


def limits(key: str, figure: Figure) -> tuple[float, float]:
    """Return what a reader may set an input to: the range that the glossary gives its name."""
    term = glossary().get(key.rpartition(".")[2])
    return (term.low, term.high) if term else (min(figure.low, 0.0), max(figure.high, figure.value))


# What a figure is, in the order in which it is stored.
FIELDS = ("value", "low", "high", "unit", "grade", "source", "shape", "spread", "cause", "least", "most")


def figure_row(key: str, figure: Figure) -> list[Any]:
    """Return an input as it is stored: `FIELDS` without their names."""
    own = [getattr(figure, name) for name in FIELDS[:-2]]
    return [*own, *limits(key, figure)]


def module(compiled: Program) -> str:
    """Return the JavaScript module of one program: the names of its inputs and outputs, and the function."""
    wanted = outputs(compiled)
    nodes = {name: Node(compiled.way.graph, number) for name, number in wanted.items()}
    code = javascript(nodes, "evaluate")
    keys, names = _json(inputs(compiled)), _json(list(wanted))
    return f"{HEAD}{_imports(code)}export const keys={keys};\nexport const outputs={names};\nexport {code}"


def _imports(body: str) -> str:
    used = sorted(name for name in ("sq", "interp", *PRIMITIVES) if f"{name}(" in body)
    return f'import {{{",".join(used)}}} from "./{LIBRARY}";\n' if used else ""


def trips() -> str:
    """Return the module of all trips: what they share stands in it once."""
    programs: dict[str, Program] = {}
    for preset in presets():
        compiled = program(load_scenario(preset))
        if compiled.way.scenario.way != "concept":
            programs.setdefault(module_name(compiled), compiled)
    body = together(programs, {name: outputs(compiled) for name, compiled in programs.items()})
    return f"{HEAD}{_imports(body)}{body}"


def figures() -> str:
    """Return the module of the inputs: figures of catalog entries, and which entry each preset has in each slot."""
    entries: dict[str, dict[str, Any]] = {}
    chosen: dict[str, Any] = {}
    for preset in presets():
        scenario = load_scenario(preset)
        own: dict[str, Any] = {}
        slots: dict[str, str] = {}
        for key in inputs(program(scenario)):
            slot, _, name = key.rpartition(".")
            if key in scenario.values or slot not in scenario.choices or SLOTS[slot].kind is None:
                own[key] = figure_row(key, scenario.figure(key))
                continue
            e = scenario.entry(slot)
            slots[slot] = f"{e.kind}/{e.key}"
            entries.setdefault(slots[slot], {})[name] = figure_row(key, e.figures[name])
        chosen[preset] = {"slots": slots, "own": own}
    return (
        f"const entries={_json(entries)};\nconst presets={_json(chosen)};\nconst fields={_json(FIELDS)};\n"
        "export const figure=(row)=>Object.fromEntries(fields.map((name,i)=>[name,row[i]]));\n"
        "export function inputs(preset,keys){const p=presets[preset];return Object.fromEntries(keys.map((key)=>{\n"
        'const cut=key.lastIndexOf(".");\n'
        "return [key,figure(p.own[key]??entries[p.slots[key.slice(0,cut)]][key.slice(cut+1)])];}));}\n"
    )


def library() -> str:
    """Return the primitives and the support code as one module."""
    text = JAVASCRIPT_SUPPORT + "".join(p.javascript.strip() + "\n" for p in PRIMITIVES.values())
    names = ",".join(["sq", "interp", *PRIMITIVES])
    return f"// Mathematics that is not elementary; from roundtrip.figures.primitives.\n{text}export {{{names}}};\n"


def _two_pieces(low: Number, value: Number, high: Number, normal: Number) -> Number:
    return np.where(normal > 0.0, high - value, value - low) / Z95 * normal


def lognormal(value: Number, low: Number, high: Number, uniform: Number, normal: Number) -> Number:
    """Return a two-piece log-normal figure at a level."""
    return value * np.exp(_two_pieces(np.log(low), np.log(value), np.log(high), normal))


def share(value: Number, low: Number, high: Number, uniform: Number, normal: Number) -> Number:
    """Return a share, normal in the log of the odds, at a level."""
    center = np.log(value / (1.0 - value))
    odds = np.exp(center + _two_pieces(np.log(low / (1.0 - low)), center, np.log(high / (1.0 - high)), normal))
    return odds / (1.0 + odds)


def normal(value: Number, low: Number, high: Number, uniform: Number, normal: Number) -> Number:
    """Return a two-piece normal figure at a level."""
    return value + _two_pieces(low, value, high, normal)


def uniform(value: Number, low: Number, high: Number, uniform: Number, normal: Number) -> Number:
    """Return a two-piece uniform figure at a level."""
    return np.where(uniform < 0.5, low + (value - low) * 2.0 * uniform, value + (high - value) * (2.0 * uniform - 1.0))


SHAPES = {"lognormal": lognormal, "share": share, "normal": normal, "uniform": uniform}


def levels() -> str:
    """Return the module with the levels at which figures are sampled, and the value of a figure at a level."""
    places = (np.arange(SAMPLES) + 0.5) / SAMPLES
    parts = [
        "// The shapes of figures; printed from roundtrip.lab.formulas.\n",
        f"export const uniform={_json(places.tolist())};\n",
        f"export const normal={_json(np.asarray(ndtri(places)).tolist())};\n",
    ]
    for name, function in SHAPES.items():
        graph = Graph()
        symbols: list[Any] = [graph.input(s) for s in ("value", "low", "high", "uniform", "normal")]
        result: Any = function(*symbols)
        parts.append(javascript({"x": result}, f"shape_{name}"))
    shapes = ",".join(f"{name}:shape_{name}" for name in SHAPES)
    parts.append(
        f"const shapes={{{shapes}}};\n"
        "export function quantile(f,u,z){const s=shapes[f.shape];if(!s)return f.value;\n"
        "return Math.min(Math.max(s({value:f.value,low:f.low,high:f.high,uniform:u,normal:z}).x,f.least),f.most);}\n"
    )
    return "".join(parts)


def modules() -> dict[str, str]:
    """Return every generated file by name."""
    made: dict[str, str] = {LIBRARY: library(), "levels.js": levels(), "figures.js": figures(), TRIPS: trips()}
    index: list[str] = []
    for preset in presets():
        compiled = program(load_scenario(preset))
        name = module_name(compiled)
        if compiled.way.scenario.way == "concept":
            made[f"{name}.js"] = module(compiled)
            code = f'import("./{name}.js")'
        else:
            code = f'import("./{TRIPS}").then((m)=>m.{name})'
        index.append(f"{_json(preset)}:()=>both({_json(preset)},{code})")
    made["index.js"] = (
        "const both=async(name,code)=>{const [m,f]=await Promise.all([code,import('./figures.js')]);\n"
        "return {name,inputs:f.inputs(name,m.keys),outputs:m.outputs,evaluate:m.evaluate};};\n"
        f"export const formulas={{{','.join(index)}}};\n"
    )
    made["index.d.ts"] = "export declare const formulas: Record<string, () => Promise<unknown>>;\n"
    made["levels.d.ts"] = (
        'import type { FormulaInput } from "../core/types";\n'
        "export declare const uniform: readonly number[];\nexport declare const normal: readonly number[];\n"
        "export declare function quantile(figure: FormulaInput, uniform: number, normal: number): number;\n"
    )
    return made


def vectors(scenario: Scenario, count: int = 2_000, seed: int = 1) -> dict[str, Any]:
    """Return inputs drawn at random and at slider stops, with the outputs that Python gives.

    Half of the random vectors draw each input from its figure's band, half from a tenth to ten times the value, inside
    the glossary's range. Slider stops move one input over evenly spaced stops, the others at their values.
    """
    compiled = program(scenario)
    wanted, keys = outputs(compiled), inputs(compiled)
    figures = [scenario.figure(key) for key in keys]
    ranges = [limits(key, figure) for key, figure in zip(keys, figures, strict=True)]
    rng = np.random.default_rng(seed)
    rows: list[list[float]] = []
    for number in range(count):
        wide = number % 2 == 1
        rows.append([_draw(f, r, rng, wide) for f, r in zip(figures, ranges, strict=True)])
    moved = [i for i, (low, high) in enumerate(ranges) if low < high]
    for stop in range(STOPS):
        row = [f.value for f in figures]
        i = moved[stop % len(moved)]
        low, high = _around(figures[i], ranges[i])
        row[i] = low + (high - low) * ((stop // len(moved)) % 11) / 10.0
        rows.append(row)
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    from roundtrip.figures.print_code import compile_numpy

    run = compile_numpy(compiled.way.graph, list(wanted.values()), keys)
    with np.errstate(all="ignore"):
        results = [np.broadcast_to(np.asarray(x, dtype=np.float64), len(rows)) for x in run(columns)]
    return {
        "inputs": keys,
        "outputs": list(wanted),
        "rows": rows,
        "results": [[float(column[i]) for column in results] for i in range(len(rows))],
    }


def _around(figure: Figure, allowed: tuple[float, float]) -> tuple[float, float]:
    low, high = min(figure.value / 10.0, figure.value * 10.0), max(figure.value / 10.0, figure.value * 10.0)
    return max(low, allowed[0]), max(min(high, allowed[1]), low, allowed[0])


def _draw(figure: Figure, allowed: tuple[float, float], rng: np.random.Generator, wide: bool) -> float:
    low, high = _around(figure, allowed) if wide else (max(figure.low, allowed[0]), min(figure.high, allowed[1]))
    if figure.value == round(figure.value) and figure.low == figure.high and not wide:
        return figure.value
    return float(low + (high - low) * rng.random())


def _json(body: Any) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def words(scenarios: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return the words of each preset's program: which choices a formula stands for."""
    return {name: dict(program(load_scenario(name)).way.words) for name in scenarios}


def rounded(values: Sequence[float], digits: int = 6) -> list[float]:
    """Return numbers with so many significant digits."""
    return [float(f"{x:.{digits - 1}e}") for x in values]
