"""One prompt carried all the way and back: the parts in their order, and what became of the message."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from roundtrip.errors import RoundtripError
from roundtrip.journey.carry import hall as hall_room
from roundtrip.journey.carry.artifact import Artifact, Note
from roundtrip.journey.carry.breaks import OUTAGE_S
from roundtrip.journey.carry.endpoint import ConnectionLostError
from roundtrip.journey.carry.exchange import Exchanged, exchange
from roundtrip.journey.carry.hall import GOOD_DB, Hall, Reply
from roundtrip.journey.carry.keys import Typed, type_prompt
from roundtrip.journey.carry.light import Broken, Haul
from roundtrip.journey.carry.light_seen import artifacts as light_artifacts
from roundtrip.journey.carry.retina import Viewer, see
from roundtrip.journey.carry.screen import Panel, show
from roundtrip.journey.carry.setting import Setting, sections, setting, with_board
from roundtrip.journey.carry.wire import Path
from roundtrip.journey.carry.wire_seen import artifacts as wire_artifacts
from roundtrip.journey.scenario import Scenario, load_scenario
from roundtrip.stages.computer import request

MOST_TOKENS = 48
ROLLOVER_S = 0.7  # for which a key is held by somebody who presses keys into each other
DARK_ROWS = 10
BEGAN_US = 1_700_000_000_000_000
WRONG_LAYOUT = {"us": "fr", "de": "us", "fr": "us", "gr": "us", "ru": "us"}


@dataclass(slots=True)
class Carried:
    """What became of a prompt.

    Attributes
    ----------
    prompt : str
        As it was meant.
    typed : Typed
        As the computer understood it.
    received : str
        As the server read it; empty if it never arrived.
    reply : Reply
        As the model made it.
    arrived : str
        The reply as it came back to the computer.
    shown : str
        The reply as the screen shows it: a box for each character that the font has not.
    read : str
        What is read from the retina.
    notes : list of Note
        What happened where.
    artifacts : list of Artifact
    exchanged : Exchanged or None
    where : Setting
    took_s : dict
        How long this computer worked on each part [s].
    """

    prompt: str
    where: Setting
    typed: Typed
    received: str = ""
    reply: Reply | None = None
    arrived: str = ""
    shown: str = ""
    read: str = ""
    notes: list[Note] = field(default_factory=list[Note])
    artifacts: list[Artifact] = field(default_factory=list[Artifact])
    exchanged: Exchanged | None = None
    added_s: float = 0.0
    took_s: dict[str, float] = field(default_factory=dict[str, float])

    @property
    def is_whole(self) -> bool:
        """Whether prompt and reply came through unchanged, and the reply was read as it was shown."""
        said = self.reply.text if self.reply else None
        return self.received == self.prompt and self.arrived == said and self.read == self.shown

    @property
    def died(self) -> Note | None:
        """The first place where the message died; None if it lives."""
        return next((note for note in self.notes if note.fate == "died"), None)


def carry(
    prompt: str,
    scenario: Scenario | str = "cloud",
    *,
    breaks: Mapping[str, float] | None = None,
    layout: str = "us",
    version: str = "http/1.1",
    seed: int = 0,
    answer: str | None = None,
    model: str | None = None,
    max_tokens: int = MOST_TOKENS,
    progress: Callable[[str], None] | None = None,
) -> Carried:
    """Carry a prompt from the keys to the model and its reply back to the eye.

    Parameters
    ----------
    prompt : str
    scenario : Scenario or str
        The way: its times, its line, its keyboard.
    breaks : mapping, optional
        What is broken, with its value: see `BREAKS`.
    layout : str
        Of the keyboard.
    version : str
        Of HTTP: ``http/1.1`` or ``h2``.
    seed : int
        Of everything that is drawn, except by TLS.
    answer : str, optional
        A reply in place of the small model's.
    model : str, optional
        Path of weights.
    max_tokens : int
        The most tokens of the reply.
    progress : callable, optional
        Told which part begins.

    Raises
    ------
    ScenarioError
        If the scenario has no way that can be carried.
    """
    # Many small products of matrices: threads would only wait for each other.
    with threadpool_limits(1):
        return _carry(prompt, scenario, dict(breaks or {}), layout, version, seed, answer, model, max_tokens, progress)


def _carry(
    prompt: str, scenario: Scenario | str, broken: Mapping[str, float], layout: str, version: str, seed: int,
    answer: str | None, model: str | None, max_tokens: int, progress: Callable[[str], None] | None,
) -> Carried:  # fmt: skip
    say = progress or _silent
    chosen = load_scenario(scenario) if isinstance(scenario, str) else scenario
    clock = _Clock()
    where = setting(chosen.with_prompt(prompt))
    say("keys")
    typed = _typed(prompt, where, layout, broken, seed)
    found = Carried(prompt, where, typed, notes=list(typed.notes), artifacts=list(typed.artifacts))
    clock.lap("keys")
    say("way")
    hall, exchanged = _sent(found, broken, version, seed, answer, model, max_tokens, clock)
    if exchanged is not None:
        found.exchanged = exchanged
        found.arrived = hall_room.read_reply(exchanged.reply)
        _plain_time(found, broken, version, seed)
    _judge(found, hall, broken)
    found.artifacts += light_artifacts(hall.haul, where)
    if exchanged is not None and found.reply is not None:
        found.artifacts += wire_artifacts(exchanged, BEGAN_US + round(typed.sent_s * 1e6))
        found.artifacts += hall_room.artifacts(exchanged, hall, found.reply, exchanged.port)
    clock.lap("way")
    say("eye")
    _seen(found, broken, seed)
    clock.lap("eye")
    found.took_s = clock.laps
    return found


def _silent(part: str) -> None:
    del part


class _Clock:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._at = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = self.laps.get(name, 0.0) + now - self._at
        self._at = now


def _typed(prompt: str, where: Setting, layout: str, broken: Mapping[str, float], seed: int) -> Typed:
    if "no-diodes" in broken:
        where = with_board(where, diodes=False, hold_s=ROLLOVER_S)
    if "no-debounce" in broken:
        where = with_board(where, algorithm="none")
    if "usb-error" in broken:
        where = with_board(where, is_disturbed=True)
    read_as = WRONG_LAYOUT.get(layout, "us") if "wrong-keymap" in broken else None
    return type_prompt(prompt, layout, read_as, where.board, seed, BEGAN_US)


def _sent(
    found: Carried, broken: Mapping[str, float], version: str, seed: int, answer: str | None, model: str | None,
    max_tokens: int, clock: _Clock,
) -> tuple[Hall, Exchanged | None]:  # fmt: skip
    """Send what was typed, and let the model answer; the exchange is None if the connection was given up."""
    hall = _hall(found.where, broken, seed)
    body = request.body(found.typed.text, "small")

    def respond(received: bytes) -> list[tuple[float, bytes]]:
        clock.lap("way")
        found.received = hall_room.read_request(received)
        found.reply = hall_room.reply_to(found.received, max_tokens, answer, model)
        clock.lap("model")
        return hall_room.events(found.reply, found.where.first_s, found.where.step_s)

    try:
        return hall, exchange(
            body, respond, _path(found.where, broken), version=version, seed=seed, link=hall, drop=_drop(hall, broken)
        )
    except ConnectionLostError as error:
        found.notes.append(Note("network.tcp", "died", str(error)))
    except RoundtripError as error:
        found.notes.append(Note("network.tls", "died", str(error)))
    return hall, None


def _path(where: Setting, broken: Mapping[str, float]) -> Path:
    return Path(
        where.one_way_s, where.rate_bit_s, where.hops, loss=broken.get("packet-loss", 0.0),
        reordering=broken.get("reordering", 0.0), late_s=0.005,
    )  # fmt: skip


def _hall(where: Setting, broken: Mapping[str, float], seed: int) -> Hall:
    stream = np.random.default_rng([seed, 1])
    light = Broken(
        dead_amplifier=0 if "dead-amplifier" in broken else None,
        is_cut="cut-fiber" in broken,
        undone_share=broken.get("wrong-dispersion", 1.0),
        is_uncorrected="no-fec" in broken,
    )
    haul = Haul(sections(where, light), stream)
    if "dead-amplifier" in broken:
        # The connection is made by then: the request is the fourth thing that leaves.
        asked_s = 4.0 * where.one_way_s
        haul.repaired = sections(where, replace(light, dead_amplifier=None))
        haul.outage = {"out": (asked_s - 1e-4, asked_s + OUTAGE_S)}
    snr_dB = broken.get("noisy-link", GOOD_DB)
    return Hall(stream, haul, snr_dB, corrected="no-fec" not in broken)


def _drop(hall: Hall, broken: Mapping[str, float]) -> Callable[[str, int, bytes], str] | None:
    """Return what loses frames besides the light: a wrong bit in the request's first frame, once."""
    if "bit-error" not in broken:
        return None
    done: list[int] = []

    def drop(direction: str, number: int, frame: bytes) -> str:
        if direction == "out" and len(frame) > 250 and number > 4 and not done:
            done.append(number)
            return "a wrong bit: the check sequence does not hold"
        return ""

    return drop


def _plain_time(found: Carried, broken: Mapping[str, float], version: str, seed: int) -> None:
    """Work out what the breaks cost in time: the same exchange over a way in order, without its light."""
    if not broken or found.exchanged is None or found.reply is None:
        return
    timed = hall_room.events(found.reply, found.where.first_s, found.where.step_s)
    body = request.body(found.typed.text, "small")
    plain = exchange(body, lambda received: timed, _path(found.where, {}), version=version, seed=seed)
    found.added_s = found.exchanged.marks.get("whole", 0.0) - plain.marks["whole"]


def _judge(found: Carried, hall: Hall, broken: Mapping[str, float]) -> None:
    """Say what became of the message between the computer and the model, and which layer saved it."""
    bursts = [burst for _, _, passed in hall.haul.bursts for burst in passed]
    wrong = sum(burst.wrong for burst in bursts)
    lost = [burst for burst in bursts if not burst.is_repaired and burst.wrong]
    counts = found.exchanged.counts if found.exchanged else {}
    again = sum(count.sent_again for count in counts.values())
    if lost:
        stage = _light_stage(broken)
        text = f"{len(lost)} of {len(bursts)} bursts came out of the light with more wrong bits than can be repaired"
        saved = f"; TCP sent {_counted(again, 'segment')} again" if found.exchanged else ""
        found.notes.append(Note(stage, "saved" if found.exchanged else "died", text + saved, found.added_s))
    elif wrong:
        found.notes.append(Note("optics.fec", "saved", f"{_counted(wrong, 'wrong bit')} in the light, all repaired"))
    if hall.failed or hall.repaired:
        fate = "saved" if found.exchanged else "died"
        repaired = _counted(hall.repaired, "symbol")
        text = f"short link: {repaired} repaired, {hall.failed} of {hall.words} words beyond repair"
        found.notes.append(Note("datacenter.fabric", fate, text))
    if found.exchanged and found.exchanged.lost and not lost:
        stage = "network.ethernet" if "bit-error" in broken else "network.loss"
        gone = _counted(len(found.exchanged.lost), "frame")
        text = f"{gone} did not arrive; TCP sent {_counted(again, 'segment')} again"
        found.notes.append(Note(stage, "saved", text, found.added_s))
    elif found.exchanged and "reordering" in broken:
        text = f"frames overtook each other; TCP put them in order and sent {_counted(again, 'segment')} again"
        found.notes.append(Note("network.tcp", "saved", text, found.added_s))
    elif "packet-loss" in broken and found.exchanged is None:
        found.notes.append(Note("network.loss", "died", "so many frames were lost that the sender gave up"))
    found.notes.sort(key=lambda note: note.fate == "died" and note.stage == "network.tcp")


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}{'' if count == 1 else 's'}"


def _light_stage(broken: Mapping[str, float]) -> str:
    for name, stage in (
        ("cut-fiber", "optics.fiber"), ("dead-amplifier", "optics.amplifier"), ("wrong-dispersion", "optics.coherent"),
    ):  # fmt: skip
        if name in broken:
            return stage
    return "optics.fec"


def _seen(found: Carried, broken: Mapping[str, float], seed: int) -> None:
    """Show what arrived, and read it from the retina."""
    if not found.arrived or found.exchanged is None:
        return
    times = [
        (time_s, len(hall_room.read_reply(found.exchanged.reply[:size]))) for time_s, size in found.exchanged.arrivals
    ]
    screen = show(
        found.arrived,
        seed=seed,
        panel=Panel.of(found.where.scenario),
        arrivals=times,
        dark_columns=int("dark-pixel" in broken),
        dark_rows=DARK_ROWS if "dark-rows" in broken else 0,
        is_unlit="no-backlight" in broken,
    )
    eye = see(screen, viewer=Viewer.of(found.where.scenario), seed=seed)
    found.shown, found.read = screen.shown, eye.read
    if "dark-pixel" in broken:
        whole = found.read == found.shown
        text = "a column of pixels is dark" + ("; what is left of each letter is enough to read it" if whole else "")
        found.notes.append(Note("display.panel", "saved" if whole else "fine", text))
    found.notes += [*screen.notes, *eye.notes]
    found.artifacts += [*screen.artifacts, *eye.artifacts]


def summary(found: Carried) -> dict[str, Any]:
    """Return the JSON form of what became of the message."""
    died = found.died
    return {
        "prompt": found.prompt,
        "typed": found.typed.text,
        "received": found.received,
        "reply": found.reply.text if found.reply else None,
        "model": found.reply.model if found.reply else None,
        "arrived": found.arrived,
        "shown": found.shown,
        "read": found.read,
        "is_whole": found.is_whole,
        "died_at": died.stage if died else None,
        "added_s": found.added_s,
        "notes": [{"stage": n.stage, "fate": n.fate, "text": n.text, "added_s": n.added_s} for n in found.notes],
        "artifacts": [{"stage": a.stage, "name": a.name, "title": a.title, "kind": a.kind} for a in found.artifacts],
        "took_s": found.took_s,
    }
