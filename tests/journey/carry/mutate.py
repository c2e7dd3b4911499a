"""Inputs that something has damaged: the mutations with which decoders are tried."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator, Sequence

from roundtrip.errors import RoundtripError

FULL = os.environ.get("ROUNDTRIP_FULL") == "1"
COUNT = 100_000 if FULL else 10_000
LONGEST = 300  # of an error's line


def flipped(data: bytes, stream: random.Random, bits: int) -> bytes:
    """Return bytes with so many different bits turned over."""
    out = bytearray(data)
    for place in stream.sample(range(8 * len(data)), bits):
        out[place >> 3] ^= 1 << (place & 7)
    return bytes(out)


def burst(data: bytes, stream: random.Random, longest: int) -> bytes:
    """Return bytes with a burst of wrong bits: the first and the last of it are wrong, those between as they fall.

    Bits are counted from the highest of each byte, as the Internet checksum and its proof count them.
    """
    return _burst(data, stream, longest, "big")


def burst_low_first(data: bytes, stream: random.Random, longest: int) -> bytes:
    """Return the same where the lowest bit of each byte is the first on the line: USB, Ethernet, Bluetooth."""
    return _burst(data, stream, longest, "little")


def _burst(data: bytes, stream: random.Random, longest: int, order: str) -> bytes:
    length = stream.randint(1, min(longest, 8 * len(data)))
    pattern = stream.getrandbits(length) | 1 | 1 << (length - 1)
    if order == "little":
        whole = int.from_bytes(data, "little") ^ pattern << stream.randint(0, 8 * len(data) - length)
        return whole.to_bytes(len(data), "little")
    whole = int.from_bytes(data, "big") ^ pattern << stream.randint(0, 8 * len(data) - length)
    return whole.to_bytes(len(data), "big")


def anyhow(data: bytes, stream: random.Random) -> bytes:
    """Return bytes after one to three mutations of any kind: turned over, replaced, cut, repeated, filled, moved."""
    out = bytearray(data)
    for _ in range(stream.randint(1, 3)):
        kind, size = stream.randrange(9), len(out)
        place = stream.randrange(size + 1)
        end = min(size, place + stream.randrange(1, 9))
        if kind == 0 and place < size:
            out[place] ^= 1 << stream.randrange(8)
        elif kind == 1 and place < size:
            out[place] = stream.choice((0, 1, 0x7F, 0x80, 0xFF, stream.randrange(256)))
        elif kind == 2:
            del out[place:]
        elif kind == 3:
            del out[place:end]
        elif kind == 4:
            out[place:place] = stream.randbytes(stream.randrange(1, 9))
        elif kind == 5:
            out[place:place] = out[place:end] * stream.randrange(1, 4)
        elif kind == 6:
            out[place:end] = bytes([stream.choice((0, 0xFF))]) * (end - place)
        elif kind == 7:
            out += stream.randbytes(stream.randrange(1, 9))
        else:
            out[place:end] = out[stream.randrange(size + 1) :][: end - place]
    return bytes(out)


def inputs(samples: Sequence[bytes], seed: int, count: int = COUNT) -> Iterator[bytes]:
    """Yield mutated samples, now and then bytes of chance or none."""
    stream = random.Random(seed)
    for number in range(count):
        if number % 50 == 0:
            yield stream.randbytes(stream.randrange(64))
        else:
            yield anyhow(samples[number % len(samples)], stream)


def refused(decode: Callable[[], object]) -> bool:
    """Return whether a decoder refuses with the house's error or a `ValueError` of one clear line.

    Whatever else it raises is raised on: a crash.
    """
    try:
        decode()
    except (ValueError, RoundtripError) as error:
        text = str(error)
        assert 0 < len(text) <= LONGEST, repr(text)
        assert "\n" not in text, repr(text)
        return True
    return False
