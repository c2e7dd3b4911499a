"""A face: the pattern of ink of each character, from the font of dots or from outlines by HarfBuzz and FreeType."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.stages.display import glyphs

BUILT_IN = "built-in"
ALIKE = 0.5  # pixels of ink: below, no eye could tell
# Faces of one width that many systems have; none is shipped here.
PLACES = (
    "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf",
    "/usr/share/fonts/TTF/DejaVuSansMono.ttf",
    "/usr/share/fonts/dejavu-sans-mono-fonts/DejaVuSansMono.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationMono-Regular.ttf",
    "/System/Library/Fonts/Menlo.ttc",
)


@dataclass(frozen=True, slots=True)
class Face:
    """Characters and their ink.

    Attributes
    ----------
    name : str
    characters : str
        Those that it has; the empty box is one of them.
    ink : array, shape (characters, rows, columns)
        0 paper to 1 ink, in pixels of the panel.
    stroke_pixels : float
    """

    name: str
    characters: str
    ink: NDArray[np.float32]
    stroke_pixels: float
    alike: dict[str, str] = field(default_factory=dict[str, str])  # what looks like another character, and that one

    @property
    def has(self) -> frozenset[str]:
        """Return the characters."""
        return frozenset(self.characters)


def dots(scale: int = 2) -> Face:
    """Return the built-in font, each of its dots some pixels wide."""
    names = glyphs.characters()
    ink = np.stack([np.kron(glyphs.glyph(c), np.ones((scale, scale))) for c in names]).astype(np.float32)
    return Face(BUILT_IN, names, ink, float(glyphs.STROKE * scale))


def outlines(em_pixels: int, path: str | None = None) -> Face | None:
    """Return a face of outlines, shaped and filled at a size; None where there is no library or no font."""
    found = path or next((place for place in PLACES if Path(place).is_file()), None)
    if found is None or not find_spec("uharfbuzz") or not find_spec("freetype"):
        return None
    freetype: Any = import_module("freetype")
    hb: Any = import_module("uharfbuzz")
    face: Any = freetype.Face(found)
    face.set_pixel_sizes(0, em_pixels)
    font: Any = hb.Font(hb.Face(hb.Blob.from_file_path(found)))
    font.scale = (em_pixels * 64, em_pixels * 64)
    width = round(face.size.max_advance / 64) if face.is_fixed_width else 0
    if width <= 0:
        return None
    up, down = round(0.98 * em_pixels), round(0.28 * em_pixels)
    names: list[str] = [c for c in glyphs.characters() if face.get_char_index(c)]
    ink = np.zeros((len(names), up + down, width), np.float32)
    for i, c in enumerate(names):
        buffer: Any = hb.Buffer()
        buffer.add_str(c)
        buffer.guess_segment_properties()
        hb.shape(font, buffer)
        for info, place in zip(buffer.glyph_infos, buffer.glyph_positions, strict=True):
            face.load_glyph(info.codepoint, freetype.FT_LOAD_RENDER)
            drawn: Any = face.glyph.bitmap
            cover = np.array(drawn.buffer, np.float32).reshape(drawn.rows, drawn.pitch)[:, : drawn.width] / 255.0
            top = up - face.glyph.bitmap_top - round(place.y_offset / 64)
            left = face.glyph.bitmap_left + round(place.x_offset / 64)
            _add(ink[i], cover, top, left)
    alike: dict[str, str] = {}
    flat = ink.reshape(len(ink), -1)
    for i in range(len(names)):
        near = np.flatnonzero(np.abs(flat[:i] - flat[i]).sum(axis=1) < ALIKE)
        if len(near):
            first = names[int(near[0])]
            alike[names[i]] = alike.get(first, first)
    kept = [i for i, c in enumerate(names) if c not in alike]
    return Face(Path(found).stem, "".join(names[i] for i in kept), ink[kept], 0.09 * em_pixels, alike)


def _add(to: NDArray[np.float32], cover: NDArray[np.float32], top: int, left: int) -> None:
    """Add a glyph's coverage where it lies in its cell; what hangs out is cut."""
    y0, x0 = max(top, 0), max(left, 0)
    y1, x1 = min(top + cover.shape[0], to.shape[0]), min(left + cover.shape[1], to.shape[1])
    if y1 > y0 and x1 > x0:
        to[y0:y1, x0:x1] = np.maximum(to[y0:y1, x0:x1], cover[y0 - top : y1 - top, x0 - left : x1 - left])
