"""From the first motion of a key to the packet on the bus, and to the character on the screen, as distributions.

The catalog says of a measured keyboard or computer only to which classes its parts belong (``latency_classes``: what is
under the finger, who scans, which line, which host, which screen) and what is known of it alone. What is not known
has the published range of its class, the same for all of a class. Each part becomes two densities: of one press, and of
the mean of many presses, for which the random phases are averaged out and only what is not known still spreads.

======================  ====================================================================================
part                    time
======================  ====================================================================================
travel                  x / v, a finger that arrives with speed
contact                 u T + T ceil(t_d / T) after the last bounce; eager firmware: u T after the first
line                    u T_p and the bus time; wireless boards first wait for the next radio slot
host                    to the program, its next look at the input, its work
frames                  (u + n) / f under a compositor and then y / f down the screen; u / f where the beam reads
screen                  electronics and the pixels' rise
======================  ====================================================================================
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import Entry, entry, load
from roundtrip.errors import CatalogError, nearest
from roundtrip.figures.figure import Figure
from roundtrip.journey import densities as d
from roundtrip.stages.display import vsync
from roundtrip.stages.keyboard import debounce, matrix, press, usb

Array = NDArray[np.float64]

KINDS = {"measured_keyboards": "key to packet", "measured_systems": "key to screen"}
CLASSES = ("finger", "switch", "controller", "link", "host", "screen", "meter")
SWITCH = ("travel_m", "bounce_s")
REPORT_B = 8.0
BUS_TIME = {"low": usb.bus_time_low_s, "full": usb.bus_time_full_s}
BLANK_S = 460e-6  # the shortest time without picture that the CVT standard allows
ROWS = 1080.0
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Part:
    """One part of the way: `press` for one press, `steady` for the mean of many."""

    name: str
    text: str
    press: d.Density
    steady: d.Density


@dataclass(frozen=True)
class Latency:
    """What is predicted for one keyboard or computer, and what was measured.

    Attributes
    ----------
    whole : Density
        One press.
    reading : Density
        One press as the published setup reads and rounds it.
    average : Density
        The published mean of many presses: phases averaged out, rounding kept.
    """

    kind: str
    key: str
    title: str
    published_s: float
    source: str
    table: str
    parts: tuple[Part, ...]
    whole: d.Density
    reading: d.Density
    average: d.Density

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        levels = self.reading.quantiles(LEVELS)
        average = self.average.quantiles((0.05, 0.5, 0.95))
        return {
            "kind": self.kind,
            "key": self.key,
            "title": self.title,
            "table": self.table,
            "published_s": self.published_s,
            "source": self.source,
            "reading_s": dict(zip(("p5", "p25", "p50", "p75", "p95"), levels, strict=True)),
            "average_s": dict(zip(("p5", "p50", "p95"), average, strict=True)),
            "inside": levels[0] <= self.published_s <= levels[-1],
            "inside_average": average[0] <= self.published_s <= average[-1],
            "parts": [
                {"name": p.name, "text": p.text, "mean_s": p.press.mean_s}
                | dict(zip(("p5_s", "p95_s"), p.press.quantiles((0.05, 0.95)), strict=True))
                for p in self.parts
            ],
        }


@dataclass(frozen=True)
class Facts:
    """The figures and words of an entry, with those of its classes below them."""

    figures: Mapping[str, Figure]
    words: Mapping[str, str]

    def __getitem__(self, name: str) -> Figure:
        return self.figures[name]


def facts(found: Entry) -> Facts:
    """Return an entry's figures over those of its classes: its own win."""
    figures: dict[str, Figure] = {}
    words: dict[str, str] = {}
    for name in CLASSES:
        if name not in found.texts:
            continue
        kind, _, key = found.texts[name].rpartition("/")
        part = entry(kind or "latency_classes", key)
        figures |= {n: f for n, f in part.figures.items() if name != "switch" or n in SWITCH}
        words |= part.texts
    return Facts(figures | found.figures, words | found.texts)


def find(name: str) -> Entry:
    """Return the measured keyboard or computer of a name, with or without its kind, or say which is the nearest."""
    kind, _, key = name.rpartition("/")
    for here in (kind,) if kind in KINDS else KINDS:
        if key in load(here):
            return entry(here, key)
    names = [key for here in KINDS for key in load(here)]
    raise CatalogError(f"no measured keyboard or computer {name!r}{nearest(key, names)}")


@cache
def latency(name: str) -> Latency:
    """Return the predicted distributions of one measured keyboard or computer."""
    found = find(name)
    of = facts(found)
    parts = [*_keyboard(of), *(_screen(of) if "host" in found.texts else [])]
    whole = _sum([p.press for p in parts])
    rounding = d.uniform(-0.5 * of["rounding_s"].value, 0.5 * of["rounding_s"].value)
    jitter = d.laplace(of["start_jitter_s"].value / math.log(10.0))  # nine of ten within start_jitter_s
    return Latency(
        kind=found.kind,
        key=found.key,
        title=found.title,
        published_s=of["published_latency_s"].value,
        source=of["published_latency_s"].source,
        table=of.words.get("table", "A11"),
        parts=tuple(parts),
        whole=whole,
        reading=whole + jitter + rounding,
        average=_sum([p.steady for p in parts]) + rounding,
    )


def table(kind: str) -> list[Latency]:
    """Return the predictions for all entries of one kind, by what was measured."""
    return sorted((latency(f"{kind}/{key}") for key in load(kind)), key=lambda x: x.published_s)


def _sum(parts: list[d.Density]) -> d.Density:
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    return whole


def _known(name: str, text: str, density: d.Density) -> Part:
    """Return a part that is the same at every press."""
    return Part(name, text, density, density)


def _waits(name: str, text: str, period: Figure) -> Part:
    return Part(name, text, d.wait(period), d.halves(period))


def _keyboard(of: Facts) -> list[Part]:
    parts = [_known("travel", "the key moves to its contact", d.ratio(of["travel_m"], of["touch_speed_m_s"]))]
    parts.append(_contact(of))
    if of.words.get("radio") == "yes":
        parts.append(_waits("radio slot", "the next moment to send", of["radio_slot_s"]))
        parts.append(_known("radio", "waking, sending, receiving", d.of_figure(of["radio_stack_s"])))
    if "poll_interval_s" in of.figures:
        parts.append(_waits("poll", "the host asks", of["poll_interval_s"]))
    if "speed" in of.words:
        parts.append(_known("bus", "the packet", d.point(float(BUS_TIME[of.words["speed"]](REPORT_B)))))
    return parts


def _eager_share(of: Facts) -> float:
    """Return how likely the firmware reports the first contact: certain, out of the question, or not known."""
    word = of.words["debounce"]
    return of["eager_share"].value if word == "either" else float(word == "eager")


def _contact(of: Facts) -> Part:
    """Return bounce, scan and debounce: deferring or eager firmware, or both with their shares."""
    share = _eager_share(of)
    period = of["scan_period_s"]
    text = "it bounces, the scan sees it, and sees it again until it counts"
    if share == 1.0:
        return _waits("contact", "the scan sees the first contact", period)
    pressed, steady = d.scanned(of["debounce_s"], period)
    bounce = d.of_figure(of["bounce_s"])
    shares = [share, 1.0 - share]
    return Part(
        "contact",
        text,
        d.mixture([d.wait(period), bounce + pressed], shares),
        d.mixture([d.halves(period), d.point(bounce.mean_s) + steady], shares),
    )


def _screen(of: Facts) -> list[Part]:
    frames = [_frames(of, 1.0 / float(f)) for f in d.middles(of["refresh_rate_Hz"], 33)]
    return [
        _known("input", "interrupt, kernel, event queue", d.of_figure(of["host_input_s"])),
        _waits("event loop", "the program looks at its input", of["event_loop_s"]),
        _known("program", "the program places the character", d.of_figure(of["program_time_s"])),
        Part(
            "frames",
            "the next frame, frames in the queue, the scan down to the row",
            d.mixture([f[0] for f in frames]),
            d.mixture([f[1] for f in frames]),
        ),
        _known("electronics", "the screen's own electronics", d.of_figure(of["processing_time_s"])),
        _known("pixels", "the pixels change", d.of_figure(of["response_time_s"])),
    ]


def _frames(of: Facts, frame_s: float) -> tuple[d.Density, d.Density]:
    """Return the wait for frames of one length: of one press, and with the phase averaged out."""
    if of.words["latched"] == "no":
        return d.uniform(0.0, frame_s), d.point(0.5 * frame_s)
    queue = of["queued_frames"]
    queued = d.of_figure(
        Figure(queue.value * frame_s, queue.low * frame_s, queue.high * frame_s, "s", queue.grade, queue.source,
               shape=queue.shape)
    )  # fmt: skip
    down = d.uniform(0.0, frame_s - BLANK_S)
    return d.uniform(0.0, frame_s) + queued + down, d.point(0.5 * frame_s) + queued + down


def sampled(name: str, samples: int = 200_000, seed: int = 1) -> Array:
    """Return one press many times over, by random numbers through the stages' functions: the second way."""
    found = find(name)
    of = facts(found)
    stream = np.random.default_rng(seed)

    def draw(figure: str) -> Array:
        return np.asarray(d.values_at(of[figure], stream.uniform(1e-12, 1.0 - 1e-12, samples)))

    def phase() -> Array:
        return stream.uniform(size=samples)

    period_s = draw("scan_period_s")
    time_s = press.struck_time_s(draw("travel_m"), draw("touch_speed_m_s")) + matrix.scan_wait_s(period_s, phase())
    quiet_s = debounce.whole_scans_s(draw("debounce_s"), period_s)
    deferred_s = debounce.defer_delay_s(draw("bounce_s"), quiet_s)
    time_s = time_s + np.where(phase() < _eager_share(of), 0.0, deferred_s)
    if of.words.get("radio") == "yes":
        time_s = time_s + usb.poll_wait_s(draw("radio_slot_s"), phase()) + draw("radio_stack_s")
    if "poll_interval_s" in of.figures:
        time_s = time_s + usb.poll_wait_s(draw("poll_interval_s"), phase())
    if "speed" in of.words:
        time_s = time_s + BUS_TIME[of.words["speed"]](REPORT_B)
    if "host" in found.texts:
        time_s = time_s + _sampled_screen(of, draw, phase)
    return np.asarray(time_s)


def _sampled_screen(of: Facts, draw: Callable[[str], Array], phase: Callable[[], Array]) -> Any:
    rate_Hz = draw("refresh_rate_Hz")
    time_s: Any = draw("host_input_s") + draw("event_loop_s") * phase() + draw("program_time_s")
    time_s = time_s + vsync.wait_s(phase(), draw("queued_frames"), rate_Hz)
    if of.words["latched"] == "yes":
        time_s = time_s + vsync.scan_out_s(phase(), ROWS, rate_Hz, BLANK_S)
    return time_s + draw("processing_time_s") + draw("response_time_s")
