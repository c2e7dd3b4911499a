"""A scenario: one choice for each slot, and values of the reader's own laid over the catalog's.

A preset is a TOML file; a file of the user's own is as good::

    title = "A laptop in New York"
    sentence = "Wi-Fi and fiber to the home, a region in Iowa, DeepSeek-V3 at its published load."
    extends = "cloud"                       # optional

    [choices]
    keyboard.switch = "scissor"

    [values]
    network.route.distance_m = "4500 km"    # a number, or text with a unit
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from roundtrip.catalog.load import Entry, check_term, entry, glossary, load
from roundtrip.catalog.load import keys as entry_keys
from roundtrip.errors import CatalogError, DomainError, PromptError, ScenarioError, UnitError, nearest
from roundtrip.figures.figure import Figure
from roundtrip.figures.units import parse_quantity
from roundtrip.journey import corridors
from roundtrip.journey.slots import SLOTS

PROMPT_LIMIT_B = 1_000_000
FILE_LIMIT_B = 1_000_000
DEFAULT_PROMPT = "The capital of France is"

AUTO = corridors.AUTO
# Whose grid ``auto`` means.
GRIDS_AT = {"computer.grid": "network.place", "datacenter.grid": "network.region"}
WAYS = {"full": "roundtrip.journey.full", "concept": "roundtrip.journey.concept"}
_TEXTS = ("title", "sentence", "extends", "way")
_TABLES = ("choices", "values")
MOST_WORDS = 12  # that a message lists


@dataclass(frozen=True)
class Scenario:
    """Who sits where with what, and which model answers from where."""

    name: str
    title: str
    sentence: str
    way: str
    choices: Mapping[str, str]
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    prompt: str = DEFAULT_PROMPT
    changes: tuple[str, ...] = ()
    measured: Mapping[str, Figure] = field(default_factory=dict[str, Figure])

    def entry(self, slot: str) -> Entry:
        """Return the catalog entry that a slot holds."""
        kind = SLOTS[slot].kind
        if kind is None:
            raise ScenarioError(f"{slot} holds a word, not an entry")
        return entry(kind, self.resolved(slot))

    def resolved(self, slot: str) -> str:
        """Return the key that a slot holds, or the one that ``auto`` stands for: a route, or the grid at a place."""
        chosen = self.choices[slot]
        if slot == "network.route":
            return self.route()
        if chosen == AUTO and slot in GRIDS_AT:
            at = "network.place" if self.choices["model.where"] == "device" else GRIDS_AT[slot]
            return self.entry(at).texts["grid"]
        return chosen

    def route(self) -> str:
        """Return the key of the route: the chosen one, or the one that joins the two places where ``auto`` stands."""
        chosen = self.choices["network.route"]
        return corridors.choose(*self.ends()) if chosen == AUTO else chosen

    def ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Return latitude and longitude of the person and of the region [deg]."""
        place, region = (
            (self.figure(f"{slot}.latitude_deg").value, self.figure(f"{slot}.longitude_deg").value)
            for slot in ("network.place", "network.region")
        )
        return place, region

    def figure(self, key: str) -> Figure:
        """Return the figure ``slot.field``: the reader's own value, what was measured here, or the catalog's."""
        if key.startswith("prompt.text."):
            return _prompt_figure(self.prompt, key)
        slot, _, name = key.rpartition(".")
        base = self.entry(slot).figures.get(name) if slot in SLOTS and SLOTS[slot].kind else None
        if key in self.values:
            unit = base.unit if base else glossary()[name].unit
            value = parse_quantity(self.values[key], unit, key)
            return Figure(value, value, value, unit, "measured", "user", shape="fixed", note="set by you")
        if key in self.measured:
            return self.measured[key]
        if base is None:
            raise CatalogError(f"{slot} = {self.choices.get(slot)!r} has no figure {name!r}{_who_has(slot, name)}")
        return base

    def text(self, key: str) -> str:
        """Return the text ``slot.field``, or the word or entry key that a slot holds."""
        if key in SLOTS:
            return self.choices[key]
        slot, _, name = key.rpartition(".")
        chosen = self.entry(slot)
        if key in self.values:
            return self.values[key]
        if name not in chosen.texts:
            raise CatalogError(f"{chosen.kind}/{chosen.key} has no text {name!r}{nearest(name, chosen.texts)}")
        return chosen.texts[name]

    def with_prompt(self, prompt: str) -> Scenario:
        """Return the scenario with another prompt, checked."""
        if not prompt:
            raise PromptError("the prompt is empty, expected at least one character")
        try:
            size = len(prompt.encode("utf-8"))
        except UnicodeEncodeError as error:
            raise PromptError(
                f"the prompt is not valid UTF-8 (at character {error.start}), from the command line"
            ) from None
        if size > PROMPT_LIMIT_B:
            raise PromptError(f"the prompt has {size:,} bytes, allowed: {PROMPT_LIMIT_B:,}")
        return replace(self, prompt=prompt)

    def with_settings(self, settings: Iterable[str], origin: str = "--set") -> Scenario:
        """Return the scenario with ``key=value`` settings, each a choice or a value, checked."""
        choices, values, changes = dict(self.choices), dict(self.values), list(self.changes)
        for setting in settings:
            key, equals, value = setting.partition("=")
            if not equals:
                raise ScenarioError(f"{origin} {setting}: expected KEY=VALUE, for example network.access=starlink")
            (choices if key.strip() in SLOTS else values)[key.strip()] = value.strip()
            changes.append(f"{key.strip()}={value.strip()}")
        return _checked(replace(self, choices=choices, values=values, changes=tuple(changes)), origin)

    def with_measured(self, figures: Mapping[str, Figure]) -> Scenario:
        """Return the scenario with figures ``slot.field`` that were measured on this machine over the catalog's."""
        for key, figure in figures.items():
            check_term(key.rpartition(".")[2], figure.unit, (figure.low, figure.value, figure.high))
        return replace(self, measured={**self.measured, **figures})

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        measured = {key: figure.value for key, figure in self.measured.items()}
        return {
            "name": self.name,
            "title": self.title,
            "sentence": self.sentence,
            "way": self.way,
            "choices": dict(self.choices),
            "values": dict(self.values),
            "changes": list(self.changes),
            **({"measured": measured} if measured else {}),
        }


def _prompt_figure(prompt: str, key: str) -> Figure:
    count = {"prompt.text.characters": float(len(prompt)), "prompt.text.bytes_B": float(len(prompt.encode("utf-8")))}
    unit = {"prompt.text.characters": "1", "prompt.text.bytes_B": "B"}
    return Figure(count[key], count[key], count[key], unit[key], "measured", "user", shape="fixed", note="the prompt")


def _who_has(slot: str, name: str) -> str:
    """Return which entries could stand in a slot, where the chosen one lacks a figure that the way needs."""
    kind = SLOTS[slot].kind if slot in SLOTS else None
    able = [key for key, other in load(kind).items() if name in other.figures] if kind else []
    more = ", …" if len(able) > MOST_WORDS else ""
    return f", which this way needs; these have it: {', '.join(able[:MOST_WORDS])}{more}" if able else ""


def presets() -> dict[str, str]:
    """Return the names of the presets with their titles."""
    folder = files("roundtrip.journey") / "presets"
    return {name: _read((folder / f"{name}.toml").read_text(encoding="utf-8"), name)["title"] for name in _names()}


def _names() -> list[str]:
    folder = files("roundtrip.journey") / "presets"
    names = sorted(p.name[:-5] for p in folder.iterdir() if p.name.endswith(".toml"))
    return sorted(names, key=lambda name: name != "cloud")


def load_scenario(name_or_path: str = "cloud") -> Scenario:
    """Return a preset, or a scenario file of the user's own.

    Raises
    ------
    ScenarioError
        If there is no such preset or file, or a key of it is unknown.
    """
    folder = files("roundtrip.journey") / "presets"
    preset = folder / f"{name_or_path}.toml"
    if "/" not in name_or_path and "\\" not in name_or_path and preset.is_file():
        return _preset(name_or_path)
    path = Path(name_or_path)
    if name_or_path and path.exists() and not path.is_file():
        raise ScenarioError(f"{name_or_path}: is {'a folder' if path.is_dir() else 'no file'}, expected a TOML file")
    if not path.is_file():
        raise ScenarioError(
            f"no scenario {name_or_path!r}{nearest(name_or_path, presets())}; presets: {', '.join(presets())}; "
            "or give a TOML file"
        )
    try:
        with path.open("rb") as file:
            data = file.read(FILE_LIMIT_B + 1)
        if len(data) > FILE_LIMIT_B:
            raise ScenarioError(f"{name_or_path}: has more than {FILE_LIMIT_B:,} bytes, which is what is allowed")
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ScenarioError(f"{name_or_path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise ScenarioError(f"{name_or_path}: not UTF-8 ({error.reason} at byte {error.start})") from None
    return _scenario(_read(text, name_or_path), one_line(path.stem), name_or_path, "cloud")


def _preset(name: str, depth: int = 0) -> Scenario:
    text = (files("roundtrip.journey") / "presets" / f"{name}.toml").read_text(encoding="utf-8")
    return _scenario(_read(text, f"{name}.toml"), name, name, "" if name == "cloud" else "cloud", depth)


def _read(text: str, where: str) -> dict[str, Any]:
    try:
        body = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # no TOML, a number of 5,000 digits, 10,000 brackets
        raise ScenarioError(f"{where}: {error}") from None
    known = (*_TEXTS, *_TABLES)
    for key, value in body.items():
        if key not in known:
            raise ScenarioError(f"{where}: unknown key {key!r}{nearest(key, known)}")
        if not isinstance(value, str if key in _TEXTS else dict):
            raise ScenarioError(f"{where}: {key} = {value!r}, expected a {'text' if key in _TEXTS else 'table'}")
    if body.get("way", "full") not in WAYS:
        raise ScenarioError(f"{where}: way = {body['way']!r}, allowed: {', '.join(WAYS)}")
    return body


def _scenario(body: dict[str, Any], name: str, origin: str, parent: str, depth: int = 0) -> Scenario:
    if depth > 8:
        raise ScenarioError(f"{origin}: 'extends' goes round in a circle")
    base: Scenario | None = None
    parent = body.get("extends", parent)
    if parent:
        if parent not in _names():
            raise ScenarioError(f"{origin}: extends {parent!r}, which is no preset{nearest(parent, _names())}")
        base = _preset(parent, depth + 1)
    choices = {**(base.choices if base else {}), **_flat(body.get("choices", {}))}
    values = {**(base.values if base else {}), **_flat(body.get("values", {}))}
    scenario = Scenario(
        name=name,
        title=one_line(body.get("title", name)),
        sentence=one_line(body.get("sentence", "")),
        way=body.get("way", base.way if base else "full"),
        choices=choices,
        values=values,
    )
    return _checked(scenario, origin)


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    result: dict[str, str] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            result.update(_flat(cast("dict[str, Any]", value), f"{prefix}{key}."))
        else:
            result[prefix + key] = value if isinstance(value, str) else repr(value)
    return result


def _checked(scenario: Scenario, origin: str) -> Scenario:
    for slot, chosen in scenario.choices.items():
        if slot not in SLOTS:
            if slot in _keys(scenario):
                raise ScenarioError(f"{origin}: {slot} is no choice, expected under [values]")
            raise ScenarioError(f"{origin}: unknown key {slot!r}{nearest(slot, _keys(scenario))}")
        kind, words = SLOTS[slot].kind, SLOTS[slot].words
        if kind is None:
            if chosen not in words:
                raise ScenarioError(f"{origin}: {slot} = {chosen!r}, allowed: {', '.join(words)}")
        elif chosen not in entry_keys(kind):
            raise ScenarioError(
                f"{origin}: {slot} = {chosen!r} is not in {kind}{nearest(chosen, entry_keys(kind))}; "
                f"see 'roundtrip catalog {kind}'"
            )
    missing = [slot for slot in SLOTS if slot not in scenario.choices]
    if missing:
        raise ScenarioError(f"{origin}: {missing[0]} is not chosen")
    for key in scenario.values:
        slot, _, name = key.rpartition(".")
        if key in SLOTS:
            raise ScenarioError(f"{origin}: {key} is a choice, expected under [choices]")
        if slot not in SLOTS or SLOTS[slot].kind is None:
            raise ScenarioError(f"{origin}: unknown key {key!r}{nearest(key, _keys(scenario))}")
        chosen = scenario.entry(slot)
        if name in chosen.texts:
            _check_word(chosen.kind, name, key, scenario.values[key], origin)
            continue
        if name not in chosen.figures:
            raise ScenarioError(f"{origin}: unknown key {key!r}{nearest(key, _keys(scenario))}")
        try:
            figure = scenario.figure(key)
            check_term(name, figure.unit, (figure.value,))
        except (DomainError, UnitError) as error:
            message = str(error)
            message = message if message.startswith(key) else f"{key}: {message}"
            raise type(error)(f"{message} (from {origin})") from None
    route, ends = scenario.choices["network.route"], scenario.ends()
    if not corridors.fits(route, *ends):
        raise ScenarioError(
            f"{origin}: network.route: {corridors.clash(route, *ends)}; {corridors.choose(*ends)!r} does, "
            "and network.route=auto finds it"
        )
    return scenario


def _check_word(kind: str, name: str, key: str, value: str, origin: str) -> None:
    """Check a text: it shapes the way, so it must be one that some entry of the catalog has."""
    words = sorted({other.texts[name] for other in load(kind).values() if name in other.texts})
    if value in words:
        return
    if len(words) > MOST_WORDS:
        raise ScenarioError(f"{origin}: {key} = {value!r} is in no entry of {kind}{nearest(value, words)}")
    raise ScenarioError(f"{origin}: {key} = {value!r}, allowed: {', '.join(words)}{nearest(value, words)}")


def one_line(text: str) -> str:
    """Return a text on one line, control characters as blanks: what a file says goes to a terminal."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _keys(scenario: Scenario) -> list[str]:
    keys = list(SLOTS)
    for slot, choice in scenario.choices.items():
        if slot in SLOTS and SLOTS[slot].kind and choice in entry_keys(SLOTS[slot].kind or ""):
            chosen = scenario.entry(slot)
            keys += [f"{slot}.{name}" for name in (*chosen.figures, *chosen.texts)]
    return keys
