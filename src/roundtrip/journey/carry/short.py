"""A short link of the datacenter: blocks of 257 bits in Reed-Solomon words, four levels of light, and back.

The order is that of 400 Gigabit Ethernet (IEEE 802.3, clause 119): line code, transcoding, scrambler, KP4, PAM4. Marks
that align lanes are left out: one lane. What is noise here is white, as strong as the receiver's ratio says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.stages.network import pcs
from roundtrip.stages.optics import modulation
from roundtrip.stages.optics import reed_solomon as rs

Bits = NDArray[np.uint8]
GROUPS = rs.MESSAGE_BITS // pcs.GROUP_BITS  # of 257 bits in a word: 20
BLOCKS = 4 * GROUPS


@dataclass(frozen=True, slots=True)
class Passed:
    """What came out of a short link.

    Attributes
    ----------
    frames : list of (bytes or None)
        In their order; None where a frame was damaged.
    levels : array, (symbols,)
        As received, in units of the root of the mean power.
    wrong_bits : int
        Before correction.
    repaired : array of int, (words,)
        Symbols that were repaired in each word; -1 where there were too many.
    """

    frames: list[bytes | None]
    levels: NDArray[np.float64]
    wrong_bits: int
    repaired: NDArray[np.int64]


def encode(frames: list[bytes]) -> Bits:
    """Return the bits of words, (words, 5440)."""
    blocks = pcs.blocks_of(frames)
    idle = np.tile(blocks[-1], (-len(blocks) % BLOCKS, 1))
    groups = pcs.transcode(np.concatenate([blocks, idle]))
    bits, _ = pcs.scramble(groups.ravel())
    return rs.to_bits(rs.encode(rs.to_symbols(bits).reshape(-1, rs.MESSAGE)))


def decode(words: Bits, corrected: bool = True) -> tuple[list[bytes], int, NDArray[np.int64]]:
    """Return frames, how many were damaged, and what was repaired in each word."""
    symbols = rs.to_symbols(words)
    if corrected:
        messages, repaired = rs.decode(symbols)
    else:
        messages, repaired = symbols[:, : rs.MESSAGE], np.zeros(len(symbols), np.int64)
    bits, _ = pcs.descramble(rs.to_bits(messages).ravel())
    groups = bits.reshape(-1, pcs.GROUP_BITS)
    blocks = pcs.untranscode(groups)
    # A word that could not be repaired is marked: its blocks are no longer taken for data.
    for word in np.flatnonzero(repaired == rs.FAILED):
        blocks[word * BLOCKS : (word + 1) * BLOCKS, :2] = 0
    frames, damaged = pcs.frames_of(blocks)
    return frames, damaged, repaired


def carry(frames: list[bytes], snr_dB: float, stream: np.random.Generator, corrected: bool = True) -> Passed:
    """Send frames over a link.

    Parameters
    ----------
    frames : list of bytes
    snr_dB : float
        Mean power over noise in a symbol [dB].
    stream : Generator
    corrected : bool
        Whether the receiver repairs words.
    """
    sent = encode(frames)
    light = modulation.map_bits(sent.ravel(), "pam4")
    got: Any = light + modulation.white_noise(light.shape, 10.0 ** (snr_dB / 10.0), stream, axes=1)
    bits = modulation.unmap(got, "pam4").reshape(sent.shape)
    out, _, repaired = decode(bits, corrected)
    whole = list(out)
    fates: list[bytes | None] = list(whole) if len(whole) == len(frames) else _matched(frames, whole)
    return Passed(fates, np.asarray(got.real, np.float64), int(np.count_nonzero(bits != sent)), repaired)


def _matched(frames: list[bytes], out: list[bytes]) -> list[bytes | None]:
    """Return each frame where it came out whole, None otherwise."""
    left = list(out)
    fates: list[bytes | None] = []
    for frame in frames:
        if frame in left:
            left.remove(frame)
            fates.append(frame)
        else:
            fates.append(None)
    return fates
