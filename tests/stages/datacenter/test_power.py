"""Power: what goes in comes out as heat, losses multiply, and DeepSeek's day closes."""

from __future__ import annotations

import pytest

from roundtrip.stages.datacenter import power


def test_losses_of_the_hall_and_of_the_board_multiply() -> None:
    whole = power.delivery_efficiency(0.99, 0.96, 0.95, 0.9)
    assert whole == pytest.approx(0.812592)
    drawn_J = 100.0 + power.hall_loss_J(100.0, 0.99, 0.96)
    assert drawn_J * whole == pytest.approx(100.0 * 0.95 * 0.9)


def test_overhead_and_equipment_are_the_building() -> None:
    assert 100.0 + power.overhead_J(100.0, 1.17) == pytest.approx(117.0)
    assert power.overhead_J(100.0, 1.0) == 0.0


def test_an_ideal_chain_loses_nothing() -> None:
    assert power.hall_loss_J(5.0, 1.0, 1.0) == 0.0


def test_electrons_carry_the_energy_at_the_voltage() -> None:
    electrons = power.chip_electrons(700.0, 0.95, 0.9, 0.8)
    assert electrons * 1.602176634e-19 * 0.8 == pytest.approx(700.0 * 0.95 * 0.9)
    assert electrons * 1.602176634e-19 == pytest.approx(float(power.chip_current_A(700.0 * 0.95 * 0.9, 0.8)))


def test_heat_of_evaporation_bounds_what_a_dry_drain_uses() -> None:
    least = power.evaporated_L(3.6e6, 50.0)
    assert power.evaporated_L(3.6e6, 4.0) == pytest.approx(float(least) * (4 / 3) / (50 / 49))
    assert 1.4 < least < 1.6


def test_water_carbon_and_money_are_linear_in_kilowatt_hours() -> None:
    assert power.water_on_site_L(3.6e6, 1.18) == 1.18
    assert power.water_off_site_L(7.2e6, 3.0) == 6.0
    assert power.carbon_g(1.8e6, 400.0) == 200.0
    assert power.electricity_cost_usd(3.6e6, 0.1) == pytest.approx(0.1)


def test_deepseek_day_6_the_published_rates_close_with_the_published_nodes() -> None:
    """608e9 prompt tokens at 73,700 a second and 168e9 answer tokens at 14,800 fill 226.75 nodes for a day."""
    read_J = 608e9 * power.node_energy_per_token_J(8.0, 700.0, 73_700.0)
    written_J = 168e9 * power.node_energy_per_token_J(8.0, 700.0, 14_800.0)
    assert read_J + written_J == pytest.approx(226.75 * 8 * 700.0 * 86_400.0, rel=1e-3)


def test_a_request_from_its_operations_falls_with_the_share_of_the_peak() -> None:
    once = power.peak_share_request_J(37e9, 500.0, 989e12, 0.1, 892.5, 1.2)
    assert power.peak_share_request_J(37e9, 500.0, 989e12, 0.2, 892.5, 1.2) == pytest.approx(once / 2.0)
    assert power.peak_share_request_J(37e9, 1000.0, 989e12, 0.1, 892.5, 1.2) == pytest.approx(once * 2.0)
