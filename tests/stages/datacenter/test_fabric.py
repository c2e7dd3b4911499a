"""The fabric: what cutting through saves, what error correction costs, how many hosts a tree joins."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from roundtrip.stages.datacenter import fabric


def test_storing_costs_a_frame_at_each_hop_and_cutting_through_none() -> None:
    stored = fabric.switch_s(1538.0, 1e11, 3e-7, 0.0)
    through = fabric.switch_s(1538.0, 1e11, 3e-7, 1.0)
    assert stored - through == pytest.approx(123.04e-9)
    assert through == 3e-7


def test_a_path_is_its_parts() -> None:
    whole = fabric.path_s(3.0, 5e-7, 1.2e-7, 204.0, 2.04e8)
    assert whole == pytest.approx(1.5e-6 + 0.48e-6 + 1e-6)
    assert fabric.path_s(0.0, 5e-7, 0.0, 204.0, 2.04e8) == pytest.approx(fabric.cable_s(204.0, 2.04e8))


def test_neat_2018_a_block_takes_an_eighth_of_the_time_on_an_eight_times_faster_line() -> None:
    assert fabric.fec_s(5440.0, 5e10, 0.0) == pytest.approx(8.0 * fabric.fec_s(5440.0, 4e11, 0.0))


def test_bell_system_1953_two_tiers_of_64_ports_join_2048_hosts() -> None:
    assert fabric.tree_hosts(64.0) == 2048.0
    assert fabric.tree_hosts(64.0, tiers=1) == 64.0
    assert fabric.tree_hosts(48.0, tiers=3) == 48.0**3 / 4.0


def test_flows_spread_over_equal_paths_and_stay_on_theirs() -> None:
    flows = [f"10.0.0.{i % 256}:{i} 10.1.0.1:443 6" for i in range(16_000)]
    chosen = [fabric.equal_cost_path(flow, 16) for flow in flows]
    assert chosen == [fabric.equal_cost_path(flow, 16) for flow in flows]
    counts = np.array([Counter(chosen)[i] for i in range(16)])
    assert counts.min() > 1000 - 6 * np.sqrt(1000)
    assert counts.max() < 1000 + 6 * np.sqrt(1000)


def test_photons_times_their_energy_are_the_light() -> None:
    photons = fabric.link_photons(1500.0, 4e11, 4e-3, 1310e-9)
    energy_J = photons * 6.62607015e-34 * 299_792_458.0 / 1310e-9
    assert energy_J == pytest.approx(4e-3 * 1500 * 8 / 4e11)


def test_a_switch_shares_its_power_among_what_it_carries() -> None:
    idle = fabric.share_energy_J(1500.0, 800.0, 5.12e13, 0.1)
    busy = fabric.share_energy_J(1500.0, 800.0, 5.12e13, 1.0)
    assert idle == pytest.approx(10.0 * busy)
    assert busy / (1500 * 8) == pytest.approx(800 / 5.12e13)
