"""Waits for lost packets: against a simulation of the same timers, and how they grow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.network import loss, quic, tcp

TRIP_S, VARIATION_S = 0.08, 0.005


def _waits(packets: float, by_quic: bool = False) -> dict[str, float]:
    if by_quic:
        probe = float(quic.probe_timeout_s(TRIP_S, VARIATION_S))
        return {"fast_s": float(quic.later_packet_wait_s(TRIP_S)), "tail_s": probe, "timeout_s": probe}
    timeout = loss.retransmission_timeout_s(TRIP_S, VARIATION_S)
    tail = loss.tail_wait_s(loss.probe_timeout_s(TRIP_S, packets), timeout)
    return {"fast_s": float(loss.fast_wait_s(TRIP_S)), "tail_s": float(tail), "timeout_s": float(timeout)}


def _simulate(packets: int, share: float, fast_s: float, tail_s: float, timeout_s: float, runs: int) -> float:
    """Send message after message; each lost packet goes again until it arrives; return the mean delay of the whole."""
    stream = np.random.default_rng(11)
    delays = np.zeros(runs)
    for run in np.flatnonzero((lost := stream.random((runs, packets)) < share).any(axis=1)):
        tail_lost = lost[run, -1]
        worst = 0.0
        for _ in range(int(lost[run].sum())):
            # The probe that mends the tail also gives away what was lost before it.
            delay, timeout, tries = tail_s if tail_lost else fast_s, timeout_s, 0
            while stream.random() < share and tries < 6:
                delay, timeout, tries = delay + timeout, 2.0 * timeout, tries + 1
            worst = max(worst, delay)
        delays[run] = worst
    return float(delays.mean())


@pytest.mark.parametrize("by_quic", [False, True])
@pytest.mark.parametrize(("packets", "share"), [(1, 0.05), (2, 0.02), (7, 0.01), (20, 0.003)])
def test_mean_wait_equals_a_simulation_packet_by_packet(packets: int, share: float, by_quic: bool) -> None:
    waits = _waits(packets, by_quic)
    said = float(loss.message_wait_s(float(packets), share, **waits))
    assert said == pytest.approx(_simulate(packets, share, **waits, runs=60_000), rel=0.06)


@given(st.floats(1e-9, 0.5), st.floats(1e-9, 0.5), st.integers(1, 200))
def test_more_loss_never_waits_less(one: float, other: float, packets: int) -> None:
    waits = _waits(packets)
    low, high = sorted((one, other))
    assert loss.message_wait_s(packets, low, **waits) <= loss.message_wait_s(packets, high, **waits) * (1.0 + 1e-12)
    assert loss.opening_wait_s(low) <= loss.opening_wait_s(high)
    assert 1.0 <= loss.sends(low) <= loss.sends(high) <= 2.0


@given(st.integers(2, 500), st.integers(2, 500), st.floats(1e-9, 0.2))
def test_longer_messages_never_wait_less(one: int, other: int, share: float) -> None:
    low, high = sorted((one, other))
    waits = _waits(5)
    assert loss.message_wait_s(low, share, **waits) <= loss.message_wait_s(high, share, **waits) * (1.0 + 1e-12)


@given(st.floats(1e-3, 1.0), st.floats(1e-3, 1.0))
def test_a_longer_way_never_learns_sooner(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert loss.retransmission_timeout_s(low, 0.01) <= loss.retransmission_timeout_s(high, 0.01)
    assert loss.fast_wait_s(low) < loss.probe_timeout_s(low, 5.0) <= loss.probe_timeout_s(low, 1.0)
    assert quic.probe_timeout_s(low, 0.01) <= quic.probe_timeout_s(high, 0.01)


def test_no_loss_no_wait() -> None:
    assert loss.message_wait_s(100.0, 0.0, **_waits(100)) == 0.0
    assert loss.opening_wait_s(0.0) == 0.0
    assert loss.sends(0.0) == 1.0


def test_without_probes_a_transfer_with_loss_takes_about_five_times_as_long_flach_2013_abstract() -> None:
    # Timeouts alone, as the servers of the study had; a page of a few packets over the 40 to 100 ms of its readers.
    times = []
    for trip_s in (0.04, 0.06, 0.1):
        timeout = loss.retransmission_timeout_s(trip_s, 0.0)
        times.append(float((trip_s + timeout) / trip_s))
    assert 3.0 < np.mean(times) < 7.0


def test_quic_learns_of_a_lost_token_sooner_than_tcp() -> None:
    assert _waits(1, by_quic=True)["tail_s"] < 0.6 * _waits(1)["tail_s"]


def test_mathis_1997_is_the_rate_of_a_window_that_halves_once_in_1_over_p_segments() -> None:
    for share in (1e-3, 1e-4, 1e-5):
        window, since, sent, trips = 10.0, 0.0, 0.0, 0
        while trips < 200_000:
            sent, since, trips = sent + window, since + window, trips + 1
            if since >= 1.0 / share:
                window, since = 0.5 * window, since - 1.0 / share
            else:
                window += 1.0
        rate = 8.0 * 1460.0 * sent / (trips * 0.1)
        assert tcp.loss_rate_bit_s(1460.0, 0.1, share) == pytest.approx(rate, rel=0.04)
