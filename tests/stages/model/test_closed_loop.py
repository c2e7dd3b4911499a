"""Clients who ask again as soon as they have an answer."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.model import closed_loop as loop


def test_harchol_balter_23_1_mean_wait_of_m_d_1() -> None:
    assert loop.turn_wait_s(0.8, 1e9, 1.0) == pytest.approx(2.0, rel=1e-6)


def test_a_client_alone_waits_for_nobody() -> None:
    assert loop.turn_wait_s(0.5, 1.0, 3.0) == 0.0
    assert loop.wave_wait_s(1.0, 0.3, 3.0) == 0.0
    assert loop.running_step_wait_s(1.0, 3.0) == 0.0
    assert loop.place_wait_s(1.0, 1.0, 100.0, 0.01) == 0.0


@given(st.floats(1.0, 1e4), st.floats(1.0, 1e4), st.floats(1e-4, 1.0), st.floats(0.0, 100.0))
def test_no_more_write_than_there_are_clients(clients: float, tokens: float, token_s: float, first_s: float) -> None:
    streams = loop.writing_streams(clients, tokens, token_s, first_s)
    assert 0.0 < streams <= clients * (1.0 + 1e-12)
    rate = streams / (tokens * token_s)
    assert rate * (tokens * token_s + first_s) == pytest.approx(clients), "Little's law"


def test_wave_is_the_mean_over_a_queue_that_starts_full() -> None:
    """Ten clients start at once before a reader that takes 2 s each: they wait 0, 2, ... 18 s."""
    assert loop.wave_wait_s(10.0, 1.0, 2.0) == pytest.approx(np.mean([2.0 * i for i in range(10)]))


def test_groups_between_one_after_the_other_and_all_at_once() -> None:
    assert loop.reading_groups(8.0, 0.0) == 1.0
    assert loop.reading_groups(8.0, 1.0) == 8.0
    assert 1.0 < loop.reading_groups(8.0, 0.5) < 8.0


def test_load_grows_with_streams_and_stays_below_one() -> None:
    found = [loop.reading_load(n, 100.0, 0.01, 0.1, 0.02) for n in (1.0, 10.0, 1e6)]
    assert found[0] < found[1] < found[2] == 0.95


def test_too_many_clients_wait_for_a_place_as_in_a_plain_simulation() -> None:
    """Clients with answers of equal length and few places: the mean wait of those who come back, stepped through."""
    clients, places, answer = 12, 4, 5.0
    free = [0.0] * places
    ask = [(0.0, i) for i in range(clients)]
    heapq.heapify(ask)
    waits: list[float] = []
    for _ in range(4000):
        at, who = heapq.heappop(ask)
        start = max(at, heapq.heappop(free))
        waits.append(start - at)
        heapq.heappush(free, start + answer)
        heapq.heappush(ask, (start + answer, who))
    assert loop.place_wait_s(clients, places, 1.0, answer) == pytest.approx(np.mean(waits[1000:]), rel=0.01)


def test_clients_cost_by_their_root() -> None:
    assert loop.client_wait_s(100.0, 0.01) == pytest.approx(0.1)
