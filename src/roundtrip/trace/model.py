"""Span and Trace, the currency in which forecast, carry and record speak to each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

SCHEMA = "roundtrip.trace/1"

CARRIERS = ("moving charge", "photons", "stored charge", "waiting", "heat", "motion", "chemistry")
# What carries these is the body: its joules come from no grid and stand in the attribute body_J, under no head.
BODY = ("motion", "chemistry")
READINGS = ("forecast", "carry", "record")
HEADS = ("marginal", "allocated", "always_on")


@dataclass(slots=True)
class Span:
    """One stage of one trip, on the time line.

    Attributes
    ----------
    id : str
        Unique in its trace, for example ``back.network.route``.
    name : str
        The stage, for example ``network.route``: what ``roundtrip explain`` takes.
    title : str
        What happens, in a few words.
    parent : str or None
        Id of the span that this one is a part of in time.
    after : tuple of str
        Ids of the spans that had to end first: ``start_s`` is the latest of their ends plus ``lag_s``.
    start_s, duration_s : float
        Seconds since the finger began to move.
    energy_J : dict
        Joules under the heads ``marginal``, ``allocated`` and ``always_on``.
    carrier : str
        One of `CARRIERS`.
    electrons, photons, bytes_in, bytes_out : float or None
        None where the stage has no such count; never zero for unknown.
    bands : dict
        For each numeric result: low, high (p5, p95 of everything), median_low, median_high (what is not known),
        slow (p99 of trips).
    grade : str
        The weakest grade among the figures that the stage read.
    sources : tuple of str
        Keys of the sources of those figures.
    attributes : dict
        Further results of the stage by name, each with its unit in the name.
    """

    id: str
    name: str
    title: str
    start_s: float
    duration_s: float
    carrier: str
    parent: str | None = None
    after: tuple[str, ...] = ()
    lag_s: float = 0.0
    energy_J: dict[str, float] = field(default_factory=dict[str, float])
    electrons: float | None = None
    photons: float | None = None
    bytes_in: float | None = None
    bytes_out: float | None = None
    reading: str = "forecast"
    grade: str = "estimate"
    sources: tuple[str, ...] = ()
    since: tuple[int, str] | None = None
    attributes: dict[str, float | str] = field(default_factory=dict[str, "float | str"])
    bands: dict[str, dict[str, float]] = field(default_factory=dict[str, "dict[str, float]"])

    @property
    def end_s(self) -> float:
        """Seconds since the finger began to move."""
        return self.start_s + self.duration_s

    @property
    def total_J(self) -> float | None:
        """Joules under all heads; None where the stage counts no energy."""
        return sum(self.energy_J.values()) if self.energy_J else None

    @property
    def room(self) -> str:
        """First part of the name."""
        return self.name.partition(".")[0]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form; ``energy_J`` is the total, the heads stand in ``energy_heads_J``."""
        return {
            "id": self.id,
            "parent": self.parent,
            "after": list(self.after),
            "lag_s": self.lag_s,
            "name": self.name,
            "title": self.title,
            "start_s": self.start_s,
            "duration_s": self.duration_s,
            "energy_J": self.total_J,
            "energy_heads_J": dict(self.energy_J),
            "carrier": self.carrier,
            "electrons": self.electrons,
            "photons": self.photons,
            "bytes_in": self.bytes_in,
            "bytes_out": self.bytes_out,
            "reading": self.reading,
            "grade": self.grade,
            "sources": list(self.sources),
            "since": {"year": self.since[0], "what": self.since[1]} if self.since else None,
            "attributes": dict(self.attributes),
            "bands": {name: dict(band) for name, band in self.bands.items()},
        }


@dataclass(slots=True)
class Trace:
    """One trip: its spans, and the summary that follows from them."""

    prompt: str
    scenario: dict[str, Any]
    spans: list[Span]
    summary: dict[str, Any]
    algebra: dict[str, dict[str, Any]]
    reading: str = "forecast"
    answer: str | None = None
    summary_bands: dict[str, dict[str, float]] = field(default_factory=dict[str, "dict[str, float]"])
    sources: dict[str, dict[str, Any]] = field(default_factory=dict[str, "dict[str, Any]"])
    samples: int = 0
    warnings: list[str] = field(default_factory=list[str])

    def span(self, id_or_name: str) -> Span:
        """Return the span with this id, or the first with this name."""
        for span in self.spans:
            if span.id == id_or_name:
                return span
        for span in self.spans:
            if span.name == id_or_name:
                return span
        raise KeyError(id_or_name)

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "schema": SCHEMA,
            "reading": self.reading,
            "prompt": self.prompt,
            "answer": self.answer,
            "scenario": self.scenario,
            "samples": self.samples,
            "warnings": list(self.warnings),
            "summary": self.summary,
            "summary_bands": self.summary_bands,
            "algebra": self.algebra,
            "spans": [span.as_dict() for span in self.spans],
            "sources": self.sources,
        }
