"""Server-sent events, read as they come off the wire [1]_, with where and when each one came.

A reader of events is small and easy to get wrong: a character cut in two by a packet, a line separator of Unicode
inside a text, a last event without its blank line, a comment that keeps the line open. This one works on bytes, splits
on CR, LF and CR LF alone, and decodes whole lines.

References
----------
.. [1] WHATWG, HTML Living Standard, section 9.2, https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_LINE_B = 8_000_000
DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a stream.

    Attributes
    ----------
    at_ns : int
        When the read returned that completed it, on the clock of who fed the reader.
    data : str
        Its data lines, joined by line feeds.
    name : str
        Its type; empty where the stream names none.
    read : int
        Which read completed it (0, 1, ...): events of one read came in one burst.
    offset_B : int
        Bytes of the stream before its first line.
    size_B : int
        Bytes of the stream from its first line to the line that ended it.
    """

    at_ns: int
    data: str
    name: str
    read: int
    offset_B: int
    size_B: int


class EventReader:
    """Turns reads of any size into events.

    Attributes
    ----------
    comments : list of int
        When each comment came: a sign of life, and no event.
    reads : int
        Reads fed so far.
    """

    def __init__(self) -> None:
        self.comments: list[int] = []
        self.reads = 0
        self._rest = bytearray()
        self._taken_B = 0  # bytes of the stream before _rest
        self._skip_feed = False  # the last read ended with CR: a LF that follows belongs to it
        self._begun = False
        self._data: list[str] = []
        self._name = ""
        self._start_B = -1

    def feed(self, data: bytes, at_ns: int) -> Iterator[Event]:
        """Take one read, and give the events that it completed.

        Raises
        ------
        ValueError
            If a line is longer than any event of ours could be.
        """
        self._rest += data
        read, self.reads = self.reads, self.reads + 1
        if not self._begun:
            if BYTE_ORDER_MARK.startswith(bytes(self._rest[:3])) and len(self._rest) < len(BYTE_ORDER_MARK):
                return  # it may be a byte order mark: the next read says
            self._begun = True
            if self._rest.startswith(BYTE_ORDER_MARK):
                self._drop(len(BYTE_ORDER_MARK))
        yield from self._lines(at_ns, read)
        if len(self._rest) > LONGEST_LINE_B:
            raise ValueError(f"a line of more than {LONGEST_LINE_B:,} bytes")

    def end(self, at_ns: int) -> Iterator[Event]:
        """Give what the end of the stream completes: many servers leave out the last blank line."""
        if self._rest:
            yield from self._line(bytes(self._rest), len(self._rest), at_ns, self.reads)
            self._drop(len(self._rest))
        yield from self._blank(0, at_ns, self.reads)

    def _drop(self, size_B: int) -> None:
        del self._rest[:size_B]
        self._taken_B += size_B

    def _lines(self, at_ns: int, read: int) -> Iterator[Event]:
        while self._rest:
            if self._skip_feed:
                self._skip_feed = False
                if self._rest[0] == 0x0A:
                    self._drop(1)
                    continue
            ends = [place for place in (self._rest.find(b"\n"), self._rest.find(b"\r")) if place >= 0]
            if not ends:
                return
            place = min(ends)
            line = bytes(self._rest[:place])
            self._skip_feed = self._rest[place] == 0x0D
            yield from self._line(line, place + 1, at_ns, read)
            self._drop(place + 1)

    def _line(self, line: bytes, size_B: int, at_ns: int, read: int) -> Iterator[Event]:
        if not line:
            yield from self._blank(size_B, at_ns, read)
            return
        if line.startswith(b":"):
            self.comments.append(at_ns)
            return
        field, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if self._start_B < 0:
            self._start_B = self._taken_B
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value

    def _blank(self, size_B: int, at_ns: int, read: int) -> Iterator[Event]:
        if self._data:
            end_B = self._taken_B + size_B
            yield Event(at_ns, "\n".join(self._data), self._name, read, self._start_B, end_B - self._start_B)
        self._data, self._name, self._start_B = [], "", -1
