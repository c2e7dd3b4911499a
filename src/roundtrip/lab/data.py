"""Everything that the lab shows, computed here and written as JSON; and the closed forms, written as modules.

``python -m roundtrip.lab.data OUT [MODULES]`` writes ``OUT/data/*.json``, and the JavaScript that the browser runs.
The lab itself computes nothing else: what it shows stands in these files, or is an output of a module.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from roundtrip import __version__
from roundtrip.catalog.load import glossary, load, sources
from roundtrip.figures.typeset import tex, text
from roundtrip.journey.audit.core import audit_all
from roundtrip.journey.forecast import forecast
from roundtrip.journey.program import program
from roundtrip.journey.scenario import DEFAULT_PROMPT, Scenario, load_scenario, presets
from roundtrip.journey.slots import SLOTS
from roundtrip.journey.stages import ROOMS, closed_forms, equation, parameters, stage_module, stage_names
from roundtrip.journey.symbols import plain, symbols
from roundtrip.journey.truth import check, rows
from roundtrip.lab import carry, energy, fills, fleet_grid, formulas, live, sheet, strings, word
from roundtrip.lab.formulas import FIELDS, figure_row
from roundtrip.trace.look import LOOKS, ROOM_TITLES
from roundtrip.trace.model import Trace
from roundtrip.trace.numbers import unit_of
from roundtrip.trace.story import HEAD_LABELS, LABELS

SAMPLES = 2_500
# Digits that are kept: three are shown, of a whole number all; times are set off against each other.
BAND_DIGITS = 5
SPAN_DIGITS = 6
DIGITS = 9
# A band as it is stored: both kinds of spread for these, for others its ends alone.
SPREAD = ("duration_s", "energy_J")
BAND = ("low", "median", "high", "median_low", "median_high", "slow")
ENDS = ("low", "high")
# What a span has as the same span of another trip.
SAME = "="

GRADES = {
    "measured": "measured, and published by who measured it",
    "derived": "follows from a law or from other figures",
    "datasheet": "said by the maker, or by a standard",
    "estimate": "our estimate, with a wide band",
}
CARRIER_TITLES = {
    "moving charge": "electrons on the move",
    "photons": "light and radio",
    "stored charge": "charge at rest",
    "waiting": "waiting",
    "heat": "heat",
    "motion": "motion",
    "chemistry": "chemistry",
}
# What the concept lab's "more" can swap without the server.
SWAPS = (
    "network.access", "display.panel", "display.font", "keyboard.board", "keyboard.switch", "computer.host",
    "model.name", "model.accelerator", "model.serving", "model.draft", "prompt.reply", "datacenter.site",
    "datacenter.grid", "computer.grid", "training.run",
)  # fmt: skip


def lab() -> dict[str, Any]:
    """Return what every screen needs: presets, slots, carriers, names."""
    cloud = load_scenario("cloud")
    found: list[dict[str, Any]] = []
    for key in presets():
        own = load_scenario(key)
        found.append(
            {
                "key": key,
                "title": own.title,
                "sentence": own.sentence,
                "way": own.way,
                "choices": dict(own.choices),
                "values": dict(own.values),
                "changed": {slot: c for slot, c in own.choices.items() if c != cloud.choices[slot]},
                "capability": None if own.way == "concept" else _capability(own),
            }
        )
    return {
        "version": __version__,
        "prompt": DEFAULT_PROMPT,
        "presets": found,
        "slots": [
            {
                "key": key,
                "meaning": slot.meaning,
                "kind": slot.kind,
                "words": list(slot.words),
                "entries": [{"key": e.key, "title": e.title} for e in load(slot.kind).values()] if slot.kind else [],
            }
            for key, slot in SLOTS.items()
        ],
        "carriers": {
            name: {"dark": look.dark, "light": look.light, "title": CARRIER_TITLES[name]}
            for name, look in LOOKS.items()
        },
        "rooms": [{"key": room, "title": ROOM_TITLES[room]} for room in ROOMS],
        "stages": list(stage_names()),
        "grades": GRADES,
        "heads": HEAD_LABELS,
        "labels": {name: {"title": label.strip(), "unit": unit_of(name)} for name, label in LABELS.items()},
    }


def _capability(scenario: Scenario) -> dict[str, Any] | None:
    e = scenario.entry("model.name")
    score = e.figures.get("capability_score")
    return {"score": score.value, "benchmark": e.texts.get("benchmark", ""), "model": e.title} if score else None


def trip(trace: Trace) -> dict[str, Any]:
    """Return a trace for the browser: sources stand once for all trips, numbers have the digits that are seen."""
    body = trace.as_dict()
    del body["sources"]
    body["summary_bands"] = {
        name: dict(zip(band, formulas.rounded(list(band.values()), BAND_DIGITS), strict=True))
        for name, band in body["summary_bands"].items()
    }
    for span in body["spans"]:
        span |= {name: _seen(value) for name, value in span.items() if name not in ("start_s", "duration_s", "bands")}
        span["bands"] = {
            name: formulas.rounded([band[each] for each in (BAND if name in SPREAD else ENDS)], BAND_DIGITS)
            for name, band in span["bands"].items()
        }
    return body


def _seen(body: Any) -> Any:
    """Return a figure or figures of a span with the digits that are kept; a large number keeps its ones."""
    if isinstance(body, dict):
        return {key: _seen(value) for key, value in body.items()}
    if not isinstance(body, float) or abs(body) >= 10.0**SPAN_DIGITS:
        return body
    return formulas.rounded([body], SPAN_DIGITS)[0]


def stored(body: dict[str, Any], base: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a trip as it is stored: its spans as columns, and `SAME` where another trip's span has the same.

    Most spans of two trips are the same; `web/src/core/data.ts` puts them together again.
    """
    known = {span["id"]: _short(span) for span in base["spans"]} if base else {}
    spans: list[dict[str, Any]] = []
    for span in map(_short, body["spans"]):
        other = known.get(span["id"], {})
        same = {name for name in span if name != "id" and name in other and other[name] == span[name]}
        spans.append({name: SAME if name in same else value for name, value in span.items()})
    return {**body, **({"base": base["scenario"]["name"]} if base else {}), "spans": columns(spans)}


@cache
def _mathml() -> Callable[[str, bool], str]:
    from latex2mathml.converter import convert

    def made(expression: str, display: bool = True) -> str:
        text = convert(expression.replace(r"\operatorname", r"\mathrm"), display="block" if display else "inline")
        return text.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")

    return made


def stages() -> dict[str, Any]:
    """Return every stage: what it is, its equations typeset, what it is held to, what a reader can turn."""
    way = program(load_scenario("cloud")).way
    spans: dict[str, list[str]] = {}
    knobs: dict[str, list[str]] = {}
    for plan in way.plans:
        spans.setdefault(plan.name, []).append(plan.id)
        knobs.setdefault(plan.name, []).extend(k for k in plan.inputs if k not in knobs.get(plan.name, []))
    held: dict[str, list[dict[str, Any]]] = {}
    for row in rows():
        held.setdefault(row.stage, []).append(
            {
                "quantity": row.quantity,
                "ours": formulas.rounded([check(row).value])[0],
                "published": row.value,
                "unit": row.unit,
                "tolerance": row.tolerance,
                "absolute": row.absolute,
                "kind": row.kind,
                "source": row.source,
                "where": row.where,
            }
        )
    return {name: _stage(name, spans.get(name, []), knobs.get(name, []), held.get(name, [])) for name in stage_names()}


def columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return rows with the same fields as a column for each: like beside like packs better."""
    return {field: [row[field] for row in rows] for field in rows[0]}


def packed(found: dict[str, Any]) -> dict[str, Any]:
    """Return the stages as columns: of the stages, with how many functions and rows each has, and of these."""
    rows = [{**stage, **{many: len(stage[many]) for many in ("functions", "truth")}} for stage in found.values()]
    inner = {many: [row for stage in found.values() for row in stage[many]] for many in ("functions", "truth")}
    return {"stages": columns(rows), **{many: columns(all_rows) for many, all_rows in inner.items()}}


def _stage(name: str, spans: list[str], knobs: list[str], held: list[dict[str, Any]]) -> dict[str, Any]:
    module = stage_module(name)
    terms = glossary()
    year, what = module.SINCE
    head, _, rest = (inspect.getdoc(module) or "").partition("\n")
    functions: list[dict[str, Any]] = []
    for function_name, function in closed_forms(module).items():
        names = parameters(function)
        shown = {p: terms[p].symbol for p in names}
        node = equation(function)
        functions.append(
            {
                "name": function_name,
                "summary": (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " "),
                "mathml": _mathml()(tex(node, shown), True),
                "text": text(node, symbols(names, terms, tex=False)),
                "parameters": parameters(function, constants=False),
            }
        )
    return {
        "name": name,
        "room": name.partition(".")[0],
        "title": head.rstrip("."),
        "doc": markdown(rest.strip()),
        "since": {"year": year, "what": what},
        "functions": functions,
        "truth": held,
        "file": f"src/{module.__name__.replace('.', '/')}.py",
        "spans": spans,
        "knobs": knobs,
    }


def markdown(docstring: str) -> str:
    """Return a docstring as Markdown: headings bold, references as a list, tables and displays as code."""
    lines: list[str] = []
    source = docstring.splitlines()
    table = False
    for number, line in enumerate(source):
        following = source[number + 1] if number + 1 < len(source) else ""
        if re.fullmatch(r"=+( +=+)+", line.strip()):
            if not table:
                lines.append("```")
            lines.append(line)
            if table and not following.strip():
                lines.append("```")
            table = not (table and not following.strip())
        elif table:
            lines.append(line)
        elif re.fullmatch(r"-{3,}", following) and line.strip():
            lines.append(f"**{line.strip()}**")
        elif re.fullmatch(r"-{3,}", line):
            lines.append("")
        elif reference := re.match(r"\.\. \[(\d+)\] (.*)", line):
            lines.append(f"{reference[1]}. {reference[2]}")
        else:
            lines.append(line[:-1] if line.endswith("::") else line)
    return re.sub(r"\[(\d+)\]_", r"[\1]", "\n".join(lines)).replace("``", "`")


def audit() -> list[dict[str, Any]]:
    """Return every audited claim."""
    return [result.as_dict() for result in audit_all()]


def source_list(cited: set[str]) -> dict[str, Any]:
    """Return title, authors, year and address of the sources that something in the lab names."""
    known = sorted(sources().values(), key=lambda s: s.key)
    return {s.key: [s.title, s.authors, s.year, s.url] for s in known if s.key in cited}


def texts(body: Any) -> set[str]:
    """Return every text of a data set."""
    if isinstance(body, str):
        return {body}
    inside = body.values() if isinstance(body, dict) else body if isinstance(body, (list, tuple)) else ()
    return set[str]().union(*map(texts, inside))


def inputs_cited() -> set[str]:
    """Return the sources of the figures that the closed forms start from."""
    chosen = [load_scenario(name) for name in presets()]
    return {scenario.figure(key).source for scenario in chosen for key in formulas.inputs(program(scenario))}


def terms(found: dict[str, Any], made: dict[str, Any]) -> dict[str, Any]:
    """Return symbol, unit, meaning and most of what the lab names: parameters, knobs, attributes, Earth's radius."""
    named = {"earth_radius_m"}
    for stage in found.values():
        named |= {name for function in stage["functions"] for name in function["parameters"]}
        named |= {knob.rpartition(".")[2] for knob in stage["knobs"]}
    for name, body in made.items():
        if name.startswith("trips/"):
            named |= {key for own in body["spans"]["attributes"] if own != SAME for key in own}
    return {
        t.name: [plain(t.symbol), t.unit, t.meaning, t.high]
        for t in sorted(glossary().values(), key=lambda t: t.name)
        if t.name in named
    }


def swaps() -> dict[str, Any]:
    """Return what can stand in each slot of the concept lab, the words of each formula, and lengths of cables."""
    used = {key for name in presets() for key in formulas.inputs(program(load_scenario(name)))}
    slots: dict[str, Any] = {}
    for slot in SWAPS:
        kind = SLOTS[slot].kind
        if kind is None:
            continue
        slots[slot] = {}
        for key, e in load(kind).items():
            figures = {n: figure_row(f"{slot}.{n}", f) for n, f in e.figures.items() if f"{slot}.{n}" in used}
            slots[slot][key] = {"title": e.title, "texts": dict(e.texts), "figures": figures}
    return {"fields": FIELDS, "slots": slots, "words": formulas.words(presets()), "cables": _cables()}


def _cables() -> dict[str, float]:
    """Return how long the cable of each preset is [m], one way; presets without a cable are left out."""
    made: dict[str, float] = {}
    for key in presets():
        for span in forecast(scenario=key, samples=0).spans:
            if span.id == "network.route" and "cable_m" in span.attributes:
                made[key] = float(span.attributes["cable_m"])
    return made


def build() -> dict[str, Any]:
    """Return every data set by file name."""
    made: dict[str, Any] = {"lab.json": lab()}
    cloud = trip(forecast(scenario="cloud", samples=SAMPLES))
    for key in presets():
        body = cloud if key == "cloud" else trip(forecast(scenario=key, samples=SAMPLES))
        made[f"trips/{key}.json"] = stored(body, None if key in ("cloud", "concept") else cloud)
    found = stages()
    made["stages.json"] = packed(found)
    made["audit.json"] = audit()
    made["glossary.json"] = terms(found, made)
    made["swaps.json"] = swaps()
    made["word.json"] = word.word()
    made["fills.json"] = {name: fill.as_dict() for name, fill in fills.fills().items()}
    for language in strings.languages()[1:]:
        said = {level: fills.texts(level, language=language) for level in strings.levels(language)}
        made[f"fills.{language}.json"] = {
            name: {level: words[name] for level, words in said.items()} for name in fills.fills()
        }
    made["energy.json"] = energy.energy()
    made |= live.replay()
    made["fleet.json"] = fleet_grid.grid()
    made["carry.json"] = carry.recorded()
    made["sources.json"] = source_list(texts(made) | inputs_cited())
    made["lab.json"]["hash"] = hashlib.sha256(json.dumps(_short(made), sort_keys=True).encode()).hexdigest()[:12]
    return made


def _short(body: Any) -> Any:
    """Return a body whose numbers have no digits that nobody sees: floats differ in the last ones between machines."""
    if isinstance(body, float):
        return float(f"{body:.{DIGITS - 1}e}")
    if isinstance(body, dict):
        return {key: _short(value) for key, value in body.items()}
    if isinstance(body, (list, tuple)):
        return [_short(value) for value in body]
    return body


def dump(body: Any) -> str:
    """Return the JSON text of a data set."""
    return json.dumps(_short(body), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def write(out: Path, modules: Path | None = None) -> None:
    """Write the data sets under ``out/data``, and the modules."""
    made, sheets = build(), sheet.printed()
    made["lab.json"]["sheets"] = sorted(sheets)
    for name, body in {**made, **sheets}.items():
        path = out / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body if isinstance(body, bytes) else dump(body).encode())
    if modules is not None:
        modules.mkdir(parents=True, exist_ok=True)
        for stale in modules.glob("*.js"):
            stale.unlink()
        for name, code in formulas.modules().items():
            (modules / name).write_text(code, encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Run ``python -m roundtrip.lab.data OUT [MODULES]``."""
    if not 1 <= len(arguments) <= 2:
        sys.stderr.write("python -m roundtrip.lab.data OUT [MODULES]\n")
        return 2
    write(Path(arguments[0]), Path(arguments[1]) if len(arguments) == 2 else None)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
