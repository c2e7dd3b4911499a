"""Recorded runs of a serving engine, request by request, and the same run for the fleet.

A run is a folder with ``requests.jsonl`` (one request a line: tokens, and when it was sent, queued, scheduled, when its
first and last token came), ``meta.json`` (engine, model and limits; where the engine resolved them: pages, prefix
cache, whether steps are planned ahead) and ``config.json`` (accelerators, their memory and link), as LLMServingSim's
``bench`` writes them. What a record does not say is taken as the engine's default.

References
----------
.. [1] J. Cho et al., LLMServingSim 2.0, bench/README.md, https://github.com/casys-kaist/LLMServingSim
.. [2] vLLM 0.19, vllm/config/scheduler.py: ``scheduler_reserve_full_isl`` and ``async_scheduling``,
   https://github.com/vllm-project/vllm
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roundtrip.catalog.prefixes import shared_prefixes
from roundtrip.errors import TruthError
from roundtrip.fleet.deployment import Deployment, Kind
from roundtrip.fleet.kernels import Link
from roundtrip.fleet.times import StepTimes
from roundtrip.fleet.workload import Workload
from roundtrip.serving import counts
from roundtrip.serving.architecture import Architecture

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

COLUMNS = ("input_toks", "output_toks", "queued_ts", "first_token_ts", "last_token_ts")
PLANS_AHEAD_SINCE = (0, 14)  # version from which vLLM plans a step while the one before runs, if nobody says otherwise
WIDTHS_B = {"bfloat16": 2.0, "float16": 2.0, "auto": 2.0, "float32": 4.0, "fp8": 1.0}
GIB = 2.0**30


@dataclass(frozen=True)
class Recorded:
    """A recorded run.

    Attributes
    ----------
    name, hardware, model, variant : str
        The folder's name; accelerator, model and precision as the kernel tables name them.
    tensor_ranks, data_ranks : int
        Accelerators that split every matrix; copies of the model.
    shares_experts : bool
        The copies share their experts and step together.
    token_budget, max_sequences, page_tokens : int
        Limits of one copy's scheduler.
    pages : int or None
        Pages of one copy's cache, if the engine said it.
    memory_B : float
        Memory that one accelerator may fill [B].
    link : Link or None
        Between accelerators.
    prefix_cache, plans_ahead, whole_prompt : bool
        How the scheduler worked.
    workload : str
        Digest of the workload's file.
    prompt, output : array of int
    sent_s, queued_s, first_s, last_s : array
        Since the first request was queued, in the order of sending [s].
    """

    name: str
    hardware: str
    model: str
    variant: str
    tensor_ranks: int
    data_ranks: int
    shares_experts: bool
    token_budget: int
    max_sequences: int
    page_tokens: int
    pages: int | None
    memory_B: float
    link: Link | None
    prefix_cache: bool
    plans_ahead: bool
    whole_prompt: bool
    workload: str
    prompt: Ints
    output: Ints
    sent_s: Floats
    queued_s: Floats
    first_s: Floats
    last_s: Floats

    @property
    def lockstep(self) -> int:
        """Copies that step together."""
        return self.data_ranks if self.shares_experts else 1

    @property
    def ttft_s(self) -> Floats:
        """Time from the scheduler's queue to the first token."""
        return self.first_s - self.queued_s

    @property
    def tpot_s(self) -> Floats:
        """Time per token after the first; NaN for an answer of one token."""
        return _per_token(self.first_s, self.last_s, self.output)

    def load(self, with_prefixes: bool = True) -> Workload:
        """Return what was asked for: arrivals as they were sent, and which prompts begin alike where that is known.

        Copies that step together are one replica of the fleet, but a prefix is found on its own copy only: requests
        are dealt out in turn, and what two copies would have to share is left out.
        """
        like = (shared_prefixes(self.workload) or {}) if with_prefixes and self.prefix_cache else {}
        chains: list[list[int]] = []
        made = 0
        for i, tokens in enumerate(self.prompt.tolist()):
            j, alike = like.get(i, (-1, 0))
            known = chains[j][: alike // self.page_tokens] if 0 <= j < i and (i - j) % self.lockstep == 0 else []
            more = max(tokens // self.page_tokens - len(known), 0)
            chains.append([*known, *range(made, made + more)])
            made += more
        offsets = np.concatenate([[0], np.cumsum([len(chain) for chain in chains])])
        ids = np.array([block for chain in chains for block in chain], np.int64)
        arrival_s = self.sent_s - self.sent_s[0]
        return Workload(
            self.name, arrival_s, self.prompt, self.output,
            offsets=offsets, ids=ids, block_tokens=self.page_tokens,
        )  # fmt: skip

    def deployment(self, times: StepTimes, model: Architecture) -> Deployment:
        """Return the cluster that served it, with these step times of a replica (of all copies in lockstep)."""
        together = self.lockstep
        pages = (self.pages if self.pages is not None else self._pages(model)) * together
        kind = Kind(f"{model.name} on {self.hardware}", times, pages, self.tensor_ranks * together)
        return Deployment(
            (kind,),
            (0,) * (self.data_ranks // together),
            token_budget=self.token_budget * together,
            max_sequences=self.max_sequences * together,
            page_tokens=self.page_tokens,
            router="least requests",
            prefix_cache=self.prefix_cache,
            admission="prompt" if self.whole_prompt else "chunk",
            plans_ahead=self.plans_ahead,
        )

    def _pages(self, model: Architecture) -> int:
        """Return the pages that fit beside the weights; what the engine takes for its own is not known."""
        width_B = WIDTHS_B["bfloat16"]
        whole = counts.parameters(model)
        routed = counts.routed_parameters(model)
        spread = self.tensor_ranks * (self.data_ranks if self.shares_experts else 1)
        weights_B = ((whole - routed) / self.tensor_ranks + routed / spread) * width_B
        token_B = counts.cache_elements(model) * width_B / min(self.tensor_ranks, counts.cache_shards(model))
        room = (self.memory_B - weights_B) / (token_B * self.page_tokens)
        if room < 1.0:
            raise TruthError(f"{self.name}: weights of {weights_B / 1e9:.0f} GB leave no room for the cache")
        return int(room)


def _per_token(first_s: Floats, last_s: Floats, output: Ints) -> Floats:
    return np.where(output > 1, (last_s - first_s) / np.maximum(output - 1, 1), np.nan)


def read(folder: Path) -> Recorded:
    """Read a run.

    Raises
    ------
    TruthError
        If a file is missing or a request lacks what is needed; it names file and line.
    """
    rows = _rows(folder / "requests.jsonl")
    meta = _json(folder / "meta.json")
    config = _json(folder / "config.json") if (folder / "config.json").is_file() else {}
    asked: dict[str, Any] = meta.get("engine_kwargs") or {}
    found: dict[str, Any] = meta.get("resolved_config") or {}
    cache: dict[str, Any] = (found.get("cache_config") or {}) | (meta.get("kv_cache") or {})
    scheduler: dict[str, Any] = found.get("scheduler_config") or {}
    instance = _instance(config)
    memory = instance.get("npu_mem") or {}
    column = {name: np.array([float(row[name]) for row in rows]) for name in COLUMNS}
    queued_s = column["queued_ts"]
    sent_s = queued_s
    if all("arrival_time" in row for row in rows):  # another clock: the fastest request took no time to the queue
        sent_s = np.array([float(row["arrival_time"]) for row in rows])
        sent_s = sent_s + (queued_s - sent_s).min()
    order = np.argsort(sent_s, kind="stable")
    start_s = queued_s.min()
    version = tuple(int(x) for x in str(meta.get("vllm_version") or "0").split(".")[:2] if x.isdigit())
    pages = cache.get("num_gpu_blocks")
    ahead = scheduler.get("async_scheduling")
    link = None
    if "link_bw" in config:
        rate, latency = config["link_bw"], config.get("link_latency", 0.0)
        link = Link(_first(rate) * 1e9, _first(latency) * 1e-9)
    width = str(asked.get("dtype") or "bfloat16")
    return Recorded(
        name=folder.name,
        hardware=str(instance.get("hardware") or folder.name.partition("_")[0]),
        model=str(meta.get("model") or asked.get("model") or instance.get("model_name") or ""),
        variant={"bfloat16": "bf16", "float16": "fp16"}.get(width, width),
        tensor_ranks=int(asked.get("tensor_parallel_size") or 1),
        data_ranks=int(asked.get("data_parallel_size") or 1),
        shares_experts=bool(asked.get("enable_expert_parallel")),
        token_budget=int(asked.get("max_num_batched_tokens") or 2048),
        max_sequences=int(asked.get("max_num_seqs") or 256),
        page_tokens=int(cache.get("block_size") or 16),
        pages=int(pages) if pages else None,
        memory_B=float(memory.get("mem_size") or 0.0) * GIB * float(memory.get("mem_util") or 0.9),
        link=link,
        prefix_cache=bool(cache.get("enable_prefix_caching", True)),
        plans_ahead=bool(ahead) if ahead is not None else version >= PLANS_AHEAD_SINCE,
        whole_prompt=bool(scheduler.get("scheduler_reserve_full_isl", True)),
        workload=str(meta.get("dataset_hash") or ""),
        prompt=column["input_toks"][order].astype(np.int64),
        output=column["output_toks"][order].astype(np.int64),
        sent_s=sent_s[order] - start_s,
        queued_s=queued_s[order] - start_s,
        first_s=column["first_token_ts"][order] - start_s,
        last_s=column["last_token_ts"][order] - start_s,
    )


def _first(value: Any) -> float:
    return float(value[0] if isinstance(value, list) else value)


def _instance(config: dict[str, Any]) -> dict[str, Any]:
    nodes = config.get("nodes") or [{}]
    instances = nodes[0].get("instances") or [{}]
    return dict(instances[0])


def _json(path: Path) -> dict[str, Any]:
    try:
        body = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TruthError(f"{path}: cannot be read: {error}") from None
    if not isinstance(body, dict):
        raise TruthError(f"{path}: expected an object")
    return dict(body)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise TruthError(f"{path}: cannot be read: {error}") from None
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = dict(json.loads(line))
            values = [float(row[name]) for name in COLUMNS]
        except (KeyError, TypeError, ValueError) as error:
            raise TruthError(f"{path}: line {number}: expected {', '.join(COLUMNS)}: {error!r}") from None
        if not np.isfinite(values).all() or values[0] < 1 or values[1] < 1 or not values[2] <= values[3] <= values[4]:
            raise TruthError(f"{path}: line {number}: tokens must be at least 1, and times in the order of a request")
        rows.append(row)
    if not rows:
        raise TruthError(f"{path}: no requests")
    return rows
