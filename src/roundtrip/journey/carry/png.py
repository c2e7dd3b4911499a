"""Pictures as PNG: the smallest writer of the format (ISO/IEC 15948), gray or color, eight bits a channel."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GRAY, _COLOR = 0, 2


def encode_png(image: NDArray[Any]) -> bytes:
    """Return a picture as a file.

    Parameters
    ----------
    image : array, (rows, columns) or (rows, columns, 3)
        0 is dark, 1 is bright; what is beyond is cut.

    Raises
    ------
    ValueError
        If the shape is not that of a picture.
    """
    if image.ndim not in (2, 3) or 0 in image.shape or (image.ndim == 3 and image.shape[2] != 3):
        raise ValueError(f"a picture has rows and columns, and three colors or none, got shape {image.shape}")
    bytes_there = np.round(np.clip(np.nan_to_num(image), 0.0, 1.0) * 255.0).astype(np.uint8)
    rows, columns = image.shape[:2]
    lines = np.concatenate([np.zeros((rows, 1), np.uint8), bytes_there.reshape(rows, -1)], axis=1)
    head = struct.pack(">IIBBBBB", columns, rows, 8, _COLOR if image.ndim == 3 else _GRAY, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines.tobytes(), 6)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
