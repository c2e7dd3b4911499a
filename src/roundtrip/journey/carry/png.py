"""Pictures as PNG files: gray or color, 8 bits a sample, each row as it is, packed by zlib."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import DomainError

MAGIC = b"\x89PNG\r\n\x1a\n"
GRAY, COLOR = 0, 2


def encode_png(image: NDArray[Any]) -> bytes:
    """Return a picture as the bytes of a PNG file.

    Parameters
    ----------
    image : array, shape (rows, columns) or (rows, columns, 3)
        0 is black, 1 white; what lies beyond is cut off, and what is not finite is black.

    Raises
    ------
    DomainError
        If the array is not a picture.
    """
    pixels = np.asarray(image, dtype=np.float64)
    if pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] != 3) or 0 in pixels.shape:
        raise DomainError(f"a picture has rows and columns, and none or three colors; got an array of {pixels.shape}")
    levels = np.round(np.clip(np.nan_to_num(pixels, nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0) * 255.0)
    rows = levels.astype(np.uint8).reshape(pixels.shape[0], -1)
    lines = np.concatenate([np.zeros((len(rows), 1), np.uint8), rows], axis=1)  # a row opens with its filter: none
    kind = GRAY if pixels.ndim == 2 else COLOR
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, kind, 0, 0, 0)
    body = zlib.compress(lines.tobytes(), 6)
    return MAGIC + _chunk(b"IHDR", head) + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
