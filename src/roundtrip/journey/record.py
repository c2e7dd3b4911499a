"""Record: the prompt runs for real, through client, TCP, HTTP, server, queue, tokenizer, model and back, on one clock.

The server is one of the backends: our own engine, llama.cpp, or any endpoint that speaks the OpenAI interface. With our
own all threads are in this process and share its monotonic clock. A ``roundtrip serve`` on this machine tells its clock
and its spans; of any other program only what the wire shows is recorded. TLS is recorded where the address asks for it,
and in this process where it is wanted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from roundtrip.engine.backends import Backend, Endpoint
from roundtrip.engine.calibrate import Calibration, calibration
from roundtrip.engine.client import Client
from roundtrip.engine.engine import ModelCard
from roundtrip.engine.exchange import Exchange, Token
from roundtrip.engine.spans import Offset, now_ns
from roundtrip.errors import DomainError, RoundtripError
from roundtrip.journey.answer import MOST_TOKENS, forecast_here, form_of, stops, trust, wrapping
from roundtrip.journey.beside import Beside, rows_as_text
from roundtrip.journey.forecast import forecast
from roundtrip.journey.record_trace import assemble, pieces
from roundtrip.journey.scenario import load_scenario
from roundtrip.trace.model import Trace
from roundtrip.trace.numbers import digits, si
from roundtrip.trace.table import one_line, wrap

LOOPBACK = ("127.0.0.1", "localhost", "::1")  # where a server may be one of ours, and tell its clock
BESIDE = ("model.decode", "stream.reasoning", "stream.answer")  # they run while others do


class RecordError(RoundtripError):
    """The prompt was sent, and no answer came."""


@dataclass(slots=True)
class Recorded:
    """One trip that was made.

    Attributes
    ----------
    trace : Trace
        Of the reading ``record``: measured spans, and the forecast where nothing can be measured.
    forecast : Trace
        Of the same prompt and as many tokens on this machine.
    exchange : Exchange
        What the client saw.
    clock : Offset or None
        How far the server's clock was ahead of the client's.
    rows : list of Beside
        Recorded stages beside the forecast of the same.
    processor_s, load_s : float
        What this process computed while the request ran; what it took to load the model before [s].
    started_ns : int
        Unix time at which the finger of the trace begins to move [ns].
    missing : dict
        What could not be recorded, and why.
    """

    trace: Trace
    forecast: Trace
    exchange: Exchange
    clock: Offset | None
    backend: str
    model: str
    form: str
    card: ModelCard | None
    calibration: Calibration | None
    rows: list[Beside]
    processor_s: float
    load_s: float
    started_ns: int
    missing: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def text(self) -> str:
        """The answer."""
        return self.exchange.text

    @property
    def first_token_s(self) -> float:
        """From the start of the request to the first token in the client [s]."""
        return ((self.exchange.first_token_ns or self.exchange.start_ns) - self.exchange.start_ns) / 1e9

    @property
    def rate_token_s(self) -> float | None:
        """Tokens a second after the first."""
        per_token_s = self.trace.summary.get("time_per_output_token_s")
        return 1.0 / per_token_s if per_token_s else None

    def as_dict(self) -> dict[str, Any]:
        """Return the trace with what was recorded around it."""
        found = self.exchange
        return {
            **self.trace.as_dict(),
            "record": {
                "started": datetime.fromtimestamp(self.started_ns / 1e9, UTC).isoformat(timespec="milliseconds"),
                "trace_id": found.context.trace_id,
                "backend": self.backend,
                "model": self.model,
                "trust": trust(self.card, self.model),
                "form": self.form,
                "finish": found.finish_reason,
                "card": asdict(self.card) if self.card else None,
                "usage": found.usage,
                "timings": found.timings,
                "tls": found.tls,
                "address": found.address,
                "http_version": found.http_version,
                "clock_offset": asdict(self.clock) if self.clock else None,
                "time_to_first_token_s": self.first_token_s,
                "rate_token_s": self.rate_token_s,
                "processor_s": self.processor_s,
                "load_s": self.load_s,
                "beside": [row.as_dict() for row in self.rows],
                "calibration": self.calibration.as_dict() if self.calibration else None,
                "missing": dict(self.missing),
            },
            "forecast": {"summary": self.forecast.summary, "scenario": self.forecast.scenario},
        }


def record(
    prompt: str,
    backend: Backend,
    form: str = "auto",
    max_tokens: int = MOST_TOKENS,
    on_token: Callable[[str], None] | None = None,
    **fields: Any,
) -> Recorded:
    """Send a prompt to a backend, and record its trip.

    Parameters
    ----------
    prompt : str
    backend : Backend
    form : str
        ``auto``, ``chat`` or ``text`` (see `journey.answer.form_of`); at an endpoint ``auto`` is a chat.
    max_tokens : int
    on_token : callable, optional
        Is given each piece of text as it comes, and writes it to the terminal: that is recorded as well.
    fields
        Further fields of the request, such as ``temperature`` and ``seed``.

    Raises
    ------
    RecordError
        If no answer came.
    """
    if max_tokens < 1:
        raise DomainError(f"{max_tokens} tokens of an answer: at least one is needed")
    ours = backend.name == "numpy"
    numbers = calibration() if ours else None
    began = time.perf_counter()
    with backend.serving() as endpoint:
        load_s = time.perf_counter() - began
        has_chat = endpoint.engine is None or endpoint.engine.chat is not None
        chosen = form_of(prompt, form) if backend.name != "http" or form != "auto" else "chat"
        chosen = chosen if has_chat else "text"
        printed: list[tuple[int, int]] = []
        with Client(endpoint.base_url, endpoint.api_key, timeout_s=600.0, ca=endpoint.ca) as client:
            clock = _warm(client, endpoint) if ours else client.offset() if client.host in LOOPBACK else None
            client.close()  # the trip opens a connection of its own
            worked, began_ns = time.process_time(), time.time_ns()
            found = _send(
                client, endpoint, prompt, chosen, max_tokens, _printer(on_token, printed), clock is not None, fields
            )
            processor_s = time.process_time() - worked
    if found.first_token_ns is None:
        raise RecordError(f"{endpoint.base_url}: no answer ({found.outcome}): {found.error or 'no token came'}")
    read, written = found.prompt_tokens, found.completion_tokens or len(found.tokens)
    reused = found.cached_tokens or 0
    if numbers is not None:
        plan = forecast_here(prompt, numbers, max((read or 1) - reused, 1), written, endpoint.engine)
    else:
        plan = forecast(prompt, load_scenario("here"), samples=0)
    trace = assemble(plan, pieces(found, clock, printed), found.start_ns, found.text)
    return Recorded(
        trace, plan, found, clock, backend.name, endpoint.model, chosen, endpoint.card, numbers,
        _beside(trace, plan if numbers else None, found,
                wrapping(endpoint.engine, prompt, chosen) if endpoint.engine else 1.0), processor_s, load_s,
        began_ns - round(trace.span("computer.request").end_s * 1e9),
        _missing(endpoint, found, clock, bool(printed)),
    )  # fmt: skip


def _warm(client: Client, endpoint: Endpoint) -> Offset | None:
    """Send one short request first, as a server that is up has had some, and say how far its clock is off.

    In one process there is one clock; elsewhere it is estimated.
    """
    client.post("/completions", {"model": endpoint.model, "prompt": "a", "max_tokens": 2, "stream": True})
    return Offset(0, 0, 0) if endpoint.engine is not None else client.offset()


def _send(
    client: Client, endpoint: Endpoint, prompt: str, form: str, max_tokens: int,
    on_token: Callable[[Token], None] | None, asks_spans: bool, fields: dict[str, Any],
) -> Exchange:  # fmt: skip
    body: dict[str, Any] = {"model": endpoint.model, "stream": True, "max_tokens": max_tokens, "temperature": 0.0}
    if stops(form):
        body["stop"] = list(stops(form))
    body |= fields
    headers = {"x-roundtrip-spans": "1"} if asks_spans else {}  # a header, since servers refuse fields unknown to them
    if form == "text":
        return client.post("/completions", {"prompt": prompt, **body}, on_token=on_token, headers=headers)
    body["messages"] = [{"role": "user", "content": prompt}]
    return client.post("/chat/completions", body, on_token=on_token, headers=headers)


def _printer(on_token: Callable[[str], None] | None, printed: list[tuple[int, int]]) -> Callable[[Token], None] | None:
    """Return what the client calls with each token: it writes the text, and keeps when that was."""
    if on_token is None:
        return None

    def write(token: Token) -> None:
        if token.channel == "content" and token.text:
            start_ns = now_ns()
            on_token(token.text)
            printed.append((start_ns, now_ns()))

    return write


def _beside(trace: Trace, plan: Trace | None, found: Exchange, longer: float) -> list[Beside]:
    """Return the recorded stages, with the forecast of those that it has; `longer` is what the template makes of it."""
    rows: list[Beside] = []
    engine_s = plan.span("prefill.engine").duration_s if plan else 0.0
    for span in trace.spans:
        if span.reading != "record" or span.parent is not None or span.id in BESIDE:
            continue
        if span.name == "record.unattributed":
            continue
        expected: float | None = None
        if plan is not None and span.id in ("datacenter.queue", "model.tokenizer"):
            expected = plan.span(span.id).duration_s * (longer if span.id == "model.tokenizer" else 1.0)
        if plan is not None and span.id == "model.prefill":
            expected = plan.span("model.prefill").duration_s - engine_s
        rows.append(Beside(span.id, span.title, span.duration_s, expected))
    holes = [s for s in trace.spans if s.name == "record.unattributed"]
    early_s = sum(s.duration_s for s in holes if s.parent is None)
    rows.append(Beside("record.unattributed", "up to there, what no span explains", early_s))
    per_token_s = trace.summary.get("time_per_output_token_s")
    if per_token_s is not None:
        expected = float(plan.summary["time_per_output_token_s"]) if plan else None
        rows.append(Beside("model.decode", "each token after the first", float(per_token_s), expected))
    first_s = ((found.first_token_ns or found.start_ns) - found.start_ns) / 1e9
    rows.append(Beside("first", "request to first token", first_s, _until(plan, "back.model.tokenizer")))
    written = plan.span("model.decode").duration_s if plan else None
    rows.append(Beside("model.decode.whole", "the rest of the answer is written", trace.span("model.decode").duration_s,
                       written))  # fmt: skip
    between_s = sum(s.duration_s for s in holes if s.parent == "model.decode")
    if between_s:
        rows.append(Beside("record.between", "of that, between the passes", between_s))
    return rows


def _until(plan: Trace | None, span: str) -> float | None:
    return plan.span(span).end_s - plan.span("computer.request").end_s if plan else None


def _missing(endpoint: Endpoint, found: Exchange, clock: Offset | None, printed: bool) -> dict[str, str]:
    missing = dict(endpoint.missing)
    if found.tls is None:
        missing["tls"] = "the address is http" + ("; --tls records it here, too" if endpoint.engine else "")
    if clock is None:
        missing["server spans"] = "the server does not tell its clock: only what the wire shows"
    if not printed:
        missing["terminal"] = "the text was not written as it came (--live does)"
    if found.usage is None:
        missing["tokens"] = "the endpoint does not count them: events are counted instead"
    return missing


def record_as_text(found: Recorded, width: int, shows_answer: bool = True) -> list[str]:
    """Return the answer and the recorded stages beside the forecast, as lines."""
    lines: list[str] = []
    if shows_answer:
        shown = one_line(found.text, 4_000)
        said = f"{one_line(found.trace.prompt, 300)} {shown}" if found.form == "text" else shown
        lines += [f"  {line}" for line in wrap(f"“{said}”", width - 4)] + [""]
    lines += wrap(f"By {trust(found.card, found.model)}.", width)
    rate = f", then {digits(found.rate_token_s, 2)} tokens a second" if found.rate_token_s else ""
    lines += wrap(f"First token {si(found.first_token_s, 's')} after the request began{rate}.", width)
    lines += ["", *rows_as_text(found.rows, width), ""]
    last_ns = found.exchange.last_byte_ns or found.exchange.end_ns
    whole_s = (last_ns - found.exchange.start_ns) / 1e9
    spans = [s for s in found.trace.spans if s.parent is None]
    measured = sum(s.reading == "record" for s in spans)
    notes = [
        f"{measured} stages were recorded; {len(spans) - measured} that no program can measure (finger, screen, eye) "
        "stand in the trace from the forecast, marked so."
    ]
    if found.calibration is not None:
        c = found.calibration
        notes.append(
            f"The forecast is the roofline of one thread: {si(c.bandwidth_B_s.value, 'B/s')} from memory and "
            f"{si(c.flop_rate_flop_s.value, 'flop/s')}, measured on {c.date[:10]}."
        )
    else:
        notes.append(
            "There is no forecast: this machine was measured for the engine in this program, and another answered."
        )
    if found.backend == "numpy" and found.processor_s < 0.9 * whole_s:
        notes.append(
            f"Other programs were at work: of {si(whole_s, 's')} on the clock the processor spent "
            f"{si(found.processor_s, 's')} on this, and that is what the forecast is about."
        )
    if found.clock is not None and found.backend != "numpy":
        off_s, error_s = abs(found.clock.ahead_ns) / 1e9, found.clock.error_ns / 1e9
        notes.append(f"The server's clock is {si(off_s, 's')} off, known to {si(error_s, 's')}.")
    elif found.clock is not None:
        notes.append("Client, server and model share one clock; a short request went before, so that all were warm.")
    lines += wrap(" ".join(notes), width)
    if found.missing:
        lines += wrap("Not recorded: " + "; ".join(f"{n}: {why}" for n, why in found.missing.items()) + ".", width)
    return lines
