"""The line code: frames return, one wrong bit becomes three, and being out of step is noticed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import pcs

FRAMES = st.lists(st.binary(min_size=1, max_size=200), min_size=0, max_size=6)


def drawn(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2, count).astype(np.uint8)


@given(FRAMES)
def test_frames_return(frames: list[bytes]) -> None:
    line = pcs.encode(frames)
    assert pcs.decode(line) == (frames, 0)
    blocks = sum(1.0 + pcs.frame_blocks(float(len(frame))) for frame in frames) + 1.0
    assert len(line) == blocks * pcs.BLOCK_BITS


@given(FRAMES)
def test_groups_of_257_return(frames: list[bytes]) -> None:
    blocks = pcs.blocks_of(frames)
    blocks = np.concatenate([blocks, np.tile(blocks[-1], (-len(blocks) % 4, 1))])
    groups = pcs.transcode(blocks)
    assert groups.shape == (len(blocks) // 4, pcs.GROUP_BITS)
    assert (pcs.untranscode(groups) == blocks).all()


@given(st.integers(80, 400), st.integers(0, 10_000))
def test_the_descrambler_is_in_step_after_58_bits(count: int, seed: int) -> None:
    bits = drawn(count, seed)
    sent, _ = pcs.scramble(bits)
    assert (pcs.descramble(sent, drawn(58, seed + 1))[0][58:] == bits[58:]).all()


@pytest.mark.parametrize("at", [0, 1, 57, 100, 341])
def test_one_wrong_bit_becomes_three_at_0_39_and_58(at: int) -> None:
    bits = drawn(400, 3)
    sent, _ = pcs.scramble(bits)
    sent[at] ^= 1
    got, _ = pcs.descramble(sent)
    assert list(np.flatnonzero(got != bits)) == [at, at + 39, at + 58]


def test_the_scrambler_divides_by_its_polynomial() -> None:
    """The line times x^58 + x^39 + 1, modulo 2, is the data: the definition in clause 49."""
    bits = drawn(500, 5)
    sent, _ = pcs.scramble(bits, np.zeros(58, np.uint8))
    product = [sent[i] ^ (sent[i - 39] if i >= 39 else 0) ^ (sent[i - 58] if i >= 58 else 0) for i in range(500)]
    assert (product == bits).all()


def test_a_stream_in_two_parts_is_the_stream() -> None:
    bits = drawn(1_000, 7)
    whole, _ = pcs.scramble(bits)
    first, state = pcs.scramble(bits[:333])
    second, _ = pcs.scramble(bits[333:], state)
    assert (np.concatenate([first, second]) == whole).all()


def test_zeros_leave_balanced_and_with_short_runs() -> None:
    sent, _ = pcs.scramble(np.zeros(20_000, np.uint8))
    runs = np.diff(np.flatnonzero(np.diff(sent)))
    assert abs(sent[2_000:].mean() - 0.5) < 0.02
    assert runs[1_000:].max() < 66


@pytest.mark.parametrize("skipped", [0, 1, 17, 65, 66, 130])
def test_the_receiver_finds_the_blocks_and_is_in_step_before_the_first_frame(skipped: int) -> None:
    frames = [drawn(800, i).tobytes() for i in range(8)]
    line = pcs.encode([b"warm-up", *frames])[skipped:]
    got, _ = pcs.decode(line, pcs.lock(line))
    assert got[-len(frames) :] == frames


def test_what_has_no_blocks_is_named() -> None:
    with pytest.raises(ValueError, match="out of step"):
        pcs.lock(np.zeros(1_000, np.uint8))
    with pytest.raises(ValueError, match="out of step"):
        pcs.lock(np.zeros(10, np.uint8))
    with pytest.raises(ValueError, match="blocks of 66 bits"):
        pcs.frames_of(np.zeros((2, 65), np.uint8))


def test_a_damaged_frame_is_counted_and_the_next_one_lives() -> None:
    blocks = pcs.blocks_of([bytes(64), b"second" * 20])
    blocks[4, :2] = 1
    assert pcs.frames_of(blocks) == ([b"second" * 20], 1)
    assert pcs.frames_of(pcs.blocks_of([bytes(64)])[:5]) == ([], 1)
    twice = np.concatenate([pcs.blocks_of([bytes(64)])[:5], pcs.blocks_of([bytes(9)])])
    assert pcs.frames_of(twice) == ([bytes(9)], 1)


def test_a_group_that_no_transcoder_makes_is_damage() -> None:
    groups = pcs.transcode(pcs.blocks_of([bytes(48)])[:8])
    groups[0, 1:5] = 1  # control blocks are said to be there, and none is named
    assert (pcs.untranscode(groups)[:4, :2] == 0).all()


@given(st.integers(0, 100_000))
def test_mutated_lines_never_crash(seed: int) -> None:
    """What a wrong bit does to a frame is for its check sequence to see; the line code itself takes any bits."""
    stream = np.random.default_rng(seed)
    line = pcs.encode([stream.bytes(int(stream.integers(60, 90))) for _ in range(3)])
    line[stream.integers(0, len(line), int(stream.integers(1, 9)))] ^= 1
    got, damaged = pcs.decode(line[int(stream.integers(0, 3)) :])
    assert damaged >= 0
    assert all(len(frame) < len(line) for frame in got)
