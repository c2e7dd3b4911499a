"""Balancers: the table is even and barely moves, two choices beat one, and a prefix finds its cache."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from roundtrip.stages.datacenter import balancer

SIZE = 65_537
NAMES = [f"server-{i:03d}" for i in range(100)]


@pytest.fixture(scope="module")
def table() -> list[int]:
    return balancer.maglev_table(NAMES, SIZE)


def test_every_entry_is_filled_and_no_two_servers_differ_by_more_than_one(table: list[int]) -> None:
    counts = Counter(table)
    assert set(counts) == set(range(100))
    assert max(counts.values()) - min(counts.values()) <= 1
    assert max(counts.values()) * 100 / SIZE == pytest.approx(float(balancer.table_peak(100.0, float(SIZE))))


def test_nsdi_2016_section_5_3_a_lost_server_moves_its_own_entries_and_few_others(table: list[int]) -> None:
    fewer = [name for name in NAMES if name != "server-042"]
    after = balancer.maglev_table(fewer, SIZE)
    moved = sum(NAMES[a] != fewer[b] for a, b in zip(table, after, strict=True)) / SIZE
    needed = table.count(42) / SIZE
    assert needed == pytest.approx(0.01, rel=0.01)
    assert needed <= moved < 0.03


def test_the_table_does_not_depend_on_chance(table: list[int]) -> None:
    assert balancer.maglev_table(NAMES, SIZE) == table


def test_packets_of_a_connection_meet_the_same_server_and_connections_spread(table: list[int]) -> None:
    flows = [f"192.0.2.{i % 250}:{1024 + i} 198.51.100.7:443 6" for i in range(20_000)]
    chosen = [balancer.maglev_choose(table, flow) for flow in flows]
    assert chosen == [balancer.maglev_choose(table, flow) for flow in flows]
    counts = np.array(list(Counter(chosen).values()))
    assert counts.size == 100
    assert counts.max() < 200 + 6 * np.sqrt(200)


def simulate(choices: int, load: float, servers: int = 300, arrivals: int = 60_000) -> float:
    """Return the mean number in a queue, by simulation, over the load: by Little's law the slowdown."""
    stream = np.random.default_rng(3)
    queues = np.zeros(servers, dtype=int)
    area = clock = 0.0
    seen = 0
    while seen < arrivals:
        rate = servers * (load + 1.0)
        step = stream.exponential(1.0 / rate)
        if seen > arrivals // 4:
            area += queues.sum() * step
            clock += step
        if stream.random() < load / (load + 1.0):
            picked = stream.integers(0, servers, choices)
            if choices == 2:
                queues[balancer.two_choices(queues, *map(int, picked))] += 1
            else:
                queues[picked[0]] += 1
            seen += 1
        else:
            server = stream.integers(0, servers)
            queues[server] = max(0, queues[server] - 1)
    return area / clock / servers / load


def test_two_choices_agree_with_a_simulation() -> None:
    assert simulate(2, 0.8) == pytest.approx(float(balancer.best_of_slowdown(0.8)), rel=0.06)


def test_one_choice_agrees_with_a_simulation() -> None:
    assert simulate(1, 0.6) == pytest.approx(float(balancer.random_choice_slowdown(0.6)), rel=0.08)


@pytest.mark.parametrize("load", [0.1, 0.5, 0.9, 0.99])
def test_more_choices_help_less_and_less(load: float) -> None:
    one = float(balancer.random_choice_slowdown(load))
    two, three, four = (float(balancer.best_of_slowdown(load, choices=d)) for d in (2, 3, 4))
    assert one > two > three > four > 1.0
    assert one - two > two - three > three - four


def test_prefix_aware_takes_the_cache_unless_it_is_too_busy() -> None:
    prompt = [11, 12, 13, 14]
    cached = [[], [11, 12, 13], [11]]
    assert balancer.prefix_aware(prompt, cached, [0.0, 2.0, 1.0], weight=1.0) == 1
    assert balancer.prefix_aware(prompt, cached, [0.0, 9.0, 1.0], weight=1.0) != 1
    assert balancer.prefix_aware(prompt, cached, [0.0, 2.0, 1.0], weight=0.0) == 0


def test_a_hole_in_the_prefix_ends_the_overlap() -> None:
    assert balancer.prefix_aware([1, 2, 3], [[2, 3], [1]], [0.0, 0.0], weight=1.0) == 1


def test_least_request_takes_the_first_of_equals() -> None:
    assert balancer.least_request([3, 1, 2, 1]) == 1


def test_hits_by_knowledge_and_by_chance() -> None:
    assert balancer.expected_hit(0.5, 1.0, 100.0) == 0.5
    assert balancer.expected_hit(0.5, 0.0, 100.0) == pytest.approx(0.005)
    assert balancer.expected_hit(0.5, 0.0, 1.0) == 0.5
