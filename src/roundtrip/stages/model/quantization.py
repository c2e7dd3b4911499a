r"""Quantization: weights and activations in fewer bits, and what the rounding costs.

Fewer bits mean fewer bytes to fetch and, where the chip multiplies in the smaller format, more operations a second. A
whole number of b bits over its full scale has a signal-to-noise ratio of :math:`6.02\,b + 1.76` dB for a sine [1]_. A
floating-point number of m stored mantissa bits has an error that follows the number's size, so its ratio is the same
at any size: for significands spread evenly on a logarithm

.. math:: 10 \log_{10}\left(12 \cdot \frac{3}{2 \ln 2}\, 2^{2m}\right) = 6.02\,m + 14.1 \text{ dB}

(noise :math:`2^{-2m}/12`, mean square :math:`3 / (2 \ln 2)` in units of the exponent). Weights in small groups share
a scale, which adds its own bits.

References
----------
.. [1] W. R. Bennett, "Spectra of quantized signals", Bell System Technical Journal 27, 446-472, 1948,
   doi:10.1002/j.1538-7305.1948.tb01340.x
.. [2] P. Micikevicius et al., "FP8 formats for deep learning", 2022, https://arxiv.org/abs/2209.05433: table 1.
.. [3] Open Compute Project, "OCP Microscaling Formats (MX) specification v1.0", 2023: blocks of 32 with an 8-bit scale,
   https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (2022, "P. Micikevicius et al., FP8 formats for deep learning, arXiv 2209.05433")

E4M3_MAX = 448.0
E4M3_LEAST_EXPONENT = -6


def group_weight_B(weight_bits: Number, scale_bits: Number, group_weights: Number) -> Number:
    """Return the bytes of one weight with its part of the group's scale, ``(b + b_s / g) / 8`` [B]."""
    return (weight_bits + scale_bits / group_weights) / 8.0


def integer_snr_dB(weight_bits: Number) -> Number:
    """Return the signal-to-noise ratio of a full-scale sine in whole numbers, ``6.02 b + 1.76`` [1]_ [dB]."""
    return 20.0 * weight_bits * np.log10(2.0) + 10.0 * np.log10(1.5)


def float_snr_dB(mantissa_bits: Number) -> Number:
    """Return the signal-to-noise ratio of floating-point numbers with m stored mantissa bits, at any size [dB]."""
    return 10.0 * np.log10(18.0 / np.log(2.0)) + 20.0 * mantissa_bits * np.log10(2.0)


def rounded_B(streams: Number, hidden_width: Number, layers: Number, roundings: Number) -> Number:
    """Return the bytes moved to round activations: each number is read in 16 bit and written in 8 [B].

    Parameters
    ----------
    streams, hidden_width, layers : float
        Vectors in the batch, numbers in a vector, layers.
    roundings : float
        How often a layer rounds a vector before a matrix.
    """
    return 3.0 * streams * hidden_width * layers * roundings


def round_e4m3(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to the 8-bit format E4M3: largest 448, subnormal below 2^-6, ties to even, larger values saturate [2]_."""
    size = np.minimum(np.abs(x), E4M3_MAX)
    exponent = np.maximum(np.floor(np.log2(np.where(size > 0.0, size, 1.0))), E4M3_LEAST_EXPONENT)
    step = 2.0 ** (exponent - 3.0)
    return np.sign(x) * np.minimum(np.round(size / step) * step, E4M3_MAX)


def round_group(x: NDArray[np.float64], bits: int) -> NDArray[np.float64]:
    """Round a group to whole numbers of `bits` bits with one scale, so that its largest value fits."""
    top = 2 ** (bits - 1) - 1
    scale = np.max(np.abs(x)) / top
    return np.round(x / scale) * scale if scale > 0.0 else x
