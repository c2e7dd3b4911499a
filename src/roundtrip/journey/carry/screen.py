"""The screen: the reply in lines, as frames that follow each other, as light of red, green and blue.

Every pixel has three stripes. What each sends forward in a frame follows from the panel's closed form and is drawn
from its Poisson law; the white's spectrum, cut where the primaries meet, says how many of a white's
photons each stripe sends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.journey.carry.artifact import Artifact, Leg, Note
from roundtrip.journey.carry.lines import Lines, break_lines
from roundtrip.journey.carry.pixel_time import turning
from roundtrip.journey.carry.typeface import Face, dots, outlines
from roundtrip.journey.scenario import Scenario
from roundtrip.stages.display import panel as panel_stage
from roundtrip.stages.display import text, vsync
from roundtrip.stages.eye import spectra

LIGHTS = {"lcd": 0, "oled": 1}
CUTS_NM = (485.0, 585.0)  # blue below, red above
MARGIN = 24  # pixels of paper around the text
PICTURE_LINES = 30
Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Panel:
    """A screen; the defaults are a 27-inch 4K monitor."""

    kind: str = "lcd"
    pixel_pitch_m: float = 1.5565633e-4
    refresh_rate_Hz: float = 60.0
    white_luminance_cd_m2: float = 200.0
    contrast_ratio: float = 1500.0
    light_wavelength_m: float = 5.6e-7
    luminous_efficacy_lm_W: float = 305.0
    response_time_s: float = 0.008
    pwm_frequency_Hz: float = 20000.0
    height_pixels: float = 2160.0
    width_pixels: float = 3840.0
    blank_duration_s: float = 4.6e-4
    font_size_m: float = 0.00388
    line_width_m: float = 0.16

    @classmethod
    def of(cls, scenario: Scenario) -> Panel:
        """Return the screen and the font size of a scenario."""
        others = ("kind", "font_size_m", "line_width_m", "contrast_ratio")
        names = [n for n in cls.__dataclass_fields__ if n not in others]
        values: dict[str, Any] = {n: scenario.figure(f"display.panel.{n}").value for n in names}
        kind = scenario.entry("display.panel").texts["kind"]
        if kind == "lcd":
            values["contrast_ratio"] = scenario.figure("display.panel.contrast_ratio").value
        fonts = {n: scenario.figure(f"display.font.{n}").value for n in ("font_size_m", "line_width_m")}
        return cls(kind=kind, **values, **fonts)

    @property
    def black_cd_m2(self) -> float:
        """Return the luminance of ink."""
        if self.kind == "oled":
            return 0.0
        return float(np.asarray(panel_stage.black_luminance_cd_m2(self.white_luminance_cd_m2, self.contrast_ratio)))

    @property
    def photons_per_lumen_s(self) -> float:
        """Return photons of a lumen second of its white."""
        count = panel_stage.photons_per_lumen_second(self.light_wavelength_m, self.luminous_efficacy_lm_W)
        return float(np.asarray(count))

    def pixel_photons(self, luminance_cd_m2: float) -> float:
        """Return the photons that a pixel sends forward in a frame."""
        return float(np.asarray(panel_stage.photons_hemisphere(
            luminance_cd_m2, self.pixel_pitch_m, self.refresh_rate_Hz, self.photons_per_lumen_s)))  # fmt: skip


@dataclass(slots=True)
class Screen(Leg):
    """What was shown.

    Attributes
    ----------
    panel : Panel
    face : Face
    text : Lines
    columns : int
    tops : list of int
        First row of each line in the page.
    ink : array, shape (rows, columns)
        The page, 0 paper to 1 ink.
    photons : array, shape (rows, columns, 3)
        Sent forward by each stripe in the last frame, as drawn.
    seen_s : list of float
        When the light of each arrival left the panel, since the first one.
    """

    panel: Panel = field(default_factory=Panel)
    face: Face = field(default_factory=dots)
    text: Lines = field(default_factory=Lines)
    columns: int = 80
    tops: list[int] = field(default_factory=list[int])
    ink: Array = field(default_factory=lambda: np.zeros((1, 1)))
    photons: Array = field(default_factory=lambda: np.zeros((1, 1, 3)))
    seen_s: list[float] = field(default_factory=list[float])

    @property
    def shown(self) -> str:
        """Return what can be read at best."""
        return self.text.shown


def stripe_shares(light: int) -> Array:
    """Return the share of a white's photons that red, green and blue send."""
    photons = spectra.LIGHTS[light] * spectra.NM
    return np.array([photons[band].sum() for band in bands()]) / photons.sum()


def bands() -> tuple[Array, Array, Array]:
    """Return which wavelengths of `spectra.NM` are red, green and blue."""
    low, high = CUTS_NM
    return high < spectra.NM, (low < spectra.NM) & (high >= spectra.NM), low >= spectra.NM


def show(
    reply: str,
    *,
    seed: int = 0,
    panel: Panel | None = None,
    arrivals: Sequence[tuple[float, int]] = (),
    font: str = "auto",
    scale: int = 2,
    dark_columns: int = 0,
    dark_rows: int = 0,
    is_unlit: bool = False,
) -> Screen:
    """Show a reply.

    Parameters
    ----------
    reply : str
    seed : int
    panel : Panel
    arrivals : sequence of (float, int)
        When how many characters of the reply had come [s].
    font : str
        ``auto``: outlines where there is a library and a font, else dots; ``built-in``: dots; or a font file.
    scale : int
        Pixels of a dot of the built-in font.
    dark_columns, dark_rows : int
        Columns or rows of pixels that stay dark, where the text begins.
    is_unlit : bool
        The lamp behind the liquid crystals is off.
    """
    glass = panel or Panel()
    stream = np.random.default_rng([seed, 0xD15])
    em = max(round(float(np.asarray(text.em_size_pixels(glass.font_size_m, glass.pixel_pitch_m)))), 8)
    face = None if font == "built-in" else outlines(em, None if font == "auto" else font)
    face = face or dots(scale)
    height, width = face.ink.shape[1:]
    columns = int(np.clip(glass.line_width_m / glass.pixel_pitch_m // width, 8, 200))
    set_text = break_lines(reply, columns, face.has, face.alike)
    screen = Screen(panel=glass, face=face, text=set_text, columns=columns)
    _draw(screen, height, width)
    _light(screen, stream, dark_columns, dark_rows, is_unlit)
    _frames(screen, reply, arrivals)
    screen.artifacts[:0] = _pictures(screen)
    return screen


def _draw(screen: Screen, height: int, width: int) -> None:
    """Draw the page: half a line of paper before each paragraph but the first."""
    top = MARGIN
    for i, line in enumerate(screen.text.lines):
        top += height // 2 if line.opens and i else 0
        screen.tops.append(top)
        top += height
    longest = max((len(line.text) for line in screen.text.lines), default=1)
    page = np.zeros((top + MARGIN + height * (not screen.text.lines), 2 * MARGIN + max(longest, 8) * width), np.float32)
    number = {c: i for i, c in enumerate(screen.face.characters)}
    for top, line in zip(screen.tops, screen.text.lines, strict=True):
        if line.text:
            cells = screen.face.ink[[number[c] for c in line.text]]
            page[top : top + height, MARGIN : MARGIN + len(line.text) * width] = np.concatenate(list(cells), axis=1)
    screen.ink = page


def _light(screen: Screen, stream: np.random.Generator, dark_columns: int, dark_rows: int, is_unlit: bool) -> None:
    glass, face = screen.panel, screen.face
    paper = 1.0 - screen.ink.astype(np.float64)
    if is_unlit and glass.kind == "lcd":
        paper = np.zeros_like(paper)
        black = 0.0
        screen.notes.append(Note("display.panel", "died", "the lamp is off: the crystals turn, and no light comes"))
    else:
        black = glass.black_cd_m2 / glass.white_luminance_cd_m2
        if is_unlit:
            screen.notes.append(Note("display.panel", "fine", "an OLED has no lamp that could fail"))
    relative = black + (1.0 - black) * paper
    if dark_columns:
        at = MARGIN + face.ink.shape[2] + face.ink.shape[2] // 2
        relative[:, at : at + dark_columns] = 0.0
    if dark_rows:
        at = (screen.tops[0] if screen.tops else MARGIN) + face.ink.shape[1] // 3
        relative[at : at + dark_rows] = 0.0
    white = glass.pixel_photons(glass.white_luminance_cd_m2)
    mean = relative[:, :, None] * white * stripe_shares(LIGHTS[glass.kind])
    screen.photons = stream.poisson(mean).astype(np.float64)


def _frames(screen: Screen, reply: str, arrivals: Sequence[tuple[float, int]]) -> None:
    """Note when the light of each arrival leaves: the next frame, and in it the row of the text."""
    glass = screen.panel
    rows: list[tuple[Any, ...]] = [("arrived_s", "characters", "frame", "light_s")]
    total = max(len(reply), 1)
    for at_s, characters in arrivals:
        line = min(int(characters / total * len(screen.tops)), len(screen.tops) - 1)
        row = min((screen.tops[line] if screen.tops else 0) / glass.height_pixels, 1.0)
        begun_s = float(np.asarray(vsync.next_frame_s(at_s, glass.refresh_rate_Hz)))
        light_s = begun_s + float(np.asarray(
            vsync.scan_out_s(row, glass.height_pixels, glass.refresh_rate_Hz, glass.blank_duration_s)))  # fmt: skip
        screen.seen_s.append(light_s)
        rows.append((at_s, characters, round(begun_s * glass.refresh_rate_Hz), light_s))
    row_s = float(np.asarray(vsync.scan_out_s(0.0, glass.height_pixels, glass.refresh_rate_Hz, glass.blank_duration_s)))
    light = turning(glass.response_time_s, glass.pwm_frequency_Hz, 1.0 / glass.refresh_rate_Hz, row_s)
    screen.artifacts.append(
        Artifact("display.panel", "pixel-time", "light of a pixel of the first row that turns to ink", "array", light)
    )
    screen.artifacts.append(Artifact("display.vsync", "frames", "words, their frames and their light", "table", rows))
    if screen.text.missing:
        lost = " ".join(f"U+{ord(c):04X}" for c in dict.fromkeys(screen.text.missing))
        screen.notes.append(
            Note("display.text", "fine", f"shown as a box, for {screen.face.name} has them not: {lost}")
        )


def _pictures(screen: Screen) -> list[Artifact]:
    height, width = screen.face.ink.shape[1:]
    cut = screen.tops[PICTURE_LINES] if len(screen.tops) > PICTURE_LINES else len(screen.ink)
    page = 1.0 - screen.ink[:cut].astype(np.float64)
    top = screen.tops[0] if screen.tops else MARGIN
    part = screen.photons[max(top - 4, 0) : top + height + 4, MARGIN - 4 : MARGIN + 9 * width]
    white = screen.panel.pixel_photons(screen.panel.white_luminance_cd_m2)
    stripes = part / (white * stripe_shares(LIGHTS[screen.panel.kind]))
    zoom = 6
    big = np.zeros((part.shape[0] * zoom, part.shape[1] * zoom, 3))
    for k in range(3):
        lit = np.kron(stripes[:, :, k], np.pad(np.ones((zoom - 1, 2 if zoom > 2 else 1)), ((0, 1), (0, 0))))
        big[:, 2 * k :: zoom, k], big[:, 2 * k + 1 :: zoom, k] = lit[:, ::2], lit[:, 1::2]
    photons = screen.photons[:cut].sum(axis=2)
    return [
        Artifact("display.framebuffer", "frame", f"the last frame, in {screen.face.name}", "image", page),
        Artifact("display.panel", "subpixels", "the first letters as red, green and blue stripes", "image", big),
        Artifact("display.panel", "photons", "photons of a frame over those of white", "image", photons / white),
        Artifact("display.panel", "photons-per-stripe", "photons sent forward by each stripe of the first letters in a "
                 "frame, as drawn", "array", {"photons": part}),
    ]  # fmt: skip
