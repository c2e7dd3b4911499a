"""The queue before the model: waiting for a place, then for the step that is running.

A server that batches continuously [1]_ is a queue with as many servers as it has places: each answer holds one place
from its first prompt token to its last word. The probability that all k places are taken is Erlang's C [2]_, and the
wait of those who wait is exponential, so that its quantile is

``W(u) = max(0, ln(C / (1 - u))) t / (k (1 - rho)) (1 + c^2)/2``

with the service time t, the share of places in use rho and the squared coefficient of variation c^2 of the service (the
Lee-Longton correction of M/M/k to M/G/k [3]_). Who has a place joins at the next step: ``u_j t_step`` more.

With thousands of places Erlang's recursion is long; `waiting_probability_many` gives the same number in one step from
Temme's uniform expansion of the incomplete gamma function [4]_ [5]_: ``1/B = 1 + (1 + 1/(12 k)) (sqrt(k) Phi(a)/phi(a)
+ 1/eta - 1/(1 - rho))`` with ``eta^2 = 2 (rho - 1 - ln rho)`` and ``a = eta sqrt(k)``. It is within 1 % from one place
on, and within 1e-4 from ten.

References
----------
.. [1] G.-I. Yu, J. S. Jeong, G.-W. Kim, S. Kim and B.-G. Chun, "Orca: A Distributed Serving System for
   Transformer-Based Generative Models", OSDI 2022, https://www.usenix.org/conference/osdi22/presentation/yu
.. [2] M. Harchol-Balter, Performance Modeling and Design of Computer Systems, Cambridge University Press 2013,
   sections 14.2 (M/M/k) and 23.1 (M/G/1), doi:10.1017/CBO9781139226424
.. [3] A. M. Lee and P. A. Longton, "Queueing processes associated with airline passenger check-in", Operational
   Research Quarterly 10(1), 1959, doi:10.1057/jors.1959.5
.. [4] A. J. E. M. Janssen, J. S. H. van Leeuwaarden and B. Zwart, "Refining Square-Root Safety Staffing by Expanding
   Erlang C", Operations Research 59(6), 2011, doi:10.1287/opre.1110.0991
.. [5] N. M. Temme, NIST Digital Library of Mathematical Functions, 8.12, https://dlmf.nist.gov/8.12
"""

from __future__ import annotations

import numpy as np

from roundtrip.figures.graph import Number
from roundtrip.figures.primitives import erfc, erlang_c

SINCE = (1917, "A. K. Erlang, Solution of some problems in the theory of probabilities, Elektroteknikeren 13")


def waiting_probability(servers: Number, utilization: Number) -> Number:
    """Return the probability that all places are taken, by Erlang's recursion.

    Parameters
    ----------
    servers : float
        Places k, a whole number.
    utilization : float
        Share of them in use, below 1.
    """
    return erlang_c(servers, servers * utilization)


def waiting_probability_many(places: Number, utilization: Number) -> Number:
    """Return the probability that all places are taken, by the expansion for many places [4]_.

    Parameters
    ----------
    places : float
        Places k, from 1 to tens of thousands; it need not be whole.
    utilization : float
        Share of them in use, below 1.
    """
    rho = np.maximum(utilization, 1e-9)
    eta = np.sqrt(2.0 * (rho - 1.0 - np.log(rho)))
    density = np.exp(-0.5 * places * eta * eta) / np.sqrt(2.0 * np.pi)
    below = 1.0 - 0.5 * erfc(eta * np.sqrt(0.5 * places))
    # 1/B times the density: where all places are next to never taken both vanish, and so does B.
    series = 1.0 + 1.0 / (12.0 * places)
    free = density + series * (np.sqrt(places) * below + density * (1.0 / eta - 1.0 / (1.0 - rho)))
    blocked = density / free
    return blocked / (1.0 - rho * (1.0 - blocked))


def mean_wait_s(
    wait_probability: Number, places: Number, utilization: Number, service_time_s: Number, service_variation: Number
) -> Number:
    """Return the mean wait for a place, ``C t / (k (1 - rho)) (1 + c^2)/2`` [3]_ [s].

    Parameters
    ----------
    wait_probability : float
        Probability C that all places are taken.
    places : float
        Places k.
    utilization : float
        Share of them in use.
    service_time_s : float
        Mean time that an answer holds its place [s].
    service_variation : float
        Squared coefficient of variation of that time: 0 constant, 1 exponential.
    """
    return wait_probability * service_time_s / (places * (1.0 - utilization)) * (0.5 * (1.0 + service_variation))


def wait_quantile_s(
    queue_phase: Number,
    wait_probability: Number,
    places: Number,
    utilization: Number,
    service_time_s: Number,
    service_variation: Number,
) -> Number:
    """Return the wait for a place that a share `queue_phase` of the prompts does not exceed [2]_ [s].

    Zero up to the share ``1 - C`` that does not wait at all. The worst one in 1e9 bounds it.

    Parameters
    ----------
    queue_phase : float
        Luck u, the quantile: 0.5 the median, 0.99 the unluckiest in a hundred.
    wait_probability : float
        Probability C that all places are taken.
    places : float
        Places k.
    utilization : float
        Share of them in use.
    service_time_s : float
        Mean time that an answer holds its place [s].
    service_variation : float
        Squared coefficient of variation of that time.
    """
    unlucky = np.maximum(1.0 - queue_phase, 1e-9)
    means = np.maximum(np.log(np.maximum(wait_probability, 1e-300)) - np.log(unlucky), 0.0)
    return means * (service_time_s / (places * (1.0 - utilization)) * (0.5 * (1.0 + service_variation)))


def join_wait_s(join_phase: Number, step_duration_s: Number) -> Number:
    """Return the wait for the running step to end: a batch takes newcomers between two steps [1]_ [s].

    Parameters
    ----------
    join_phase : float
        Part of the step that is still to run, between 0 and 1.
    step_duration_s : float
        Time of one step of the whole batch [s].
    """
    return join_phase * step_duration_s


def single_server_wait_s(utilization: Number, service_time_s: Number, service_variation: Number) -> Number:
    """Return the mean wait before one server, M/G/1, by Pollaczek and Khinchine: ``rho/(1-rho) t (1+c^2)/2`` [2]_ [s].

    Parameters
    ----------
    utilization : float
        Share of its time in use.
    service_time_s : float
        Mean service time [s].
    service_variation : float
        Squared coefficient of variation of that time.
    """
    return utilization / (1.0 - utilization) * service_time_s * (0.5 * (1.0 + service_variation))


def in_system(arrival_rate: Number, time_s: Number) -> Number:
    """Return how many prompts are inside on average, by Little's law, ``L = lambda W``.

    Parameters
    ----------
    arrival_rate : float
        Prompts a second [1/s].
    time_s : float
        Mean time from arrival to departure [s].
    """
    return arrival_rate * time_s
