"""Measured runs that are made: predicted by known constants, with a little noise, so that a fit can be judged."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np

from roundtrip.serving.constants import priors
from roundtrip.serving.fit import predict
from roundtrip.serving.layout import Layout
from roundtrip.serving.measurements import Run, Table, table

# As constants might truly be: not what the priors say.
TRUE = {name: prior.value for name, prior in priors().items()} | {
    "memory_efficiency": 0.70, "prefill_efficiency": 0.45, "layer_time_s": 5e-5, "per_stream_time_s": 4e-5,
    "engine_overhead_s": 0.025, "activation_copies": 14.0,
}  # fmt: skip
SERVED = (
    ("meta-llama/Llama-3.1-8B", "bf16", (1, 2)),
    ("meta-llama/Llama-3.1-70B", "fp8", (4, 8)),
    ("Qwen/Qwen3-32B", "fp8", (2, 4)),
    ("Qwen/Qwen3-235B-A22B", "fp8", (8,)),
)


def runs(engines: tuple[str, ...] = ("vllm",), chips: tuple[str, ...] = ("h100_sxm", "b200_sxm")) -> list[Run]:
    """Return runs without times yet."""
    return [
        Run(model, chip, engine, "1.0", precision, Layout(tensor=ranks), clients, prompt, answer, 0.1, 0.01, "own", 2)
        for engine in engines
        for chip in chips
        for model, precision, all_ranks in SERVED
        for ranks in all_ranks
        for clients in (1.0, 8.0, 64.0)
        for prompt, answer in ((128.0, 256.0), (2048.0, 512.0), (8192.0, 256.0))
    ]  # fmt: skip


def timed(of: list[Run], noise: float = 0.01, seed: int = 7, scale: dict[str, float] | None = None) -> list[Run]:
    """Return runs with the times that the true constants give; `scale` makes an accelerator slower or faster."""
    logs = predict(table(of), TRUE)
    logs = logs + noise * np.random.default_rng(seed).standard_normal(logs.shape)
    factor = scale or {}
    return [
        replace(r, ttft_s=float(np.exp(x[0])), tpot_s=float(np.exp(x[1])) * factor.get(r.accelerator, 1.0))
        for r, x in zip(of, logs, strict=True)
    ]


def measured(**more: object) -> Table:
    """Return a table of made runs."""
    return table(timed(runs(**more)))  # pyright: ignore[reportArgumentType]


def write_silicon(path: Path, of: list[Run]) -> None:
    """Write runs as the silicon sample writes them."""
    names = (
        "model_path", "system", "backend", "backend_version", "precision", "mode", "isl", "osl", "concurrency",
        "batch_size", "tp_size", "pp_size", "attention_dp_size", "moe_tp_size", "moe_ep_size", "prefill_num_workers",
        "prefill_tp_size", "decode_num_workers", "decode_tp_size", "silicon_ttft_ms", "silicon_tpot_ms",
    )  # fmt: skip
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        for r in of:
            row = {
                "model_path": r.model, "system": r.accelerator, "backend": r.engine, "backend_version": r.version,
                "precision": r.precision, "isl": f"{r.prompt_tokens:g}", "osl": f"{r.output_tokens:g}",
                "concurrency": f"{r.clients:g}", "silicon_ttft_ms": repr(r.ttft_s * 1e3),
                "silicon_tpot_ms": repr(r.tpot_s * 1e3),
            }  # fmt: skip
            if r.writers:
                row |= {
                    "mode": "disagg",
                    "prefill_num_workers": f"{r.readers:g}",
                    "decode_num_workers": f"{r.writers:g}",
                    "prefill_tp_size": str(r.reader.tensor),
                    "decode_tp_size": str(r.layout.tensor),
                }
            else:
                row |= {"mode": "agg", "tp_size": str(r.layout.tensor), "pp_size": "1"}
            writer.writerow(row)
