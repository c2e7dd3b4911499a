"""Step times, loads that are made, deployments: what they promise, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from roundtrip.catalog.load import load as catalog
from roundtrip.errors import DomainError, RoundtripError
from roundtrip.fleet.deployment import Kind, uniform
from roundtrip.fleet.generate import arrivals, closed_load, lengths, open_load, sessions
from roundtrip.fleet.heap import change, push, remove
from roundtrip.fleet.machine import kind
from roundtrip.fleet.route import ring
from roundtrip.fleet.simulate import simulate
from roundtrip.fleet.slo import limits
from roundtrip.fleet.times import StepTimes, line, polynomial
from tests.fleet.made import cluster, load


def test_a_heap_gives_its_items_in_order() -> None:
    rng = np.random.default_rng(0)
    keys, items, place = np.zeros(64), np.zeros(64, np.int64), np.zeros(64, np.int64)
    there: dict[int, float] = {}
    size = 0
    for _ in range(4000):
        what = rng.random()
        if (what < 0.4 or not there) and size < 64:
            item = int(rng.choice([i for i in range(64) if i not in there]))
            there[item] = float(rng.integers(0, 20))
            push(keys, items, place, size, there[item], item)
            size += 1
        elif what < 0.7:
            item = int(rng.choice(list(there)))
            there[item] = float(rng.integers(0, 20))
            change(keys, items, place, size, place[item], there[item])
        else:
            item = int(rng.choice(list(there)))
            del there[item]
            remove(keys, items, place, size, place[item])
            size -= 1
        assert size == len(there)
        if there:
            assert (keys[0], items[0]) == min((k, i) for i, k in there.items())


def test_lines_go_on_beyond_the_last_knot() -> None:
    knots, values = np.array([0.0, 10.0, 20.0]), np.array([1.0, 2.0, 5.0])
    assert [line(knots, values, x) for x in (0.0, 5.0, 10.0, 15.0, 40.0)] == [1.0, 1.5, 2.0, 3.5, 11.0]


def test_more_knots_change_nothing() -> None:
    times = polynomial(8, 4, step_s=1.0, context_s=1e-3, pair_s=1e-6)
    more = times.padded(5, 7)
    assert len(more.context) == 5
    for x in (0.0, 500.0, 5e3, 1e6):
        assert line(more.context, more.context_s[3], x) == pytest.approx(line(times.context, times.context_s[3], x))
        assert line(more.pairs, more.pairs_s, x) == pytest.approx(line(times.pairs, times.pairs_s, x))


@pytest.mark.parametrize(
    "change",
    [
        {"rows_s": np.array([0.0, 0.0])},
        {"rows_s": np.array([1.0, np.nan])},
        {"context": np.array([0.0])},
        {"context": np.array([0.0, 0.0])},
        {"context": np.array([1.0, 2.0])},
        {"context_s": np.array([[0.0, 1.0], [2.0, 1.0]])},
        {"pairs_s": np.array([0.0, -1.0])},
        {"sequence_s": -1.0},
    ],
)
def test_step_times_that_make_no_sense_are_refused(change: dict[str, Any]) -> None:
    good: dict[str, Any] = {
        "rows_s": np.array([1.0, 1.0]), "context": np.array([0.0, 1.0]), "context_s": np.zeros((2, 2)),
        "pairs": np.array([0.0, 1.0]), "pairs_s": np.zeros(2),
    }  # fmt: skip
    StepTimes(**good)
    with pytest.raises(DomainError, match="step times"):
        StepTimes(**(good | change))


def test_tables_that_end_too_early_are_refused() -> None:
    with pytest.raises(DomainError, match="up to 8 rows and 4 sequences"):
        uniform(Kind("short", polynomial(8, 4, step_s=1.0), 10), token_budget=9, max_sequences=4)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"token_budget": 100, "max_sequences": 200}, "less than max_sequences"),
        ({"replicas": 0}, "0 replicas"),
        ({"policy": "fastest"}, "not one of fcfs"),
        ({"router": "round-robin"}, "did you mean 'round robin'"),
        ({"router": "prefix-aware"}, "needs the prefix cache"),
        ({"queue_limit": -1}, "queue_limit = -1"),
        ({"page_tokens": 0}, "page_tokens = 0"),
        ({"pages": 0}, "no memory is left"),
    ],
)
def test_deployments_that_no_scheduler_could_run_are_refused(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        cluster(**choices)


@pytest.mark.parametrize("router", ["sticky", "consistent hash"])
def test_a_router_by_session_needs_sessions(router: str) -> None:
    with pytest.raises(DomainError, match="goes by session, but made has none"):
        simulate(load([0.0], 1, 1), cluster(2, router=router))


def test_a_ring_moves_few_sessions_when_a_replica_is_added() -> None:
    session = np.arange(20_000)
    before, after = ring(session, 10), ring(session, 11)
    assert 0.04 < (before != after).mean() < 0.16
    assert set(after[before != after]) == {10}
    assert np.bincount(before).min() > 1000


@pytest.mark.parametrize("kind_of", ["poisson", "gamma", "diurnal", "constant"])
def test_arrivals_have_their_rate(kind_of: str) -> None:
    times_s = arrivals(kind_of, 2.0, 2 * 2 * 86_400, np.random.default_rng(1))
    assert (np.diff(times_s) >= 0.0).all()
    assert len(times_s) / times_s[-1] == pytest.approx(2.0, rel=0.02)


def test_gamma_bursts_and_days_swing() -> None:
    rng = np.random.default_rng(2)
    gaps_s = np.diff(arrivals("gamma", 5.0, 200_000, rng, 3.0))
    assert gaps_s.std() / gaps_s.mean() == pytest.approx(3.0, rel=0.05)
    hours = arrivals("diurnal", 1.0, 20 * 86_400, rng) % 86_400 // 3600
    counts = np.bincount(hours.astype(int), minlength=24)
    assert counts[11:13].mean() / counts[[0, 23]].mean() == pytest.approx(1.6 / 0.4, rel=0.15)


@pytest.mark.parametrize(
    ("text", "mean"), [("7", 7.0), ("uniform:10,30", 20.0), ("lognormal:500,1.2", 500.0), ("geometric:40", 40.0)]
)
def test_lengths_have_their_mean(text: str, mean: float) -> None:
    drawn = lengths(text, 200_000, np.random.default_rng(3))
    assert drawn.min() >= 1
    assert drawn.mean() == pytest.approx(mean, rel=0.02)


@pytest.mark.parametrize(
    "text",
    ["", "0", "-3", "1.5", "normal:3,4", "uniform:9", "uniform:9,3", "geometric:1,2", "geometric:0", "uniform:a,b"],
)
def test_lengths_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(DomainError):
        lengths(text, 3, np.random.default_rng(0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: open_load(0, 1.0, "1", "1"),
        lambda: open_load(5, 0.0, "1", "1"),
        lambda: open_load(5, float("nan"), "1", "1"),
        lambda: open_load(5, 1.0, "1", "1", kind="weekly"),
        lambda: open_load(5, 1.0, "1", "1", kind="gamma", spread=0.0),
        lambda: closed_load(5, 0, "1", "1"),
        lambda: sessions(5, 1.0, "1", "1", turns=0),
        lambda: sessions(5, 1.0, "1", "1", think_s=-1.0),
        lambda: sessions(5, 1.0, "1", "1", shared_tokens=-1),
    ],
)
def test_loads_that_make_no_sense_are_refused(make: Any) -> None:
    with pytest.raises(DomainError):
        make()


def test_a_conversation_sends_what_was_said_before() -> None:
    work = sessions(3, 1.0, "100", "28", turns=4, shared_tokens=64, seed=1)
    mine = np.flatnonzero(work.session == 1)
    assert work.prompt[mine].tolist() == [164, 292, 420, 548]
    assert work.following[mine].tolist() == [*mine[1:].tolist(), -1]
    found = simulate(work, cluster(prefix_cache=True))
    rows = found.state.requests
    assert (rows["arrived_s"][mine][1:] >= rows["last_s"][mine][:-1]).all()
    assert (rows["cached"][mine] == [rows["cached"][mine[0]], 160, 288, 416]).all(), "all full pages of the turn before"
    assert (rows["cached"][1:3] == 64).any(), "the shared beginning"


def test_reads_of_the_slo() -> None:
    found = limits("ttft_p99=1s, tpot=50ms")
    assert [(x.measure, x.percentile, x.most_s) for x in found] == [("ttft", 99.0, 1.0), ("tpot", 100.0, 0.05)]
    for bad in ("", "ttft", "ttft_p99=", "ttft_p101=1s", "tftt=1s", "ttft=-1s", "ttft=1m"):
        with pytest.raises(RoundtripError):
            limits(bad)


@pytest.mark.parametrize("model", sorted(catalog("models")))
def test_every_model_of_the_catalog_has_step_times(model: str) -> None:
    chip = "phone-soc" if model.startswith("smollm") else "b200"
    made = kind(model, chip, tensor_ranks=8, pages=1000)
    assert (np.diff(made.times.rows_s) >= -1e-12).all()
    assert (np.diff(made.times.context_s, axis=1) >= 0.0).all()
    assert (made.pages, made.accelerators) == (1000, 8)


def test_a_model_that_does_not_fit_says_so() -> None:
    with pytest.raises(DomainError, match="leave no page in"):
        kind("llama-3.1-70b", "l4", tensor_ranks=1)
