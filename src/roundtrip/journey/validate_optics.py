"""Hold optical lines against published results: GNPy's reference runs, and a field trial under the Atlantic.

Nothing here is fitted and no data set is read; that GNPy itself finds the same on these and other lines, channel by
channel, is held by ``tests/judges/test_gnpy.py``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from roundtrip.journey.links import Line, read
from roundtrip.journey.links_budget import budget
from roundtrip.stages.optics import fiber, gsnr

# OSNR and GSNR, mean over the channels in 0.1 nm, as GNPy 3.0.1 prints them for the lines of the sources
# gnpy-main-example, gnpy-long-example and gnpy-coronet.
PUBLISHED = {"80-km": (33.29, 31.17), "1200-km": (19.69, 17.75), "coronet": (15.15, 13.70)}
TRIAL_BIT_S = 30e12  # one fiber pair of MAREA, 6,640 km, no margin kept: source marea-ice6-2021
ALLOWED_DB = 0.1


def score(directory: Path) -> list[dict[str, Any]]:
    """Score the lines whose results are published.

    Parameters
    ----------
    directory : Path
        Folder of data sets; none of them is about optics.
    """
    ours = {name: budget(read(name)).summary for name in PUBLISHED}
    osnr = [ours[name]["osnr_dB"] - PUBLISHED[name][0] for name in PUBLISHED]
    noise = [ours[name]["gsnr_dB"] - PUBLISHED[name][1] for name in PUBLISHED]
    rival = [_equal_spans(read(name)) for name in PUBLISHED]
    limit = budget(read("atlantic")).summary["shannon_bit_s"]
    lines = "GNPy 3.0.1's reference results on 80, 1,200 and 3,277 km"
    rows = [
        ("OSNR of optical lines", "largest error, dB in 0.1 nm", _largest(osnr), ALLOWED_DB, 3, lines,
         "none: nothing is fitted", {"equal spans in closed form": _largest(
             [rival[n][0] - PUBLISHED[name][0] for n, name in enumerate(PUBLISHED)])}),
        ("GSNR of optical lines", "largest error, dB in 0.1 nm", _largest(noise), ALLOWED_DB, 3, lines,
         "none: nothing is fitted", {"equal spans in closed form": _largest(
             [rival[n][1] - PUBLISHED[name][1] for n, name in enumerate(PUBLISHED)])}),
        ("capacity under the Atlantic", "field trial over Shannon's limit at our noise", TRIAL_BIT_S / limit, 1.0, 1,
         "30 Tbit/s on one pair of MAREA", "none: spans and fiber are guesses of ours", {}),
    ]  # fmt: skip
    keys = ("name", "metric", "value", "bar", "n", "coverage", "split", "rivals")
    return [{**dict(zip(keys, row, strict=True)), "holds": row[2] <= row[3]} for row in rows]


def _largest(errors: list[float]) -> float:
    return float(np.max(np.abs(errors)))


def _equal_spans(line: Line) -> tuple[float, float]:
    """Return OSNR and GSNR as if all spans were the mean one: what a planner's formula says of the same line."""
    glass = next(iter(line.glasses.values()))
    spans = [part.length_m for part in line.parts if part.kind == "fiber"]
    figures = [line.noise_figure_dB(part) for part in line.parts if part.kind == "amplifier"]
    switches = sum(part.kind == "switch" for part in line.parts)
    mean_m, launch = float(np.mean(spans)), line.value("launch_power_dBm")
    connector, rate = line.value("connector_loss_dB"), line.value("symbol_rate_Hz")
    loss_dB: Any = fiber.fiber_loss_dB(mean_m, glass.attenuation_dB_km)
    figure_dB = 10.0 * float(np.log10(np.mean(10.0 ** (np.array(figures) / 10.0))))
    center_Hz = float(np.mean(line.frequency_Hz))
    osnr: Any = gsnr.line_osnr_dB(launch, loss_dB + connector, figure_dB, float(len(spans)), center_Hz)
    wavelength_m = 299_792_458.0 / center_Hz
    efficiency = gsnr.span_efficiency_1_W2(
        fiber.nonlinear_coefficient_1_W_m(glass.nonlinear_index_m2_W, wavelength_m, glass.effective_area_m2),
        fiber.effective_length_m(mean_m, glass.attenuation_dB_km),
        fiber.asymptotic_length_m(glass.attenuation_dB_km),
        fiber.beta2_s2_m(glass.dispersion_ps_nm_km, wavelength_m),
        rate,
        line.value("channel_spacing_Hz"),
        float(len(line.frequency_Hz)),
    )
    nonlinear = gsnr.line_nonlinear_snr_dB(launch - connector / 2.0, efficiency, float(len(spans)))
    ends = line.value("add_drop_osnr_dB") if switches else 200.0
    transmitter = line.value("transmitter_osnr_dB")
    without: Any = gsnr.link_gsnr_dB(osnr, 200.0, rate, transmitter, ends)
    whole: Any = gsnr.link_gsnr_dB(osnr, nonlinear, rate, transmitter, ends)
    return float(without), float(whole)
