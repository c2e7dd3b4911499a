"""Layouts, dead keys, compose and input methods. The single keys are those that libxkbcommon gives."""

from __future__ import annotations

import string

import numpy as np
import pytest

from roundtrip.stages.computer import layout

SYMBOLS = {
    ("us", 16): "q", ("fr", 16): "a", ("ru", 16): "й", ("dvorak", 16): "'", ("de", 21): "z", ("us", 21): "y",
    ("gr", 30): "α", ("fr", 3): "é", ("de", 26): "ü", ("ru", 41): "ё", ("gr", 17): "ς", ("us", 57): " ",
}  # fmt: skip


@pytest.mark.parametrize(("where", "sign"), SYMBOLS.items())
def test_keys_as_libxkbcommon_gives_them(where: tuple[str, int], sign: str) -> None:
    assert layout.character(*where) == sign


def test_capital_h_needs_shift() -> None:
    assert layout.key_of("us", "H") == (35, True)
    assert layout.character("us", 35, shift=True) == "H"


@pytest.mark.parametrize("name", ["us", "de", "fr", "dvorak"])
def test_every_latin_letter_and_digit_is_on_a_key(name: str) -> None:
    for sign in string.ascii_letters + string.digits:
        assert layout.key_of(name, sign) is not None, sign


def test_every_greek_and_russian_letter_is_on_a_key() -> None:
    for name, letters in (("gr", "αβγδεζηθικλμνξοπρσςτυφχψω"), ("ru", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя")):
        for letter in letters + letters.replace("ς", "").upper():
            assert layout.key_of(name, letter) is not None, letter


@pytest.mark.parametrize("name", sorted(layout.LAYOUTS))
def test_no_character_is_lost_or_doubled_within_a_level(name: str) -> None:
    for level in (0, 1):
        signs = [levels[level] for levels in layout.LAYOUTS[name].values()]
        assert len(signs) == len(layout.CODES) == 48
        doubled = {sign for sign in signs if signs.count(sign) > 1}
        assert doubled <= set("<>/|\\;.,'Σ"), doubled  # both lower sigmas have one capital


@pytest.mark.parametrize("name", sorted(layout.LAYOUTS))
def test_a_text_is_typed_and_comes_back(name: str) -> None:
    text = "".join(
        levels[shift]
        for levels in layout.LAYOUTS[name].values()
        for shift in (0, 1)
        if levels[shift] not in layout.ALONE
    )
    keys = [key for sign in text if (key := layout.key_of(name, sign))]
    assert layout.type_keys(name, keys) == text


def test_dead_keys_join_what_follows() -> None:
    circumflex, diaeresis = (26, False), (26, True)
    assert layout.type_keys("fr", [circumflex, (18, False)]) == "ê"
    assert layout.type_keys("fr", [diaeresis, (18, False)]) == "ë"
    assert layout.type_keys("de", [(13, False), (18, True)]) == "É"
    assert layout.type_keys("gr", [(39, False), (30, False)]) == "ά"


def test_a_dead_key_that_fits_nothing_stands_alone() -> None:
    assert layout.type_keys("fr", [(26, False), (48, False)]) == "^b"
    assert layout.type_keys("fr", [(26, False), (layout.SPACE, False)]) == "^"
    assert layout.type_keys("de", [(13, False), (13, False)]) == "´´"


def test_compose_sequences_in_either_order() -> None:
    assert layout.compose("o/") == layout.compose("/o") == "ø"
    assert layout.compose("qq") is None


def test_an_input_method_proposes_and_the_writer_chooses() -> None:
    dictionary = {"fa": ("发", "法"), "guo": ("国", "过")}
    assert layout.convert("fa", dictionary, 1) + layout.convert("guo", dictionary) == "法国"
    assert layout.convert("xyz", dictionary) == "xyz"


def test_key_presses_and_time_of_a_text() -> None:
    assert np.isclose(layout.key_presses(24.0, 0.125, 0.0), 27.0)
    assert np.isclose(layout.typing_time_s(24.0, 1.0, 0.239), 5.736)
    assert np.isclose(layout.words_per_minute(0.24), 50.0)
    assert np.isclose(layout.lookup_time_s(3000.0, 3e9), 1e-6)
