"""Table 1.1 of the display page, computed again from nothing but the definition of the candela and an integral."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import constants, integrate

from roundtrip.stages.display import panel
from roundtrip.stages.eye import optics, pupil, spectra

GREEN = panel.photons_per_lumen_second(555e-9, 683.0)
PITCHES_M = {
    "phone": 55.2e-6,
    "laptop": 117.6e-6,
    "27 inches 4K": 155.7e-6,
    "24 inches": 276.7e-6,
    "65 inches": 374.7e-6,
}


def _lambert(exponent: float) -> float:
    """Return the integral of cos^m over the hemisphere."""
    return integrate.quad(lambda a: 2.0 * np.pi * np.cos(a) ** exponent * np.sin(a), 0.0, np.pi / 2.0)[0]


@pytest.mark.parametrize("pitch_m", PITCHES_M.values(), ids=PITCHES_M.keys())
@pytest.mark.parametrize("luminance", [2.0, 200.0, 500.0, 1_000.0])
@pytest.mark.parametrize("exponent", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("light", [None, 0, 1, 2])
def test_the_three_conditions_are_options(pitch_m: float, luminance: float, exponent: float, light: int | None) -> None:
    photon_J = constants.h * constants.c / 555e-9
    watts = luminance * pitch_m**2 / constants.physical_constants["luminous efficacy"][0]
    axis = watts / photon_J / 60.0
    expected = axis * _lambert(exponent)
    if light is not None:
        power, nm = spectra.LIGHTS[light], spectra.NM
        each = np.sum(power * nm) / np.sum(power * spectra.PHOTOPIC) / 555.0
        axis, expected = axis * each, expected * each
    k = GREEN if light is None else spectra.photons_of_white(GREEN, light=light)
    assert panel.photons_steradian(luminance, pitch_m, 60.0, k) == pytest.approx(axis, rel=0.01)
    assert panel.photons_hemisphere(luminance, pitch_m, 60.0, k, exponent) == pytest.approx(expected, rel=0.01)


def test_the_claim_of_1e8_to_1e11_needs_a_wall_of_light_for_its_upper_end() -> None:
    low = panel.photons_hemisphere(200.0, 55.2e-6, 60.0, GREEN)
    high = panel.photons_hemisphere(500.0, 374.7e-6, 60.0, spectra.photons_of_white(GREEN, light=0))
    assert 1e8 < low < high < 1e11
    assert panel.photons_hemisphere(3_300.0, 374.7e-6, 60.0, GREEN) == pytest.approx(1e11, rel=0.02)


@pytest.mark.parametrize(
    ("luminance", "pitch_m", "distance_m", "field", "photons"),
    [(200.0, 155.7e-6, 0.6, 1_500.0, 5.9e3), (500.0, 155.7e-6, 0.6, 1_500.0, 1.2e4)],
)
def test_into_one_pupil(luminance: float, pitch_m: float, distance_m: float, field: float, photons: float) -> None:
    width_m = pupil.pupil_watson_yellott_m(luminance, field, 1.0, 30.0)
    into = optics.pupil_photons(luminance, 1.0, pitch_m, 1.0 / 60.0, width_m, distance_m, GREEN)
    assert into == pytest.approx(photons, rel=0.05)


def test_half_angles_of_lambert_and_of_narrow_panels() -> None:
    assert panel.lobe_of_half_angle(89.99) == pytest.approx(1.0, abs=0.1)
    for angle in (30.0, 45.0, 60.0):
        lobe = panel.lobe_of_half_angle(angle)
        assert np.cos(np.radians(angle)) ** (lobe - 1.0) == pytest.approx(0.5)
