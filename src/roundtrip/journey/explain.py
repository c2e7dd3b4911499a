"""Explain a name: what it is, by which equation, from which inputs, and where each of them comes from.

A name is a stage (``optics.fiber``), a stage function (``optics.fiber.flight_time_s``), a span, a catalog kind, entry
or figure (``keyboards/laptop``, ``key_switches/scissor.travel_m``), a key of the scenario (``network.access``), a
figure of the summary, a claim, a room or a name of the glossary. Every answer is a dictionary that prints as JSON.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from roundtrip.catalog.claims import claims
from roundtrip.catalog.load import Entry, entry, glossary, kind_title, kinds, load, sources
from roundtrip.errors import CatalogError, RoundtripError, nearest
from roundtrip.figures.figure import Figure
from roundtrip.figures.typeset import tex, text
from roundtrip.journey.measure import Measure, function_name
from roundtrip.journey.scenario import Scenario, load_scenario, presets
from roundtrip.journey.slots import SLOTS
from roundtrip.journey.stages import ROOMS, closed_forms, equation, parameters, stage_module, stage_names
from roundtrip.journey.studies import study
from roundtrip.journey.symbols import plain, symbols
from roundtrip.journey.truth import check, rows
from roundtrip.journey.way import Call
from roundtrip.trace.numbers import unit_of
from roundtrip.trace.story import LABELS


def explain(name: str, scenario: Scenario | str = "cloud", samples: int = 10_000) -> dict[str, Any]:
    """Return what there is to say about a name.

    Parameters
    ----------
    name : str
    scenario : Scenario or str
        The trip from which values are taken.
    samples : int
        Samples behind bands.

    Raises
    ------
    CatalogError
        If nothing has this name; the nearest is named.
    """
    chosen = load_scenario(scenario) if isinstance(scenario, str) else scenario
    return {"equation": None, "inputs": [], "result": None, "file": None} | _find(name, chosen, samples)


def _find(name: str, chosen: Scenario, samples: int) -> dict[str, Any]:
    tails = [full for full in stage_names() if full.rpartition(".")[2] == name]
    if len(tails) == 1 and name not in kinds() and name not in ROOMS:
        name = tails[0]
    stage, _, function = name.rpartition(".")
    if name in stage_names():
        return _Explainer(chosen, samples).stage(name)
    if stage in stage_names() and function in closed_forms(stage_module(stage)):
        return _Explainer(chosen, samples).function(stage, function)
    if name in claims():
        return _claim(name)
    if "/" in name or name in kinds():
        return _catalog(name, chosen)
    if name in ROOMS:
        return {"name": name, "kind": "room", "stages": [_brief(s) for s in stage_names() if s.startswith(name + ".")]}
    return _by_scenario(name, chosen, samples)


def _claim(name: str) -> dict[str, Any]:
    from roundtrip.journey.audit.core import audit_one, derivations

    audited = audit_one(name).as_dict()
    derived = derivations().get(name)
    result = {**audited["computed"], "unit": audited["stated"]["unit"]}
    made = {"name": name, "kind": "claim", **audited, "result": result}
    return made | ({"file": _file(derived.run)} if derived else {})


def _by_scenario(name: str, scenario: Scenario, samples: int) -> dict[str, Any]:
    slot, _, field = name.rpartition(".")
    if name in SLOTS:
        return _slot(name, scenario)
    if slot in SLOTS and SLOTS[slot].kind and field in scenario.entry(slot).figures:
        kind, key = SLOTS[slot].kind, scenario.choices[slot]
        return _figure(scenario.entry(slot), field, scenario) | {"key": name, "name": f"{kind}/{key}.{field}"}
    explainer = _Explainer(scenario, samples)
    measure = explainer.measure(None)
    if slot == "prompt.text" and measure is not None and name in measure.figures:
        given = Entry("prompt", "text", "the prompt", {field: measure.figures[name]}, {}, "")
        return _figure(given, field, scenario) | {
            "name": name,
            "key": name,
            "file": "src/roundtrip/journey/scenario.py",
        }
    if measure is not None:
        if name in measure.program.way.algebra:
            return explainer.summary(name, measure)
        if name in measure.program.way.marks:
            return explainer.span(name, measure)
    if name in glossary():
        return _term(name)
    raise CatalogError(f"nothing is called {name!r}{nearest(name, _names(scenario, measure))}")


def _names(scenario: Scenario, measure: Measure | None) -> list[str]:
    names = [*stage_names(), *SLOTS, *ROOMS, *kinds(), *claims()]
    for stage in stage_names():
        names += [f"{stage}.{f}" for f in closed_forms(stage_module(stage))]
    if measure is not None:
        names += [*measure.program.way.algebra, *measure.program.way.marks]
    for slot in SLOTS:
        if SLOTS[slot].kind:
            names += [f"{slot}.{f}" for f in scenario.entry(slot).figures]
    names += [f"{kind}/{key}" for kind in kinds() for key in load(kind)]
    return [*names, *glossary()]


def _brief(stage: str) -> dict[str, Any]:
    document = inspect.cleandoc(stage_module(stage).__doc__ or "")
    return {"name": stage, "what": " ".join(document.partition("\n\n")[0].split())}


def _file(thing: Any) -> str:
    module = inspect.getmodule(thing)
    path = "src/" + (module.__name__ if module else "").replace(".", "/") + ".py"
    return path if inspect.ismodule(thing) else f"{path}:{inspect.getsourcelines(thing)[1]}"


def _source(key: str) -> dict[str, Any] | None:
    found = sources().get(key)
    return {"key": key, "title": found.title, "year": found.year, "url": found.url} if found else None


class _Explainer:
    """Explains what lies on the way of one scenario."""

    def __init__(self, scenario: Scenario, samples: int) -> None:
        self.scenario = scenario
        self.samples = samples
        self._made: dict[str, Measure | None] = {}

    def measure(self, preset: str | None) -> Measure | None:
        """Return the measure of the scenario or of a preset; None if its way cannot be laid."""
        key = preset or ""
        if key not in self._made:
            try:
                self._made[key] = Measure(load_scenario(preset) if preset else self.scenario, self.samples)
            except (RoundtripError, ImportError):
                self._made[key] = None
        return self._made[key]

    def calls(self, stage: str, function: str | None = None) -> tuple[Measure | None, str, list[Call]]:
        """Return the calls of a stage's functions on the trip, or else on the first preset that has one."""
        for preset in (None, *presets()):
            measure = self.measure(preset)
            if measure is None:
                continue
            prefix = f"{stage}.{function}" if function else f"{stage}."
            found = [
                c
                for c in measure.program.way.calls
                if (function_name(c.function) + ("" if function else ".")).startswith(prefix)
            ]
            found = [c for c in found if not function or function_name(c.function) == prefix]
            found.sort(key=lambda c: c.stage != stage)  # the stage's own use first, then where others borrow it
            if found:
                return measure, preset or self.scenario.name, found
        return self.measure(None), "", []

    def stage(self, name: str) -> dict[str, Any]:
        """Explain a stage: its text, its functions, its spans and its truth rows."""
        module = stage_module(name)
        functions = [self.function(name, f, brief=True) for f in closed_forms(module)]
        measure = self.measure(None)
        spans = (
            [self.span(p.id, measure, brief=True) for p in measure.program.plans if p.name == name] if measure else []
        )
        since: tuple[int, str] = module.SINCE
        inputs: dict[str, Any] = {}
        for f in functions:
            for item in f["inputs"]:
                if item.get("key"):
                    inputs.setdefault(item["key"], item)
        return {
            "name": name,
            "kind": "stage",
            "text": inspect.cleandoc(module.__doc__ or ""),
            "since": {"year": since[0], "what": since[1]},
            "equation": "; ".join(f"{f['symbol']} = {f['equation']}" for f in functions),
            "functions": functions,
            "inputs": list(inputs.values()),
            "result": spans[0]["result"] if spans else None,
            "spans": spans,
            "slot": name if name in SLOTS else None,
            "truth": [_truth(score) for score in map(check, (r for r in rows() if r.stage == name))],
            "study": study(name),
            "file": _file(module),
        }

    def function(self, stage: str, name: str, brief: bool = False) -> dict[str, Any]:
        """Explain a stage function: its equation, and its inputs and result on the trip."""
        function = closed_forms(stage_module(stage))[name]
        measure, where, calls = self.calls(stage, name)
        call = calls[0] if calls else None
        names = parameters(function)
        given = {**getattr(call.function, "keywords", {}), **call.arguments} if call else {}
        counts = {k: v for k, v in given.items() if k not in names}
        node = equation(function, constants=True, **counts)
        document = inspect.cleandoc(function.__doc__ or "")
        made: dict[str, Any] = {
            "name": f"{stage}.{name}",
            "kind": "function",
            "text": document.partition("\n\n")[0] if brief else document,
            "symbol": name,
            "equation": text(node, symbols(names, glossary(), tex=False)),
            "tex": tex(node, symbols(names, glossary(), tex=True)),
            "counts": counts,
            "scenario": where,
            "inputs": self._inputs(function, call, measure),
            "result": None,
            "file": _file(function),
        }
        if call is not None and measure is not None:
            (value,), ((low, high),) = measure.values([call.result]), measure.bands([call.result])
            unit = _result_unit(stage, name, document)
            made["result"] = {"value": value, "low": low, "high": high, "unit": unit}
            made["calls"] = len(calls)
            if not brief:
                made["matters"] = _matters(measure, call.result, unit)
        if not brief:
            made["truth"] = [_truth(check(r)) for r in rows() if r.stage == stage and r.function == name]
        return made

    def _inputs(self, function: Any, call: Call | None, measure: Measure | None) -> list[dict[str, Any]]:
        inputs: list[dict[str, Any]] = []
        used = symbols(parameters(function), glossary(), tex=False)
        defaults = inspect.signature(function).parameters
        for name in parameters(function):
            term = glossary().get(name)
            item: dict[str, Any] = {
                "name": name,
                "symbol": used.get(name, name),
                "unit": term.unit if term else unit_of(name),
                "meaning": term.meaning if term else "",
            }
            default = defaults[name].default
            if call is not None and measure is not None and name in call.arguments:
                node = call.arguments[name]
                (value,), ((low, high),) = measure.values([node]), measure.bands([node])
                item |= {"value": value, "low": low, "high": high}
                key = measure.input_key(node)
                if key:
                    figure = measure.figures[key]
                    item |= {"key": key, "grade": figure.grade, "source": figure.source, "note": figure.note}
                    item |= {"spread": figure.spread} if figure.low < figure.high else {}
                    slot = key.rpartition(".")[0]
                    if slot in SLOTS and SLOTS[slot].kind:
                        item["entry"] = f"{SLOTS[slot].kind}/{measure.scenario.choices[slot]}"
                else:
                    item |= {"from": measure.origin(node), "grade": "derived", "source": None}
            elif default is not inspect.Parameter.empty:
                item |= {
                    "value": float(default),
                    "from": "a constant of the function",
                    "grade": "derived",
                    "source": None,
                }
            inputs.append(item)
        return inputs

    def span(self, span_id: str, measure: Measure, brief: bool = False) -> dict[str, Any]:
        """Explain a span: what it is worth, and the stage behind it."""
        plan = next(p for p in measure.program.plans if p.id == span_id)
        names = list(plan.numbers)
        values, bands = measure.values(list(plan.numbers.values())), measure.bands(list(plan.numbers.values()))
        numbers = {
            n: {
                "value": v,
                "low": b[0],
                "high": b[1],
                "unit": "J" if n in ("marginal", "allocated", "always_on") else unit_of(n),
            }
            for n, v, b in zip(names, values, bands, strict=True)
        }
        made: dict[str, Any] = {
            "name": span_id,
            "kind": "span",
            "title": plan.title,
            "carrier": plan.carrier,
            "after": list(plan.after),
            "parent": plan.parent,
            "result": numbers["duration_s"],
            "numbers": numbers,
            "matters": _matters(measure, plan.numbers["duration_s"], "s"),
        }
        if not brief:
            stage = self.stage(plan.name)
            made |= {k: stage[k] for k in ("equation", "functions", "inputs", "since", "truth", "file")} | {
                "stage": plan.name
            }
        return made

    def summary(self, name: str, measure: Measure) -> dict[str, Any]:
        """Explain a figure of the summary: the rule by which it follows from the spans."""
        rule = measure.program.way.algebra[name]
        outputs = [n for n in measure.program.outputs if n == name or n.startswith(name + ".")]
        from roundtrip.figures.graph import Node

        nodes = [Node(measure.graph, measure.program.outputs[n]) for n in outputs]
        whole: Any = sum(nodes[1:], nodes[0])
        (value,), ((low, high),) = measure.values([whole]), measure.bands([whole])
        parts = dict(zip(outputs, measure.values(nodes), strict=True)) if len(nodes) > 1 else {}
        return {
            "name": name,
            "kind": "summary",
            "text": LABELS.get(name, name).strip(),
            "equation": _rule(name, rule),
            "rule": rule,
            "inputs": [_input(measure, key) for key, _ in measure.matters(whole)],
            "result": {"value": value, "low": low, "high": high, "unit": unit_of(name)},
            "parts": parts,
            "matters": _matters(measure, whole, unit_of(name)),
            "scenario": self.scenario.name,
            "file": f"src/roundtrip/journey/{self.scenario.way}.py",
        }


def _input(measure: Measure, key: str) -> dict[str, Any]:
    """Describe an input of the trip by its key."""
    figure, name = measure.figures[key], key.rpartition(".")[2]
    term = glossary().get(name)
    return {
        "name": name,
        "symbol": plain(term.symbol) if term else name,
        "meaning": term.meaning if term else "",
        "unit": figure.unit,
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "key": key,
        "grade": figure.grade,
        "source": figure.source,
        "note": figure.note,
        "spread": figure.spread,
    }


def _result_unit(stage: str, name: str, document: str) -> str:
    """Return the unit of a function's result: from its truth rows, its docstring (``Time [s].``), or its name."""
    for row in rows():
        if row.stage == stage and row.function == name:
            return row.unit
    returns = document.partition("\nReturns\n")[2] or document.partition("\n\n")[0]
    named = re.findall(r"\[([^\[\]\d]{1,12}|1/[^\[\]]{1,12}|\w+/\(?[^\[\]]{1,12})\](?!_)", returns)
    return named[-1] if named else unit_of(name)


def _matters(measure: Measure, node: Any, unit: str) -> list[dict[str, Any]]:
    """Return the inputs that move a node most, each with the change from its p5 to its p95."""
    return [{"key": key, "change": change, "unit": unit} for key, change in measure.matters(node)]


def _truth(score: Any) -> dict[str, Any]:
    row = score.row
    return {
        "id": row.id,
        "quantity": row.quantity,
        "published": row.value,
        "model": score.value,
        "unit": row.unit,
        "holds": score.holds,
        "tolerance": row.tolerance or None,
        "absolute": row.absolute or None,
        "kind": row.kind,
        "source": _source(row.source),
        "where": row.where,
    }


def _rule(name: str, rule: dict[str, Any]) -> str:
    if "end_of" in rule:
        return f"{name} = end of {rule['end_of']}"
    if "sum_of" in rule:
        return f"{name} = durations of " + " + ".join(rule["sum_of"])
    if "heads" in rule:
        return f"{name} = joules of all spans, under each of the three heads"
    if "attribute_of" in rule:
        return f"{name} = {rule['attribute_of'][1]} of {rule['attribute_of'][0]}"
    if "attribute_sum" in rule:
        return f"{name} = sum of {rule['attribute_sum']} over all spans"
    if "sum_figures" in rule:
        return f"{name} = " + " + ".join(rule["sum_figures"])
    if "rooms" in rule:
        return f"{name} = joules of all spans of " + " and ".join(rule["rooms"])
    return f"{name} = {rule['ratio'][0]} / {rule['ratio'][1]}"


def _term(name: str) -> dict[str, Any]:
    term = glossary()[name]
    used = [
        f"{s}.{n}" for s in stage_names() for n, f in closed_forms(stage_module(s)).items() if name in parameters(f)
    ]
    held = [f"{kind}/{key}" for kind in kinds() for key, e in load(kind).items() if name in e.figures]
    return {
        "name": name,
        "kind": "term",
        "text": term.meaning,
        "unit": term.unit,
        "symbol": plain(term.symbol),
        "low": term.low,
        "high": term.high,
        "used_by": used,
        "given_by": held,
        "file": "src/roundtrip/catalog/data/glossary/",
    }


def _slot(name: str, scenario: Scenario) -> dict[str, Any]:
    kind = SLOTS[name].kind
    made: dict[str, Any] = {
        "name": name,
        "kind": "choice",
        "text": SLOTS[name].meaning,
        "chosen": scenario.choices[name],
    }
    if kind is None:
        return made | {"allowed": list(SLOTS[name].words)}
    return made | {"allowed": list(load(kind)), "entry": _catalog(f"{kind}/{scenario.choices[name]}", scenario)}


def _catalog(name: str, scenario: Scenario) -> dict[str, Any]:
    kind, _, rest = name.partition("/")
    if not rest:
        return {
            "name": kind,
            "kind": "kind",
            "text": kind_title(kind),
            "entries": {k: e.title for k, e in load(kind).items()},
            "file": f"src/roundtrip/catalog/data/{kind}",
        }
    entries = load(kind)
    key, _, field = (rest, "", "") if rest in entries else rest.rpartition(".")
    if key not in entries:
        key, field = (key, field) if key else (rest, "")
        entry(kind, rest.rpartition(".")[0] or rest)
    found = entries[key]
    if field:
        return _figure(found, field, scenario)
    figures = [_figure(found, f, scenario) for f in found.figures]
    return {
        "name": f"{kind}/{key}",
        "kind": "entry",
        "text": found.title,
        "texts": dict(found.texts),
        "figures": figures,
        "chosen_by": [s for s, choice in scenario.choices.items() if SLOTS[s].kind == kind and choice == key],
        "file": f"src/roundtrip/catalog/data/{found.file}",
    }


def _figure(found: Entry, name: str, scenario: Scenario) -> dict[str, Any]:
    figure: Figure = found.figure(name)
    term = glossary().get(name)
    users = [
        f"{s}.{n}" for s in stage_names() for n, f in closed_forms(stage_module(s)).items() if name in parameters(f)
    ]
    return {
        "name": f"{found.kind}/{found.key}.{name}",
        "kind": "figure",
        "text": term.meaning if term else "",
        "symbol": plain(term.symbol) if term else "",
        "result": {"value": figure.value, "low": figure.low, "high": figure.high, "unit": figure.unit},
        "grade": figure.grade,
        "source": _source(figure.source) or figure.source,
        "spread": figure.spread,
        "shape": figure.shape,
        "note": figure.note,
        "used_by": users,
        "file": f"src/roundtrip/catalog/data/{found.file}",
    }
