"""Cuts of a model, against a pipeline that is played through step by step."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtrip.stages.training import parallelism


def play_1f1b(stages: int, micro_batches: int, forward: float, backward: float) -> float:
    """Play one forward, one backward in turn through and return when the last stage is done."""
    order = []
    for stage in range(stages):
        warm = min(stages - 1 - stage, micro_batches)
        steps = [("F", i) for i in range(warm)]
        for i in range(micro_batches - warm):
            steps += [("F", warm + i), ("B", i)]
        steps += [("B", i) for i in range(micro_batches - warm, micro_batches)]
        order.append(steps)
    done: dict[tuple[str, int, int], float] = {}
    clock = [0.0] * stages
    place = [0] * stages
    while any(place[s] < len(order[s]) for s in range(stages)):
        for stage in range(stages):
            if place[stage] == len(order[stage]):
                continue
            kind, i = order[stage][place[stage]]
            before = ("F", stage - 1, i) if kind == "F" else ("B", stage + 1, i)
            first = (kind == "F" and stage == 0) or (kind == "B" and stage == stages - 1)
            if not first and before not in done:
                continue
            start = max(clock[stage], 0.0 if first else done[before])
            clock[stage] = done[(kind, stage, i)] = start + (forward if kind == "F" else backward)
            place[stage] += 1
    return max(clock)


@pytest.mark.parametrize(("stages", "micro_batches"), [(1, 4), (2, 8), (4, 4), (8, 32), (16, 20)])
def test_bubble_is_what_a_played_pipeline_leaves_idle(stages: int, micro_batches: int) -> None:
    forward, backward = 1.0, 2.0
    work = micro_batches * (forward + backward)
    idle = play_1f1b(stages, micro_batches, forward, backward) - work
    assert np.isclose(idle, parallelism.bubble_1f1b_s(stages, forward, backward))
    assert np.isclose(idle / work, parallelism.bubble_over_work(stages, micro_batches, 1))
    assert np.isclose(idle / (work + idle), parallelism.bubble_share(stages, micro_batches, 1))


@given(st.integers(2, 64), st.floats(0.1, 10.0), st.floats(0.1, 1.0))
def test_splitting_the_backward_pass_never_lengthens_the_bubble(stages: int, forward: float, part: float) -> None:
    backward = 2.0 * forward
    weight = part * forward
    plain = parallelism.bubble_1f1b_s(stages, forward, backward)
    zero = parallelism.bubble_zero_s(stages, forward, backward, weight)
    dual = parallelism.bubble_dual_s(stages, backward, weight, forward + backward)
    assert 0.0 <= zero <= plain
    assert 0.0 <= dual <= plain


@given(st.floats(1e6, 1e13), st.integers(1, 4096))
def test_more_sharing_never_needs_more_memory(parameters: float, ranks: int) -> None:
    state = (parameters, 2.0, 2.0, 12.0)
    whole = parallelism.states_B(*state)
    sizes = [
        whole,
        parallelism.states_shared_optimizer_B(*state, ranks),
        parallelism.states_shared_gradients_B(*state, ranks),
        parallelism.states_shared_all_B(*state, ranks),
    ]
    assert all(a >= b * (1 - 1e-12) for a, b in pairwise(sizes))
    assert np.isclose(sizes[-1] * ranks, whole)


def test_one_rank_needs_no_cut_korthikanti_equations_1_and_2() -> None:
    whole = parallelism.activations_B(2048, 1, 12288, 96, 1)
    assert np.isclose(whole, parallelism.activations_tensor_only_B(2048, 1, 12288, 96, 1))
    assert np.isclose(whole, 2048 * 12288 * (34 + 80))


@given(st.integers(1, 4096), st.integers(1, 256), st.integers(1, 16))
def test_micro_batches_cover_the_batch(batch: int, ranks: int, size: int) -> None:
    count = parallelism.micro_batches_per_step(batch, ranks, size)
    assert count >= 1
    assert count * ranks * size >= batch


def test_tensor_parallel_message_is_four_matrices_of_activations() -> None:
    assert parallelism.tensor_parallel_B(8192, 1, 16384) == 4 * np.zeros((8192, 16384), np.float16).nbytes
