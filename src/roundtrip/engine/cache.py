"""The KV cache: what the attention of every layer keeps of every token, so that no token is computed twice.

A :class:`Cache` belongs to one sequence and lies contiguous in memory, which is what matrix multiplication wants. It
is counted in pages of 16 positions; a :class:`Pool` bounds the pages of all sequences together.
"""

from __future__ import annotations

import contextlib
import json
import os
import struct
import threading
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import ModelError, OutputError

Floats = NDArray[np.float32]

PAGE = 16
"""Positions in a page."""
MAGIC = b"RTKV1\n"


class CacheFull(ModelError):  # noqa: N818
    """A sequence would outgrow its limit, or all sequences together their pool."""


class Pool:
    """A bound on the pages of all caches that share it.

    Parameters
    ----------
    pages
        How many pages of 16 positions there are.
    """

    def __init__(self, pages: int) -> None:
        if pages < 1:
            raise ModelError(f"a pool of {pages} pages: at least one is needed")
        self.pages = pages
        self._taken = 0
        self._lock = threading.Lock()

    @property
    def free(self) -> int:
        """How many pages nobody holds."""
        return self.pages - self._taken

    def take(self, pages: int) -> None:
        """Take pages, all or none."""
        with self._lock:
            if pages > self.free:
                raise CacheFull(f"the cache has {self.free} of {self.pages} pages free; {pages} are needed")
            self._taken += pages

    def give(self, pages: int) -> None:
        """Give pages back."""
        with self._lock:
            self._taken -= pages


@dataclass(frozen=True)
class Layout:
    """What a position takes: `layers` x 2 x `kv_heads` x `head_width` numbers of 4 bytes; `weights` names the model."""

    layers: int
    kv_heads: int
    head_width: int
    weights: str = ""

    @property
    def position_B(self) -> int:
        """Bytes that one token leaves in the cache."""
        return self.layers * 2 * self.kv_heads * self.head_width * 4


class Cache:
    """Keys and values of one sequence: `keys` and `values` are (layers, kv_heads, capacity, head_width), float32.

    Parameters
    ----------
    layout
        What one position takes.
    limit
        The most positions that it may hold.
    pool
        The bound that it shares with other sequences; without one, only `limit` bounds it.
    """

    def __init__(self, layout: Layout, limit: int, pool: Pool | None = None) -> None:
        if limit < 1:
            raise ModelError(f"a cache of {limit} positions: at least one is needed")
        self.layout = layout
        self.limit = limit
        self.length = 0
        self._pool = pool
        self._closed = False
        self.pages = 0
        self.keys, self.values = self._storage(0)

    def _storage(self, capacity: int) -> tuple[Floats, Floats]:
        shape = (self.layout.layers, self.layout.kv_heads, capacity, self.layout.head_width)
        return np.empty(shape, np.float32), np.empty(shape, np.float32)

    @property
    def capacity(self) -> int:
        """Positions that its pages have room for."""
        return self.pages * PAGE

    @property
    def bytes_B(self) -> int:
        """Bytes of the pages that it holds."""
        return self.capacity * self.layout.position_B

    @property
    def used_B(self) -> int:
        """Bytes of the positions that are filled."""
        return self.length * self.layout.position_B

    def reserve(self, positions: int) -> None:
        """Make room for so many positions in all.

        It grows by half of what it holds at least, if the pool has so much, so that a growing answer is seldom copied.

        Raises
        ------
        CacheFull
            The limit or the pool is too small. Nothing has changed then.
        """
        if self._closed:
            raise ModelError("this cache has been closed")
        if positions > self.limit:
            raise CacheFull(f"{positions} positions: this sequence has room for {self.limit}")
        needed = -(-positions // PAGE) - self.pages
        if needed <= 0:
            return
        more = min(max(needed, self.pages // 2), -(-self.limit // PAGE) - self.pages)
        if self._pool is not None:
            try:
                self._pool.take(more)
            except CacheFull:
                more = needed
                self._pool.take(more)
        self.pages += more
        keys, values = self._storage(self.capacity)
        keys[:, :, : self.length] = self.keys[:, :, : self.length]
        values[:, :, : self.length] = self.values[:, :, : self.length]
        self.keys, self.values = keys, values

    def truncate(self, length: int) -> None:
        """Forget all positions from `length` on; the pages stay."""
        if not 0 <= length <= self.length:
            raise ModelError(f"a cache of {self.length} positions cannot be cut to {length}")
        self.length = length

    def copy_prefix(self, other: Cache, length: int) -> None:
        """Take over the first `length` positions of another sequence of the same model, in place of all there was."""
        if other.layout != self.layout:
            raise ModelError("the two caches are of different models")
        if not 0 <= length <= other.length:
            raise ModelError(f"a cache of {other.length} positions has no prefix of {length}")
        self.reserve(length)
        self.keys[:, :, :length] = other.keys[:, :, :length]
        self.values[:, :, :length] = other.values[:, :, :length]
        self.length = length

    def close(self) -> None:
        """Give the pages back; may be called twice."""
        if self._closed:
            return
        self._closed = True
        if self._pool is not None:
            self._pool.give(self.pages)
        self.pages = self.length = 0
        self.keys, self.values = self._storage(0)

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def to_bytes(self) -> bytes:
        """Return the filled positions with a head that says what they are and a checksum."""
        body = b"".join(part[:, :, : self.length].tobytes() for part in (self.keys, self.values))
        layout = self.layout
        head = json.dumps(
            {
                "layers": layout.layers,
                "kv_heads": layout.kv_heads,
                "head_width": layout.head_width,
                "weights": layout.weights,
                "length": self.length,
                "crc32": zlib.crc32(body),
            }
        ).encode()
        return MAGIC + struct.pack("<I", len(head)) + head + body

    def restore(self, saved: bytes, origin: str = "the saved cache") -> None:
        """Take over what :meth:`to_bytes` gave, bit for bit, in place of all there was."""
        try:
            if saved[: len(MAGIC)] != MAGIC:
                raise ValueError("it does not begin like one")
            (size,) = struct.unpack_from("<I", saved, len(MAGIC))
            start = len(MAGIC) + 4 + size
            head = json.loads(saved[len(MAGIC) + 4 : start])
            length = int(head["length"])
            stored = Layout(int(head["layers"]), int(head["kv_heads"]), int(head["head_width"]), str(head["weights"]))
            crc = int(head["crc32"])
        except (ValueError, KeyError, TypeError, struct.error) as error:
            raise ModelError(f"{origin}: not a saved cache ({error})") from error
        if stored != self.layout:
            raise ModelError(
                f"{origin}: it is of another model ({stored.layers} layers, weights {stored.weights[:12]!r})"
            )
        body = saved[start:]
        if length < 0 or len(body) != length * self.layout.position_B or zlib.crc32(body) != crc:
            raise ModelError(f"{origin}: damaged or cut short ({len(saved):,} bytes)")
        self.reserve(length)
        both = np.frombuffer(body, np.float32).reshape(2, self.layout.layers, self.layout.kv_heads, length, -1)
        self.keys[:, :, :length], self.values[:, :, :length] = both
        self.length = length

    def save(self, path: Path) -> None:
        """Write the filled positions to a file, whole or not at all."""
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            draft.write_bytes(self.to_bytes())
            os.replace(draft, path)
        except OSError as error:
            with contextlib.suppress(OSError):
                draft.unlink()
            raise OutputError(f"{path}: cannot be written: {error.strerror or error}") from error

    def load(self, path: Path) -> None:
        """Read what :meth:`save` wrote."""
        try:
            saved = path.read_bytes()
        except OSError as error:
            raise ModelError(f"{path}: {error.strerror or error}") from error
        self.restore(saved, str(path))
