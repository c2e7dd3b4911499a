"""Energy of a run and its share in one token."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.training import energy

joules = st.floats(1.0, 1e16)


def test_deepseek_v3_at_rated_power_is_two_gigawatt_hours() -> None:
    assert energy.run_energy_J(2.788e6, 700.0, 1.0) / 3.6e12 == pytest.approx(1.95, abs=0.005)


@given(st.floats(1.0, 1e8), st.floats(100.0, 2000.0), st.floats(1.0, 2.0))
def test_energy_is_a_product(hours: float, power: float, pue: float) -> None:
    assert energy.run_energy_J(2.0 * hours, power, pue) == pytest.approx(2.0 * energy.run_energy_J(hours, power, pue))
    assert energy.run_energy_J(hours, power, pue) >= energy.run_energy_J(hours, power, 1.0)


@given(joules, st.floats(1.0, 1e18))
def test_shares_add_up_to_the_run(total: float, tokens: float) -> None:
    assert energy.share_of_token_J(total, tokens) * tokens == pytest.approx(total)


@given(joules, st.floats(1e-3, 1e6))
def test_that_many_requests_use_the_same(total: float, request: float) -> None:
    assert energy.requests_until_equal(total, request) * request == pytest.approx(total)


def test_a_kilowatt_hour_costs_its_price_and_carbon() -> None:
    assert energy.run_price_usd(3.6e6, 0.08) == pytest.approx(0.08)
    assert energy.run_carbon_g(3.6e6, 414.0) == pytest.approx(414.0)
