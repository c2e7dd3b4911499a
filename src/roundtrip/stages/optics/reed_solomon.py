"""Reed-Solomon words, encoded and repaired: KP4, the code of datacenter links, bit for bit.

A word is a polynomial over GF(2^10) that is zero at 30 successive powers of x, where x^10 = x^3 + 1 [2]_. The
receiver evaluates it there: the 30 syndromes. All zero: nothing is wrong (or one word has become another). Otherwise
the shortest recurrence that makes the syndromes (Berlekamp and Massey, here without a division [3]_) has its roots at
the places of the wrong symbols, and Forney's formula tells how they are wrong [4]_. Up to 15 symbols of 544 are
repaired; with 16 or more no such polynomial exists, except for about one word in 15!, and the word is flagged.

Multiplying by a constant is linear over the bits, so that parity and syndromes of many words are one product of
matrices of zeros and ones. Words are rows of arrays and are worked on together.

References
----------
.. [1] I. S. Reed and G. Solomon, "Polynomial codes over certain finite fields", J. SIAM 8, 300, 1960,
   doi:10.1137/0108018
.. [2] IEEE Std 802.3-2022, clauses 91 and 119: RS(544, 514) over GF(2^10), generator of 30 roots from 1 on.
   https://standards.ieee.org/ieee/802.3/10422/
.. [3] D. V. Sarwate and N. R. Shanbhag, "High-speed architectures for Reed-Solomon decoders", IEEE Trans. VLSI Syst. 9,
   641, 2001, doi:10.1109/92.953498
.. [4] R. E. Blahut, Algebraic codes for data transmission, Cambridge 2003, chapters 6 and 7,
   doi:10.1017/CBO9780511800467
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundtrip.figures.graph import Number

SINCE = (1960, "I. S. Reed and G. Solomon, polynomial codes over certain finite fields, J. SIAM 8, 300")

SYMBOL_BITS = 10
WORD, MESSAGE = 544, 514  # symbols
PARITY = WORD - MESSAGE
CORRECTABLE = PARITY // 2
WORD_BITS, MESSAGE_BITS = WORD * SYMBOL_BITS, MESSAGE * SYMBOL_BITS
_POLYNOMIAL = 0x409  # x^10 + x^3 + 1
_ORDER = (1 << SYMBOL_BITS) - 1
FAILED = -1

Symbols = NDArray[np.int64]


def correctable_symbols(word_symbols: Number, message_symbols: Number) -> Number:
    """Return how many wrong symbols a word can have and be repaired, half of its extra ones, ``(n - k) / 2`` [1]_.

    Parameters
    ----------
    word_symbols, message_symbols : float
        Symbols of a word, and those of them that carry the message.
    """
    return np.floor(0.5 * (word_symbols - message_symbols))


@cache
def _powers() -> tuple[Symbols, Symbols]:
    """Return the powers of x (twice round) and the logarithms of all elements; that of zero is never used."""
    power = np.empty(2 * _ORDER, np.int64)
    log = np.zeros(_ORDER + 1, np.int64)
    element = 1
    for i in range(_ORDER):
        power[i] = power[i + _ORDER] = element
        log[element] = i
        element <<= 1
        if element > _ORDER:
            element ^= _POLYNOMIAL
    return power, log


def multiply(a: ArrayLike, b: ArrayLike) -> Symbols:
    """Return products in GF(2^10), element by element."""
    power, log = _powers()
    a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)
    return np.where((a == 0) | (b == 0), 0, power[log[a] + log[b]])


@cache
def generator() -> tuple[int, ...]:
    """Return the coefficients of the generator, of the highest power first: the product of (z - x^i), i = 0 to 29."""
    power, _ = _powers()
    found = np.ones(1, np.int64)
    for i in range(PARITY):
        found = np.append(found, 0) ^ np.append(0, multiply(found, power[i]))
    return tuple(int(c) for c in found)


@cache
def _spread(kind: str) -> NDArray[np.float32]:
    """Return the matrix over bits that takes messages to parity, or words to syndromes: rows are bits that go in."""
    power, _ = _powers()
    if kind == "parity":
        rows, last = [], np.array(generator()[1:], np.int64)  # z^30 modulo the generator
        for _ in range(MESSAGE):
            rows.append(last)
            last = np.append(last[1:], 0) ^ multiply(last[0], generator()[1:])
        table = np.array(rows[::-1])
    else:
        place = np.arange(WORD - 1, -1, -1)[:, None]
        table = power[place * np.arange(PARITY)[None, :] % _ORDER]
    bit = power[np.arange(SYMBOL_BITS)]
    products = multiply(table[:, None, :], bit[None, :, None])
    return to_bits(products.reshape(len(table) * SYMBOL_BITS, PARITY)).astype(np.float32)


def to_bits(symbols: Symbols) -> NDArray[np.uint8]:
    """Return the bits of symbols in the order of the line, the lowest first: the last axis grows by ten [2]_."""
    bits = symbols[..., None] >> np.arange(SYMBOL_BITS) & 1
    return bits.reshape(*symbols.shape[:-1], -1).astype(np.uint8)


def to_symbols(bits: NDArray[Any]) -> Symbols:
    """Return bits in the order of the line as symbols of ten.

    Raises
    ------
    ValueError
        If the last axis is no whole number of symbols.
    """
    if bits.shape[-1] % SYMBOL_BITS:
        raise ValueError(f"{bits.shape[-1]} bits are no whole number of symbols of {SYMBOL_BITS}")
    grouped = bits.reshape(*bits.shape[:-1], -1, SYMBOL_BITS).astype(np.int64)
    return grouped @ (1 << np.arange(SYMBOL_BITS))


def _applied(symbols: Symbols, kind: str) -> Symbols:
    counts = to_bits(symbols).astype(np.float32) @ _spread(kind)  # exact: below 2^24
    return to_symbols(counts.astype(np.int64) & 1)


def encode(messages: ArrayLike) -> Symbols:
    """Return words: messages and their parity.

    Parameters
    ----------
    messages : array of int, (words, 514) or (514,)
        Symbols of 0 to 1023.

    Returns
    -------
    array of int, (words, 544) or (544,)

    Raises
    ------
    ValueError
        If the shape or a symbol is not that of the code.
    """
    found = _checked(messages, MESSAGE)
    return np.concatenate([found, _applied(found, "parity")], axis=-1)


def decode(words: ArrayLike) -> tuple[Symbols, NDArray[np.int64]]:
    """Repair words.

    Parameters
    ----------
    words : array of int, (words, 544) or (544,)
        As received.

    Returns
    -------
    messages : array of int, (words, 514) or (514,)
        Repaired where that was possible; otherwise as received.
    repaired : array of int, (words,) or ()
        Symbols that were repaired; `FAILED` where there were too many.

    Raises
    ------
    ValueError
        If the shape or a symbol is not that of the code.
    """
    received = _checked(words, WORD)
    rows = received.reshape(-1, WORD).copy()
    repaired = np.zeros(len(rows), np.int64)
    syndromes = _applied(rows, "syndromes")
    bad = np.flatnonzero(syndromes.any(axis=1))
    if len(bad):
        change, count = _errors(syndromes[bad])
        rows[bad] ^= change
        repaired[bad] = count
    messages = rows[:, :MESSAGE].reshape(*received.shape[:-1], MESSAGE)
    return messages, repaired.reshape(received.shape[:-1])


def _checked(symbols: ArrayLike, length: int) -> Symbols:
    found = np.asarray(symbols)
    if found.dtype.kind not in "iu" or found.ndim not in (1, 2) or found.shape[-1] != length:
        raise ValueError(f"expected whole symbols in rows of {length}, got {found.dtype} of shape {found.shape}")
    if found.size and (found.min() < 0 or found.max() > _ORDER):
        raise ValueError(f"symbols are 0 to {_ORDER}, got {found.min()} to {found.max()}")
    return found.astype(np.int64)


def _errors(syndromes: Symbols) -> tuple[Symbols, NDArray[np.int64]]:
    """Return what is to be added to words with these syndromes, and how many symbols that are (or `FAILED`)."""
    locator, length = _recurrence(syndromes)
    power, log = _powers()
    at = -np.arange(WORD - 1, -1, -1) % _ORDER  # logarithm of one over the place of each symbol
    wrong = _values(locator[:, None], at) == 0
    good = (length <= CORRECTABLE) & (wrong.sum(axis=1) == length)
    magnitude = np.zeros((len(syndromes), PARITY), np.int64)
    for i in range(CORRECTABLE + 1):
        magnitude[:, i:] ^= multiply(locator[:, i, None], syndromes[:, : PARITY - i])
    row, symbol = np.nonzero(wrong & good[:, None])
    slope = locator.copy()
    slope[:, ::2] = 0  # the formal derivative keeps odd powers, one lower
    above = _values(magnitude[row], at[symbol])
    below = _values(slope[row], at[symbol])  # x times the derivative: Forney's factor for a first root of 1 is in it
    good[row[(above == 0) | (below == 0)]] = False
    change = np.zeros((len(syndromes), WORD), np.int64)
    change[row, symbol] = power[(log[above] - log[below]) % _ORDER]
    good &= (_applied(change, "syndromes") == syndromes).all(axis=1)
    change[~good] = 0
    return change, np.where(good, length, FAILED)


def _recurrence(syndromes: Symbols) -> tuple[Symbols, NDArray[np.int64]]:
    """Return the locators (rows, the constant term first) and their lengths, without a division [3]_."""
    rows = len(syndromes)
    locator = np.zeros((rows, PARITY + 1), np.int64)
    locator[:, 0] = 1
    kept = locator.copy()
    length = np.zeros(rows, np.int64)
    scale = np.ones(rows, np.int64)
    for r in range(PARITY):
        terms = multiply(locator[:, : r + 1], syndromes[:, r::-1])
        wrong = np.bitwise_xor.reduce(terms, axis=1)
        shifted = np.zeros_like(kept)
        shifted[:, 1:] = kept[:, :-1]
        grows = (wrong != 0) & (2 * length <= r)
        kept = np.where(grows[:, None], locator, shifted)
        locator = multiply(scale[:, None], locator) ^ multiply(wrong[:, None], shifted)
        length = np.where(grows, r + 1 - length, length)
        scale = np.where(grows, wrong, scale)
    return locator[:, : CORRECTABLE + 1], np.where(locator[:, CORRECTABLE + 1 :].any(axis=1), PARITY, length)


def _values(polynomials: Symbols, at: NDArray[np.int64]) -> Symbols:
    """Return polynomials (the last axis their coefficients) at the elements whose logarithms are given."""
    power, _ = _powers()
    total = np.zeros(np.broadcast_shapes(polynomials.shape[:-1], at.shape), np.int64)
    for i in range(polynomials.shape[-1]):
        total ^= multiply(polynomials[..., i], power[at * i % _ORDER])
    return total
