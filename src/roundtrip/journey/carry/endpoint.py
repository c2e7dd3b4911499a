"""One end of a TCP connection: it takes segments and the time, and gives segments and the time of its next alarm.

Handshake, windows with their scale, selective acknowledgments [4]_, slow start and congestion avoidance [1]_, loss
found by the time at which later segments arrived and by a probe of the tail (RACK-TLP [2]_), the retransmission timeout
[3]_, and acknowledgments that are held back. No clock and no network in here: `wire` moves the segments.

References
----------
.. [1] M. Allman, V. Paxson and E. Blanton, RFC 5681, 2009; B. Briscoe et al., RFC 9293, 2022
.. [2] Y. Cheng et al., RFC 8985, 2021, https://www.rfc-editor.org/rfc/rfc8985
.. [3] V. Paxson et al., RFC 6298, 2011, https://www.rfc-editor.org/rfc/rfc6298
.. [4] M. Mathis et al., RFC 2018, 1996, https://www.rfc-editor.org/rfc/rfc2018
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from roundtrip.errors import RoundtripError
from roundtrip.journey.carry.packet import End
from roundtrip.stages.network.tcp import FLAGS, Segment

LARGEST_B, SCALE, BUFFER_B = 1460, 7, 1 << 20
FIRST_SEGMENTS = 10  # RFC 6928
LEAST_TIMEOUT_S, FIRST_TIMEOUT_S, MOST_TIMEOUT_S = 0.2, 1.0, 60.0
HELD_BACK_S, WORST_HELD_BACK_S = 0.04, 0.2  # of acknowledgments: what Linux does, and what RFC 8985 reckons with
QUICK_ACKS = 16  # segments that are acknowledged at once at the start
MOST_TRIES = 15
_ROUND = 1 << 32


@dataclass(slots=True)
class Sent:
    """A stretch of the stream that was sent and is not acknowledged yet; numbers count from the start, without end."""

    first: int
    payload: bytes
    flag: str
    sent_s: float
    sends: int = 1
    arrived: bool = False  # selectively acknowledged
    lost: bool = False

    @property
    def end(self) -> int:
        """Number after the last byte; opening and end of the stream take one number each."""
        return self.first + len(self.payload) + (1 if self.flag else 0)


@dataclass(slots=True)
class Counts:
    """What happened at this end."""

    segments: int = 0
    sent_again: int = 0
    timeouts: int = 0
    probes: int = 0
    fast: int = 0


class ConnectionLostError(RoundtripError):
    """The other end did not answer to any of many attempts."""


@dataclass(slots=True)
class Endpoint:
    """One end of a connection."""

    me: End
    peer: End
    start: int
    is_client: bool
    counts: Counts = field(default_factory=Counts)
    is_open: bool = False
    is_ended: bool = False  # the other end has said that nothing more comes
    _out: list[Segment] = field(default_factory=list[Segment])
    _flying: list[Sent] = field(default_factory=list[Sent])
    _unsent: bytearray = field(default_factory=bytearray)
    _next: int = 0  # number of the next byte to be sent
    _ending: bool = False
    _ended: bool = False
    _window: int = 65_535
    _peer_scale: int = 0
    _largest_B: int = LARGEST_B
    _congestion_B: float = FIRST_SEGMENTS * LARGEST_B
    _threshold_B: float = math.inf
    _recover: int = -1  # recovery lasts until this number is acknowledged
    _smooth_s: float = 0.0
    _spread_s: float = 0.0
    _least_s: float = math.inf
    _timeout_s: float = FIRST_TIMEOUT_S
    _latest: tuple[float, int] = (-math.inf, -1)  # sending time and end of the latest segment known to have arrived
    _latest_s: float = 0.0  # and its round trip
    _overtaking: bool = False
    _farthest: int = 0
    _loss_alarm_s: float = math.inf
    _tail_alarm_s: float = math.inf
    _is_probe: bool = False
    _peer_start: int | None = None
    _got: int = 0  # number of the next byte that is expected
    _ahead: dict[int, bytes] = field(default_factory=dict[int, bytes])
    _ahead_end: int | None = None
    _recent: list[int] = field(default_factory=list[int])
    _inbox: bytearray = field(default_factory=bytearray)
    _to_acknowledge: int = 0
    _ack_alarm_s: float = math.inf
    _quick: int = QUICK_ACKS

    def open(self, now_s: float) -> None:
        """Ask for the connection."""
        self._transmit(Sent(0, b"", "SYN", now_s), now_s)
        self._next = 1

    def send(self, data: bytes, now_s: float) -> None:
        """Put bytes into the stream."""
        self._unsent += data
        self._push(now_s)

    def close(self, now_s: float) -> None:
        """Say that nothing more comes, after what is still to be sent."""
        self._ending = True
        self._push(now_s)

    def take(self) -> list[Segment]:
        """Return the segments that are to be put on the wire now."""
        out, self._out = self._out, []
        self.counts.segments += len(out)
        return out

    def read(self) -> bytes:
        """Return the bytes that have arrived in order since the last call."""
        data, self._inbox = bytes(self._inbox), bytearray()
        return data

    @property
    def alarm_s(self) -> float:
        """When `wake` wants to be called, if nothing arrives before."""
        return min(self._loss_alarm_s, self._tail_alarm_s, self._ack_alarm_s)

    @property
    def is_quiet(self) -> bool:
        """Whether everything sent has been acknowledged and nothing is left to send."""
        return not self._flying and not self._unsent and (self._ended or not self._ending)

    def wake(self, now_s: float) -> None:
        """Do what the alarms ask for.

        Raises
        ------
        ConnectionLostError
            If the same segment went out `MOST_TRIES` times without an answer.
        """
        if self._ack_alarm_s <= now_s:
            self._acknowledge()
        if self._loss_alarm_s <= now_s:
            self._find_lost(now_s)
            self._push(now_s)
        if self._tail_alarm_s <= now_s:
            self._probe(now_s) if self._is_probe else self._time_out(now_s)

    def receive(self, segment: Segment, now_s: float) -> None:
        """Take a segment that has arrived whole."""
        if segment.has("SYN"):
            self._greet(segment, now_s)
        if self._peer_start is None:
            return
        if segment.has("ACK"):
            self._hear(segment, now_s)
        if segment.payload or segment.has("FIN"):
            self._store(segment, now_s)
        self._push(now_s)

    # What this end sends.

    def _push(self, now_s: float) -> None:
        for sent in self._flying:
            if sent.lost and self._in_flight() + len(sent.payload) <= max(self._congestion_B, self._largest_B):
                self._again(sent, now_s)
        if self.is_open:
            room = min(self._congestion_B - self._in_flight(), self._window - (self._next - self._oldest()))
            while self._unsent and room >= min(len(self._unsent), self._largest_B):
                payload = bytes(self._unsent[: self._largest_B])
                del self._unsent[: self._largest_B]
                self._transmit(Sent(self._next, payload, "", now_s), now_s)
                self._next += len(payload)
                room -= len(payload)
            if self._ending and not self._ended and not self._unsent:
                self._ended = True
                self._transmit(Sent(self._next, b"", "FIN", now_s), now_s)
                self._next += 1

    def _oldest(self) -> int:
        return self._flying[0].first if self._flying else self._next

    def _in_flight(self) -> int:
        return sum(sent.end - sent.first for sent in self._flying if not (sent.arrived or sent.lost))

    def _transmit(self, sent: Sent, now_s: float) -> None:
        if sent.sends == 1:
            self._flying.append(sent)
        flags = FLAGS[sent.flag] if sent.flag else FLAGS["PSH"] if not self._unsent else 0
        self._emit(flags, sent.first, sent.payload)
        self._arm(now_s)

    def _emit(self, flags: int, number: int, payload: bytes = b"") -> None:
        opening = bool(flags & FLAGS["SYN"])
        if self._peer_start is not None:
            flags |= FLAGS["ACK"]
        acknowledged = (self._peer_start + self._got) % _ROUND if self._peer_start is not None else 0
        self._out.append(
            Segment(
                self.me.port, self.peer.port, (self.start + number) % _ROUND, acknowledged, flags,
                65_535 if opening else BUFFER_B >> SCALE, payload,
                LARGEST_B if opening else None, SCALE if opening else None, opening, () if opening else self._blocks(),
            )
        )  # fmt: skip
        if self._peer_start is not None:
            self._to_acknowledge = 0
            self._ack_alarm_s = math.inf

    def _again(self, sent: Sent, now_s: float) -> None:
        sent.lost = False
        sent.sends += 1
        if sent.sends > MOST_TRIES:
            raise ConnectionLostError(f"{MOST_TRIES} attempts to {self.peer.address} were not answered")
        sent.sent_s = now_s
        self.counts.sent_again += 1
        self._transmit(sent, now_s)

    def _arm(self, now_s: float) -> None:
        """Set the alarm of the tail: a probe after two round trips, once, and the timeout after that."""
        if not any(not sent.arrived for sent in self._flying):
            self._tail_alarm_s = math.inf
            return
        self._is_probe = (
            self.is_open and self._smooth_s > 0.0 and self._recover < 0 and self._timeout_s <= self._own_s()
        )
        wait_s = self._timeout_s
        if self._is_probe:
            lone = self._in_flight() <= self._largest_B
            wait_s = min(2.0 * self._smooth_s + (WORST_HELD_BACK_S if lone else 0.0), wait_s)
        self._tail_alarm_s = now_s + wait_s

    def _own_s(self) -> float:
        """Return the timeout before any doubling."""
        if self._smooth_s == 0.0:
            return FIRST_TIMEOUT_S
        return min(self._smooth_s + max(4.0 * self._spread_s, LEAST_TIMEOUT_S), MOST_TIMEOUT_S)

    def _probe(self, now_s: float) -> None:
        self.counts.probes += 1
        last = next(sent for sent in reversed(self._flying) if not sent.arrived)
        self._again(last, now_s)
        self._is_probe = False
        self._tail_alarm_s = now_s + self._timeout_s

    def _time_out(self, now_s: float) -> None:
        self.counts.timeouts += 1
        self._threshold_B = max(self._in_flight() / 2.0, 2.0 * self._largest_B)
        self._congestion_B = float(self._largest_B)
        self._recover = self._next
        for sent in self._flying:
            sent.lost = not sent.arrived
        self._timeout_s = min(2.0 * self._timeout_s, MOST_TIMEOUT_S)
        self._again(next(sent for sent in self._flying if sent.lost), now_s)
        self._is_probe = False
        self._tail_alarm_s = now_s + self._timeout_s

    # What the other end says.

    def _greet(self, segment: Segment, now_s: float) -> None:
        if self._peer_start is None:
            self._peer_start = segment.sequence
            self._got = 1
            self._largest_B = min(segment.largest_B or 536, LARGEST_B)
            self._peer_scale = segment.scale or 0
            if not self.is_client:
                self._transmit(Sent(0, b"", "SYN", now_s), now_s)
                self._next = 1
                return
        self._acknowledge_soon(now_s, at_once=True)

    def _hear(self, segment: Segment, now_s: float) -> None:
        acknowledged = self._number(segment.acknowledged, self.start, self._oldest())
        if acknowledged > self._next:
            return
        self._window = segment.window << (0 if segment.has("SYN") else self._peer_scale)
        arrived = [sent for sent in self._flying if sent.end <= acknowledged]
        gained = sum(sent.end - sent.first for sent in arrived)
        self._flying = self._flying[len(arrived) :]
        for first, end in segment.blocks:
            low, high = (self._number(edge, self.start, acknowledged) for edge in (first, end))
            for sent in self._flying:
                if not sent.arrived and low <= sent.first and sent.end <= high:
                    sent.arrived = True
                    sent.lost = False
                    arrived.append(sent)
        for sent in arrived:
            self._learn(sent, now_s)
        if not self.is_open and acknowledged >= 1:
            self.is_open = True
        if self._recover >= 0 and acknowledged >= self._recover:
            self._recover = -1
        elif self._recover < 0 or self._congestion_B < self._threshold_B:
            slow = self._congestion_B < self._threshold_B
            self._congestion_B += gained if slow else self._largest_B * gained / self._congestion_B
        if arrived:
            self._timeout_s = self._own_s()
            self._find_lost(now_s)
            self._arm(now_s)

    def _learn(self, sent: Sent, now_s: float) -> None:
        round_trip_s = now_s - sent.sent_s
        if sent.sends == 1:
            if not sent.arrived and sent.end < self._farthest:
                self._overtaking = True
            if self._smooth_s == 0.0:
                self._smooth_s, self._spread_s = round_trip_s, round_trip_s / 2.0
            else:
                self._spread_s += 0.25 * (abs(self._smooth_s - round_trip_s) - self._spread_s)
                self._smooth_s += 0.125 * (round_trip_s - self._smooth_s)
            self._least_s = min(self._least_s, round_trip_s)
        elif round_trip_s < self._least_s:
            return  # an answer to the first sending, not to this one
        self._farthest = max(self._farthest, sent.end)
        if (sent.sent_s, sent.end) > self._latest:
            self._latest, self._latest_s = (sent.sent_s, sent.end), round_trip_s

    def _find_lost(self, now_s: float) -> None:
        """Take for lost what was sent before something that has arrived, and had time enough to arrive too."""
        self._loss_alarm_s = math.inf
        arrived = sum(sent.arrived for sent in self._flying)
        if not arrived and self._recover < 0:
            return
        patience_s = 0.0 if not self._overtaking and (self._recover >= 0 or arrived >= 3) else self._least_s / 4.0
        for sent in self._flying:
            if sent.arrived or sent.lost or (sent.sent_s, sent.end) >= self._latest:
                continue
            due_s = sent.sent_s + self._latest_s + patience_s
            if due_s <= now_s + 1e-12:
                sent.lost = True
                self._reduce()
            else:
                self._loss_alarm_s = min(self._loss_alarm_s, due_s)

    def _reduce(self) -> None:
        if self._recover < 0:
            self.counts.fast += 1
            self._recover = self._next
            self._threshold_B = max(0.5 * self._congestion_B, 2.0 * self._largest_B)
            self._congestion_B = self._threshold_B

    # What this end has received.

    def _number(self, on_wire: int, start: int, near: int) -> int:
        """Return a number without end from one modulo 2^32, the nearest to one that is known."""
        offset = (on_wire - start - near) % _ROUND
        return near + (offset - _ROUND if offset >= _ROUND // 2 else offset)

    def _store(self, segment: Segment, now_s: float) -> None:
        start = self._peer_start or 0
        first = self._number(segment.sequence, start, self._got)
        end = first + len(segment.payload)
        if segment.has("FIN"):
            self._ahead_end = end
        in_order = first <= self._got
        if end > self._got and segment.payload:
            self._ahead[first] = max(segment.payload, self._ahead.get(first, b""), key=len)
            self._recent = [first, *(other for other in self._recent if other != first)][:8]
        gap = bool(self._ahead) and not in_order
        while True:
            due = next((number for number in self._ahead if number <= self._got), None)
            if due is None:
                break
            payload = self._ahead.pop(due)
            self._inbox += payload[self._got - due :]
            self._got = max(self._got, due + len(payload))
        if self._ahead_end is not None and self._got == self._ahead_end:
            self._got += 1
            self._ahead_end = None
            self.is_ended = True
        self._acknowledge_soon(now_s, at_once=gap or end <= self._got - 1 or bool(self._ahead) or self.is_ended)

    def _acknowledge_soon(self, now_s: float, at_once: bool) -> None:
        self._to_acknowledge += 1
        self._quick -= 1
        if at_once or self._to_acknowledge >= 2 or self._quick >= 0:
            self._acknowledge()
        else:
            self._ack_alarm_s = min(self._ack_alarm_s, now_s + HELD_BACK_S)

    def _acknowledge(self) -> None:
        self._emit(0, self._next)

    def _blocks(self) -> tuple[tuple[int, int], ...]:
        """Return the stretches beyond the gap, the latest first, at most three."""
        if self._peer_start is None or not self._ahead:
            return ()
        stretches: list[list[int]] = []
        for first in sorted(self._ahead):
            end = first + len(self._ahead[first])
            if stretches and first <= stretches[-1][1]:
                stretches[-1][1] = max(stretches[-1][1], end)
            else:
                stretches.append([first, end])
        latest = self._recent[0] if self._recent else 0
        stretches.sort(key=lambda s: not s[0] <= latest < s[1])
        return tuple(
            ((self._peer_start + first) % _ROUND, (self._peer_start + end) % _ROUND) for first, end in stretches[:3]
        )
