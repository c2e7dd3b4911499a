"""GGUF: the file that a model's weights come in, read by memory map.

A file holds a head (magic, version, two counts), metadata as pairs of name and value, one line a tensor (name, shape,
kind, place), and the tensors themselves. Weights are mostly quantized: 32 of them share a scale (and an offset), each
being 4 or 8 bits.

Nothing in the file is believed before it is checked against the file's own size, so a cut or damaged file is named,
not run.

References
----------
.. [1] ggml-org, GGUF specification, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import math
import mmap
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import ModelError

Floats = NDArray[np.float32]

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
DEEPEST = 4  # arrays within arrays
MOST_AXES = 4


@dataclass(frozen=True)
class Kind:
    """How the numbers of a tensor are stored: `values` of them in `size_B` bytes."""

    name: str
    values: int
    size_B: int


KINDS = {
    0: Kind("F32", 1, 4),
    1: Kind("F16", 1, 2),
    2: Kind("Q4_0", 32, 18),
    3: Kind("Q4_1", 32, 20),
    8: Kind("Q8_0", 32, 34),
}
# Kinds that exist and are not read here, so that a message can name them.
OTHER_KINDS = {
    6: "Q5_0", 7: "Q5_1", 9: "Q8_1", 10: "Q2_K", 11: "Q3_K", 12: "Q4_K", 13: "Q5_K", 14: "Q6_K", 15: "Q8_K", 16: "IQ2_XXS",  # noqa: E501
    17: "IQ2_XS", 18: "IQ3_XXS", 19: "IQ1_S", 20: "IQ4_NL", 21: "IQ3_S", 22: "IQ2_S", 23: "IQ4_XS", 24: "I8", 25: "I16",
    26: "I32", 27: "I64", 28: "F64", 29: "IQ1_M", 30: "BF16", 34: "TQ1_0", 35: "TQ2_0", 39: "MXFP4",
}  # fmt: skip


@dataclass(frozen=True)
class Tensor:
    """One line of the file's table: `shape` is (rows, columns), a row being contiguous in the file."""

    name: str
    shape: tuple[int, ...]
    kind: Kind
    offset_B: int
    size_B: int


class GGUF:
    """An open file: `metadata` by name, `tensors` by name, and their numbers on demand.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    ModelError
        It cannot be opened, is no GGUF file, is cut or damaged, or holds a kind of number that is not read here.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as handle:
                self._bytes = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # ValueError: an empty file has nothing to map
            reason = error.strerror if isinstance(error, OSError) else "the file is empty"
            raise ModelError(f"{path}: {reason}") from error
        self.size_B = len(self._bytes)
        self._at = 0
        if self._take(4, "the magic") != b"GGUF":
            raise ModelError(f"{path}: not a GGUF file (it does not begin with 'GGUF')")
        self.version: int = self._number("I", "the version")
        if self.version not in {2, 3}:
            raise ModelError(f"{path}: GGUF version {self.version}; versions 2 and 3 are read here")
        tensors = self._count("Q", "the number of tensors", 8 + 4 + 4 + 8)
        pairs = self._count("Q", "the number of metadata pairs", 8 + 4 + 1)
        self.metadata: dict[str, Any] = {}
        for _ in range(pairs):
            name = self._string("a metadata name")
            self.metadata[name] = self._value(self._number("I", f"the type of {name!r}"), name, 0)
        self.tensors = self._table(tensors)

    def _damaged(self, what: str) -> ModelError:
        return ModelError(f"{self.path}: {what}; the file is damaged or cut short ({self.size_B:,} bytes)")

    def _take(self, size_B: int, what: str) -> bytes:
        if size_B > self.size_B - self._at:
            raise self._damaged(f"{what} at byte {self._at:,} reaches past the end")
        self._at += size_B
        return self._bytes[self._at - size_B : self._at]

    def _number(self, form: str, what: str) -> Any:
        return struct.unpack("<" + form, self._take(struct.calcsize("<" + form), what))[0]

    def _count(self, form: str, what: str, least_B: int) -> int:
        """Return a count of things that take at least `least_B` bytes each, if there is room for so many."""
        count: int = self._number(form, what)
        if count * least_B > self.size_B - self._at:
            raise self._damaged(f"{what} is {count:,}, more than fit into the file")
        return count

    def _string(self, what: str) -> str:
        raw = self._take(self._number("Q", f"the length of {what}"), what)
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._damaged(f"{what} before byte {self._at:,} is no UTF-8") from error

    def _value(self, kind: int, name: str, depth: int) -> Any:
        if kind in SCALARS:
            return self._number(SCALARS[kind], f"the value of {name!r}")
        if kind == STRING:
            return self._string(f"the value of {name!r}")
        if kind != ARRAY or depth == DEEPEST:
            raise self._damaged(f"{name!r} has type {kind}, which there is not")
        kind = self._number("I", f"the type of {name!r}")
        if kind in SCALARS:
            width_B = struct.calcsize("<" + SCALARS[kind])
            count = self._count("Q", f"the length of {name!r}", width_B)
            return list(struct.unpack(f"<{count}{SCALARS[kind]}", self._take(count * width_B, f"{name!r}")))
        count = self._count("Q", f"the length of {name!r}", 8)
        return [self._value(kind, name, depth + 1) for _ in range(count)]

    def _table(self, count: int) -> dict[str, Tensor]:
        rows: list[tuple[str, tuple[int, ...], Kind, int]] = []
        for _ in range(count):
            name = self._string("a tensor's name")
            axes: int = self._number("I", f"the number of axes of {name!r}")
            if not 1 <= axes <= MOST_AXES:
                raise self._damaged(f"tensor {name!r} has {axes} axes")
            shape = tuple(reversed([self._number("Q", f"the shape of {name!r}") for _ in range(axes)]))
            number: int = self._number("I", f"the kind of {name!r}")
            if number not in KINDS:
                if number not in OTHER_KINDS:
                    raise self._damaged(f"tensor {name!r} has kind {number}, which there is not")
                known = ", ".join(kind.name for kind in KINDS.values())
                raise ModelError(
                    f"{self.path}: tensor {name!r} is stored as {OTHER_KINDS[number]}; this engine reads {known}"
                )
            kind = KINDS[number]
            if 0 in shape or shape[-1] % kind.values:
                raise self._damaged(f"tensor {name!r} has shape {shape}, which {kind.name} cannot have")
            rows.append((name, shape, kind, self._number("Q", f"the place of {name!r}")))
        alignment = self.metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
            raise self._damaged(f"'general.alignment' is {alignment!r}, not a power of two")
        start = -(-self._at // alignment) * alignment
        tensors: dict[str, Tensor] = {}
        for name, shape, kind, offset in rows:
            size_B = math.prod(shape) // kind.values * kind.size_B
            if start + offset + size_B > self.size_B:
                raise self._damaged(f"tensor {name!r} would end at byte {start + offset + size_B:,}")
            if name in tensors:
                raise self._damaged(f"tensor {name!r} stands twice in the table")
            tensors[name] = Tensor(name, shape, kind, start + offset, size_B)
        return tensors

    def blocks(self, name: str) -> NDArray[np.uint8]:
        """Return the stored bytes of a tensor, one row a block, without a copy: (rows, blocks in a row, bytes)."""
        tensor = self.tensors.get(name)
        if tensor is None:
            raise ModelError(f"{self.path}: there is no tensor {name!r}")
        raw = np.frombuffer(self._bytes, np.uint8, tensor.size_B, tensor.offset_B)
        return raw.reshape(*tensor.shape[:-1], -1, tensor.kind.size_B)

    def array(self, name: str, rows: Sequence[int] | NDArray[np.intp] | slice = slice(None)) -> Floats:
        """Return a tensor, or some of its rows, as float32 in the shape of the file: (rows, columns)."""
        blocks = self.blocks(name)
        if isinstance(rows, slice):
            blocks = blocks[rows]
        else:
            blocks = blocks[np.asarray(rows, dtype=np.intp)]
        tensor = self.tensors[name]
        return _numbers(tensor.kind.name, blocks).reshape(*blocks.shape[:-2], tensor.shape[-1])

    def transposed(self, name: str, out: Floats | None = None) -> Floats:
        """Return a matrix as float32, turned: (columns, rows), into `out` if that is given.

        The stored bytes are turned first, because they are four to eight times smaller than the numbers in them; then
        the scales are multiplied in along the long, contiguous axis.
        """
        tensor = self.tensors.get(name)
        if tensor is None:
            raise ModelError(f"{self.path}: there is no tensor {name!r}")
        rows, columns = tensor.shape
        if out is None:
            out = np.empty((columns, rows), np.float32)
        if tensor.kind.values == 1:
            out[:] = _numbers(tensor.kind.name, self.blocks(name)).reshape(rows, columns).T
            return out
        blocks = self.blocks(name)  # (rows, blocks, bytes)
        head = {"Q4_0": 2, "Q4_1": 4, "Q8_0": 2}[tensor.kind.name]
        scales = np.ascontiguousarray(blocks[..., :head]).view(np.float16).astype(np.float32)  # (rows, blocks, 1 or 2)
        scales = np.ascontiguousarray(scales.transpose(1, 2, 0))  # (blocks, 1 or 2, rows)
        if not np.isfinite(scales).all():
            raise self._damaged(f"tensor {name!r} has a scale that is no finite number")
        quants = np.ascontiguousarray(blocks[..., head:].transpose(1, 2, 0))  # (blocks, bytes, rows)
        target = out.reshape(columns // 32, 32, rows)  # a view: the first axis is split in two
        scale = scales[:, :1]
        if tensor.kind.name == "Q8_0":
            np.multiply(quants.view(np.int8), scale, out=target)
            return out
        offset = scales[:, 1:] if tensor.kind.name == "Q4_1" else -8 * scale
        for half, part in enumerate((quants & 15, quants >> 4)):
            place = target[:, 16 * half : 16 * half + 16]
            np.multiply(part, scale, out=place)
            place += offset
        return out

    def close(self) -> None:
        """Let the file go; blocks that still look into it keep it open."""
        try:
            self._bytes.close()
        except BufferError:
            return


def _numbers(kind: str, blocks: NDArray[np.uint8]) -> Floats:
    """Return the numbers in stored blocks: (..., blocks, bytes) becomes (..., blocks, values)."""
    blocks = np.ascontiguousarray(blocks)
    if kind == "F32":
        return blocks.view(np.float32)
    if kind == "F16":
        return blocks.view(np.float16).astype(np.float32)
    if kind == "Q8_0":
        scale = blocks[..., :2].copy().view(np.float16).astype(np.float32)
        return blocks[..., 2:].view(np.int8) * scale
    head = 4 if kind == "Q4_1" else 2
    scales = blocks[..., :head].copy().view(np.float16).astype(np.float32)
    scale = scales[..., :1]
    offset = scales[..., 1:] if kind == "Q4_1" else -8 * scale
    quants = blocks[..., head:]
    return np.concatenate([quants & 15, quants >> 4], axis=-1) * scale + offset
