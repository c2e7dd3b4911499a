"""Pictures of waves and points: how often the light was where, as gray."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.journey.carry.artifact import Artifact
from roundtrip.journey.carry.light import SAMPLES

Image = NDArray[np.float64]
SIDE = 220  # pixels of a square picture
GAP = 8
_EDGE = 1.9  # of the plane, in units of the root of the mean power


def pictures(artifact: Artifact) -> dict[str, Image]:
    """Return pictures of an artifact of the kind ``array``, by name; none where there is nothing to draw."""
    values: dict[str, NDArray[Any]] = artifact.data
    if artifact.name == "distances":
        return {"distances": beside([plane(points) for points in values.values()])}
    if artifact.name == "symbols":
        return {"constellation": beside([plane(points) for points in values["values"]])}
    if artifact.name == "back-to-back":
        return {"eye": beside([eye(wave) for wave in values["values"]])}
    if artifact.name in ("sent", "arrived"):
        return {f"{artifact.name}-plane": beside([plane(wave) for wave in values["values"]])}
    if artifact.name == "levels":
        return {"levels": levels(values["levels"])}
    return {}


def plane(points: NDArray[Any]) -> Image:
    """Return how often points lie where in the plane, dark where they are many, axes drawn faintly."""
    flat = points.ravel()
    size = float(np.sqrt(np.mean(np.abs(flat) ** 2))) if flat.size else 1.0
    scaled = flat / max(size, 1e-12)
    counts, _, _ = np.histogram2d(-scaled.imag, scaled.real, SIDE, ((-_EDGE, _EDGE), (-_EDGE, _EDGE)))
    return _inked(counts)


def eye(wave: NDArray[Any]) -> Image:
    """Return the eye of a wave's real part: stretches of two symbols laid over each other."""
    fine = 8
    spectrum = np.fft.fft(wave)
    count = len(wave)
    padded = np.zeros(count * fine, np.complex128)
    padded[: count // 2], padded[-(count // 2) :] = spectrum[: count // 2], spectrum[-(count // 2) :]
    smooth = np.fft.ifft(padded).real * fine
    step = 2 * SAMPLES * fine
    traces = smooth[: len(smooth) // step * step].reshape(-1, step)
    size = max(float(np.sqrt(np.mean(np.abs(wave) ** 2))), 1e-12)
    time = np.broadcast_to(np.arange(step), traces.shape)
    counts, _, _ = np.histogram2d(-traces.ravel() / size, time.ravel(), (SIDE, step), ((-_EDGE, _EDGE), (0, step)))
    return np.repeat(_inked(counts), -(-SIDE // step), axis=1)[:, :SIDE]


def levels(values: NDArray[Any]) -> Image:
    """Return how often each level of light was received, as a histogram on its side."""
    counts, _ = np.histogram(values, SIDE, (-_EDGE, _EDGE))
    widths = np.round(counts / max(int(counts.max()), 1) * (SIDE - 1)).astype(int)
    return 1.0 - (np.arange(SIDE)[None, :] < widths[::-1, None]).astype(np.float64) * 0.8


def beside(images: list[Image]) -> Image:
    """Return pictures of one height next to each other."""
    gap = np.ones((images[0].shape[0], GAP))
    return np.concatenate([part for image in images for part in (image, gap)][:-1], axis=1)


def _inked(counts: NDArray[Any]) -> Image:
    paper = np.ones(counts.shape)
    middle = counts.shape[0] // 2
    paper[middle, ::4] = 0.8
    paper[::4, counts.shape[1] // 2] = 0.8
    strong = np.log1p(counts) / np.log1p(max(float(counts.max()), 1.0))
    return np.minimum(paper, 1.0 - strong)
