"""Spectra of screens and what the eye keeps of them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.eye import retina, spectra

JUDGE = Path(__file__).parents[3] / ".judges" / "colour" / "bin" / "python"
LIGHTS = range(3)
CONES = range(3)


@pytest.mark.parametrize("light", LIGHTS)
@pytest.mark.parametrize("cone", CONES)
def test_the_table_of_catches_agrees_with_the_sum_within_a_thousandth(light: int, cone: int) -> None:
    for age in np.linspace(20.0, 83.0, 64):
        assert spectra.catch_share(age, light=light, cone=cone) == pytest.approx(
            spectra.absorbed(light, cone, float(age)), rel=1e-3
        )


def test_the_committed_tables_are_those_that_are_made() -> None:
    assert spectra.tables()["CATCH"] == spectra.CATCH


@pytest.mark.parametrize(("light", "factor"), [(0, 2.55), (1, 2.47), (2, 2.18)])
def test_white_has_2_2_to_2_6_times_the_photons_of_green_display_page_1_1(light: int, factor: float) -> None:
    assert spectra.photons_of_white(1.0, light=light) == pytest.approx(factor, rel=0.01)
    assert spectra.photons_per_lumen(light) == pytest.approx(4.0907e15 * factor, rel=0.01)


@pytest.mark.parametrize("light", LIGHTS)
def test_efficacy_and_mean_wavelength_make_the_photons_of_a_lumen(light: int) -> None:
    # k = lambda / (h c K), the closed form of the panel; the mean is weighted by energy.
    again = spectra.mean_wavelength_m(light) / (6.62607015e-34 * 299_792_458.0 * spectra.efficacy_lm_W(light))
    assert again == pytest.approx(spectra.photons_per_lumen(light), rel=1e-9)
    assert 260.0 < spectra.efficacy_lm_W(light) < 320.0


@pytest.mark.parametrize("light", LIGHTS)
def test_older_eyes_catch_less_and_short_wavelengths_suffer_most(light: int) -> None:
    young, old = (np.array([spectra.absorbed(light, cone, age) for cone in CONES]) for age in (20.0, 80.0))
    lost = old / young
    assert np.all(lost < 1.0)
    assert lost[2] < lost[1] < lost[0]


@given(st.floats(20.0, 59.0), st.floats(0.5, 20.0))
def test_the_lens_yellows_with_age(age: float, more: float) -> None:
    before, after = spectra.media(age), spectra.media(age + more)
    blue, red = spectra.NM < 500.0, spectra.NM > 680.0
    assert np.all(after[blue] < before[blue])
    assert np.all(after[red] == before[red])


@pytest.mark.parametrize(("age", "shares"), [(32.0, (0.546, 0.962)), (60.0, (0.391, 0.941)), (80.0, (0.177, 0.893))])
def test_the_lens_at_450_and_620_nm_cie_170_1(age: float, shares: tuple[float, float]) -> None:
    through = spectra.media(age)
    found = [through[int(np.argmin(np.abs(spectra.NM - nm)))] for nm in (450.0, 620.0)]
    assert found == pytest.approx(shares, abs=1e-3)


def test_a_cone_absorbs_19_photons_a_second_and_troland_display_page_row_28() -> None:
    rates = [
        retina.cone_absorptions_1_s(
            1.0, spectra.photons_per_lumen(light), spectra.absorbed(light, 0, 30.0), 2e-12, 0.01667
        )
        for light in LIGHTS
    ]
    assert rates == pytest.approx([19.0] * 3, rel=0.05)


def test_the_sum_of_10_nm_steps_is_that_of_finer_steps() -> None:
    fine = np.arange(390.0, 780.5, 1.0)
    for light in LIGHTS:
        power = np.interp(fine, spectra.NM, spectra.LIGHTS[light])
        lumens = 683.0 * np.sum(power * np.interp(fine, spectra.NM, spectra.PHOTOPIC))
        assert np.sum(power * fine) / spectra.PHOTON_J_NM / lumens == pytest.approx(
            spectra.photons_per_lumen(light), rel=0.01
        )


SCRIPT = """
import json, warnings
warnings.filterwarnings("ignore")
import numpy as np, colour
from colour.colorimetry import SDS_ILLUMINANTS, SDS_LEFS_PHOTOPIC, SDS_LEFS_SCOTOPIC, MSDS_CMFS
nm = np.arange(390.0, 781.0, 10.0)
at = lambda sd: np.interp(nm, sd.wavelengths, sd.values, left=0.0, right=0.0).tolist()
lms = MSDS_CMFS["Stockman & Sharpe 2 Degree Cone Fundamentals"]
cones = [np.interp(nm, lms.wavelengths, lms.values[:, i], left=0.0, right=0.0).tolist() for i in range(3)]
fine = np.arange(380.0, 781.0, 1.0)
led, v = SDS_ILLUMINANTS["LED-B5"], SDS_LEFS_PHOTOPIC["CIE 1924 Photopic Standard Observer"]
power = np.interp(fine, led.wavelengths, led.values)
lumens = 683.0 * np.sum(power * np.interp(fine, v.wavelengths, v.values))
k = np.sum(power * fine) / (6.62607015e-34 * 299792458.0 / 1e-9) / lumens
print(json.dumps({
    "photopic": at(v), "scotopic": at(SDS_LEFS_SCOTOPIC["CIE 1951 Scotopic Standard Observer"]),
    "led": at(led), "cones": cones, "k": k,
}))
"""


@pytest.mark.skipif(not JUDGE.is_file(), reason="the judge is not there: tools/judges.sh colour")
def test_the_tables_are_those_of_colour_science() -> None:
    run = subprocess.run([str(JUDGE), "-c", SCRIPT], capture_output=True, text=True, check=True)
    said = json.loads(run.stdout.splitlines()[-1])
    np.testing.assert_allclose(spectra.PHOTOPIC, said["photopic"], rtol=2e-3, atol=1e-4)
    np.testing.assert_allclose(spectra.SCOTOPIC, said["scotopic"], rtol=2e-3, atol=1e-4)
    led = np.array(said["led"])
    np.testing.assert_allclose(spectra.LED, led / led.max(), rtol=6e-3, atol=1e-4)
    assert spectra.photons_per_lumen(2) == pytest.approx(said["k"], rel=1e-3)
    # Fundamentals at the cornea, in energy: lens and macula of a reader of 32 years, absorptance of the pigment.
    for cone in range(3):
        absorptance = 1.0 - 10.0 ** (-spectra.PIGMENT_DENSITY[cone] * spectra.CONES[cone])
        macula = 10.0 ** (-spectra.MACULAR_DENSITY * spectra.MACULAR)
        energy = spectra.NM * absorptance * macula * spectra.media(32.0)
        theirs = np.array(said["cones"][cone])
        seen = theirs > 0.02
        ours = energy / np.max(energy)
        np.testing.assert_allclose(ours[seen], (theirs / np.max(theirs))[seen], rtol=0.03)
