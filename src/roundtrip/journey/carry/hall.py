"""The datacenter: which path, which server, the request read, the small model's answer, and its events."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roundtrip.errors import ModelError, PromptError, RoundtripError
from roundtrip.journey.carry import packet, short
from roundtrip.journey.carry.artifact import Artifact
from roundtrip.journey.carry.exchange import CLIENT, HTTPS, SERVER, Exchanged
from roundtrip.journey.carry.light import Haul
from roundtrip.journey.carry.wire import Seen
from roundtrip.stages.computer import browser
from roundtrip.stages.datacenter import balancer, fabric, nic
from roundtrip.stages.network import http

SPINES, SERVERS, TABLE = 8, 5, 251
GOOD_DB = 24.0  # of a short link in order; KP4 has nothing to do there
DONE = http.encode_event("[DONE]")
NOBODY = "(no model is on this computer)"


class RequestError(RoundtripError):
    """A request that the server cannot read."""


@dataclass(slots=True)
class Hall:
    """The short links and what they did."""

    stream: np.random.Generator
    haul: Haul
    snr_dB: float = GOOD_DB
    corrected: bool = True
    words: int = 0
    repaired: int = 0
    failed: int = 0
    levels: list[np.ndarray[Any, Any]] = field(default_factory=list[Any])

    def __call__(self, frames: list[bytes], direction: str, at_s: float) -> list[bytes | None]:
        """Carry frames over the long haul and a short link, in the order of their direction."""
        if direction == "out":
            return self._onward(self.haul(frames, direction, at_s), lambda some: self._short(some))
        return self._onward(self._short(frames), lambda some: self.haul(some, direction, at_s))

    def _short(self, frames: list[bytes]) -> list[bytes | None]:
        passed = short.carry(frames, self.snr_dB, self.stream, self.corrected)
        self.words += len(passed.repaired)
        self.repaired += int(passed.repaired[passed.repaired > 0].sum())
        self.failed += int(np.count_nonzero(passed.repaired == -1))
        if len(self.levels) < 4:
            self.levels.append(passed.levels)
        return passed.frames

    @staticmethod
    def _onward(frames: list[bytes | None], go: Callable[[list[bytes]], list[bytes | None]]) -> list[bytes | None]:
        """Carry what has survived further; what was lost stays lost."""
        living = [frame for frame in frames if frame is not None]
        further = iter(go(living) if living else [])
        return [None if frame is None else next(further) for frame in frames]


@dataclass(slots=True)
class Reply:
    """What the model said, in pieces, and how long it really took."""

    pieces: list[str]
    model: str
    took_s: float
    prompt: str = ""
    tokens: list[int] = field(default_factory=list[int])

    @property
    def text(self) -> str:
        """The whole reply."""
        return "".join(self.pieces)


def read_request(body: bytes) -> str:
    """Return the prompt in a request's body.

    Raises
    ------
    RequestError
        If it is no JSON of the expected form.
    """
    try:
        whole = json.loads(body.decode("utf-8"))
        text = whole["messages"][-1]["content"]
        if isinstance(text, str):
            text.encode("utf-8")  # an escaped half of a pair of surrogates is no character
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        raise RequestError(f"the server cannot read a request of {len(body)} bytes as a chat") from None
    if not isinstance(text, str):
        raise RequestError("the last message of the request holds no text")
    return text


def reply_to(prompt: str, max_tokens: int, given: str | None = None, model: str | None = None) -> Reply:
    """Return the answer of the small model, or a given one in words, or that nobody is there."""
    began = time.perf_counter()
    if given is not None:
        return Reply(_words(given), "given", 0.0, prompt)
    pieces: list[str] = []
    try:
        from roundtrip.engine import engine as engine_room
        from roundtrip.journey.answer import answer, form_of, tokens_of

        engine = engine_room.load(model)
        found = answer(prompt, max_tokens=max_tokens, engine=engine, on_text=pieces.append)
        tokens = tokens_of(engine, prompt, form_of(prompt, "auto" if engine.chat else "text"))
        return Reply(pieces, found.name, time.perf_counter() - began, prompt, tokens)
    except (ModelError, PromptError) as error:
        return Reply(_words(NOBODY), f"none: {error}", time.perf_counter() - began, prompt)


def _words(text: str) -> list[str]:
    """Return a text in pieces that begin with their space."""
    words = text.split(" ")
    return [word if i == 0 else " " + word for i, word in enumerate(words)]


def events(reply: Reply, first_s: float, step_s: float) -> list[tuple[float, bytes]]:
    """Return the reply as server-sent events: the first one after a wait, the others a step apart."""
    found: list[tuple[float, bytes]] = []
    for number, piece in enumerate(reply.pieces):
        delta = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
        chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [delta]}
        text = json.dumps(chunk, ensure_ascii=False, separators=(",", ":"))
        found.append((first_s + number * step_s, http.encode_event(text)))
    last_s = found[-1][0] if found else first_s
    return [*found, (last_s, DONE)]


def read_reply(body: bytes) -> str:
    """Return the text in a stream of events; what is no event of the chat is passed over."""
    out: list[str] = []
    for event in browser.parse_stream([body]):
        try:
            text = json.loads(event.data)["choices"][0]["delta"]["content"]
        except (ValueError, KeyError, IndexError, TypeError, RecursionError):
            continue
        if isinstance(text, str):
            out.append(text)
    # Halves of a pair of surrogates, escaped in JSON, are no characters: each becomes a question mark.
    return "".join(out).encode("utf-8", "replace").decode("utf-8")


def artifacts(exchanged: Exchanged, hall: Hall, reply: Reply, port: int) -> list[Artifact]:
    """Return what there is to look at in the datacenter."""
    flow = f"{CLIENT[1]}:{port} {SERVER[1]}:{HTTPS} tcp"
    names = [f"server-{i + 1}" for i in range(SERVERS)]
    table = balancer.maglev_table(names, TABLE)
    chosen = names[balancer.maglev_choose(table, flow)]
    path = fabric.equal_cost_path(flow, SPINES)
    entry = balancer.maglev_choose(range(TABLE), flow)
    hops: list[tuple[str, ...]] = [
        ("hop", "why"),
        ("border", "the packet's address is one of ours"),
        (f"spine {path + 1} of {SPINES}", f"hash of '{flow}'"),
        (chosen, f"entry {entry} of a table of {TABLE} (Maglev)"),
    ]
    counts: list[Sequence[str]] = [
        ("what", "count"), ("Reed-Solomon words", str(hall.words)), ("symbols repaired", str(hall.repaired)),
        ("words beyond repair", str(hall.failed)),
    ]  # fmt: skip
    pieces: list[tuple[str, ...]] = [("piece", "text"), *((str(i + 1), repr(p)) for i, p in enumerate(reply.pieces))]
    tokens: list[tuple[str, ...]] = [("position", "token"), *((str(i), str(t)) for i, t in enumerate(reply.tokens))]
    levels = np.concatenate(hall.levels) if hall.levels else np.zeros(0)
    arrived = segments(exchanged.seen["server"])
    received = exchanged.request
    return [
        _table("datacenter.fabric", "path", "The way through the hall", hops),
        _table("datacenter.fabric", "kp4", "Words of the short link", counts),
        Artifact("datacenter.fabric", "levels", "Levels of light as received", "array", {"levels": levels}, file="npz"),
        _table("datacenter.nic", "segments", "Segments as the server's card has them", arrived),
        Artifact("datacenter.gateway", "request", "The request's body, decrypted", "bytes", received, file="json"),
        _table("model.tokenizer", "tokens", f"Tokens of the prompt ({reply.model})", tokens),
        _table("model.decode", "pieces", "Pieces of the reply as they were made", pieces),
    ]


def _table(stage: str, name: str, title: str, rows: Sequence[Sequence[str]]) -> Artifact:
    return Artifact(stage, name, title, "table", list(rows), file="csv")


def segments(seen: Sequence[Seen]) -> list[tuple[str, ...]]:
    """Return the request's segments in the order of their arrival, and how much of the stream is whole after each."""
    rows: list[tuple[str, ...]] = [("time_s", "sequence", "bytes", "in order")]
    got: list[tuple[int, bytes]] = []
    start = 0
    for one in seen:
        if one.direction != "out":
            continue
        segment = packet.opened(packet.unframed(one.frame))
        if segment.has("SYN"):
            start = (segment.sequence + 1) % 2**32
        if not segment.payload:
            continue
        got.append((segment.sequence, segment.payload))
        whole, _ = nic.reassemble(got, start)
        offset = (segment.sequence - start) % 2**32
        rows.append((f"{one.time_s:.6f}", str(offset), str(len(segment.payload)), str(len(whole))))
    return rows
