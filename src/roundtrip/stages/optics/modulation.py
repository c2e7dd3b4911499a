"""Bits become points of light: levels for short reach, points of a plane for the long haul, and back again.

PAM4 sends two bits as one of four amplitudes. A coherent sender sets both amplitude and phase: QPSK has four points
and two bits, 16QAM sixteen points and four bits, on each of two polarizations. Neighbors differ in one bit (Gray's
code), so that the commonest mistake costs one bit. All alphabets are scaled to a mean power of one, which fixes how
near their points come: ``sqrt(6 / (M - 1))`` for a square of M points, and that against the noise decides the errors.

References
----------
.. [1] J. G. Proakis and M. Salehi, Digital Communications, 5th ed., McGraw-Hill 2008, sections 3.2 and 4.3.
.. [2] IEEE Std 802.3-2022, clause 120.5.7: Gray mapping of PAM4, https://standards.ieee.org/ieee/802.3/10422/
.. [3] Optical Internetworking Forum, Implementation Agreement 400ZR 2.0, 2022: DP-16QAM symbol mapping,
   https://www.oiforum.com/technical-work/implementation-agreements-ias/
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (1953, "F. Gray, Pulse code communication, U.S. patent 2,632,058: neighbors differ in one bit")

Bits = NDArray[np.uint8]
Complex = NDArray[np.complexfloating[Any, Any]]
ALPHABETS = {"pam2": (2, 1), "pam4": (4, 1), "qpsk": (2, 2), "16qam": (4, 2)}  # levels an axis, axes


def nearest_distance(constellation_points: Number) -> Number:
    """Return the distance of neighbors in a square alphabet of unit mean power, ``sqrt(6 / (M - 1))`` [1]_.

    Parameters
    ----------
    constellation_points : float
        Points M of the alphabet: 4, 16, 64.
    """
    return np.sqrt(6.0 / (constellation_points - 1.0))


def nearest_level_distance(levels: Number) -> Number:
    """Return the distance of neighbors among amplitude levels of unit mean power, ``sqrt(12 / (M^2 - 1))`` [1]_."""
    return np.sqrt(12.0 / (levels * levels - 1.0))


def bits_per_symbol(alphabet: str) -> int:
    """Return the bits of one symbol of an alphabet.

    Raises
    ------
    ValueError
        If there is no such alphabet.
    """
    levels, axes = _shape(alphabet)
    return axes * (levels.bit_length() - 1)


def _shape(alphabet: str) -> tuple[int, int]:
    if alphabet not in ALPHABETS:
        raise ValueError(f"alphabet {alphabet!r} is not one of {', '.join(ALPHABETS)}")
    return ALPHABETS[alphabet]


@cache
def _axis(levels: int, axes: int) -> tuple[NDArray[np.float64], NDArray[np.int64], float]:
    """Return the level of each label, the label of each level from the lowest, and half the distance of levels."""
    half = float(np.sqrt(3.0 / (axes * (levels * levels - 1.0))))
    places = np.arange(levels)
    labels = places ^ places >> 1  # Gray's code
    level = np.empty(levels)
    level[labels] = half * (2.0 * places - (levels - 1.0))
    return level, labels, half


def map_bits(bits: Bits, alphabet: str) -> Complex:
    """Return symbols of unit mean power.

    Parameters
    ----------
    bits : array of 0 and 1, (..., n bits a symbol)
    alphabet : str
        One of `ALPHABETS`. The first half of a symbol's bits set the real part, the second the imaginary.

    Returns
    -------
    array of complex, (..., n)

    Raises
    ------
    ValueError
        If the bits are no whole number of symbols.
    """
    count = bits_per_symbol(alphabet)
    levels, axes = _shape(alphabet)
    if bits.shape[-1] % count:
        raise ValueError(f"{bits.shape[-1]} bits are no whole number of symbols of {count}")
    level, _, _ = _axis(levels, axes)
    width = count // axes
    grouped = bits.reshape(*bits.shape[:-1], -1, axes, width).astype(np.int64)
    labels = grouped @ (1 << np.arange(width - 1, -1, -1))
    parts = level[labels]
    return parts[..., 0] + (1j * parts[..., 1] if axes == 2 else 0j)


def places_of(values: NDArray[np.floating[Any]], alphabet: str) -> NDArray[np.int64]:
    """Return which level is nearest to each value, counted from the lowest.

    Raises
    ------
    ValueError
        If a value is no number.
    """
    if np.isnan(values).any():
        raise ValueError("a symbol that is no number has no nearest point")
    levels, axes = _shape(alphabet)
    half = _axis(levels, axes)[2]
    return np.clip(np.round((values / half + levels - 1.0) / 2.0), 0, levels - 1).astype(np.int64)


def nearest(symbols: Complex, alphabet: str) -> Complex:
    """Return the point of the alphabet that is nearest to each symbol."""
    levels, axes = _shape(alphabet)
    half = _axis(levels, axes)[2]
    real = half * (2.0 * places_of(symbols.real, alphabet) - (levels - 1.0))
    if axes == 1:
        return real + 0j
    return real + 1j * half * (2.0 * places_of(symbols.imag, alphabet) - (levels - 1.0))


def unmap(symbols: Complex, alphabet: str) -> Bits:
    """Return the bits of the points nearest to symbols: the inverse of `map_bits`."""
    levels, axes = _shape(alphabet)
    width = bits_per_symbol(alphabet) // axes
    labels = _axis(levels, axes)[1]
    parts = [symbols.real, symbols.imag][:axes]
    found = np.stack([labels[places_of(part, alphabet)] for part in parts], axis=-1)
    bits = found[..., None] >> np.arange(width - 1, -1, -1) & 1
    return bits.reshape(*symbols.shape[:-1], -1).astype(np.uint8)


def white_noise(shape: tuple[int, ...], snr: float, stream: np.random.Generator, axes: int = 2) -> Complex:
    """Return noise for symbols of unit power: over both axes for a plane, on the one axis that counts for levels."""
    if axes == 1:
        return stream.normal(0.0, np.sqrt(1.0 / snr), shape) + 0j
    scale = np.sqrt(0.5 / snr)
    return stream.normal(0.0, scale, shape) + 1j * stream.normal(0.0, scale, shape)
