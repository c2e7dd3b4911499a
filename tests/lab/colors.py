"""Colors as eyes see them: contrast by WCAG, distance by CIEDE2000, and what is left of a color in color-blind eyes.

References
----------
.. [1] W3C, Web Content Accessibility Guidelines 2.2, relative luminance and contrast ratio, w3.org/TR/WCAG22.
.. [2] G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, A Physiologically-based Model for Simulation of Color Vision
   Deficiency, IEEE TVCG 15(6), 2009, doi:10.1109/TVCG.2009.113: the matrices of severity 1.0, for linear RGB.
.. [3] G. Sharma, W. Wu, E. N. Dalal, The CIEDE2000 Color-Difference Formula: Implementation Notes, Supplementary Test
   Data, and Mathematical Observations, Color Research and Application 30(1), 2005, doi:10.1002/col.20070.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# IEC 61966-2-1: linear sRGB to XYZ under D65.
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = TO_XYZ @ np.ones(3)
EYES: dict[str, Array] = {
    "all three cones": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(color: str) -> Array:
    """Return linear red, green and blue of a color such as ``#0e1116``."""
    code = color.lstrip("#")
    code = "".join(c * 2 for c in code) if len(code) == 3 else code
    part = np.array([int(code[i : i + 2], 16) for i in (0, 2, 4)]) / 255.0
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def over(color: str, ground: str, opacity: float) -> str:
    """Return a color laid over a ground with an opacity, as browsers mix them: in coded values."""
    top, below = ([int(c.lstrip("#")[i : i + 2], 16) for i in (0, 2, 4)] for c in (color, ground))
    return "#" + "".join(f"{round(a * opacity + b * (1.0 - opacity)):02x}" for a, b in zip(top, below, strict=True))


def luminance(color: str) -> float:
    """Return the relative luminance of [1]_."""
    return float(np.array([0.2126, 0.7152, 0.0722]) @ linear(color))


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of [1]_, 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def lab(color: str, eyes: str = "all three cones") -> Array:
    """Return CIELAB under D65 of what a kind of eyes makes of a color, by [2]_."""
    ratio = TO_XYZ @ np.clip(EYES[eyes] @ linear(color), 0.0, 1.0) / WHITE
    f = np.where(ratio > (6.0 / 29.0) ** 3, np.cbrt(ratio), ratio / (3.0 * (6.0 / 29.0) ** 2) + 4.0 / 29.0)
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


def distance(one: Array, other: Array) -> float:
    """Return the CIEDE2000 difference of two colors in CIELAB, by [3]_: 1 is about what can just be seen."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    middle = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2.0
    g = 0.5 * (1.0 - np.sqrt(middle**7 / (middle**7 + 25.0**7)))
    a1, a2 = (1.0 + g) * a1, (1.0 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1)) % 360.0, np.degrees(np.arctan2(b2, a2)) % 360.0
    turn, around = h2 - h1, (h1 + h2) / 2.0
    if c1 * c2 == 0.0:
        turn, around = 0.0, h1 + h2
    elif abs(turn) > 180.0:
        turn -= np.sign(turn) * 360.0
        around += 180.0 if h1 + h2 < 360.0 else -180.0
    dh = 2.0 * np.sqrt(c1 * c2) * np.sin(np.radians(turn) / 2.0)
    light, chroma = (l1 + l2) / 2.0, (c1 + c2) / 2.0
    t = (
        1.0
        - 0.17 * np.cos(np.radians(around - 30.0))
        + 0.24 * np.cos(np.radians(2.0 * around))
        + 0.32 * np.cos(np.radians(3.0 * around + 6.0))
        - 0.20 * np.cos(np.radians(4.0 * around - 63.0))
    )
    s_l = 1.0 + 0.015 * (light - 50.0) ** 2 / np.sqrt(20.0 + (light - 50.0) ** 2)
    s_c, s_h = 1.0 + 0.045 * chroma, 1.0 + 0.015 * chroma * t
    turned = np.sin(np.radians(60.0 * np.exp(-(((around - 275.0) / 25.0) ** 2))))
    rotation = -2.0 * np.sqrt(chroma**7 / (chroma**7 + 25.0**7)) * turned
    x, y, z = (l2 - l1) / s_l, (c2 - c1) / s_c, dh / s_h
    return float(np.sqrt(x * x + y * y + z * z + rotation * y * z))
