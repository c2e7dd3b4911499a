"""The step of a whole batch."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.model import decode


@given(st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_overlap_hides_no_more_than_there_is_to_hide_or_to_hide_behind(
    talk_s: float, busy_s: float, share: float
) -> None:
    left = decode.exposed_time_s(talk_s, busy_s, share)
    assert max(talk_s - busy_s, 0.0) - 1e-12 <= left <= talk_s


def test_two_halves_launch_twice_as_often() -> None:
    once = decode.launch_time_s(61.0, 36e-6, 58.0, 43e-6, 1.0, 0.0)
    assert np.isclose(decode.launch_time_s(61.0, 36e-6, 58.0, 43e-6, 2.0, 0.0), 2.0 * once)


def test_a_step_is_the_sum_of_its_parts() -> None:
    assert decode.step_time_s(1.0, 2.0, 3.0, 4.0, 5.0, 6.0) == 21.0


def test_littles_law_closes() -> None:
    rate = decode.rate_per_accelerator_token_s(88.0, 0.048)
    assert np.isclose(decode.concurrent_streams(rate, 0.048), 88.0)


def test_first_token_belongs_to_the_prefill() -> None:
    assert decode.rest_time_s(1.0, 0.05) == 0.0
    assert np.isclose(decode.rest_time_s(500.0, 0.05), 24.95)
    assert np.isclose(decode.service_time_s(0.5, 500.0, 0.05), 25.5)


def test_drafts_pay_when_a_step_yields_more_than_it_costs() -> None:
    assert decode.time_per_output_token_s(0.05, 1.0, 0.0, 0.0) == 0.05
    assert decode.time_per_output_token_s(0.06, 1.9, 0.002, 0.0) < 0.05


def test_rate_and_time_of_the_memory_bound_are_inverse() -> None:
    assert np.isclose(
        decode.memory_bound_rate_token_s(200e9, 3.35e12) * decode.memory_bound_time_s(200e9, 3.35e12), 1.0
    )


def test_streams_cost_alike() -> None:
    assert decode.stream_time_s(10.0, 26e-6) == 260e-6


def test_prompts_of_others_cost_each_stream_the_same() -> None:
    stall_s = decode.stall_time_s(32.0, 5.0, 20e-6)
    assert np.isclose(stall_s, 3.2e-3)
    assert np.isclose(decode.time_per_output_token_s(0.01, 2.0, 0.0, stall_s), 0.005 + stall_s)
