"""Score the eye: photons of a pixel, catches of cones, solvers against their tables, latencies that overlap.

What is published stands in the truth rows of the stages (`roundtrip/truth/display/panel.toml`, `truth/eye`); here the
rows that belong together are one score each, beside what a simpler rule says. Solvers are run; no data set is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from roundtrip.figures.sampling import Draws
from roundtrip.journey.scenario import load_scenario
from roundtrip.journey.truth import Row, check, rows
from roundtrip.stages.display import panel
from roundtrip.stages.eye import cone, pupil, rod, spectra

PHOTONS, CATCH, TABLES, PEAK_S = 0.01, 2.0, 1e-3, (23e-3, 30.5e-3)
SAMPLES, SEED = 2_500, 7
GREEN_M, GREEN_LM_W = 555e-9, 683.0
PUPIL = "luminance 200 cd/m2, 1500 square degrees"
LATENCIES = (
    "first_latency_s", "second_latency_s", "fourth_latency_s", "inferotemporal_latency_s", "letter_latency_s",
    "n170_latency_s", "word_latency_s",
)  # fmt: skip


def score(directory: Path) -> list[dict[str, Any]]:
    """Return the scores; `directory` holds nothing that is needed here."""
    return [_photons(), _white(), _catch(), *_tables(), _cone_peak(), *_rod(), _pupils(), _overlap()]


def _score(
    name: str, metric: str, value: float, bar: float, holds: bool, n: int, coverage: str, split: str, **rivals: float
) -> dict[str, Any]:
    named = {key.replace("_", " "): rival for key, rival in rivals.items()}
    return {
        "name": name, "metric": metric, "value": value, "bar": bar, "holds": holds, "n": n, "coverage": coverage,
        "split": split, "rivals": named,
    }  # fmt: skip


def _chosen(stage: str, prefix: str) -> list[Row]:
    return [row for row in rows() if row.stage == stage and row.id.startswith(prefix)]


def _photons() -> dict[str, Any]:
    """Photons of five screens at 555 nm: what is left of the error when half a printed digit is taken off."""
    table = _chosen("display.panel", "table-")
    left = []
    for row in table:
        digit = 10.0 ** (np.floor(np.log10(row.value)) - (2 if "27-4k" in row.id and row.value > 1e9 else 1))
        left.append(max(abs(check(row).value - row.value) - 0.5 * digit, 0.0) / row.value)
    ratio = float(spectra.photons_of_white(1.0, light=0))
    return _score(
        "photons of a pixel in a frame", "largest error beyond half a printed digit", max(left), PHOTONS,
        max(left) <= PHOTONS, len(table), "five screens, hemisphere and steradian, 2 to 1000 cd/m2",
        "derived from the definition of the candela", white_counted_as_555_nm=1.0 - 1.0 / ratio,
    )  # fmt: skip


def _white() -> dict[str, Any]:
    """Photons of a lumen second of three whites against sums at 1 nm."""
    table = _chosen("eye.spectra", "white-")
    error = max(abs(check(row).error) for row in table)
    green = float(panel.photons_per_lumen_second(GREEN_M, GREEN_LM_W))
    led = abs(green * GREEN_LM_W / 300.0 / spectra.photons_per_lumen(0) - 1.0)
    return _score(
        "photons of a lumen of white", "largest error", error, PHOTONS, error <= PHOTONS, len(table),
        "white-LED panel, OLED, LED-B5", "the same spectra, summed at 1 nm", p_555_nm_and_300_lm_W=led,
    )  # fmt: skip


def _catch() -> dict[str, Any]:
    """Photons that a foveal cone absorbs on a white page: within the factor 2 of its aperture."""
    table = _chosen("eye.retina", "cone-")
    factor = max(max(check(r).value / r.value, r.value / check(r).value) for r in table)
    return _score(
        "photons absorbed by a foveal cone", "largest factor", factor, CATCH, factor <= CATCH, len(table),
        "long and middle wavelengths, 200 and 500 cd/m2", "densities of CIE 170-1, computed elsewhere",
    )  # fmt: skip


def _tables() -> list[dict[str, Any]]:
    """Committed tables against their solvers, between the knots."""
    logs = np.linspace(1.03, 4.98, 24)
    forms: tuple[Callable[[Any], Any], ...] = (
        lambda rate: 1e12 * cone.resting_current_A(rate),
        lambda rate: 1e3 * cone.peak_time_s(rate),
        lambda rate: 1e3 * cone.half_rise_s(rate),
        lambda rate: 1e15 * cone.flash_peak_A(rate, 1.0),
    )
    cones = max(
        abs(float(form(10.0**log)) / solved - 1.0)
        for log in logs
        for form, solved in zip(forms, cone.features(float(10.0**log)), strict=True)
    )
    ages = np.linspace(20.0, 83.0, 43)
    catch = max(
        abs(float(spectra.catch_share(age, light=light, cone=kind)) / spectra.absorbed(light, kind, float(age)) - 1.0)
        for age in ages
        for light in range(len(spectra.LIGHTS))
        for kind in range(len(spectra.CONES))
    )
    split = "the solver that made the table, at other places"
    return [
        _score("table of the cone's current", "largest error", cones, TABLES, cones <= TABLES, 4 * len(logs),
               "10 to 1e5 isomerizations a second", split),
        _score("table of catches over the age", "largest error", catch, TABLES, catch <= TABLES, 9 * len(ages),
               "20 to 83 years, three lights, three cones", split),
    ]  # fmt: skip


def _cone_peak() -> dict[str, Any]:
    rates = np.concatenate([[0.0], np.geomspace(10.0, 5e4, 40)])
    peaks = np.asarray(cone.peak_time_s(rates))
    outside = float(np.max(np.maximum(PEAK_S[0] - peaks, peaks - PEAK_S[1])))
    return _score(
        "peak of the cone's response", "largest distance outside 23 to 30.5 ms [s]", max(outside, 0.0), 0.0,
        outside <= 0.0, len(rates), "dark to 5e4 isomerizations a second", "constants of ISETBio, no fit here",
    )  # fmt: skip


def _rod() -> list[dict[str, Any]]:
    """The single photon of the cascade: its table, its delay, its peak beside the measured one."""
    times, traces = rod.trace(0.6)
    current = traces[0]
    table = float(np.max(np.abs(1e12 * np.asarray(rod.single_photon_A(times)) - current)) / np.max(current))
    _, delay_s = rod.lamb_pugh(times, current)
    wrong_times, wrong = rod.trace(0.1, volume=rod.VOLUME_PL)
    _, trap_s = rod.lamb_pugh(wrong_times, wrong[0])
    measured = next(row for row in _chosen("eye.rod", "photon-measured"))
    peak = abs(float(np.max(current)) * 1e-12 / measured.value - 1.0)
    model = "constants of Invergo and others, no fit here"
    return [
        _score("table of the rod's photon", "largest error over the peak", table, TABLES, table <= TABLES, len(times),
               "0 to 0.6 s", "the solver that made the table, at every step"),
        _score("delay of the rod's photon", "effective delay [s]; mouse eyes 0.0026", delay_s, 0.0, delay_s > 0.0, 1,
               "rise from 10 to 40 ms", model, divided_by_the_volume=trap_s),
        _score("peak of the rod's photon", "error against 0.58 pA", peak, measured.tolerance,
               peak <= measured.tolerance, 1, "16 mouse rods", model),
    ]  # fmt: skip


def _pupils() -> dict[str, Any]:
    """How many published formulas lie in the band of the reader's own pupil."""
    light, field = 200.0, 1_500.0
    mean = float(pupil.pupil_watson_yellott_m(light, field, 1.0, 30.0))
    figure = load_scenario("cloud").figure("eye.viewer.pupil_factor")
    found = [
        pupil.pupil_moon_spencer_m(light), pupil.pupil_degroot_gebhard_m(light), pupil.pupil_holladay_m(light),
        pupil.pupil_crawford_m(light), pupil.pupil_barten_m(light, field),
    ]  # fmt: skip
    inside = [figure.low <= float(d) / mean <= figure.high for d in found]
    share = sum(inside) / len(inside)
    return _score(
        "pupils by other formulas", "share inside the band", share, 0.85, share >= 0.85, len(found), PUPIL,
        "formulas of 1926 to 1999, most of them fitted to the same eyes",
    )  # fmt: skip


def _overlap() -> dict[str, Any]:
    """Each latency of the cortex counts from the stimulus: what adding them up, or drawing each alone, would do."""
    chosen, draws = load_scenario("cloud"), Draws(SAMPLES)
    drawn = [np.ravel(draws.draw(chosen.figure(f"eye.viewer.{n}"), f"eye.viewer.{n}")) for n in LATENCIES]
    trips = max(d.size for d in drawn)
    table = np.stack([np.broadcast_to(d, (trips,)) for d in drawn])
    shuffled = np.random.default_rng(SEED).permuted(table, axis=1)
    ordered, alone = (float(np.mean(np.all(np.diff(x, axis=0) > 0.0, axis=0))) for x in (table, shuffled))
    added = float(np.median(np.sum(table, axis=0) / table[-1]))
    return _score(
        "latencies of the cortex", "share of trips in their order", ordered, 0.95, ordered >= 0.95, trips,
        "V1, V2, V4, inferotemporal, letters, N170, word form", "measured onsets; one slowness moves all of them",
        each_drawn_alone=alone, sum_over_the_whole=added,
    )  # fmt: skip
