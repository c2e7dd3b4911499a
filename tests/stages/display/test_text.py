"""From characters to ink."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.display import text


def test_glyphs_are_fewer_than_characters_never_more() -> None:
    assert text.glyph_count(106.0, 0.0) == 106.0
    assert text.glyph_count(106.0, 1.0 / 106.0) == pytest.approx(105.0)


@given(st.floats(1.0, 500.0), st.floats(1.1, 4.0))
def test_ink_grows_with_the_square_of_the_em(em: float, factor: float) -> None:
    assert np.isclose(text.ink_pixels(7.0, factor * em, 0.12), factor**2 * text.ink_pixels(7.0, em, 0.12))


@given(st.floats(1e-3, 0.05), st.floats(2e-5, 1e-3))
def test_ink_and_box_do_not_depend_on_the_pitch_when_measured_in_area(size_m: float, pitch_m: float) -> None:
    pixels = text.box_pixels(1.0, text.em_size_pixels(size_m, pitch_m), 0.5)
    assert np.isclose(pixels * pitch_m**2, 0.5 * size_m**2)


def test_em_of_11_pt_at_163_pixels_an_inch_is_25_pixels() -> None:
    assert text.em_size_pixels(11.0 / 72.0 * 0.0254, 0.0254 / 163.18) == pytest.approx(24.93, rel=1e-3)


def test_a_line_breaks_when_the_column_is_full() -> None:
    full = text.line_count(80.0, 4e-3, 0.5, 0.16)
    assert full == 1.0
    assert text.line_count(81.0, 4e-3, 0.5, 0.16) == 2.0


def test_an_atlas_with_every_glyph_saves_all_rasterizing() -> None:
    assert text.raster_duration_s(24.0, 1.0, 4e-6) == 0.0
    assert text.raster_duration_s(24.0, 0.0, 3.4e-6) == pytest.approx(82e-6, rel=0.01)


def test_painting_costs_more_than_shaping_a_word() -> None:
    assert text.paint_duration_s(1.0, 2e-4) > text.shape_duration_s(5.0, 6e-8)


def test_a_computer_that_draws_less_at_work_adds_nothing() -> None:
    assert text.drawing_energy_J(2e-4, 5.0, 25.0) == pytest.approx(4e-3)
    assert text.drawing_energy_J(2e-4, 5.0, 4.0) == 0.0


def test_an_answer_of_150_words_fills_a_dozen_lines() -> None:
    characters = text.text_characters(150.0, 4.7)
    assert characters == pytest.approx(855.0)
    assert text.line_count(characters, 11.0 / 72.0 * 0.0254, 0.5, 0.16) == 11.0
