"""Where the keys of a board meet its matrix of 5 rows and 14 columns, as they lie under the fingers."""

from __future__ import annotations

SHIFT, CONTROL = 0xE1, 0xE0

_ROWS = (
    (53, *range(30, 40), 45, 46, 42), (43, 20, 26, 8, 21, 23, 28, 24, 12, 18, 19, 47, 48, 49),
    (57, 4, 22, 7, 9, 10, 11, 13, 14, 15, 51, 52, 50, 40), (SHIFT, 100, 29, 27, 6, 25, 5, 17, 16, 54, 55, 56, 135, 229),
    (CONTROL, 227, 226, 139, 138, 44, 144, 136, 230, 231, 101, 228, 80, 79),
)  # fmt: skip
# A board of 5 rows and 14 columns, as its keys lie: crossing of each usage id.
CROSSINGS = {usage: (row, column) for row, usages in enumerate(_ROWS) for column, usage in enumerate(usages)}
AT = {crossing: usage for usage, crossing in CROSSINGS.items()}
