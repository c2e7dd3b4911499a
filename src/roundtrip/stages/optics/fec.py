"""Forward error correction: extra bits let the receiver repair what the line broke.

Datacenter links use KP4, the Reed-Solomon code RS(544, 514) over 10-bit symbols: it repairs 15 symbols of 544 with
5.8 % extra bits in a tenth of a microsecond. The long haul uses soft-decision codes (oFEC, 15 % extra bits, and
stronger): they live with two wrong bits in a hundred and take microseconds. The two must not be mixed up.

With independent errors a word fails with the binomial chance ``P[Bin(n, p) > t]``, ``p = 1 - (1 - b)^m``. A decoder
that gives up leaves the word as it is, so the corrected ratio is ``b P[Bin(n - 1, p) > t - 1]``.

References
----------
.. [1] I. S. Reed and G. Solomon, "Polynomial codes over certain finite fields", J. SIAM 8, 300, 1960,
   doi:10.1137/0108018
.. [2] IEEE Std 802.3-2022, clause 91 (RS-FEC) and 119: RS(528, 514) and RS(544, 514).
   https://standards.ieee.org/ieee/802.3/10422/
.. [3] Open ZR+ MSA technical specification 1.0, 2020: oFEC, https://openzrplus.org
.. [4] G. Tzimpragos et al., "A survey on FEC codes for 100 G and beyond optical networks", IEEE Commun. Surveys Tuts.
   18, 209, 2016, doi:10.1109/COMST.2014.2361754: net coding gain.
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number
from roundtrip.figures.primitives import binomial_tail, ndtri

SINCE = (1960, "I. S. Reed and G. Solomon, polynomial codes over certain finite fields, J. SIAM 8, 300")


def symbol_error_ratio(bit_error_ratio: Number, *, symbol_bits: int = 10) -> Number:
    """Return the share of code symbols with at least one wrong bit, ``1 - (1 - b)^m``."""
    return -np.expm1(symbol_bits * np.log1p(-bit_error_ratio))


def uncorrectable_ratio(
    bit_error_ratio: Number, *, word_symbols: int = 544, correctable: int = 15, symbol_bits: int = 10
) -> Number:
    """Return the share of codewords that the decoder cannot repair, ``P[Bin(n, p) > t]``; by default KP4 [2]_."""
    wrong = -np.expm1(symbol_bits * np.log1p(-bit_error_ratio))
    return binomial_tail(float(word_symbols), float(correctable), wrong)


def corrected_ratio(
    bit_error_ratio: Number, *, word_symbols: int = 544, correctable: int = 15, symbol_bits: int = 10
) -> Number:
    """Return the share of wrong bits after decoding, ``b P[Bin(n - 1, p) > t - 1]``; by default KP4.

    A bit stays wrong if it was wrong and at least t of the other n - 1 symbols were too.
    """
    wrong = -np.expm1(symbol_bits * np.log1p(-bit_error_ratio))
    return bit_error_ratio * binomial_tail(float(word_symbols - 1), float(correctable - 1), wrong)


def payload_share(overhead: Number) -> Number:
    """Return the rate of a code, payload over all bits, ``1 / (1 + o)``."""
    return 1.0 / (1.0 + overhead)


def net_coding_gain_dB(bit_error_ratio: Number, corrected_bit_error_ratio: Number, code_rate: Number) -> Number:
    """Return what a code saves in SNR after paying for its own bits [4]_ [dB].

    ``20 log10( Q^-1(p_out) / Q^-1(p_in) ) + 10 log10(r)``.

    Parameters
    ----------
    bit_error_ratio : float
        Ratio before decoding that the code just repairs.
    corrected_bit_error_ratio : float
        Ratio after decoding.
    code_rate : float
        Payload over all bits.
    """
    return 20.0 * np.log10(ndtri(corrected_bit_error_ratio) / ndtri(bit_error_ratio)) + 10.0 * np.log10(code_rate)


def required_qpsk_snr_dB(bit_error_ratio: Number) -> Number:
    """Return the SNR at which ideal QPSK has this ratio before decoding, ``Q^-1(b)^2`` [dB]."""
    return 20.0 * np.log10(-ndtri(bit_error_ratio))


def accumulation_s(codeword_bits: Number, rate_bit_s: Number) -> Number:
    """Return the time until a whole codeword has arrived, ``N_b / R`` [s].

    Parameters
    ----------
    codeword_bits : float
        Bits of the codewords that are decoded together [bit].
    rate_bit_s : float
        Bits a second on the line, the code's own included [bit/s].
    """
    return codeword_bits / rate_bit_s


def correction_latency_s(codeword_bits: Number, rate_bit_s: Number, decode_s: Number) -> Number:
    """Return the time that correction adds, the word's arrival and the decoder's work [s]."""
    return codeword_bits / rate_bit_s + decode_s
