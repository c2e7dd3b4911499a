"""The browser: one thread, one queue, and a key press that waits its turn.

The window system hands the key to the window in front, the browser to the element that has the focus. Everything of a
page runs as tasks of one event loop, so a key press waits until the running task ends: with Poisson arrivals that is
the wait of an M/G/1 queue, ``rho S (1 + c^2) / (2 (1 - rho))``. Then come keydown, keypress and input, and keyup when
the key rises. On the way back each server-sent event is parsed and its piece of text put into the page; what is drawn
waits for the next frame (room: display).

References
----------
.. [1] WHATWG, HTML Living Standard, sections 8.1.7 (event loops) and 9.2 (server-sent events).
.. [2] W3C, UI Events, section on keyboard event order.
.. [3] L. Kleinrock, Queueing Systems, volume 1, 1975, section 5.6: the Pollaczek-Khinchine mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from roundtrip.figures.graph import Number

SINCE = (1995, "Netscape Navigator 2.0: JavaScript and its event loop; server-sent events in HTML5, 2006")


def loop_wait_s(utilization: Number, task_s: Number, task_variation: Number) -> Number:
    """Return the mean wait of an event for the event loop, by Pollaczek and Khinchine [s].

    Parameters
    ----------
    utilization : float
        Share of the time in which the main thread is busy.
    task_s : float
        Mean time of a task [s].
    task_variation : float
        Coefficient of variation of that time: 1 for an exponential, more for rare long tasks.
    """
    return utilization * task_s * (1.0 + task_variation * task_variation) / (2.0 * (1.0 - utilization))


def event_time_s(utilization: Number, task_s: Number, task_variation: Number, handler_s: Number) -> Number:
    """Return the time from a delivered key to the end of the page's handlers [s].

    Parameters
    ----------
    utilization, task_s, task_variation : float
        As in `loop_wait_s`.
    handler_s : float
        Time of the handlers of this event [s].
    """
    return loop_wait_s(utilization, task_s, task_variation) + handler_s


def update_time_s(stream_event_B: Number, parse_rate_B_s: Number, page_update_s: Number) -> Number:
    """Return the time to parse one server-sent event and put its text into the page [s].

    Parameters
    ----------
    stream_event_B : float
        Bytes of the event [B].
    parse_rate_B_s : float
        Bytes parsed a second [B/s].
    page_update_s : float
        Time of the page's script and of the change to the document [s].
    """
    return stream_event_B / parse_rate_B_s + page_update_s


def rendering_wait_s(period_s: Number, frame_phase: Number) -> Number:
    """Return the wait of a changed page for its next rendering opportunity, ``u T`` [s].

    Parameters
    ----------
    period_s : float
        Time between two frames [s].
    frame_phase : float
        Where the change falls between two frames.
    """
    return period_s * frame_phase


class Fired(NamedTuple):
    """One event as a page sees it."""

    type: str
    target: str
    key: str


@dataclass(frozen=True, slots=True)
class Page:
    """As much of a page as a key press can tell apart."""

    focus: str = "textarea"
    editable: bool = True
    submits_on_enter: bool = True
    prevented: frozenset[str] = frozenset()


def press_events(page: Page, key: str, repeats: int = 0) -> list[Fired]:
    """Return what a page gets while a key goes down (and repeats), in order.

    A key without a character (Shift, an arrow) fires no keypress. When a handler
    of keydown prevents the default, nothing of that key follows.
    """
    one = [Fired("keydown", page.focus, key)]
    if "keydown" not in page.prevented and (len(key) == 1 or key == "Enter"):
        one.append(Fired("keypress", page.focus, key))
        if "keypress" not in page.prevented:
            if key == "Enter" and page.submits_on_enter:
                one.append(Fired("submit", page.focus, key))
            elif page.editable:
                one += [Fired("beforeinput", page.focus, key), Fired("input", page.focus, key)]
    return one * (1 + repeats)


def release_events(page: Page, key: str) -> list[Fired]:
    """Return what a page gets when the key rises: keyup goes to whatever has the focus now, not to where keydown
    went.
    """
    return [Fired("keyup", page.focus, key)]


@dataclass(slots=True)
class StreamEvent:
    """One server-sent event."""

    data: str
    type: str = "message"
    id: str = ""


def parse_stream(chunks: Iterable[bytes]) -> Iterator[StreamEvent]:
    """Yield the events of a stream that arrives in chunks cut anywhere, even inside a character or a line end [1]_."""
    data: list[str] = []
    kind, last_id = "", ""
    for line in _lines(chunks):
        if not line:
            if data:
                yield StreamEvent("\n".join(data), kind or "message", last_id)
            data, kind = [], ""
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "event":
            kind = value
        elif name == "id" and "\0" not in value:
            last_id = value


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield the complete lines of a stream; CR LF, CR and LF end a line, and a CR at the end of a chunk waits for
    the next.
    """
    rest, first = b"", True
    for chunk in chunks:
        rest += chunk
        ends_open = rest.endswith(b"\r")
        text = rest[:-1] if ends_open else rest
        *lines, tail = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        rest = tail + (b"\r" if ends_open else b"")
        for line in lines:
            yield (line.removeprefix(b"\xef\xbb\xbf") if first else line).decode("utf-8", "replace")
            first = False
    if rest.endswith(b"\r"):
        yield rest[:-1].decode("utf-8", "replace")
