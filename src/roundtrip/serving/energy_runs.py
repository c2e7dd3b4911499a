"""Measured runs of energy, and what a few shared constants say of them before anything of the run is measured.

A run is a row of ``vllm_energy_runs.csv`` [1]_: a model on some accelerators at a mean batch, with mean answers of some
length. Asked are the joules of accelerators for each output token, from model, precision, accelerators, batch and
answer alone: times are worked out, never taken from the row.

Not in the file, but known of the benchmark: prompts have a length of their task; matrices are split over all
accelerators and experts spread over them; one model is served with data-parallel attention, so that a step with a
prompt is padded to the token budget on every rank; which 8-bit weights have a scale for each block [2]_.

References
----------
.. [1] J.-W. Chung et al., "Where Do the Joules Go?", arXiv:2601.22076; https://github.com/ml-energy/leaderboard
.. [2] ML.ENERGY benchmark, ``configs/vllm`` (engine settings of each run), https://github.com/ml-energy/benchmark
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.load import entry, keys
from roundtrip.errors import DomainError, TruthError
from roundtrip.serving import counts
from roundtrip.serving.architecture import Architecture, architecture
from roundtrip.serving.precision import numbers
from roundtrip.stages.model import decode, experts, parallel, power, prefill

Floats = NDArray[np.float64]

FILE = "vllm_energy_runs.csv"
COLUMNS = (
    "model", "gpu", "n_gpu", "precision", "mean_batch", "mean_output_tokens", "energy_per_output_token_J",
)  # fmt: skip
NEEDED = ("rated_power_W", "bandwidth_B_s", "bf16_rate_flop_s")  # figures of an accelerator
WORDS = ("models", "accelerators", "tasks", "numbers")  # of `Runs`, kept as tuples
BUDGET_TOKENS = 8192.0  # max-num-batched-tokens of every run [2]_
STATE_ELEMENT_B = 4.0  # mamba-ssm-cache-dtype: float32 [2]_
CACHE_ELEMENT_B = 2.0
BLOCK_SCALES = ("qwen/", "deepseek-ai/", "zai-org/", "minimaxai/", "moonshotai/")  # makers that publish them [2]_
DATA_PARALLEL = ("qwen/qwen3-coder-480b-a35b-instruct-fp8",)  # data-parallel-size: 0, all ranks [2]_
SHARED_HOST = ("b200",)  # where runs on one accelerator shared a host, and waited for it
# Mean tokens of a prompt: those of chat and code are constants of the fit, since their rows tell them.
GUESSED_PROMPT_TOKENS = 300.0
TASKS = ("lm-arena-chat", "sourcegraph-fim")
# Constants of a fit, by name: where it starts (a guess from the constants of serving and of chips in the catalog), and
# how far it may go: the spread of a normal prior on the logarithm.
START: dict[str, tuple[float, float]] = {
    "step_overhead_s": (1e-3, 0.7),
    "layer_time_s": (2e-5, 0.7),
    "moe_layer_time_s": (2e-5, 0.7),
    "block_scale_layer_time_s": (1e-4, 0.7),
    "per_stream_time_s": (3e-5, 0.7),
    "prompt_layer_time_s": (2.5e-4, 1.0),
    "linear_prompt_ratio": (3.0, 1.0),
    "memory_efficiency": (0.8, 0.15),
    "expert_memory_efficiency": (0.75, 0.2),
    "packed_efficiency": (0.5, 0.4),
    "packed_flop_ratio": (1.5, 0.4),
    "rank_imbalance": (0.1, 0.7),
    "cache_efficiency": (0.8, 0.2),
    "prefill_efficiency": (0.7, 0.2),
    "expert_efficiency": (0.5, 0.3),
    "independence_exponent": (0.85, 0.1),
    "standing_share": (0.38, 0.3),
    "energy_per_byte_J": (7e-11, 0.5),
    "flop_energy_ratio": (1.6, 0.4),
    "narrow_flop_ratio": (0.7, 0.3),
    "answer_host_time_s": (3e-6, 1.0),
    "host_wait_share": (0.5, 0.4),
    "lm-arena-chat": (120.0, 0.4),
    "sourcegraph-fim": (2000.0, 0.3),
}
# Deviations of an accelerator from a shared constant, as a factor; what has none of its own takes none.
DEVIATION = "energy_per_byte_J"
DEVIATION_SPREAD = 0.3
NARROW_EFFICIENCY = 0.8  # share of the efficiency that 8-bit arithmetic reaches: the rows cannot tell it
POWER_LIMIT_SHARE = 0.97  # what full accelerators read in the runs


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs as arrays, one value a run, with what is measured of them.

    Attributes
    ----------
    models, accelerators, tasks : tuple of str
        Names: the model's as in the file, the accelerator's key in the catalog.
    numbers : tuple of int
        Which of the rows they are.
    count, batch, answer_tokens : array
        Accelerators, answers that are written at once, tokens of an answer.
    measured_J, measured_s : array
        Joules of accelerators for each output token; time of a step, batch over throughput (NaN where not given).
    others : array
        What follows from the architecture and the precision: see `_described`.
    """

    models: tuple[str, ...]
    accelerators: tuple[str, ...]
    tasks: tuple[str, ...]
    numbers: tuple[int, ...]
    count: Floats
    batch: Floats
    answer_tokens: Floats
    measured_J: Floats
    measured_s: Floats
    layers: Floats
    moe_layers: Floats
    hidden_width: Floats
    common_parameters: Floats
    common_B: Floats
    routed_B: Floats
    experts: Floats
    picked_experts: Floats
    picked_parameters: Floats
    cache_token_B: Floats
    cache_shards: Floats
    state_B: Floats
    attention_flop: Floats
    prompt_attention_flop: Floats
    unpacks: Floats
    is_narrow: Floats
    is_routed_narrow: Floats
    has_block_scales: Floats
    is_linear: Floats
    is_data_parallel: Floats
    shares_host: Floats
    bandwidth_B_s: Floats
    rate_flop_s: Floats
    routed_rate_flop_s: Floats
    wide_rate_flop_s: Floats
    rated_power_W: Floats
    link_B_s: Floats
    link_latency_s: Floats

    def __len__(self) -> int:
        return len(self.models)

    def only(self, which: NDArray[Any]) -> Runs:
        """Return the runs that `which` marks or numbers."""
        chosen = np.arange(len(self))[which]
        picked: dict[str, Any] = {}
        for f in fields(self):
            values = getattr(self, f.name)
            picked[f.name] = tuple(values[i] for i in chosen) if isinstance(values, tuple) else values[chosen]
        return Runs(**picked)


def accelerator_key(name: str) -> str:
    """Return the catalog's key of an accelerator as a file names it: ``H100`` is ``h100-sxm``.

    Raises
    ------
    DomainError
        If the catalog has none of that name.
    """
    word = name.strip().lower().replace(" ", "-").removeprefix("nvidia-")
    found = [key for key in keys("accelerators") if key == word] or [
        key for key in keys("accelerators") if word and (key.startswith(f"{word}-") or word.startswith(f"{key}-"))
    ]
    if not found:
        raise DomainError(f"accelerator {name!r} is not in the catalog")
    return found[0]


def read(file: Path) -> list[dict[str, str]]:
    """Read the rows of a file of runs.

    Raises
    ------
    TruthError
        If the file is no CSV text, a column is missing or a number is not above zero.
    """
    try:
        with file.open(encoding="utf-8", newline="") as text:
            rows = list(csv.DictReader(text))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TruthError(f"{file}: {error}") from None
    for line, row in enumerate(rows, start=2):
        for column in COLUMNS:
            if row.get(column) is None:
                raise TruthError(f"{file}: line {line}: column {column} is missing")
        for column in COLUMNS[2:3] + COLUMNS[4:]:
            if not _number(row[column]) > 0.0:
                raise TruthError(f"{file}: line {line}: {column} = {row[column]!r}, expected a number above 0")
    return rows


def runs(rows: Sequence[dict[str, str]]) -> tuple[Runs, list[str]]:
    """Return the runs whose model, precision and accelerator are known, and why each other row is left out."""
    described: list[dict[str, Any]] = []
    refused: list[str] = []
    for number, row in enumerate(rows):
        try:
            described.append({"numbers": number, **_described(row)})
        except DomainError as error:
            refused.append(str(error))
    columns: dict[str, Any] = {}
    for f in fields(Runs):
        values = [one[f.name] for one in described]
        columns[f.name] = tuple(values) if f.name in WORDS else np.array(values, dtype=np.float64)
    return Runs(**columns), refused


def _described(row: dict[str, str]) -> dict[str, Any]:
    key = accelerator_key(row["gpu"])
    made = entry("accelerators", key)
    chip = {name: figure.value for name, figure in made.figures.items()}
    for name in NEEDED:
        if name not in chip:
            raise DomainError(f"accelerator {key}: {name} is not in the catalog")
    a = architecture(row["model"])
    n = numbers(a, made, row["precision"], kv_B=CACHE_ELEMENT_B)
    # Where a chip does not multiply in 4 bits, vLLM makes 16 of them first, in software.
    unpacks = n.routed_B < 1.0 and "fp4_rate_flop_s" not in chip
    routed_rate = chip["bf16_rate_flop_s"] if unpacks else n.routed_rate
    name, task = row["model"].lower(), row.get("task") or ""
    count, batch, answer = _number(row["n_gpu"]), _number(row["mean_batch"]), _number(row["mean_output_tokens"])
    throughput = _number(row.get("output_tokens_per_s"))
    prompt = START[task][0] if task in START else GUESSED_PROMPT_TOKENS
    context = prompt + 0.6 * answer
    state = counts.state_elements(a)
    number, picked = _experts(a)
    return {
        "models": row["model"], "accelerators": key, "tasks": task,
        "count": count, "batch": max(batch, 1.0), "answer_tokens": max(answer, 1.0),
        "measured_J": _number(row["energy_per_output_token_J"]),
        "measured_s": batch / throughput if throughput > 0.0 else np.nan,
        "layers": float(counts.layers(a)), "moe_layers": float(counts.moe_layers(a)),
        "hidden_width": float(a.hidden_width), "common_parameters": counts.common_parameters(a),
        "common_B": counts.common_parameters(a) * n.common_B, "routed_B": counts.routed_parameters(a) * n.routed_B,
        "experts": number, "picked_experts": picked,
        "picked_parameters": counts.active_parameters(a) - counts.common_parameters(a),
        "cache_token_B": (counts.cache_read_elements(a, context) - 2.0 * state) * CACHE_ELEMENT_B,
        "cache_shards": min(count, float(counts.cache_shards(a))), "state_B": 2.0 * state * STATE_ELEMENT_B,
        "attention_flop": counts.write_attention_flop(a, context),
        "prompt_attention_flop": counts.prompt_attention_flop(a, prompt),
        "unpacks": unpacks, "is_narrow": n.common_rate > chip["bf16_rate_flop_s"],
        "is_routed_narrow": routed_rate > chip["bf16_rate_flop_s"],
        "has_block_scales": n.routed_B == 1.0 and name.startswith(BLOCK_SCALES) and counts.moe_layers(a) > 0,
        "is_linear": state > 0.0, "is_data_parallel": name in DATA_PARALLEL,
        "shares_host": count == 1.0 and key in SHARED_HOST,
        "bandwidth_B_s": chip["bandwidth_B_s"], "rate_flop_s": n.common_rate,
        "routed_rate_flop_s": routed_rate, "wide_rate_flop_s": chip["bf16_rate_flop_s"],
        "rated_power_W": chip["rated_power_W"],
        "link_B_s": chip.get("link_B_s") or chip["bandwidth_B_s"],
        "link_latency_s": chip.get("link_latency_s", 0.0),
    }  # fmt: skip


def _experts(a: Architecture) -> tuple[float, float]:
    """Return the experts of a layer and how many a token picks, as most layers have them; 1 and 1 without experts."""
    with_experts = [b for b in a.blocks if b.experts]
    if not with_experts:
        return 1.0, 1.0
    most = max(with_experts, key=lambda b: b.layers)
    return float(most.experts), float(most.picked_experts)


def _number(text: str | None) -> float:
    try:
        return float(cast("str", text))
    except (TypeError, ValueError):
        return float("nan")


def predict(r: Runs, constants: dict[str, float]) -> tuple[Floats, Floats]:
    """Return joules of accelerators for each output token and the time of a step of the whole batch [J, s].

    Parameters
    ----------
    r : Runs
        What is known before a run.
    constants : dict
        Values of `START`, and ``energy_per_byte_J/KEY`` for accelerators with a value of their own.
    """
    c = constants
    chips, batch = r.count, r.batch
    prompt = np.array([c.get(task, GUESSED_PROMPT_TOKENS) for task in r.tasks])
    prompts = batch / r.answer_tokens
    joining = power.prompt_step_share(prompts)
    padded = power.padded_prompt_rows(prompts, prompt, chips, np.float64(BUDGET_TOKENS))
    rows = batch + np.where(r.is_data_parallel > 0.0, padded, prompts * prompt)
    split = np.where(r.is_data_parallel > 0.0, 1.0, chips)  # ranks over which the common weights are split

    def touched_B(tokens: Floats) -> Floats:
        alike = power.independent_tokens(tokens, c["independence_exponent"])
        return experts.distinct_experts(r.experts, r.picked_experts, alike) / r.experts * r.routed_B

    written_B = touched_B(batch)
    experts_B = written_B + joining * (touched_B(batch + prompt) - written_B)
    shards = np.where(r.is_data_parallel > 0.0, chips, r.cache_shards)
    cache_B = batch * r.cache_token_B / shards + batch * r.state_B / chips  # of one accelerator
    routed_flop = prefill.linear_flop(r.picked_parameters, rows)
    flop = prefill.linear_flop(r.common_parameters, rows) + batch * r.attention_flop + prompts * r.prompt_attention_flop

    reached = c["prefill_efficiency"] * np.where(r.is_narrow > 0.0, NARROW_EFFICIENCY, 1.0)
    routed = c["prefill_efficiency"] * np.where(r.is_routed_narrow > 0.0, NARROW_EFFICIENCY, 1.0)
    unpacked = np.where(r.unpacks > 0.0, c["packed_efficiency"], 1.0)
    common_s = prefill.roofline_time_s(
        prefill.compute_time_s(flop / chips, r.rate_flop_s, reached),
        prefill.memory_time_s(r.common_B / split, r.bandwidth_B_s, c["memory_efficiency"]),
    )
    experts_s = prefill.roofline_time_s(
        prefill.compute_time_s(routed_flop / chips, r.routed_rate_flop_s, routed * c["expert_efficiency"] * unpacked),
        prefill.memory_time_s(experts_B / chips, r.bandwidth_B_s, c["expert_memory_efficiency"] * unpacked),
    ) * power.rank_stretch(chips, c["rank_imbalance"])
    cache_s = prefill.memory_time_s(cache_B, r.bandwidth_B_s, c["cache_efficiency"])
    message_B = parallel.layer_message_B(rows, r.hidden_width, 2.0)
    talk_s = 2.0 * r.layers * parallel.ring_all_reduce_time_s(message_B, chips, r.link_B_s, 0.8, r.link_latency_s)
    moe_layer_s = c["moe_layer_time_s"] + np.where(r.has_block_scales > 0.0, c["block_scale_layer_time_s"], 0.0)
    launch_s = decode.launch_time_s(
        r.layers, c["layer_time_s"], r.moe_layers, moe_layer_s, 1.0, c["step_overhead_s"]
    ) + joining * r.layers * c["prompt_layer_time_s"] * np.where(r.is_linear > 0.0, c["linear_prompt_ratio"], 1.0)
    host_s = np.where(r.shares_host > 0.0, c["answer_host_time_s"] * r.answer_tokens, 0.0)
    stream_s = decode.stream_time_s(batch, c["per_stream_time_s"])
    step_s = decode.step_time_s(launch_s, stream_s, common_s, experts_s, cache_s, talk_s) + host_s

    byte_J = np.array([c.get(f"{DEVIATION}/{key}", c[DEVIATION]) for key in r.accelerators])
    flop_J = power.energy_per_flop_J(r.rated_power_W, r.wide_rate_flop_s, c["flop_energy_ratio"])
    moved_B = r.common_B * chips / split + experts_B + cache_B * chips
    weighed_flop = flop * np.where(r.is_narrow > 0.0, c["narrow_flop_ratio"], 1.0)
    of_routed = np.where(r.unpacks > 0.0, c["packed_flop_ratio"], 1.0)
    of_routed = np.where(r.is_routed_narrow > 0.0, c["narrow_flop_ratio"], of_routed)
    weighed_flop = weighed_flop + routed_flop * of_routed
    work_J = byte_J * moved_B + flop_J * weighed_flop
    standing_W = power.standing_power_W(r.rated_power_W, c["standing_share"])
    limited_s = power.limited_time_s(step_s, work_J, chips, POWER_LIMIT_SHARE * r.rated_power_W, standing_W)
    awake_s = limited_s - (1.0 - c["host_wait_share"]) * host_s
    joules = power.step_energy_J(awake_s, work_J, chips, standing_W) / batch
    return joules, cast("Floats", limited_s)
