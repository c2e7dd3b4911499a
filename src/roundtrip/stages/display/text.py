r"""Text becomes glyphs: characters are shaped, set in lines and turned into inked pixels.

A character is not a glyph and a glyph is not a token: a shaper may melt "fi" into one ligature, or build one letter
from several marks. What a glyph costs is small and measured; what it covers follows from the font: with an em of
``m = h / p`` pixels, a glyph inks about ``kappa m^2`` of them. A renderer rasterizes a glyph once, keeps it in an
atlas, and from then on only copies it, so that the time is

.. math:: t = g\,t_h + g(1 - \chi)\,t_g + n_l\,t_p

for g glyphs shaped, of which the share chi stands in the atlas, and n_l lines painted again.

References
----------
.. [1] HarfBuzz manual, "What is text shaping?", https://harfbuzz.github.io/what-is-harfbuzz.html
.. [2] FreeType project, "FreeType glyph conventions", https://freetype.org/freetype2/docs/glyphs/index.html: em
   square, advance, and pixels per em = point size times resolution over 72.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1991, "TrueType outline fonts (Apple and Microsoft); shaping in its present form since OpenType, 1996")


def glyph_count(characters: Number, ligature_share: Number) -> Number:
    """Return the glyphs of a text: its characters, less those that melt into a neighbor [1]_.

    Parameters
    ----------
    characters : float
        Characters of the text.
    ligature_share : float
        Share of the characters that are swallowed by a ligature.
    """
    return characters * (1.0 - ligature_share)


def text_characters(words: Number, word_characters: Number) -> Number:
    """Return the characters of a text with the space after each word.

    Parameters
    ----------
    words : float
        Words of the text.
    word_characters : float
        Mean characters of a word.
    """
    return words * (word_characters + 1.0)


def em_size_pixels(font_size_m: Number, pixel_pitch_m: Number) -> Number:
    """Return the pixels along one em, ``h / p``: 11 pt (11/72 inch) on 163 pixels an inch are 25 [2]_.

    Parameters
    ----------
    font_size_m : float
        Height of the em on the screen [m].
    pixel_pitch_m : float
        Distance between pixel centers [m].
    """
    return font_size_m / pixel_pitch_m


def ink_pixels(glyphs: Number, em_pixels: Number, ink_share: Number) -> Number:
    """Return the pixels that the ink of some glyphs touches, ``g kappa m^2``.

    Parameters
    ----------
    glyphs : float
        Number of glyphs.
    em_pixels : float
        Pixels along one em.
    ink_share : float
        Inked pixels of a mean glyph over the em square.
    """
    return glyphs * ink_share * em_pixels * em_pixels


def box_pixels(glyphs: Number, em_pixels: Number, advance_share: Number) -> Number:
    """Return the pixels of the box around some glyphs: advance times one em of height.

    This is the region that is declared damaged and drawn again, and the patch of the screen that the reader looks at.

    Parameters
    ----------
    glyphs : float
        Number of glyphs.
    em_pixels : float
        Pixels along one em.
    advance_share : float
        Mean advance of a glyph over the em.
    """
    return glyphs * advance_share * em_pixels * em_pixels


def line_count(glyphs: Number, font_size_m: Number, advance_share: Number, line_width_m: Number) -> Number:
    """Return the lines that a text fills in a column, ``ceil(g a h / w)``, without the ragged edge.

    Parameters
    ----------
    glyphs : float
        Glyphs of the text.
    font_size_m : float
        Height of the em [m].
    advance_share : float
        Mean advance over the em.
    line_width_m : float
        Width of the column [m].
    """
    return np.ceil(glyphs * advance_share * font_size_m / line_width_m)


def shape_duration_s(glyphs: Number, glyph_shape_time_s: Number) -> Number:
    """Return the time to shape some glyphs [s]: lookups in the font's tables, one glyph after the other.

    Parameters
    ----------
    glyphs : float
        Number of glyphs.
    glyph_shape_time_s : float
        Time for each [s].
    """
    return glyphs * glyph_shape_time_s


def raster_duration_s(glyphs: Number, glyph_cache_hit: Number, glyph_raster_time_s: Number) -> Number:
    """Return the time to rasterize the glyphs that are not in the atlas yet [s].

    Parameters
    ----------
    glyphs : float
        Glyphs drawn.
    glyph_cache_hit : float
        Share of them that was drawn before at this size.
    glyph_raster_time_s : float
        Time to load an outline and to fill it [s].
    """
    return glyphs * (1.0 - glyph_cache_hit) * glyph_raster_time_s


def paint_duration_s(painted_lines: Number, line_paint_time_s: Number) -> Number:
    """Return the time to paint the lines that changed [s]: clear, blend the glyphs, clip.

    Parameters
    ----------
    painted_lines : float
        Lines painted again; one, while words are added to the last line.
    line_paint_time_s : float
        Time for one line [s].
    """
    return painted_lines * line_paint_time_s


def drawing_energy_J(duration_s: Number, idle_power_W: Number, active_power_W: Number) -> Number:
    """Return what drawing adds to the energy of a computer that is on anyway, at least nothing [J].

    Parameters
    ----------
    duration_s : float
        Time of drawing [s].
    idle_power_W, active_power_W : float
        Power of the computer without and with work [W].
    """
    return np.maximum(active_power_W - idle_power_W, 0.0) * duration_s
