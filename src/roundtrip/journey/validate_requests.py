"""Hold the fleet against recorded runs of a real engine, every request of them.

With measured kernel tables nothing is fitted: step times are composed from the tables, the scheduler has the limits of
the record, and each request's times are compared with what happened to it.

The time to the first token runs from the moment in which the scheduler took the request in, which is what the record
calls queued; the scheduler takes requests in between two steps, so the simulated one has the same meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.errors import RoundtripError
from roundtrip.fleet.kernels import spread, step_times
from roundtrip.fleet.simulate import simulate
from roundtrip.fleet.times import StepTimes
from roundtrip.journey.request_fit import known, search, setup, times
from roundtrip.journey.request_runs import Recorded
from roundtrip.journey.request_runs import read as read_run
from roundtrip.serving.architecture import architecture
from roundtrip.serving.kernel_tables import find
from roundtrip.serving.kernel_tables import read as read_tables

Floats = NDArray[np.float64]

FOLDER = "vllm_requests"
TABLES = "kernel_tables"
TPOT_ALLOWED = 0.03
TTFT_ALLOWED = {"RTX4090": 0.08}  # by accelerator
TTFT_ALLOWED_ELSE = 0.22
DATASHEET_TPOT, DATASHEET_TTFT = 0.08, 0.30  # with three constants, on the half that was not used for them
# Mean absolute error a request of LLMServingSim on the same runs (time to first token, per output token), computed
# from the results in its repository, bench/examples/*/*/outputs/sim.csv: https://github.com/casys-kaist/LLMServingSim
RIVAL = "LLMServingSim, same tables"
RIVALS = {
    ("RTX4090", "Llama-3.1-8B"): (0.038, 0.016),
    ("RTXPRO6000", "Llama-3.1-8B"): (0.108, 0.015),
    ("RTXPRO6000", "Qwen3-32B"): (0.026, 0.008),
    ("RTXPRO6000", "Qwen3-30B-A3B-Instruct-2507"): (0.218, 0.019),
}


@dataclass(frozen=True)
class Replay:
    """The same run, simulated.

    Attributes
    ----------
    ttft_s, tpot_s : array, (requests,)
        NaN where a request was refused, or wrote one token.
    preemptions : int
    duration_s : float
        From the first request to the last token.
    """

    ttft_s: Floats
    tpot_s: Floats
    preemptions: int
    duration_s: float


def replay(run: Recorded, times: StepTimes, with_prefixes: bool = True) -> Replay:
    """Simulate a recorded run with these step times."""
    work = run.load(with_prefixes)
    found = simulate(work, run.deployment(times, architecture(run.model)))
    rows = found.state.requests
    output = np.maximum(work.output - 1, 1)
    return Replay(
        ttft_s=rows["first_s"] - rows["seen_s"],
        tpot_s=np.where(work.output > 1, (rows["last_s"] - rows["first_s"]) / output, np.nan),
        preemptions=int(found.state.replicas["preemptions"].sum()),
        duration_s=found.duration_s,
    )


def from_tables(run: Recorded, folder: Path) -> StepTimes:
    """Return step times from the kernel tables of the run's model and accelerator."""
    tables = read_tables(find(folder, run.hardware, run.model, run.variant, run.tensor_ranks))
    return step_times(
        tables,
        architecture(run.model),
        token_budget=run.token_budget * run.lockstep,
        max_sequences=run.max_sequences * run.lockstep,
        tensor_ranks=run.tensor_ranks,
        lockstep=run.lockstep,
        link=run.link,
        contexts=spread(run.load()),
    )


def from_datasheet(run: Recorded) -> tuple[dict[str, float], Replay]:
    """Return the three constants that fit the first half of the requests, and the run with them."""
    half = len(run.prompt) // 2
    numbers = setup(run).case

    def loss(values: dict[str, float]) -> float:
        made = replay(run, times(numbers, known(values), run))
        first = slice(0, half)
        tpot, ttft = errors(made.tpot_s, run.tpot_s, first), errors(made.ttft_s, run.ttft_s, first)
        return float(np.abs(tpot).mean() / DATASHEET_TPOT + np.abs(ttft).mean() / DATASHEET_TTFT)

    found = search(loss)
    return found, replay(run, times(numbers, known(found), run))


def score(directory: Path) -> list[dict[str, Any]]:
    """Score every run in the folder.

    Parameters
    ----------
    directory : Path
        Folder of data sets with ``vllm_requests/`` and ``kernel_tables/``.
    """
    scores: list[dict[str, Any]] = []
    for folder in sorted(p for p in (directory / FOLDER).iterdir() if (p / "requests.jsonl").is_file()):
        try:
            run = read_run(folder)
        except RoundtripError as error:
            scores.append(_unanswered(folder.name, str(error)))
            continue
        for way, scored in (("kernel tables", _score_tables), ("datasheet, 3 constants", _score_datasheet)):
            try:
                scores += scored(run, directory / TABLES, f"{run.name}, {way}")
            except RoundtripError as error:
                scores.append(_unanswered(f"{run.name}, {way}", str(error)))
    return scores


def errors(found: Floats, measured: Floats, which: slice = slice(None)) -> Floats:
    """Return the relative error of each request that both know."""
    error = found[which] / measured[which] - 1.0
    return error[np.isfinite(error)]


def _score_tables(run: Recorded, folder: Path, name: str) -> list[dict[str, Any]]:
    times_s = from_tables(run, folder)
    made, without = replay(run, times_s), replay(run, times_s, with_prefixes=False)
    rival = RIVALS.get((run.hardware, run.model.rpartition("/")[2]), (None, None))
    allowed = (TTFT_ALLOWED.get(run.hardware, TTFT_ALLOWED_ELSE), TPOT_ALLOWED)
    split, whole = "none: nothing is fitted", slice(None)
    return [
        _scored(name, what, run, made, bar, whole, split, {RIVAL: theirs} if theirs else {})
        | {"without what prompts share": float(np.abs(errors(_of(without, what), _of(run, what))).mean())}
        for what, bar, theirs in zip(("time to first token", "time per output token"), allowed, rival, strict=True)
    ]


def _score_datasheet(run: Recorded, folder: Path, name: str) -> list[dict[str, Any]]:
    values, made = from_datasheet(run)
    half = len(run.prompt) // 2
    split = f"constants fitted on requests 1 to {half}, scored on {half + 1} to {len(run.prompt)}"
    allowed = (DATASHEET_TTFT, DATASHEET_TPOT)
    return [
        _scored(name, what, run, made, bar, slice(half, None), split, {}) | {"constants": values}
        for what, bar in zip(("time to first token", "time per output token"), allowed, strict=True)
    ]


def _of(run: Recorded | Replay, what: str) -> Floats:
    return run.ttft_s if what == "time to first token" else run.tpot_s


def _scored(
    name: str, what: str, run: Recorded, made: Replay, bar: float, which: slice, split: str, rivals: dict[str, float]
) -> dict[str, Any]:
    """Return the score of one time of the requests in question."""
    found, measured = _of(made, what), _of(run, what)
    error = errors(found, measured, which)
    size = np.abs(error)
    value = float(size.mean()) if len(size) else None
    detail: dict[str, Any] = {}
    if len(size):
        detail = {
            "median": float(np.median(size)),
            "p90": float(np.percentile(size, 90)),
            "bias of the mean": float(np.nanmean(found[which]) / np.nanmean(measured[which]) - 1.0),
            "preemptions": made.preemptions,
            "throughput over measured": _throughput(run, made),
        }
    return {
        "name": f"{name}: {what}",
        "metric": "mean absolute error a request",
        "value": value,
        "bar": bar,
        "holds": value is not None and value <= bar,
        "n": len(size),
        "coverage": len(size) / max(int(np.isfinite(measured[which]).sum()), 1),
        "split": split,
        "rivals": rivals,
        **detail,
    }


def _throughput(run: Recorded, made: Replay) -> float:
    return float((run.last_s.max() - run.queued_s.min()) / made.duration_s)


def _unanswered(name: str, why: str) -> dict[str, Any]:
    return {
        "name": name,
        "metric": f"not answered: {why}",
        "value": None,
        "bar": None,
        "holds": True,
        "n": 0,
        "coverage": 0.0,
        "split": "none",
        "rivals": {},
    }
