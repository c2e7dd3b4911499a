"""What may happen to requests and replicas: nothing is lost, the parts of a wait add up, and the seed alone decides."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from roundtrip.errors import DomainError
from roundtrip.fleet import layout
from roundtrip.fleet.deployment import Deployment, Kind
from roundtrip.fleet.faults import changes
from roundtrip.fleet.simulate import Run, simulate
from roundtrip.fleet.speculate import grown, growth, mean_tokens, steps, steps_within
from roundtrip.fleet.times import polynomial
from roundtrip.fleet.workload import Workload
from tests.fleet.cases import EVENTS, build
from tests.fleet.made import cluster, load

FINAL = (layout.DONE, layout.REFUSED, layout.CANCELED, layout.TIMED_OUT, layout.FAILED)
ALL = set(EVENTS) - {"drawn failures"}


def drawn(seed: int, **choices: Any) -> tuple[Workload, Deployment]:
    """Return a case with all that may happen."""
    body = {"page": 4, "pressure": True, "mode": "open", "policy": "fcfs", "router": "two choices",
            "admission": "chunk", "chunked_prefill": True, "prefix_cache": False} | choices  # fmt: skip
    return build(seed, 80, 1, 4, ALL, **body)


def held_pages(run: Run, k: int) -> int:
    """Return the pages that requests hold on a replica, counted one request after the other."""
    rows, more, replica = run.state.requests, run.state.more, run.state.replicas[k]
    page, rate = run.deployment.page_tokens, growth(run.deployment.draft_tokens, run.deployment.acceptance)
    most = -(-rate // 65536)
    pages = 0
    for i in range(len(rows)):
        where = rows["state"][i]
        if rows["replica"][i] == k and where == layout.WRITING:
            pages += -(-(rows["base"][i] + grown(int(replica["step"] + replica["paid"]), rate)) // page)
        elif rows["replica"][i] == k and where == layout.READING:
            pages += -(-rows["base"][i] // page)
        elif rows["replica"][i] == k and where in (layout.MOVING, layout.READY):
            pages += -(-(more["kept"][i] + most) // page)
        if more["source"][i] == k and where in (layout.HANDED, layout.MOVING):
            pages += -(-more["kept"][i] // page)
    return int(pages)


@pytest.mark.parametrize("seed", range(4))
def test_no_page_is_lost_at_any_event_with_all_that_may_happen(seed: int) -> None:
    work, deployment = drawn(seed)
    run, done = Run(work, deployment), False
    while not done:
        done = run.step(1)
        for k, replica in enumerate(run.state.replicas):
            assert held_pages(run, k) + replica["free"] == replica["pages"], k
    assert np.isin(run.state.requests["state"], FINAL).all()
    assert run.finished == len(work)


@pytest.mark.parametrize("caching", [False, True])
@pytest.mark.parametrize("policy", ["fcfs", "priority"])
def test_the_parts_of_the_wait_are_the_wait_with_all_that_may_happen(policy: str, caching: bool) -> None:
    totals: dict[str, float] = {}
    for seed in range(6):
        found = simulate(*drawn(seed, policy=policy, prefix_cache=caching, mode="sessions"))
        waits = found.waits()
        np.testing.assert_allclose(sum(waits.values()), found.measure("e2e"), rtol=1e-9, atol=1e-9)
        assert all((part > -1e-9).all() for part in waits.values())
        totals = {cause: totals.get(cause, 0.0) + float(x.sum()) for cause, x in waits.items()}
    never = ("preemption", "others_prefill")  # pages are swapped, prompts are read elsewhere
    assert all((total > 0.0) == (cause not in never) for cause, total in totals.items()), totals


def test_the_seed_alone_decides_what_may_happen() -> None:
    work, deployment = drawn(3)
    once, again = Run(work, deployment), Run(work, deployment)
    once.step(10**6)
    while not again.step(5):
        pass
    assert once.state.requests.tobytes() == again.state.requests.tobytes()
    assert once.state.more.tobytes() == again.state.more.tobytes()


def test_a_client_hangs_up_by_hand() -> None:
    # Two requests one after the other: the second is gone before the first is done, the third in its own steps.
    work = load([0.0, 0.1, 0.2], 1, [100, 100, 100], cancel_s=np.array([np.inf, 0.5, 1.3]))
    rows = Run(work, cluster(step_s=0.01, max_sequences=1))
    rows.step(10**6)
    state, more = rows.state.requests, rows.state.more
    assert state["state"].tolist() == [layout.DONE, layout.CANCELED, layout.CANCELED]
    np.testing.assert_allclose(more["left_s"][1:], [0.6, 1.5])
    assert np.isnan(state["started_s"][1])
    np.testing.assert_allclose(state["first_s"][2], 1.01)
    assert rows.state.replicas["written"][0] == 150, "its last step ends at 1.5 s"


def test_a_replica_fails_by_hand() -> None:
    work = load([0.0], 100, 50)
    deployment = cluster(2, step_s=0.01, failures=((0, 0.255, 1.0),))
    run = Run(work, deployment)
    run.step(10**6)
    row = run.state.requests[0]
    assert row["replica"] == 1
    np.testing.assert_allclose(run.state.more["failed_s"][0], 0.01, err_msg="prompt and 25 tokens are read in one step")
    np.testing.assert_allclose(row["last_s"], 0.255 + 0.01 * 25)
    lost = simulate(work, replace(deployment, on_failure="fail"))
    assert lost.ended("failed") == 1
    assert not lost.done.any()


def test_without_a_replica_requests_wait_or_fail() -> None:
    work = load([0.0, 1.0], 10, 10)
    back = simulate(work, cluster(step_s=0.01, failures=((0, 0.5, 3.0),)))
    np.testing.assert_allclose(back.state.requests["started_s"], [0.0, 3.0])
    gone = simulate(work, cluster(step_s=0.01, failures=((0, 0.5, np.inf),)))
    assert gone.ended("done") == gone.ended("failed") == 1


def test_a_cache_is_sent_by_hand() -> None:
    times = polynomial(2048, 256, step_s=0.01)
    deployment = Deployment((Kind("made", times, 1000, token_B=1000.0),), (0, 0), prefill_replicas=1, link_B_s=1e6,
                            link_latency_s=0.005)  # fmt: skip
    found = simulate(load([0.0, 0.0], [300, 500], 11), deployment)
    rows = found.state.requests
    np.testing.assert_allclose(rows["first_s"], 0.01)
    # 300 kB, then 500 kB on the same link; a step that runs is not joined.
    np.testing.assert_allclose(rows["last_s"][0], 0.01 + 0.3 + 0.005 + 0.1)
    np.testing.assert_allclose(rows["last_s"][1], 0.01 + 0.8 + 0.005 + 0.1)
    np.testing.assert_allclose(found.waits()["transfer"], [0.305, 0.805])
    assert found.state.replicas["sent"][0] == 800


def test_pages_are_swapped_by_hand() -> None:
    times = polynomial(64, 2, step_s=0.01)
    deployment = Deployment((Kind("made", times, 4, token_B=100.0),), (0,), token_budget=64, max_sequences=2,
                            preemption="swap", swap_B_s=1e5)  # fmt: skip
    found = simulate(load([0.0, 0.0], 16, [40, 20]), deployment)
    assert found.done.all()
    assert found.state.replicas["preemptions"][0] == 1
    # Out with its 2 pages as the third of the other is needed, back with 2: 16 ms each way and page.
    assert found.state.replicas["swapped"][0] == 4
    steps_s = 0.01 * found.state.replicas["step"][0] + 4 * 0.016
    np.testing.assert_allclose(found.state.requests["last_s"].max(), steps_s)


def test_guessed_tokens_shorten_answers_as_their_law_says() -> None:
    output = np.full(20_000, 201)
    for drafts, acceptance in ((3, 0.7), (5, 0.9), (1, 0.2)):
        mean = mean_tokens(drafts, acceptance)
        assert mean == pytest.approx((1 - acceptance ** (drafts + 1)) / (1 - acceptance))
        needed = steps(output, drafts, acceptance, 1) - 1
        assert needed.mean() == pytest.approx(200.0 / mean, rel=0.02)  # and part of a step at the end
        assert needed.min() >= 200 / (drafts + 1)
    assert (steps(output, 3, 1.0, 1) == 51).all()
    assert (steps(output, 3, 0.0, 1) == output).all()
    long = steps(np.full(50, 10**9), 4, 0.8, 1)
    assert long.mean() == pytest.approx(1e9 / mean_tokens(4, 0.8), rel=1e-3)


def test_steps_and_tokens_of_guessing_belong_together() -> None:
    for rate in (growth(0, 0.0), growth(3, 0.61), growth(4, 1.0)):
        for step in (0, 1, 77, 10**6):
            for tokens in (0, 1, 5, 1000):
                n = steps_within(step, tokens, rate)
                assert grown(step + n, rate) - grown(step, rate) <= tokens
                assert grown(step + n + 1, rate) - grown(step, rate) > tokens


def test_reasoning_comes_before_what_is_seen() -> None:
    work = load([0.0, 0.0, 0.0], 10, [50, 50, 50], reasoning=np.array([0, 30, 50]))
    found = simulate(work, cluster(step_s=0.01))
    seen_s = found.state.more["visible_s"]
    np.testing.assert_allclose(seen_s[:2], [0.01, 0.31])
    assert np.isnan(seen_s[2]), "all of it is reasoning"
    assert found.state.requests["last_s"].tolist() == pytest.approx([0.5] * 3)


def test_the_network_is_a_part_of_the_wait_and_of_a_closed_loop() -> None:
    work = Workload("made", np.zeros(10), np.full(10, 5), np.full(10, 10), given=1, clients=1)
    near, far = (simulate(work, cluster(step_s=0.01, network_rtt_s=x)) for x in (0.0, 0.25))
    np.testing.assert_allclose(far.measure("e2e"), near.measure("e2e") + 0.25)
    np.testing.assert_allclose(far.measure("ttft"), near.measure("ttft") + 0.25)
    assert far.duration_s == pytest.approx(near.duration_s + 10 * 0.25)


def test_failures_are_drawn_with_their_means() -> None:
    deployment = cluster(40, mtbf_s=1000.0, mttr_s=50.0, seed=3)
    times_s, whose, up, period_s = changes(deployment)
    assert (np.diff(times_s) >= 0.0).all()
    assert period_s >= times_s[-1]
    down_s = sum(np.where(up[whose == k], 1.0, -1.0) @ times_s[whose == k] for k in range(40))
    count = (up == 0).sum()
    assert down_s / count == pytest.approx(50.0, rel=0.05)
    last_s = np.array([times_s[whose == k][-1] for k in range(40)])
    assert last_s.sum() / count == pytest.approx(1050.0, rel=0.05)


def test_a_billion_tokens_with_all_that_may_happen() -> None:
    work = load([0.0, 1.0], 10, [10**9, 50], cancel_s=np.array([np.inf, np.inf]), reasoning=np.array([10**8, 5]))
    found = simulate(work, cluster(pages=10**9, draft_tokens=3, acceptance=0.7, timeout_s=1e8, network_rtt_s=0.1))
    assert found.done.all()
    assert found.state.more["visible_s"][0] > 1e5


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"swap_B_s": 1e9}, "no meaning where preemption is 'recompute'"),
        ({"preemption": "swap"}, "needs a rate"),
        ({"preemption": "swap", "swap_B_s": 1e9}, "needs the bytes of a token"),
        ({"preemption": "copy"}, "not one of recompute, swap"),
        ({"mtbf_s": 5.0}, "go together"),
        ({"mtbf_s": 5.0, "mttr_s": 1.0, "failures": ((0, 1.0, 2.0),)}, "given and drawn"),
        ({"failures": ((3, 1.0, 2.0),)}, "replica 3, expected 0 to 1"),
        ({"failures": ((0, 2.0, 1.0),)}, "the second later"),
        ({"failures": ((0, 1.0, 5.0), (0, 3.0, 6.0))}, "it is down until 5 s"),
        ({"on_failure": "fail"}, "no meaning without failures"),
        ({"on_failure": "pray"}, "not one of retry, fail"),
        ({"prefill_replicas": 2, "link_B_s": 1.0}, "expected one of each kind"),
        ({"prefill_replicas": 1}, "need a link"),
        ({"prefill_replicas": 1, "link_B_s": 1e9}, "needs the bytes of a token"),
        ({"link_B_s": 1e9}, "every replica reads and writes"),
        ({"acceptance": 0.5}, "without draft_tokens"),
        ({"draft_tokens": 3, "acceptance": 1.5}, "acceptance = 1.5"),
        ({"draft_tokens": 100, "acceptance": 0.5, "token_budget": 100_000}, "expected 0 to 64"),
        ({"draft_tokens": 9, "acceptance": 0.5}, "times 10 tokens"),
        ({"timeout_s": -1.0}, "timeout_s = -1"),
        ({"network_rtt_s": float("nan")}, "network_rtt_s = nan"),
    ],
)
def test_what_a_cluster_cannot_do_is_refused(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        cluster(2, **choices)
