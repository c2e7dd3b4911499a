"""The waterfall in a terminal."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.trace.brief import brief
from roundtrip.trace.look import LOOKS
from roundtrip.trace.model import CARRIERS, Trace
from roundtrip.trace.table import Timeline, ascii_only, groups, one_line, table
from tests.trace.made import laid, span, trip
from tests.trace.strategies import few, traces

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@few
@given(traces(), st.integers(1, 250), st.booleans())
def test_no_line_is_wider_than_the_terminal(trace: Trace, width: int, log: bool) -> None:
    text = table(trace, width, log=log)
    assert max(map(len, text.splitlines())) <= max(width, 60)


@few
@given(traces(), st.integers(60, 160))
def test_color_changes_nothing_but_color(trace: Trace, width: int) -> None:
    assert ESCAPE.sub("", table(trace, width, color=True)) == table(trace, width)


@pytest.mark.parametrize("width", [60, 70, 80, 100, 160])
def test_every_span_has_a_line(width: int) -> None:
    lines = table(trip(), width).splitlines()
    assert sum(line.startswith("  ") and " e " in line for line in lines) >= len(trip().spans)


def test_the_summary_says_first_and_last() -> None:
    text = table(trip(), 100)
    assert "first token in the computer" in text
    assert "whole answer" in text
    assert "162 ms" in text


def test_ascii_has_a_mark_of_its_own_for_each_carrier() -> None:
    text = table(trip(), 100, unicode=False)
    text.encode("ascii")
    assert len({ascii_only(LOOKS[c].glyph) for c in CARRIERS}) == len(CARRIERS)
    assert len({LOOKS[c].glyph for c in CARRIERS}) == len(CARRIERS)


def test_parts_stand_under_their_whole_and_the_way_back_apart() -> None:
    found = groups(trip())
    model = next(spans for heading, spans in found.items() if heading.startswith("Model"))
    assert [s.id for s in model][:3] == ["model.prefill", "model.attention", "model.experts"]
    assert sum(len(spans) for spans in found.values()) == len(trip().spans)
    assert len([h for h in found if h.startswith("Optics")]) == 2


def test_overlap_is_visible() -> None:
    line = Timeline(trip(), 60, log=False)
    spans = {s.id: s for s in trip().spans}
    written, shown = line.bar(spans["model.decode"]), line.bar(spans["stream.answer"])
    assert abs(len(written[0]) - len(shown[0])) <= 1
    assert len(shown[1]) > 50


@given(st.floats(1e-6, 100.0), st.floats(1e-6, 100.0), st.booleans())
def test_later_is_to_the_right(a: float, b: float, log: bool) -> None:
    line = Timeline(laid([span("model.a", a), span("model.b", b, after=("model.a",))]), 40, log)
    assert line.place(a) <= line.place(a + b)
    assert 0.0 <= line.place(a) <= 1.0


def test_a_prompt_cannot_break_the_screen() -> None:
    assert one_line("a\x1b[31mred\nnext\tcell\x00") == "a [31mred next cell"


def test_sources_are_numbered_and_listed_whole_on_demand() -> None:
    assert "https://example.org/one" not in table(trip(), 100)
    assert "https://example.org/one" in table(trip(), 100, all_sources=True)


@few
@given(traces(), st.integers(1, 250), st.booleans())
def test_brief_fits_and_has_a_line_a_room(trace: Trace, width: int, log: bool) -> None:
    text = brief(trace, width, log=log)
    assert max(map(len, text.splitlines())) <= max(width, 60)
    assert sum(line.startswith("  ") for line in text.splitlines()) >= len(groups(trace))
    assert ESCAPE.sub("", brief(trace, width, color=True, log=log)) == text


def test_brief_does_not_count_a_part_twice() -> None:
    line = next(x for x in brief(trip(), 120).splitlines() if "Model" in x)
    assert "4.08 s" in line
    assert "8.00 J" in line
