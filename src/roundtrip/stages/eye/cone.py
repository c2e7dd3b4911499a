r"""The current of a cone: photons close channels, calcium opens them again, and the answer to a dim flash is over in
a tenth of a second.

Rieke's model as ISETBio publishes it, for a cone of the periphery. With R isomerizations a second

.. math:: \dot o = \gamma R - \sigma o,\quad \dot P = o + \eta - \phi P,\quad
          \dot g = \frac{s}{1 + (c / K)^n} - P g,\quad \dot c = q I - \beta c,\quad \dot c_s = \beta_s (c - c_s)

of opsin o, phosphodiesterase P, cGMP g, calcium c and its slow copy; the current is ``I = k g^3 / (1 + c_s / c_d)`` pA.
q and s are such that the dark rests. The solver is the classical Runge-Kutta rule; the closed forms read tables of
its results over the background, made by `make tables`, and are off by less than 0.1 % between the knots. The set for
the fovea in the same file is nearly saturated by a screen (1.3 pA left at 5e4/s) and is not used. Above 1e5
isomerizations a second, ten times a bright page, tables keep their last value.

References
----------
.. [1] ISETBio, ``osBioPhys.m`` and ``osAdaptTemporal.m``, https://github.com/isetbio/isetbio
.. [2] J. M. Angueyra and others, "Predicting and manipulating cone responses to naturalistic inputs", Journal of
   Neuroscience, 2022, https://pmc.ncbi.nlm.nih.gov/articles/PMC8883858: the model and the cells it was fitted to.
.. [3] eLife reviewed preprint 93795, version 2: linear filters of primate cones,
   https://elifesciences.org/reviewed-preprints/93795v2
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roundtrip.figures.graph import Number

SINCE = (
    2013,
    "J. Angueyra and F. Rieke, current noise of primate cones; cone flash responses: J. Schnapf and others, 1990",
)

Array = NDArray[np.float64]

# Constants of osBioPhys.m for more than 10 degrees from the fovea: 1/s, uM and pA/uM^3.
OPSIN_GAIN, OPSIN_DECAY, PDE_DECAY, PDE_DARK = 10.0, 22.0, 22.0, 2000.0
CGMP_DARK, CURRENT_GAIN, COOPERATION = 20.5, 0.02, 3.0
CALCIUM_DARK, CALCIUM_DECAY, CALCIUM_SLOW, CYCLASE_HILL, CYCLASE_HALF = 1.0, 9.0, 0.4, 4.0, 0.5
CALCIUM_GAIN = 2.0 * CALCIUM_DECAY * CALCIUM_DARK / (CURRENT_GAIN * CGMP_DARK**COOPERATION)
CYCLASE_MOST = PDE_DARK / PDE_DECAY * CGMP_DARK * (1.0 + (CALCIUM_DARK / CYCLASE_HALF) ** CYCLASE_HILL)

FLASH_S, FLASH_PHOTONS, STEP_S, END_S = 0.01, 100.0, 2e-4, 0.35
LOG_RATES = tuple(
    round(float(x), 3) for x in (*np.arange(1.0, 2.0, 0.2), *np.arange(2.0, 4.0, 0.05), *np.arange(4.0, 5.01, 0.03))
)
SHAPE_RATE_1_S = 2e4
SHAPE_TIMES = tuple(
    round(float(x), 2) for x in (*np.arange(0.0, 3.0, 0.03), *np.arange(3.0, 5.0, 0.1), *np.arange(5.0, 14.01, 0.25))
)

# Tables: made by `make tables`.
# fmt: off
CURRENT = (
    1.935, 1.9349, 1.9347, 1.9343, 1.9338, 1.933, 1.9327, 1.9324, 1.932, 1.9317, 1.9312, 1.9307, 1.9302, 1.9296,
    1.9289, 1.9282, 1.9273, 1.9264, 1.9254, 1.9242, 1.923, 1.9216, 1.92, 1.9183, 1.9164, 1.9143, 1.912, 1.9095,
    1.9067, 1.9037, 1.9003, 1.8968, 1.8929, 1.8886, 1.8841, 1.8792, 1.8739, 1.8682, 1.8622, 1.8558, 1.849, 1.8418,
    1.8341, 1.8261, 1.8176, 1.8087, 1.8032, 1.7975, 1.7916, 1.7855, 1.7793, 1.773, 1.7664, 1.7597, 1.7528, 1.7457,
    1.7384, 1.7308, 1.7231, 1.7151, 1.7069, 1.6984, 1.6896, 1.6805, 1.671, 1.6612, 1.651, 1.6403, 1.6291, 1.6173,
    1.6048, 1.5916, 1.5775, 1.5623, 1.546, 1.5281, 1.5085, 1.4866, 1.462,
)
PEAK_TIME = (
    1.4786, 1.4784, 1.4782, 1.4778, 1.4772, 1.4762, 1.4759, 1.4755, 1.4752, 1.4747, 1.4742, 1.4737, 1.4731, 1.4724,
    1.4716, 1.4708, 1.4698, 1.4688, 1.4677, 1.4664, 1.465, 1.4634, 1.4617, 1.4598, 1.4578, 1.4555, 1.4531, 1.4504,
    1.4475, 1.4444, 1.441, 1.4374, 1.4336, 1.4295, 1.4253, 1.4208, 1.4162, 1.4114, 1.4065, 1.4016, 1.3967, 1.3919,
    1.3872, 1.3828, 1.3788, 1.3752, 1.3733, 1.3716, 1.3701, 1.369, 1.3681, 1.3675, 1.3673, 1.3674, 1.3679, 1.3688,
    1.3701, 1.3718, 1.3738, 1.3763, 1.3793, 1.3826, 1.3865, 1.3908, 1.3957, 1.401, 1.407, 1.4136, 1.421, 1.4291,
    1.438, 1.4479, 1.4589, 1.4711, 1.4846, 1.4996, 1.5161, 1.5344, 1.5545,
)
HALF_TIME = (
    1.1836, 1.1835, 1.1832, 1.1829, 1.1823, 1.1814, 1.1811, 1.1808, 1.1804, 1.18, 1.1795, 1.179, 1.1784, 1.1778,
    1.177, 1.1762, 1.1754, 1.1744, 1.1733, 1.172, 1.1707, 1.1692, 1.1675, 1.1657, 1.1637, 1.1615, 1.1591, 1.1565,
    1.1536, 1.1505, 1.1471, 1.1434, 1.1395, 1.1353, 1.1308, 1.1261, 1.1211, 1.1158, 1.1103, 1.1046, 1.0988, 1.0928,
    1.0867, 1.0806, 1.0745, 1.0686, 1.0651, 1.0617, 1.0583, 1.0551, 1.052, 1.0491, 1.0463, 1.0437, 1.0413, 1.0392,
    1.0373, 1.0356, 1.0342, 1.0331, 1.0323, 1.0318, 1.0317, 1.032, 1.0326, 1.0337, 1.0352, 1.0372, 1.0397, 1.0427,
    1.0464, 1.0508, 1.056, 1.062, 1.069, 1.0772, 1.0864, 1.0971, 1.109,
)
PEAK = (
    2.1812, 2.1806, 2.1796, 2.1781, 2.1756, 2.1717, 2.1704, 2.169, 2.1674, 2.1656, 2.1636, 2.1614, 2.1589, 2.1561,
    2.153, 2.1495, 2.1456, 2.1413, 2.1365, 2.1312, 2.1253, 2.1187, 2.1114, 2.1033, 2.0943, 2.0845, 2.0736, 2.0616,
    2.0485, 2.0341, 2.0184, 2.0013, 1.9827, 1.9625, 1.9406, 1.9171, 1.8918, 1.8647, 1.8358, 1.8051, 1.7726, 1.7382,
    1.7021, 1.6643, 1.6249, 1.584, 1.5588, 1.5331, 1.5069, 1.4803, 1.4534, 1.4261, 1.3985, 1.3706, 1.3424, 1.3141,
    1.2855, 1.2569, 1.2281, 1.1993, 1.1705, 1.1416, 1.1128, 1.0841, 1.0554, 1.0269, 0.9985, 0.9704, 0.9424, 0.9147,
    0.8873, 0.8601, 0.8331, 0.8064, 0.7798, 0.7531, 0.7262, 0.6987, 0.6699,
)
SHAPE = (
    0.0, 0.0004, 0.0031, 0.0096, 0.0207, 0.0372, 0.059, 0.0863, 0.1187, 0.1562, 0.1982, 0.2446, 0.2947, 0.3484,
    0.405, 0.4641, 0.5238, 0.5821, 0.6376, 0.6895, 0.7373, 0.7806, 0.8196, 0.8541, 0.8843, 0.9104, 0.9327, 0.9513,
    0.9665, 0.9786, 0.9877, 0.9941, 0.9981, 0.9999, 0.9996, 0.9974, 0.9935, 0.988, 0.9812, 0.9731, 0.9639, 0.9537,
    0.9425, 0.9306, 0.918, 0.9047, 0.891, 0.8767, 0.862, 0.847, 0.8317, 0.8162, 0.8005, 0.7846, 0.7686, 0.7526,
    0.7365, 0.7205, 0.7044, 0.6884, 0.6724, 0.6566, 0.6408, 0.6252, 0.6097, 0.5944, 0.5792, 0.5642, 0.5494, 0.5348,
    0.5204, 0.5062, 0.4922, 0.4784, 0.4648, 0.4515, 0.4383, 0.4254, 0.4128, 0.4003, 0.3881, 0.3761, 0.3644, 0.3529,
    0.3416, 0.3305, 0.3197, 0.309, 0.2986, 0.2884, 0.2785, 0.2687, 0.2592, 0.2498, 0.2407, 0.2318, 0.2231, 0.2145,
    0.2062, 0.1981, 0.1901, 0.165, 0.1417, 0.1204, 0.1007, 0.0827, 0.0662, 0.0511, 0.0373, 0.0247, 0.0133, 0.003,
    -0.0064, -0.0148, -0.0224, -0.0292, -0.0353, -0.0407, -0.0455, -0.0497, -0.0534, -0.0606, -0.0653, -0.068,
    -0.0691, -0.069, -0.068, -0.0662, -0.0639, -0.0612, -0.0582, -0.055, -0.0518, -0.0486, -0.0454, -0.0422, -0.0392,
    -0.0363, -0.0335, -0.0309, -0.0285, -0.0261, -0.024, -0.0219, -0.0201, -0.0183, -0.0167, -0.0153, -0.0139,
    -0.0127, -0.0115, -0.0105, -0.0095, -0.0087, -0.0079, -0.0071, -0.0065,
)
# fmt: on
# End of tables.


def current_pA(state: Array) -> Array:
    """Return the current into the outer segment."""
    return CURRENT_GAIN * state[4] ** COOPERATION / (1.0 + state[3] / CALCIUM_DARK)


def derivative(state: Array, rate_1_s: Array | float) -> Array:
    """Return the rates of change of opsin, phosphodiesterase, calcium, slow calcium and cGMP."""
    opsin, pde, calcium, slow, cgmp = state
    made = CYCLASE_MOST / (1.0 + (calcium / CYCLASE_HALF) ** CYCLASE_HILL)
    return np.stack(
        [
            OPSIN_GAIN * rate_1_s - OPSIN_DECAY * opsin,
            opsin + PDE_DARK - PDE_DECAY * pde,
            CALCIUM_GAIN * current_pA(state) - CALCIUM_DECAY * calcium,
            CALCIUM_SLOW * (calcium - slow),
            made - pde * cgmp,
        ]
    )


def steady(rates_1_s: Array) -> Array:
    """Return the states that rest on some backgrounds, by halving the range of calcium."""
    opsin = OPSIN_GAIN * rates_1_s / OPSIN_DECAY
    pde = (opsin + PDE_DARK) / PDE_DECAY
    low, high = np.zeros_like(opsin), np.full_like(opsin, 2.0 * CALCIUM_DARK)
    state = np.stack([opsin, pde, high, high, high])
    for _ in range(60):
        calcium = 0.5 * (low + high)
        cgmp = CYCLASE_MOST / (1.0 + (calcium / CYCLASE_HALF) ** CYCLASE_HILL) / pde
        state = np.stack([opsin, pde, calcium, calcium, cgmp])
        rising = CALCIUM_GAIN * current_pA(state) > CALCIUM_DECAY * calcium
        low, high = np.where(rising, calcium, low), np.where(rising, high, calcium)
    return state


def flash(rates_1_s: Array, step_s: float = STEP_S, end_s: float = END_S) -> tuple[Array, Array]:
    """Return times and the current in pA that one isomerization suppresses, on each background.

    The flash lasts 10 ms, makes 100 isomerizations and starts at 0, as in ISETBio's own check.
    """
    state = steady(rates_1_s)
    times = np.asarray(step_s * np.arange(round(end_s / step_s) + 1), dtype=np.float64)
    trace = [current_pA(state)]
    for start in times[:-1]:
        rate = rates_1_s + (FLASH_PHOTONS / FLASH_S if start < FLASH_S - 0.5 * step_s else 0.0)
        one = derivative(state, rate)
        two = derivative(state + 0.5 * step_s * one, rate)
        three = derivative(state + 0.5 * step_s * two, rate)
        four = derivative(state + step_s * three, rate)
        state = state + step_s / 6.0 * (one + 2.0 * two + 2.0 * three + four)
        trace.append(current_pA(state))
    return times, (trace[0] - np.stack(trace)) / FLASH_PHOTONS


def features(rate_1_s: float, step_s: float = STEP_S) -> tuple[float, float, float, float]:
    """Return resting current [pA], time of the peak and of its half [ms] and the peak [fA for one isomerization]."""
    background = np.array([rate_1_s])
    times, response = flash(background, step_s)
    trace = response[:, 0]
    top = int(np.argmax(trace))
    before, here, after = trace[top - 1 : top + 2]
    shift = 0.5 * (before - after) / (before - 2.0 * here + after)
    peak = here - 0.25 * (before - after) * shift
    half_s = float(np.interp(0.5 * peak, trace[: top + 1], times[: top + 1]))
    current = float(current_pA(steady(background))[0])
    return current, 1e3 * (times[top] + shift * step_s), 1e3 * half_s, 1e3 * float(peak)


def tables() -> dict[str, object]:
    """Return what `make tables` writes here: decimal logarithms of `features`, and the shape of a response."""
    columns = zip(*(features(10.0**log) for log in LOG_RATES), strict=True)
    times, response = flash(np.array([SHAPE_RATE_1_S]))
    _, peak_ms, _, peak_fA = features(SHAPE_RATE_1_S)
    shape = np.interp(np.array(SHAPE_TIMES) * 1e-3 * peak_ms, times, 1e3 * response[:, 0] / peak_fA)
    names = ("CURRENT", "PEAK_TIME", "HALF_TIME", "PEAK")
    made = {
        name: tuple(round(float(np.log10(x)), 4) for x in column) for name, column in zip(names, columns, strict=True)
    }
    return {**made, "SHAPE": tuple(float(f"{x:.4f}") for x in shape)}


def resting_current_A(cone_rate_1_s: Number) -> Number:
    """Return the current into a cone that has adapted to a steady light [A]: 86 pA in the dark.

    Parameters
    ----------
    cone_rate_1_s : float
        Isomerizations a second of the background.
    """
    return 1e-12 * 10.0 ** np.interp(np.log10(np.maximum(cone_rate_1_s, 1.0)), LOG_RATES, CURRENT)


def peak_time_s(cone_rate_1_s: Number) -> Number:
    """Return the time from the begin of a flash of 10 ms to the peak of the response [s]: 30 ms in the dark.

    Parameters
    ----------
    cone_rate_1_s : float
        Isomerizations a second of the background.
    """
    return 1e-3 * 10.0 ** np.interp(np.log10(np.maximum(cone_rate_1_s, 1.0)), LOG_RATES, PEAK_TIME)


def half_rise_s(cone_rate_1_s: Number) -> Number:
    """Return the time from the begin of a flash of 10 ms to half of the peak [s].

    Parameters
    ----------
    cone_rate_1_s : float
        Isomerizations a second of the background.
    """
    return 1e-3 * 10.0 ** np.interp(np.log10(np.maximum(cone_rate_1_s, 1.0)), LOG_RATES, HALF_TIME)


def flash_peak_A(cone_rate_1_s: Number, isomerizations: Number) -> Number:
    """Return the current that a dim flash suppresses at its peak [A].

    Parameters
    ----------
    cone_rate_1_s : float
        Isomerizations a second of the background.
    isomerizations : float
        Those of the flash; few against what the background makes in a tenth of a second.
    """
    logs = np.interp(np.log10(np.maximum(cone_rate_1_s, 1.0)), LOG_RATES, PEAK)
    return 1e-15 * isomerizations * 10.0**logs


def response_A(time_s: Number, cone_rate_1_s: Number, isomerizations: Number) -> Number:
    """Return the current that a dim flash suppresses, over time [A].

    The shape is that on 2e4 isomerizations a second, stretched to the peak of each background: within 0.1 % of the
    peak there, within 7 % from 1e4 to 3e4, where bright pages lie, and for a third of a second.

    Parameters
    ----------
    time_s : float
        Time since the begin of a flash of 10 ms [s].
    cone_rate_1_s, isomerizations : float
        As in `flash_peak_A`.
    """
    share = np.interp(time_s / peak_time_s(cone_rate_1_s), SHAPE_TIMES, SHAPE)
    return share * flash_peak_A(cone_rate_1_s, isomerizations)
