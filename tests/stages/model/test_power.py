"""Power of a step: floors, limits, and what batches touch."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.model import power

watts, joules, seconds = st.floats(50.0, 2000.0), st.floats(0.0, 1e4), st.floats(1e-4, 10.0)


def test_a_chip_at_its_peak_and_rated_power_costs_its_floor_nvidia_h100_datasheet() -> None:
    """700 W at 989.4 Tflop/s."""
    assert np.isclose(power.energy_per_flop_J(700.0, 989.4e12, 1.0), 0.7075e-12, rtol=1e-3)


@given(seconds, joules, st.integers(1, 64), watts, st.floats(0.05, 0.9))
def test_no_chip_draws_more_than_its_limit(
    time_s: float, work_J: float, chips: int, limit_W: float, share: float
) -> None:
    standing_W = power.standing_power_W(limit_W, share)
    held_s = power.limited_time_s(time_s, work_J, float(chips), limit_W, standing_W)
    energy_J = power.step_energy_J(held_s, work_J, float(chips), standing_W)
    assert held_s >= time_s
    assert energy_J <= chips * limit_W * held_s * (1.0 + 1e-9)
    assert energy_J >= chips * standing_W * held_s


def test_below_its_limit_a_step_takes_its_own_time_and_at_it_the_power_is_the_limit() -> None:
    assert power.limited_time_s(0.02, 1.0, 1.0, 700.0, 350.0) == 0.02
    held_s = power.limited_time_s(0.02, 14.0, 1.0, 700.0, 350.0)
    assert np.isclose(held_s, 0.04)
    assert np.isclose(power.step_energy_J(held_s, 14.0, 1.0, 350.0) / held_s, 700.0)


def test_a_standing_share_above_the_limit_leaves_a_thousandth_for_work() -> None:
    assert np.isclose(power.limited_time_s(0.0, 7.0, 1.0, 700.0, 900.0), 10.0)


@given(st.floats(1.0, 1e6), st.floats(0.1, 1.0))
def test_like_tokens_count_as_at_most_as_many_and_one_as_one(tokens: float, exponent: float) -> None:
    assert 1.0 <= power.independent_tokens(tokens, exponent) <= tokens * (1.0 + 1e-12)
    assert power.independent_tokens(1.0, exponent) == 1.0


def test_rare_prompts_have_steps_of_their_own_and_many_are_in_every_step() -> None:
    assert np.isclose(power.prompt_step_share(1e-6), 1e-6, rtol=1e-5)
    assert np.isclose(power.prompt_step_share(50.0), 1.0)


def test_padded_rows_are_the_budget_of_every_rank_until_the_prompts_fill_it() -> None:
    few = power.padded_prompt_rows(0.01, 2000.0, 8.0, 8192.0)
    assert np.isclose(few, 0.01 * 8.0 * 8192.0, rtol=0.01)
    assert power.padded_prompt_rows(100.0, 2000.0, 8.0, 8192.0) == 200_000.0


def test_energy_adds_over_chips_time_and_work() -> None:
    two = power.step_energy_J(0.5, 3.0, 2.0, 300.0) + power.step_energy_J(0.5, 3.0, 2.0, 300.0)
    assert np.isclose(two, power.step_energy_J(1.0, 6.0, 2.0, 300.0))


def test_one_rank_waits_for_nobody_and_each_doubling_adds_the_same() -> None:
    assert power.rank_stretch(1.0, 0.2) == 1.0
    assert np.isclose(power.rank_stretch(8.0, 0.2) - power.rank_stretch(4.0, 0.2), 0.2)
