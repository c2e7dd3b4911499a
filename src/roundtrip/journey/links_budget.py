"""The budget of a line: what is required, what is there, and what that means for rate, length and watts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roundtrip.figures.sampling import SLENDER, Draws
from roundtrip.journey.links import Line, Row, elements
from roundtrip.stages.optics import fiber, gsnr, lightpath
from roundtrip.stages.optics.spectrum import REFERENCE_BANDWIDTH_HZ, Spectrum

UNSURE = (
    "launch_power_dBm", "connector_loss_dB", "transmitter_osnr_dB", "add_drop_osnr_dB", "model_error_dB",
    "amplifier.noise_figure_dB", "amplifier.saturation_level_dBm", "line.required_osnr_dB",
)  # fmt: skip
UNSURE_OF_GLASS = ("attenuation_dB_km", "dispersion_ps_nm_km", "effective_area_m2", "nonlinear_index_m2_W")


@dataclass(frozen=True, slots=True)
class Budget:
    """A line, its elements, its channels and its summary."""

    line: Line
    launch_dBm: float
    places: list[Spectrum]
    rows: list[Row]
    summary: dict[str, float]
    bands: dict[str, tuple[float, float]]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        entry, end = self.line.entry, self.places[-1]
        channels = {
            "frequency_Hz": end.frequency_Hz,
            "level_dBm": 10.0 * np.log10(end.channel_W * 1e3),
            "osnr_dB": end.ratio_dB(False),
            "osnr_signal_dB": end.ratio_dB(False, signal_bandwidth=True),
            "gsnr_dB": end.ratio_dB(True),
            "gsnr_signal_dB": end.ratio_dB(True, signal_bandwidth=True),
        }
        return {
            "link": entry.key,
            "title": entry.title,
            "about": entry.texts.get("about", ""),
            "settings": dict(self.line.settings),
            "reference_bandwidth_Hz": REFERENCE_BANDWIDTH_HZ,
            "summary": {name: _finite(value) for name, value in self.summary.items()},
            "bands": {name: {"low": _finite(a), "high": _finite(b)} for name, (a, b) in self.bands.items()},
            "elements": [row.as_dict() for row in self.rows],
            "channels": {name: [_finite(v) for v in values] for name, values in channels.items()},
        }


def _finite(value: Any) -> float | None:
    return float(value) if np.isfinite(value) else None


def budget(line: Line, at_best: bool = False, samples: int = 0, seed: int = 1) -> Budget:
    """Return the budget of a line at its launch power, or at the best one.

    Parameters
    ----------
    samples : int
        Lines that could be this one, behind the bands; 0 for none.
    """
    best_dBm = line.best_launch_dBm()
    launch_dBm = best_dBm if at_best else line.value("launch_power_dBm")
    places = line.run(launch_dBm)
    rows = elements(line, places)
    summary = _summary(line, launch_dBm, best_dBm, places, rows)
    found = bands(line, launch_dBm if at_best else None, samples, seed) if samples else {}
    return Budget(line, launch_dBm, places, rows, summary, found)


def bands(line: Line, launch_dBm: float | None, samples: int, seed: int = 1) -> dict[str, tuple[float, float]]:
    """Return p5 and p95 of what a line leaves, over what is not known of glass, amplifiers and the model itself.

    What the reader set stays as it is. Every sample is a line of its own, designed for its own losses; the error of the
    model is drawn with the rest, from how well it has been found to fit measured networks.
    """
    draws = Draws(SLENDER * samples * samples, seed)  # as many worlds as lines: here all is ignorance
    names = [*UNSURE, *(f"{name}.{figure}" for name in line.glasses for figure in UNSURE_OF_GLASS)]
    if line.text("dispersion") == "sloped":
        names += [f"{name}.zero_dispersion_slope_ps_nm2_km" for name in line.glasses]
    drawn = {
        name: np.broadcast_to(np.ravel(draws.draw(replace(line.figure(name), spread="ignorance"), name)), draws.worlds)
        for name in names
        if name not in line.settings
    }
    noise = drawn.pop("amplifier.noise_figure_dB", None)
    error = drawn.pop("model_error_dB", np.zeros(draws.worlds))
    stated = line.figure("amplifier.noise_figure_dB").value
    result = np.zeros((3, draws.worlds))
    for number in range(draws.worlds):
        settings = {**line.settings, **{name: repr(float(values[number])) for name, values in drawn.items()}}
        sample = Line(line.entry, settings, 0.0 if noise is None else float(noise[number]) - stated)
        end = sample.run(launch_dBm)[-1]
        gsnr_dB = end.ratio_dB(nonlinear=True) + error[number]
        required = sample.value("line.required_osnr_dB") + sample.value("design_margin_dB")
        result[:, number] = np.mean(end.ratio_dB(nonlinear=False)), np.mean(gsnr_dB), np.min(gsnr_dB) - required
    with np.errstate(invalid="ignore"):  # lines without noise have infinite ratios
        low, high = np.quantile(result, (0.05, 0.95), axis=1, method="lower")
    return {n: (float(low[i]), float(high[i])) for i, n in enumerate(("osnr_dB", "gsnr_dB", "margin_dB"))}


def _summary(
    line: Line, launch_dBm: float, best_dBm: float, places: list[Spectrum], rows: list[Row]
) -> dict[str, float]:
    end, last = places[-1], rows[-1]
    required, design = line.value("line.required_osnr_dB"), line.value("design_margin_dB")
    rate, polarizations = line.value("line.rate_bit_s"), line.value("line.polarizations")
    fits = end.ratio_dB(nonlinear=True) >= required
    signal_dB = end.ratio_dB(nonlinear=True, signal_bandwidth=True)
    limit: Any = lightpath.shannon_rate_bit_s(line.symbol_rate_Hz, signal_dB, polarizations)
    mean_dB = last.gsnr_signal_dB
    power_W = sum(row.power_W for row in rows)
    capacity = float(np.sum(fits)) * rate
    best_gsnr = line.run(best_dBm)[-1].ratio_dB(nonlinear=True)
    result: dict[str, Any] = {
        "length_m": last.at_m,
        "spans": float(sum(part.kind == "fiber" for part in line.parts)),
        "amplifiers": float(sum(part.kind == "amplifier" for part in line.parts)),
        "switches": float(sum(part.kind == "switch" for part in line.parts)),
        "channels": float(len(fits)),
        "launch_power_dBm": launch_dBm,
        "best_launch_power_dBm": best_dBm,
        "best_gsnr_dB": float(np.mean(best_gsnr)),
        "osnr_dB": last.osnr_dB,
        "osnr_signal_dB": last.osnr_signal_dB,
        "gsnr_dB": last.gsnr_dB,
        "gsnr_signal_dB": last.gsnr_signal_dB,
        "worst_gsnr_dB": last.worst_gsnr_dB,
        "required_osnr_dB": required,
        "required_snr_signal_dB": gsnr.in_signal_bandwidth_dB(required, float(line.symbol_rate_Hz[0])),
        "design_margin_dB": design,
        "margin_dB": last.margin_dB,
        "channels_that_close": float(np.sum(fits)),
        "capacity_bit_s": capacity,
        "shannon_bit_s": float(np.sum(limit)),
        "gap_to_shannon_dB": lightpath.gap_to_shannon_dB(rate, line.symbol_rate_Hz[0], mean_dB, polarizations),
        "sustained_length_m": _sustained(line, places, required, design),
        "unamplified_reach_m": _unamplified(line, launch_dBm, design),
        "delay_s": sum(
            fiber.flight_time_s(part.length_m, line.glasses[part.fiber].group_index)
            for part in line.parts
            if part.kind == "fiber"
        ),
        "dispersion_ps_nm": sum(
            fiber.accumulated_dispersion_ps_nm(part.length_m, line.glasses[part.fiber].dispersion_ps_nm_km)
            for part in line.parts
            if part.kind == "fiber"
        ),
        # Delays of independent stretches add as squares.
        "polarization_spread_s": float(
            np.sqrt(
                sum(
                    fiber.polarization_spread_s(part.length_m, line.glasses[part.fiber].pmd_ps_sqrt_km) ** 2
                    for part in line.parts
                    if part.kind == "fiber"
                )
            )
        ),
        "power_W": power_W,
        "energy_per_bit_J": lightpath.line_energy_per_bit_J(power_W, capacity) if capacity else float("inf"),
    }
    return {name: float(value) for name, value in result.items()}


def _sustained(line: Line, places: list[Spectrum], required: float, design: float) -> float:
    """Return the length of a line of the same making that just closes: what its ends add is left out of the growth."""
    end = places[-1]
    share = end.signal_W * end.symbol_rate_Hz / REFERENCE_BANDWIDTH_HZ
    noise = (end.ase_W + end.nonlinear_W) / share
    ends = np.full_like(noise, 10.0 ** (-line.value("transmitter_osnr_dB") / 10.0))
    halves = sum(line.parts[n].kind == "switch" for n in ((0, -1) if len(line.parts) > 1 else (0,)))
    ends += 0.5 * halves * 10.0 ** (-line.value("add_drop_osnr_dB") / 10.0)
    length_m = sum(part.length_m for part in line.parts)
    grown = noise - ends
    left = 10.0 ** (-(required + design) / 10.0) - ends
    if np.any(grown <= 0.0):
        return float("inf")
    # With the ends' noise taken off both sides this is lightpath.sustained_length_m of the line alone.
    alone_dB, needed_dB = -10.0 * np.log10(grown), -10.0 * np.log10(np.maximum(left, 1e-30))
    reach: Any = lightpath.sustained_length_m(length_m, alone_dB, needed_dB, 0.0)
    return float(np.min(np.where(left > 0.0, reach, 0.0)))


def _unamplified(line: Line, launch_dBm: float, design: float) -> float:
    kinds = [part.fiber for part in line.parts if part.kind == "fiber"]
    if not kinds:
        return 0.0
    loss = min(line.glasses[name].attenuation_dB_km for name in kinds)
    reach: Any = lightpath.unamplified_reach_m(
        launch_dBm, line.value("sensitivity_dBm"), line.value("connector_loss_dB"), design, loss
    )
    return float(reach)
