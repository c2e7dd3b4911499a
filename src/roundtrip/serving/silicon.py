"""Read the silicon sample of aiconfigurator, and mend what its columns mean.

What was found by looking at rows that are measured twice, and is mended here:

- Rows that repeat another one's times on the same accelerator and engine are the same measurement under a second name.
- ``moe_tp = moe_ep = m`` with ``tp x dp = m x m`` means m accelerators, not m x m: the product was stored.
- ``tp = dp`` with ``ep = tp x dp`` means data-parallel attention on tp accelerators.
- No precision: it follows from the name (NVFP4), the accelerator and how times fall with ranks.
- A worker with one rank where the model does not fit on one: attention is not split, so it is data-parallel over a
  server.
"""

from __future__ import annotations

import csv
import math
from dataclasses import replace
from pathlib import Path

from roundtrip.errors import DomainError, RoundtripError
from roundtrip.serving.architecture import architecture
from roundtrip.serving.estimate import architecture_or_estimate
from roundtrip.serving.layout import SERVER, Layout
from roundtrip.serving.measurements import Run, accelerator_key, engine, marked, slow_start
from roundtrip.serving.precision import plain
from roundtrip.serving.step import Setup, held_B

FILE = "serving_silicon.csv"
COLUMNS = (
    "model_path", "system", "backend", "precision", "mode", "isl", "osl", "concurrency", "tp_size", "silicon_ttft_ms",
    "silicon_tpot_ms",
)  # fmt: skip
APART = "disagg"
APART_ROW = "reading and writing apart"  # how the reason begins why such a row says nothing
FITS = 0.9  # of an accelerator's memory


def read(path: Path) -> tuple[list[Run], int, list[tuple[int, str]]]:
    """Return the runs of a file without repetitions, how many rows there were, and the rows that say nothing.

    Raises
    ------
    DomainError
        If the file cannot be read, or a column is missing.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
            names = reader.fieldnames or []
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DomainError(f"{path}: cannot be read: {error}") from None
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise DomainError(f"{path}: line 1: the column {missing[0]!r} is missing")
    seen: set[tuple[str, ...]] = set()
    runs: list[Run] = []
    bad: list[tuple[int, str]] = []
    for line, row in enumerate(rows, start=2):
        same = (row["silicon_ttft_ms"], row["silicon_tpot_ms"], row["system"], row["backend"])
        if same in seen:
            continue
        seen.add(same)
        try:
            runs.append(_run(row, line))
        except RoundtripError as error:
            is_apart = (row["mode"] or "").strip() == APART
            bad.append((line, f"{APART_ROW}: {error}" if is_apart else str(error)))
    return marked(runs), len(rows), bad


def _run(row: dict[str, str], line: int) -> Run:
    prompt, answer = _number(row, "isl", line), _number(row, "osl", line)
    apart = (row["mode"] or "").strip() == APART
    layout = _apart(row, "decode", line) if apart else _together(row, line)
    clients = _number(row, "concurrency", line, 0.0) or _number(row, "batch_size", line, 0.0) * layout.groups
    if not clients:
        raise DomainError(f"line {line}: neither concurrency nor batch_size is given")
    is_public = (prompt, answer) in ((1024.0, 1024.0), (1024.0, 8192.0), (8192.0, 1024.0))
    run = Run(
        model=row["model_path"], accelerator=row["system"], engine=engine(row["backend"]),
        version=row.get("backend_version") or "", precision=_precision(row), layout=layout, clients=clients,
        prompt_tokens=prompt, output_tokens=answer, ttft_s=_number(row, "silicon_ttft_ms", line) / 1e3,
        tpot_s=_number(row, "silicon_tpot_ms", line) / 1e3, bench="public" if is_public else "own", line=line,
        readers=_number(row, "prefill_num_workers", line, 0.0) if apart else 0.0,
        writers=_number(row, "decode_num_workers", line, 0.0) or -1.0 if apart else 0.0,
        reader=_apart(row, "prefill", line) if apart else Layout(),
    )  # fmt: skip
    try:
        if apart:
            return replace(run, layout=_spread(run, run.layout), reader=_spread(run, run.reader))
        return replace(run, is_slow_start=slow_start(run, is_public))
    except RoundtripError:
        return run  # the table refuses it, with the reason


def _number(row: dict[str, str], name: str, line: int, missing: float = math.nan) -> float:
    text = (row.get(name) or "").strip()
    if not text and not math.isnan(missing):
        return missing
    try:
        value = float(text)
    except ValueError:
        raise DomainError(f"line {line}: {name} = {text!r}, expected a number") from None
    if not 0.0 <= value < 1e9 or (math.isnan(missing) and value == 0.0):
        raise DomainError(f"line {line}: {name} = {value:g}, expected above 0 and below 1e9")
    return value


def _together(row: dict[str, str], line: int) -> Layout:
    tp, dp, moe_tp, moe_ep = (
        int(_number(row, name, line, 1.0)) or 1
        for name in ("tp_size", "attention_dp_size", "moe_tp_size", "moe_ep_size")
    )
    pp = int(_number(row, "pp_size", line, 1.0)) or 1
    groups_given = bool((row.get("attention_dp_size") or "").strip())
    if moe_tp == moe_ep > 1 and tp * dp == moe_tp * moe_ep and groups_given:
        return Layout(tensor=1, groups=moe_tp, expert=moe_tp, pipeline=pp) if dp > 1 else Layout(
            tensor=moe_tp, expert=moe_ep, pipeline=pp
        )  # fmt: skip
    if tp == dp > 1 and moe_ep == tp * dp:
        return Layout(tensor=1, groups=tp, expert=tp, pipeline=pp)
    return Layout(tensor=tp, groups=dp, expert=min(moe_ep, tp * dp), pipeline=pp)


def _apart(row: dict[str, str], role: str, line: int) -> Layout:
    """Return the ranks of a worker; what its attention and experts do is not recorded, so both are split over all."""
    return Layout(tensor=int(_number(row, f"{role}_tp_size", line, 1.0)) or 1)


def _spread(run: Run, layout: Layout) -> Layout:
    """Return the ranks of a worker of one: if that is too small, those of a server, each with a batch of its own."""
    if layout.accelerators > 1:
        return layout
    chip = accelerator_key(run.accelerator)
    alone = Setup(architecture_or_estimate(run.model), chip, run.engine, run.precision, layout)
    if held_B(alone) <= FITS * float(alone.case.memory_B):
        return layout
    return Layout(groups=SERVER, expert=SERVER)


def _precision(row: dict[str, str]) -> str:
    given = (row["precision"] or "").strip()
    if given:
        return plain(given)
    model, system, made = row["model_path"].lower(), row["system"], engine(row["backend"])
    if "nvfp4" in model or "fp4" in model or system.startswith("gb"):
        return "fp4"
    if "fp8" in model:
        return "fp8"
    try:
        dense = not any(b.experts for b in architecture(row["model_path"]).blocks)
    except RoundtripError:
        dense = False
    # Dense models on Hopper: times fall with ranks as those of 16 bits do, but for SGLang.
    return "bf16" if dense and system.startswith(("h100", "h200")) and made != "sglang" else "fp8"
