"""When replicas go down and come up again: as it was said, or drawn from mean times up and down.

The times of a run are the sorted changes of one period that begins anew after its end. What is said has no end; what
is drawn is exponential, for so many failures a replica that a run seldom sees the second period.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roundtrip.fleet.deployment import Deployment

CHANGES = 1 << 18  # drawn in all, at most
FEWEST, MANY = 4, 512  # failures of a replica in a period


def changes(
    deployment: Deployment,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], float]:
    """Return the times of the changes, whose they are, whether they bring the replica up, and the period [s].

    Changes at one time are ordered by replica; a replica that never comes up has no second change.
    """
    replicas = len(deployment.replicas)
    if deployment.mtbf_s > 0.0:
        rng = np.random.default_rng([deployment.seed, 2])
        count = int(np.clip(CHANGES // (2 * replicas), FEWEST, MANY))
        up_s = rng.exponential(deployment.mtbf_s, (replicas, count))
        down_s = rng.exponential(deployment.mttr_s, (replicas, count))
        ends = np.cumsum(up_s + down_s, axis=1)
        times = np.stack([ends - down_s, ends], axis=2).reshape(-1)
        period_s = float(ends.max())
        whose = np.repeat(np.arange(replicas), 2 * count)
        up = np.tile([0, 1], replicas * count)
    else:
        rows = [(t, k, u) for k, a, b in deployment.failures for t, u in ((a, 0), (b, 1)) if np.isfinite(t)]
        times = np.array([t for t, _, _ in rows], float)
        whose, up = np.array([k for _, k, _ in rows], np.int64), np.array([u for *_, u in rows], np.int64)
        period_s = float(np.inf)
    order = np.lexsort((whose, times))
    return times[order], whose[order].astype(np.int64), up[order].astype(np.int64), period_s
