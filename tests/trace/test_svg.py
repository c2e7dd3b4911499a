"""Pictures: well-formed, every span in them, nothing loaded from elsewhere."""

from __future__ import annotations

import shutil
import subprocess
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.trace.model import Trace
from roundtrip.trace.svg import waterfall, waterfalls
from roundtrip.trace.svg_energy import energy
from roundtrip.trace.svg_wait import wait
from tests.trace.made import trip
from tests.trace.strategies import few, traces

SVG = "{http://www.w3.org/2000/svg}"


@few
@given(traces(), st.booleans())
def test_waterfall_shows_every_span(trace: Trace, log: bool) -> None:
    root = ET.fromstring(waterfall(trace, log))
    tips = [t.text or "" for t in root.iter(f"{SVG}title")]
    assert all(any(tip.startswith(s.id + ": ") for tip in tips) for s in trace.spans)


@few
@given(traces())
def test_bars_stay_on_the_page(trace: Trace) -> None:
    root = ET.fromstring(waterfalls([trace, trip()]))
    width, height = float(root.get("width", 0)), float(root.get("height", 0))
    for box in root.iter(f"{SVG}rect"):
        x, y, w, h = (float(box.get(n, 0)) for n in ("x", "y", "width", "height"))
        assert 0.0 <= x <= x + w <= width + 1.0
        assert 0.0 <= y <= y + h <= height


@few
@given(traces())
def test_energy_is_well_formed(trace: Trace) -> None:
    ET.fromstring(energy(trace))
    ET.fromstring(wait(trace))


def test_the_wait_has_a_tick_a_token_and_names_the_rooms() -> None:
    text = wait(trip())
    assert text.count("M") - text.count("Mo") >= 119
    assert "one tick for each of 120 tokens" in text
    assert "162 ms: the first word arrives" in text
    assert ">model 80.0 ms<" in text


@pytest.mark.parametrize("text", [waterfall(trip()), waterfall(trip(), log=False), energy(trip()), wait(trip())])
def test_nothing_is_loaded_and_both_grounds_are_styled(text: str) -> None:
    assert "href" not in text
    assert "url(http" not in text
    assert "<script" not in text
    assert "prefers-color-scheme:dark" in text


@pytest.mark.skipif(shutil.which("rsvg-convert") is None, reason="rsvg-convert is not on this machine")
def test_a_renderer_draws_it() -> None:
    run = subprocess.run(
        ["rsvg-convert", "-f", "png"], input=waterfall(trip()).encode(), capture_output=True, check=True
    )
    assert run.stdout.startswith(b"\x89PNG")
    assert len(run.stdout) > 10_000
