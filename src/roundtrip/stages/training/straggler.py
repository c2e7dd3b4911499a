"""The straggler: a step ends when the slowest accelerator is done, so all run at the pace of the worst.

If the times of n accelerators are normal with mean t and standard deviation c t, the step lasts ``t (1 + c E_n)``
where E_n is the expected maximum of n standard normals: 1.42 for 8, 3.25 for 1,024, 3.97 for 16,384. It is computed
exactly, as an integral [1]_ (the square root of 2 ln n is 11 % too high at 16,384).

Two kinds of spread behave differently. *Jitter* is drawn anew for each micro-batch and shrinks by the square root of m
before the barrier; a *persistent* difference between chips (silicon, cooling) does not shrink at all. Over the whole
run both act together as one normal of variance ``c_p^2 + c_j^2 / m``, so the expectation stays exact.

References
----------
.. [1] H. L. Harter, "Expected values of normal order statistics", Biometrika 48, 151-165, 1961,
   doi:10.1093/biomet/48.1-2.151
.. [2] P. Sinha et al., "Not all GPUs are created equal: characterizing variability in large-scale, accelerator-rich
   systems", SC 2022, https://arxiv.org/abs/2208.11035
.. [3] J. Lin et al., "Understanding stragglers in large model training using what-if analysis", 2025,
   https://arxiv.org/abs/2505.05713
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number
from roundtrip.figures.primitives import normal_max

SINCE = (1990, "L. G. Valiant, A bridging model for parallel computation (bulk-synchronous steps with a barrier)")


def expected_maximum(ranks: Number) -> Number:
    """Return the expected maximum of n standard normals, in standard deviations [1]_."""
    return np.where(ranks > 1.0, normal_max(ranks), 0.0)


def step_spread(persistent_spread: Number, jitter_spread: Number, micro_batches: Number) -> Number:
    """Return the spread of one accelerator's step: what stays, and what the micro-batches average out."""
    return np.sqrt(persistent_spread * persistent_spread + jitter_spread * jitter_spread / micro_batches)


def slowest_over_mean(ranks: Number, persistent_spread: Number, jitter_spread: Number, micro_batches: Number) -> Number:
    """Return the expected time of the slowest of n accelerators over that of the mean one."""
    return 1.0 + step_spread(persistent_spread, jitter_spread, micro_batches) * normal_max(ranks)


def barrier_wait_s(
    training_step_s: Number, ranks: Number, persistent_spread: Number, jitter_spread: Number, micro_batches: Number
) -> Number:
    """Return for how long the mean accelerator waits at the barrier of one step [s].

    Parameters
    ----------
    training_step_s : float
        Step of an accelerator of mean speed [s].
    ranks : float
        Accelerators that meet at the barrier.
    persistent_spread, jitter_spread : float
        Standard deviation over the mean, between accelerators and between micro-batches.
    micro_batches : float
        Micro-batches of a step.
    """
    return training_step_s * (slowest_over_mean(ranks, persistent_spread, jitter_spread, micro_batches) - 1.0)


def spread_of_range(speed_range: Number, ranks: Number) -> Number:
    """Return the standard deviation behind a range (largest minus smallest over the median) seen among n chips.

    The expected range of n normals is twice their expected maximum; surveys publish ranges [2]_.
    """
    return speed_range / np.maximum(2.0 * normal_max(ranks), 1e-3)


def wasted_energy_J(duration_s: Number, ranks: Number, accelerator_power_W: Number) -> Number:
    """Return the energy that n accelerators draw while they wait for one [J]."""
    return duration_s * ranks * accelerator_power_W
