"""The live trace: what the page shows of one measured answer, its files, and the recorded answer of the static site.

All sums and shares are worked out here; the page only draws them. A recorded answer is the page's own measurement as it
was taken (``tools/record_live.py``), with its date and its machine, joined anew each time the site is built.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, cast

from roundtrip.engine.calibrate import calibration
from roundtrip.engine.engine import Engine
from roundtrip.errors import DomainError
from roundtrip.journey.answer import forecast_here
from roundtrip.lab.join import Clock, join
from roundtrip.lab.measured import Measured, read
from roundtrip.trace.chrome import trace_chrome
from roundtrip.trace.json import trace_json
from roundtrip.trace.model import Span, Trace
from roundtrip.trace.otlp import trace_otlp
from roundtrip.trace.path import critical_path

Body = dict[str, Any]

# The parts of a wait, in the order of the way; each with its spans and with those of the forecast.
PARTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "ask": (("page.input", "page.request"), ("computer.browser", "computer.request")),
    "way": (("fetch.start", "wire.out"), ()),
    "line": (("server.receive", "server.tokenize", "server.queue"), ("datacenter.queue", "model.tokenizer")),
    "read": (("model.prefill",), ("model.embedding", "model.prefill", "model.sampling")),
    "write": (("model.decode",), ("model.decode",)),
    "back": (("server.handover", "server.write", "server.work", "wire.back"), ("back.model.tokenizer",)),
    "show": (("page.read", "page.text", "screen.wait", "screen.paint"), ("back.computer.browser", "display.text")),
    "gap": (("gap",), ()),
}
CARRIERS = {"ask": "moving charge", "way": "stored charge", "line": "waiting", "read": "moving charge",
            "write": "moving charge", "back": "stored charge", "show": "moving charge", "gap": "waiting"}  # fmt: skip
KINDS = {"json": "application/json", "chrome": "application/json", "otlp": "application/x-ndjson"}
PATH = "time_to_last_paint_s"


def forecast_of(m: Measured, engine: Engine | None = None) -> list[Span]:
    """Return the forecast of the same answer for this machine: as many tokens, without those that were cached."""
    if not m.prompt_tokens or not m.output_tokens:
        return []
    computed = max(m.prompt_tokens - m.cached_tokens, 1)
    return forecast_here(m.prompt, calibration(), computed, m.output_tokens, engine).spans


def trip(body: Body, engine: Engine | None = None) -> Body:
    """Return what the page shows of a measurement.

    Parameters
    ----------
    body : dict
        The measurement in its JSON form.
    engine : Engine, optional
        The model that answered, for the forecast; by default the one of the preset.

    Raises
    ------
    MeasureError
        If it is none.
    """
    m = read(body)
    return shown(m, _forecast(m, engine))


def _forecast(m: Measured, engine: Engine | None) -> Sequence[Span]:
    kept: Any = m.recorded.get("forecast")
    if isinstance(kept, list):
        return [_span(row) for row in cast("list[Any]", kept)]
    return forecast_of(m, engine)


def shown(m: Measured, forecast: Sequence[Span]) -> Body:
    """Return a measured answer as the page draws it."""
    trace, found = join(m, forecast)
    path = [span for span in critical_path(trace, PATH) if span.reading == "record"]
    measured_s = float(trace.summary["measured_s"])
    lead_s = trace.span("page.input").start_s
    parts = _parts(trace, path, forecast)
    gaps_s = sum(span.duration_s for span in path if span.name == "gap")
    forecast_s = sum(part["forecast_s"] or 0.0 for part in parts) if forecast else None
    return {
        "schema": "roundtrip.live.trip/1",
        "trace": trace.as_dict(),
        "path": [span.id for span in critical_path(trace, PATH)],
        "measured_s": measured_s,
        "path_s": sum(span.duration_s for span in path),
        "unattributed_s": gaps_s,
        "unattributed_share": gaps_s / measured_s if measured_s else 0.0,
        "lead_s": lead_s,
        "parts": parts,
        "forecast_s": forecast_s,
        "ratio": measured_s / forecast_s if forecast_s else None,
        "clock": found.as_dict() if found else None,
        "tokens": _tokens(m, trace, lead_s),
        "line": _line(m, trace, lead_s, found),
        "model": {name: m.model.get(name) for name in ("name", "parameters", "license")},
        "recorded": {k: v for k, v in m.recorded.items() if k != "forecast"} or None,
        "finish": m.finish,
    }


def _part_of(span: Span, trace: Trace) -> str:
    if span.name in ("model.step", "model.between"):
        return "read" if span.parent == "model.prefill" else "write"
    return next((part for part, (names, _) in PARTS.items() if span.name in names), "gap")


def _parts(trace: Trace, path: Sequence[Span], forecast: Sequence[Span]) -> list[Body]:
    """Return what each part takes of the way that decides, recorded and forecast."""
    found: list[Body] = []
    at_s = forecast_at_s = 0.0
    measured_s = float(trace.summary["measured_s"])
    for part, (_, names) in PARTS.items():
        took_s = sum(span.duration_s for span in path if _part_of(span, trace) == part)
        expected_s = sum(s.duration_s for s in forecast if s.id in names) if forecast and part != "gap" else None
        found.append(
            {
                "part": part, "carrier": CARRIERS[part], "start_s": at_s, "recorded_s": took_s,
                "share": took_s / measured_s if measured_s else 0.0, "forecast_start_s": forecast_at_s,
                "forecast_s": expected_s, "ratio": took_s / expected_s if expected_s else None,
            }
        )  # fmt: skip
        at_s += took_s
        forecast_at_s += expected_s or 0.0
    return found


def _tokens(m: Measured, trace: Trace, lead_s: float) -> list[Body]:
    """Return each token: when it was made, read and painted, in seconds after the key press."""
    spans = {span.id: span for span in trace.spans}
    steps = [s for s in trace.spans if s.name == "model.step"]
    made = [s for s in steps if s.parent == "model.prefill"][-1:] + [s for s in steps if s.parent == "model.decode"]
    found: list[Body] = []
    for number, said in enumerate(m.tokens):
        read_at = next((n for n, (_, size) in enumerate(m.reads) if size >= said.end_B), None)
        commit = next((n for n, c in enumerate(m.commits) if read_at is not None and c[2] >= read_at), None)
        frame = next((n for n, f in enumerate(m.frames) if commit is not None and f[2] >= commit), None)
        paint = spans.get(f"screen.paint.{frame + 1}") if frame is not None else None
        step = made[number] if number < len(made) else None
        ends = number == len(m.tokens) - 1 and m.finish == "stop" and commit is None  # it has no text
        found.append(
            {
                "text": "" if ends else said.text,
                "logprob": said.logprob,
                "probability": None if said.logprob is None else math.exp(min(said.logprob, 0.0)),
                "top": [{"text": text, "probability": math.exp(min(logprob, 0.0))} for text, logprob in said.top],
                "made_s": step.end_s - lead_s if step else None,
                "read_s": (m.reads[read_at][0] - m.key_ns) / 1e9 if read_at is not None else None,
                "painted_s": paint.end_s - lead_s if paint else None,
                "step": step.id if step else None,
            }
        )
    return found


def _line(m: Measured, trace: Trace, lead_s: float, found: Clock | None) -> Body:
    """Return the figures under an answer."""
    spans = {span.id: span for span in trace.spans}
    first = trace.algebra.get("time_to_first_paint_s")
    made_s = [s.end_s for s in trace.spans if s.name == "model.step" and s.parent in ("model.prefill", "model.decode")]
    decode = spans.get("model.decode")
    count = m.output_tokens or 0
    rate = (count - 1) / decode.duration_s if decode and count > 1 and decode.duration_s > 0 else None
    return {
        "first_s": float(trace.summary["time_to_first_paint_s"]) - lead_s if first else None,
        "whole_s": float(trace.summary["measured_s"]),
        "rate_token_s": rate,
        "prompt_tokens": m.prompt_tokens,
        "output_tokens": m.output_tokens,
        "cached_tokens": m.cached_tokens,
        "told": bool(made_s) and found is not None,
        "finish": m.finish,
    }


def exported(body: Body, form: str, engine: Engine | None = None) -> tuple[str, str]:
    """Return a trip as the text of a file, and its kind: ``json``, ``chrome`` or ``otlp``.

    Raises
    ------
    DomainError
        If there is no such form.
    MeasureError
        If the body is no measurement.
    """
    if form not in KINDS:
        raise DomainError(f"form {form[:40]!r}, allowed: {', '.join(KINDS)}")
    m = read(body)
    trace, _ = join(m, _forecast(m, engine))
    if form == "json":
        return trace_json(trace) + "\n", KINDS[form]
    if form == "chrome":
        return trace_chrome(trace), KINDS[form]
    start_ns = round(m.unix_ms * 1e6) - round(trace.span("page.input").start_s * 1e9)
    return trace_otlp(trace, max(start_ns, 0)), KINDS[form]


# -- the recorded answer ---------------------------------------------------------------------------------------------


def kept(span: Span) -> Body:
    """Return a span of a forecast as it stands in a recorded answer."""
    return {"id": span.id, "name": span.name, "title": span.title, "start_s": span.start_s,
            "duration_s": span.duration_s, "carrier": span.carrier, "after": list(span.after), "lag_s": span.lag_s,
            "grade": span.grade, "sources": list(span.sources)}  # fmt: skip


def _span(row: Any) -> Span:
    try:
        return Span(
            str(row["id"]), str(row["name"]), str(row["title"]), float(row["start_s"]), float(row["duration_s"]),
            str(row["carrier"]), None, tuple(map(str, row["after"])), float(row["lag_s"]), grade=str(row["grade"]),
            sources=tuple(map(str, row["sources"])),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise DomainError(f"recorded.forecast: no span ({type(error).__name__})") from None


@cache
def recorded() -> Body:
    """Return the committed record: the page's measurement of one answer, and a look inside the model."""
    text = (files("roundtrip.lab") / "recorded" / "answer.json").read_text(encoding="utf-8")
    return cast("Body", json.loads(text))


def replay() -> dict[str, Body | bytes]:
    """Return the files of the static site: the recorded trip, its exports, and the recorded look inside."""
    body = recorded()
    return {
        "live.json": trip(body["measured"]),
        "own.json": body["inside"],
        "live-chrome.json": json.loads(exported(body["measured"], "chrome")[0]),
    }
