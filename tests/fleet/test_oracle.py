"""The event loop is held to the judge: equal to 1e-9 over policies, routers, memory pressure, preemption, prefix hits.

``ROUNDTRIP_FULL=1`` draws many more cases, as `make validate` does.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings

from roundtrip.fleet.compiled import is_compiled
from roundtrip.fleet.deployment import ADMISSION, POLICIES, ROUTERS, Deployment
from roundtrip.fleet.simulate import Run
from roundtrip.fleet.workload import Workload
from tests.fleet.cases import build, cases
from tests.fleet.compare import compare
from tests.fleet.judge import Tie

FEW, MANY = (600, 20_000) if is_compiled() else (60, 600)
CASES = MANY if os.environ.get("ROUNDTRIP_FULL") else FEW


@settings(max_examples=CASES)
@given(cases())
def test_every_request_as_the_judge_says(case: tuple[Workload, Deployment]) -> None:
    try:
        compare(*case)
    except Tie:
        assume(False)


@pytest.mark.parametrize("caching", [False, True])
@pytest.mark.parametrize("policy", POLICIES)
def test_long_queues_under_memory_pressure(policy: str, caching: bool) -> None:
    preempted = hits = 0
    for seed in range(4):
        work, deployment = build(
            seed, 250, 1, 1, page=4, pressure=True, mode="open", policy=policy, router="least work",
            admission="chunk", chunked_prefill=True, prefix_cache=caching,
        )  # fmt: skip
        jobs = compare(work, deployment).jobs
        preempted += sum(job.preemptions for job in jobs)
        hits += sum(job.cached for job in jobs)
    assert preempted > 20, "the case is mean enough"
    assert (hits > 1000) == caching


@pytest.mark.parametrize("router", ROUTERS)
def test_each_router(router: str) -> None:
    for seed in range(10, 14):
        work, deployment = build(
            seed, 120, 2, 3, page=7, pressure=True, mode="open", policy="fcfs", router=router,
            admission=ADMISSION[seed % 2], chunked_prefill=True, prefix_cache=router == "prefix-aware",
        )  # fmt: skip
        oracle = compare(work, deployment)
        assert len({job.replica for job in oracle.jobs}) > 1 or deployment.router in ("sticky", "consistent hash")


def test_slices_change_nothing() -> None:
    work, deployment = build(
        5, 200, 1, 3, page=4, pressure=True, mode="sessions", policy="fcfs", router="two choices", admission="chunk",
        chunked_prefill=True, prefix_cache=True,
    )  # fmt: skip
    whole, parts = Run(work, deployment), Run(work, deployment)
    whole.step(1_000_000)
    while not parts.step(7):
        pass
    assert whole.state.requests.tobytes() == parts.state.requests.tobytes()
    assert np.array_equal(whole.state.series, parts.state.series)


def test_the_seed_alone_decides() -> None:
    def run(seed: int) -> bytes:
        work, deployment = build(
            6, 200, 1, 4, page=4, pressure=False, mode="open", policy="fcfs", router="random", admission="chunk",
            chunked_prefill=True, prefix_cache=False,
        )  # fmt: skip
        run = Run(work, replace(deployment, seed=seed))
        run.step(1_000_000)
        return run.state.requests.tobytes()

    assert run(1) == run(1)
    assert run(1) != run(2)
