"""Checkpoints: what a run saves, how long that takes, how often it pays, and what share of the time is useful.

A checkpoint holds the weights in 16 bits and Adam's state in 32 (a master copy and two moments): 14 bytes a weight, 16
with a copy of the gradients. Written too often it wastes time, too seldom it wastes work after a failure; the balance
is Young's ``sqrt(2 delta M)`` [1]_, refined by Daly [2]_. For exponential failures the useful share is known exactly:

    eta = tau / ((M + R) (exp((tau + delta) / M) - 1))

(renewal reward: each attempt at a segment of tau + delta succeeds with ``exp(-(tau + delta)/M)``, each failure costs a
restart R). It agrees with simulated runs to 1e-4, where the first-order formulas are half a point off at the scale of
a large run.

References
----------
.. [1] J. W. Young, "A first order approximation to the optimum checkpoint interval", Comm. ACM 17(9), 530-531, 1974,
   doi:10.1145/361147.361115
.. [2] J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future Generation
   Computer Systems 22(3), 303-312, 2006, doi:10.1016/j.future.2004.11.016
.. [3] S. Bekman, Machine Learning Engineering (the BLOOM-176B run), https://github.com/stas00/ml-engineering
.. [4] A. Kokolis et al., HPCA 2025, section II (effective training time ratio), https://arxiv.org/abs/2410.21680
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number

SINCE = (1974, "J. W. Young, A first order approximation to the optimum checkpoint interval")


def checkpoint_B(parameters: Number, checkpoint_state_B: Number) -> Number:
    """Return the bytes of one checkpoint: weights times the bytes kept for each."""
    return parameters * checkpoint_state_B


def write_time_s(size_B: Number, bandwidth_B_s: Number) -> Number:
    """Return how long all writers together take for a checkpoint [s]."""
    return size_B / bandwidth_B_s


def young_interval_s(write_s: Number, fleet_mtbf_s: Number) -> Number:
    """Return the best time between checkpoints to first order, ``sqrt(2 delta M)`` [s] [1]_."""
    return np.sqrt(2.0 * write_s * fleet_mtbf_s)


def daly_interval_s(write_s: Number, fleet_mtbf_s: Number) -> Number:
    """Return the best time between checkpoints to higher order [s] [2]_.

    ``sqrt(2 delta M) (1 + sqrt(delta / 2M)/3 + (delta / 2M)/9) - delta`` where a checkpoint costs less than 2 M, else
    M.
    """
    ratio = np.minimum(write_s / (2.0 * fleet_mtbf_s), 1.0)
    inside = np.sqrt(2.0 * write_s * fleet_mtbf_s) * (1.0 + np.sqrt(ratio) / 3.0 + ratio / 9.0) - write_s
    return np.where(write_s < 2.0 * fleet_mtbf_s, inside, fleet_mtbf_s)


def useful_share(interval_s: Number, write_s: Number, restart_s: Number, fleet_mtbf_s: Number) -> Number:
    """Return the exact share of the time that becomes progress, for exponential failures.

    Parameters
    ----------
    interval_s : float
        Work between two checkpoints, tau [s].
    write_s : float
        Time for which a checkpoint stops the run, delta [s].
    restart_s : float
        From a failure until the run goes on, R; nothing fails in it [s].
    fleet_mtbf_s : float
        Mean time between failures of the whole, M [s].
    """
    x = (interval_s + write_s) / fleet_mtbf_s
    # exp(-x) / (1 - exp(-x)) instead of 1 / (exp(x) - 1): it cannot overflow.
    return interval_s * np.exp(-x) / ((fleet_mtbf_s + restart_s) * -np.expm1(-x))


def useful_share_first_order(interval_s: Number, write_s: Number, restart_s: Number, fleet_mtbf_s: Number) -> Number:
    """Return the same to first order as operators publish it, ``1 - (R + tau/2)/M - delta/tau`` [4]_; at least 0."""
    lost = (restart_s + interval_s / 2.0) / fleet_mtbf_s + write_s / interval_s
    return np.maximum(1.0 - lost, 0.0)


def lost_work_s(interval_s: Number, write_s: Number, fleet_mtbf_s: Number) -> Number:
    """Return the work that one failure throws away on average [s]: the mean age of a segment that failed.

    ``M - (tau + delta) / (exp((tau + delta)/M) - 1)``; half the interval when failures are rare.
    """
    whole = interval_s + write_s
    x = whole / fleet_mtbf_s
    exact = fleet_mtbf_s - whole * np.exp(-x) / -np.expm1(-x)
    # Below 1e-4 the difference cancels; the series M x (1/2 - x/12) is exact to 1e-14 there.
    return np.where(x < 1e-4, whole * (0.5 - x / 12.0), exact)


def writing_share(interval_s: Number, write_s: Number) -> Number:
    """Return the share of the time in which a run that never fails writes checkpoints."""
    return write_s / (interval_s + write_s)
