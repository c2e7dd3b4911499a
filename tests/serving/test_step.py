"""The time of a step by part: exact counts inside, limits that must hold, layouts of every kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.catalog.architectures import rows
from roundtrip.errors import DomainError
from roundtrip.serving import counts, step
from roundtrip.serving.architecture import architecture
from roundtrip.serving.case import case, stacked
from roundtrip.serving.constants import NAMES, constants
from roundtrip.serving.layout import Layout
from roundtrip.serving.step import PARTS, Setup

LLAMA = Setup.of("llama-3.1-70b", "h100-sxm", precision="fp8", layout=Layout(tensor=4))
DEEPSEEK = Setup.of("deepseek-v3", "h200-sxm", precision="fp8", layout=Layout(tensor=8, expert=8))


@pytest.mark.parametrize("key", sorted(rows()))
def test_what_grows_with_context_is_the_exact_count(key: str) -> None:
    """Windows, selections and states are read off as slopes up to a limit: equal to the counts at any context."""
    a = architecture(key)
    c = case(a, "h200-sxm", Layout(), "bf16")
    for context in (1.0, 127.0, 1000.0, 5000.0, 131_072.0):
        assert step.read_elements(c, context) == pytest.approx(counts.cache_read_elements(a, context))
        assert step.held_elements(c, context) == pytest.approx(counts.cache_held_elements(a, context))
        written = step.limited(c.write_flop, c.limits, context) + c.state_flop
        assert written == pytest.approx(counts.write_attention_flop(a, context))
        assert step.prompt_flop(c, context, 300.0) == pytest.approx(counts.prompt_attention_flop(a, context, 300.0))


def test_parts_add_up_to_the_step() -> None:
    parts = step.parts(LLAMA, 64.0, 64.0, 2000.0)
    assert set(parts) == set(PARTS)
    assert step.step_s(LLAMA, 64.0, 64.0, 2000.0) == pytest.approx(sum(parts.values()))


def test_memory_bounds_a_small_batch_and_arithmetic_a_large_one() -> None:
    """One sequence: the weights over the memory's rate. 8,192 rows: two operations a weight over the peak."""
    k, c = LLAMA.known, LLAMA.case
    one = step.parts(LLAMA, 1.0, 1.0, 1.0)["weights"]
    assert one == pytest.approx((c.body + c.head) / 4.0 / (c.bandwidth_B_s * k["memory_efficiency"]), rel=0.01)
    many = step.parts(LLAMA, 100_000.0, 1.0, 1.0)["weights"]
    assert many == pytest.approx(2.0 * c.body * 1e5 / 4.0 / (c.common_rate * k["prefill_efficiency"]), rel=0.01)


@given(st.floats(1.0, 4096.0), st.floats(1.01, 8.0), st.floats(0.0, 1e5))
def test_more_rows_or_more_context_never_take_less(batch: float, times: float, context: float) -> None:
    for s in (LLAMA, DEEPSEEK):
        t = step.decode_s(s, np.array([batch, batch * times]), context)
        assert t[1] >= t[0] * (1.0 - 1e-12)
        assert t[1] <= t[0] * times * (1.0 + 1e-9), "twice the sequences take at most twice as long"
        assert step.decode_s(s, batch, context + 1000.0) > step.decode_s(s, batch, context)


def test_few_tokens_touch_few_experts_and_many_touch_all() -> None:
    routed_B = counts.routed_parameters(DEEPSEEK.architecture)
    base, _ = step.work(DEEPSEEK, 0.0, 0.0, 0.0)
    one, _ = step.work(DEEPSEEK, 1.0, 0.0, 0.0)
    assert one - base == pytest.approx(routed_B * 8.0 / 256.0, rel=0.01)
    all_of_them, _ = step.work(replace(DEEPSEEK, constants={**DEEPSEEK.known, "activation_copies": 0.0}), 1e5, 0.0, 0.0)
    assert all_of_them - base == pytest.approx(routed_B, rel=0.01)


def test_work_of_a_token_is_the_exact_count() -> None:
    for s in (LLAMA, DEEPSEEK):
        _, flop = step.work(s, 10.0, 10.0, 3000.0)
        a = s.architecture
        exact = 2.0 * counts.active_parameters(a) + counts.write_attention_flop(a, 3000.0)
        assert flop == pytest.approx(10.0 * exact, rel=1e-3)


def test_a_latent_cache_is_copied_to_each_rank_and_heads_are_split() -> None:
    assert step.cache_token_B(LLAMA) == pytest.approx(counts.cache_elements(LLAMA.architecture) * 2.0 / 4.0)
    whole = counts.cache_elements(DEEPSEEK.architecture) * 2.0
    assert step.cache_token_B(DEEPSEEK) == pytest.approx(whole)


def test_more_ranks_hold_less_and_talk_more() -> None:
    times = {n: step.parts(replace(LLAMA, layout=Layout(tensor=n)), 32.0, 32.0, 2000.0) for n in (1, 2, 8)}
    assert times[1]["messages"] == 0.0
    assert times[2]["messages"] < times[8]["messages"]
    assert times[8]["weights"] < times[2]["weights"] < times[1]["weights"]
    assert step.held_B(replace(LLAMA, layout=Layout(tensor=8))) == pytest.approx(step.held_B(LLAMA) / 2.0)


def test_groups_exchange_tokens_and_two_parts_hide_it() -> None:
    """Experts over 144 accelerators: the exchange goes over the outer network; half a batch hides that of the other."""
    layout = Layout(groups=144, expert=144, redundant=32)
    wide = Setup.of("deepseek-v3", "h800-sxm", precision="fp8", layout=layout)
    batch = 144.0 * 88.0
    parts = step.parts(wide, batch, batch, 5000.0)
    assert parts["messages"] > parts["weights"]
    near = step.parts(replace(wide, layout=replace(layout, server=144)), batch, batch, 5000.0)
    assert near["messages"] < 0.5 * parts["messages"]
    hidden = replace(wide, layout=replace(layout, batch_parts=2, overlap=1.0))
    assert step.parts(hidden, batch, batch, 5000.0)["weights"] > parts["weights"], "each part reads the weights"
    assert step.step_s(hidden, batch, batch, 5000.0) < step.step_s(wide, batch, batch, 5000.0)


def test_stages_hold_a_part_each_and_add_no_speed_for_one_sequence() -> None:
    two = replace(LLAMA, layout=Layout(tensor=4, pipeline=2))
    assert step.held_B(two) == pytest.approx(step.held_B(LLAMA) / 2.0)
    assert step.decode_s(two, 2.0, 1000.0) == pytest.approx(step.decode_s(LLAMA, 1.0, 1000.0), rel=0.02)


def test_a_prompt_in_chunks_takes_more_than_at_once() -> None:
    once, chunked = (step.prefill_s(LLAMA, 8192.0, chunk=n) for n in (8192, 1024))
    assert once < chunked < 2.0 * once
    assert step.prefill_s(LLAMA, 1024.0, context=65_536.0) > step.prefill_s(LLAMA, 1024.0)


def test_drafts_pay_for_one_sequence_and_cost_at_a_large_batch() -> None:
    drafted = replace(LLAMA, drafted_tokens=3.0, acceptance=0.8)
    gain = [float(step.decode_s(LLAMA, b, 1000.0) / step.decode_s(drafted, b, 1000.0)) for b in (1.0, 64.0, 4096.0)]
    assert 2.0 < gain[0] < 2.952, "no more than 1 + 0.8 + 0.64 + 0.512"
    assert gain[0] > gain[1] > gain[2]
    with pytest.raises(DomainError, match="drafts"):
        replace(LLAMA, acceptance=1.0)


def test_fewer_bits_move_less_and_what_an_accelerator_cannot_multiply_it_widens() -> None:
    of = {
        p: Setup.of("llama-3.1-70b", "h100-sxm", precision=p, layout=Layout(tensor=4)) for p in ("bf16", "fp8", "fp4")
    }
    held = {p: step.held_B(s) for p, s in of.items()}
    assert held["bf16"] == pytest.approx(2.0 * held["fp8"])
    assert held["fp4"] == pytest.approx(0.5625 * held["fp8"])
    assert of["fp4"].case.common_rate == of["bf16"].case.common_rate, "Hopper has no arithmetic in 4 bits"
    new = Setup.of("llama-3.1-70b", "b200", precision="fp4", layout=Layout(tensor=4))
    assert new.case.common_rate > 1.5 * Setup.of("llama-3.1-70b", "b200", precision="fp8").case.common_rate
    assert (of["fp8"].case.kv_B, new.case.kv_B) == (2.0, 1.0)


def test_rows_of_arrays_are_the_setups_one_by_one() -> None:
    setups = (LLAMA, DEEPSEEK)
    c = stacked([s.case for s in setups])
    k = {name: np.array([s.known[name] for s in setups]) for name in NAMES}
    rows_of = np.array([16.0, 48.0])
    found = step.total_s(c, step.spans(c, k, rows_of / c.groups, rows_of, rows_of / c.groups, 1500.0, 0.0))
    alone = [float(step.step_s(s, b, b, 1500.0)) for s, b in zip(setups, rows_of, strict=True)]
    np.testing.assert_allclose(found, alone)


def test_every_engine_has_all_constants() -> None:
    for name in ("", "vllm", "sglang", "trtllm", "something new"):
        assert set(constants(name)) == set(NAMES)
    assert constants("something new") == constants()


@pytest.mark.parametrize(
    ("bad", "says"),
    [({"tensor": 0}, "tensor = 0"), ({"tensor": 2, "expert": 4}, "expert = 4"), ({"overlap": 2.0}, "overlap = 2")],
)
def test_a_layout_that_cannot_be_is_refused(bad: dict[str, int], says: str) -> None:
    with pytest.raises(DomainError, match=says):
        Layout(**bad)


def test_a_precision_nobody_knows_is_refused() -> None:
    with pytest.raises(DomainError, match="precision 'fp9'"):
        _ = Setup.of("llama-3.1-8b", "h100-sxm", precision="fp9").case
