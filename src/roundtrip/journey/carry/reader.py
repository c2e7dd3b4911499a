"""A reader: it knows the font, the blur and its own cones, and finds the letters that explain what the cones absorbed.

Where the cells lie is known (the eye was aimed at them); what stands in them is not. Each cell's letter is the one
whose blurred template leaves the least squares, neighbors taken off as they were read the pass before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
UNSURE = "\ufffd"
SURE = 5.0  # by how much the log-likelihood of the best letter exceeds the next
PASSES = 3


@dataclass(slots=True)
class Reader:
    """Templates of every letter at the cones around each cell of a patch.

    Attributes
    ----------
    characters : str
    cones : list of array
        Of each cell, the cones that look at it.
    own, left, right : list of array, shape (cones, characters)
        Darkness there by a letter in the cell, and in the cells to its left and right; 1 is ink without light.
    """

    characters: str
    cones: list[Array]
    own: list[Array]
    left: list[Array]
    right: list[Array]

    def read(self, absorbed: Array, white: Array, follows: Array) -> tuple[list[str], float]:
        """Return the letters of each patch, and the share of the cells that are sure.

        Parameters
        ----------
        absorbed : array, shape (patches, cones)
        white : array, shape (cones,)
            Absorbed from blank paper, to which the eye has adapted.
        follows : array of bool, shape (patches,)
            Whether a patch lies to the right of the one before it.
        """
        patches, cells = len(absorbed), len(self.cones)
        space = self.characters.index(" ")
        dark = (1.0 - absorbed / np.maximum(white, 1e-9)).astype(np.float32)
        codes = np.full((patches, cells), -1)
        sure = np.zeros((patches, cells), bool)
        half = [0.5 * (white[c].astype(np.float32) @ (t * t)) for c, t in zip(self.cones, self.own, strict=True)]
        for _ in range(PASSES):
            before = codes.copy()
            for j in range(cells):
                to_left = before[:, j - 1] if j else np.where(follows, np.roll(before[:, -1], 1), space)
                after = np.where(np.roll(follows, -1), np.roll(before[:, 0], -1), space)
                to_right = before[:, j + 1] if j + 1 < cells else after
                rest = dark[:, self.cones[j]] - _neighbor(self.left[j], to_left) - _neighbor(self.right[j], to_right)
                score = (rest * white[self.cones[j]].astype(np.float32)) @ self.own[j] - half[j]
                best = np.argmax(score, axis=1)
                top = score[np.arange(patches), best]
                score[np.arange(patches), best] = -np.inf
                codes[:, j], sure[:, j] = best, top - score.max(axis=1) > SURE
            if np.array_equal(before, codes):
                break
        texts = [
            "".join(self.characters[c] if ok else UNSURE for c, ok in zip(row, oks, strict=True))
            for row, oks in zip(codes, sure, strict=True)
        ]
        return texts, float(sure.mean()) if sure.size else 1.0


def _neighbor(templates: Array, codes: Array) -> Array:
    """Return what the letters beside the cells darken in them; of one not read yet, what letters do in the mean."""
    known = templates[:, np.maximum(codes, 0)].T
    return np.where(codes[:, None] >= 0, known, templates.mean(axis=1)[None, :])
