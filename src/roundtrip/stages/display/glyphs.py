"""A font of dots: every character a pattern in a cell, which a character generator copies to the screen.

A cell of w by h dots, each k pixels wide, makes ``floor(X / (k w))`` characters across a screen of X pixels. This font
is drawn on five by seven dots, with two rows above for the accents of capitals and two below for what hangs down.
Accented letters are put together from a letter and its marks, as Unicode takes them apart.

A pattern is a string with a sign for each row, from the top: the five dots as a number in base 32, 0 to 9 and a to v.

References
----------
.. [1] IBM, Guide to Operations, Personal Computer: the Monochrome Display Adapter shows 80 by 25 characters in cells of
   9 by 14 dots on 720 by 350.
.. [2] The Unicode Standard, section 3.11 and annex 15: canonical decomposition.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (1967, "character generators in read-only memory, five by seven dots; IBM 2260: text from a delay line, 1964")

WIDTH, HEIGHT = 6, 13  # of a cell in dots, with the gaps to its neighbors
ABOVE = 2  # rows over the seven
BOX = "\u25a1"
STROKE = 1  # dots

# fmt: off
_DRAWN = {
    " ": "000000000", "!": "444440400", '"': "aaa000000", "#": "aavavaa00", "$": "4fke5u400", "%": "op248j300",
    "&": "cik8lid00", "'": "444000000", "(": "248884200", ")": "842224800", "*": "04lel4000", "+": "044v44000",
    ",": "00000c480", "-": "000e00000", ".": "00000cc00", "/": "01248g000", "0": "ehjlphe00", "1": "4c4444e00",
    "2": "eh1248v00", "3": "v2421he00", "4": "26aiv2200", "5": "vgu11he00", "6": "68guhhe00", "7": "v12488800",
    "8": "ehhehhe00", "9": "ehhf12c00", ":": "0cc0cc000", ";": "0cc0c4800", "<": "248g84200", "=": "00v0v0000",
    ">": "842124800", "?": "eh1240400", "@": "eh1dlle00", "A": "ehhvhhh00", "B": "uhhuhhu00", "C": "ehggghe00",
    "D": "sihhhis00", "E": "vgguggv00", "F": "vgguggg00", "G": "ehgnhhf00", "H": "hhhvhhh00", "I": "e44444e00",
    "J": "72222ic00", "K": "hikokih00", "L": "ggggggv00", "M": "hrllhhh00", "N": "hhpljhh00", "O": "ehhhhhe00",
    "P": "uhhuggg00", "Q": "ehhhlid00", "R": "uhhukih00", "S": "fgge11u00", "T": "v44444400", "U": "hhhhhhe00",
    "V": "hhhhha400", "W": "hhhllla00", "X": "hha4ahh00", "Y": "hhha44400", "Z": "v1248gv00", "[": "e88888e00",
    "\\": "0g8421000", "]": "e22222e00", "^": "4ah000000", "_": "0000000v0", "`": "842000000", "a": "00e1fhf00",
    "b": "ggmphhu00", "c": "00egghe00", "d": "11djhhf00", "e": "00ehvge00", "f": "698s88800", "g": "00fhhhf1e",
    "h": "ggmphhh00", "i": "40c444e00", "j": "2062222ic", "k": "ggikoki00", "l": "c44444e00", "m": "00qllhh00",
    "n": "00mphhh00", "o": "00ehhhe00", "p": "00uhhhugg", "q": "00fhhhf11", "r": "00mpggg00", "s": "00fge1u00",
    "t": "88s889600", "u": "00hhhjd00", "v": "00hhha400", "w": "00hhlla00", "x": "00ha4ah00", "y": "00hhhhf1e",
    "z": "00v248v00", "{": "244844200", "|": "444444440", "}": "844244800", "~": "008l20000", "¡": "404444400",
    "¢": "04fkkf400", "£": "698s88v00", "¥": "ha4v4v400", "§": "fgehe1u00", "«": "05aka5000", "»": "0ka5ak000",
    "°": "ciic00000", "±": "44v440v00", "²": "c24e00000", "³": "e262e0000", "¹": "4c44e0000", "µ": "00hhhjtgg",
    "·": "000cc0000", "¿": "4048ghe00", "×": "0ha4ah000", "÷": "040v04000", "ß": "ciikihm00", "Ø": "fjlllpu00",
    "ø": "00fjlpu00", "Æ": "fkkukkn00", "æ": "00q5vkb00", "Œ": "fkknkkf00", "œ": "00alnkb00", "Ð": "e99t99e00",
    "ð": "a4afhhe00", "Þ": "guhhugg00", "þ": "gguhhhugg", "Ł": "88acoo700", "ł": "c46c4ce00", "ı": "00c444e00",
    "Đ": "e99t9ae00", "đ": "272ejie00", "–": "000v00000", "—": "000vv0000", "‘": "48c000000", "’": "c48000000",
    "“": "9ir000000", "”": "r9i000000", "„": "00000r9i0", "‚": "0000064c0", "…": "000000l00", "•": "00eee0000",
    "€": "78u8u8700", "→": "042v24000", "←": "048v84000", "↑": "4el444400", "↓": "4444le400", "≤": "248420e00",
    "≥": "842480e00", "≠": "01v4vg000", "≈": "08l208l20", "√": "7444ke400", "π": "00vaaaa00", "α": "00diiid00",
    "β": "ehhuhhugg", "γ": "00hha4444", "δ": "68ehhhe00", "ε": "00egcge00", "θ": "ehhvhhe00", "λ": "8844ahh00",
    "Δ": "44aahhv00", "Σ": "vg848gv00", "Ω": "ehhhaar00", "φ": "04elle400", "✓": "0112ka400", BOX: "vhhhhhv00",
}
# Two rows each: over a letter, but for the two that hang under it.
_MARKS = {
    "\u0300": "84", "\u0301": "24", "\u0302": "4a", "\u0303": "dm", "\u0308": "a0", "\u030a": "ea", "\u030c": "a4",
    "\u0304": "v0", "\u0306": "he", "\u0307": "40", "\u030b": "5a", "\u0327": "4c", "\u0328": "23",
}
# fmt: on
_BELOW = ("\u0327", "\u0328")
_COMPOSED = "".join(map(chr, (*range(0xC0, 0x180), *range(0x218, 0x21C))))


def cells_across(extent_pixels: Number, cell_pixels: Number) -> Number:
    """Return how many cells fit side by side, ``floor(X / w)`` [1]_.

    Parameters
    ----------
    extent_pixels : float
        Width or height of what they fill, in pixels.
    cell_pixels : float
        Width or height of one cell, in pixels.
    """
    return np.floor(extent_pixels / cell_pixels)


def cell_angle_rad(cell_pixels: Number, pixel_pitch_m: Number, viewing_distance_m: Number) -> Number:
    """Return the angle under which a cell is seen, ``w p / d`` [rad].

    Parameters
    ----------
    cell_pixels : float
        Width or height of the cell in pixels.
    pixel_pitch_m, viewing_distance_m : float
        Pitch and distance [m].
    """
    return cell_pixels * pixel_pitch_m / viewing_distance_m


def _rows(signs: str) -> list[int]:
    return [int(sign, 32) for sign in signs]


def _pattern(character: str) -> list[int] | None:
    """Return the eleven rows of a character, or None if it is not drawn and cannot be put together."""
    if character in _DRAWN:
        return [0] * ABOVE + _rows(_DRAWN[character])
    letter, *marks = unicodedata.normalize("NFD", character)
    if not marks or letter not in _DRAWN or len(marks) > 1 or marks[0] not in _MARKS:
        return None
    rows = [0] * ABOVE + _rows(_DRAWN[letter])
    mark = _rows(_MARKS[marks[0]])
    if marks[0] in _BELOW:
        at = len(rows) - 2
    elif letter in "ij":
        rows[ABOVE : ABOVE + 2] = [0, 0]  # the mark stands in place of the dot
        at = ABOVE - 1
    else:
        at = ABOVE - 1 if rows[ABOVE : ABOVE + 2] == [0, 0] else 0
    if any(rows[at + i] & mark[i] for i in range(2)):
        return None
    for i in range(2):
        rows[at + i] |= mark[i]
    return rows


@cache
def characters() -> str:
    """Return the characters that the font has, the empty box last."""
    names = [c for c in _DRAWN if c != BOX] + [c for c in _COMPOSED if c not in _DRAWN and _pattern(c) is not None]
    return "".join(names) + BOX


def glyph(character: str) -> NDArray[np.bool_]:
    """Return the dots of a character, shape (13, 6); those of a box for what the font has not."""
    rows = (_pattern(character) if len(character) == 1 else None) or _pattern(BOX) or []
    dots = np.zeros((HEIGHT, WIDTH), np.bool_)
    for y, row in enumerate(rows):
        dots[y, : WIDTH - 1] = [bool(row >> (WIDTH - 2 - x) & 1) for x in range(WIDTH - 1)]
    return dots
