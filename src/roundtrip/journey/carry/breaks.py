"""What can be broken on the way: a name each, what it does, and where it is done."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from roundtrip.errors import ScenarioError, nearest

OUTAGE_S = 0.05  # ITU-T G.841: what a protected line is given to switch over


@dataclass(frozen=True, slots=True)
class Break:
    """One thing that can be broken.

    Attributes
    ----------
    stage : str
        Where.
    text : str
        What is done, for help and reports.
    low, high : float
        Range of its value; both zero where it takes none.
    default : float
        Value without one.
    """

    stage: str
    text: str
    low: float = 0.0
    high: float = 0.0
    default: float = 0.0


BREAKS: dict[str, Break] = {
    "no-diodes": Break("keyboard.matrix", "the matrix has no diodes, and keys are pressed into each other"),
    "no-debounce": Break("keyboard.debounce", "the firmware takes every change of a contact for a press"),
    "usb-error": Break("keyboard.usb", "a bit of the first report is wrong on the cable"),
    "wrong-keymap": Break("computer.layout", "the computer reads the keys by another layout"),
    "packet-loss": Break("network.loss", "each frame is lost with this chance", 0.0, 1.0, 0.05),
    "reordering": Break("network.loss", "each frame is late, and overtaken, with this chance", 0.0, 1.0, 0.1),
    "bit-error": Break("network.ethernet", "a bit of the request's frame is wrong where it enters the net"),
    "dead-amplifier": Break("optics.amplifier", "an amplifier dies as the request leaves, for 50 ms"),
    "cut-fiber": Break("optics.fiber", "the fiber is cut for good"),
    "wrong-dispersion": Break("optics.coherent", "the receiver undoes only this share of dispersion", 0.0, 1.0, 0.9),
    "no-fec": Break("optics.fec", "nothing corrects the bits that are wrong"),
    "noisy-link": Break("datacenter.fabric", "the short link has this signal over noise, in dB", 0.0, 60.0, 17.0),
    "dark-pixel": Break("display.panel", "a column of the screen's pixels stays dark"),
    "dark-rows": Break("display.panel", "ten rows of the screen's pixels stay dark, where the text is"),
    "no-backlight": Break("display.panel", "the lamp behind the screen is off"),
}  # fmt: skip


def read_breaks(words: Iterable[str]) -> dict[str, float]:
    """Return the value of each break, given ``NAME`` or ``NAME=VALUE``.

    Raises
    ------
    ScenarioError
        If there is no such break, it takes no value, or the value is out of its range.
    """
    found: dict[str, float] = {}
    for word in words:
        name, equals, value = word.partition("=")
        name = name.strip()
        if name not in BREAKS:
            raise ScenarioError(f"--break {name!r} is not one of {', '.join(BREAKS)}{nearest(name, BREAKS)}")
        if name in found:
            raise ScenarioError(f"--break {name} is given twice")
        one = BREAKS[name]
        if not equals:
            found[name] = one.default
            continue
        if one.low == one.high:
            raise ScenarioError(f"--break {name} takes no value, got {value!r}")
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not one.low <= number <= one.high:
            raise ScenarioError(f"--break {name}={value}: expected {one.low:g} to {one.high:g}")
        found[name] = number
    return found
