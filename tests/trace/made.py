"""Traces made by hand, so that the exporters are tested without a forecast; the algebra of each is kept."""

from __future__ import annotations

from typing import Any

from roundtrip.trace.algebra import starts, summary
from roundtrip.trace.model import Span, Trace

ENDS = {
    "time_to_first_token_s": {"end_of": "back.computer.browser"},
    "time_to_last_token_s": {"end_of": "stream.answer"},
}


def span(id: str, duration_s: float, carrier: str = "moving charge", after: tuple[str, ...] = (), **more: Any) -> Span:
    """Return a span; its name is its id without the prefix of the way back."""
    name = more.pop("name", id.removeprefix("back.").replace("stream.", "network."))
    bands = {
        "duration_s": {
            "low": duration_s / 2,
            "median": duration_s,
            "high": duration_s * 3,
            "median_low": duration_s * 0.9,
            "median_high": duration_s * 1.1,
            "slow": duration_s * 4,
        }
    }
    return Span(
        id=id,
        name=name,
        title=more.pop("title", f"what {id} does"),
        start_s=0.0,
        duration_s=duration_s,
        carrier=carrier,
        after=after,
        bands=bands,
        sources=more.pop("sources", ("one", "two")),
        **more,
    )


def laid(spans: list[Span], **algebra: Any) -> Trace:
    """Return a trace with starts and summary from the algebra."""
    rules = {**{k: v for k, v in ENDS.items() if v["end_of"] in {s.id for s in spans}}, **algebra}
    listed = {
        key: {"title": f"A paper about {key}", "year": 2020, "url": f"https://example.org/{key}"}
        for s in spans
        for key in s.sources
    }
    trace = Trace(
        "The capital of France is",
        {"name": "made", "title": "A trip made by hand"},
        spans,
        {},
        rules,
        sources=listed,
        samples=100,
    )
    begins = starts(trace)
    for s in trace.spans:
        s.start_s = begins[s.id]
    trace.summary = summary(trace)
    return trace


def trip() -> Trace:
    """Return a small trip with every carrier, parts, overlap, a way back and a stream."""
    joules = {"marginal": 2.0e-3, "allocated": 1.0, "always_on": 3.0}
    return laid(
        [
            span("keyboard.press", 0.0101, "motion", energy_J={"marginal": 1e-3}, attributes={"force_N": 0.5}),
            span("keyboard.usb", 0.004, "waiting", ("keyboard.press",)),
            span("computer.interrupt", 8e-6, after=("keyboard.usb",), electrons=3.1e15),
            span(
                "optics.fiber", 0.0081, "photons", ("computer.interrupt",), photons=8.2e9, energy_J={"allocated": 0.4}
            ),
            span("datacenter.queue", 0.05, "waiting", ("optics.fiber",)),
            span(
                "model.prefill",
                0.08,
                after=("datacenter.queue",),
                energy_J=joules,
                title="the model reads the prompt, all of it at once",
            ),
            span("model.attention", 0.03, parent="model.prefill", after=("datacenter.queue",)),
            span("model.experts", 0.05, parent="model.prefill", after=("model.attention",)),
            span("model.kv_cache", 0.0, "stored charge", ("model.prefill",)),
            span("model.decode", 4.0, after=("model.prefill",), energy_J=joules, attributes={"tokens": 120.0}),
            span("back.optics.fiber", 0.0081, "photons", ("model.prefill",)),
            span("back.computer.browser", 0.002, after=("back.optics.fiber",)),
            span("stream.answer", 4.0, "photons", ("back.computer.browser",)),
            span("display.panel", 0.012, "photons", ("back.computer.browser",), photons=7e13),
            span("eye.retina", 0.03, "chemistry", ("display.panel",)),
            span("datacenter.power", 0.0, "heat", ("model.decode",), energy_J={"allocated": 5.0}),
        ],
        queue_s={"sum_of": ["datacenter.queue"]},
        energy_J={"heads": True},
        tokens={"attribute_of": ["model.decode", "tokens"]},
        energy_per_token_J={"ratio": ["energy_J", "tokens"]},
    )
