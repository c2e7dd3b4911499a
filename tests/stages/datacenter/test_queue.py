"""The queue: Erlang's recursion, its expansion, the quantile of the wait, and a simulation that knows none of them."""

from __future__ import annotations

import heapq
import math

import numpy as np
import pytest

from roundtrip.stages.datacenter import queue


def textbook_c(servers: int, load: float) -> float:
    """Return Erlang's C by its definition, in logarithms."""
    top = servers * math.log(load) - math.lgamma(servers + 1) - math.log(1.0 - load / servers)
    terms = [i * math.log(load) - math.lgamma(i + 1) for i in range(servers)]
    return 1.0 / (1.0 + sum(math.exp(t - top) for t in terms))


@pytest.mark.parametrize(("servers", "utilization"), [(1, 0.3), (2, 0.9), (8, 0.8), (40, 0.95), (64, 0.5)])
def test_recursion_equals_the_definition(servers: int, utilization: float) -> None:
    assert queue.waiting_probability(float(servers), utilization) == pytest.approx(
        textbook_c(servers, servers * utilization)
    )


@pytest.mark.parametrize("servers", [10, 50, 100, 700, 3000])
@pytest.mark.parametrize("utilization", [0.55, 0.8, 0.9, 0.99, 0.999])
def test_expansion_equals_the_definition_within_1e_4(servers: int, utilization: float) -> None:
    exact = textbook_c(servers, servers * utilization)
    assert queue.waiting_probability_many(float(servers), utilization) == pytest.approx(exact, rel=1e-4)


@pytest.mark.parametrize(("servers", "utilization"), [(1, 0.1), (1, 0.9), (2, 0.5), (3, 0.2)])
def test_expansion_is_within_one_percent_for_few_places(servers: int, utilization: float) -> None:
    exact = textbook_c(servers, servers * utilization)
    assert queue.waiting_probability_many(float(servers), utilization) == pytest.approx(exact, rel=0.01)


def test_nobody_waits_before_an_empty_server_and_everybody_before_a_full_one() -> None:
    assert queue.waiting_probability_many(100.0, 0.0) == 0.0
    assert queue.waiting_probability_many(100.0, 0.9999999) == pytest.approx(1.0, abs=1e-4)


def test_the_mean_is_the_integral_of_the_quantile() -> None:
    phase = (np.arange(200_000) + 0.5) / 200_000
    waits = queue.wait_quantile_s(phase, 0.4, 10.0, 0.8, 2.0, 1.0)
    assert waits.mean() == pytest.approx(float(queue.mean_wait_s(0.4, 10.0, 0.8, 2.0, 1.0)), rel=1e-3)


def test_the_lucky_share_does_not_wait_at_all() -> None:
    assert queue.wait_quantile_s(0.59, 0.4, 10.0, 0.8, 2.0, 1.0) == 0.0
    assert queue.wait_quantile_s(0.61, 0.4, 10.0, 0.8, 2.0, 1.0) > 0.0


def test_the_worst_luck_is_finite() -> None:
    assert np.isfinite(queue.wait_quantile_s(1.0, 1.0, 1.0, 0.999, 1e5, 100.0))


def simulate(servers: int, utilization: float, arrivals: int) -> np.ndarray:
    """Return the waits of M/M/k by simulation, service of mean 1."""
    stream = np.random.default_rng(11)
    free = [0.0] * servers
    heapq.heapify(free)
    now = 0.0
    waits = np.empty(arrivals)
    for i, (gap, service) in enumerate(
        zip(stream.exponential(1.0 / (servers * utilization), arrivals), stream.exponential(1.0, arrivals), strict=True)
    ):
        now += gap
        start = max(now, heapq.heappop(free))
        heapq.heappush(free, start + service)
        waits[i] = start - now
    return waits[arrivals // 10 :]


def test_harchol_balter_14_2_against_a_simulation() -> None:
    waits = simulate(8, 0.85, 300_000)
    probability = queue.waiting_probability(8.0, 0.85)
    assert np.mean(waits > 0.0) == pytest.approx(float(probability), rel=0.05)
    assert waits.mean() == pytest.approx(float(queue.mean_wait_s(probability, 8.0, 0.85, 1.0, 1.0)), rel=0.08)
    for phase in (0.5, 0.9, 0.99):
        ours = float(queue.wait_quantile_s(phase, probability, 8.0, 0.85, 1.0, 1.0))
        assert np.quantile(waits, phase) == pytest.approx(ours, rel=0.12, abs=0.01)


def test_one_server_is_pollaczek_and_khinchine() -> None:
    for variation in (0.0, 1.0, 4.0):
        many = queue.mean_wait_s(queue.waiting_probability(1.0, 0.7), 1.0, 0.7, 2.0, variation)
        assert many == pytest.approx(float(queue.single_server_wait_s(0.7, 2.0, variation)))


def test_more_places_at_the_same_load_wait_less() -> None:
    waits = [
        float(queue.mean_wait_s(queue.waiting_probability_many(k, 0.9), k, 0.9, 1.0, 1.0))
        for k in (1.0, 4.0, 64.0, 700.0)
    ]
    assert waits == sorted(waits, reverse=True)


def test_joining_waits_half_a_step_on_average_and_little_counts_it() -> None:
    phase = np.linspace(0.0, 1.0, 1001)
    assert queue.join_wait_s(phase, 0.05).mean() == pytest.approx(0.025)
    assert queue.in_system(4.0, 25.0) == 100.0
