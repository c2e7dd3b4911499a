"""From key code to character: the layout decides, in the user's own program.

The kernel knows positions. A table of the chosen layout turns a position and a level (plain or with Shift) into a
character. A dead key produces nothing and changes the next: acute, then e, is one character. A compose key starts a
longer sequence. Scripts with thousands of characters use an input method: several keys spell a sound, a dictionary
proposes characters, one more key chooses.

References
----------
.. [1] xkeyboard-config 2.35.1, symbols us, de, fr (azerty), gr, ru, us(dvorak): checked key by key.
.. [2] Unicode Standard Annex 15: a base and a combining mark compose to one character (form C).
.. [3] V. Dhakal and others, "Observations on typing from 136 million keystrokes", 2018, doi:10.1145/3173574.3174220.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence

from roundtrip.figures.graph import Number

SINCE = (1874, "C. L. Sholes's QWERTY; tables in user space since the X Keyboard Extension of 1996")

# Key codes from left to right: the digit row, then the rows of q, a and z, the last with the extra key of
# European boards.
CODES = (41, *range(2, 14), *range(16, 28), *range(30, 41), 43, 86, *range(44, 54))
SPACE, ENTER = 57, 28
ACUTE, GRAVE, CIRCUMFLEX, DIAERESIS = "\u0301", "\u0300", "\u0302", "\u0308"
ALONE = {ACUTE: "´", GRAVE: "`", CIRCUMFLEX: "^", DIAERESIS: "¨"}
_DIGITS, _US_SHIFT = "1234567890", "!@#$%^&*()"
_LAYOUTS: dict[str, tuple[str, str]] = {
    "us": (
        f"`{_DIGITS}-=qwertyuiop[]asdfghjkl;'\\<zxcvbnm,./",
        f'~{_US_SHIFT}_+QWERTYUIOP{{}}ASDFGHJKL:"|>ZXCVBNM<>?',
    ),
    "de": (
        f"{CIRCUMFLEX}{_DIGITS}ß{ACUTE}qwertzuiopü+asdfghjklöä#<yxcvbnm,.-",
        f"°!\"§$%&/()=?{GRAVE}QWERTZUIOPÜ*ASDFGHJKLÖÄ'>YXCVBNM;:_",
    ),
    "fr": (
        f"²&é\"'(-è_çà)=azertyuiop{CIRCUMFLEX}$qsdfghjklmù*<wxcvbn,;:!",
        f"~{_DIGITS}°+AZERTYUIOP{DIAERESIS}£QSDFGHJKLM%µ>WXCVBN?./§",
    ),
    "gr": (
        f"`{_DIGITS}-=;ςερτυθιοπ[]ασδφγηξκλ{ACUTE}'\\«ζχψωβνμ,./",
        f'~{_US_SHIFT}_+:ΣΕΡΤΥΘΙΟΠ{{}}ΑΣΔΦΓΗΞΚΛ{DIAERESIS}"|»ΖΧΨΩΒΝΜ<>?',
    ),
    "ru": (
        f"ё{_DIGITS}-=йцукенгшщзхъфывапролджэ\\/ячсмитьбю.",
        'Ё!"№;%:?*()_+ЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭ/|ЯЧСМИТЬБЮ,',
    ),
    "dvorak": (
        f"`{_DIGITS}[]',.pyfgcrl/=aoeuidhtns-\\<;qjkxbmwvz",
        f'~{_US_SHIFT}{{}}"<>PYFGCRL?+AOEUIDHTNS_|>:QJKXBMWVZ',
    ),
}
LAYOUTS: dict[str, dict[int, tuple[str, str]]] = {
    name: {code: (plain[i], shifted[i]) for i, code in enumerate(CODES)} for name, (plain, shifted) in _LAYOUTS.items()
}
COMPOSE = {"ss": "ß", "ae": "æ", "oe": "œ", "o/": "ø", "aa": "å", ",c": "ç", "=e": "€", "~n": "ñ", "<<": "«", ">>": "»"}


def lookup_time_s(layout_cycles: Number, clock_Hz: Number) -> Number:
    """Return the time to find the character of a key [s].

    Parameters
    ----------
    layout_cycles : float
        Clock cycles of the look-up, with the state of modifiers and dead keys.
    clock_Hz : float
        Clock of the core [Hz].
    """
    return layout_cycles / clock_Hz


def key_presses(characters: Number, shift_share: Number, dead_share: Number) -> Number:
    """Return the key presses that a text takes: one a character, and one more for each modifier and each dead key.

    Parameters
    ----------
    characters : float
        Characters of the text.
    shift_share, dead_share : float
        Shares of the characters that need a modifier, or a dead or compose key.
    """
    return characters * (1.0 + shift_share + dead_share)


def typing_time_s(characters: Number, keys_per_character: Number, typing_interval_s: Number) -> Number:
    """Return the time to type a text; it passes while the writer is still thinking, so only its last key delays the
    prompt [s].

    Parameters
    ----------
    characters : float
        Characters of the text.
    keys_per_character : float
        Key presses for each; about one for an alphabet, more with an input method.
    typing_interval_s : float
        Time between two key presses [s].
    """
    return characters * keys_per_character * typing_interval_s


def words_per_minute(typing_interval_s: Number) -> Number:
    """Return a typing speed in the usual measure: a word is five key presses.

    Parameters
    ----------
    typing_interval_s : float
        Time between two key presses [s].
    """
    return 60.0 / (5.0 * typing_interval_s)


def character(layout: str, code: int, shift: bool = False) -> str:
    """Return what a key produces on a layout: a character, a combining mark for a dead key, or nothing."""
    if code == SPACE:
        return " "
    if code == ENTER:
        return "\n"
    levels = LAYOUTS[layout].get(code)
    return levels[shift] if levels else ""


def key_of(layout: str, wanted: str) -> tuple[int, bool] | None:
    """Return the key code, and whether Shift is held, that produces a character; None if a dead key is needed."""
    return next(
        (
            (code, bool(level))
            for code, levels in LAYOUTS[layout].items()
            for level in (0, 1)
            if levels[level] == wanted
        ),
        None,
    )


def type_keys(layout: str, keys: Iterable[tuple[int, bool]]) -> str:
    """Return the text of a series of keys, dead keys joined to what follows; a mark that fits nothing stands alone."""
    text, dead = "", ""
    for code, shift in keys:
        sign = character(layout, code, shift)
        if sign in ALONE and not dead:
            dead = sign
            continue
        if dead and sign:
            joined = unicodedata.normalize("NFC", sign + dead)
            text += joined if len(joined) == 1 else ALONE[dead] + ALONE.get(sign, sign).strip()
            dead = ""
        else:
            text += sign
    return text


def compose(sequence: str) -> str | None:
    """Return the character of a compose sequence in either order; None if there is none."""
    return COMPOSE.get(sequence) or COMPOSE.get(sequence[::-1])


def convert(syllable: str, dictionary: Mapping[str, Sequence[str]], choice: int = 0) -> str:
    """Return the character that an input method puts for a spelled sound: the chosen candidate, or the letters
    themselves.
    """
    candidates = dictionary.get(syllable, ())
    return candidates[choice] if choice < len(candidates) else syllable
