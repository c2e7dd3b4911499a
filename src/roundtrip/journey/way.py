"""The builder with which the rooms lay the stages on the time line.

A room's function receives a `Way`, opens one stage after the other, reads the catalog through it and hands
the stage's pure functions what they need. Run once with symbols it leaves a graph; compiled, that graph is the forecast
of one value, of 10,000 samples, of a million scenarios, and of the browser.

What is chosen by ``if`` here (a touch screen or a keyboard) is a word of the scenario, never a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import numpy as np

from roundtrip.errors import ReadingError
from roundtrip.figures.graph import Graph, Node, Number
from roundtrip.journey.scenario import Scenario
from roundtrip.trace.model import BODY, CARRIERS

GRADE_ORDER = ("derived", "measured", "datasheet", "estimate")


@dataclass(slots=True)
class Call:
    """One use of a stage function: which, on what, with what result."""

    function: Callable[..., Any]
    arguments: dict[str, Any]
    result: Any
    stage: str


@dataclass(slots=True)
class Plan:
    """One span before it has values: its words, and the nodes of its numbers."""

    id: str
    name: str
    title: str
    carrier: str
    parent: str | None
    after: tuple[str, ...]
    since: tuple[int, str] | None
    numbers: dict[str, Any]
    inputs: tuple[str, ...]

    @property
    def room(self) -> str:
        """First part of the name."""
        return self.name.partition(".")[0]


@dataclass(slots=True)
class Mark:
    """A span that was laid: what comes later may start at its end."""

    id: str
    start_s: Any
    end_s: Any
    duration_s: Any


@dataclass
class Way:
    """Collects spans, and the record of what they were computed from."""

    scenario: Scenario
    graph: Graph = field(default_factory=Graph)
    plans: list[Plan] = field(default_factory=list[Plan])
    calls: list[Call] = field(default_factory=list[Call])
    marks: dict[str, Mark] = field(default_factory=dict[str, Mark])
    words: dict[str, str] = field(default_factory=dict[str, str])
    algebra: dict[str, dict[str, Any]] = field(default_factory=dict[str, "dict[str, Any]"])
    inputs: dict[str, Node] = field(default_factory=dict[str, Node])
    facts: dict[str, Any] = field(default_factory=dict[str, Any])

    def read(self, key: str) -> Any:
        """Return the symbol of an input ``slot.field``."""
        if key not in self.inputs:
            self.scenario.figure(key)
            self.inputs[key] = self.graph.input(key)
        return self.inputs[key]

    def word(self, key: str) -> str:
        """Return a word of the scenario (a choice, or a text of an entry): it may shape the way."""
        self.words[key] = self.scenario.text(key)
        return self.words[key]

    def count(self, key: str) -> int:
        """Return a whole number of the catalog that shapes the equations, such as a number of layers to unroll."""
        value = self.scenario.figure(key).value
        self.words[f"#{key}"] = repr(value)
        return int(value)

    def stage(self, module: ModuleType) -> Stage:
        """Open a stage, given its module in `roundtrip.stages`."""
        name = module.__name__.removeprefix("roundtrip.stages.")
        return Stage(self, name, getattr(module, "SINCE", None))

    def fact(self, name: str, value: Any) -> Any:
        """Leave a result for later stages under a name, and return it: ``bytes on the wire``."""
        self.facts[name] = value
        return value


@dataclass
class Stage:
    """One stage while it is being laid."""

    way: Way
    name: str
    since: tuple[int, str] | None
    inputs: list[str] = field(default_factory=list[str])

    def __getitem__(self, key: str) -> Any:
        """Read an input ``slot.field``; the stage's grade and sources follow from what it reads."""
        self.inputs.append(key)
        return self.way.read(key)

    def use(self, function: Callable[..., Any], **arguments: Any) -> Any:
        """Call a stage function by keyword, and remember it for ``explain``."""
        result = function(**arguments)
        self.way.calls.append(Call(function, arguments, result, self.name))
        return result

    def lay(
        self,
        title: str,
        duration_s: Number,
        carrier: str,
        *,
        after: Mark | Iterable[Mark] | None = None,
        lag_s: Number = 0.0,
        id: str = "",
        parent: Mark | None = None,
        marginal_J: Number | None = None,
        allocated_J: Number | None = None,
        always_on_J: Number | None = None,
        electrons: Number | None = None,
        photons: Number | None = None,
        bytes_in: Number | None = None,
        bytes_out: Number | None = None,
        **attributes: Number,
    ) -> Mark:
        """Lay a span on the time line and return its mark.

        Parameters
        ----------
        title : str
            What happens, in a few words.
        duration_s : float
        carrier : str
            One of `roundtrip.trace.model.CARRIERS`.
        after : Mark or several
            What must have ended; the span starts at the latest of these ends, plus `lag_s`.
        id : str
            Unique id; the stage's name where it is laid once. Way back: ``back.`` before it.
        parent : Mark, optional
            The span that this one is a part of.
        marginal_J, allocated_J, always_on_J : float
            Joules under the three heads (docs/explanation/energy.md); None where none is counted. Work of the body
            (carriers motion and chemistry) comes from no grid: it becomes the attribute ``body_J`` instead.
        attributes : float
            Further results, with the unit in the name.
        """
        if carrier not in CARRIERS:
            raise ReadingError(f"{self.name}: carrier {carrier!r}, allowed: {', '.join(CARRIERS)}")
        heads = {"marginal": marginal_J, "allocated": allocated_J, "always_on": always_on_J}
        if carrier in BODY:
            work = [joules for joules in heads.values() if joules is not None]
            attributes |= {"body_J": sum(work[1:], work[0])} if work else {}
            heads = {}
        span_id = id or self.name
        if span_id in self.way.marks:
            raise ReadingError(f"{span_id} was laid twice; give the second an id of its own")
        before = [after] if isinstance(after, Mark) else list(after or ())
        start: Any = before[0].end_s if before else 0.0
        for mark in before[1:]:
            start = np.maximum(start, mark.end_s)
        if not (isinstance(lag_s, float) and lag_s == 0.0):
            start = start + lag_s
        numbers: dict[str, Any] = {
            "start_s": start,
            "duration_s": duration_s,
            "lag_s": lag_s,
            **heads,
            "electrons": electrons,
            "photons": photons,
            "bytes_in": bytes_in,
            "bytes_out": bytes_out,
            **attributes,
        }
        mark = Mark(span_id, start, start + duration_s, duration_s)
        self.way.marks[span_id] = mark
        self.way.plans.append(
            Plan(
                span_id,
                self.name,
                title,
                carrier,
                parent.id if parent else None,
                tuple(m.id for m in before),
                self.since,
                {k: v for k, v in numbers.items() if v is not None},
                tuple(dict.fromkeys(self.inputs)),
            )
        )
        return mark
