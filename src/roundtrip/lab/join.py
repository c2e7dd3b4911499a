"""One tree out of two clocks: the page's marks and the server's spans of one answer, from the key press to the paint.

The page's clock is the one that counts. How far the server's is ahead follows from round trips to its clock, the
fastest of which says most, and from what cannot be otherwise: no request arrives before it is sent, no piece of the
answer is read before it is written. All of these together leave an interval; its middle is used, its half is the
uncertainty.

Each span starts where the one ended that it had to wait for. What lies between two marks that nobody can name is a span
of its own, ``gap``: it is shown, counted, and never added to a neighbor. Before the key press and after the last paint
no program can measure; there the forecast for this machine stands, marked as a forecast.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roundtrip.engine.spans import Span as Told
from roundtrip.engine.spans import offset
from roundtrip.lab.measured import Measured
from roundtrip.trace.model import Span, Trace

STEP_NS = 100_000  # a page's clock shows steps of a tenth of a millisecond
# What the forecast says before the page can know, and after.
BEFORE = ("keyboard.", "computer.interrupt", "computer.key_event", "computer.memory", "computer.layout")
AFTER = ("display.framebuffer", "display.vsync", "display.link", "display.panel", "eye.optics", "eye.cortex")
SEEN = "page.text"


@dataclass(frozen=True, slots=True)
class Clock:
    """How far the server's clock is ahead of the page's.

    Attributes
    ----------
    ahead_ns, error_ns : int
        The true value lies within `error_ns` of `ahead_ns`.
    rounds : int
        Round trips to the server's clock.
    fastest_ns : int or None
        Of the fastest of them, the way there and back.
    bounds : int
        Facts that narrow it: no request before its sending, no read before its writing.
    agrees : bool
        False where they contradict each other: one of the clocks was set in between.
    """

    ahead_ns: int
    error_ns: int
    rounds: int
    fastest_ns: int | None
    bounds: int
    agrees: bool

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form, in seconds."""
        return {
            "ahead_s": self.ahead_ns / 1e9,
            "error_s": self.error_ns / 1e9,
            "rounds": self.rounds,
            "fastest_s": None if self.fastest_ns is None else self.fastest_ns / 1e9,
            "bounds": self.bounds,
            "agrees": self.agrees,
        }


def clock(m: Measured) -> Clock | None:
    """Return how far the server's clock is ahead; None where nothing tells of it."""
    high = [received - sent + STEP_NS for sent, received, _, _ in m.clock]
    low = [answered - back - STEP_NS for _, _, answered, back in m.clock]
    whole = _named(m.spans, "server.request")
    sent_ns = m.resource.get("requestStart") or m.call_ns
    if whole is not None:
        high.append(whole.start_ns - sent_ns + STEP_NS)
    for start_ns, _, size_B in m.pieces:
        read = _read_of(m, size_B)
        if read is not None:
            low.append(start_ns - m.reads[read][0] - STEP_NS)
    if not high or not low:
        return None
    fastest = offset(m.clock)
    trips = [(back - sent) - (answered - received) for sent, received, answered, back in m.clock]
    least, most = max(low), min(high)
    agrees = least <= most
    if agrees or fastest is None:
        ahead, error = (least + most) // 2, max(most - least, 0) // 2 + 1
    else:
        ahead, error = fastest.ahead_ns, fastest.error_ns
    bounds = len(high) + len(low) - 2 * len(m.clock)
    return Clock(ahead, error, len(m.clock), min(trips, default=None), bounds, agrees)


def _named(spans: list[Told], name: str) -> Told | None:
    return next((span for span in spans if span.name == name), None)


def _read_of(m: Measured, size_B: int) -> int | None:
    """Return the read after which so many bytes of the body were there."""
    at = bisect_left(m.reads, size_B, key=lambda r: r[1])
    return at if at < len(m.reads) else None


@dataclass
class Tree:
    """Spans as they are laid: on the page's clock, in nanoseconds after the key press."""

    lead_ns: int
    spans: list[Span] = field(default_factory=list[Span])
    ends: dict[str, int] = field(default_factory=dict[str, int])
    gaps: int = 0

    def lay(self, id: str, title: str, start_ns: int, end_ns: int, carrier: str, after: str = "",
            parent: str | None = "trip.measured", more: tuple[str, ...] = (),
            about: Mapping[str, float | str] | None = None) -> str:  # fmt: skip
        """Lay a span after another; what lies between them becomes a gap."""
        end_ns = max(end_ns, start_ns)
        if after and after in self.ends and start_ns > self.ends[after]:
            self.gaps += 1
            name = f"gap.{self.gaps}"
            self._put(name, "what nobody measured", self.ends[after], start_ns, "waiting", (after,), parent, {})
            after = name
        before = tuple(each for each in (after, *more) if each)
        self._put(id, title, start_ns, end_ns, carrier, before, parent, dict(about or {}))
        return id

    def _put(self, id: str, title: str, start_ns: int, end_ns: int, carrier: str, after: tuple[str, ...],
             parent: str | None, attributes: dict[str, float | str]) -> None:  # fmt: skip
        latest = max((self.ends[a] for a in after if a in self.ends), default=-self.lead_ns)
        self.ends[id] = end_ns
        self.spans.append(
            Span(
                id=id, name=id.rstrip("0123456789").rstrip("."), title=title, parent=parent, after=after,
                start_s=(start_ns + self.lead_ns) / 1e9, duration_s=(end_ns - start_ns) / 1e9,
                lag_s=(start_ns - latest) / 1e9, carrier=carrier, reading="record", grade="measured",
                attributes=attributes,
            )
        )  # fmt: skip


def join(m: Measured, forecast: Sequence[Span] = ()) -> tuple[Trace, Clock | None]:
    """Return one tree of a measured answer.

    Parameters
    ----------
    m : Measured
    forecast : sequence of Span
        Of the same answer on this machine: it stands where no program can measure.
    """
    before = [s for s in forecast if s.parent is None and s.id.startswith(BEFORE)]
    if m.by != "key":
        before = []  # the forecast is one of a key
    lead_ns = round(max((s.end_s for s in before), default=0.0) * 1e9)
    found, tree = clock(m), Tree(lead_ns)
    for span in before:
        tree.spans.append(_modeled(span, 0.0))
        tree.ends[span.id] = round(span.end_s * 1e9) - lead_ns
    last = before[-1].id if before else ""
    last = tree.lay("page.input", "the browser brings the key to the page", 0, m.handle_ns - m.key_ns,
                    "waiting", last, about={"by": m.by})  # fmt: skip
    call_ns = m.call_ns - m.key_ns
    last = tree.lay("page.request", "the page writes the request", tree.ends[last], call_ns, "moving charge", last)
    made = _Answer(m, tree, found)
    last = made.lay(last)
    end_ns = tree.ends[last]
    tree.lay("trip.measured", "from the key press to the last paint", 0, end_ns, "moving charge", parent="trip")
    if made.painted:
        _screen(tree, forecast, last, end_ns)
    whole_ns = max(tree.ends.values())
    tree.lay("trip", "from the finger to the word", -lead_ns, whole_ns, "moving charge", parent=None)
    tree.spans.sort(key=lambda s: (s.start_s, -s.duration_s))
    return _trace(m, tree, made, last, end_ns), found


def _modeled(span: Span, shift_s: float) -> Span:
    return Span(
        id=span.id, name=span.name, title=span.title, parent="trip", after=span.after, lag_s=span.lag_s,
        start_s=span.start_s + shift_s, duration_s=span.duration_s, carrier=span.carrier, reading="forecast",
        grade=span.grade, sources=span.sources,
    )  # fmt: skip


def _screen(tree: Tree, forecast: Sequence[Span], last: str, end_ns: int) -> None:
    """Lay the forecast of the screen and the eye after the last paint."""
    after = [s for s in forecast if s.parent is None and s.id.startswith(AFTER)]
    if not after:
        return
    shift_s = (end_ns + tree.lead_ns) / 1e9 - after[0].start_s
    for number, span in enumerate(after):
        laid = _modeled(span, shift_s)
        if number == 0:
            laid.after, laid.lag_s = (last,), 0.0
        tree.spans.append(laid)
        tree.ends[laid.id] = round(laid.end_s * 1e9) - tree.lead_ns


class _Answer:
    """Lays what lies between the request and the last paint."""

    def __init__(self, m: Measured, tree: Tree, found: Clock | None) -> None:
        self.m, self.tree = m, tree
        self.ahead_ns = found.ahead_ns if found else None
        self.whole = _named(m.spans, "server.request") if found else None
        self.made: list[str] = []  # the step that made each token
        self.first, self.painted, self.steps = "", False, 0

    def here(self, there_ns: int) -> int:
        """Return nanoseconds after the key press of a time of the server's clock."""
        return there_ns - (self.ahead_ns or 0) - self.m.key_ns

    def lay(self, last: str) -> str:
        """Lay everything; the id of the span that ends it."""
        m, tree = self.m, self.tree
        sent_ns = max((m.resource.get("requestStart") or m.call_ns) - m.key_ns, tree.ends[last])
        pieces = m.pieces if self.ahead_ns is not None else []
        if self.whole is not None:
            arrived_ns = max(self.here(self.whole.start_ns), tree.ends[last])
        elif pieces:
            arrived_ns = max(self.here(pieces[0][0]), tree.ends[last])
        else:
            arrived_ns = None
        back_ns = (m.reads[-1][0] if m.reads else m.call_ns) - m.key_ns
        tree.lay("fetch", "the browser sends the request and reads the answer", m.call_ns - m.key_ns, back_ns,
                 "moving charge", parent="trip", about={"span_id": m.span_id})  # fmt: skip
        if m.resource.get("requestStart"):
            sent_ns = min(sent_ns, arrived_ns) if arrived_ns is not None else sent_ns
            last = tree.lay("fetch.start", "the browser takes a connection", tree.ends[last], sent_ns, "waiting", last,
                            "fetch", about=_connection(m))  # fmt: skip
        if arrived_ns is not None:
            last = tree.lay("wire.out", "the request crosses to the server", tree.ends[last], arrived_ns,
                            "stored charge", last, "fetch")  # fmt: skip
        last = self._server(self.whole, last) if self.whole is not None else last
        return self._pieces(pieces, last)

    def _server(self, whole: Told, last: str) -> str:
        """Lay what the server told of itself; the span of the last token."""
        tree, spans = self.tree, self.m.spans
        ends_ns = [self.here(whole.end_ns), *(self.here(p[1]) for p in self.m.pieces)]
        tree.lay("server.request", "the server answers", self.here(whole.start_ns), max(ends_ns), "moving charge",
                 parent="fetch")  # fmt: skip
        parts = [s for s in spans if s.parent_id == whole.span_id]
        for name, title, carrier in (
            ("server.receive", "the server reads the request", "moving charge"),
            ("server.tokenize", "the text is cut into tokens", "moving charge"),
            ("server.queue", "it waits for its turn", "waiting"),
        ):
            part = _named(parts, name)
            if part is not None:
                start_ns = max(self.here(part.start_ns), tree.ends[last])
                last = tree.lay(name, title, start_ns, self.here(part.end_ns), carrier, last, "server.request",
                                about=_numbers(part))  # fmt: skip
        for name, title, step in (
            ("server.prefill", "the model reads the prompt", "the model reads"),
            ("server.decode", "the model writes, token after token", "the model writes one token"),
        ):
            part = _named(parts, name)
            if part is None:
                continue
            id = name.replace("server.", "model.")
            tree.lay(id, title, self.here(part.start_ns), self.here(part.end_ns), "moving charge",
                     parent="server.request", about=_numbers(part))  # fmt: skip
            for told in (s for s in spans if s.parent_id == part.span_id and s.name == "server.step"):
                last = self._step(told, step, id, last)
            if name == "server.prefill":
                self.made.append(last)
        return last

    def _step(self, told: Told, title: str, parent: str, last: str) -> str:
        """Lay one pass of the model, and what its thread did since the one before."""
        tree = self.tree
        self.steps += 1
        number = self.steps
        start_ns = max(self.here(told.start_ns), tree.ends[last])
        if start_ns > tree.ends[last]:
            words = "it gets its place" if number == 1 else "the token is handed out, the next pass planned"
            last = tree.lay(f"model.between.{number}", words, tree.ends[last], start_ns, "moving charge", last,
                            parent)  # fmt: skip
        attributes = _numbers(told)
        if parent == "model.decode" and len(self.made) < len(self.m.tokens):
            said = self.m.tokens[len(self.made)]
            attributes["token"] = said.text
            if said.logprob is not None:
                attributes["probability"] = math.exp(min(said.logprob, 0.0))
        step = tree.lay(f"model.step.{number}", title, start_ns, self.here(told.end_ns), "moving charge", last, parent,
                        about=attributes)  # fmt: skip
        if parent == "model.decode":
            self.made.append(step)
        return step

    def _pieces(self, pieces: list[tuple[int, int, int]], last: str) -> str:
        """Lay the way of each piece of text from its token to its paint; the span that ends the last of them."""
        m, tree = self.m, self.tree
        came: dict[int, list[str]] = {}
        for number, (start_ns, end_ns, size_B) in enumerate(pieces, start=1):
            read = _read_of(m, size_B)
            if read is None:
                continue
            read_ns = m.reads[read][0] - m.key_ns
            before = self._source(pieces, number - 1)
            floor_ns = tree.ends[before] if before else tree.ends[last]
            write_ns = max(min(self.here(start_ns), read_ns), min(floor_ns, read_ns))
            wrote_ns = max(min(self.here(end_ns), read_ns), write_ns)
            within = "server.request" if self.whole is not None else "fetch"
            if before and write_ns > tree.ends[before]:
                before = tree.lay(f"server.handover.{number}", "the token becomes text and a piece of the answer",
                                  tree.ends[before], write_ns, "stored charge", before, within)  # fmt: skip
            elif not self.whole:
                held = f"server.write.{number - 1}" if number > 1 else last
                before = tree.lay(f"server.work.{number}", "the server works; what it did it tells at an answer's end",
                                  min(tree.ends.get(held, write_ns), write_ns), write_ns, "moving charge",
                                  held if held in tree.ends else "", within)  # fmt: skip
            wrote = tree.lay(f"server.write.{number}", "the server hands it to the connection", write_ns, wrote_ns,
                             "stored charge", before, within)  # fmt: skip
            carried_B = size_B - (pieces[number - 2][2] if number > 1 else 0)
            back = tree.lay(f"wire.back.{number}", "it crosses to the page", wrote_ns, read_ns, "stored charge", wrote,
                            "fetch", about={"bytes_B": float(carried_B)})  # fmt: skip
            came.setdefault(read, []).append(back)
        return self._page(came, last)

    def _source(self, pieces: list[tuple[int, int, int]], index: int) -> str:
        """Return the step that made the last token of a piece; what began the answer, for a piece without one."""
        if not self.made:
            return ""
        size_B, before_B = pieces[index][2], pieces[index - 1][2] if index else 0
        tokens = [n for n, said in enumerate(self.m.tokens) if before_B < said.end_B <= size_B]
        if tokens:
            return self.made[min(tokens[-1], len(self.made) - 1)]
        written_ns = self.here(pieces[index][0])
        done = [step for step in self.made if self.tree.ends[step] <= written_ns]
        return done[-1] if done else "server.queue" if "server.queue" in self.tree.ends else ""

    def _page(self, came: dict[int, list[str]], last: str) -> str:
        m, tree = self.m, self.tree
        shown: dict[int, int] = {}
        for number, (_, _, commit) in enumerate(m.frames):
            for each in range(m.frames[number - 1][2] + 1 if number else 0, commit + 1):
                shown[each] = number
        ready: dict[int, list[str]] = {}
        for number, (start_ns, end_ns, read) in enumerate(m.commits):
            read_ns = m.reads[read][0] - m.key_ns
            ways = came.get(read, [])
            after, more = (ways[-1], tuple(ways[:-1])) if ways else (last, ())
            begin_ns = read_ns if ways else max(read_ns, tree.ends[last])
            parsed = tree.lay(f"page.read.{number + 1}", "the page takes it out of the stream", begin_ns,
                              max(start_ns - m.key_ns, begin_ns), "moving charge", after, more=more)  # fmt: skip
            put = tree.lay(f"{SEEN}.{number + 1}", "the page puts it into the text", tree.ends[parsed],
                           end_ns - m.key_ns, "moving charge", parsed)  # fmt: skip
            if number in shown:
                ready.setdefault(shown[number], []).append(put)
            else:
                last = put
        for number, (start_ns, end_ns, _) in enumerate(m.frames):
            puts = ready.get(number, [])
            if not puts:
                continue
            begin_ns, after = tree.ends[puts[-1]], puts[-1]
            wait = tree.lay(f"screen.wait.{number + 1}", "it waits for the next picture", begin_ns,
                            max(start_ns - m.key_ns, begin_ns), "waiting", after, more=tuple(puts[:-1]))  # fmt: skip
            last = tree.lay(f"screen.paint.{number + 1}", "the browser lays it out and paints", tree.ends[wait],
                            max(end_ns - m.key_ns, tree.ends[wait]), "moving charge", wait)  # fmt: skip
            self.first = self.first or last
            self.painted = True
        return last


def _connection(m: Measured) -> dict[str, float]:
    start, end = m.resource.get("connectStart", 0), m.resource.get("connectEnd", 0)
    return {"connect_s": (end - start) / 1e9} if end > start else {}


def _numbers(span: Told) -> dict[str, float | str]:
    return {f"{name}_token" if name in ("tokens", "cached", "all_tokens") else name: float(value)
            for name, value in span.attributes.items() if isinstance(value, (int, float))}  # fmt: skip


def _trace(m: Measured, tree: Tree, made: _Answer, last: str, end_ns: int) -> Trace:
    gaps = [s.id for s in tree.spans if s.name == "gap"]
    algebra: dict[str, dict[str, Any]] = {
        "time_to_last_paint_s": {"end_of": last},
        "measured_s": {"sum_of": ["trip.measured"]},
        "unattributed_s": {"sum_of": gaps},
    }
    if made.first:
        algebra["time_to_first_paint_s"] = {"end_of": made.first}
    scenario = {"name": "live", "title": "A real answer on this machine", "sentence": "", "way": "record",
                "choices": {}, "values": {}}  # fmt: skip
    trace = Trace(m.prompt, scenario, tree.spans, {}, algebra, "record", m.answer)
    from roundtrip.trace.algebra import summary

    trace.summary = summary(trace)
    return trace
