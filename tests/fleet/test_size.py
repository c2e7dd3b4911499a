"""``roundtrip fleet size``: the cheapest fleet against brute force, its bound, what binds, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from roundtrip.errors import DomainError
from roundtrip.fleet.deployment import Kind, uniform
from roundtrip.fleet.generate import open_load
from roundtrip.fleet.machine import kind
from roundtrip.fleet.records import records
from roundtrip.fleet.simulate import Run, simulate
from roundtrip.fleet.slo import limits
from roundtrip.fleet.study import space as spaces
from roundtrip.fleet.study.answer import answer, cost
from roundtrip.fleet.study.binds import binding
from roundtrip.fleet.study.bounds import fewest_replicas
from roundtrip.fleet.study.price import price, prices
from roundtrip.fleet.study.size import size
from roundtrip.fleet.study.space import Bench, Fleet, Knobs, Shape, Space, late
from roundtrip.fleet.times import polynomial
from tests.cli.run import here
from tests.fleet.made import load

Capture = pytest.CaptureFixture[str]
MADE = ["fleet", "size", "--load", "poisson", "--requests", "400", "--rate", "30", "--prompt", "lognormal:700,0.7",
        "--output", "geometric:80"]  # fmt: skip
KNOBS = Knobs(2048, 64)


def test_the_ranking_of_twenty_configurations_is_that_of_brute_force() -> None:
    work = open_load(1500, 60.0, "lognormal:900,0.8", "geometric:150", seed=4)
    slo = limits("ttft_p99=600ms,tpot_p95=25ms")
    space = Space(
        "llama-3.1-8b", ("h100-sxm", "h200-sxm", "b200", "a100-80g", "mi300x"), tensor_ranks=(1, 2, 4, 8),
        token_budgets=(2048,), max_sequences=(64,), policy={"router": "least requests"},
    )  # fmt: skip
    found = size(work, slo, space, kept=20)
    assert len(space.shapes()) == 20
    brute: dict[Shape, int] = {}
    for shape in space.shapes():
        one = kind("llama-3.1-8b", shape.accelerator, tensor_ranks=shape.tensor_ranks, max_sequences=64)
        for replicas in range(1, 60):
            ran = simulate(work, uniform(one, replicas, router="least requests", max_sequences=64))
            rows = ran.state.requests
            first_s = rows["first_s"] - rows["arrived_s"]
            several = work.output > 1
            each_s = ((rows["last_s"] - rows["first_s"]) / np.maximum(work.output - 1, 1))[several]
            if np.percentile(first_s, 99) <= 0.6 and np.percentile(each_s, 95) <= 0.025:
                brute[shape] = replicas
                break
    assert {f.tried.fleet.shape: f.tried.fleet.replicas for f in found.ranking} == brute
    usd_h = [f.price.value for f in found.ranking]
    assert usd_h == sorted(n * s.tensor_ranks * price(s.accelerator).value for s, n in brute.items())
    assert len(set(brute.values())) >= 3, "a test in which every fleet has the same size shows nothing"
    # The search that leaves what is dearer for certain finds the same two.
    quick = size(work, slo, space)
    assert [f.price for f in quick.ranking[:2]] == [f.price for f in found.ranking[:2]]
    assert quick.bench.runs < found.bench.runs


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_never_above_what_holds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    times = polynomial(512, 32, step_s=2e-3, row_s=rng.uniform(1e-5, 1e-4), pair_s=rng.uniform(0.0, 1e-9))
    rate = rng.uniform(20.0, 200.0)
    work = open_load(600, rate, "lognormal:300,0.8", "geometric:20", kind="gamma", seed=seed)
    slo = limits(("ttft_p95=500ms,tpot_p99=30ms", "e2e_p90=2s", "ttft_p99=1s")[seed % 3])
    bound = fewest_replicas(work, times, slo)
    bench = Bench(work, slo, Space("made", ("made",)))
    bench.kinds[Shape("made", 1), Knobs(512, 32)] = Kind("made", times, 100_000)
    for replicas in range(1, bound):
        assert not bench.run(Fleet(Shape("made", 1), Knobs(512, 32), replicas)).holds
    assert bound >= 1


def test_the_bound_is_worth_something() -> None:
    times = polynomial(512, 32, step_s=1e-3, row_s=1e-4)
    work = load(np.arange(2000) * 0.005, 400, 2)  # 40 ms of work each 5 ms: eight replicas, to the last of them
    assert fewest_replicas(work, times, limits("ttft_p99=500ms")) >= 7


def _bench(kind_of: Kind, work: object, slo: str) -> tuple[Bench, Fleet]:
    space = Space("made", ("made",), tensor_ranks=(1,), policy={"router": "least requests"})
    bench = Bench(work, limits(slo), space)  # pyright: ignore[reportArgumentType]
    bench.kinds[Shape("made", 1), KNOBS] = kind_of
    return bench, Fleet(Shape("made", 1), KNOBS, 2)


@pytest.mark.parametrize(
    ("terms", "pages", "slo", "binds"),
    [
        ({"step_s": 5e-3}, 100, "ttft_p90=300ms", "memory"),
        ({"step_s": 1e-3, "row_s": 6e-5}, 100_000, "ttft_p90=200ms", "prefill compute"),
        ({"step_s": 3e-2}, 100_000, "tpot_p90=29ms", "decode bandwidth"),
        ({"step_s": 1e-3, "context_s": 1e-6}, 100_000, "tpot_p90=10ms", "cache bandwidth"),
    ],
)
def test_what_binds_is_what_was_made_scarce(terms: dict[str, float], pages: int, slo: str, binds: str) -> None:
    work = open_load(500, 20.0, "900", "100", seed=1)
    times = polynomial(KNOBS.token_budget, KNOBS.max_sequences, **terms)
    bench, fleet = _bench(Kind("made", times, pages), work, slo)
    found = binding(bench, fleet)
    assert found.smaller is not None
    assert not found.smaller.holds
    assert found.binds == (binds,)


def test_a_run_that_is_cut_would_have_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    work = open_load(3000, 50.0, "900", "40", seed=1)
    bench, fleet = _bench(Kind("made", polynomial(2048, 64, step_s=1e-3, row_s=6e-5), 100_000), work, "ttft_p90=200ms")
    monkeypatch.setattr(spaces, "SLICE", 500)
    monkeypatch.setattr(spaces, "LOOKS", 0.1)
    cut = bench.run(Fleet(fleet.shape, fleet.knobs, 1))
    assert cut.is_cut
    whole = bench.whole(Fleet(fleet.shape, fleet.knobs, 1))
    assert not limits("ttft_p90=200ms")[0].holds(whole.measure("ttft"))


@pytest.mark.parametrize("slo", ["ttft_p90=200ms", "tpot_p90=3ms", "e2e_p90=300ms", "queue_p90=50ms"])
def test_what_is_late_for_certain_is_late_at_the_end(slo: str) -> None:
    work = open_load(800, 15.0, "lognormal:900,0.5", "geometric:40", seed=3)
    bench, fleet = _bench(Kind("made", polynomial(2048, 64, step_s=1e-3, row_s=6e-5), 900), work, slo)
    run = Run(work, bench.deployment(fleet))
    seen: list[int] = []
    while not run.step(200):
        seen.append(late(records(run), bench.limits[0]))
    assert seen == sorted(seen), "what is late stays late"
    assert 0 < seen[len(seen) // 2] <= late(records(run), bench.limits[0])
    values = records(run).measure(bench.limits[0].measure)
    assert late(records(run), bench.limits[0]) == int((values > bench.limits[0].most_s).sum())


def test_alone_is_what_any_number_of_replicas_does_at_best() -> None:
    work = open_load(400, 50.0, "lognormal:900,0.8", "40", seed=1)
    bench, fleet = _bench(Kind("made", polynomial(2048, 64, step_s=1e-3, row_s=6e-5), 100_000), work, "ttft_p99=1s")
    alone = bench.alone(fleet.shape, fleet.knobs).reached_s[0]
    many = bench.run(Fleet(fleet.shape, fleet.knobs, 400)).reached_s[0]
    assert alone is not None
    assert many is not None
    assert alone == pytest.approx(many, rel=1e-6)


def test_cost_is_price_over_tokens() -> None:
    work = load(np.arange(100) * 1.0, 1000, 100)
    bench, fleet = _bench(Kind("made", polynomial(2048, 64, step_s=1e-3), 100_000), work, "ttft_p99=1s")
    found = bench.whole(fleet)
    price_h = prices("h100-sxm=3.6")["h100-sxm"]
    assert price_h == 3.6
    each = cost(found, price("h100-sxm", {"h100-sxm": 3.6}))
    assert each.per_million_output is not None
    assert each.per_million_output.value == pytest.approx(3.6 * found.duration_s / 3600 / 10_000 * 1e6)
    assert each.hour.low == each.hour.high == 3.6, "a price of the reader has no band"


def test_text_json_and_picture(capsys: Capture, tmp_path: Path) -> None:
    drawn = tmp_path / "size.svg"
    arguments = [
        *MADE,
        "--slo",
        "ttft_p99=500ms,tpot_p99=40ms",
        "--accelerators",
        "h100-sxm,b200",
        "--tensor-ranks",
        "1,2",
    ]
    ran = here(capsys, *arguments, "--plot", str(drawn))
    assert ran.code == 0
    for words in ("The cheapest fleet:", "an hour", "What binds:", "Runner-up:", "times this traffic"):
        assert words in ran.out
    assert ran.err == "", "no bar in a pipe"
    assert ET.parse(drawn).getroot().tag.endswith("svg")
    body = json.loads(here(capsys, *arguments, "--json").out)
    assert body["holds"]
    assert body["fleet"]["margin"] >= 1.0
    assert body["fleet"]["usd_per_h"]["low"] <= body["fleet"]["usd_per_h"]["value"]
    assert body["summary"]["done"] == 400
    low, high = body["account"]["bands"]["energy_J"]
    assert low < body["account"]["amounts"]["energy_J"] < high


def test_the_goal_of_energy_finds_what_draws_the_least(capsys: Capture) -> None:
    arguments = [*MADE, "--slo", "ttft_p99=500ms,tpot_p99=40ms", "--accelerators", "h100-sxm,b200,l4", "--tensor-ranks",
                 "1,2", "--token-budgets", "1024,4096", "--json"]  # fmt: skip
    bodies = {goal: json.loads(here(capsys, *arguments, "--goal", goal).out) for goal in ("cost", "energy")}
    every = [bodies["energy"]["fleet"], *bodies["energy"]["runners_up"]]
    drawn = [one["energy_J_per_output_token"] for one in every]
    assert drawn == sorted(drawn)
    assert len(every) >= 3
    assert drawn[0] <= bodies["cost"]["fleet"]["energy_J_per_output_token"]
    assert every[0]["usd_per_h"]["value"] >= bodies["cost"]["fleet"]["usd_per_h"]["value"]


def test_where_no_fleet_can_hold_it_says_which_limit_and_the_best(capsys: Capture) -> None:
    arguments = [*MADE, "--slo", "ttft_p99=500ms,tpot_p99=10us", "--accelerators", "h100-sxm", "--tensor-ranks", "1,2"]
    ran = here(capsys, *arguments)
    assert ran.code == 1
    for words in ("No fleet holds this.", "The nearest is", "times the limit", "no number of replicas"):
        assert words in " ".join(ran.out.split())
    body = json.loads(here(capsys, *arguments, "--json").out)
    assert not body["holds"]
    assert body["worst_request"]["measure"] == "tpot"
    assert body["binding"]["binds"] == ["decode bandwidth"]


def test_an_interruption_tells_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    work = open_load(300, 20.0, "500", "50", seed=1)
    space = Space("llama-3.1-8b", ("h100-sxm", "b200", "h200-sxm"), tensor_ranks=(1,), token_budgets=(2048,),
                  max_sequences=(64,))  # fmt: skip
    run, calls = Bench.run, []

    def stopped(self: Bench, fleet: Fleet) -> object:
        calls.append(fleet)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return run(self, fleet)

    monkeypatch.setattr(Bench, "run", stopped)
    found = size(work, limits("ttft_p99=10s"), space)
    monkeypatch.setattr(Bench, "run", run)
    assert found.interrupted
    assert answer(found).best is not None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--load", "poisson"], "Missing option '--slo'"),
        (["--slo", "ttft=1s"], "expected --trace FILE, or --load"),
        (["--load", "poisson", "--slo", "quick"], "expected for example"),
        (["--load", "poisson", "--slo", "ttft=1s", "--accelerators", "h100"], "no entry 'h100'"),
        (["--load", "poisson", "--slo", "ttft=1s", "--accelerators", "phone-soc"], "has no price in the catalog"),
        (["--load", "poisson", "--slo", "ttft=1s", "--accelerators", "tpu-v5e"], "has no price in the catalog"),
        (["--load", "poisson", "--slo", "ttft=1s", "--accelerators", ","], "--accelerators is empty"),
        (["--load", "poisson", "--slo", "ttft=1s", "--tensor-ranks", "1,two"], "--tensor-ranks 'two'"),
        (["--load", "poisson", "--slo", "ttft=1s", "--token-budgets", "0"], "--token-budgets '0'"),
        (["--load", "poisson", "--slo", "ttft=1s", "--token-budgets", "32"], "no token budget is as large"),
        (["--load", "poisson", "--slo", "ttft=1s", "--prices", "h100-sxm=free"], "expected dollars an hour"),
        (["--load", "poisson", "--slo", "ttft=1s", "--prices", "x=1"], "no entry 'x'"),
        (["--load", "poisson", "--slo", "ttft=1s", "--most-replicas", "0"], "--most-replicas = 0"),
        (["--load", "poisson", "--slo", "ttft=1s", "--prefix-cache"], "names no blocks"),
        (["--load", "poisson", "--slo", "ttft=1s", "--clients", "3"], "--clients has no meaning"),
        (["--load", "poisson", "--slo", "ttft=1s", "--router", "sticky"], "goes by session"),
        (["--load", "poisson", "--slo", "ttft=1s", "--router", "prefix-aware"], "needs the prefix cache"),
        (["--load", "poisson", "--slo", "ttft=1s", "--policy", "priority"], "has no priorities"),
        (["--load", "poisson", "--slo", "ttft=1s", "--plot", "x.png"], "written as SVG"),
        (["--load", "poisson", "--slo", "ttft=1s", "--goal", "speed"], "'speed' is not one of"),
        (["--load", "poisson", "--slo", "ttft=1s", "--grid", "moon"], "no entry 'moon'"),
        (["--load", "poisson", "--slo", "ttft=1s", "--precisions", "fp8,fp7"], "did you mean 'fp8'"),
        (["--load", "poisson", "--slo", "ttft=1s", "--model", "llama-4"], "no architecture 'llama-4'"),
    ],
)
def test_bad_input_is_one_line(capsys: Capture, arguments: list[str], message: str) -> None:
    ran = here(capsys, "fleet", "size", *arguments)
    assert message in ran.line


def test_a_price_that_is_no_number_is_refused() -> None:
    with pytest.raises(DomainError, match="dollars an hour"):
        prices("h100-sxm")
