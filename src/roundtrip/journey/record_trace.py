"""A recorded exchange as a trace: measured spans in the middle, the forecast at both ends, and no hole left out.

What was measured carries the reading ``record``; what no program can measure (finger, screen, eye) keeps the reading
``forecast``. Time between two measured spans that none of them explains is a span of its own, so that the chain from
the request to the first token has no hole, and the parts of a whole add up to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from roundtrip.engine.exchange import Exchange
from roundtrip.engine.spans import Offset
from roundtrip.engine.spans import Span as Measured
from roundtrip.journey.here import SOURCE
from roundtrip.trace.algebra import summary
from roundtrip.trace.model import Span, Trace

FIRST, THOUGHT, ANSWER = "back.network.http", "stream.reasoning", "stream.answer"
SENT = "computer.request"  # the last span of the forecast before the wire
REPLACED = ("datacenter.", "model.", "prefill.", "step.", "back.", "stream.reasoning", "stream.answer", "network.")
TITLES = {
    "client.names": ("network.dns", "the name of the server is looked up", "moving charge"),
    "client.tcp": ("network.tcp", "TCP connects", "moving charge"),
    "client.tls": ("network.tls", "TLS shakes hands", "moving charge"),
    "client.send": ("network.http", "the request goes out", "moving charge"),
    "server.receive": ("datacenter.gateway", "the server reads the request", "stored charge"),
    "server.tokenize": ("model.tokenizer", "the text is cut into tokens", "moving charge"),
    "server.queue": ("datacenter.queue", "it waits for a place", "waiting"),
    "server.prefill": ("model.prefill", "the model reads the prompt", "moving charge"),
}
GAP = "not explained"


@dataclass(slots=True)
class Piece:
    """A stretch of measured time on the client's clock [ns]."""

    id: str
    name: str
    title: str
    carrier: str
    start_ns: int
    end_ns: int
    parent: str | None = None
    attributes: dict[str, float | str] = field(default_factory=dict[str, "float | str"])
    bytes_in: float | None = None
    bytes_out: float | None = None


def pieces(found: Exchange, clock: Offset | None, printed: Sequence[tuple[int, int]] = ()) -> list[Piece]:
    """Return what was measured of one exchange, in the order of time, without overlaps up to the first token.

    Parameters
    ----------
    found : Exchange
        A streamed one that brought at least one token.
    clock : Offset, optional
        How far the server's clock is ahead; without it the server's spans cannot be placed, and its own times are used.
    printed : sequence of (start_ns, end_ns)
        When each piece of text was written to the terminal, where that was done.
    """
    first_ns = found.first_token_ns
    if first_ns is None:
        raise ValueError("an exchange without a token is no trip")
    server: list[Measured] = []
    if clock is not None:
        told, ours = found.server_spans, clock.here_ns
        server = [replace(s, start_ns=ours(s.start_ns), end_ns=ours(s.end_ns)) for s in told]
    chain: list[Piece] = []
    for span in [*found.spans(), *server]:
        if span.name in TITLES:
            name, title, carrier = TITLES[span.name]
            chain.append(Piece(name, name, title, carrier, span.start_ns, span.end_ns, None, dict(span.attributes)))
    if not server:
        chain += _told(found, first_ns)
    for piece in chain:
        if piece.name == "network.http":
            piece.bytes_out = float(found.sent_B)
    chain = _in_order(chain, found.start_ns, first_ns)
    made_ns = max((p.end_ns for p in chain), default=found.start_ns)
    if made_ns < first_ns and server:
        title = "the first token is picked and travels to the client"
        chain.append(Piece(FIRST, "network.http", title, "moving charge", made_ns, first_ns))
    whole = _filled(chain, found.start_ns, first_ns, "record.gap", None)
    if printed:
        start_ns, end_ns = printed[0]
        whole += _filled([], first_ns, start_ns, "record.print_gap", None)
        whole.append(Piece("back.computer.terminal", "computer.terminal", "the terminal takes the first piece",
                           "stored charge", max(start_ns, first_ns), end_ns))  # fmt: skip
    read = next((p for p in chain if p.id == "model.prefill"), None)
    if read is not None:
        whole += _steps(server, "server.prefill", read, "prefill", "pass")
    last_ns = found.tokens[-1].at_ns
    whole += _decode(server, found, first_ns, last_ns)
    thought_ns = found.first_answer_ns or last_ns
    if any(token.channel == "reasoning" for token in found.tokens):
        title = "reasoning streams by unseen"
        whole.append(Piece(THOUGHT, "network.stream", title, "moving charge", first_ns, thought_ns))
        first_ns = thought_ns
    whole.append(Piece(ANSWER, "network.stream", "tokens arrive one by one", "moving charge", first_ns, last_ns,
                       attributes={"events": float(len(found.tokens))}, bytes_in=float(found.received_B)))  # fmt: skip
    return whole


def _told(found: Exchange, first_ns: int) -> list[Piece]:
    """Return the reading of the prompt where a server tells how long it took and not when: right before the token."""
    told_ms = (found.timings or {}).get("prompt_ms")
    sent_ns = found.request_end_ns or found.start_ns
    if not isinstance(told_ms, (int, float)) or not 0.0 < told_ms < (first_ns - sent_ns) / 1e6 * 1.02:
        return [Piece("model.prefill", "model.prefill", "the far end works: way, queue and prompt, not told apart",
                      "waiting", sent_ns, first_ns)]  # fmt: skip
    start_ns = max(first_ns - round(told_ms * 1e6), sent_ns)
    told: dict[str, float | str] = {"placed": "by the duration that the server tells, to end at the first token"}
    return [Piece("model.prefill", "model.prefill", "the model reads the prompt", "moving charge", start_ns, first_ns,
                  attributes=told)]  # fmt: skip


def _in_order(chain: Iterable[Piece], start_ns: int, end_ns: int) -> list[Piece]:
    """Return the pieces one after the other: where two overlap, the later one begins when the earlier has ended."""
    kept: list[Piece] = []
    at = start_ns
    for piece in sorted(chain, key=lambda p: (p.start_ns, p.end_ns)):
        begin, end = min(max(piece.start_ns, at), end_ns), min(max(piece.end_ns, at), end_ns)
        kept.append(replace(piece, start_ns=begin, end_ns=end))
        at = end
    return kept


def _filled(chain: list[Piece], start_ns: int, end_ns: int, id: str, parent: str | None) -> list[Piece]:
    """Return the pieces with each hole between them filled by a span of its own."""
    made: list[Piece] = []
    at, holes = start_ns, 0
    before = "the start"
    for piece in [*chain, None]:
        until = end_ns if piece is None else piece.start_ns
        if until > at:
            holes += 1
            after = "the end" if piece is None else piece.id
            told: dict[str, float | str] = {"between": f"{before} and {after}"}
            title = f"{GAP}: {_short(before)} to {_short(after)}"
            made.append(Piece(f"{id}_{holes}", "record.unattributed", title, "waiting", at, until, parent, told))
        if piece is not None:
            made.append(piece)
            at, before = max(at, piece.end_ns), piece.id
    return made


def _short(id: str) -> str:
    """Return the last part of an id, as a table shows it."""
    return id.rpartition(".")[2].removeprefix("the ").replace("_", " ")


def _steps(server: list[Measured], name: str, whole: Piece, id: str, part: str) -> list[Piece]:
    """Return the forward passes of a part of the server's work, and what is between them."""
    holder = next((s for s in server if s.name == name), None)
    if holder is None:
        return []
    parent = whole.id
    inside = sorted((s for s in server if s.parent_id == holder.span_id), key=lambda s: s.start_ns)
    chain = [
        Piece(f"{id}.{part}_{n}", parent, "one pass through the model", "moving charge", s.start_ns, s.end_ns, parent,
              dict(s.attributes))
        for n, s in enumerate(inside, start=1)
    ]  # fmt: skip
    chain = _in_order(chain, whole.start_ns, whole.end_ns)
    return _filled(chain, whole.start_ns, whole.end_ns, f"{id}.gap", parent)


def _decode(server: list[Measured], found: Exchange, first_ns: int, last_ns: int) -> list[Piece]:
    """Return the writing of the answer: as the server saw it, or as the tokens came."""
    title = "the model writes the answer"
    tokens = float(found.completion_tokens or len(found.tokens))
    holder = next((s for s in server if s.name == "server.decode"), None)
    start_ns, end_ns = (holder.start_ns, holder.end_ns) if holder else (first_ns, last_ns)
    told: dict[str, float | str] = {"tokens": tokens}
    per_token_s = found.time_per_output_token_s
    if holder is not None and tokens > 1:
        per_token_s = (end_ns - start_ns) / 1e9 / (tokens - 1)
    if per_token_s is not None:
        told["time_per_output_token_s"] = per_token_s
    whole = Piece("model.decode", "model.decode", title, "moving charge", start_ns, end_ns, attributes=told)
    return [whole, *_steps(server, "server.decode", whole, "decode", "step")]


def assemble(forecast: Trace, measured: list[Piece], start_ns: int, answer: str) -> Trace:
    """Return the trace: the forecast up to the request, what was measured, and the forecast from the screen on.

    Parameters
    ----------
    forecast : Trace
        Of the same prompt and as many tokens, on this machine.
    measured : list of Piece
    start_ns : int
        When the request began, on the clock of the pieces.
    """
    by_id = {span.id: span for span in forecast.spans}
    zero_s = by_id[SENT].end_s
    spans = [_kept(s) for s in forecast.spans if _before(s, by_id)]
    ends = {span.id: span.end_s for span in spans}
    last = SENT
    for piece in measured:
        begin_s = zero_s + (piece.start_ns - start_ns) / 1e9
        duration_s = (piece.end_ns - piece.start_ns) / 1e9
        # What a span comes after has ended by then; what is left of the time to its start is its lag.
        after = last if piece.parent is None else SENT
        if ends[after] > begin_s + 1e-12:
            after = SENT
        span = Span(
            piece.id, piece.name, piece.title, ends[after] + (begin_s - ends[after]), duration_s, piece.carrier,
            piece.parent, (after,), begin_s - ends[after], reading="record", grade="measured", sources=(SOURCE,),
            attributes=dict(piece.attributes), bytes_in=piece.bytes_in, bytes_out=piece.bytes_out,
        )  # fmt: skip
        _lend_energy(span, by_id.get(piece.id))
        spans.append(span)
        ends[span.id] = span.end_s
        if piece.parent is None and piece.id not in ("model.decode", THOUGHT, ANSWER):
            last = span.id
    arrived = "back.computer.terminal" if "back.computer.terminal" in ends else last
    shown = THOUGHT if THOUGHT in ends else arrived
    later = [s for s in forecast.spans if not _before(s, by_id) and not s.id.startswith(REPLACED)]
    spans += _after(later, shown, ends)
    made = Trace(forecast.prompt, forecast.scenario, spans, {}, _rules(spans, arrived, shown), "record", answer)
    made.sources = dict(forecast.sources)
    made.warnings = list(forecast.warnings)
    made.summary = summary(made)
    return made


def _before(span: Span, by_id: dict[str, Span]) -> bool:
    return span.start_s < by_id[SENT].end_s and span.room in ("keyboard", "computer") and not span.id.startswith("on.")


def _kept(span: Span) -> Span:
    """Return a span of the forecast as it stands in a record: its band has no meaning beside one run."""
    return replace(span, bands={}, attributes=dict(span.attributes), energy_J=dict(span.energy_J))


def _lend_energy(span: Span, model: Span | None) -> None:
    """Give a measured span the joules that the forecast has for the same work, and say so: no meter was at hand."""
    if model is None or span.id not in ("model.prefill", "model.decode"):
        return
    span.energy_J = dict(model.energy_J)
    span.electrons = model.electrons
    lent = ("carbon_g", "cost_usd", "water_on_site_L", "water_off_site_L", "flop")
    span.attributes |= {name: value for name, value in model.attributes.items() if name in lent}
    span.attributes["energy_reading"] = "forecast"


def _after(later: list[Span], shown: str, ends: dict[str, float]) -> list[Span]:
    """Lay the forecast's last spans behind the first text that is shown; what is on anyway lasts as long as all."""
    laid: list[Span] = []
    for span in later:
        moved = _kept(span)
        if not span.id.startswith("on."):
            moved.after = tuple(dict.fromkeys(a if a in ends else shown for a in span.after))
            moved.start_s = max(ends[a] for a in moved.after) + span.lag_s
            ends[moved.id] = moved.end_s
        laid.append(moved)
    whole_s = max(ends.values())
    for span in laid:
        if span.id.startswith("on.") and span.duration_s > 0.0:
            factor = whole_s / span.duration_s
            span.duration_s = whole_s
            span.energy_J = {head: joules * factor for head, joules in span.energy_J.items()}
            span.attributes |= {
                n: v * factor for n, v in span.attributes.items()
                if isinstance(v, float) and n.rpartition("_")[2] in ("g", "usd", "L")
            }  # fmt: skip
    return laid


def _rules(spans: list[Span], arrived: str, shown: str) -> dict[str, dict[str, Any]]:
    """Return how the summary follows from these spans."""
    ids = {span.id for span in spans}
    beside = ("model.decode", THOUGHT, ANSWER)
    chain = [s for s in spans if s.reading == "record" and s.parent is None and s.id not in beside]
    rules: dict[str, dict[str, Any]] = {
        "network_s": {"sum_of": [s.id for s in chain if s.room == "network"]},
        "queue_s": {"sum_of": [s.id for s in chain if s.id == "datacenter.queue"]},
        "prefill_s": {"sum_of": ["model.prefill"]},
        "decode_s": {"sum_of": ["model.decode"]},
        "unattributed_s": {"sum_of": [s.id for s in spans if s.name == "record.unattributed"]},
        "time_to_first_token_s": {"end_of": arrived},
        "time_to_first_answer_s": {"end_of": shown},
        "time_to_last_token_s": {"end_of": ANSWER},
        "time_to_first_photon_s": {"end_of": "display.panel"},
        "time_to_first_word_s": {"end_of": "eye.cortex"},
        "time_to_last_word_s": {"end_of": "eye.reading"},
        "energy_J": {"heads": True},
        "body_J": {"attribute_sum": "body_J"},
        "carbon_g": {"attribute_sum": "carbon_g"},
        "cost_usd": {"attribute_sum": "cost_usd"},
        "tokens": {"attribute_of": ["model.decode", "tokens"]},
    }
    decode = next(s for s in spans if s.id == "model.decode")
    if "time_per_output_token_s" in decode.attributes:
        rules["time_per_output_token_s"] = {"attribute_of": ["model.decode", "time_per_output_token_s"]}
    return {name: rule for name, rule in rules.items() if rule.get("end_of", SENT) in ids}
