"""What the light leaves behind to look at: points, eye, spectrum, and how the points blur with distance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.journey.carry.artifact import Artifact
from roundtrip.journey.carry.light import SAMPLES, Haul, Section
from roundtrip.journey.carry.setting import Setting

SHOWN = 4_000  # points of a picture
DISTANCES = 6
WAVES = {
    "sent": "The wave as it is sent",
    "back to back": "The wave as a receiver beside the sender sees it",
    "arrived": "The wave as it arrives, dispersion in it",
    "dispersion undone": "The wave after its dispersion was undone",
}


def artifacts(haul: Haul, where: Setting) -> list[Artifact]:
    """Return the first burst as it went through the first section, and a test burst at several distances."""
    if not haul.bursts:
        return []
    section = (haul.repaired or haul.sections)[0]
    made: list[Artifact] = [_bursts(haul)]
    look = haul.bursts[0][2][0].look
    for name, title in WAVES.items():
        if name in look:
            made.append(_array("optics.coherent", name.replace(" ", "-"), title, look[name][:, : 2 * SHOWN]))
    if "symbols" in look:
        made.append(_array("optics.coherent", "symbols", "Points as they are decided", look["symbols"]))
    made.append(_distances(section))
    return made


def _array(stage: str, name: str, title: str, values: NDArray[Any]) -> Artifact:
    spectrum = np.abs(np.fft.fftshift(np.fft.fft(values, axis=-1))) ** 2
    return Artifact(stage, name, title, "array", {"values": values, "spectrum": spectrum}, file="npz")


def _bursts(haul: Haul) -> Artifact:
    head = ("direction", "time_s", "section", "bits", "wrong before correction", "repaired", "gsnr_dB")
    rows: list[tuple[str, ...]] = [head]
    for direction, at_s, passed in haul.bursts:
        for number, burst in enumerate(passed, 1):
            rows.append((direction, f"{at_s:.6f}", str(number), str(len(burst.bits)), str(burst.wrong),
                         "yes" if burst.is_repaired else "no", f"{burst.gsnr_dB:.2f}"))  # fmt: skip
    return Artifact("optics.fec", "bursts", "Each burst over each section", "table", rows, file="csv")


def _distances(section: Section) -> Artifact:
    """Return points of a burst of its own after parts of the way: how they blur with distance."""
    stream = np.random.default_rng(11)
    bits = stream.integers(0, 2, SHOWN * 4).astype(np.uint8)
    points: dict[str, NDArray[Any]] = {}
    places = np.unique(np.linspace(2, len(section.parts), DISTANCES).astype(int))
    for place in places.tolist():
        length_m, _, _ = section.walked(place)
        look = section.carry(bits, stream, place=place, looks=True).look
        points[f"{length_m / 1e3:.0f} km"] = look["symbols"][0]
    title = f"Points after parts of the way ({SAMPLES} samples a symbol, own burst)"
    return Artifact("optics.amplifier", "distances", title, "array", points, file="npz")
