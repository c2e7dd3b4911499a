"""What pixels, pupil and cones leave of a stroke."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import j1

from roundtrip.stages.eye import legibility, optics

frequency = st.floats(0.1, 100.0)


@given(frequency)
def test_every_part_only_takes(c_deg: float) -> None:
    parts = (
        legibility.pixel_modulation(c_deg, 1.5566e-4, 0.6),
        legibility.diffraction_modulation(c_deg, 555e-9, 2.87e-3),
        legibility.cone_modulation(c_deg, 2e-12, 0.01667),
    )
    assert all(0.0 <= part <= 1.0 for part in parts)


def test_letters_of_20_20_have_strokes_of_one_arcminute_snellen() -> None:
    # A letter of 8.73 mm at 6 m; its stroke is a fifth.
    assert legibility.stroke_arcmin(8.73e-3, 0.2, 6.0) == pytest.approx(1.0, rel=1e-3)
    assert legibility.stroke_frequency_c_deg(1.0) == 30.0


@given(st.floats(1.0, 60.0))
def test_the_measured_eye_is_worse_than_a_perfect_one(c_deg: float) -> None:
    assert optics.modulation(c_deg, 3e-3) < legibility.diffraction_modulation(c_deg, 555e-9, 3e-3)


def test_the_transfer_of_a_pupil_is_the_overlap_of_two_circles_goodman_6_4() -> None:
    rng = np.random.default_rng(7)
    points = rng.uniform(-1.0, 1.0, (400_000, 2))
    inside = np.hypot(points[:, 0], points[:, 1]) < 1.0
    for share in (0.2, 0.5, 0.8):
        both = inside & (np.hypot(points[:, 0] - 2.0 * share, points[:, 1]) < 1.0)
        c_deg = share * 3e-3 / 555e-9 * np.pi / 180.0
        overlap = np.sum(both) / np.sum(inside)
        assert legibility.diffraction_modulation(c_deg, 555e-9, 3e-3) == pytest.approx(overlap, abs=5e-3)


def test_beyond_its_end_a_pupil_passes_nothing() -> None:
    assert legibility.diffraction_modulation(150.0, 555e-9, 3e-3) == 0.0


def test_the_gauss_curve_of_a_cone_is_near_the_disk() -> None:
    width_deg = np.degrees(2.0 * np.sqrt(2e-12 / np.pi) / 0.01667)
    for c_deg in (5.0, 20.0, 50.0):
        x = np.pi * c_deg * width_deg
        assert legibility.cone_modulation(c_deg, 2e-12, 0.01667) == pytest.approx(2.0 * j1(x) / x, rel=0.01)


def test_pixels_end_before_cones_do_on_a_desk_curcio_1990() -> None:
    screen = legibility.screen_limit_c_deg(1.5566e-4, 0.6)
    cones = legibility.cone_limit_c_deg(1.99e11, 0.01667)
    assert screen == pytest.approx(33.6, rel=0.01)
    assert 60.0 < cones < 75.0
    assert legibility.screen_limit_c_deg(5.52e-5, 0.3) > screen


def test_a_lit_room_takes_contrast_and_a_dark_one_does_not() -> None:
    dark = legibility.screen_contrast(200.0, 0.2, 0.0, 0.01)
    lit = legibility.screen_contrast(200.0, 0.2, 10_000.0, 0.03)
    assert dark == pytest.approx(199.8 / 200.2)
    assert lit == pytest.approx(199.8 / (200.2 + 2.0 * 300.0 / np.pi))
    assert legibility.screen_contrast(200.0, 0.0, 0.0, 0.01) == 1.0


@given(st.floats(1.0, 1e3), st.floats(8.0, 50.0))
def test_above_its_peak_sensitivity_falls_with_fineness_and_grows_with_light(light: float, c_deg: float) -> None:
    here = legibility.contrast_sensitivity(c_deg, light, 5.0)
    assert legibility.contrast_sensitivity(1.1 * c_deg, light, 5.0) < here
    assert legibility.contrast_sensitivity(c_deg, 1.5 * light, 5.0) > here


def test_the_best_contrast_is_seen_near_4_cycles_a_degree_barten_2003() -> None:
    frequencies = np.linspace(0.5, 20.0, 400)
    best = frequencies[np.argmax(legibility.contrast_sensitivity(frequencies, 100.0, 10.0))]
    assert 2.0 < best < 5.0


def test_acuity_of_full_contrast_is_better_than_20_20_and_fades_with_contrast() -> None:
    # Young eyes reach strokes of 0.5 to 0.8 arcminutes, 38 to 60 cycles a degree.
    strokes = [legibility.finest_stroke_arcmin(contrast, 200.0, 5.0) for contrast in (0.98, 0.5, 0.1, 0.05)]
    assert 0.5 < strokes[0] < 0.8
    assert strokes == sorted(strokes)
    dim = legibility.finest_stroke_arcmin(0.98, 1.0, 5.0)
    assert dim > strokes[0]


def test_at_the_finest_stroke_nothing_is_in_reserve() -> None:
    finest = legibility.finest_stroke_arcmin(0.5, 100.0, 5.0)
    sensitivity = legibility.contrast_sensitivity(30.0 / finest, 100.0, 5.0)
    assert legibility.legibility_reserve(0.5, 1.0, sensitivity) == pytest.approx(1.0, rel=1e-6)
