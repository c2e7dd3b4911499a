"""Every display of the catalog is consistent: its stream fits its link, its light its power, its pixels its size."""

from __future__ import annotations

import numpy as np
import pytest

from roundtrip.catalog.load import Entry, load
from roundtrip.stages.display import link, panel

DISPLAYS = list(load("displays").values())
ONE_KIND_ONLY = {"oled": "external_quantum_efficiency", "lcd": "contrast_ratio"}


def value(entry: Entry, *names: str) -> list[float]:
    return [entry.figure(name).value for name in names]


@pytest.mark.parametrize("entry", DISPLAYS, ids=[e.key for e in DISPLAYS])
def test_the_stream_fits_the_link(entry: Entry) -> None:
    names = (
        "width_pixels", "height_pixels", "refresh_rate_Hz", "blank_pixels", "blank_duration_s", "clock_step_Hz"
    )  # fmt: skip
    clock = link.clock_Hz(*value(entry, *names))
    stream = link.stream_rate_bit_s(clock, *value(entry, "depth_bit", "stream_compression"))
    assert stream < link.payload_rate_bit_s(*value(entry, "link_lanes", "link_lane_rate_bit_s", "link_coding_share"))


@pytest.mark.parametrize("entry", DISPLAYS, ids=[e.key for e in DISPLAYS])
def test_the_title_names_the_diagonal(entry: Entry) -> None:
    width, height, pitch_m = value(entry, "width_pixels", "height_pixels", "pixel_pitch_m")
    inches = float(entry.title.split("-inch")[0])
    assert np.hypot(width, height) * pitch_m / 0.0254 == pytest.approx(inches, rel=0.03)


@pytest.mark.parametrize("entry", DISPLAYS, ids=[e.key for e in DISPLAYS])
def test_the_light_of_white_costs_what_such_screens_draw(entry: Entry) -> None:
    width, height = value(entry, "width_pixels", "height_pixels")
    light_W = panel.light_power_W(
        entry.figure("white_luminance_cd_m2").value,
        width * height,
        *value(entry, "pixel_pitch_m", "screen_efficacy_lm_W"),
    )
    area_m2 = width * height * entry.figure("pixel_pitch_m").value ** 2
    # Screens of all sizes draw 50 to 300 W for each square meter of white page.
    assert 50.0 < (light_W + entry.figure("electronics_power_W").value) / area_m2 < 300.0


@pytest.mark.parametrize("entry", DISPLAYS, ids=[e.key for e in DISPLAYS])
def test_an_oled_has_an_efficiency_and_an_lcd_a_contrast(entry: Entry) -> None:
    kind = entry.texts["kind"]
    for word, name in ONE_KIND_ONLY.items():
        assert (name in entry.figures) == (word == kind)
