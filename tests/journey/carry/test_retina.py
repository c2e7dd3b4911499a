"""The screen and the eye: the reply read from the cones equals the reply shown, and photons agree with the forecast."""

from __future__ import annotations

import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roundtrip.journey.carry.pixel_time import turning
from roundtrip.journey.carry.png import encode_png
from roundtrip.journey.carry.retina import Seen, Viewer, catches, see
from roundtrip.journey.carry.screen import LIGHTS, MARGIN, Panel, Screen, show, stripe_shares
from roundtrip.stages.display import panel
from roundtrip.stages.eye import retina, spectra

REPLY = (
    "Héllo, world! It's 1234 photons (or 56,789) \u2013 quick brown fox; \u201clazy\u201d dog: jumps? 世界 👋\n\nÀ la."
)
OLED = Panel(kind="oled", white_luminance_cd_m2=250.0, pwm_frequency_Hz=240.0)


def at(screen: Screen, stroke_arcmin: float, **kw: float) -> Seen:
    pixels_m = screen.face.stroke_pixels * screen.panel.pixel_pitch_m
    return see(screen, viewer=Viewer(viewing_distance_m=pixels_m / np.tan(np.radians(stroke_arcmin / 60.0)), **kw))


@pytest.mark.parametrize("font", ["built-in", "auto"])
@pytest.mark.parametrize("glass", [Panel(), OLED], ids=["lcd", "oled"])
def test_the_reply_is_read_from_the_cones(font: str, glass: Panel) -> None:
    screen = show(REPLY, font=font, panel=glass)
    seen = see(screen)
    assert seen.read == screen.shown
    assert [n.fate for n in seen.notes] == ["fine"]
    assert screen.text.missing == ["世", "界", "👋"]


def test_two_arcminutes_a_stroke_are_read_and_0_3_are_not() -> None:
    screen = show("The quick brown fox jumps over the lazy dog, 0123456789.", font="built-in")
    near, far = at(screen, 2.0), at(screen, 0.3)
    assert near.stroke_arcmin == pytest.approx(2.0, rel=1e-3)
    assert near.read == screen.shown
    assert far.read != screen.shown
    assert far.sure_share < 0.6
    assert far.notes[0].fate == "died"


@pytest.mark.parametrize("glass", [Panel(), OLED], ids=["lcd", "oled"])
def test_mean_absorptions_agree_with_the_forecast_within_four_standard_errors(glass: Panel) -> None:
    seen = see(show("a", panel=glass, font="built-in"), viewer=Viewer(illuminance_lx=0.0))
    trolands = retina.retinal_illuminance_td(glass.white_luminance_cd_m2, seen.pupil_m)
    for kind in range(3):
        share = spectra.catch_share(30.0, light=LIGHTS[glass.kind], cone=kind)
        expected = retina.cone_absorptions_1_s(trolands, glass.photons_per_lumen_s, share, 2e-12, 0.01667) * 0.225
        counts = seen.blank[seen.kinds == kind]
        error = np.sqrt(float(np.asarray(expected)) / len(counts))
        assert abs(counts.mean() - expected) < 4.0 * error + 2e-4 * expected  # the table of ages is off by 1e-4
        assert counts.var() == pytest.approx(counts.mean(), rel=5.0 * np.sqrt(2.0 / len(counts)))


def test_mean_photons_agree_with_the_forecast_within_four_standard_errors() -> None:
    glass = Panel()
    screen = show("a", font="built-in")
    paper = screen.photons[:MARGIN].sum(axis=2)
    expected = float(np.asarray(panel.photons_hemisphere(200.0, glass.pixel_pitch_m, 60.0, glass.photons_per_lumen_s)))
    assert abs(paper.mean() - expected) < 4.0 * np.sqrt(expected / paper.size)
    assert paper.var() == pytest.approx(expected, rel=5.0 * np.sqrt(2.0 / paper.size))


@pytest.mark.parametrize("light", [0, 1])
def test_stripes_add_up_to_the_white_of_the_spectra(light: int) -> None:
    whole = stripe_shares(light) @ catches(light, 30.0)
    assert whole == pytest.approx([spectra.absorbed(light, kind, 30.0) for kind in range(3)], rel=1e-12)


def test_dark_pixels_and_a_dark_lamp() -> None:
    text = "reading goes on"
    thin = show(text, font="built-in", dark_columns=1)
    assert see(thin).read[2:] == text[2:]
    band = show(text, font="built-in", dark_rows=10)
    assert see(band).notes[0].fate == "died"
    unlit = show(text, font="built-in", is_unlit=True)
    assert unlit.notes[0].fate == "died"
    assert see(unlit).read.strip() == ""
    assert see(show(text, font="built-in", panel=OLED, is_unlit=True)).read == text


def test_currents_follow_the_light_and_everything_is_the_same_again() -> None:
    seen, again = (see(show("again and again", seed=3), seed=3) for _ in range(2))
    assert np.array_equal(seen.absorbed, again.absorbed)
    currents = next(a for a in seen.artifacts if a.name == "currents").data
    assert np.all((currents["current_pA"] < -10.0) & (currents["current_pA"] > -90.0))


@settings(max_examples=15, deadline=None)
@given(st.text(max_size=40))
def test_odd_replies_never_crash(reply: str) -> None:
    screen = show(reply, font="built-in", arrivals=[(0.0, 1), (0.5, len(reply))])
    assert see(screen).read == screen.shown


def test_a_pixel_turns_by_half_when_the_forecast_says_and_pulses_keep_the_mean() -> None:
    slow = turning(0.008, 20000.0, 1.0 / 60.0, 0.0)
    half_s = float(np.asarray(panel.half_response_s(0.008)))
    assert np.interp(half_s, slow["time_s"], slow["light"]) == pytest.approx(0.5, rel=0.01)
    pulsed = turning(3e-5, 240.0, 1.0 / 60.0, 0.0)
    assert pulsed["light"][pulsed["time_s"] < -1e-5].mean() == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize("shape", [(3, 5), (4, 2, 3)])
def test_a_picture_survives_its_file(shape: tuple[int, ...]) -> None:
    image = np.random.default_rng(4).random(shape)
    data = encode_png(image)
    at = data.index(b"IDAT") + 4
    size = int.from_bytes(data[at - 8 : at - 4], "big")
    rows = np.frombuffer(zlib.decompress(data[at : at + size]), np.uint8).reshape(shape[0], -1)[:, 1:]
    assert np.array_equal(rows.reshape(shape), np.round(image * 255.0))
