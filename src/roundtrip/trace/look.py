"""How a carrier looks, in the terminal and in a picture.

Hue means carrier and nothing else; shape says the same without hue.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """Bar of a carrier: a character for the terminal, one for ASCII, a color for dark and for light ground."""

    glyph: str
    ascii: str
    dark: str
    light: str
    ansi: int  # of the 256 colors: near `dark`, and readable on white


LOOKS: dict[str, Look] = {
    "moving charge": Look("█", "#", "#F2C14E", "#B86A00", 172),
    "photons": Look("━", "=", "#3A9BF4", "#1A5FB4", 33),
    "stored charge": Look("▒", "%", "#7FE7D6", "#0B8A72", 36),
    "waiting": Look("╱", "/", "#7C828E", "#3D434D", 244),
    "heat": Look("▓", "&", "#E5484D", "#A3160F", 160),
    "motion": Look("▄", "_", "#C8B79A", "#836946", 137),
    "chemistry": Look("≈", "~", "#BF8EBA", "#81367A", 134),
}

TEXT_DARK, TEXT_LIGHT = "#E8E6E1", "#23262D"
MUTED_DARK, MUTED_LIGHT = "#9AA3B2", "#5A6273"
GROUND_DARK, GROUND_LIGHT = "#0E1116", "#FBFAF7"
LINE_DARK, LINE_LIGHT = "#39414F", "#C9C5B9"

ROOM_TITLES = {
    "keyboard": "Keyboard: from the finger to the wire",
    "computer": "Computer: from the interrupt to the request",
    "network": "Network: from the socket to the far end",
    "optics": "Optics: the light in the glass",
    "datacenter": "Datacenter: to a place in the batch",
    "model": "Model: reading, then writing",
    "display": "Display: from the word to the light",
    "eye": "Eye: from the light to the word",
    "training": "Training: the run that made the weights",
    "record": "Unattributed: time that no span explains",
}
WAY_BACK = {
    "computer": "Computer: the word arrives",
    "network": "Network: the way back",
    "optics": "Optics: the light on the way back",
    "datacenter": "Datacenter: on the way out",
}
OTHERS = {
    "stream": "The stream: the other words, while later ones are made",
    "on": "Always on: what would run without the prompt",
}


BEHIND = "Behind it: power and cooling"


def group_of(span_id: str, room: str) -> str:
    """Return the heading of a span: its room, and whether it is on the way back, in the stream, or always on."""
    first = span_id.partition(".")[0]
    if span_id == "datacenter.power":
        return BEHIND
    if first == "back":
        return WAY_BACK.get(room, f"{room.capitalize()}: the way back")
    if first in OTHERS:
        return OTHERS[first]
    return ROOM_TITLES.get(room, room.capitalize())
