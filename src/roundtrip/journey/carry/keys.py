"""From the prompt's characters to key presses, and through switch, matrix, firmware, USB and kernel to text again.

The writer types what the layout can give, with dead keys where they are needed. Everything else goes through an input
method as desktops have it for any character: Control, Shift and U, the number of the character by the keys of a US
board, a space [1]_. Fast writers hold a key while they press the next, so keys overlap [2]_.

References
----------
.. [1] ISO/IEC 14755, Input methods to enter characters from the repertoire of ISO/IEC 10646, clause 5.1
.. [2] V. Dhakal et al., "Observations on typing from 136 million keystrokes", CHI 2018, doi:10.1145/3173574.3174220
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from roundtrip.errors import DomainError
from roundtrip.journey.carry.artifact import Leg, Note
from roundtrip.journey.carry.board import AT, CROSSINGS
from roundtrip.journey.carry.keymaps import Keymap, keymap
from roundtrip.journey.carry.keys_seen import Seen, artifacts
from roundtrip.journey.carry.method import understood
from roundtrip.stages.computer import key_event
from roundtrip.stages.keyboard import debounce, hid_report, matrix, usb, usb_monitor
from roundtrip.stages.network import capture

CONTROL, SHIFT = 0xE0, 0xE1
SCAN_MS = 1
MOST_CHARACTERS, MOST_PRESSES = 20_000, 50_000
MOST_IDLE = 50_000  # polls that find nothing are in the capture; the others of a long prompt would only fill it
_USAGE = {key_event.key_code(usage): usage for usage in [*range(0x04, 0x66), *range(0xE0, 0xE8)]}


@dataclass(frozen=True, slots=True)
class Press:
    """A key that is held from one time to another [s]."""

    usage: int
    down_s: float
    up_s: float


@dataclass(frozen=True, slots=True)
class Board:
    """How the keyboard is made, and how it is used.

    Attributes
    ----------
    typing_interval_s, hold_s : float
        Mean time from press to press, and for which a key is held [s].
    bounce_s : float
        Mean time for which a contact bounces [s].
    diodes : bool
        Whether each key has a diode.
    algorithm : str
        Of debouncing: one of `debounce.ALGORITHMS`.
    debounce_ms : int
        Its time [ms].
    interval_ms : int
        Between polls of the host [ms].
    is_disturbed : bool
        Whether a bit of the first report is wrong on the cable.
    """

    typing_interval_s: float = 0.24
    hold_s: float = 0.11
    bounce_s: float = 1.5e-3
    diodes: bool = True
    algorithm: str = "sym_defer_pk"
    debounce_ms: int = 5
    interval_ms: int = 8
    is_disturbed: bool = False


@dataclass(slots=True)
class Typed(Leg):
    """What came out at the computer.

    Attributes
    ----------
    text : str
    presses : list of Press
        What the fingers did.
    committed : list of str
        Characters that the input method put.
    sent_s : float
        When the last report was taken by the host [s].
    """

    text: str = ""
    presses: list[Press] = field(default_factory=list[Press])
    committed: list[str] = field(default_factory=list[str])
    sent_s: float = 0.0


def strokes(prompt: str, keys: Keymap) -> list[tuple[int, ...]]:
    """Return the chords of usage ids that type a prompt: modifiers first, the key last.

    Raises
    ------
    DomainError
        If the prompt is too long to be typed here.
    """
    if len(prompt) > MOST_CHARACTERS:
        raise DomainError(f"a prompt of {len(prompt):,} characters, at most {MOST_CHARACTERS:,} are typed")
    chords: list[tuple[int, ...]] = []
    for character in prompt:
        found = keys.strokes(character)
        if found is not None:
            chords += [(SHIFT, _USAGE[code]) if shift else (_USAGE[code],) for code, shift in found]
            continue
        chords.append((CONTROL, SHIFT, hid_report.usage_id("u")))
        chords += [(hid_report.usage_id(digit),) for digit in f"{ord(character):x}"]
        chords.append((hid_report.usage_id("Space"),))
    presses = sum(len(chord) for chord in chords)
    if presses > MOST_PRESSES:
        raise DomainError(
            f"a prompt that takes {presses:,} key presses on layout {keys.name}, at most {MOST_PRESSES:,} are pressed"
        )
    return chords


def timed(chords: Iterable[tuple[int, ...]], board: Board, stream: np.random.Generator) -> list[Press]:
    """Return when each key of the chords goes down and up. A key is up before it goes down again."""
    presses: list[Press] = []
    free: dict[int, float] = {}
    now = 0.02
    had_modifiers = False
    for chord in chords:
        interval = board.typing_interval_s * float(stream.lognormal(-0.08, 0.4))
        hold = board.hold_s * float(stream.lognormal(-0.045, 0.3))
        lead = 0.06 * (len(chord) - 1)
        now = max([now + interval + lead, *(free.get(usage, 0.0) + 0.03 + lead for usage in chord)])
        # Modifiers are pressed before the key and let go after it; nothing of the chord before is still held with them.
        if len(chord) > 1 or had_modifiers:
            now = max([now, *(up + 0.03 + lead for up in free.values())])
        had_modifiers = len(chord) > 1
        for i, usage in enumerate(chord):
            left = len(chord) - 1 - i
            press = Press(usage, now - 0.06 * left, now + hold + 0.03 * left)
            free[usage] = press.up_s
            presses.append(press)
    return presses


def closures(presses: Sequence[Press], bounce_s: float, stream: np.random.Generator) -> list[tuple[float, int, bool]]:
    """Return the contacts' changes in time: each press and release bounces."""
    found: list[tuple[float, int, bool]] = []
    for press in presses:
        for start_s, closed in ((press.down_s, True), (press.up_s, False)):
            found.append((start_s, press.usage, closed))
            length_s = min(float(stream.exponential(bounce_s)), 0.004) if bounce_s > 0.0 else 0.0
            flips = 2 * int(stream.integers(1, 4)) if length_s > 0.0 else 0
            state = closed
            for at in np.sort(stream.uniform(0.0, length_s, flips)):
                state = not state
                found.append((start_s + float(at), press.usage, state))
    return sorted(found, key=lambda change: change[0])


def scanned(
    changes: Sequence[tuple[float, int, bool]], diodes: bool, quiet_ms: int = 40
) -> list[tuple[int, dict[Any, bool]]]:
    """Return what the firmware's scans see change: the time [ms] and crossings, ghosts included where no diodes are.

    Scans after nothing has changed for `quiet_ms` are left out, until something does: no debouncing waits so long.
    """
    held: set[int] = set()
    seen: frozenset[tuple[int, int]] = frozenset()
    out: list[tuple[int, dict[Any, bool]]] = []
    at, time_ms, last_ms = 0, 0, 0
    while at < len(changes) or time_ms <= last_ms + quiet_ms:
        if time_ms > last_ms + quiet_ms:
            time_ms = max(time_ms, -int(-changes[at][0] * 1e3 // SCAN_MS) * SCAN_MS)
        moved = False
        while at < len(changes) and changes[at][0] * 1e3 <= time_ms:
            _, usage, closed = changes[at]
            (held.add if closed else held.discard)(usage)
            moved, at, last_ms = True, at + 1, time_ms
        now = matrix.read_matrix([CROSSINGS[usage] for usage in held], diodes) if moved else seen
        out.append((time_ms, {key: key in now for key in sorted(now ^ seen)}))
        seen = now
        time_ms += SCAN_MS
    return out


def type_prompt(
    prompt: str,
    typed_on: str = "us",
    read_as: str | None = None,
    board: Board | None = None,
    seed: int = 0,
    began_us: int = 1_700_000_000_000_000,
) -> Typed:
    """Type a prompt and return what the computer understands.

    Parameters
    ----------
    prompt : str
    typed_on : str
        Layout that the writer types by.
    read_as : str, optional
        Layout that the computer reads by; the same by default.
    board : Board, optional
    seed : int
        Of rhythm and bounces.
    began_us : int
        Time of the start, since 1970 [us].
    """
    board = board or Board()
    stream = np.random.default_rng(seed)
    written, read = keymap(typed_on), keymap(read_as or typed_on)
    out = Typed()
    out.presses = timed(strokes(prompt, written), board, stream)
    changes = closures(out.presses, board.bounce_s, stream)
    scans = scanned(changes, board.diodes, max(40, 2 * board.debounce_ms + 2))
    told = debounce.ALGORITHMS[board.algorithm](scans, board.debounce_ms)
    reports = _reports(told)
    polls = _polled(reports, board.interval_ms)
    wire, monitor, taken = _bus(polls, board, began_us)
    events = [event for time_us, before, after in taken for event in _events(before, after, time_us)]
    stored = key_event.encode(events)
    out.text, out.committed, listed = understood(key_event.decode(stored), read)
    out.sent_s = (taken[-1][0] - began_us) * 1e-6 if taken else 0.0
    seen = Seen(changes, told, reports, wire, monitor, stored, listed, read)
    out.artifacts = artifacts(seen, out.text)
    _judge(out, prompt, board, typed_on, read_as or typed_on, scans)
    return out


def _reports(told: Iterable[tuple[int, Any, bool]]) -> list[tuple[int, bytes]]:
    """Return boot reports and when the firmware has them ready [ms]; keys are listed in the order they went down."""
    held: list[int] = []
    reports: list[tuple[int, bytes]] = []
    for time_ms, changes in itertools.groupby(told, key=lambda change: change[0]):
        for _, crossing, closed in changes:
            usage = AT.get(crossing)
            if usage is None:
                continue
            if closed and usage not in held:
                held.append(usage)
            elif not closed and usage in held:
                held.remove(usage)
        report = hid_report.encode(held)
        if not reports or report != reports[-1][1]:
            reports.append((time_ms, report))
    return reports


def _polled(reports: Sequence[tuple[int, bytes]], interval_ms: int) -> Iterator[tuple[int, bytes | None]]:
    """Yield the host's polls and what they find: the next report, or nothing new."""
    at, time_ms = 0, 0
    while at < len(reports):
        is_due = reports[at][0] <= time_ms
        yield time_ms, reports[at][1] if is_due else None
        at += is_due
        time_ms += interval_ms


def _bus(
    polls: Iterable[tuple[int, bytes | None]], board: Board, began_us: int
) -> tuple[list[capture.Packet], list[capture.Packet], list[tuple[int, bytes, bytes]]]:
    """Return packets on the wire, records of the monitor, and the reports that the host took, before and after."""
    wire: list[capture.Packet] = []
    monitor = [
        capture.Packet(time_us * 1_000, data)
        for time_us, data in usb_monitor.introduction(hid_report.BOOT_DESCRIPTOR, began_us - 20_000, board.interval_ms)
    ]
    taken: list[tuple[int, bytes, bytes]] = []
    last, toggle, asked_us, later_ms = bytes(hid_report.REPORT_B), 0, began_us, 0
    token = usb.in_token(usb_monitor.ADDRESS, usb_monitor.ENDPOINT)
    idle = 0
    disturbed = board.is_disturbed
    for number, (time_ms, report) in enumerate(polls, 5):
        time_us = began_us + 1_000 * (time_ms + later_ms)
        idle += report is None
        if report is None and idle > MOST_IDLE:
            continue
        answer = usb.answer(report, toggle)
        if report is not None and disturbed:
            # The host finds the checksum wrong, says nothing, and asks again; the keyboard sends the same once more.
            wrong = bytes([answer[0], answer[1] ^ 0x10, *answer[2:]])
            wire += _packets(time_us, [token, wrong])
            disturbed, later_ms = False, board.interval_ms
            time_us += 1_000 * later_ms
        wire += _packets(time_us, [token, answer, *([bytes([usb.ACK])] if report is not None else [])])
        if report is None:
            continue
        body = usb.read_data(answer, toggle)
        toggle ^= 1
        taken.append((time_us, last, body))
        last = body
        records = usb_monitor.report(number, body, asked_us, time_us, board.interval_ms)
        monitor += [capture.Packet(us * 1_000, data) for us, data in records]
        asked_us = time_us + 10
    return wire, sorted(monitor, key=lambda packet: packet.time_ns), taken


def _packets(time_us: int, sent: Iterable[bytes]) -> list[capture.Packet]:
    return [capture.Packet(time_us * 1_000 + 4_000 * i, data) for i, data in enumerate(sent)]


def _events(before: bytes, after: bytes, time_us: int) -> list[key_event.Event]:
    pressed, released = hid_report.changes(before, after)
    # Modifiers come first, as the driver looks at them first, then releases, then presses in the order of the report.
    order = [usage for usage in after[2:] if usage in pressed]
    modifiers = sorted(usage for usage in pressed | released if usage >= CONTROL)
    rest = [*sorted(usage for usage in released if usage < CONTROL), *order]
    return [e for usage in (*modifiers, *rest) for e in key_event.events_of(usage, usage in pressed, time_us)]


def _judge(
    out: Typed, prompt: str, board: Board, typed_on: str, read_as: str, scans: Sequence[tuple[int, dict[Any, bool]]]
) -> None:
    """Say what became of the prompt, and where."""
    held = {CROSSINGS[press.usage] for press in out.presses}
    ghosts = {key for _, changes in scans for key, closed in changes.items() if closed and key not in held}
    is_right = out.text == prompt
    if board.is_disturbed and out.presses:
        text = "a wrong bit on the cable: its checksum did not hold, and the report was sent again at the next poll"
        out.notes.append(Note("keyboard.usb", "saved", text, board.interval_ms * 1e-3))
    if ghosts:
        names = ", ".join(f"row {row} column {column}" for row, column in sorted(ghosts))
        saved = "; the firmware waited until they were gone" if is_right else ""
        fate = "saved" if is_right else "died"
        out.notes.append(
            Note("keyboard.matrix", fate, f"ghost keys read as pressed and nobody pressed them: {names}{saved}")
        )
    if is_right:
        out.notes.append(
            Note(
                "computer.layout",
                "fine",
                f"{len(out.presses):,} key press{'es are' if len(out.presses) != 1 else ' is'} the prompt again",
            )
        )
        return
    if not ghosts:
        where = (
            "keyboard.debounce"
            if board.algorithm == "none"
            else "computer.layout"
            if typed_on != read_as
            else "keyboard.matrix"
        )
        why = {
            "keyboard.debounce": "contacts that bounced were taken for presses",
            "computer.layout": f"keys of layout {typed_on} were read as {read_as}",
            "keyboard.matrix": "keys were read that nobody pressed, or missed",
        }[where]
        out.notes.append(Note(where, "died", f"{why}: the computer has {out.text[:60]!r}"))
