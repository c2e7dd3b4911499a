"""The way, traced once and compiled: one set of equations for one value, for samples and for sweeps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

import numpy as np

from roundtrip.catalog.load import sources
from roundtrip.figures.figure import Figure
from roundtrip.figures.graph import Node
from roundtrip.figures.print_code import compile_numpy, javascript, javascript_library
from roundtrip.journey.scenario import WAYS, Scenario
from roundtrip.journey.way import GRADE_ORDER, Plan, Way
from roundtrip.trace.model import HEADS

# Settings of so many scenarios are kept by each program.
KEPT = 64

COUNTS = ("electrons", "photons", "bytes_in", "bytes_out")
FIXED = frozenset({"start_s", "duration_s", "lag_s", *COUNTS, *HEADS})

_PROGRAMS: list[Program] = []


@dataclass(frozen=True, slots=True)
class Settings:
    """What one scenario puts into a program, and the provenance of each span that follows from it."""

    figures: tuple[Figure, ...]
    values: list[np.float64]
    grades: list[str]
    sources: list[tuple[str, ...]]
    cited: dict[str, dict[str, Any]]
    scenario: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Places:
    """Where the numbers of one span stand among the outputs of its program."""

    plan: Plan
    start_s: int
    duration_s: int
    lag_s: int
    heads: tuple[tuple[str, int], ...]
    counts: tuple[tuple[str, int], ...]
    attributes: tuple[tuple[str, int], ...]


@dataclass(eq=False)
class Program:
    """The compiled way of all scenarios that share their words.

    Attributes
    ----------
    way : Way
        The recorded spans, calls and words.
    outputs : dict
        ``span id/number`` or ``summary name`` to its node number.
    is_warm : bool
        It was run before: from then on single values use the scalar form.
    """

    way: Way
    outputs: dict[str, int]
    keys: tuple[str, ...]
    is_warm: bool = False
    _settings: dict[Any, Settings] = field(default_factory=dict[Any, "Settings"])

    @property
    def plans(self) -> list[Plan]:
        """Spans in the order in which they were laid."""
        return self.way.plans

    def fits(self, scenario: Scenario) -> bool:
        """Say whether the scenario has the words that this program was traced with."""
        if scenario.way != self.way.scenario.way:
            return False
        for key, word in self.way.words.items():
            if key.startswith("#"):
                if repr(scenario.figure(key[1:]).value) != word:
                    return False
            elif scenario.text(key) != word:
                return False
        return True

    def settings(self, scenario: Scenario) -> Settings:
        """Return what the scenario puts into each input, and where it comes from; kept for the next call."""
        named = (scenario.name, scenario.title, scenario.sentence, scenario.changes)
        given = (tuple(scenario.values.items()), tuple(scenario.measured.items()))
        key = (tuple(scenario.choices.items()), given, scenario.prompt, named)
        found = self._settings.get(key)
        if found is None:
            if len(self._settings) > KEPT:
                self._settings.clear()
            found = self._settings[key] = _settings(self, scenario)
        return found

    def figures(self, scenario: Scenario) -> tuple[Figure, ...]:
        """Return the figure of each input, in the order of `keys`."""
        return self.settings(scenario).figures

    @cached_property
    def places(self) -> list[Places]:
        """Where each span's numbers stand among the outputs."""
        order = {name: place for place, name in enumerate(self.outputs)}
        made: list[Places] = []
        for plan in self.plans:
            place = {name: order[f"{plan.id}/{name}"] for name in plan.numbers}
            made.append(
                Places(
                    plan=plan,
                    start_s=place["start_s"],
                    duration_s=place["duration_s"],
                    lag_s=place["lag_s"],
                    heads=tuple((head, place[head]) for head in HEADS if head in place),
                    counts=tuple((name, place[name]) for name in COUNTS if name in place),
                    attributes=tuple((name, i) for name, i in place.items() if name not in FIXED),
                )
            )
        return made

    @cached_property
    def summary_places(self) -> list[tuple[str, int | dict[str, int]]]:
        """Where each summary figure stands among the outputs; a dict where it has heads."""
        order = {name: place for place, name in enumerate(self.outputs)}
        return [
            (name, {head: order[f"{name}.{head}"] for head in HEADS} if "heads" in rule else order[name])
            for name, rule in self.way.algebra.items()
        ]

    @cached_property
    def scalar(self) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
        """All outputs from one value for each input."""
        return compile_numpy(self.way.graph, list(self.outputs.values()), self.keys, scalar=True)

    @cached_property
    def arrays(self) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
        """All outputs from values or arrays that broadcast together."""
        return compile_numpy(self.way.graph, list(self.outputs.values()), self.keys)

    def slice(self, *names: str) -> tuple[tuple[str, ...], Callable[[Sequence[Any]], tuple[Any, ...]]]:
        """Return the inputs that some outputs depend on, and a function of just those."""
        numbers = [self.outputs[name] for name in names]
        keys = tuple(self.way.graph.inputs(numbers))
        return keys, compile_numpy(self.way.graph, numbers, keys)

    def javascript(self, names: Sequence[str], function: str = "trip") -> str:
        """Return JavaScript for some outputs, support code included."""
        nodes = {name: Node(self.way.graph, self.outputs[name]) for name in names}
        return javascript_library() + javascript(nodes, function)


def program(scenario: Scenario) -> Program:
    """Return the compiled way of a scenario; traced when its words are met for the first time."""
    for candidate in _PROGRAMS:
        if candidate.fits(scenario):
            return candidate
    way = Way(scenario)
    import_module(WAYS[scenario.way]).lay(way)
    outputs: dict[str, int] = {}
    for plan in way.plans:
        for name, value in plan.numbers.items():
            outputs[f"{plan.id}/{name}"] = way.graph.lift(value)
    for name, value in _summary(way).items():
        outputs[name] = way.graph.lift(value)
    made = Program(way, outputs, tuple(way.inputs))
    _PROGRAMS.append(made)
    return made


def _settings(compiled: Program, scenario: Scenario) -> Settings:
    figures = tuple(scenario.figure(key) for key in compiled.keys)
    by_key = dict(zip(compiled.keys, figures, strict=True))
    grades: list[str] = []
    cited: list[tuple[str, ...]] = []
    for plan in compiled.plans:
        # A stage that only hands on earlier results stands on what those were made from.
        keys = plan.inputs or compiled.way.graph.inputs([compiled.outputs[f"{plan.id}/duration_s"]])
        read = [by_key[key] for key in keys]
        grades.append(max({f.grade for f in read} or {"derived"}, key=GRADE_ORDER.index))
        cited.append(tuple(dict.fromkeys(f.source for f in read)))
    known = sources()
    opened = {key: known[key] for key in sorted({key for keys in cited for key in keys}) if key in known}
    return Settings(
        figures=figures,
        values=[np.float64(f.value) for f in figures],
        grades=grades,
        sources=cited,
        cited={key: {"title": s.title, "year": s.year, "url": s.url} for key, s in opened.items()},
        scenario=scenario.as_dict(),
    )


def _summary(way: Way) -> dict[str, Any]:
    """Build the summary figures from the rules in ``way.algebra`` (see `roundtrip.trace.algebra`)."""
    plans = {plan.id: plan.numbers for plan in way.plans}
    made: dict[str, Any] = {}
    for name, rule in way.algebra.items():
        if "end_of" in rule:
            made[name] = way.marks[rule["end_of"]].end_s
        elif "sum_of" in rule:
            made[name] = sum((plans[i]["duration_s"] for i in rule["sum_of"]), 0.0)
        elif "heads" in rule:
            for head in HEADS:
                made[f"{name}.{head}"] = sum((p[head] for p in plans.values() if head in p), 0.0)
        elif "attribute_of" in rule:
            span_id, attribute = rule["attribute_of"]
            made[name] = plans[span_id][attribute]
        elif "attribute_sum" in rule:
            made[name] = sum((p[rule["attribute_sum"]] for p in plans.values() if rule["attribute_sum"] in p), 0.0)
        elif "rooms" in rule:
            inside = [plans[p.id] for p in way.plans if p.room in rule["rooms"]]
            made[name] = sum((p[head] for p in inside for head in HEADS if head in p), 0.0)
        elif "sum_figures" in rule:
            made[name] = sum((made[part] for part in rule["sum_figures"]), 0.0)
        elif "ratio" in rule:
            top, bottom = (_whole(made, part) for part in rule["ratio"])
            made[name] = np.divide(top, bottom)
    return made


def _whole(made: Mapping[str, Any], name: str) -> Any:
    if name in made:
        return made[name]
    return sum((made[f"{name}.{head}"] for head in HEADS), 0.0)
