"""The shape of a pulse: each symbol is sent as a wave whose neighbors are zero where it is decided.

A rectangle of light would need an endless spectrum. The raised cosine is flat up to ``(1 - b) R / 2`` and falls to
nothing at ``(1 + b) R / 2``; at the instants of all other symbols it is zero [1]_. Sender and receiver each apply its
square root, so that what the receiver lets in of the noise is exactly the band of the signal (a matched filter).

References
----------
.. [1] H. Nyquist, "Certain topics in telegraph transmission theory", Trans. AIEE 47, 617, 1928,
   doi:10.1109/T-AIEE.1928.5055024
.. [2] J. G. Proakis and M. Salehi, Digital Communications, 5th ed., McGraw-Hill 2008, section 9.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (1928, "H. Nyquist, certain topics in telegraph transmission theory")

Complex = NDArray[np.complexfloating[Any, Any]]


def raised_cosine_share(frequency_offset_Hz: Number, symbol_rate_Hz: Number, roll_off: Number) -> Number:
    """Return the raised cosine at a distance from the carrier, 1 in the middle [1]_.

    Parameters
    ----------
    frequency_offset_Hz : float
        Distance from the carrier, not negative [Hz].
    symbol_rate_Hz : float
        Symbols a second [Hz].
    roll_off : float
        How much wider than the symbol rate the spectrum is.
    """
    wide = np.maximum(roll_off, 1e-9)
    angle = np.clip((2.0 * frequency_offset_Hz / symbol_rate_Hz - (1.0 - wide)) / (2.0 * wide), 0.0, 1.0)
    return 0.5 * (1.0 + np.cos(np.pi * angle))


def shape(symbols: Complex, samples_per_symbol: int, roll_off: float) -> Complex:
    """Return the wave of symbols, at unit mean power for symbols of unit mean power.

    The wave is a ring: its end runs into its start, so silence at the end keeps the symbols apart.

    Parameters
    ----------
    symbols : array of complex, (..., n)
    samples_per_symbol : int
        At least two.
    roll_off : float

    Returns
    -------
    array of complex, (..., n samples_per_symbol)
    """
    up = np.zeros((*symbols.shape[:-1], symbols.shape[-1] * samples_per_symbol), np.complex128)
    up[..., ::samples_per_symbol] = symbols
    return matched(up, samples_per_symbol, roll_off) * samples_per_symbol


def matched(wave: Complex, samples_per_symbol: int, roll_off: float) -> Complex:
    """Return a wave after the root of the raised cosine: what a receiver does, and the half of `shape`."""
    offset = np.abs(np.fft.fftfreq(wave.shape[-1], 1.0 / samples_per_symbol))  # in symbol rates
    root = np.sqrt(raised_cosine_share(offset, np.ones_like(offset), np.full_like(offset, roll_off)))
    return np.fft.ifft(np.fft.fft(wave) * root)
