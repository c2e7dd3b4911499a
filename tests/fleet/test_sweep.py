"""``roundtrip fleet sweep``: killed and started again it loses and repeats nothing; on Dask it writes the same rows."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from roundtrip.cli import fleet_case, fleet_store
from roundtrip.cli.fleet_grid import Grid
from roundtrip.fleet.study.front import pareto
from tests.cli.run import here

arrow = pytest.importorskip("pyarrow.parquet", reason="PyArrow is missing: pip install 'prompt-roundtrip[sweep]'")

Capture = pytest.CaptureFixture[str]
GRID = """
load = "clients"
prompt = 256
output = "geometric:60"
requests = {requests}
accelerator = ["h100-sxm", "b200"]
clients = [1, 4, 16, 64, 128]
token-budget = [512, 2048]
seed = {seeds}
"""


def _grid(folder: Path, requests: int = 100, seeds: int = 1) -> Path:
    path = folder / "grid.toml"
    path.write_text(GRID.format(requests=requests, seeds=list(range(seeds))))
    return path


def _rows(folder: Path) -> list[dict[str, Any]]:
    return arrow.read_table(folder / "results.parquet").to_pylist()


def _stored(folder: Path) -> dict[int, dict[str, Any]]:
    return {row["case"]: row for path in (folder / "parts").glob("*.parquet")
            for row in arrow.read_table(path).to_pylist()}  # fmt: skip


def _command(grid: Path, folder: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "roundtrip", "fleet", "sweep", str(grid), "--out", str(folder), *more, "--json"]


def kill_half_way(grid: Path, folder: Path, parts: int, *more: str) -> dict[int, dict[str, Any]]:
    """Start a sweep, kill it without warning when so many parts are stored, and return the rows that they hold."""
    process = subprocess.Popen(_command(grid, folder, *more), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    limit = time.monotonic() + 600.0
    while len(list((folder / "parts").glob("*.parquet"))) < parts and time.monotonic() < limit:
        assert process.poll() is None, "the sweep ended before it could be killed"
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    stored = _stored(folder)
    assert stored
    assert not (folder / "results.parquet").exists(), "the sweep was done before it was killed"
    return stored


def test_killed_and_started_again_it_loses_and_repeats_nothing(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid, folder = _grid(tmp_path, requests=4000, seeds=3), tmp_path / "out"
    stored = kill_half_way(grid, folder, 1, "--workers", "1")
    ran: list[Any] = []
    run_case = fleet_case.run_case

    def counted(case: Any) -> Any:
        ran.append(case)
        return run_case(case)

    monkeypatch.setattr(fleet_case, "run_case", counted)
    body = json.loads(here(capsys, "fleet", "sweep", str(grid), "--out", str(folder), "--workers", "1", "--json").out)
    monkeypatch.undo()
    assert body["found"] == len(stored)
    assert body["run"] == len(ran) == 60 - len(stored)
    rows = _rows(folder)
    assert [row["case"] for row in rows] == list(range(60))
    for case, row in stored.items():
        assert {**rows[case], "is_front": None} == row, "a row that was stored has changed"
    # Once more: nothing is run.
    again = json.loads(here(capsys, "fleet", "sweep", str(grid), "--out", str(folder), "--json").out)
    assert (again["found"], again["run"], again["left"]) == (60, 0, 0)
    assert again["front"] == body["front"]
    # Without a kill, in two processes: the same rows, bit for bit.
    whole = tmp_path / "whole"
    assert here(capsys, "fleet", "sweep", str(grid), "--out", str(whole), "--workers", "2", "--json").code == 0
    assert _rows(whole) == rows


def test_the_same_rows_on_a_dask_cluster(capsys: Capture, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is missing: pip install 'prompt-roundtrip[cluster]'")
    grid = _grid(tmp_path)
    assert here(capsys, "fleet", "sweep", str(grid), "--out", str(tmp_path / "here"), "--workers", "1").code == 0
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, protocol="tcp"
    ) as cluster:  # fmt: skip
        ran = here(capsys, "fleet", "sweep", str(grid), "--out", str(tmp_path / "there"), "--scheduler",
                   cluster.scheduler_address, "--json")  # fmt: skip
    assert ran.code == 0
    assert json.loads(ran.out)["run"] == 20
    assert _rows(tmp_path / "there") == _rows(tmp_path / "here")


@pytest.mark.skipif(os.environ.get("ROUNDTRIP_FULL") != "1", reason="ROUNDTRIP_FULL=1 kills a sweep of 1,000 fleets")
def test_a_thousand_fleets_killed_on_processes_and_on_dask(capsys: Capture, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    grid = _grid(tmp_path, requests=2000, seeds=50)
    stored = kill_half_way(grid, tmp_path / "here", 4, "--workers", "2")
    body = json.loads(here(capsys, "fleet", "sweep", str(grid), "--out", str(tmp_path / "here"), "--json").out)
    assert body["found"] == len(stored)
    assert body["run"] == 1000 - len(stored)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        stored = kill_half_way(grid, tmp_path / "there", 4, "--scheduler", address)
        ran = here(
            capsys, "fleet", "sweep", str(grid), "--out", str(tmp_path / "there"), "--scheduler", address, "--json"
        )
    body = json.loads(ran.out)
    assert body["found"] == len(stored)
    assert body["run"] == 1000 - len(stored)
    assert _rows(tmp_path / "there") == _rows(tmp_path / "here")


def test_ctrl_c_keeps_what_is_done(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grid, folder, run_case, done = _grid(tmp_path), tmp_path / "out", fleet_case.run_case, []

    def stopped(case: Any) -> Any:
        if len(done) == 7:
            raise KeyboardInterrupt
        done.append(case)
        return run_case(case)

    monkeypatch.setattr(fleet_case, "run_case", stopped)
    ran = here(capsys, "fleet", "sweep", str(grid), "--out", str(folder), "--workers", "1")
    assert ran.code == 130
    assert "Interrupted: the same command goes on from here" in ran.out
    assert len(_stored(folder)) == 7
    monkeypatch.setattr(fleet_case, "run_case", run_case)
    body = json.loads(here(capsys, "fleet", "sweep", str(grid), "--out", str(folder), "--workers", "1", "--json").out)
    assert (body["found"], body["run"]) == (7, 13)


def test_text_picture_and_the_front(capsys: Capture, tmp_path: Path) -> None:
    drawn = tmp_path / "sweep.svg"
    ran = here(capsys, "fleet", "sweep", str(_grid(tmp_path)), "--out", str(tmp_path / "out"), "--workers", "1",
               "--plot", str(drawn))  # fmt: skip
    assert ran.code == 0
    assert "20 fleets: 20 done" in ran.out
    assert "The front:" in ran.out
    assert ET.parse(drawn).getroot().tag.endswith("svg")
    rows = _rows(tmp_path / "out")
    on = [row for row in rows if row["is_front"]]
    assert 1 < len(on) < 20
    for row in on:
        assert not any(
            other["output_tokens_per_s_per_user"] > row["output_tokens_per_s_per_user"]
            and other["output_tokens_per_s_per_accelerator"] > row["output_tokens_per_s_per_accelerator"]
            for other in rows
        )
    for row in rows:
        parts = ("queue", "prefill", "preemption", "others_prefill", "decode")
        assert sum(row[f"{part}_mean_s"] for part in parts) == pytest.approx(row["e2e_mean_s"], rel=1e-9)


def test_the_front_is_what_brute_force_says() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        x, y = rng.integers(0, 8, (2, 30)).astype(float)
        x[3] = np.nan
        better = [
            bool(((x >= a) & (y >= b) & ((x > a) | (y > b))).any()) for a, b in zip(x, y, strict=True)
        ]  # fmt: skip
        assert pareto(list(x), list(y)).tolist() == [not b and np.isfinite(a) for b, a in zip(better, x, strict=True)]


def test_what_cannot_be_is_a_row_with_its_reason(capsys: Capture, tmp_path: Path) -> None:
    arguments = ["fleet", "sweep", "--load", "poisson", "--requests", "50", "--model", "llama-3.1-70b",
                 "--vary", "accelerator=l4,b200,tpu-v5e", "--tensor-ranks", "1", "--workers", "1"]  # fmt: skip
    ran = here(capsys, *arguments, "--out", str(tmp_path / "out"))
    assert ran.code == 0
    assert "2 of them cannot be:" in ran.out
    rows = _rows(tmp_path / "out")
    assert [row["status"] for row in rows] == ["impossible", "done", "impossible"]
    assert "leave no page" in rows[0]["reason"]


def test_one_line_for_what_is_wrong_with_the_folder(capsys: Capture, tmp_path: Path) -> None:
    grid, folder = _grid(tmp_path), tmp_path / "out"
    sweep = ["fleet", "sweep", str(grid), "--workers", "1", "--out"]
    assert here(capsys, *sweep, str(folder)).code == 0
    changed = here(capsys, *sweep, str(folder), "--prompt", "300").line
    assert "holds another sweep (prompt differ)" in changed
    held = fleet_store.Store(str(folder), Grid(_values(grid)))
    try:
        assert "another process is filling it" in here(capsys, *sweep, str(folder)).line
    finally:
        held.close()
    results = folder / "results.parquet"
    results.write_bytes(results.read_bytes()[:-100])
    assert "results.parquet: is damaged" in here(capsys, *sweep, str(folder)).line
    results.unlink()
    assert here(capsys, *sweep, str(folder)).code == 0
    (folder / "manifest.json").write_text("{")
    assert "manifest.json: is damaged" in here(capsys, *sweep, str(folder)).line
    file, other = tmp_path / "file", tmp_path / "other"
    file.write_text("")
    assert "is a file, expected a folder" in here(capsys, *sweep, str(file)).line
    other.mkdir()
    (other / "mine.txt").write_text("")
    assert "holds 'mine.txt' but no sweep" in here(capsys, *sweep, str(other)).line
    assert list(other.iterdir()) == [other / "mine.txt"]


def _values(grid: Path) -> dict[str, tuple[str, ...]]:
    from roundtrip.cli.fleet_grid import grid_of_file

    return grid_of_file(str(grid))


def test_a_full_disk_is_one_line_and_leaves_nothing_half_written(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid, folder, fsync, calls = _grid(tmp_path), tmp_path / "out", os.fsync, []

    def full(handle: int) -> None:
        calls.append(handle)
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
    sweep = ["fleet", "sweep", str(grid), "--workers", "1", "--out", str(folder)]
    assert "cannot be written: No space left on device" in here(capsys, *sweep).line
    assert [p.name for p in sorted(folder.rglob("*"))] == ["manifest.json", "parts"]
    monkeypatch.setattr(os, "fsync", fsync)
    assert here(capsys, *sweep).code == 0


def test_many_parts_become_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_store, "MANY", 4)
    store = fleet_store.Store(str(tmp_path / "out"), Grid({"seed": tuple(map(str, range(10))), "load": ("poisson",)}))
    row = fleet_case.run_case({"load": "poisson", "requests": "5"})
    for case in range(9):
        store.add([(case, row)])
        assert len(_stored(tmp_path / "out")) == case + 1
    assert len(list((tmp_path / "out" / "parts").iterdir())) < 5
    store.close()
    again = fleet_store.Store(str(tmp_path / "out"), store.grid)
    assert again.left() == [9]
    again.close()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--load", "poisson"], "Missing option '--out'"),
        (["--out", "o"], "expected --trace FILE, or --load"),
        (["nowhere.toml", "--out", "o"], "nowhere.toml: No such file"),
        (["--load", "poisson", "--out", "o", "--vary", "speeds=1,2"], "did you mean 'speed'"),
        (["--load", "poisson", "--out", "o", "--vary", "router=fast,random"], "'fast' is not one of"),
        (["--load", "poisson", "--out", "o", "--vary", "accelerator=h100,b200"], "no entry 'h100'"),
        (["--load", "poisson", "--out", "o", "--vary", "clients=1,2"], "--clients has no meaning"),
        (["--load", "poisson", "--out", "o", "--vary", "prefix-cache=on,off"], "expected yes or no"),
        (["--load", "poisson", "--out", "o", "--workers", "0"], "--workers = 0"),
        (["--load", "poisson", "--out", "o", "--workers", "2", "--scheduler", "tcp://x:1"], "beside --scheduler"),
        (["--trace", "nowhere.csv", "--out", "o", "--vary", "replicas=1,2"], "nowhere.csv: No such file"),
        (["--load", "poisson", "--out", "o", "--vary", "constants=a.toml,b.toml"], "a.toml: No such file"),
    ],
)
def test_bad_input_is_one_line(
    capsys: Capture, arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert message in here(capsys, "fleet", "sweep", *arguments).line
    assert not list(tmp_path.iterdir()), "nothing is made for what is refused"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("clients = [", "is no TOML"),
        ("clients = []", "clients has no values"),
        ("client = 3", "did you mean 'clients'"),
        ("clients = { a = 1 }", "expected a word, a number"),
    ],
)
def test_a_bad_grid_is_one_line(capsys: Capture, tmp_path: Path, text: str, message: str) -> None:
    grid = tmp_path / "grid.toml"
    grid.write_text(text)
    assert message in here(capsys, "fleet", "sweep", str(grid), "--out", str(tmp_path / "out")).line


def test_no_scheduler_is_one_line(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    from roundtrip.cli import fleet_workers

    monkeypatch.setattr(fleet_workers, "WAIT_S", 0.3)
    line = here(capsys, "fleet", "sweep", str(_grid(tmp_path)), "--out", str(tmp_path / "out"), "--scheduler",
                "tcp://127.0.0.1:9").line  # fmt: skip
    assert "no Dask scheduler answers" in line


def test_a_case_of_a_sweep_can_be_compared(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert here(capsys, "fleet", "sweep", str(_grid(tmp_path)), "--out", str(folder), "--workers", "1").code == 0
    body = json.loads(here(capsys, "fleet", "compare", f"{folder}:0", f"{folder}:10", "--seeds", "2", "--json").out)
    assert body["comparisons"][0]["requests"] == 200
    assert "expected a case from 0 to 19" in here(capsys, "fleet", "compare", f"{folder}:0", f"{folder}:20").line
