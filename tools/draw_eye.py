"""Draw docs/explanation/rooms/eye.svg: spectra, responses and latencies, from the stages and the catalog themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from roundtrip.catalog.load import entry
from roundtrip.journey.rooms.eye import AREAS
from roundtrip.stages.eye import cone, rod, spectra

FILE = Path(__file__).parents[1] / "docs" / "explanation" / "rooms" / "eye.svg"
WIDTH, HEIGHT, LEFT, TOP, GAP = 720, 190, 60, 34, 74
INK, COLORS = "#444", ("#1f6fb2", "#c4512d", "#3a8a3a", "#8a6fae")


class Panel:
    """One diagram with a linear x axis; y runs from 0 to 1."""

    def __init__(self, row: int, title: str, low: float, high: float, unit: str, ticks: range) -> None:
        self.top = TOP + row * (HEIGHT + GAP)
        self.low, self.high = low, high
        self.parts = [f'<text x="{LEFT}" y="{self.top - 12}" font-weight="bold">{title}</text>']
        self.parts.append(f'<path d="M{LEFT} {self.y(0)}H{WIDTH - 20}" stroke="{INK}"/>')
        for tick in ticks:
            x = self.x(tick)
            self.parts.append(f'<path d="M{x:.1f} {self.y(0)}v5" stroke="{INK}"/>')
            self.parts.append(f'<text x="{x:.1f}" y="{self.y(0) + 18}" text-anchor="middle">{tick:g}</text>')
        self.parts.append(f'<text x="{WIDTH - 20}" y="{self.y(0) + 34}" text-anchor="end">{unit}</text>')

    def x(self, value: float) -> float:
        return LEFT + (value - self.low) / (self.high - self.low) * (WIDTH - 20 - LEFT)

    def y(self, share: float) -> float:
        return self.top + HEIGHT * (1.0 - share)

    def line(self, xs: Any, ys: Any, number: int, name: str, dashed: bool = False) -> None:
        points = " ".join(f"{self.x(x):.1f},{self.y(0.95 * y):.1f}" for x, y in zip(xs, ys, strict=True))
        dash = ' stroke-dasharray="5 3"' if dashed else ""
        self.parts.append(
            f'<polyline points="{points}" fill="none" stroke="{COLORS[number]}" stroke-width="1.6"{dash}/>'
        )
        self.parts.append(
            f'<text x="{WIDTH - 24}" y="{self.top + 34 + 16 * number}" text-anchor="end" '
            f'fill="{COLORS[number]}">{name}</text>'
        )

    def bar(self, number: int, count: int, low: float, middle: float, high: float, name: str) -> None:
        y = self.y(1.0 - (number + 0.5) / count)
        self.parts.append(
            f'<path d="M{self.x(low):.1f} {y:.1f}H{self.x(high):.1f}" stroke="{COLORS[0]}" stroke-width="7"/>'
        )
        self.parts.append(f'<circle cx="{self.x(middle):.1f}" cy="{y:.1f}" r="4" fill="{COLORS[1]}"/>')
        late = high > 0.7 * self.high
        x, anchor = (self.x(low) - 8, "end") if late else (self.x(high) + 8, "start")
        self.parts.append(f'<text x="{x:.1f}" y="{y + 4:.1f}" text-anchor="{anchor}">{name}</text>')


def _spectra() -> Panel:
    panel = Panel(0, "What the screens send and what the eye takes", 390, 780, "wavelength in nm", range(400, 800, 50))
    panel.line(spectra.NM, spectra.LCD, 0, "white-LED panel")
    panel.line(spectra.NM, spectra.OLED, 1, "OLED")
    panel.line(spectra.NM, spectra.PHOTOPIC, 2, "V: what makes a lumen", dashed=True)
    panel.line(spectra.NM, spectra.media(60.0), 3, "lens of 60 years", dashed=True)
    return panel


def _responses() -> Panel:
    panel = Panel(1, "Currents after a flash, each over its peak", 0, 600, "time in ms", range(0, 601, 100))
    times = np.linspace(0.0, 0.6, 601)
    early = times[times < 0.32]
    for number, (rate, name) in enumerate(((2e4, "cone on a page"), (0.0, "cone in the dark"))):
        solved, response = cone.flash(np.array([rate]))
        panel.line(1e3 * early, np.interp(early, solved, response[:, 0] / np.max(response)), number, name)
    photon = np.asarray(rod.single_photon_A(times))
    panel.line(1e3 * times, photon / np.max(photon), 2, "rod, one photon")
    return panel


def _latencies() -> Panel:
    figures = entry("viewers", "adult-30").figures
    panel = Panel(2, "From the light: median and p5 to p95 of seven onsets", 0, 320, "time in ms", range(0, 301, 50))
    for number, (_, key, title) in enumerate(AREAS):
        figure = figures[key]
        panel.bar(number, len(AREAS), 1e3 * figure.low, 1e3 * figure.value, 1e3 * figure.high, title.split(":")[0])
    return panel


def main() -> None:
    """Write the picture."""
    panels = (_spectra(), _responses(), _latencies())
    height = TOP + 3 * (HEIGHT + GAP)
    body = "\n".join(part for panel in panels for part in panel.parts)
    FILE.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="12" fill="{INK}">\n<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n',
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()
