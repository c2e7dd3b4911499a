"""The eye: the page blurred on the retina, the cones' catch in each fixation, their current, and the reply read.

The eye looks at patch after patch of some letters, each in the fovea. The optics take contrast by the forecast's own
modulation; the pupil, lens, macula and pigments take their shares of the photons; each cone's catch is drawn from its
Poisson law. Left out: the longitudinal color of the lens (the modulation was measured in white light), the scatter of
where the eye lands, and cones that grow wider to the side.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.journey.carry.artifact import Artifact, Leg, Note
from roundtrip.journey.carry.lines import join
from roundtrip.journey.carry.reader import UNSURE, Reader
from roundtrip.journey.carry.screen import LIGHTS, MARGIN, Screen, bands, stripe_shares
from roundtrip.journey.scenario import Scenario
from roundtrip.stages.eye import cone, legibility, mosaic, optics, pupil, spectra

Array = NDArray[Any]
STRIPES = (-1.0 / 3.0, 0.0, 1.0 / 3.0)  # of a pixel: where red, green and blue lie
SAMPLE_ARCMIN, PAD_ARCMIN, PATCH_ARCMIN, PATCH_CELLS = 0.5, 6.0, 100.0, 8
STEP_S = 1e-3


@dataclass(frozen=True, slots=True)
class Viewer:
    """An eye; the defaults are a reader of 30 at an arm's length."""

    viewing_distance_m: float = 0.6
    age_year: float = 30.0
    pupil_eyes_factor: float = 1.0
    pupil_factor: float = 1.0
    eye_focal_length_m: float = 0.01667
    cone_aperture_m2: float = 2e-12
    cone_density_1_m2: float = 1.99e11
    isomerization_share: float = 0.67
    fixation_time_s: float = 0.225
    illuminance_lx: float = 300.0
    screen_reflectance: float = 0.01

    @classmethod
    def of(cls, scenario: Scenario) -> Viewer:
        """Return the eye of a scenario."""
        names = [n for n in cls.__dataclass_fields__ if n != "viewing_distance_m"]
        values: dict[str, Any] = {n: scenario.figure(f"eye.viewer.{n}").value for n in names}
        return cls(viewing_distance_m=scenario.figure("display.panel.viewing_distance_m").value, **values)


@dataclass(slots=True)
class Seen(Leg):
    """What was seen.

    Attributes
    ----------
    read : str
        The reply as read from the cones; U+FFFD where the reader is not sure.
    sure_share : float
        Share of the cells that it is sure of.
    stroke_arcmin : float
    pupil_m : float
    fixations : int
    white_1_s : array, shape (3,)
        Mean absorptions a second of long, middle and short cones on white paper.
    absorbed : array, shape (fixations, cones)
        Drawn, in one fixation.
    kinds, places_deg : array
        Of the cones.
    blank : array
        Absorbed by each cone in a fixation on blank paper, as drawn.
    """

    read: str = ""
    sure_share: float = 1.0
    stroke_arcmin: float = 0.0
    pupil_m: float = 0.0
    fixations: int = 0
    white_1_s: Array = field(default_factory=lambda: np.zeros(3))
    absorbed: Array = field(default_factory=lambda: np.zeros((0, 0)))
    blank: Array = field(default_factory=lambda: np.zeros(0))
    kinds: Array = field(default_factory=lambda: np.zeros(0, int))
    places_deg: Array = field(default_factory=lambda: np.zeros((0, 2)))


def catches(light: int, age_year: float) -> Array:
    """Return the share of the photons at the cornea that each kind of cone absorbs, shape (stripes, kinds).

    Weighted by `screen.stripe_shares` they make `spectra.absorbed`.
    """
    photons = spectra.LIGHTS[light] * spectra.NM
    through = photons * spectra.media(age_year) * 10.0 ** (-spectra.MACULAR_DENSITY * spectra.MACULAR)
    kept = [1.0 - 10.0 ** (-d * a) for d, a in zip(spectra.PIGMENT_DENSITY, spectra.CONES, strict=True)]
    return np.array([[(through * k)[band].sum() / photons[band].sum() for k in kept] for band in bands()])


def pupil_m(screen: Screen, viewer: Viewer) -> float:
    """Return the pupil that the screen makes, by the forecast's own formulas [m]."""
    glass = screen.panel
    area = optics.field_deg2(glass.width_pixels, glass.height_pixels, glass.pixel_pitch_m, viewer.viewing_distance_m)
    mean = pupil.pupil_watson_yellott_m(
        glass.white_luminance_cd_m2, area, viewer.pupil_eyes_factor, viewer.age_year)  # fmt: skip
    return float(np.asarray(pupil.own_pupil_m(mean, viewer.pupil_factor)))


@dataclass(frozen=True, slots=True)
class Optics:
    """From photons of the panel's stripes to what a cone absorbs a second, anywhere on the retina."""

    pitch_m: float
    distance_m: float
    pupil_m: float
    aperture_m2: float
    focal_m: float
    share: Array  # of a photon sent forward a frame from a square pixel, absorbed a second; (stripes, kinds)

    @property
    def pixel_arcmin(self) -> float:
        """Return the angle of a pixel."""
        return float(np.degrees(np.asarray(optics.pixel_angle_rad(self.pitch_m, self.distance_m)))) * 60.0

    @property
    def fine(self) -> int:
        """Return the samples of the image for each pixel."""
        return int(np.clip(np.ceil(self.pixel_arcmin / SAMPLE_ARCMIN), 1, 6))

    def image(self, pixels: Array) -> Array:
        """Return absorptions a second of cones of each kind, shape (..., kinds, rows, columns), finer than pixels.

        Parameters
        ----------
        pixels : array, shape (..., rows, columns, 3)
            Photons that the stripes send forward in a frame.
        """
        n, (rows, columns) = self.fine, pixels.shape[-3:-1]
        fy, fx = np.fft.fftfreq(rows * n)[:, None] * n, np.fft.rfftfreq(columns * n)[None, :] * n  # cycles a pixel
        degree = self.pixel_arcmin / 60.0
        f = np.hypot(fx, fy) / degree
        passed = np.asarray(optics.modulation(f, self.pupil_m))
        passed = passed * np.asarray(legibility.cone_modulation(f, self.aperture_m2, self.focal_m))
        passed = passed * self._box(fx, 1.0 / 3.0) * self._box(fy, 1.0) * n * n
        total: Any = 0.0
        for k, at in enumerate(STRIPES):
            points = np.zeros((*pixels.shape[:-3], rows * n, columns * n), np.float32)
            points[..., ::n, ::n] = pixels[..., k]
            wave = np.fft.rfft2(points) * (passed * np.exp(-2j * np.pi * fx * at))
            total = total + wave[..., None, :, :] * self.share[k][:, None, None]
        return np.fft.irfft2(total, s=(rows * n, columns * n))

    def _box(self, f: Array, width: float) -> Array:
        """Return what the width of a stripe leaves of the contrast, with its sign; f in cycles a pixel."""
        degree = self.pixel_arcmin / 60.0
        size = legibility.pixel_modulation(np.abs(f) / degree, self.pitch_m * width, self.distance_m)
        return np.asarray(size) * np.sign(np.sinc(f * width) + 1e-30)

    def sample(self, image: Array, y: Array, x: Array) -> Array:
        """Return the image between its samples at places in pixels, shape of its first axes and then the places'."""
        n = self.fine
        v = np.clip((y - 0.5) * n, 0.0, image.shape[-2] - 1.001)
        u = np.clip((x - 0.5) * n, 0.0, image.shape[-1] - 1.001)
        i, j = v.astype(int), u.astype(int)
        a, b = v - i, u - j
        return (
            image[..., i, j] * (1 - a) * (1 - b) + image[..., i, j + 1] * (1 - a) * b
            + image[..., i + 1, j] * a * (1 - b) + image[..., i + 1, j + 1] * a * b
        )  # fmt: skip


def see(screen: Screen, *, viewer: Viewer | None = None, seed: int = 0) -> Seen:
    """Look at a screen and read it.

    Parameters
    ----------
    screen : Screen
    viewer : Viewer
    seed : int
    """
    who, glass, face = viewer or Viewer(), screen.panel, screen.face
    stream = np.random.default_rng([seed, 0xE1E])
    wide_m = pupil_m(screen, who)
    share = (
        np.asarray(optics.solid_angle_sr(wide_m, who.viewing_distance_m)) / np.pi  # Lambert: forward over on axis
        * who.cone_aperture_m2 / who.eye_focal_length_m**2 * (who.viewing_distance_m / glass.pixel_pitch_m) ** 2
        * glass.refresh_rate_Hz * catches(LIGHTS[glass.kind], who.age_year)
    )  # fmt: skip
    lens = Optics(
        glass.pixel_pitch_m, who.viewing_distance_m, wide_m, who.cone_aperture_m2, who.eye_focal_length_m, share
    )
    stroke_m = face.stroke_pixels * glass.pixel_pitch_m
    seen = Seen(pupil_m=wide_m)
    seen.stroke_arcmin = float(np.asarray(legibility.stroke_arcmin(stroke_m, 1.0, who.viewing_distance_m)))
    height, width = face.ink.shape[1:]
    arcmin = lens.pixel_arcmin
    cells = int(np.clip(PATCH_ARCMIN / (width * arcmin), 1, PATCH_CELLS))
    half_y, half_x = 0.5 * height, 0.5 * (cells + 1) * width  # pixels
    reach_deg = min(float(np.hypot(half_y, half_x)) * arcmin / 60.0, 8.0)
    seen.places_deg, seen.kinds = mosaic.pattern(
        who.cone_density_1_m2, who.eye_focal_length_m, reach_deg, stream)  # fmt: skip
    at = seen.places_deg * 60.0 / arcmin
    inside = (np.abs(at[:, 0]) < half_x) & (np.abs(at[:, 1]) < half_y)
    seen.places_deg, seen.kinds, at = seen.places_deg[inside], seen.kinds[inside], at[inside]
    white = glass.pixel_photons(glass.white_luminance_cd_m2)
    mean = np.asarray(screen.photons[:8, :8].mean(axis=(0, 1)))  # paper without ink, as it is lit
    veil = who.illuminance_lx * who.screen_reflectance / np.pi / glass.white_luminance_cd_m2
    full = white * _shares(screen)
    seen.white_1_s = full @ share
    room = veil * seen.white_1_s
    seen.blank = stream.poisson((mean @ share + room)[seen.kinds] * who.fixation_time_s)
    adapted = np.array([seen.blank[seen.kinds == k].mean() if (seen.kinds == k).any() else 0.0 for k in range(3)])
    rates, follows, owner, picture = _look(screen, lens, cells, at, seen.kinds, mean, room)
    seen.absorbed = stream.poisson(rates * who.fixation_time_s)
    seen.fixations = len(rates)
    reader = _learn(screen, lens, cells, at, seen.kinds)
    texts, seen.sure_share = reader.read(seen.absorbed, adapted[seen.kinds], follows)
    lines = ["" for _ in screen.tops]
    for line, text in zip(owner, texts, strict=True):
        lines[line] += text
    opens = [line.opens for line in screen.text.lines]
    seen.read = join([line.rstrip(" ") for line in lines], opens, screen.columns)
    _tell(screen, seen)
    _show(seen, lens, rates, picture, who, stream, cells * width * arcmin)
    return seen


def _shares(screen: Screen) -> Array:
    return stripe_shares(LIGHTS[screen.panel.kind])


def _look(
    screen: Screen, lens: Optics, cells: int, at: Array, kinds: Array, paper: Array, room: Array
) -> tuple[Array, Array, list[int], Array]:
    """Return the rates of every cone in each fixation, whether it follows the one before, its line, and a picture."""
    height, width = screen.face.ink.shape[1:]
    pad = int(np.clip(np.ceil(PAD_ARCMIN / lens.pixel_arcmin), 4, 64))
    step = cells * width
    rates: list[Array] = []
    follows: list[bool] = []
    owner: list[int] = []
    picture: Array = np.ones((1, 1))
    for number, top in enumerate(screen.tops):
        rows = np.clip(np.arange(top - pad, top + height + pad), 0, len(screen.photons) - 1)
        strip = screen.photons[rows]
        inked = strip[pad : pad + height].sum(axis=2).mean(axis=0)[MARGIN:]  # the corner of the eye sees where ink ends
        dark = np.flatnonzero(inked < 0.999 * paper.sum() - 4.0 * np.sqrt(paper.sum()))
        patches = int(dark[-1] // step) + 1 if len(dark) else 0
        if not patches:
            continue
        beyond = max(MARGIN + patches * step + pad + width - strip.shape[1], 0)
        strip = np.concatenate([strip, np.broadcast_to(paper, (len(strip), beyond, 3))], axis=1)
        strip = strip[:, : MARGIN + patches * step + pad + width]
        image = lens.image(strip)
        if picture.shape == (1, 1):
            picture = image[0] / max(float(image[0].max()), 1e-30)
        for patch in range(patches):
            x = MARGIN + (patch + 0.5) * step + at[:, 0]
            y = pad + 0.5 * height + at[:, 1]
            values = np.zeros(len(at))
            for k in range(3):
                of = kinds == k
                values[of] = lens.sample(image[k], y[of], x[of]) + room[k]
            rates.append(np.maximum(values, 0.0))
            follows.append(patch > 0)
            owner.append(number)
    return np.array(rates).reshape(-1, len(at)), np.array(follows, bool), owner, picture


def _learn(screen: Screen, lens: Optics, cells: int, at: Array, kinds: Array) -> Reader:
    """Return a reader of this font through this eye: darkness of each letter at the cones about it."""
    face = screen.face
    height, width = face.ink.shape[1:]
    pad = int(np.clip(np.ceil(PAD_ARCMIN / lens.pixel_arcmin), 4, 64))
    shares = _shares(screen)
    whole = np.pad(face.ink, ((0, 0), (pad, pad), (pad, pad)))
    dark = np.concatenate(
        [lens.image(part[..., None] * shares)[:, :2] for part in np.array_split(whole, max(len(whole) // 32, 1))]
    )
    dark = dark / (shares @ lens.share)[:2, None, None]
    table = np.moveaxis(dark, 0, -1)  # kinds, rows, columns, letters
    flat = np.ascontiguousarray(table, np.float32)
    reader = Reader(face.characters, [], [], [], [])
    n = lens.fine
    for j in range(cells):
        x = at[:, 0] - (j + 0.5 - 0.5 * cells) * width
        near = np.flatnonzero((np.abs(x) < 0.5 * width + 1.0) & (kinds < 2))
        reader.cones.append(near)
        for into, shift in ((reader.own, 0), (reader.left, width), (reader.right, -width)):
            u = (pad + 0.5 * width + x[near] + shift - 0.5) * n
            v = (pad + 0.5 * height + at[near, 1] - 0.5) * n
            out = (u < 0) | (u > flat.shape[2] - 2)
            u, v = np.clip(u, 0, flat.shape[2] - 2), np.clip(v, 0, flat.shape[1] - 2)
            i, k = v.astype(int), u.astype(int)
            a, b = (v - i)[:, None].astype(np.float32), (u - k)[:, None].astype(np.float32)
            q = kinds[near]
            got = (1 - a) * ((1 - b) * flat[q, i, k] + b * flat[q, i, k + 1])
            got += a * ((1 - b) * flat[q, i + 1, k] + b * flat[q, i + 1, k + 1])
            got[out] = 0.0
            into.append(got)
    return reader


def _tell(screen: Screen, seen: Seen) -> None:
    good = seen.read == screen.shown
    wrong = sum(a != b for a, b in zip(seen.read, screen.shown, strict=False)) + abs(len(seen.read) - len(screen.shown))
    said = f"{seen.fixations} fixations, strokes of {seen.stroke_arcmin:.2g} arcminutes"
    if good:
        seen.notes.append(Note("eye.retina", "fine", f"read whole: {said}"))
    else:
        seen.notes.append(Note("eye.retina", "died", f"{wrong} of {len(screen.shown)} characters not read: {said}"))


def _show(seen: Seen, lens: Optics, rates: Array, picture: Array, who: Viewer, stream: Any, wide_arcmin: float) -> None:
    part = np.clip(picture[:, : 3 * int(wide_arcmin / lens.pixel_arcmin) * lens.fine], 0.0, 1.0)
    title = "the first line on the retina, as long cones see it"
    seen.artifacts.append(Artifact("eye.optics", "retina", title, "image", part))
    seen.artifacts.append(Artifact("eye.mosaic", "read", "the reply as read from the cones", "text", seen.read))
    if not len(rates):
        return
    seen.artifacts.append(Artifact("eye.mosaic", "cones", "cones in the first fixation: long red, middle green, short "
                                   "blue, as bright as what they absorbed", "image", draw_cones(seen, 0)))  # fmt: skip
    seen.artifacts.append(Artifact("eye.mosaic", "absorptions", "photons absorbed by each cone in the first fixation",
        "array", {"places_deg": seen.places_deg, "kinds": seen.kinds, "absorbed": seen.absorbed[0]}))  # fmt: skip
    times, currents, rate = photocurrents(rates, seen, who, stream)
    seen.artifacts.append(Artifact("eye.cone", "currents", "current of some cones over fixations [pA]", "array",
        {"time_s": times, "current_pA": currents, "isomerizations_1_s": rate}))  # fmt: skip


def photocurrents(
    rates: Array, seen: Seen, who: Viewer, stream: Any, cones: int = 6, most: int = 3
) -> tuple[Array, Array, Array]:
    """Return times, the current of the cones in the middle [pA] and their isomerizations, through some fixations."""
    middle = np.argsort(np.hypot(*seen.places_deg.T))
    chosen = middle[seen.kinds[middle] < 2][:cones]
    steps = round(who.fixation_time_s / STEP_S)
    mean = np.repeat(rates[:most][:, chosen], steps, axis=0) * who.isomerization_share
    drawn = stream.poisson(mean * STEP_S) / STEP_S
    state = cone.steady(seen.white_1_s[seen.kinds[chosen]] * who.isomerization_share)
    trace = np.zeros_like(drawn)
    for i, rate in enumerate(drawn):
        one = cone.derivative(state, rate)
        two = cone.derivative(state + 0.5 * STEP_S * one, rate)
        state = state + STEP_S * two  # the midpoint rule: a millisecond is short for every rate here
        trace[i] = -cone.current_pA(state)
    return STEP_S * np.arange(1, len(drawn) + 1), trace, drawn


def draw_cones(seen: Seen, fixation: int, scale: int = 7) -> Array:
    """Return a picture of the cones, each as bright as what it absorbed in a fixation over the most of its kind."""
    at = seen.places_deg * 60.0
    low, high = at.min(axis=0), at.max(axis=0)
    size = np.ceil((high - low) * scale).astype(int) + 8
    picture = np.zeros((size[1], size[0], 3))
    colors = np.array([[1.0, 0.35, 0.3], [0.35, 1.0, 0.4], [0.45, 0.55, 1.0]])
    top = np.array(
        [max(float(seen.blank[seen.kinds == k].mean()) if (seen.kinds == k).any() else 1.0, 1.0) for k in range(3)]
    )
    light = np.clip(seen.absorbed[fixation] / (1.1 * top[seen.kinds]), 0.0, 1.0)
    x, y = np.round((at - low) * scale).astype(int).T + 3
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            if abs(dx) + abs(dy) < 4:
                picture[y + dy, x + dx] = colors[seen.kinds] * light[:, None]
    return picture


__all__ = ["UNSURE", "Optics", "Seen", "Viewer", "catches", "draw_cones", "photocurrents", "pupil_m", "see"]
