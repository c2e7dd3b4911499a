"""The silicon sample: what its columns mean, what is left out and why, and the scores on rows that were not fitted."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roundtrip.errors import DomainError
from roundtrip.journey import validate_silicon, validate_steps
from roundtrip.serving import silicon, splits
from roundtrip.serving.layout import Layout
from roundtrip.serving.measurements import Run, family, kendall, marked, slow_start, table
from tests.serving.made import TRUE, runs, timed, write_silicon

TRUTH = Path(os.environ.get("TRUTH", "no data sets"))
HEAD = (
    "model_path,system,backend,backend_version,precision,mode,isl,osl,concurrency,batch_size,tp_size,pp_size,"
    "attention_dp_size,moe_tp_size,moe_ep_size,prefill_num_workers,prefill_tp_size,decode_num_workers,decode_tp_size,"
    "silicon_ttft_ms,silicon_tpot_ms"
)


def read(tmp_path: Path, *lines: str) -> list[Run]:
    file = tmp_path / silicon.FILE
    file.write_text("\n".join((HEAD, *lines)) + "\n", encoding="utf-8")
    return silicon.read(file)[0]


def row(tp: str, dp: str, moe_tp: str, moe_ep: str, *, precision: str = "fp8", times: str = "100,10") -> str:
    ranks = f"{tp},1,{dp},{moe_tp},{moe_ep}"
    return f"deepseek-ai/DeepSeek-V3,b200_sxm,sglang,1,{precision},agg,1024,1024,64,,{ranks},,,,,{times}"


@pytest.mark.parametrize(
    ("columns", "layout"),
    [
        (("8", "1", "8", "1"), Layout(tensor=8)),
        (("8", "1", "1", "8"), Layout(tensor=8, expert=8)),
        (("64", "1", "8", "8"), Layout(tensor=8, expert=8)),
        (("16", "1", "4", "4"), Layout(tensor=4, expert=4)),
        (("1", "16", "4", "4"), Layout(groups=4, expert=4)),
        (("4", "4", "1", "16"), Layout(groups=4, expert=4)),
        (("2", "2", "1", "4"), Layout(groups=2, expert=2)),
        (("1", "8", "1", "8"), Layout(groups=8, expert=8)),
        (("4", "", "1", "1"), Layout(tensor=4)),
        (("4", "0", "1", "0"), Layout(tensor=4)),
    ],
)
def test_ranks_that_were_multiplied_are_mended(columns: tuple[str, ...], layout: Layout, tmp_path: Path) -> None:
    assert read(tmp_path, row(*columns))[0].layout == layout


def test_a_measurement_under_two_names_is_one(tmp_path: Path) -> None:
    one = row("8", "1", "8", "1")
    assert len(read(tmp_path, one, one.replace("DeepSeek-V3", "DeepSeek-R1"))) == 1
    assert family("deepseek-ai/DeepSeek-V3") == family("deepseek-ai/DeepSeek-R1")
    assert family("meta-llama/Llama-3.1-8B") != family("meta-llama/Llama-3.1-70B")


@pytest.mark.parametrize(
    ("model", "system", "engine", "precision"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", "h100_sxm", "trtllm", "bf16"),
        ("Qwen/Qwen3-32B", "h100_sxm", "vllm", "bf16"),
        ("Qwen/Qwen3-32B", "h100_sxm", "sglang", "fp8"),
        ("nvidia/DeepSeek-R1-NVFP4", "b200_sxm", "trtllm", "fp4"),
        ("Qwen/Qwen3-32B", "gb200", "trtllm", "fp4"),
        ("Qwen/Qwen3-235B-A22B-FP8", "h100_sxm", "trtllm", "fp8"),
    ],
)
def test_a_missing_precision_follows_from_name_and_machine(
    model: str, system: str, engine: str, precision: str, tmp_path: Path
) -> None:
    line = f"{model},{system},{engine},1,,agg,1024,1024,64,,4,1,,,,,,,,100,10"
    assert read(tmp_path, line)[0].precision == precision


def test_unseen_names_are_answered_or_told_never_a_crash(tmp_path: Path) -> None:
    known = "Qwen/Qwen3-32B,b200_sxm,an-engine-of-tomorrow,1,fp8,agg,1024,1024,64,,4,1,,,,,,,,100,10"
    model = "nobody/wrote-this-down,b200_sxm,vllm,1,fp8,agg,1024,1024,64,,4,1,,,,,,,,101,10"
    chip = "Qwen/Qwen3-32B,abacus,vllm,1,fp8,agg,1024,1024,64,,4,1,,,,,,,,102,10"
    t = table(read(tmp_path, known, model, chip))
    assert [r.engine for r in t.runs] == ["an-engine-of-tomorrow"]
    assert {line for line, _ in t.refused} == {3, 4}
    assert "abacus" in t.refused[1][1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n", "column 'model_path' is missing"),
        (HEAD.replace("isl,", "") + "\n", "column 'isl' is missing"),
        ("", "is missing"),
    ],
)
def test_a_file_that_is_none_is_told_in_a_line(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / silicon.FILE).write_text(text, encoding="utf-8")
    with pytest.raises(DomainError, match=says):
        silicon.read(tmp_path / silicon.FILE)


@pytest.mark.parametrize("cell", ["nan", "-5", "x", "0", "1e99", ""])
def test_a_number_that_is_none_leaves_the_row_out_and_says_where(cell: str, tmp_path: Path) -> None:
    good = row("8", "1", "8", "1")
    file = tmp_path / silicon.FILE
    file.write_text("\n".join((HEAD, good, row("8", "1", "8", "1", times=f"{cell},10"))) + "\n", encoding="utf-8")
    found, rows, bad = silicon.read(file)
    assert (len(found), rows, len(bad)) == (1, 2, 1)
    assert "line 3: silicon_ttft_ms" in bad[0][1]


def test_times_that_no_load_explains_are_marked() -> None:
    base = Run("Qwen/Qwen3-32B", "h100_sxm", "vllm", "1", "fp8", Layout(tensor=2), 1.0, 1024.0, 1024.0, 0.1, 0.01)
    good = [replace(base, clients=float(c), tpot_s=0.01 + 1e-4 * c) for c in (1, 4, 16, 64, 128)]
    assert not any(r.odd for r in marked(good))
    jump = [replace(r, tpot_s=0.08) if r.clients == 4.0 else r for r in good]
    assert all("faster than the load" in r.odd for r in marked(jump))
    falling = [replace(r, tpot_s=0.05 - 1e-4 * r.clients) for r in good]
    assert all("does not follow" in r.odd for r in marked(falling))
    assert "total of a job" in marked([replace(base, layout=Layout(tensor=36))])[0].odd


def test_a_first_token_after_a_full_queue_is_not_scored() -> None:
    base = Run("Qwen/Qwen3-32B", "h100_sxm", "vllm", "1", "fp8", Layout(tensor=2), 4.0, 1024.0, 1024.0, 0.2, 0.01)
    assert not slow_start(base, True)
    assert slow_start(replace(base, ttft_s=30.0), False), "longer than all prompts at a tenth of the peak"
    assert slow_start(replace(base, clients=256.0, ttft_s=5.0), True), "a third of its life"
    assert not slow_start(replace(base, clients=256.0, ttft_s=5.0), False)


def test_kendall_counts_pairs_in_order() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0])
    assert kendall(x, x) == 1.0
    assert kendall(x, -x) == -1.0
    assert kendall(x, np.array([1.0, 3.0, 2.0, 4.0])) == pytest.approx(4.0 / 6.0)


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return the scores of a made sample: known constants, 5 % of noise, one replica apart from the others."""
    folder = tmp_path_factory.mktemp("made")
    together = timed(runs(engines=("vllm", "sglang")), noise=0.05)
    apart = [
        replace(r, readers=2.0, writers=1.0, reader=r.layout, ttft_s=r.ttft_s * 1.01, tpot_s=r.tpot_s * 0.9)
        for r in together[: len(together) // 8]
    ]
    write_silicon(folder / silicon.FILE, together + apart)
    return validate_silicon.score(folder)


def test_every_line_is_scored_and_holds_on_a_made_sample(scores: list[dict[str, Any]]) -> None:
    names = [s["name"].removeprefix("serving silicon, ") for s in scores]
    for split in ("neighbors", "family left out", "accelerator left out", "three rows"):
        assert f"{split}: time per output token" in names
    assert "reading and writing apart: time per output token" in names
    assert "ranking inside cells: time per output token" in names
    medians = [s for s in scores if s["metric"] == "median absolute error" and "apart" not in s["name"]]
    assert all(s["value"] < 0.12 for s in medians), [(s["name"], s["value"]) for s in medians]
    assert all(s["holds"] for s in scores)


def test_scores_are_json_with_every_row(scores: list[dict[str, Any]]) -> None:
    body = json.loads(json.dumps(scores, allow_nan=False))
    by_name = {s["name"]: s for s in body}
    one = by_name["serving silicon, family left out: time per output token"]
    assert len(one["runs"]) == one["n"]
    assert {"line", "measured_s", "predicted_s", "error"} == set(one["runs"][0])
    assert set(one["by"]) == {"accelerator", "engine", "family", "precision", "regime"}
    assert one["rivals"]["AIConfigurator 0.12"] == 0.20
    assert sum(part["n"] for part in one["by"]["engine"].values()) == one["n"]


def test_rows_that_calibrate_are_not_scored() -> None:
    t = table(timed(runs(), noise=0.0))
    found = t.measured + 0.5
    scaled = splits.calibrated(t, found)
    cells, sizes = np.unique(t.labels["cell"], return_counts=True)
    assert np.isnan(scaled[:, 1]).sum() == 3 * len(cells)
    assert np.isfinite(scaled[:, 1]).sum() == sizes.sum() - 3 * len(cells)
    left = (scaled - t.measured)[np.isfinite(scaled[:, 1])]
    assert np.abs(left).max() < 0.05, "a common factor is found by three rows, up to what is held back"


def test_the_sample_itself(tmp_path: Path) -> None:
    """A sixth of the real rows, where the folder is at hand: the bars of the whole, with room for fewer rows."""
    if not (TRUTH / silicon.FILE).is_file():
        pytest.skip("set TRUTH to the folder of data sets to score the silicon sample")
    found, rows, _ = silicon.read(TRUTH / silicon.FILE)
    assert len(found) < rows
    together = [r for r in found if not r.writers]
    whole = table(together)
    assert len(whole) / len(together) >= 0.95
    t = validate_silicon.ready(whole)
    t = t.take(np.arange(0, len(t), 6))
    for kind in ("family", "accelerator"):
        error = np.abs(np.expm1(splits.left_out(t, kind) - t.measured))
        assert np.nanmedian(error[:, 1]) < 0.18, kind
        assert np.nanmedian(error[:, 0]) < 0.40, kind


@pytest.mark.parametrize("lines", [(), (row("8", "1", "8", "1"),), (row("36", "1", "36", "1"),)])
def test_hardly_any_rows_are_scored_as_far_as_they_go(lines: tuple[str, ...], tmp_path: Path) -> None:
    read(tmp_path, *lines)
    made = json.loads(json.dumps(validate_silicon.score(tmp_path), allow_nan=False))
    assert made[0]["n"] == len(lines)
    assert made[0]["holds"]


def test_rows_apart_alone_are_scored_and_a_small_model_fits_on_one(tmp_path: Path) -> None:
    of = "b200_sxm,trtllm,1,fp8,disagg,1024,1024,64,,,,,,,2,1,3,1"
    runs_read = read(tmp_path, f"Qwen/Qwen3-32B,{of},200,12", f"deepseek-ai/DeepSeek-V3,{of},300,15")
    assert [r.layout for r in runs_read] == [Layout(), Layout(groups=8, expert=8)]
    assert (runs_read[0].readers, runs_read[0].writers) == (2.0, 3.0)
    names = [s["name"] for s in validate_silicon.score(tmp_path)]
    assert "serving silicon, reading and writing apart: time per output token" in names


def test_a_model_and_an_accelerator_that_were_never_fitted_get_the_shipped_constants(tmp_path: Path) -> None:
    of = [replace(r, model="mistralai/Mixtral-8x7B-v0.1", accelerator="a100-80g", precision="bf16") for r in runs()[:9]]
    write_silicon(tmp_path / silicon.FILE, timed(of))
    scored = {s["name"]: s for s in validate_silicon.score(tmp_path)}
    assert scored["serving silicon, shipped constants, never seen: time per output token"]["n"] == 9


def test_constants_are_refitted_on_a_folder(tmp_path: Path) -> None:
    write_silicon(tmp_path / silicon.FILE, timed(runs(), noise=0.01))
    made = validate_silicon.fit(tmp_path)
    assert made["constants"]["prefill_efficiency"] == pytest.approx(TRUE["prefill_efficiency"], rel=0.1)
    read(tmp_path, row("8", "1", "8", "1"))
    with pytest.raises(DomainError, match="fewer than 40 rows"):
        validate_silicon.fit(tmp_path)


def test_time_between_tokens_of_runs_that_nothing_was_fitted_on(tmp_path: Path) -> None:
    """A run whose measured time is what the step says, one twice as slow, one of an accelerator nobody knows."""
    head = "model,gpu,n_gpu,precision,mean_batch,mean_output_tokens,median_itl_ms"
    of = {"model": "Qwen/Qwen3-32B", "gpu": "H100", "n_gpu": "2", "precision": "bfloat16", "mean_batch": "16",
          "mean_output_tokens": "500"}  # fmt: skip
    exact_ms = validate_steps.between_s(of) * 1e3
    lines = [",".join([*of.values(), repr(exact_ms * slower)]) for slower in (1.0, 2.0)]
    lines.append(lines[0].replace("H100", "abacus"))
    assert validate_steps.score(tmp_path) == []
    (tmp_path / validate_steps.FILE).write_text("\n".join((head, *lines)) + "\n", encoding="utf-8")
    made = validate_steps.score(tmp_path)[0]
    assert [one["error"] for one in made["runs"]] == pytest.approx([0.0, -0.5])
    assert made["coverage"] == pytest.approx(2.0 / 3.0)
