"""The line code: frames become blocks of 66 bits, so that the receiver finds the beat, the blocks and the frames.

64b/66b puts two bits before 64: 01 before eight bytes of data, 10 before a block whose first byte says what it is: idle
(0x1E), the start of a frame (0x78) or its end with 0 to 7 bytes left [1]_. The 64 are scrambled with the polynomial
x^58 + x^39 + 1. The two bits always differ, so there is a change at least every 66 bits, and only at the true place do
they differ block after block. The descrambler needs no starting value: after 58 bits it is in step by itself; one wrong
bit on the line becomes three, 39 and 58 bits apart.

Before the Reed-Solomon code of faster links, four blocks become one of 257 bits: a bit that says whether all are data,
and if not, four bits that say which, for which the first control block gives up half of its type (the other half tells
it apart) [2]_. There the whole stream is scrambled after that. Alignment marks between lanes are left out: one lane.

References
----------
.. [1] IEEE Std 802.3-2022, clause 49, figure 49-7, https://standards.ieee.org/ieee/802.3/10422/
.. [2] IEEE Std 802.3-2022, clauses 91.5.2.5 and 119.2.4.2, https://standards.ieee.org/ieee/802.3/10422/
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (2002, "IEEE 802.3ae, 10 Gigabit Ethernet with 64b/66b")

Bits = NDArray[np.uint8]
BLOCK_BITS, GROUP_BITS = 66, 257
STATE_BITS, _NEAR = 58, 39
PREAMBLE = b"\x55" * 6 + b"\xd5"  # what follows the start of a frame
IDLE, START = 0x1E, 0x78
ENDS = (0x87, 0x99, 0xAA, 0xB4, 0xCC, 0xD2, 0xE1, 0xFF)  # by the bytes left
_TYPES = (IDLE, 0x2D, 0x33, 0x4B, 0x55, 0x66, START, *ENDS)
_BY_LOW_HALF = {kind & 15: kind for kind in _TYPES}


def frame_blocks(frame_B: Number) -> Number:
    """Return the blocks of a frame: its start with the preamble, its bytes by eight, its end with what is left [1]_.

    Parameters
    ----------
    frame_B : float
        Bytes from destination address to check sequence [B].
    """
    return 2.0 + np.floor(frame_B / 8.0)


def first_state() -> Bits:
    """Return a scrambler's state at the start: ones."""
    return np.ones(STATE_BITS, np.uint8)


def scramble(bits: Bits, state: Bits | None = None) -> tuple[Bits, Bits]:
    """Scramble bits with x^58 + x^39 + 1.

    Parameters
    ----------
    bits : array of 0 and 1, (n,)
    state : array of 0 and 1, (58,), optional
        The last 58 bits that were sent; `first_state` by default.

    Returns
    -------
    sent : array, (n,)
    state : array, (58,)
    """
    sent = np.concatenate([first_state() if state is None else state, bits.astype(np.uint8)])
    # What is fed back is 39 bits old at least: so many are made at once.
    for i in range(STATE_BITS, len(sent), _NEAR):
        end = min(i + _NEAR, len(sent))
        sent[i:end] ^= sent[i - _NEAR : end - _NEAR] ^ sent[i - STATE_BITS : end - STATE_BITS]
    return sent[STATE_BITS:], sent[-STATE_BITS:].copy()


def descramble(bits: Bits, state: Bits | None = None) -> tuple[Bits, Bits]:
    """Undo `scramble`; whatever the starting state, the bits are right from the 59th on."""
    line = np.concatenate([first_state() if state is None else state, bits.astype(np.uint8)])
    near = line[STATE_BITS - _NEAR : len(line) - _NEAR]
    return line[STATE_BITS:] ^ near ^ line[: len(line) - STATE_BITS], line[-STATE_BITS:].copy()


def blocks_of(frames: Sequence[bytes], idle_blocks: int = 1) -> Bits:
    """Return the blocks of frames, not scrambled, each frame after so many idle blocks, one more at the end.

    Parameters
    ----------
    frames : sequence of bytes
        Each from destination address to check sequence.
    idle_blocks : int
        Blocks of eight idle bytes before each frame, at least one: the gap is twelve bytes, the end's own included.

    Returns
    -------
    array of 0 and 1, (blocks, 66)
    """
    out: list[tuple[bool, bytes]] = []
    idle = (True, bytes([IDLE]) + bytes(7))
    for frame in frames:
        whole = len(frame) // 8 * 8
        left = frame[whole:]
        out += [idle] * idle_blocks
        out.append((True, bytes([START]) + PREAMBLE))
        out += [(False, frame[i : i + 8]) for i in range(0, whole, 8)]
        out.append((True, bytes([ENDS[len(left)]]) + left.ljust(7, b"\0")))
    out.append(idle)
    payload = np.frombuffer(b"".join(block for _, block in out), np.uint8).reshape(-1, 8)
    is_control = np.array([control for control, _ in out], np.uint8)
    bits = np.unpackbits(payload, axis=1, bitorder="little")
    return np.column_stack([is_control, 1 - is_control, bits])


def frames_of(blocks: Bits) -> tuple[list[bytes], int]:
    """Return the frames in blocks that are not scrambled, and how many were cut or damaged.

    A frame is damaged if a block in it has two equal leading bits, or is a control block that is no end. Its check
    sequence is not looked at: that is the next layer's.

    Parameters
    ----------
    blocks : array of 0 and 1, (blocks, 66)

    Raises
    ------
    ValueError
        If the bits are no whole blocks.
    """
    if blocks.ndim != 2 or blocks.shape[1] != BLOCK_BITS:
        raise ValueError(f"expected blocks of {BLOCK_BITS} bits, got an array of shape {blocks.shape}")
    head = blocks[:, 0] << 1 | blocks[:, 1]
    payload = np.packbits(blocks[:, 2:], axis=1, bitorder="little")
    frames: list[bytes] = []
    damaged = 0
    under_way: bytearray | None = None
    for kind, block in zip(head.tolist(), payload, strict=True):
        data = block.tobytes()
        if kind == 0b01:
            if under_way is not None:
                under_way += data
        elif kind == 0b10 and data[0] == START:
            damaged += under_way is not None
            under_way = bytearray()
        elif kind == 0b10 and data[0] in ENDS and under_way is not None:
            frames.append(bytes(under_way + data[1 : 1 + ENDS.index(data[0])]))
            under_way = None
        elif under_way is not None:
            damaged += 1
            under_way = None
    return frames, damaged + (under_way is not None)


def encode(frames: Sequence[bytes]) -> Bits:
    """Return the line bits of frames: blocks whose 64 bits are scrambled."""
    blocks = blocks_of(frames)
    blocks[:, 2:] = scramble(blocks[:, 2:].ravel())[0].reshape(-1, 64)
    return blocks.ravel()


def lock(line: Bits, looked_at: int = 64) -> int:
    """Return where the first block begins: the offset at which the two leading bits differ, block after block.

    Raises
    ------
    ValueError
        If there is no such offset in the blocks looked at, or there are fewer than two blocks.
    """
    for offset in range(BLOCK_BITS):
        blocks = min((len(line) - offset) // BLOCK_BITS, looked_at)
        heads = line[offset : offset + blocks * BLOCK_BITS].reshape(-1, BLOCK_BITS)[:, :2]
        if blocks >= 2 and (heads[:, 0] != heads[:, 1]).all():
            return offset
    raise ValueError(f"no two bits of {len(line)} differ block after block: out of step")


def decode(line: Bits, offset: int = 0) -> tuple[list[bytes], int]:
    """Return the frames in line bits, and how many were damaged; see `frames_of`.

    Parameters
    ----------
    line : array of 0 and 1
    offset : int
        Where the first block begins (see `lock`). What comes before is skipped, a block that is cut at the end too.
    """
    count = (len(line) - offset) // BLOCK_BITS
    blocks = line[offset : offset + count * BLOCK_BITS].reshape(-1, BLOCK_BITS).copy()
    state = first_state() if offset == 0 else np.zeros(STATE_BITS, np.uint8)
    blocks[:, 2:] = descramble(blocks[:, 2:].ravel(), state)[0].reshape(-1, 64)
    return frames_of(blocks)


def transcode(blocks: Bits) -> Bits:
    """Return four blocks after the other as groups of 257 bits [2]_.

    Parameters
    ----------
    blocks : array of 0 and 1, (4 n, 66)

    Returns
    -------
    array, (n, 257)
    """
    fours = blocks.reshape(-1, 4, BLOCK_BITS)
    is_data = fours[:, :, 1]
    first = np.argmin(is_data, axis=1)  # of the control blocks
    groups = np.empty((len(fours), GROUP_BITS), np.uint8)
    payload = fours[:, :, 2:].reshape(-1, 256)
    groups[:, 0] = is_data.all(axis=1)
    groups[:, 1:] = payload
    for i in np.flatnonzero(groups[:, 0] == 0):
        groups[i, 1:5] = is_data[i]
        groups[i, 5:] = np.delete(payload[i], np.arange(4) + 64 * first[i] + 4)
    return groups


def untranscode(groups: Bits) -> Bits:
    """Undo `transcode`; what no transcoder makes becomes blocks with two equal leading bits."""
    blocks = np.zeros((len(groups), 4, BLOCK_BITS), np.uint8)
    blocks[:, :, 1] = 1
    blocks[:, :, 2:] = groups[:, 1:].reshape(-1, 4, 64)
    for i in np.flatnonzero(groups[:, 0] == 0):
        is_data = groups[i, 1:5]
        at = 64 * int(np.argmin(is_data))
        kind = _BY_LOW_HALF.get(int(np.dot(groups[i, 5 + at : 9 + at], 1 << np.arange(4))), 0)
        high = np.array([kind >> k & 1 for k in range(4, 8)], np.uint8)
        is_sound = kind != 0 and not is_data.all()
        blocks[i, :, 0], blocks[i, :, 1] = (1 - is_data, is_data) if is_sound else (0, 0)
        blocks[i, :, 2:] = np.insert(groups[i, 5:], at + 4, high).reshape(4, 64)
    return blocks.reshape(-1, BLOCK_BITS)
