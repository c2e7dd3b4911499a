"""The way between two ends: segments become frames, take their time, get lost, overtake each other, and are seen.

A discrete simulation: nothing happens between events, and its clock is the scenario's. What crosses the long haul is
handed to ``link``, which may give a frame back as it was, damaged, or not at all.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from roundtrip.journey.carry import packet
from roundtrip.journey.carry.endpoint import Endpoint
from roundtrip.stages.network.capture import Packet

Link = Callable[[list[bytes], str, float], list[bytes | None]]
MOST_EVENTS = 2_000_000


@dataclass(frozen=True, slots=True)
class Path:
    """What lies between the ends, the same both ways.

    Attributes
    ----------
    one_way_s : float
        From one end to the other, the first bit [s].
    rate_bit_s : float
        Of the slowest line: frames leave one after the other [bit/s].
    hops : int
        Routers: each takes one from the time to live.
    loss : float
        Chance that a frame is lost, each by itself.
    reordering : float
        Chance that a frame is late by `late_s`, and is overtaken.
    late_s : float
        How late [s].
    """

    one_way_s: float
    rate_bit_s: float = 1e9
    hops: int = 12
    loss: float = 0.0
    reordering: float = 0.0
    late_s: float = 0.0


@dataclass(slots=True)
class Lost:
    """A frame that did not arrive."""

    time_s: float
    direction: str
    why: str


@dataclass(frozen=True, slots=True)
class Seen:
    """A frame that an end's interface saw, sent or received."""

    time_s: float
    direction: str
    frame: bytes


@dataclass(slots=True)
class Wire:
    """Two ends, and what goes on between them."""

    client: Endpoint
    server: Endpoint
    path: Path
    stream: np.random.Generator
    link: Link | None = None
    drop: Callable[[str, int, bytes], str] = lambda direction, number, frame: ""
    now_s: float = 0.0
    seen: dict[str, list[Seen]] = field(default_factory=lambda: {"client": [], "server": []})
    lost: list[Lost] = field(default_factory=list[Lost])
    heard: Callable[[str, bytes], None] = lambda side, data: None
    _events: list[tuple[float, int, Callable[[], None]]] = field(
        default_factory=list[tuple[float, int, Callable[[], None]]]
    )
    _ticket: itertools.count[int] = field(default_factory=itertools.count)
    _free_s: dict[str, float] = field(default_factory=lambda: {"out": 0.0, "back": 0.0})
    _sent: dict[str, int] = field(default_factory=lambda: {"out": 0, "back": 0})

    def at(self, time_s: float, act: Callable[[], None]) -> None:
        """Let something happen at a time."""
        heapq.heappush(self._events, (time_s, next(self._ticket), act))

    def send(self, side: str, data: bytes) -> None:
        """Let one side send bytes now."""
        end = self.client if side == "client" else self.server
        end.send(data, self.now_s)
        self._flush()

    def run(self, until: Callable[[], bool] = lambda: False) -> None:
        """Let time pass until something holds, or nothing is left to happen.

        Raises
        ------
        ConnectionLostError
            If an end has given up.
        RuntimeError
            If it never ends.
        """
        self._flush()
        for _ in range(MOST_EVENTS):
            alarm_s = min(self.client.alarm_s, self.server.alarm_s)
            event_s = self._events[0][0] if self._events else math.inf
            if until() or (math.isinf(alarm_s) and math.isinf(event_s)):
                return
            if event_s <= alarm_s:
                self.now_s = max(self.now_s, event_s)
                heapq.heappop(self._events)[2]()
            else:
                self.now_s = max(self.now_s, alarm_s)
                for end in (self.client, self.server):
                    if end.alarm_s <= self.now_s:
                        end.wake(self.now_s)
            self._flush()
        raise RuntimeError(f"{MOST_EVENTS} events and no end")

    def packets(self, side: str, began_ns: int) -> list[Packet]:
        """Return what one side saw, as packets of a capture that began at this time."""
        seen = sorted(self.seen[side], key=lambda one: one.time_s)
        return [Packet(began_ns + round(one.time_s * 1e9), one.frame) for one in seen]

    def _flush(self) -> None:
        for direction, end in (("out", self.client), ("back", self.server)):
            frames = [self._frame(segment_bytes) for segment_bytes in self._packets_of(end, direction)]
            if frames:
                self._carry(frames, direction)

    def _packets_of(self, end: Endpoint, direction: str) -> list[tuple[bytes, bytes, bytes]]:
        made: list[tuple[bytes, bytes, bytes]] = []
        for segment in end.take():
            self._sent[direction] += 1
            data = packet.packet(segment, end.me.address, end.peer.address, self._sent[direction])
            made.append((data, end.me.mac, end.peer.mac))
        return made

    def _frame(self, made: tuple[bytes, bytes, bytes]) -> bytes:
        return packet.frame(*made)

    def _carry(self, frames: list[bytes], direction: str) -> None:
        """Put frames on the line one after the other; see them at the client; take them over the long haul together."""
        leaves: list[float] = []
        for frame in frames:
            begins_s = max(self.now_s, self._free_s[direction])
            self._free_s[direction] = begins_s + 8.0 * (len(frame) + 20.0) / self.path.rate_bit_s
            leaves.append(self._free_s[direction])
            side = "client" if direction == "out" else "server"
            self.seen[side].append(Seen(self._free_s[direction], direction, frame))
        first = self._sent[direction] - len(frames)
        fates = self.link(frames, direction, self.now_s) if self.link else list(frames)
        for number, (frame, fate, leave_s) in enumerate(zip(frames, fates, leaves, strict=True), first + 1):
            why = self.drop(direction, number, frame) or (
                "" if fate is not None else "no whole frame came out of the light"
            )
            if not why and self.path.loss and self.stream.random() < self.path.loss:
                why = "lost on the way"
            if why:
                self.lost.append(Lost(leave_s, direction, why))
                continue
            late_s = self.path.late_s if self.path.reordering and self.stream.random() < self.path.reordering else 0.0
            arrived = fate if fate is not None else frame
            self.at(leave_s + self.path.one_way_s + late_s, lambda d=direction, f=arrived: self._arrive(d, f))

    def _arrive(self, direction: str, frame: bytes) -> None:
        end, side = (self.server, "server") if direction == "out" else (self.client, "client")
        try:
            whole = packet.routed(packet.unframed(frame), self.path.hops)
            segment = packet.opened(whole)
        except ValueError as error:
            self.lost.append(Lost(self.now_s, direction, str(error)))
            return
        other = self.client if direction == "out" else self.server
        self.seen[side].append(Seen(self.now_s, direction, packet.frame(whole, other.me.mac, end.me.mac)))
        end.receive(segment, self.now_s)
        self._flush()
        data = end.read()
        if data or end.is_ended:
            self.heard(side, data)
