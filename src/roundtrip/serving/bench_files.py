"""Read one's own measurements: the exports of aiperf, the results of ``vllm bench serve``, and plain CSV.

Each gives runs of a closed loop (`roundtrip.serving.measurements.Run`). What a file does not say, such as the
accelerator, comes from `Given`; what neither says is an error that names the option.

References
----------
.. [1] aiperf, "Working with profile export files", https://github.com/ai-dynamo/aiperf (``profile_export_aiperf.json``:
   a table for each metric with its mean under ``avg`` and its unit; ``profile_export_aiperf.csv``: a line for each)
.. [2] vLLM, ``vllm bench serve --save-result``, https://docs.vllm.ai (``mean_ttft_ms``, ``mean_tpot_ms``,
   ``max_concurrency``, ``total_input_tokens``, ``total_output_tokens``, ``completed``; with ``--append-result`` one
   object a line)
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from roundtrip.errors import DomainError, nearest
from roundtrip.serving import silicon
from roundtrip.serving.architecture import architecture
from roundtrip.serving.layout import Layout
from roundtrip.serving.measurements import Run, accelerator_key, engine
from roundtrip.serving.precision import plain

FORMATS = ("auto", "csv", "aiperf", "vllm-bench", "silicon")
MOST_FILES = 10_000
NUMBERS = {"clients": "concurrency", "prompt_tokens": "isl", "output_tokens": "osl"}
RANKS = ("tensor", "groups", "expert", "pipeline")
WORDS = ("model", "accelerator", "engine", "version", "precision")
CSV_COLUMNS = (*WORDS, *RANKS, *NUMBERS, *NUMBERS.values(), "ttft_ms", "tpot_ms", "ttft_s", "tpot_s")
SCALE = {"ms": 1e-3, "s": 1.0, "sec": 1.0, "us": 1e-6, "ns": 1e-9}


@dataclass(frozen=True, slots=True)
class Given:
    """What holds where a file says nothing: words as of `Run`; ranks and clients, 0 where not given."""

    model: str = ""
    accelerator: str = ""
    engine: str = ""
    version: str = ""
    precision: str = ""
    tensor: int = 0
    groups: int = 0
    expert: int = 0
    pipeline: int = 0
    clients: float = 0.0


def read(path: str, form: str = "auto", given: Given | None = None) -> list[Run]:
    """Return the runs of a file, or of all JSON and CSV files of a folder.

    Raises
    ------
    DomainError
        If nothing can be read, or something that is needed is said nowhere.
    """
    if form not in FORMATS:
        raise DomainError(f"--format {form!r} is not one of {', '.join(FORMATS)}{nearest(form, FORMATS)}")
    said = given or Given()
    root = Path(path)
    if root.is_dir():
        found = sorted(p for p in root.rglob("*") if p.suffix in (".json", ".jsonl", ".csv"))
        if len(found) > MOST_FILES:
            raise DomainError(f"{path}: {len(found)} files, expected at most {MOST_FILES}")
        files = [p for p in found if form != "auto" or _kind(p) is not None]
    else:
        files = [root]
    runs = [run for file in files for run in _runs(file, form, said)]
    if not runs:
        raise DomainError(f"{path}: no measured run in it; expected {', '.join(FORMATS[1:])}")
    return runs


def _runs(file: Path, form: str, given: Given) -> list[Run]:
    kind = _kind(file) if form == "auto" else form
    if kind == "silicon":
        runs = [run for run in silicon.read(file)[0] if not run.odd and not run.writers]
        return [replace(run, ttft_s=math.nan) if run.is_slow_start else run for run in runs]
    if kind == "aiperf":
        return [_aiperf_csv(file, given) if file.suffix == ".csv" else _aiperf(_object(file), file, given)]
    if kind == "vllm-bench":
        return [_vllm(body, file, given, number) for number, body in enumerate(_objects(file), start=1)]
    if kind == "csv":
        return _plain(file, given)
    raise DomainError(f"{file}: neither aiperf's export, nor a result of vllm bench, nor a CSV with clients and times")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DomainError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DomainError(f"{file}: not UTF-8") from None


def _kind(file: Path) -> str | None:
    """Return what a file is by what stands in it; None where it is none of these."""
    text = _text(file)
    head = text[:4096].lower()
    first = head.partition("\n")[0]
    if file.suffix == ".csv" or not head.lstrip().startswith(("{", "[")):
        if "silicon_ttft_ms" in first:
            return "silicon"
        if first.startswith("metric,"):
            return "aiperf" if "time to first token" in text.lower() else None
        columns = {c.strip() for c in first.split(",")}
        return "csv" if columns & {"clients", "concurrency"} and columns & {"ttft_ms", "ttft_s", "tpot_ms"} else None
    if '"mean_ttft_ms"' in text:
        return "vllm-bench"
    return "aiperf" if '"time_to_first_token"' in text and '"metadata"' not in head else None


def _objects(file: Path) -> Iterator[dict[str, Any]]:
    """Return the JSON objects of a file: one, a list of them, or one a line."""
    text = _text(file)
    try:
        body = json.loads(text)
        parts: list[Any] = cast("list[Any]", body) if isinstance(body, list) else [body]
    except (ValueError, RecursionError):
        parts = []
        for number, line in enumerate(text.splitlines(), start=1):
            if not line.strip():
                continue
            try:
                parts.append(json.loads(line))
            except (ValueError, RecursionError) as error:
                raise DomainError(f"{file}: line {number}: no JSON: {error}") from None
    for part in parts:
        if not isinstance(part, dict):
            raise DomainError(f"{file}: expected a JSON object, not {type(part).__name__}")
        yield cast("dict[str, Any]", part)


def _object(file: Path) -> dict[str, Any]:
    return next(_objects(file))


def _aiperf(body: dict[str, Any], file: Path, given: Given) -> Run:
    def mean(name: str, *, seconds: bool = False) -> float:
        metric = body.get(name)
        if not isinstance(metric, dict) or not isinstance(metric.get("avg"), (int, float)):
            return math.nan
        value = float(metric["avg"])
        return value * SCALE.get(str(metric.get("unit", "ms")).lower(), 1e-3) if seconds else value

    config = _table(body.get("input_config"))
    endpoint, loadgen = _table(config.get("endpoint")), _table(config.get("loadgen"))
    names = endpoint.get("model_names")
    requests = mean("request_count")
    prompt = mean("input_sequence_length")
    answer = mean("output_sequence_length")
    if math.isnan(prompt):
        prompt = mean("total_isl") / requests
    if math.isnan(answer):
        answer = mean("total_osl") / requests
    return _made(
        given, f"{file}", model=str(names[0]) if isinstance(names, list) and names else "",
        clients=loadgen.get("concurrency"), prompt=prompt, answer=answer,
        ttft_s=mean("time_to_first_token", seconds=True), tpot_s=mean("inter_token_latency", seconds=True),
    )  # fmt: skip


def _aiperf_csv(file: Path, given: Given) -> Run:
    means: dict[str, tuple[float, str]] = {}
    for row in csv.reader(_text(file).splitlines()):
        if len(row) < 2 or row[0].strip().lower() == "metric":
            continue
        name, _, unit = row[0].strip().lower().partition(" (")
        try:
            means.setdefault(name, (float(row[1].replace(",", "")), unit.rstrip(")")))
        except ValueError:
            continue

    def mean(name: str, *, seconds: bool = False) -> float:
        value, unit = means.get(name, (math.nan, ""))
        return value * SCALE.get(unit, 1e-3) if seconds else value

    return _made(
        given, f"{file}", clients=None, prompt=mean("input sequence length"), answer=mean("output sequence length"),
        ttft_s=mean("time to first token", seconds=True), tpot_s=mean("inter token latency", seconds=True),
    )  # fmt: skip


def _vllm(body: dict[str, Any], file: Path, given: Given, number: int) -> Run:
    where = f"{file}: run {number}"

    def figure(name: str) -> float:
        value = body.get(name)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan

    done = figure("completed")
    if not done > 0.0:
        raise DomainError(f"{where}: completed = {body.get('completed')!r}, expected the number of finished requests")
    keys = {"tensor": "tensor_parallel_size", "pipeline": "pipeline_parallel_size"}
    ranks = {name: body.get(key) for name, key in keys.items()}
    return _made(
        given, where, model=str(body.get("model_id", "")), clients=body.get("max_concurrency"),
        prompt=figure("total_input_tokens") / done, answer=figure("total_output_tokens") / done,
        ttft_s=figure("mean_ttft_ms") / 1e3, tpot_s=figure("mean_tpot_ms") / 1e3, made_by="vllm", ranks=ranks,
    )  # fmt: skip


def _plain(file: Path, given: Given) -> list[Run]:
    lines = _text(file).splitlines()
    reader = csv.DictReader(lines)
    names = [name.strip() for name in reader.fieldnames or []]
    for name in names:
        if name not in CSV_COLUMNS:
            raise DomainError(
                f"{file}: line 1: unknown column {name!r}{nearest(name, CSV_COLUMNS)}; expected some of "
                f"{', '.join(CSV_COLUMNS)}"
            )
    reader.fieldnames = names
    runs: list[Run] = []
    for row in reader:
        where = f"{file}: line {reader.line_num}"

        def figure(name: str, row: Mapping[str, Any] = row, where: str = where) -> float:
            text = str(row.get(name) or "").strip()
            if not text:
                return math.nan
            try:
                return float(text)
            except ValueError:
                raise DomainError(f"{where}: {name} = {text!r}, expected a number") from None

        def first(*of: tuple[str, float], figure: Any = figure) -> float:
            return next((v * scale for name, scale in of if not math.isnan(v := figure(name))), math.nan)

        load = [first((name, 1.0), (other, 1.0)) for name, other in NUMBERS.items()]
        runs.append(
            _made(
                given, where, model=str(row.get("model") or ""), clients=load[0], prompt=load[1], answer=load[2],
                ttft_s=first(("ttft_s", 1.0), ("ttft_ms", 1e-3)), tpot_s=first(("tpot_s", 1.0), ("tpot_ms", 1e-3)),
                made_by=str(row.get("engine") or ""), ranks={name: figure(name) for name in RANKS},
                words={name: str(row.get(name) or "").strip() for name in ("accelerator", "version", "precision")},
            )
        )  # fmt: skip
    return runs


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _made(
    given: Given,
    where: str,
    *,
    clients: Any,
    prompt: float,
    answer: float,
    ttft_s: float,
    tpot_s: float,
    model: str = "",
    made_by: str = "",
    ranks: Mapping[str, Any] | None = None,
    words: Mapping[str, str] | None = None,
) -> Run:
    said = words or {}

    def word(name: str, own: str) -> str:
        value = getattr(given, name) or own
        if not value:
            raise DomainError(f"{where}: the {name} is said nowhere: expected --{name}")
        return value

    # What the command says goes before what a file does: a served model's name is often a made-up one.
    named = word("model", model.strip())
    chip = accelerator_key(word("accelerator", said.get("accelerator", "")))
    used = engine(word("engine", made_by))
    bits = given.precision or said.get("precision", "") or architecture(named).precision
    number = clients if isinstance(clients, (int, float)) and clients > 0.0 else given.clients
    figures = {"clients": number, "prompt tokens": prompt, "output tokens": answer}
    for name, value in figures.items():
        if not 0.0 < value < 1e9:
            hint = ": expected --clients" if name == "clients" else ", expected above 0 and below 1e9"
            raise DomainError(f"{where}: {name} = {value:g}{hint}")
    for name, value in (("time to first token", ttft_s), ("time per output token", tpot_s)):
        if not (math.isnan(value) or 0.0 < value < 1e6):
            raise DomainError(f"{where}: {name} = {value:g} s, expected above 0 and below 1e6 s")
    if math.isnan(ttft_s) and math.isnan(tpot_s):
        raise DomainError(f"{where}: neither a time to first token nor a time per output token")
    return Run(
        named, chip, used, said.get("version", "") or given.version, plain(bits), _layout(given, ranks or {}, where),
        float(number), prompt, answer, ttft_s, tpot_s, bench="own",
    )  # fmt: skip


def _layout(given: Given, ranks: Mapping[str, Any], where: str) -> Layout:
    found: dict[str, int] = {}
    for name in RANKS:
        value = ranks.get(name)
        try:
            number = float(value) if value is not None and value != "" else math.nan
        except (TypeError, ValueError):
            raise DomainError(f"{where}: {name} = {value!r}, expected a whole number of ranks") from None
        if not math.isnan(number) and (number < 1.0 or number != int(number)):
            raise DomainError(f"{where}: {name} = {number:g}, expected a whole number of ranks from 1")
        found[name] = getattr(given, name) or (1 if math.isnan(number) else int(number))
    return Layout(**found)
