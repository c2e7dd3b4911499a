r"""One photon in a rod: the cascade of the mouse, molecule by molecule, from the isomerized rhodopsin to the current.

The mean response of Invergo and others' model [1]_ to one isomerization in the dark, reduced to what a single photon
moves: rhodopsin with 0 to 6 phosphates, each free, at the kinase, at transducin or at arrestin; transducin, its
phosphodiesterase and their shutoff; kinase held back by recoverin with calcium; calcium and cGMP. Pools of millions
(transducin, arrestin, phosphodiesterase, RGS) are constants, for a photon takes a ten-thousandth of them. cGMP obeys

.. math:: \dot g = \frac{\alpha}{1 + (c/K_1)^{3}} + \frac{\alpha}{1 + (c/K_2)^{1.5}} - (\beta_d + \beta_s E) g, \qquad
          \frac{J}{J_d} = \frac{(g/g_d)^{3.8}}{1.06} + \frac{0.06}{1.06}\frac{c - c_0}{c_d - c_0}

Rates of calcium and cGMP are concentrations a second already, as in the authors' file [4]_. A conversion that divides
them by the volume once more is in circulation; then the rise, fitted with Lamb and Pugh's parabola, starts before the
light (`trace(volume=0.03916)` shows it). The whole model of 76 quantities differs by less than 0.4 % of the peak.

References
----------
.. [1] B. M. Invergo and others, "A comprehensive model of the phototransduction cascade in mouse rod cells", Molecular
   BioSystems 10, 1481-1489, 2014, https://pubmed.ncbi.nlm.nih.gov/24675755/; BIOMD0000000578.
.. [2] T. D. Lamb and E. N. Pugh, Journal of Physiology 449, 719-758, 1992, doi:10.1113/jphysiol.1992.sp019111
.. [3] D. A. Baylor, B. J. Nunn and J. L. Schnapf, Journal of Physiology 357, 575-607, 1984,
   doi:10.1113/jphysiol.1984.sp015518: monkey rods; mouse: 0.58 pA, https://pmc.ncbi.nlm.nih.gov/articles/PMC2928554
.. [4] C. Beelen and others, https://github.com/CBeelen/Phototransduction, Models/Invergo.txt
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (1979, "D. A. Baylor, T. D. Lamb and K.-W. Yau, responses of retinal rods to single photons")

Array = NDArray[np.float64]

# Molecules of the dark rod, rates in 1/s or 1/(s molecule), concentrations in uM: the published file, by its names.
GT, ARR, RGS = 8_152_500.0, 1_260_760.0, 1e5
RK, REC_CA, REC_CA_RK, REC = 580.0, 510_930.0, 199_420.0, 9_289_650.0
CA, CA_BUFFER, CGMP = 0.25, 19.2199, 6.4944
N = np.arange(7.0)
K_RK1 = np.where(N < 6.0, 0.1724 * np.exp(-2.5 * N), 0.0)
K_RK2, K_RK3, K_RK4 = 250.0, 4000.0, 250.0
K_A1 = ARR * np.where(N > 0.0, 9.9147e-6 + np.clip(N - 1.0, 0.0, 3.0) * 9.5475e-6, 0.0)
K_A2, K_A3, K_THERM = 0.026, 1.1651, 0.0238
K_G1 = GT * 1e-3 * np.exp(-0.6 * N)
K_G2, K_G3, K_G4, K_G5, K_G6, K_G7 = 2200.0, 8500.0, 400.0, 3500.0, 8500.0, 200.0
K_P2, K_PDE_OFF = 940.7, 0.1
K_RGS1, K_RGS2 = RGS * 4.8182e-5, 98.0
REC_1, REC_2, REC_3, REC_4 = 0.011, 0.05, 4.1081e-4, 0.610084
VOLUME_PL, FARADAY_C = 0.03916, 96_485.34
MOLECULES = 6.022e5 * VOLUME_PL
DARK_PA, CA_SHARE, CA_LEAST, CA_OUT, COOPERATION = 14.87, 0.12, 0.023, 981.3558, 3.8
BUFFER_ON, BUFFER_OFF, BUFFER = 9.37059, 46.412, 400.0
CYCLASE, HALF_1, HALF_2, BETA_DARK, BETA_SUB = 60.0, 0.171, 0.059, 3.19, 0.0021826

STEP_S, END_S = 1e-4, 3.0
TIMES_S = tuple(
    round(float(t), 4)
    for t in (*np.arange(0.0, 0.1, 0.004), *np.arange(0.1, 0.598, 0.0075), *np.arange(0.6, 3.01, 0.04))
)

# Tables: made by `make tables`.
# fmt: off
RESPONSE = (
    0.0, 0.00012, 0.00124, 0.0041, 0.00894, 0.01578, 0.02456, 0.03515, 0.04741, 0.0612, 0.07637, 0.09278, 0.11028,
    0.12873, 0.148, 0.16795, 0.18846, 0.20939, 0.23064, 0.25209, 0.27363, 0.29516, 0.3166, 0.33784, 0.3588, 0.37942,
    0.41688, 0.45246, 0.4858, 0.51662, 0.54473, 0.56995, 0.5922, 0.61142, 0.62761, 0.64079, 0.65104, 0.65846,
    0.66316, 0.6653, 0.66502, 0.66251, 0.65794, 0.65151, 0.6434, 0.6338, 0.6229, 0.61088, 0.59791, 0.58417, 0.5698,
    0.55497, 0.53979, 0.52441, 0.50893, 0.49345, 0.47807, 0.46286, 0.44789, 0.43322, 0.41889, 0.40495, 0.39143,
    0.37834, 0.36571, 0.35353, 0.34182, 0.33057, 0.31978, 0.30943, 0.29952, 0.29003, 0.28094, 0.27224, 0.2639,
    0.25591, 0.24825, 0.2409, 0.23383, 0.22703, 0.22048, 0.21417, 0.20808, 0.20219, 0.19648, 0.19095, 0.18559,
    0.18038, 0.17531, 0.17037, 0.16556, 0.16086, 0.1578, 0.13493, 0.11468, 0.09685, 0.08136, 0.06809, 0.05689,
    0.04752, 0.03972, 0.03326, 0.02788, 0.02341, 0.01967, 0.01655, 0.01394, 0.01176, 0.00993, 0.00841, 0.00714,
    0.00608, 0.00519, 0.00445, 0.00383, 0.00332, 0.00288, 0.00251, 0.0022, 0.00194, 0.00171, 0.00152, 0.00136,
    0.00122, 0.0011, 0.00099, 0.0009, 0.00082, 0.00075, 0.00069, 0.00063, 0.00058, 0.00054, 0.0005, 0.00046, 0.00042,
    0.00039, 0.00036, 0.00034, 0.00031, 0.00029, 0.00027, 0.00025, 0.00023, 0.00021, 0.00019, 0.00018, 0.00016,
    0.00015, 0.00014, 0.00012, 0.00011, 0.0001,
)
# fmt: on
# End of tables.


def _start() -> Array:
    """Return one free rhodopsin without phosphates, and the dark rest: 49 forms of rhodopsin, then ten others."""
    return np.concatenate([[1.0], np.zeros(48), [0.0, 0.0, 0.0, 0.0, RK, REC_CA, REC_CA_RK, CA, CA_BUFFER, CGMP]])


def current_pA(state: Array) -> float:
    """Return the current, of channels and of the exchange of calcium."""
    channels = (state[58] / CGMP) ** COOPERATION
    exchange = (state[56] - CA_LEAST) / (CA - CA_LEAST)
    return float(DARK_PA * (2.0 * channels + CA_SHARE * exchange) / (2.0 + CA_SHARE))


def derivative(state: Array, volume: float = 1.0) -> Array:
    """Return the rates of change. Rows of rhodopsin: free, entering and leaving the kinase, arrestin, three of G."""
    free, at_rk, from_rk, at_arr, at_gt, at_g, at_gtp = state[:49].reshape(7, 7)
    g_gtp, pde_g, active, at_rgs, rk, rec_ca, rec_ca_rk, ca, ca_buffer, cgmp = state[49:]
    kinase, added, left = K_RK1 * rk * free - K_RK2 * at_rk, K_RK3 * at_rk, K_RK4 * from_rk
    arrested = K_A1 * free - K_A2 * at_arr
    bound, exchanged, loaded, parted = (
        K_G1 * free - K_G2 * at_gt,
        K_G3 * at_gt - K_G4 * at_g,
        K_G5 * at_g,
        K_G6 * at_gtp,
    )
    rhodopsin = (
        left - kinase - arrested - K_THERM * free - bound + parted, kinase - added,
        np.concatenate([[0.0], added[:-1]]) - left, arrested - K_A3 * at_arr, bound - exchanged, exchanged - loaded,
        loaded - parted,
    )  # fmt: skip
    freed, woken, caught = K_G7 * g_gtp, K_P2 * pde_g, K_RGS1 * active
    binding = REC_1 * (REC + REC_CA + REC_CA_RK - rec_ca - rec_ca_rk) * ca - REC_2 * rec_ca
    held = REC_3 * rec_ca * rk - REC_4 * rec_ca_rk
    buffered = BUFFER_ON * (BUFFER - ca_buffer) * ca - BUFFER_OFF * ca_buffer
    entry = 1e6 * CA_SHARE * DARK_PA / ((2.0 + CA_SHARE) * FARADAY_C * VOLUME_PL) * (cgmp / CGMP) ** COOPERATION
    made = CYCLASE / (1.0 + (ca / HALF_1) ** 3.0) + CYCLASE / (1.0 + (ca / HALF_2) ** 1.5)
    others = (
        np.sum(parted) - freed, freed - woken, woken - caught - K_PDE_OFF * active, caught - K_RGS2 * at_rgs,
        np.sum(left) - np.sum(kinase) - held, binding - held, held,
        entry - buffered - CA_OUT * (ca - CA_LEAST) - 2.0 * binding / MOLECULES, buffered / volume,
        (made - (BETA_DARK + BETA_SUB * active) * cgmp) / volume,
    )  # fmt: skip
    return np.concatenate([*rhodopsin, others])


def trace(end_s: float = END_S, step_s: float = STEP_S, volume: float = 1.0) -> tuple[Array, Array]:
    """Return the times and, as rows, suppressed current [pA], active subunits and cGMP hydrolyzed by them [1/s]."""
    state = _start()
    rows = [(0.0, 0.0, 0.0)]
    dark = current_pA(state)
    for _ in range(round(end_s / step_s)):
        one = derivative(state, volume)
        two = derivative(state + 0.5 * step_s * one, volume)
        three = derivative(state + 0.5 * step_s * two, volume)
        four = derivative(state + step_s * three, volume)
        state = state + step_s / 6.0 * (one + 2.0 * two + 2.0 * three + four)
        active = float(state[51])
        rows.append((dark - current_pA(state), active, BETA_SUB * active * float(state[58]) * MOLECULES))
    return np.asarray(step_s * np.arange(len(rows)), dtype=np.float64), np.array(rows, dtype=np.float64).T


def lamb_pugh(times: Array, suppressed_pA: Array, from_s: float = 0.01, to_s: float = 0.04) -> tuple[float, float]:
    """Return amplification [1/s2] and effective delay [s] of the parabola ``A (t - t_e)^2 / 2`` through a rise [2]_."""
    rise = (times >= from_s) & (times <= to_s)
    slope, level = np.polyfit(times[rise], np.sqrt(2.0 * suppressed_pA[rise] / DARK_PA), 1)
    return float(slope**2), float(-level / slope)


def tables() -> dict[str, object]:
    """Return what `make tables` writes into this file: the suppressed current in pA."""
    times, rows = trace()
    return {"RESPONSE": tuple(round(float(x), 5) for x in np.interp(TIMES_S, times, rows[0]))}


def single_photon_A(time_s: Number) -> Number:
    """Return the current that one photon suppresses in a mouse rod, in the mean, over time [A].

    A table of `trace` for three seconds, within 0.1 % of the peak.

    Parameters
    ----------
    time_s : float
        Time since the photon [s].
    """
    return 1e-12 * np.interp(time_s, TIMES_S, RESPONSE)
