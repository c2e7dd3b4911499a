"""The font of dots."""

from __future__ import annotations

import string

import pytest

from roundtrip.stages.display import glyphs


def test_columns_of_the_monochrome_adapter_ibm_5150_page_2_37() -> None:
    assert glyphs.cells_across(720.0, 9.0) == 80.0
    assert glyphs.cells_across(350.0, 14.0) == 25.0


def test_angle_of_a_cell() -> None:
    assert glyphs.cell_angle_rad(12.0, 1.5e-4, 0.6) == pytest.approx(3e-3)


def test_no_two_characters_look_the_same() -> None:
    drawn = {glyphs.glyph(c).tobytes() for c in glyphs.characters()}
    assert len(drawn) == len(glyphs.characters())


def test_ascii_and_the_letters_of_latin_1_are_there() -> None:
    letters = "".join(map(chr, range(0xC0, 0x100)))
    assert set(string.printable[:95] + letters) <= set(glyphs.characters())


@pytest.mark.parametrize("odd", ["世", "", "\x00", "ab", "\ud800"])
def test_what_the_font_has_not_is_a_box(odd: str) -> None:
    assert glyphs.glyph(odd).tobytes() == glyphs.glyph(glyphs.BOX).tobytes()


def test_cells_keep_apart() -> None:
    assert not any(glyphs.glyph(c)[:, -1].any() or glyphs.glyph(c)[-1].any() for c in glyphs.characters())
