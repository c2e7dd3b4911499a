"""Hold step times to runs that nothing was fitted on: the time between tokens in ``vllm_energy_runs.csv``.

The runs are of the ML.ENERGY benchmark [1]_, made to measure energy: vLLM on H100 and B200 at a mean batch. How long
their prompts were is not recorded, so `PROMPT_TOKENS` is assumed; the constants are the shipped ones, of the silicon
sample.

References
----------
.. [1] J.-W. Chung et al., "Where Do the Joules Go?", arXiv:2601.22076; https://github.com/ml-energy/leaderboard
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from roundtrip.errors import RoundtripError
from roundtrip.serving.estimate import architecture_or_estimate
from roundtrip.serving.layout import Layout
from roundtrip.serving.measurements import accelerator_key
from roundtrip.serving.step import Setup, decode_s, read_s
from roundtrip.stages.model import decode

FILE = "vllm_energy_runs.csv"
PROMPT_TOKENS = 200.0
SMALL, LARGE = 32.0, 256.0


def score(folder: Path) -> list[dict[str, Any]]:
    """Return how far the time between tokens is off, in all and by batch; nothing without the file."""
    path = folder / FILE
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found: list[dict[str, Any]] = []
    for line, row in enumerate(rows, start=2):
        try:
            measured_s, predicted_s = float(row["median_itl_ms"]) / 1e3, between_s(row)
        except (KeyError, TypeError, ValueError, RoundtripError):
            continue  # counted by the coverage
        if measured_s > 0.0 and np.isfinite(predicted_s):
            found.append(
                {"line": line, "batch": float(row["mean_batch"]), "measured_s": measured_s, "predicted_s": predicted_s,
                 "error": predicted_s / measured_s - 1.0}
            )  # fmt: skip
    if not found:
        return []
    error = np.array([one["error"] for one in found])
    batch = np.array([one["batch"] for one in found])
    sides = {"up to 32": batch <= SMALL, "33 to 256": (batch > SMALL) & (batch <= LARGE), "above 256": batch > LARGE}
    return [
        {
            "name": "serving steps, time between tokens of vLLM's energy runs",
            "metric": "median absolute error",
            "value": float(np.median(np.abs(error))),
            "bar": None,
            "holds": True,
            "n": len(found),
            "coverage": len(found) / len(rows),
            "split": f"nothing fitted on these runs; prompts of {PROMPT_TOKENS:g} tokens assumed",
            "rivals": {},
            "bias": float(np.median(error)),
            "within_2x": float((np.abs(np.log1p(error)) < np.log(2.0)).mean()),
            "bias_by_batch": {
                name: float(np.median(error[rows_of])) for name, rows_of in sides.items() if rows_of.any()
            },
            "runs": found,
        }
    ]


def between_s(row: dict[str, str]) -> float:
    """Return the predicted time between tokens of a run: a step of its batch, and what others' prompts add [s]."""
    precision = {"bfloat16": "bf16"}.get(row["precision"], row["precision"])
    setup = Setup(
        architecture_or_estimate(row["model"]), accelerator_key(row["gpu"]), "vllm", precision,
        Layout(tensor=int(row["n_gpu"])), kv_B=2.0,
    )  # fmt: skip
    batch, answer = float(row["mean_batch"]), float(row["mean_output_tokens"])
    step_s = decode_s(setup, batch, PROMPT_TOKENS + answer / 2.0)
    _, work_s = read_s(setup.case, setup.known, np.float64(PROMPT_TOKENS))
    stall_s = decode.stall_time_s(max(batch - 1.0, 0.0), PROMPT_TOKENS / answer, work_s / PROMPT_TOKENS)
    return float(decode.time_per_output_token_s(step_s, 1.0, 0.0, stall_s))
