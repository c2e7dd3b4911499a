"""The event loop, the order of events, and the event stream."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.computer import browser
from roundtrip.stages.computer.browser import Page


def types(page: Page, key: str) -> list[str]:
    return [event.type for event in browser.press_events(page, key)]


def test_wait_against_a_simulated_queue_kleinrock_section_5_6() -> None:
    """200,000 tasks of one server by Lindley's recursion, gamma service of variation 1.5."""
    stream = np.random.default_rng(6)
    shape = 1.0 / 1.5**2
    service = stream.gamma(shape, 4e-3 / shape, 200_000)
    gaps = stream.exponential(4e-3 / 0.4, 200_000)
    wait, waits = 0.0, np.empty(200_000)
    for i, (serve, gap) in enumerate(zip(service, gaps, strict=True)):
        waits[i] = wait
        wait = max(0.0, wait + serve - gap)
    assert np.isclose(browser.loop_wait_s(0.4, 4e-3, 1.5), np.mean(waits), rtol=0.06)


def test_an_idle_loop_makes_nobody_wait() -> None:
    assert browser.loop_wait_s(0.0, 1.0, 3.0) == 0.0
    assert browser.event_time_s(0.0, 1.0, 3.0, 2e-3) == 2e-3


def test_order_of_a_letter_ui_events() -> None:
    assert types(Page(), "a") == ["keydown", "keypress", "beforeinput", "input"]
    assert types(Page(submits_on_enter=False), "Enter") == ["keydown", "keypress", "beforeinput", "input"]
    assert types(Page(), "Enter") == ["keydown", "keypress", "submit"]


def test_keys_without_a_character_fire_no_keypress() -> None:
    assert types(Page(), "Shift") == types(Page(), "ArrowLeft") == ["keydown"]


def test_what_is_prevented_is_followed_by_nothing() -> None:
    assert types(Page(prevented=frozenset({"keydown"})), "a") == ["keydown"]
    assert types(Page(prevented=frozenset({"keypress"})), "a") == ["keydown", "keypress"]
    assert types(Page(editable=False), "a") == ["keydown", "keypress"]


def test_a_held_key_repeats_and_rises_once() -> None:
    assert [e.type for e in browser.press_events(Page(), "a", repeats=2)].count("keydown") == 3
    assert [e.type for e in browser.release_events(Page(), "a")] == ["keyup"]


def test_keyup_goes_where_the_focus_is_now() -> None:
    down = browser.press_events(Page(focus="textarea"), "Tab")
    up = browser.release_events(Page(focus="button"), "Tab")
    assert (down[0].target, up[0].target) == ("textarea", "button")


STREAM = (
    "\ufeff: a comment\r\n"
    "data: YHOO\ndata: +2\rdata: 10\r\n\r\n"
    "event: add\nid: 7\ndata:  spaced\n\n"
    "data\n\n"
    "event: dropped, it has no data\n\n"
    'data: {"delta":"é日本"}\n\n'
    "data: unfinished"
).encode()


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_events_do_not_depend_on_where_the_network_cuts(cuts: list[int]) -> None:
    ends = [0, *sorted(cuts), len(STREAM)]
    chunks = [STREAM[a:b] for a, b in pairwise(ends)]
    found = [(e.type, e.data, e.id) for e in browser.parse_stream(chunks)]
    assert found == [
        ("message", "YHOO\n+2\n10", ""),
        ("add", " spaced", "7"),
        ("message", "", "7"),
        ("message", '{"delta":"é日本"}', "7"),
    ]


def test_an_event_ended_by_bare_carriage_returns_is_not_held_back_forever() -> None:
    assert [e.data for e in browser.parse_stream([b"data: x\r", b"\r"])] == ["x"]


def test_update_and_rendering_times() -> None:
    assert np.isclose(browser.update_time_s(250.0, 5e7, 1e-3), 1.005e-3)
    assert np.isclose(browser.rendering_wait_s(1.0 / 60.0, 0.5), 1.0 / 120.0)
