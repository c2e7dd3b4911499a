"""Failures: a part that fails once in six years, sixteen thousand times.

Independent parts fail as a Poisson process whose rates add: n parts of mean time between failures M_1 fail every ``M_1
/ n``. In the 54 days of Meta's published log, 16,384 accelerators saw 419 unplanned stops: one every 3.1 hours, one
per 50,700 accelerator hours [1]_. Rates by server are published as failures per 1,000 server-days [2]_. The law of
rare events holds per *job*; a fleet's observed mean time to failure of small jobs is another statistic (7.9 h at 1,024
accelerators in [2]_, where the rate alone gives 29 h).

References
----------
.. [1] A. Grattafiori et al., "The Llama 3 herd of models", 2024, section 3.3.4 and table 5,
   https://arxiv.org/abs/2407.21783
.. [2] A. Kokolis et al., "Revisiting reliability in large-scale machine learning research clusters", HPCA 2025,
   section III, https://arxiv.org/abs/2410.21680
.. [3] R. E. Barlow and F. Proschan, Mathematical Theory of Reliability, Wiley 1965 (SIAM Classics 17, 1996), chapters
   2 and 4, doi:10.1137/1.9781611971194
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number
from roundtrip.figures.primitives import binomial_tail

SINCE = (1952, "D. J. Davis, An analysis of some failure data (the exponential law of failure)")

HOURS_A_DAY_S = 86_400.0


def mtbf_of_one_s(duration_s: Number, accelerators: Number, interruptions: Number) -> Number:
    """Return the mean time between failures of one accelerator, from the stops that n of them saw [s]."""
    return duration_s * accelerators / interruptions


def fleet_mtbf_s(accelerator_mtbf_s: Number, accelerators: Number) -> Number:
    """Return the mean time between failures of n accelerators that all must work, ``M_1 / n`` [s] [3]_."""
    return accelerator_mtbf_s / accelerators


def fleet_mtbf_by_server_s(
    server_failure_rate: Number, accelerators: Number, accelerators_per_server: Number
) -> Number:
    """Return the same from a failure rate by server, a day [s] [2]_."""
    servers = np.maximum(accelerators / accelerators_per_server, 1.0)
    return HOURS_A_DAY_S / (server_failure_rate * servers)


def expected_interruptions(duration_s: Number, fleet_mtbf_s: Number) -> Number:
    """Return the expected number of stops in a run."""
    return duration_s / fleet_mtbf_s


def undisturbed_chance(duration_s: Number, fleet_mtbf_s: Number) -> Number:
    """Return the chance that nothing fails for a time, ``exp(-t / M)``."""
    return np.exp(-(duration_s / fleet_mtbf_s))


def availability(fleet_mtbf_s: Number, restart_s: Number) -> Number:
    """Return the share of the time in which the run is up, when each stop costs a restart and nothing else."""
    return fleet_mtbf_s / (fleet_mtbf_s + restart_s)


def spares_exhausted_chance(unavailability: Number, *, servers: int = 128, spares: int = 4) -> Number:
    """Return the chance that more servers are out at once than there are spares (binomial tail) [3]_."""
    return binomial_tail(servers + spares, spares, unavailability)
