"""Display and eye on the way, with a made-up page and stream: what overlaps, what adds up, what ends last."""

from __future__ import annotations

from typing import Any

import pytest

from roundtrip.figures.print_code import compile_numpy
from roundtrip.journey.rooms import display, eye
from roundtrip.journey.scenario import load_scenario
from roundtrip.journey.way import Mark, Way

Values = dict[str, dict[str, float]]


def laid(preset: str, streamed_s: float, tokens: float = 100.0, **given: float) -> tuple[Way, Values]:
    """Lay both rooms after a page that is ready at 1 s, and return the numbers of every span."""
    way = Way(load_scenario(preset))
    page = Mark("page", way.graph.input("page_s"), way.graph.input("page_s"), 0.0)
    stream: Any = way.graph.input("stream_s")
    way.facts["answer_tokens"] = way.graph.input("tokens")
    light = display.lay(way, page)
    read = eye.lay(way, light, Mark("stream", page.end_s, page.end_s + stream, stream))
    display.lay_always_on(way, read)
    names, nodes = [], []
    for plan in way.plans:
        for name, value in plan.numbers.items():
            names.append((plan.id, name))
            nodes.append(way.graph.lift(value))
    keys = list(way.inputs)
    run = compile_numpy(way.graph, nodes, ["page_s", "stream_s", "tokens", *keys], scalar=True)
    inputs = [given.get(key, way.scenario.figure(key).value) for key in keys]
    result: Values = {}
    for (span, name), value in zip(names, run([1.0, streamed_s, tokens, *inputs]), strict=True):
        result.setdefault(span, {})[name] = float(value)
    for span in result.values():
        span["end_s"] = span["start_s"] + span["duration_s"]
    return way, result


@pytest.mark.parametrize("preset", ["cloud", "phone", "gaming"])
def test_every_span_takes_time_and_follows_its_cause(preset: str) -> None:
    way, spans = laid(preset, 4.0)
    for plan in way.plans:
        assert spans[plan.id]["duration_s"] > 0.0
        for cause in plan.after:
            if cause in spans:
                assert spans[plan.id]["start_s"] >= spans[cause]["end_s"] - 1e-12


def test_parts_of_the_cortex_overlap_inside_it() -> None:
    way, spans = laid("cloud", 4.0)
    whole = spans["eye.cortex"]
    parts = [spans[p.id] for p in way.plans if p.parent == "eye.cortex"]
    assert len(parts) == 9
    assert all(whole["start_s"] <= p["start_s"] and p["end_s"] <= whole["end_s"] + 1e-8 for p in parts)
    assert sum(p["duration_s"] for p in parts) > 3.0 * whole["duration_s"]


def test_cones_and_nerve_are_done_before_v1_starts_but_for_the_synapses_of_the_retina() -> None:
    for preset in ("cloud", "phone", "gaming"):
        _, spans = laid(preset, 4.0)
        assert 0.0 < spans["eye.cortex.v1"]["end_s"] - spans["eye.nerve"]["end_s"] < 0.02


def test_a_page_sets_the_time_course_of_its_cones() -> None:
    _, spans = laid("cloud", 4.0)
    seen = spans["eye.retina"]
    assert 0.022 < seen["duration_s"] < 0.031
    assert 0.009 < seen["cone_half_rise_s"] < 0.5 * seen["duration_s"]
    assert 1e4 < seen["cone_isomerizations_1_s"] < seen["cone_absorptions_1_s"] < 4e4
    assert seen["rod_shut_off_share"] > 0.999


def test_aberrations_take_more_of_a_stroke_than_pixels_and_a_coarse_screen_more_than_a_fine_one() -> None:
    _, desk = laid("cloud", 4.0)
    _, game = laid("gaming", 4.0)
    light = desk["eye.optics"]
    assert light["optics_modulation"] < light["diffraction_modulation"] < light["pixel_modulation"]
    assert game["eye.optics"]["pixel_modulation"] < light["pixel_modulation"]
    assert light["screen_limit_c_deg"] < light["cone_limit_c_deg"]
    assert light["legibility_reserve"] > 10.0


def test_a_reader_waits_for_a_slow_stream_and_a_fast_stream_for_nobody() -> None:
    _, fast = laid("cloud", 1.0)
    _, slow = laid("cloud", 60.0)
    read_s = fast["eye.reading"]["reading_s"]
    assert fast["eye.reading"]["duration_s"] == pytest.approx(read_s)
    lag_s = slow["eye.cortex"]["end_s"] - 1.0
    assert slow["eye.reading"]["end_s"] == pytest.approx(61.0 + lag_s)


def test_words_come_from_tokens() -> None:
    _, spans = laid("cloud", 4.0, tokens=200.0)
    assert spans["eye.reading"]["words"] == pytest.approx(150.0)


def test_a_faster_screen_shows_the_word_sooner() -> None:
    _, desk = laid("cloud", 4.0)
    _, game = laid("gaming", 4.0)
    assert game["display.panel"]["end_s"] < desk["display.panel"]["end_s"] - 0.02


def test_an_oled_pays_for_its_ink_and_an_lcd_leaks_black() -> None:
    _, lcd = laid("cloud", 4.0)
    _, oled = laid("gaming", 4.0)
    assert lcd["display.panel"]["black_luminance_cd_m2"] > 0.05
    assert "marginal" not in lcd["display.panel"]
    assert 0.0 < oled["display.panel"]["marginal"] < 1e-3
    assert oled["display.panel"]["electrons"] > oled["display.panel"]["photons"]


def test_only_a_millionth_of_the_light_of_a_patch_enters_a_pupil() -> None:
    # Solid angle of the pupil over pi, and the fixation lasts 13 frames of 60 Hz: the display page, section 1.1.
    _, spans = laid("cloud", 4.0)
    patch = spans["display.text"]["box_pixels"] * spans["display.panel"]["photons_per_pixel_frame"]
    frames = 0.225 * 60.0
    assert spans["eye.optics"]["photons"] / (patch * frames) == pytest.approx(1.8e-5 / 3.1416, rel=0.05)


def test_the_link_carries_its_stream_on_every_display() -> None:
    for preset in ("cloud", "phone", "gaming"):
        _, spans = laid(preset, 4.0)
        assert spans["display.link"]["utilization"] < 1.0


def test_a_dimmer_page_saves_power_and_widens_the_pupil() -> None:
    _, bright = laid("cloud", 4.0)
    _, dim = laid("cloud", 4.0, **{"display.panel.white_luminance_cd_m2": 50.0})
    assert dim["on.display.panel"]["power_W"] < bright["on.display.panel"]["power_W"]
    assert dim["eye.optics"]["pupil_diameter_m"] > bright["eye.optics"]["pupil_diameter_m"]


def test_the_brain_outdraws_the_screen_of_a_phone() -> None:
    _, spans = laid("phone", 4.0)
    assert spans["eye.cortex"]["brain_power_W"] > 5.0 * spans["on.display.panel"]["power_W"]


def test_rods_are_shut_off_while_cones_read() -> None:
    _, spans = laid("cloud", 4.0)
    assert spans["eye.retina"]["rod_shut_off_share"] > 0.99
    assert 200.0 < spans["eye.retina"]["cone_isomerizations_1_s"] / 60.0 < 600.0
