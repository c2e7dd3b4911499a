"""A line as a picture: the level that falls and is lifted again, the noise that only grows, all channels at the end.

Plain SVG without script. Photons have their hue; what is required is a dashed rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from roundtrip.journey.links_budget import Budget
from roundtrip.trace.look import LOOKS
from roundtrip.trace.svg import document, label

WIDTH, LEFT, RIGHT, HIGH, GAP, TOP = 1080.0, 70.0, 150.0, 150.0, 66.0, 96.0
LIGHT, NOISE = LOOKS["photons"], LOOKS["heat"]
STYLE = (
    f"<style>.light{{stroke:{LIGHT.light}}}.noise{{stroke:{NOISE.light}}}@media(prefers-color-scheme:dark)"
    f"{{.light{{stroke:{LIGHT.dark}}}.noise{{stroke:{NOISE.dark}}}}}.light,.noise{{fill:none;stroke-width:1.6}}"
    ".dots{fill:none;stroke-width:1.4;stroke-dasharray:2 3}.need{stroke-dasharray:6 4;stroke-width:1.4}</style>"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """A panel: where its axes run."""

    top: float
    across: tuple[float, float]
    up: tuple[float, float]

    def x(self, value: float) -> float:
        """Return the place of a value on the axis across."""
        first, last = self.across
        return LEFT + (value - first) / max(last - first, 1e-30) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        """Return the place of a value on the upright axis, held inside the panel."""
        low, high = self.up
        return self.top + HIGH - (min(max(value, low), high) - low) / (high - low) * HIGH

    def line(self, xs: Sequence[float], ys: Sequence[float], look: str) -> str:
        """Return a line through points; those without a finite value are left out."""
        points = [
            f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in zip(xs, ys, strict=True) if np.isfinite(x) and np.isfinite(y)
        ]
        return f'<polyline class="{look}" points="{" ".join(points)}"/>'

    def axes(self, title: str, unit: Callable[[float], str], across: Callable[[float], str]) -> list[str]:
        """Return the rules, the ticks and the title."""
        parts = [label(LEFT, self.top - 12, title, "text name")]
        for tick in _ticks(*self.up):
            y = self.y(tick)
            parts.append(f'<line class="rule" x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}"/>')
            parts.append(label(LEFT - 8, y + 4, unit(tick), "muted small", "end"))
        below = self.top + HIGH + 18
        return parts + [label(self.x(t), below, across(t), "muted small", "middle") for t in _ticks(*self.across)]

    def names(self, at_end: Sequence[tuple[float, str]]) -> list[str]:
        """Return names at the right of the panel, each at its value or as near below as the one above it lets."""
        parts, last = list[str](), -np.inf
        for value, text in sorted(at_end, key=lambda pair: -pair[0]):
            last = max(self.y(value) + 4, last + 15.0)
            parts.append(label(WIDTH - RIGHT + 8, last, text, "text small"))
        return parts


def _ticks(low: float, high: float) -> list[float]:
    if high <= low:
        return [low]
    rough = (high - low) / 5.0
    power = 10.0 ** np.floor(np.log10(rough))
    step = float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda m: abs(np.log(m * power / rough))))
    return [step * n for n in range(int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9)) + 1)]


def picture(found: Budget) -> str:
    """Return the picture of a budget."""
    rows, end = found.rows, found.places[-1]
    last_km = max(rows[-1].at_m / 1e3, 1e-3)
    km = [row.at_m / 1e3 for row in rows]
    levels = [row.level_dBm for row in rows]
    required = found.summary["required_osnr_dB"]
    osnr, gsnr = [row.osnr_dB for row in rows], [row.gsnr_dB for row in rows]
    finite = [v for v in (*osnr, *gsnr, required) if np.isfinite(v)]

    def level(v: float) -> str:
        return f"{v:g} dBm"

    def decibel(v: float) -> str:
        return f"{v:g} dB"

    first = Frame(TOP, (0.0, last_km), (min(levels) - 1.0, max(levels) + 1.0))
    body = [STYLE, label(24, 34, found.line.entry.title, "text title"), label(24, 58, _subtitle(found), "muted")]
    body += first.axes("Level of a channel along the line", level, lambda v: f"{v:g} km")
    # An element changes the light where it stands; only glass takes kilometers.
    body.append(first.line(km, levels, "light"))

    second = Frame(TOP + HIGH + GAP, (0.0, last_km), (min(finite) - 1.0, min(max(finite), required + 30.0) + 1.0))
    body += second.axes("Signal over noise in 0.1 nm", decibel, lambda v: f"{v:g} km")
    body += [second.line(km, osnr, "light dots"), second.line(km, gsnr, "light")]
    body.append(second.line([0.0, last_km], [required, required], "noise need"))
    ends = ((osnr[-1], "OSNR"), (gsnr[-1], "GSNR"), (required, "required"))
    body += second.names([(value, f"{name} {value:.1f} dB") for value, name in ends if np.isfinite(value)])

    terahertz = end.frequency_Hz / 1e12
    each = {name: end.ratio_dB(name == "GSNR") for name in ("OSNR", "GSNR")}
    known = np.concatenate([v[np.isfinite(v)] for v in each.values()]) if np.isfinite(each["GSNR"]).any() else [0.0]
    across = (float(terahertz[0]) - 0.05, float(terahertz[-1]) + 0.05)
    third = Frame(TOP + 2.0 * (HIGH + GAP), across, (float(np.min(known)) - 0.5, float(np.max(known)) + 0.5))
    body += third.axes("Every channel at the receiver, in 0.1 nm", decibel, lambda v: f"{v:g} THz")
    for name, look in (("OSNR", "light dots"), ("GSNR", "light")):
        body.append(third.line(terahertz.tolist(), each[name].tolist(), look))
    body += third.names([(float(v[-1]), name) for name, v in each.items() if np.isfinite(v[-1])])
    return document(WIDTH, third.top + HIGH + 44.0, f"Levels and noise along a line: {found.line.entry.title}", body)


def _subtitle(found: Budget) -> str:
    s = found.summary
    return (
        f"{s['channels']:.0f} channels at {s['launch_power_dBm']:.1f} dBm into each span; margin of the worst channel "
        f"{s['margin_dB']:.1f} dB; {s['capacity_bit_s'] / 1e12:.1f} Tbit/s; {s['power_W']:,.0f} W for both directions"
    )
