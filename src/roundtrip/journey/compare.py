"""Compare two scenarios: their summaries side by side, the spans that moved most, and a sentence that says why."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from roundtrip.journey.forecast import forecast
from roundtrip.journey.scenario import Scenario, load_scenario
from roundtrip.journey.slots import SLOTS
from roundtrip.trace.model import Span, Trace
from roundtrip.trace.numbers import digits, si, unit_of
from roundtrip.trace.path import critical_path
from roundtrip.trace.story import LABELS

# Slots of other rooms than those that the difference shows in are named first.
MOST = 8


@dataclass(frozen=True, slots=True)
class Change:
    """One span in both trips; 0 where a trip does not have it. `caused_J` leaves out what is on anyway."""

    id: str
    title: str
    time_s: tuple[float, float]
    energy_J: tuple[float, float]
    caused_J: tuple[float, float]

    @property
    def more_s(self) -> float:
        """Seconds that the second trip takes more."""
        return self.time_s[1] - self.time_s[0]

    @property
    def words(self) -> str:
        """What happens, and whether on the way back."""
        return self.title + (" on the way back" if self.id.startswith("back.") else "")

    @property
    def more_J(self) -> float:
        """Joules that the second trip takes more."""
        return self.energy_J[1] - self.energy_J[0]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two trips of one prompt.

    Attributes
    ----------
    a, b : Trace
    choices : dict
        Slots (and values) that differ, with what each scenario chose.
    changes : tuple of Change
        Every span that moved, the largest change in time first.
    capability : dict or None
        Published score of the two models, and the benchmark.
    sentence : str
        What changed and why.
    """

    a: Trace
    b: Trace
    choices: dict[str, tuple[str, str]]
    changes: tuple[Change, ...]
    capability: dict[str, Any] | None
    sentence: str

    def by_energy(self) -> list[Change]:
        """Return the changes, the largest in joules first."""
        return sorted((c for c in self.changes if c.more_J), key=lambda c: -abs(c.more_J))

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        names = list(dict.fromkeys([*self.a.summary, *self.b.summary]))
        return {
            "a": self.a.scenario,
            "b": self.b.scenario,
            "sentence": self.sentence,
            "capability": self.capability,
            "choices": {slot: {"a": a, "b": b} for slot, (a, b) in self.choices.items()},
            "summary": {n: {"a": self.a.summary.get(n), "b": self.b.summary.get(n), "unit": unit_of(n)} for n in names},
            "summary_bands": {n: {"a": self.a.summary_bands.get(n), "b": self.b.summary_bands.get(n)} for n in names},
            "changes": [
                {"id": c.id, "title": c.title, "time_s": {"a": c.time_s[0], "b": c.time_s[1]},
                 "energy_J": {"a": c.energy_J[0], "b": c.energy_J[1]}}
                for c in self.changes
            ],
        }  # fmt: skip


def compare(
    a: Scenario | str, b: Scenario | str, prompt: str | None = None, samples: int = 10_000, seed: int = 1
) -> Comparison:
    """Forecast a prompt in two scenarios and lay the trips side by side.

    Parameters
    ----------
    a, b : Scenario or str
        Scenarios, names of presets or paths of files.
    prompt : str, optional
        What is typed; by default each scenario's own.
    samples, seed : int
        Of the bands.

    Raises
    ------
    ScenarioError, PromptError, DomainError
    """
    first, second = (load_scenario(s) if isinstance(s, str) else s for s in (a, b))
    one, two = forecast(prompt, first, samples, seed), forecast(prompt, second, samples, seed)
    choices = {s: (first.choices[s], second.choices[s]) for s in SLOTS if first.choices[s] != second.choices[s]}
    for key in dict.fromkeys([*first.values, *second.values]):
        if first.values.get(key) != second.values.get(key):
            choices[key] = (first.values.get(key, "as in the catalog"), second.values.get(key, "as in the catalog"))
    changes = _changes(one, two)
    capability = _capability(first, second)
    return Comparison(one, two, choices, changes, capability, _sentence(one, two, choices, changes, capability))


def _changes(a: Trace, b: Trace) -> tuple[Change, ...]:
    left, right = ({s.id: s for s in t.spans if s.parent is None} for t in (a, b))
    found: list[Change] = []
    for span_id in dict.fromkeys([*left, *right]):
        one, two = left.get(span_id), right.get(span_id)
        change = Change(
            span_id,
            _title(one, two),
            (_time(one), _time(two)),
            (_joules(one), _joules(two)),
            (_caused(one), _caused(two)),
        )
        if change.more_s or change.more_J:
            found.append(change)
    # What is on anyway lasts as long as the trip: it follows from the other changes and stands behind them.
    return tuple(sorted(found, key=lambda c: (c.id.startswith("on."), -abs(c.more_s), -abs(c.more_J))))


def _title(one: Span | None, two: Span | None) -> str:
    span = two or one
    return span.title if span else ""


def _time(span: Span | None) -> float:
    return span.duration_s if span else 0.0


def _joules(span: Span | None) -> float:
    return (span.total_J or 0.0) if span else 0.0


def _caused(span: Span | None) -> float:
    return sum(joules for head, joules in span.energy_J.items() if head != "always_on") if span else 0.0


def _capability(a: Scenario, b: Scenario) -> dict[str, Any] | None:
    """Return the published scores, so that less time and fewer joules are not read as better for free."""
    entries = [s.entry("model.name") for s in (a, b)]
    if "concept" in (a.way, b.way) or any("capability_score" not in e.figures for e in entries):
        return None
    scores = [e.figures["capability_score"] for e in entries]
    benchmark = [next((t for n, t in e.texts.items() if "benchmark" in n), "") for e in entries]
    return {
        "benchmark": benchmark[0] if benchmark[0] == benchmark[1] else " / ".join(benchmark),
        "a": {"model": entries[0].title, "score": scores[0].value, "unit": scores[0].unit, "source": scores[0].source},
        "b": {"model": entries[1].title, "score": scores[1].value, "unit": scores[1].unit, "source": scores[1].source},
    }


def _sentence(
    a: Trace,
    b: Trace,
    choices: dict[str, tuple[str, str]],
    changes: tuple[Change, ...],
    capability: dict[str, Any] | None,
) -> str:
    """Say what changed and why, from the differences alone."""
    name = str(b.scenario.get("name", "the second"))
    said = [
        s for s in (_time_sentence(name, a, b, changes), _answer_sentence(a, b), _energy_sentence(a, b, changes)) if s
    ]
    if choices:
        listed = [f"{SLOTS[s].meaning if s in SLOTS else s} ({x} → {y})" for s, (x, y) in list(choices.items())[:MOST]]
        more = f" and {len(choices) - MOST} more choices" if len(choices) > MOST else ""
        said.append(f"What was chosen otherwise: {', '.join(listed)}{more}.")
    elif a.scenario["way"] != b.scenario["way"]:
        said.append("One of them is the lab of four sliders: it has only a network, a queue, a prefill and a decode.")
    else:
        said.append("The two scenarios choose the same things.")
    if capability and capability["a"]["model"] != capability["b"]["model"]:
        x, y = capability["a"], capability["b"]
        said.append(
            f"The models are not equals: {x['model']} scores {digits(x['score'])}, {y['model']} {digits(y['score'])}"
            + (f" on {capability['benchmark']}." if capability["benchmark"] else ".")
        )
    return " ".join(said)


def _time_sentence(name: str, a: Trace, b: Trace, changes: tuple[Change, ...]) -> str:
    one, two = (t.summary.get("time_to_first_token_s") for t in (a, b))
    if one is None or two is None:
        return ""
    if abs(two - one) < 0.005 * one:
        return f"In {name} the first token comes as soon as before ({si(two, 's')})."
    path = {span.id for trace in (a, b) for span in critical_path(trace)}
    moved = _both_ways([c for c in changes if c.id in path])
    moved = [c for c in moved if c.more_s / (two - one) >= 0.02][:3]
    because = (
        "; the largest parts of it: " + ", ".join(f"{c.words} ({_signed(c.more_s, 's')})" for c in moved)
        if moved
        else ""
    )
    word = "later" if two > one else "sooner"
    times = f"{si(two, 's')} instead of {si(one, 's')}"
    return f"In {name} the first token comes {si(abs(two - one), 's')} {word} ({times}){because}."


def _both_ways(changes: list[Change]) -> list[Change]:
    """Return the changes with the way out and the way back of a stage as one, the largest first."""
    found: dict[str, Change] = {}
    for change in changes:
        name = change.id.removeprefix("back.")
        other = found.get(name)
        found[name] = change if other is None else _together(name, change, other)
    return sorted(found.values(), key=lambda c: -abs(c.more_s))


def _together(name: str, one: Change, two: Change) -> Change:
    time_s, energy_J, caused_J = (
        (x[0] + y[0], x[1] + y[1])
        for x, y in ((one.time_s, two.time_s), (one.energy_J, two.energy_J), (one.caused_J, two.caused_J))
    )
    outward = two if one.id.startswith("back.") else one
    return replace(outward, id=name, time_s=time_s, energy_J=energy_J, caused_J=caused_J)


def _answer_sentence(a: Trace, b: Trace) -> str:
    one, two = (t.summary.get("time_to_last_token_s") for t in (a, b))
    if not one or not two or abs(two / one - 1.0) < 0.005:
        return ""
    return f"The whole answer takes {si(two, 's')} instead of {si(one, 's')} ({_factor(two / one)})."


def _energy_sentence(a: Trace, b: Trace, changes: tuple[Change, ...]) -> str:
    heads = [t.summary.get("energy_J") for t in (a, b)]
    if not all(isinstance(h, dict) for h in heads):
        return ""
    one, two = (h["marginal"] + h["allocated"] for h in heads if isinstance(h, dict))
    if not one or abs(two / one - 1.0) < 0.005:
        return ""
    ranked = sorted(changes, key=lambda c: abs(c.caused_J[1] - c.caused_J[0]), reverse=True)
    moved = next((c for c in ranked if (c.caused_J[1] - c.caused_J[0]) * (two - one) > 0.0), None)
    most = (
        f"; the largest part of it: {moved.words} ({_signed(moved.caused_J[1] - moved.caused_J[0], 'J')})"
        if moved
        else ""
    )
    return f"Without what is on anyway it takes {si(two, 'J')} instead of {si(one, 'J')} ({_factor(two / one)}){most}."


def _factor(ratio: float) -> str:
    if ratio >= 2.0:
        return f"{digits(ratio, 2)} times as much"
    if ratio <= 0.5:
        return f"{digits(1.0 / ratio, 2)} times less" if ratio > 0.0 else "nothing"
    return f"{100.0 * abs(ratio - 1.0):.0f} % {'more' if ratio > 1.0 else 'less'}"


def _signed(value: float, unit: str) -> str:
    return ("+" if value > 0 else "−") + si(abs(value), unit)


def summary_rows(comparison: Comparison) -> list[tuple[str, str, str, str]]:
    """Return label, the two values and their ratio for each figure of the summary."""
    rows: list[tuple[str, str, str, str]] = []
    a, b = comparison.a.summary, comparison.b.summary
    names = [n for n in LABELS if n in a or n in b] + [n for n in a if n not in LABELS]
    for name in names:
        unit = unit_of(name)
        one, two = _flat(a.get(name)), _flat(b.get(name))
        for key in dict.fromkeys([*one, *two]):
            x, y = one.get(key), two.get(key)
            ratio = f"×{digits(y / x)}" if x and y and x != y else ""
            rows.append(
                (LABELS.get(name, name) if not key else f"  {key.replace('_', ' ')}", si(x, unit), si(y, unit), ratio)
            )
    return rows


def _flat(value: Any) -> dict[str, float]:
    if value is None:
        return {}
    if isinstance(value, dict):
        heads: dict[str, float] = value
        return {"": sum(heads.values()), **heads}
    return {"": float(value)}
