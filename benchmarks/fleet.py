"""The fleet's event loop: processor seconds on one core, alone and beside other simulators of LLM serving.

The peers live in an environment of their own (`tools/judges.sh fleet`); one that is not there is named and skipped. The
traces are read from ``ROUNDTRIP_TRACES`` (default ``../shared/traces``). The step times are those of the peer where it
accepts some: a constant for a prompt and one for a decode step (`fixed`), and its own polynomial.
"""

from __future__ import annotations

import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.cases import Result
from benchmarks.clock import best

if TYPE_CHECKING:
    from roundtrip.fleet.deployment import Deployment
    from roundtrip.fleet.times import StepTimes
    from roundtrip.fleet.workload import Workload

ROOT = Path(__file__).parents[1]
PEERS = ROOT / ".judges" / "fleet" / "bin" / "python"
TRACES = Path(os.environ.get("ROUNDTRIP_TRACES", ROOT.parent / "shared" / "traces"))
PAGES, BUDGET, SEQUENCES, PAGE = 27_000, 2048, 256, 16
# The peer's polynomials, in milliseconds: of the new tokens of a step, and of the share of its cache in use.
PROMPT_MS = (16.50142, 1.518344e-2, 4.209989e-7)
DECODE_MS = (5.74, 54.01, -25.74)
FIXED_MS = (20.0, 10.0)
MAX_EVENTS = 1 << 40
PATIENCE_S = 120.0


def peers_polynomial(pages: int) -> StepTimes:
    """Return the peer's polynomial as tables: exact in the tokens up to a thousandth, lines between 33 contexts."""
    from roundtrip.fleet.times import StepTimes

    rows = np.arange(BUDGET + 1.0)
    rows_s = 1e-3 * (PROMPT_MS[1] * rows + PROMPT_MS[2] * rows**2)
    sequences = np.arange(SEQUENCES + 1.0)[:, None]
    context = np.concatenate([[0.0], np.geomspace(16.0, PAGES * PAGE, 32)])
    share = np.minimum(sequences * context / (pages * PAGE), 1.0)
    decode_s = 1e-3 * (DECODE_MS[0] + DECODE_MS[1] * share + DECODE_MS[2] * share**2)
    context_s = np.where(sequences > 0.0, decode_s - rows_s[: SEQUENCES + 1, None], 0.0)
    return StepTimes(rows_s, context, context_s, np.array([0.0, 1.0]), np.full(2, 1e-3 * PROMPT_MS[0]))


def fixed() -> StepTimes:
    """Return a constant for a prompt in the step, and one for sequences that write."""
    from roundtrip.fleet.times import StepTimes

    rows_s = np.full(BUDGET + 1, 1e-15)
    context_s = np.full((SEQUENCES + 1, 2), 1e-3 * FIXED_MS[1])
    context_s[0] = 0.0
    return StepTimes(rows_s, np.array([0.0, 1.0]), context_s, np.array([0.0, 1.0]), np.full(2, 1e-3 * FIXED_MS[0]))


def cluster(times: StepTimes, pages: int = PAGES, replicas: int = 1, **choices: Any) -> Deployment:
    """Return equal replicas with the peers' limits."""
    from roundtrip.fleet.deployment import Kind, uniform

    limits = {"token_budget": BUDGET, "max_sequences": SEQUENCES, "page_tokens": PAGE}
    return uniform(Kind("bench", times, pages), replicas, **limits, **choices)


def cpu_s(work: Workload, deployment: Deployment, rounds: int = 5) -> float:
    """Return the processor seconds of a run, arrays made and events done; the best of some rounds, compiled before."""
    from dataclasses import replace

    from roundtrip.fleet.simulate import Run

    def whole() -> None:
        Run(replace(work, prompt=work.prompt.copy()), deployment).step(MAX_EVENTS)  # no trie of an earlier round

    Run(work, deployment).step(10)
    return best(whole, rounds=rounds)


def peer(name: str, path: Path, options: dict[str, Any] | None = None) -> dict[str, Any] | None:
    """Return what a peer reports of a trace, or None where it is not there, fails, or is not done in two minutes."""
    if not PEERS.is_file():
        setting_up = [str(ROOT / "tools" / "judges.sh"), "fleet"]
        subprocess.run(setting_up, check=False, env=os.environ | {"PYTHON": sys.executable}, stdout=sys.stderr)
    if not PEERS.is_file():
        return None
    command = [str(PEERS), str(ROOT / "benchmarks" / "fleet_peers.py"), name, str(path), json.dumps(options or {})]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else None


def engine(pages: int, timing: dict[str, Any] | None = None, cache: bool = False) -> dict[str, Any]:
    """Return the peer's options for the same limits."""
    body: dict[str, Any] = {
        "num_gpu_blocks": pages, "block_size": PAGE, "max_num_seqs": SEQUENCES, "max_num_batched_tokens": BUDGET,
        "enable_prefix_caching": cache, "enable_chunked_prefill": True,
    }  # fmt: skip
    if timing:
        body["timing_model"] = timing
    return {"extra_engine_args": {"engine": body}}


def in_their_forms(work: Workload, folder: Path) -> dict[str, Path]:
    """Write a trace as the peers read it; its prompts share nothing."""
    paths = {"dynamo": folder / "trace.jsonl", "sched-sim": folder / "trace.json"}
    rows = list(zip(work.arrival_s.tolist(), work.prompt.tolist(), work.output.tolist(), strict=True))
    made = 0
    with paths["dynamo"].open("w") as file:
        for at_s, prompt, output in rows:
            blocks = -(-prompt // 512)
            file.write(
                json.dumps({"timestamp": round(1e3 * at_s), "input_length": prompt, "output_length": output,
                            "hash_ids": list(range(made, made + blocks))}) + "\n"
            )  # fmt: skip
            made += blocks
    paths["sched-sim"].write_text(
        json.dumps([{"timestamp": t, "prompt_tokens": p, "output_tokens": o} for t, p, o in rows])
    )
    return paths


def azure() -> Iterator[Result]:
    """Yield the Azure conversation trace on one replica: paging on, with room and under pressure."""
    from dataclasses import replace

    from roundtrip.fleet.simulate import simulate
    from roundtrip.fleet.traces import read

    path = TRACES / "AzureLLMInferenceTrace_conv.csv"
    if not path.is_file():
        yield Result("fleet, Azure conversation", math.nan, "s", note=f"no trace in {TRACES}")
        return
    work = read(path)
    work = replace(work, arrival_s=np.round(work.arrival_s, 3))  # the peer reads milliseconds
    with tempfile.TemporaryDirectory() as folder:
        paths = in_their_forms(work, Path(folder))
        constant = {"type": "fixed", "prefill_ms": FIXED_MS[0], "decode_ms": FIXED_MS[1]}
        for name, pages, times, timing in (
            ("fixed step times", PAGES, fixed(), constant),
            ("their polynomial", PAGES, peers_polynomial(PAGES), None),
            ("fixed, little memory", 1_200, fixed(), constant),
        ):
            # The peer lets a request start when its whole prompt finds pages.
            deployment = cluster(times, pages, admission="prompt")
            ours_s = cpu_s(work, deployment)
            found = simulate(work, deployment)
            theirs = peer("dynamo", paths["dynamo"], engine(pages, timing))
            total = found.summary()
            note = (
                f"{len(work) / ours_s / 1e6:.2f} M requests/s; ttft {1e3 * total['ttft_s']['mean']:.3f} ms, "
                f"tpot {1e3 * total['tpot_s']['mean']:.3f} ms, {total['preemptions']} preemptions"
            )
            if theirs:
                note += f"; theirs {theirs['mean_ttft_ms']:.3f}, {theirs['mean_tpot_ms']:.3f}"
            yield Result(
                f"fleet, Azure, {name}", ours_s, "s", note=note,
                beside={"Dynamo replay 1.6.1": theirs["cpu_s"] if theirs else math.nan},
            )  # fmt: skip
            if theirs:
                yield Result("  over Dynamo", theirs["cpu_s"] / ours_s, "times", 10.0, least=True, note="aim 40")
        ours_s = cpu_s(work, cluster(peers_polynomial(PAGES)))
        theirs = peer("sched-sim", paths["sched-sim"])
        yield Result(
            "fleet, Azure, beside sched-sim", ours_s, "s", note="each with its own step times of an 8B model",
            beside={"sched-sim 0.2.1": theirs["cpu_s"] if theirs else math.nan},
        )  # fmt: skip
        if theirs:
            yield Result("  over sched-sim", theirs["cpu_s"] / ours_s, "times", 100.0, least=True)


def routers() -> Iterator[Result]:
    """Yield what routing costs, and the prefix cache: Azure on 4 replicas, Mooncake on 4 workers."""
    from roundtrip.fleet.traces import read

    azure_path, path = TRACES / "AzureLLMInferenceTrace_conv.csv", TRACES / "mooncake_conversation.jsonl"
    if not azure_path.is_file() or not path.is_file():
        yield Result("fleet, routers", math.nan, "s", note=f"no traces in {TRACES}")
        return
    work = read(azure_path)
    for router in ("round robin", "random", "two choices", "least requests", "least work"):
        seconds = cpu_s(work, cluster(peers_polynomial(PAGES), replicas=4, router=router))
        yield Result(f"fleet, Azure, 4 replicas, {router}", seconds, "s")
    work = read(path)
    for router, mode in (("round robin", "round_robin"), ("prefix-aware", "kv_router")):
        deployment = cluster(peers_polynomial(PAGES), replicas=4, router=router, prefix_cache=True)
        ours_s = cpu_s(work, deployment)
        theirs = peer("dynamo", path, {**engine(PAGES, cache=True), "num_workers": 4, "router_mode": mode})
        yield Result(
            f"fleet, Mooncake, 4 workers, {router}", ours_s, "s", note="with the trie of prefixes made",
            beside={"Dynamo replay 1.6.1": theirs["cpu_s"] if theirs else math.nan},
        )  # fmt: skip
        if theirs:
            yield Result("  over Dynamo", theirs["cpu_s"] / ours_s, "times", 5.0, least=True, note="aim 20")


def scale() -> Iterator[Result]:
    """Yield cost by the number of requests and by the batch; ten million requests in time and memory."""
    from roundtrip.fleet.generate import open_load

    times = peers_like(1024)
    costs: list[float] = []
    for count in (10**4, 10**5, 10**6):
        work = open_load(count, 20.0, "uniform:100,900", "uniform:28,228", seed=1)
        costs.append(cpu_s(work, large(times), rounds=3) / count)
        yield Result(f"fleet, {count:,} requests, each", 1e6 * costs[-1], "µs")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.fleet"], capture_output=True, text=True, check=True, cwd=ROOT
    )
    most = json.loads(done.stdout)
    costs.append(most["cpu_s"] / most["requests"])
    yield Result(
        "fleet, 10,000,000 requests", most["cpu_s"], "s", 60.0, note=f"aim 30; with figures {most['all_s']:.0f} s"
    )
    yield Result("fleet, 10,000,000 requests, memory", most["peak_MB"], "MB", 6000.0)
    yield Result("fleet, cost from 10^4 to 10^7", max(costs) / min(costs), "times", 1.5)
    by_batch: list[float] = []
    for rate in (2.5, 8.0, 25.0, 41.5):
        work = open_load(100_000, rate, "uniform:100,300", "uniform:100,1100", seed=1)
        seconds, batch = cpu_s(work, large(peers_like(1024, rate_limit=True)), rounds=3), mean_batch(work)
        by_batch.append(seconds / len(work))
        yield Result(f"fleet, at mean batch {batch:.0f}, each", 1e6 * by_batch[-1], "µs")
    yield Result("fleet, cost over the batch", max(by_batch) / min(by_batch), "times", 3.0)


def peers_like(sequences: int, rate_limit: bool = False) -> StepTimes:
    """Return step times of a small model on a large accelerator."""
    from roundtrip.fleet.times import polynomial

    scale = 0.55 if rate_limit else 1.0
    return polynomial(
        BUDGET, sequences, step_s=5e-3, row_s=scale * 2.6e-5, sequence_s=scale * 2e-5, context_s=scale * 4.4e-11
    )


def large(times: StepTimes) -> Deployment:
    """Return one replica that may hold 1024 sequences."""
    from roundtrip.fleet.deployment import Kind, uniform

    return uniform(Kind("bench", times, 100_000), token_budget=BUDGET, max_sequences=1024)


def mean_batch(work: Workload) -> float:
    """Return the mean number of sequences that write."""
    from roundtrip.fleet.simulate import simulate

    return simulate(work, large(peers_like(1024, rate_limit=True))).summary()["mean_batch"]


def start() -> Iterator[Result]:
    """Yield the first answer: compiled anew, and with the code of an earlier run."""
    arguments = ["fleet", "run", "--load", "poisson", "--requests", "1000"]
    code = f"from roundtrip.cli.main import main; raise SystemExit(main({arguments!r}))"
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"XDG_CACHE_HOME": folder}
        for name, limit in (("compiled anew", 40.0), ("warm", 1.5)):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            yield Result(f"fleet, first answer, {name}", seconds, "s", limit)


def ten_million() -> None:
    """Run ten million requests in this process, and print time and memory as JSON."""
    from roundtrip.fleet.generate import open_load
    from roundtrip.fleet.records import records
    from roundtrip.fleet.simulate import Run

    count = 10**7
    begun = time.process_time()
    work = open_load(count, 20.0, "uniform:100,900", "uniform:28,228", seed=1)
    deployment = large(peers_like(1024))
    Run(open_load(10, 20.0, "9", "9"), deployment).step(100)
    run, seconds = None, math.inf
    for _ in range(2):  # as the smaller ones: the first also waits for memory that the process never had
        run = None
        start_s = time.process_time()
        run = Run(work, deployment)
        run.step(MAX_EVENTS)
        seconds = min(seconds, time.process_time() - start_s)
    assert run is not None
    records(run).summary()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"requests": count, "cpu_s": seconds, "all_s": time.process_time() - begun, "peak_MB": peak}))


CASES = {"fleet": azure, "fleet-routers": routers, "fleet-scale": scale, "fleet-start": start}

if __name__ == "__main__":
    ten_million()
