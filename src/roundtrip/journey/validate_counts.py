"""Score the exact counts: weights, operations a token, bytes of the cache, against what is published.

The operations are those that NVIDIA's training stack reports with each run: model Tflop/s over tokens a second [1]_.
A table of such runs (``training_points.csv``) is scored too where the folder has one; whether a run counts its drafts
of further tokens such a table does not say, so the nearer is taken.

References
----------
.. [1] NVIDIA, Megatron-Bridge, docs/performance-summary.md, releases 25.11 and 26.08,
   https://github.com/NVIDIA-NeMo/Megatron-Bridge
.. [2] C. Zhao et al., "Insights into DeepSeek-V3", ISCA 2025, https://arxiv.org/abs/2505.09343: tables 1 and 2.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path
from typing import Any

import numpy as np

from roundtrip.catalog.architectures import rows
from roundtrip.catalog.load import read_text
from roundtrip.errors import DomainError, TruthError
from roundtrip.serving import counts
from roundtrip.serving.architecture import Architecture, architecture

WEIGHTS_BAR, FLOP_BAR = 0.005, 0.007
TABLE = "training_points.csv"
# Tokens a second and model Tflop/s of one accelerator, length of a sequence, whether drafts are counted [1]_: from
# gpt-oss on release 26.08, before it 25.11. (25.11 counts gpt-oss otherwise than 26.08 does: 27 to 31 Gflop, then 33.)
NVIDIA = (
    ("llama-3.1-8b", 14451, 744, 8192, False), ("llama-3.1-8b", 37556, 1933, 8192, False),
    ("llama-3.1-70b", 1602, 719, 8192, False), ("llama-3.1-70b", 4520, 2030, 8192, False),
    ("llama-3.1-405b", 292, 737, 8192, False), ("llama-3.1-405b", 999, 2522, 8192, False),
    ("deepseek-v3", 3848, 961, 4096, False), ("deepseek-v3", 4357, 1088, 4096, False),
    ("deepseek-v3", 2139, 557, 4096, True), ("qwen3-30b-a3b", 5275, 121, 4096, False),
    ("qwen3-235b-a22b", 6131, 907, 4096, False), ("gpt-oss-120b", 33024, 1077, 4096, False),
    ("deepseek-v3", 6288, 1635, 4096, True), ("qwen3-30b-a3b", 44544, 1029, 4096, False),
    ("deepseek-v4-flash", 8224, 748, 4096, True), ("deepseek-v4-flash", 7776, 706, 4096, True),
)  # fmt: skip
REPORT_FLOP = ("deepseek-v3", 250e9, 4096)  # [2]_, table 2
CACHE_B = (("deepseek-v3", 70_272), ("llama-3.1-405b", 516_096), ("qwen2.5-72b", 327_680))  # [2]_, table 1, 16 bits
_RUN = re.compile(r"^([A-Za-z][\w.]*) .*\bseq (\d+)\b")
_RATE, _FLOP = "tokens/s/GPU", "model TFLOP/s/GPU"


def score(folder: Path) -> list[dict[str, Any]]:
    """Return the scores of the counts; the last only where the folder holds a table of training runs."""
    made = [_weights(), _flop(), _cache()]
    path = folder / TABLE
    return [*made, *_table(path)] if path.is_file() else made


def flop(a: Architecture, length: float, drafts: bool) -> float:
    """Return the operations of one token in training [flop]."""
    more = 3.0 * float(counts.draft_flop_per_token(a, length)) if drafts else 0.0
    return float(counts.training_flop_per_token(a, length)) + more


def _weights() -> dict[str, Any]:
    found: list[dict[str, Any]] = []
    for key, row in rows().items():
        said, a = row.published, architecture(key)
        if said.parameters:
            counted = counts.parameters(a) + (counts.draft_parameters(a) if said.drafts else 0.0)
            found.append(_row(key, counted, float(said.parameters), "1", WEIGHTS_BAR, said.source))
    body = _score("weights of every model in the catalog", "largest error of the published number", found, WEIGHTS_BAR)
    exact = sum(row["error"] == 0.0 for row in found)
    return body | {
        "exact": exact,
        "without_a_published_number": [k for k, r in rows().items() if not r.published.source],
    }


def _flop() -> dict[str, Any]:
    source = "megatron-bridge-performance"
    found = [
        _row(name, flop(architecture(name), length, drafts), rate * 1e12 / tokens, "flop", FLOP_BAR, source)
        for name, tokens, rate, length, drafts in NVIDIA
    ]
    name, value, length = REPORT_FLOP
    found.append(_row(name, flop(architecture(name), length, False), value, "flop", FLOP_BAR, "deepseek-isca"))
    return _score("operations of one token in training", "largest error", found, FLOP_BAR)


def _cache() -> dict[str, Any]:
    found = [
        _row(name, 2.0 * counts.cache_elements(architecture(name)), float(size_B), "B", 0.0, "deepseek-isca")
        for name, size_B in CACHE_B
    ]
    return _score("bytes of the cache for one token", "largest error", found, 0.0)


def _table(path: Path) -> list[dict[str, Any]]:
    """Return the score of a table of training runs: rows that give tokens a second and operations of one run."""
    runs: dict[str, dict[str, float]] = {}
    lines = csv.DictReader(read_text(path).splitlines())
    if not {"quantity", "value", "config"} <= set(lines.fieldnames or ()):
        raise TruthError(f"{path}: line 1: expected columns quantity, value and config, among others")
    for number, line in enumerate(lines, start=2):
        if line["quantity"] in (_RATE, _FLOP) and line["config"]:
            try:
                runs.setdefault(line["config"], {})[line["quantity"]] = float(line["value"])
            except (TypeError, ValueError):
                raise TruthError(f"{path}: line {number}: value = {line['value']!r} is not a number") from None
    found: list[dict[str, Any]] = []
    unknown: list[str] = []
    pairs = {name: run for name, run in runs.items() if len(run) == len((_RATE, _FLOP)) and min(run.values()) > 0.0}
    for name, run in pairs.items():
        matched = _RUN.match(name)
        try:
            a = architecture(_hub_name(matched.group(1))) if matched else None
        except DomainError:
            a = None
        if a is None or matched is None:
            unknown.append(name)
            continue
        value, length = run[_FLOP] * 1e12 / run[_RATE], float(matched.group(2))
        nearer = min((flop(a, length, drafts) for drafts in (False, True)), key=lambda x, v=value: abs(x / v - 1.0))
        found.append(_row(name, nearer, value, "flop", FLOP_BAR, path.name))
    if not found:
        return []
    errors = np.abs([row["error"] for row in found])
    body = _score("operations of one token, table of training runs", "median error", found, FLOP_BAR)
    value = float(np.median(errors))
    return [body | {
        "value": value, "holds": value <= FLOP_BAR, "coverage": len(found) / len(pairs), "not_known": unknown,
        "within_the_bar": float((errors <= FLOP_BAR).mean()), "largest": float(errors.max()),
    }]  # fmt: skip


def _hub_name(word: str) -> str:
    """Return a run's name as the hub spells it: LLAMA3_8B, DeepSeekV3, Qwen3_30B_a3B."""
    name = re.sub(r"(?i)^(llama)(\d)", r"\1-\2", word.replace("_", "-"))
    return re.sub(r"(?i)^(deepseek)(v\d)", r"\1-\2", name)


def _row(name: str, counted: float, published: float, unit: str, tolerance: float, source: str) -> dict[str, Any]:
    error = counted / published - 1.0
    return {
        "id": name, "quantity": name, "model": counted, "published": published, "unit": unit, "error": error,
        "tolerance": tolerance, "holds": abs(error) <= tolerance, "source": source,
    }  # fmt: skip


def _score(name: str, metric: str, found: list[dict[str, Any]], bar: float) -> dict[str, Any]:
    value = max(abs(row["error"]) for row in found)
    return {
        "name": f"counts, {name}", "metric": metric, "value": value, "bar": bar, "holds": value <= bar,
        "n": len(found), "coverage": None, "split": "published figures, nothing fitted", "rivals": {}, "rows": found,
    }  # fmt: skip
