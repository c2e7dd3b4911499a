"""The receiver's signal processor: from four currents back to bits, by algebra alone.

In order: the dispersion of the whole way is undone in one go; the root of the raised cosine keeps the band; a training
pattern that both sides know is found; a filter of a few taps between the two polarizations, solved by least squares on
that pattern, undoes the turns and delays of the glass; a known symbol every so often tells the phase of the lasers, and
between those the phase is the one of several that brings the symbols nearest to points of the alphabet (blind phase
search [2]_); then the nearest point is taken. The training is solved with noise in it, which costs a little:
``1 + n / N`` in noise for n taps and N known symbols.

References
----------
.. [1] S. J. Savory, "Digital coherent optical receivers: algorithms and subsystems", IEEE J. Sel. Top. Quantum
   Electron. 16, 1164, 2010, doi:10.1109/JSTQE.2010.2044751
.. [2] T. Pfau, S. Hoffmann and R. Noé, "Hardware-efficient coherent digital receiver concept with feedforward carrier
   recovery for M-QAM constellations", J. Lightwave Technol. 27, 989, 2009, doi:10.1109/JLT.2008.2010511
.. [3] ITU-T O.150, digital test patterns: pseudo-random sequences, https://www.itu.int/rec/T-REC-O.150
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (2009, "T. Pfau, S. Hoffmann and R. Noé, feedforward carrier recovery for M-QAM constellations")

Bits = NDArray[np.uint8]
Complex = NDArray[np.complexfloating[Any, Any]]
TRAINING, SPACING = 1024, 32  # known symbols at the start; then one in so many
TAPS = 7  # half a symbol apart
_LOUDEST = 1e30  # times the signal's own unit: squares and their sums stay finite
_PHASES, _WINDOW = 20, 40  # of the blind search: candidates, symbols to each side


@dataclass(frozen=True, slots=True)
class Received:
    """What came out of the processor.

    Attributes
    ----------
    symbols : array of complex, (2, n)
        Of the data, ready to be decided.
    phase_rad : array, (n,)
        Phase that was taken off each.
    start : int
        Half symbols before the training pattern.
    match : float
        How well the pattern was found, 0 to 1.
    """

    symbols: Complex
    phase_rad: NDArray[np.float64]
    start: int
    match: float


def training_penalty_dB(taps: Number, training_symbols: Number) -> Number:
    """Return the noise that a filter solved on a noisy pattern adds, ``10 log10(1 + n / N)`` [dB].

    Parameters
    ----------
    taps : float
        Coefficients that are solved for one output.
    training_symbols : float
        Known symbols.
    """
    return 10.0 * np.log10(1.0 + taps / np.maximum(training_symbols, 1.0))


def known_share(training_symbols: Number, data_symbols: Number, pilot_spacing: Number) -> Number:
    """Return the share of a burst's symbols that the receiver knows beforehand.

    Parameters
    ----------
    training_symbols, data_symbols : float
        Symbols of the training pattern, and of the data.
    pilot_spacing : float
        Symbols from one known symbol in the data to the next.
    """
    pilots = data_symbols / (pilot_spacing - 1.0)
    return (training_symbols + pilots) / (training_symbols + pilots + data_symbols)


def known(count: int, seed: int) -> Complex:
    """Return known symbols of both polarizations: four points, from a pseudo-random sequence of order 15 [3]_."""
    state = seed & 0x7FFF or 1
    bits = np.empty(4 * count, np.int64)
    for i in range(4 * count):
        bit = state >> 14 ^ state >> 13 & 1
        state = (state << 1 | bit & 1) & 0x7FFF
        bits[i] = bit & 1
    points = (1 - 2 * bits.reshape(2, count, 2)) / np.sqrt(2.0)
    return points[..., 0] + 1j * points[..., 1]


def burst(data: Complex) -> Complex:
    """Return the symbols of a burst: the training pattern, then a known symbol before every `SPACING` - 1 of data.

    Parameters
    ----------
    data : array of complex, (2, n)
    """
    groups = -(-data.shape[1] // (SPACING - 1))
    filled = np.zeros((2, groups, SPACING), np.complex128)
    padded = np.pad(data, ((0, 0), (0, groups * (SPACING - 1) - data.shape[1])))
    filled[:, :, 1:] = padded.reshape(2, groups, SPACING - 1)
    filled[:, :, 0] = known(groups, 77)
    end = groups * SPACING - (groups * (SPACING - 1) - data.shape[1])
    return np.concatenate([known(TRAINING, 1), filled.reshape(2, -1)[:, :end]], axis=1)


def receive(wave: Complex, data_symbols: int, points: Complex) -> Received:
    """Return the data of a burst, at two samples a symbol, dispersion undone and band limited.

    Parameters
    ----------
    wave : array of complex, (2, samples)
    data_symbols : int
        Symbols of data in each polarization.
    points : array of complex
        The alphabet.

    Raises
    ------
    ValueError
        If the wave is not one of two polarizations long enough for the burst, or a sample is no sensible number.
    """
    least = 2 * (TRAINING + data_symbols)
    if wave.ndim != 2 or wave.shape[0] != 2 or wave.shape[1] < least or data_symbols < 1:
        raise ValueError(f"expected a wave of two rows of {least} samples or more, got an array of shape {wave.shape}")
    size = float(np.max(np.abs(wave))) if np.isfinite(wave).all() else np.inf
    if size > _LOUDEST:
        raise ValueError("a sample of the wave is not finite, or far too large")
    pattern = known(TRAINING, 1)
    groups = -(-data_symbols // (SPACING - 1))
    start, match = find(wave, pattern)
    rows = neighborhoods(wave, start, TRAINING + data_symbols + groups)
    filters = trained(rows[:TRAINING], pattern)
    rows = rows[TRAINING:]
    symbols = (rows @ filters).T
    phase = pilot_phase(symbols, known(groups, 77))
    phase = phase + blind_phase(symbols * np.exp(-1j * phase), points)
    # What is decided is known too, nearly all of it: the filters are solved once more on a far longer pattern.
    decided = nearest(symbols * np.exp(-1j * phase), points)
    symbols = (rows @ solved(rows, (decided * np.exp(1j * phase)).T)).T
    is_data = np.arange(symbols.shape[1]) % SPACING != 0
    straight = symbols * np.exp(-1j * phase)
    return Received(straight[:, is_data][:, :data_symbols], phase[is_data][:data_symbols], start, match)


def find(wave: Complex, pattern: Complex) -> tuple[int, float]:
    """Return where the pattern begins, in samples, and how well it fits there.

    Pieces of the pattern are compared, whose lengths are short against the wandering of the lasers. The polarizations
    may be turned: each is compared with both.
    """
    length, piece = wave.shape[1], TRAINING // 4
    spectrum = np.fft.fft(wave)
    total = np.zeros(length)
    for i in range(0, pattern.shape[1], piece):
        up = np.zeros((2, length), np.complex128)
        up[:, : 2 * piece : 2] = pattern[:, i : i + piece]
        like = np.fft.fft(up).conj()
        for row in spectrum:
            for other in like:
                total += np.roll(np.abs(np.fft.ifft(row * other)) ** 2, -2 * i)
    start = int(np.argmax(total))
    got = wave[:, (start + np.arange(0, 2 * pattern.shape[1], 2)) % length]
    there = float(np.sum(np.abs(got) ** 2)) * piece
    return start, float(min(total[start] / max(there, 1e-300), 1.0))


def neighborhoods(wave: Complex, start: int, count: int) -> Complex:
    """Return what the filter sees for each symbol: `TAPS` samples of both polarizations, (count, 2 TAPS)."""
    half = TAPS // 2
    at = (start + 2 * np.arange(count)[:, None] + np.arange(-half, half + 1)[None, :]) % wave.shape[1]
    return np.concatenate([wave[0][at], wave[1][at]], axis=1)


def solved(rows: Complex, wanted: Complex) -> Complex:
    """Return the filters, (2 TAPS, 2), that bring neighborhoods nearest to what is wanted, (count, 2)."""
    square = rows.conj().T @ rows
    square += np.eye(len(square)) * (1e-9 * np.trace(square).real / len(square) + 1e-300)
    return np.linalg.solve(square, rows.conj().T @ wanted)


def trained(rows: Complex, pattern: Complex) -> Complex:
    """Return the filters that fit the training pattern; the lasers wander during it, so its phase is tracked."""
    wanted = pattern.T
    filters = solved(rows, wanted)
    for _ in range(2):
        walk = _smooth(np.sum(rows @ filters * pattern.T.conj(), axis=1), 2 * _WINDOW)
        filters = solved(rows, wanted * np.exp(1j * np.unwrap(np.angle(walk)))[:, None])
    return filters


def _smooth(values: Complex, side: int) -> Complex:
    """Return means over so many neighbors to each side; fewer at the ends."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    place = np.arange(len(values))
    return total[np.minimum(place + side + 1, len(values))] - total[np.maximum(place - side, 0)]


def pilot_phase(symbols: Complex, pilots: Complex) -> NDArray[np.float64]:
    """Return the phase of each symbol, from the known ones, five at a time, straight lines between [rad]."""
    place = np.arange(0, symbols.shape[1], SPACING)
    seen = _smooth(np.sum(symbols[:, place] * pilots.conj(), axis=0), 2)
    return np.interp(np.arange(symbols.shape[1]), place, np.unwrap(np.angle(seen)))


def blind_phase(symbols: Complex, points: Complex) -> NDArray[np.float64]:
    """Return the phase, within an eighth of a turn, that brings symbols and their neighbors nearest to points [rad]."""
    trial = (np.arange(_PHASES) / _PHASES - 0.5) * np.pi / 2.0
    far = np.empty((_PHASES, symbols.shape[1]))
    for i, angle in enumerate(trial):
        turned = symbols * np.exp(-1j * angle)
        far[i] = np.sum(np.abs(turned - nearest(turned, points)) ** 2, axis=0)
    total = np.stack([_smooth(row.astype(np.complex128), _WINDOW).real for row in far])
    near = np.argmin(total, axis=0)
    place = np.arange(symbols.shape[1])
    before, at, after = total[near - 1, place], total[near, place], total[(near + 1) % _PHASES, place]
    bend = np.maximum(before + after - 2.0 * at, 1e-300)
    return trial[near] + 0.5 * (before - after) / bend * (trial[1] - trial[0])  # the lowest point of a parabola


def nearest(symbols: Complex, points: Complex) -> Complex:
    """Return the points of a square alphabet that are nearest to symbols."""
    levels = np.unique(np.round(points.real, 12))
    low, step = levels[0], levels[1] - levels[0]
    real = np.clip(np.round((symbols.real - low) / step), 0, len(levels) - 1)
    imag = np.clip(np.round((symbols.imag - low) / step), 0, len(levels) - 1)
    return low * (1.0 + 1.0j) + step * (real + 1j * imag)
