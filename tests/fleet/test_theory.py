"""Where queueing theory has the answer, the fleet gives it; and what must be conserved is."""

from __future__ import annotations

import numpy as np
import pytest

from roundtrip.figures.primitives import erlang_c
from roundtrip.fleet.generate import closed_load, open_load
from roundtrip.fleet.layout import WRITING
from roundtrip.fleet.records import CAUSES, Records
from roundtrip.fleet.simulate import Run, simulate
from roundtrip.fleet.workload import Workload
from tests.fleet.cases import build
from tests.fleet.made import cluster, load

COUNT = 150_000
SLOW = 30.0  # blocks whose means give the error of a mean


def wait(found: Records) -> tuple[float, float]:
    """Return the mean wait in the queue after a warm-up, and its standard error from means of blocks."""
    waits = found.measure("queue")[COUNT // 20 :]
    blocks = [block.mean() for block in np.array_split(waits, int(SLOW))]
    return float(np.mean(blocks)), float(np.std(blocks) / np.sqrt(SLOW))


@pytest.mark.parametrize(("output", "name"), [("10", "M/D/1"), ("geometric:10", "M/G/1"), ("uniform:1,40", "M/G/1")])
def test_one_sequence_is_a_single_server(output: str, name: str) -> None:
    step_s, rate = 0.01, 6.0
    work = open_load(COUNT, rate if output != "uniform:1,40" else 3.0, "1", output, seed=4)
    found = simulate(work, cluster(step_s=step_s, max_sequences=1))
    service_s = step_s * work.output
    arrivals_per_s = (COUNT - 1) / work.arrival_s[-1]
    busy = arrivals_per_s * service_s.mean()
    expected_s = arrivals_per_s * np.mean(service_s**2) / (2.0 * (1.0 - busy))  # Pollaczek and Khinchine
    mean_s, error_s = wait(found)
    assert abs(mean_s - expected_s) < 4.0 * error_s, name
    assert error_s < 0.05 * expected_s


def test_slots_of_equal_speed_are_servers() -> None:
    servers, step_s, steps = 6, 1e-3, 400
    work = open_load(COUNT, 0.75 * servers / (step_s * steps), "1", f"geometric:{steps}", seed=8)
    found = simulate(work, cluster(step_s=step_s, max_sequences=servers))
    service_s = step_s * work.output.mean()
    load_erlang = (COUNT - 1) / work.arrival_s[-1] * service_s
    waits = float(erlang_c(float(servers), float(load_erlang)))
    expected_s = waits * service_s / (servers - load_erlang)  # M/M/k
    mean_s, error_s = wait(found)
    assert abs(mean_s - expected_s) < 4.0 * error_s + step_s, "starts wait for the step's end, half a step on average"
    assert error_s < 0.06 * expected_s


def test_random_routing_is_independent_queues() -> None:
    step_s, replicas = 0.01, 5
    work = open_load(COUNT, 6.0 * replicas, "1", "10", seed=2)
    found = simulate(work, cluster(replicas, step_s=step_s, max_sequences=1, router="random"))
    busy = 6.0 * 0.1
    mean_s, error_s = wait(found)
    assert abs(mean_s - busy * 0.1 / (2.0 * (1.0 - busy))) < 4.0 * error_s + 2e-4


def drawn(seed: int, **choices: object) -> Records:
    body = {"page": 4, "pressure": True, "mode": "open", "policy": "fcfs", "router": "round robin",
            "admission": "chunk", "chunked_prefill": True, "prefix_cache": False} | choices  # fmt: skip
    work, deployment = build(seed, 300, 1, 1, **body)
    return simulate(work, deployment)


@pytest.mark.parametrize("seed", range(6))
def test_the_parts_of_the_wait_are_the_wait(seed: int) -> None:
    found = drawn(seed, prefix_cache=seed % 2 == 1)
    waits = found.waits()
    assert tuple(waits) == CAUSES
    np.testing.assert_allclose(sum(waits.values()), found.measure("e2e"), rtol=1e-9, atol=1e-9)
    assert all((part > -1e-9).all() for part in waits.values())


@pytest.mark.parametrize("seed", range(6))
def test_a_replica_works_whenever_there_is_something_to_do(seed: int) -> None:
    found = drawn(seed)
    rows = found.state.requests[found.done]
    spans = sorted(zip(rows["arrived_s"].tolist(), rows["last_s"].tolist(), strict=True))
    covered, end = 0.0, 0.0
    for a, b in spans:
        covered += max(b - max(a, end), 0.0)
        end = max(end, b)
    np.testing.assert_allclose(found.state.series[:, 0].sum(), covered, rtol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_written_and_read_is_counted(seed: int) -> None:
    found = drawn(seed)
    replica = found.state.replicas[0]
    work, done = found.work, found.done
    assert replica["written"] == work.output[done].sum()
    assert replica["read"] >= work.prompt[done].sum(), "what was preempted is read again"
    if not replica["preemptions"]:
        assert replica["read"] == work.prompt[done].sum()


def test_littles_law() -> None:
    work = open_load(30_000, 12.0, "lognormal:600,0.8", "lognormal:150,0.8", seed=3)
    found = simulate(work, cluster(row_s=3e-5, context_s=4e-11, sequence_s=2e-5))
    rows = found.state.requests
    writing_s = (rows["last_s"] - rows["first_s"]).sum()
    np.testing.assert_allclose(found.state.series[:, 1].sum(), writing_s, rtol=1e-9)
    times_s = np.linspace(200.0, 2000.0, 20_001)
    inside = np.searchsorted(np.sort(rows["arrived_s"]), times_s, "right") - np.searchsorted(
        np.sort(rows["last_s"]), times_s, "right"
    )
    here = (rows["arrived_s"] >= 200.0) & (rows["arrived_s"] < 2000.0)
    rate = here.sum() / 1800.0
    np.testing.assert_allclose(inside.mean(), rate * found.measure("e2e")[here].mean(), rtol=0.01)


def test_a_closed_loop_keeps_its_concurrency() -> None:
    work = closed_load(4_000, 24, "300", "geometric:60", seed=1)
    found = simulate(work, cluster(row_s=2e-5, sequence_s=1e-4))
    rows = found.state.requests
    events = np.sort(rows["arrived_s"])[24:]
    ends = np.sort(rows["last_s"])[: len(events)]
    np.testing.assert_allclose(events, ends, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_no_page_is_lost_at_any_event(seed: int) -> None:
    work, deployment = build(seed, 80, 1, 2, page=4, pressure=True, mode="open", policy="fcfs", router="two choices",
                             admission="chunk", chunked_prefill=True, prefix_cache=False)  # fmt: skip
    run = Run(work, deployment)
    page, done = deployment.page_tokens, False
    while not done:
        done = run.step(1)
        rows, replicas = run.state.requests, run.state.replicas
        for k, replica in enumerate(replicas):
            held, i = 0, replica["head"]
            while i >= 0:
                tokens = rows[i]["base"]
                if rows[i]["state"] == WRITING:
                    tokens += replica["step"] + replica["paid"]
                held += -(-tokens // page)
                i = rows[i]["after"]
            assert held + replica["free"] == replica["pages"], k


@pytest.mark.parametrize("seed", range(4))
def test_the_free_list_is_what_it_says(seed: int) -> None:
    work, deployment = build(seed, 80, 1, 1, page=4, pressure=True, mode="open", policy="fcfs", router="round robin",
                             admission="chunk", chunked_prefill=True, prefix_cache=True)  # fmt: skip
    run = Run(work, deployment)
    done = False
    while not done:
        done = run.step(1)
        replica, runs = run.state.replicas[0], run.state.runs
        at, before, pages = replica["old"], -1, 0
        while at >= 0:
            assert runs[at]["older"] == before
            assert runs[at]["present"] > 0
            assert runs[at]["refs"] == 0
            pages += runs[at]["present"]
            before, at = at, runs[at]["younger"]
        assert before == replica["young"]
        assert pages == replica["free"]


def test_more_memory_more_replicas_faster_steps_never_hurt_the_mean() -> None:
    work = open_load(5_000, 8.0, "lognormal:800,0.8", "lognormal:200,0.8", seed=5)

    def mean_s(**choices: object) -> float:
        return float(simulate(work, cluster(row_s=3e-5, **choices)).measure("e2e").mean())

    assert mean_s(pages=100_000) <= mean_s(pages=1_200)
    assert mean_s(replicas=2, router="least requests") <= mean_s()
    assert mean_s(step_s=4e-3) < mean_s(step_s=6e-3)


def test_one_request_alone_by_hand() -> None:
    work = load([1.0], 5_000, 3)
    deployment = cluster(step_s=0.01, row_s=1e-5, sequence_s=1e-3, context_s=1e-6, pair_s=1e-9)
    rows = simulate(work, deployment).state.requests
    read_s = 3 * (0.01 + 1e-3) + 5_000e-5 + 1e-9 * 5_000 * 5_001 / 2
    assert rows["first_s"][0] == pytest.approx(1.0 + read_s, rel=1e-12)
    write_s = 2 * (0.01 + 1e-5 + 1e-3) + 1e-6 * (5_001 + 5_002)
    assert rows["last_s"][0] == pytest.approx(1.0 + read_s + write_s, rel=1e-12)


def test_an_hour_of_idle_time_takes_no_step() -> None:
    run = Run(load([0.0, 3600.0], 10, 10), cluster())
    assert run.step(100)
    assert run.state.replicas["step"][0] == 20
    assert isinstance(run.work, Workload)
