r"""The mosaic: where the cones stand, dense in the middle and sparser to the side, and which kind each of them is.

Density falls from its peak with the eccentricity r in degrees. Within two degrees, where each cone has two midget
ganglion cells of its own, the formula for those cells [1]_ is one for cones:

.. math:: \rho(r) = \rho_0 \left(a\,(1 + r / r_2)^{-2} + (1 - a)\,e^{-r / r_e}\right)

The pattern is a hexagonal lattice, stretched so that each ring holds as many cones as the density says, with a
small shift of each cone. There are two long-wavelength cones to a middle one, 6 of 100 are for short wavelengths, and
the innermost twentieth of a millimeter has none of those [3]_.

References
----------
.. [1] A. B. Watson, "A formula for human retinal ganglion cell receptive field density as a function of visual field
   location", Journal of Vision 14(7):15, 2014, doi:10.1167/14.7.15: table 1, temporal meridian.
.. [2] C. A. Curcio and others, "Human photoreceptor topography", Journal of Comparative Neurology 292, 497-523, 1990,
   doi:10.1002/cne.902920402
.. [3] C. A. Curcio and others, "Distribution and morphology of human cone photoreceptors stained with anti-blue opsin",
   Journal of Comparative Neurology 312, 610-624, 1991, doi:10.1002/cne.903120411: a zone of 100 um without them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (1851, "A. Koelliker and H. Mueller see the cones of the fovea; counted: G. Oesterberg, 1935")

INNER_SHARE, INNER_DEG, OUTER_DEG = 0.9851, 1.058, 22.14
SHORT_SHARE, LONG_PER_MIDDLE, FREE_DEG = 0.06, 2.0, 0.17
JITTER = 0.08  # of the distance to the next cone


def density_1_m2(cone_density_1_m2: Number, eccentricity_deg: Number) -> Number:
    """Return the cones for each square meter of retina at an eccentricity, within some degrees [1/m2] [1]_.

    Parameters
    ----------
    cone_density_1_m2 : float
        Density in the middle [1/m2].
    eccentricity_deg : float
        Angle from the middle [deg].
    """
    near = INNER_SHARE * (1.0 + eccentricity_deg / INNER_DEG) ** -2.0
    return cone_density_1_m2 * (near + (1.0 - INNER_SHARE) * np.exp(-eccentricity_deg / OUTER_DEG))


def pattern(
    peak_1_m2: float, focal_m: float, radius_deg: float, stream: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the places of cones around the middle [deg], shape (n, 2), and their kinds: 0 long, 1 middle, 2 short."""
    scale = np.radians(1.0) * focal_m  # meters of retina for a degree
    r = np.linspace(0.0, radius_deg * 1.05, 2000)
    per_deg2 = np.asarray(density_1_m2(peak_1_m2, r)) * scale * scale
    inside = np.concatenate(
        [[0.0], np.cumsum(np.pi * (r[1:] + r[:-1]) * np.diff(r) * 0.5 * (per_deg2[1:] + per_deg2[:-1]))]
    )
    flat = np.sqrt(inside / (np.pi * per_deg2[0]))  # radius in a lattice that is everywhere as dense as its middle
    step = float(np.sqrt(2.0 / (np.sqrt(3.0) * per_deg2[0])))
    n = int(np.ceil(flat[-1] / step)) + 2
    row, column = np.meshgrid(np.arange(-2 * n, 2 * n + 1), np.arange(-2 * n, 2 * n + 1), indexing="ij")
    x, y = ((column + 0.5 * row) * step).ravel(), (row * (np.sqrt(3.0) / 2.0) * step).ravel()
    away = np.hypot(x, y)
    kept = away <= flat[-1]
    x, y, away = x[kept], y[kept], away[kept]
    out = np.interp(away, flat, r)
    stretch = np.where(away > 0.0, out / np.maximum(away, 1e-12), 1.0)
    places = np.stack([x * stretch, y * stretch], axis=1)
    gap = step * np.sqrt(per_deg2[0] / np.interp(out, r, per_deg2))
    places += JITTER * gap[:, None] * stream.standard_normal(places.shape)
    short = (stream.random(len(out)) < SHORT_SHARE) & (out > FREE_DEG)
    middle = stream.random(len(out)) < 1.0 / (1.0 + LONG_PER_MIDDLE)
    return places, np.where(short, 2, np.where(middle, 1, 0))
