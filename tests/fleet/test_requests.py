"""Recorded runs: read, turned into a load and a cluster, simulated, scored; and planning a step ahead."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roundtrip.catalog.prefixes import shared_prefixes
from roundtrip.errors import DomainError, TruthError
from roundtrip.fleet.deployment import Kind, uniform
from roundtrip.fleet.kernels import Link
from roundtrip.fleet.simulate import simulate
from roundtrip.fleet.times import polynomial
from roundtrip.fleet.workload import Workload
from roundtrip.journey import validate_requests
from roundtrip.journey.request_fit import accelerator, known, search, setup, times
from roundtrip.journey.request_runs import Recorded, read
from roundtrip.journey.validate_requests import errors, replay
from tests.serving.test_kernel_tables import write as write_tables

STEP_S = 0.01
TRUTH = Path(os.environ.get("ROUNDTRIP_TRUTH", Path(__file__).parents[3] / "shared" / "truth"))


def write(folder: Path, rows: list[tuple[float, ...]], **changes: Any) -> Path:
    """Write a run whose rows are: tokens of prompt and answer, then sent, queued, first and last token."""
    folder.mkdir(parents=True)
    names = ("input_toks", "output_toks", "arrival_time", "queued_ts", "first_token_ts", "last_token_ts")
    lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    (folder / "requests.jsonl").write_text("\n".join(lines))
    meta: dict[str, Any] = {
        "model": "meta-llama/Llama-3.1-8B", "vllm_version": "0.19.0",
        "engine_kwargs": {"tensor_parallel_size": 1, "data_parallel_size": 1, "max_num_seqs": 8,
                          "max_num_batched_tokens": 64, "dtype": "bfloat16"},
        "kv_cache": {"num_gpu_blocks": 100, "block_size": 16, "enable_prefix_caching": True},
    } | changes  # fmt: skip
    (folder / "meta.json").write_text(json.dumps(meta))
    instance = {"hardware": "RTX4090", "npu_mem": {"mem_size": 24, "mem_util": 0.9}}
    config = {"link_bw": 16, "link_latency": 20000, "nodes": [{"instances": [instance]}]}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


ROWS = [(40, 5, 1000.0, 7.0, 7.5, 7.9), (20, 3, 1000.5, 7.6, 8.0, 8.2)]


def test_a_run_is_read_with_what_the_engine_said(tmp_path: Path) -> None:
    run = read(write(tmp_path / "RTX4090_small", ROWS))
    assert (run.hardware, run.variant, run.pages, run.max_sequences, run.token_budget) == (
        "RTX4090",
        "bf16",
        100,
        8,
        64,
    )
    assert run.plans_ahead
    assert run.whole_prompt
    assert run.link == Link(16e9, 2e-5)
    # The clock of sending is another one: the request that reached the queue fastest was there at once.
    np.testing.assert_allclose(run.sent_s, [0.0, 0.5])
    np.testing.assert_allclose(run.ttft_s, [0.5, 0.4])
    np.testing.assert_allclose(run.tpot_s, [0.1, 0.1])


@pytest.mark.parametrize(("version", "said", "ahead"), [
    ("0.13.0", {}, False), ("0.19.0", {}, True), ("0.19.0", {"async_scheduling": False}, False), ("", {}, False),
])  # fmt: skip
def test_what_a_record_does_not_say_is_the_engines_default(
    tmp_path: Path, version: str, said: dict[str, Any], ahead: bool
) -> None:
    config = {"scheduler_config": said | {"scheduler_reserve_full_isl": False}} if said else {}
    run = read(write(tmp_path / "run", ROWS, vllm_version=version, resolved_config=config))
    assert run.plans_ahead == ahead
    assert run.whole_prompt == (not said)


@pytest.mark.parametrize(("line", "says"), [
    ("{", "line 2"), ('{"input_toks": 3}', "line 2"), ("[]", "line 2"),
    (json.dumps({"input_toks": 3, "output_toks": 0, "queued_ts": 1, "first_token_ts": 2, "last_token_ts": 3}), "1"),
    (json.dumps({"input_toks": 3, "output_toks": 2, "queued_ts": 4, "first_token_ts": 2, "last_token_ts": 3}), "order"),
    (json.dumps({"input_toks": 3, "output_toks": 2, "queued_ts": 1, "first_token_ts": float("nan"),
                 "last_token_ts": 3}), "order"),
])  # fmt: skip
def test_a_broken_line_is_named(tmp_path: Path, line: str, says: str) -> None:
    folder = write(tmp_path / "run", ROWS[:1])
    with (folder / "requests.jsonl").open("a") as file:
        file.write("\n" + line + "\n")
    with pytest.raises(TruthError, match=says):
        read(folder)


def test_no_requests_and_no_notes_are_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "run", ROWS)
    (folder / "meta.json").write_text("[]")
    with pytest.raises(TruthError, match=r"meta\.json"):
        read(folder)
    (folder / "requests.jsonl").write_text("\n")
    with pytest.raises(TruthError, match="no requests"):
        read(folder)


def test_prompts_that_begin_alike_share_the_blocks_of_the_published_workload(tmp_path: Path) -> None:
    digest = "05e48b32da530d4a3dd77f3d47c6fe694ac8308d611aa088e38bb10fba2b3b3a"
    like = shared_prefixes(digest)
    assert like is not None
    assert sum(tokens for _, tokens in like.values()) == 19_520
    assert shared_prefixes("0" * 64) is None
    tokens = max(max(n for _, n in like.values()), 2000)
    rows = [(tokens, 2, 1000.0 + i, 7.0 + i, 7.5 + i, 8.0 + i) for i in range(48)]
    run = read(write(tmp_path / "run", rows, dataset_hash=digest))
    offsets, ids = (getattr(run.load(), name) for name in ("offsets", "ids"))
    j, alike = like[47]
    first, second = (ids[offsets[i] : offsets[i + 1]] for i in (j, 47))
    assert (first == second).sum() == alike // 16
    assert len(np.unique(run.load(with_prefixes=False).ids)) == 48 * (tokens // 16)
    # Copies in lockstep are dealt out in turn: 47 is on another copy than 40.
    apart = replace(run, data_ranks=2, shares_experts=True).load()
    assert (j, alike) == (40, 448)
    assert not set(apart.ids[offsets[47] : offsets[48]]) & set(apart.ids[offsets[40] : offsets[41]])


def test_pages_follow_from_the_memory_where_the_engine_did_not_say(tmp_path: Path) -> None:
    run = read(write(tmp_path / "run", ROWS, kv_cache={}))
    from roundtrip.serving.architecture import architecture

    made = run.deployment(polynomial(64, 8, step_s=STEP_S), architecture(run.model))
    # 24 GiB times 0.9 less 8.03 billion weights of 2 bytes, over 131,072 bytes a token and 16 tokens a page.
    assert made.kinds[0].pages == pytest.approx((24 * 2**30 * 0.9 - 16.06e9) / 131_072 / 16, rel=1e-3)
    with pytest.raises(TruthError, match="no room"):
        replace(run, memory_B=1e9).deployment(polynomial(64, 8, step_s=STEP_S), architecture(run.model))


def test_a_request_during_a_step_is_in_the_one_after_the_next() -> None:
    work = Workload("three", np.array([0.0, 0.025, 0.026]), np.array([4, 4, 4]), np.array([20, 3, 3]))
    kind = Kind("one", polynomial(64, 8, step_s=STEP_S), 100)
    found = {}
    for ahead in (False, True):
        rows = simulate(work, uniform(kind, token_budget=64, max_sequences=8, plans_ahead=ahead)).state.requests
        found[ahead] = rows["first_s"]
        np.testing.assert_allclose(rows["seen_s"], [0.0, 0.03, 0.03])
    np.testing.assert_allclose(found[False], [0.01, 0.04, 0.04])  # it joins the step from 0.03
    np.testing.assert_allclose(found[True], [0.01, 0.05, 0.05])  # that step was planned at 0.02


def test_nothing_runs_nothing_is_waited_for() -> None:
    work = Workload("two", np.array([0.0, 0.005]), np.array([4, 4]), np.array([1, 1]))
    kind = Kind("one", polynomial(64, 8, step_s=STEP_S), 100)
    rows = simulate(work, uniform(kind, token_budget=64, max_sequences=8, plans_ahead=True)).state.requests
    np.testing.assert_allclose(rows["first_s"], [0.01, 0.02])


def recorded(tmp_path: Path, values: dict[str, float]) -> Recorded:
    """Return a run that the model itself made with some constants."""
    rng = np.random.default_rng(3)
    sent = np.cumsum(rng.exponential(0.3, 40))
    rows = [(int(rng.integers(50, 900)), int(rng.integers(20, 60)), 1000.0 + t, t, t + 1.0, t + 2.0) for t in sent]
    run = read(write(tmp_path / "run", rows, engine_kwargs={"max_num_seqs": 64, "max_num_batched_tokens": 2048},
                     kv_cache={"num_gpu_blocks": 2000}))  # fmt: skip
    found = simulate(run.load(), run.deployment(times(setup(run).case, known(values), run), setup(run).architecture))
    state = found.state.requests
    return replace(run, queued_s=state["seen_s"], first_s=state["first_s"], last_s=state["last_s"])


def test_a_replay_of_what_the_model_made_is_exact_and_the_search_finds_its_constants(tmp_path: Path) -> None:
    truth = {"memory_efficiency": 0.62, "prefill_efficiency": 0.41, "layer_time_s": 2.2e-5}
    run = recorded(tmp_path, truth)
    numbers = setup(run).case

    def loss(values: dict[str, float]) -> float:
        made = replay(run, times(numbers, known(values), run))
        tpot, ttft = errors(made.tpot_s, run.tpot_s), errors(made.ttft_s, run.ttft_s)
        return float(np.abs(tpot).mean() / 0.08 + np.abs(ttft).mean() / 0.3)

    assert loss(truth) < 1e-9
    found = search(loss)
    assert loss(found) < 0.05
    assert found["memory_efficiency"] == pytest.approx(truth["memory_efficiency"], rel=0.05)
    assert found["prefill_efficiency"] == pytest.approx(truth["prefill_efficiency"], rel=0.05)


def test_an_accelerator_is_found_by_any_spelling() -> None:
    assert accelerator("RTX4090") == "rtx-4090"
    assert accelerator("RTXPRO6000") == "rtx-pro-6000"
    assert accelerator("H100") == "h100-sxm"
    with pytest.raises(DomainError, match="no accelerator 'abacus'"):
        accelerator("abacus")


def test_a_folder_is_scored_and_what_cannot_be_answered_is_counted(tmp_path: Path) -> None:
    write_tables(tmp_path / "kernel_tables")
    write(tmp_path / "vllm_requests" / "RTX4090_small", ROWS)  # no tables of this accelerator
    write(tmp_path / "vllm_requests" / "RTX4090_unknown", ROWS, model="nobody/knows-this")
    (write(tmp_path / "vllm_requests" / "broken", ROWS) / "meta.json").write_text("{")
    (tmp_path / "vllm_requests" / "LICENSE").write_text("MIT")
    scores = validate_requests.score(tmp_path)
    json.dumps(scores)
    answered = [score for score in scores if score["n"]]
    left = [score for score in scores if not score["n"]]
    assert {score["name"] for score in answered} == {
        "RTX4090_small, datasheet, 3 constants: time to first token",
        "RTX4090_small, datasheet, 3 constants: time per output token",
    }
    assert all(score["coverage"] == 0.0 and "not answered" in score["metric"] for score in left)
    assert len(left) == 4


@pytest.mark.skipif(
    not (TRUTH / validate_requests.FOLDER).is_dir(), reason="no vllm_requests: set ROUNDTRIP_TRUTH to the data sets"
)
def test_recorded_runs_are_predicted_from_kernel_tables_without_a_fit() -> None:
    runs = [read(folder) for folder in sorted((TRUTH / validate_requests.FOLDER).iterdir()) if folder.is_dir()]
    assert runs
    for run in runs:
        made = replay(run, validate_requests.from_tables(run, TRUTH / validate_requests.TABLES))
        allowed = validate_requests.TTFT_ALLOWED.get(run.hardware, validate_requests.TTFT_ALLOWED_ELSE)
        assert np.abs(errors(made.tpot_s, run.tpot_s)).mean() < validate_requests.TPOT_ALLOWED
        assert np.abs(errors(made.ttft_s, run.ttft_s)).mean() < allowed
