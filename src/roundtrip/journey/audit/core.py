"""How a claim is audited: a derivation that never sees the claim, a verdict by one rule.

A derivation is a function of a `Bench`. From the bench it reads catalog figures and calls stage functions; run with
values it gives our figure, run with samples its band. The claim's own number is not within its reach.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any, cast

import numpy as np

from roundtrip.catalog.claims import Claim, claim, claims
from roundtrip.catalog.load import entry
from roundtrip.figures.figure import Figure
from roundtrip.figures.sampling import Draws

ROOMS = ("keyboard", "computer", "network", "optics", "datacenter", "model", "training", "display", "eye", "journey")

# How far a central value may lie outside the stated range, by how the document states it.
LATITUDES = {"exact": 1.0, "about": 1.25, "order": 3.0}
BASES = ("computed", "looked-up", "tested", "none")
VERDICTS = ("holds", "off", "ill-defined", "none")


@dataclass(slots=True)
class Finding:
    """What a derivation returns.

    Attributes
    ----------
    value : float, array, bool or None
        Our figure in the unit of the claim; a bool for a property that was tested; None if there is none.
    note : str
        The derivation in a sentence or two, for a reader.
    basis : str
        Left empty, it follows from what was used: ``computed`` if a stage function was, else ``looked-up``.
    verdict : str
        Left empty, it follows from the rule; ``ill-defined`` must be said here, with the reason in the note.
    """

    value: Any
    note: str
    basis: str = ""
    verdict: str = ""


@dataclass
class Bench:
    """Hands a derivation the catalog and the stage functions, and remembers what was used."""

    draws: Draws | None = None
    inputs: list[str] = field(default_factory=list[str])
    figures: dict[str, Figure] = field(default_factory=dict[str, Figure])
    functions: list[str] = field(default_factory=list[str])

    def __getitem__(self, key: str) -> Any:
        """Return the figure ``kind/entry.field`` as a value, or as samples."""
        kind, _, rest = key.partition("/")
        name, _, figure_name = rest.rpartition(".")
        figure = entry(kind, name).figure(figure_name)
        self._remember(key)
        self.figures[key] = figure
        return np.float64(figure.value) if self.draws is None else self.draws.draw(figure, key)

    def text(self, key: str) -> str:
        """Return the text ``kind/entry.field``."""
        kind, _, rest = key.partition("/")
        name, _, text_name = rest.rpartition(".")
        self._remember(key)
        return entry(kind, name).texts[text_name]

    def use(self, function: Callable[..., Any], **arguments: Any) -> Any:
        """Call a stage function."""
        name = f"{function.__module__.removeprefix('roundtrip.stages.')}.{function.__name__}"
        self.functions.append(name)
        self._remember(name)
        return function(**arguments)

    def trip(self, scenario: str, figure: str) -> Any:
        """Return a summary figure, or ``span id/number``, of the forecast of a preset."""
        from roundtrip.journey.program import program
        from roundtrip.journey.scenario import load_scenario

        chosen = load_scenario(scenario)
        compiled = program(chosen)
        keys, run = compiled.slice(figure)
        self._remember(f"trip:{scenario}:{figure}")
        self.functions.append(f"journey.forecast:{figure}")
        figures = [chosen.figure(key) for key in keys]
        if self.draws is None:
            return run([np.float64(f.value) for f in figures])[0]
        return run([self.draws.draw(f, k) for f, k in zip(figures, keys, strict=True)])[0]

    def _remember(self, name: str) -> None:
        if name not in self.inputs:
            self.inputs.append(name)


Derivation = Callable[[Bench], Finding]


@dataclass(frozen=True, slots=True)
class Derived:
    """A derivation as it was registered."""

    run: Derivation
    latitude: str


_DERIVATIONS: dict[str, Derived] = {}


def derives(claim_id: str, latitude: str = "exact") -> Callable[[Derivation], Derivation]:
    """Register the derivation of a claim. `latitude`: how the document states it (exact, about, order)."""
    if latitude not in LATITUDES:
        raise ValueError(f"latitude {latitude!r}, allowed: {', '.join(LATITUDES)}")

    def register(function: Derivation) -> Derivation:
        if claim_id in _DERIVATIONS:
            raise ValueError(f"claim {claim_id} has two derivations")
        _DERIVATIONS[claim_id] = Derived(function, latitude)
        return function

    return register


@cache
def derivations() -> Mapping[str, Derived]:
    """Return all derivations by claim id."""
    for room in ROOMS:
        import_module(f"roundtrip.journey.audit.{room}")
    return _DERIVATIONS


@dataclass(frozen=True, slots=True)
class Result:
    """One audited claim."""

    claim: Claim
    value: float | bool | None
    low: float | None
    high: float | None
    verdict: str
    basis: str
    factor: float | None
    latitude: str
    inputs: tuple[str, ...]
    note: str

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "id": self.claim.id,
            "document": self.claim.document,
            "system": self.claim.system,
            "quantity": self.claim.quantity,
            "stated": {"low": self.claim.low, "high": self.claim.high, "unit": self.claim.unit},
            "computed": {"value": self.value, "low": self.low, "high": self.high},
            "verdict": self.verdict,
            "basis": self.basis,
            "factor": self.factor,
            "latitude": self.latitude,
            "inputs": list(self.inputs),
            "note": self.note,
        }


def audit_one(claim_id: str, samples: int = 10_000) -> Result:
    """Audit one claim."""
    stated = claim(claim_id)
    derived = derivations().get(claim_id)
    if derived is None:
        return Result(stated, None, None, None, "none", "none", None, "exact", (), "No derivation yet.")
    bench = Bench()
    finding = derived.run(bench)
    basis = finding.basis or ("computed" if bench.functions else "looked-up")
    low: float | None = None
    high: float | None = None
    value: float | bool | None
    plain: Any = finding.value
    if plain is None or isinstance(plain, (bool, np.bool_)):
        value = None if plain is None else bool(cast("Any", plain))
    else:
        value = float(plain)
        draws = Draws(samples)
        band = draws.band(derived.run(Bench(draws)).value)
        low, high = min(band.low, value), max(band.high, value)
    verdict = finding.verdict or rule(stated, value, derived.latitude)
    return Result(
        stated,
        value,
        low,
        high,
        verdict,
        basis,
        factor(stated, value),
        derived.latitude,
        tuple(bench.inputs),
        finding.note,
    )


def audit_all() -> list[Result]:
    """Audit every claim, in order."""
    return [audit_one(claim_id) for claim_id in claims()]


def round_to(value: float, digits: int) -> float:
    """Return a value rounded to significant digits, as a document prints it."""
    if value == 0.0 or not math.isfinite(value):
        return value
    return float(f"{value:.{digits - 1}e}")


def rule(stated: Claim, value: float | bool | None, latitude: str) -> str:
    """Return the verdict: the central value, rounded as printed, lies in the stated range, widened by the latitude."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "holds" if value else "off"
    width = LATITUDES[latitude]
    rounded = round_to(value, stated.digits)
    low = -math.inf if stated.low is None else min(stated.low / width, stated.low * width)
    high = math.inf if stated.high is None else max(stated.high / width, stated.high * width)
    slack = 1e-9 * max(abs(rounded), 1e-300)
    return "holds" if low - slack <= rounded <= high + slack or low <= value <= high else "off"


def factor(stated: Claim, value: float | bool | None) -> float | None:
    """Return by what factor our value lies outside the stated range; 1 inside."""
    if value is None or isinstance(value, bool):
        return None
    if stated.low is not None and value < stated.low:
        return value / stated.low if stated.low else None
    if stated.high is not None and value > stated.high:
        return value / stated.high if stated.high else None
    return 1.0
